import { deepEqual, equal, rejects } from 'node:assert/strict';
import { systemClock } from '@lockstitch/kernel';
import type { Store } from '../../src/store/store.ts';
import {
  createImporter,
  type ImportOptions,
  type ImportRejection,
  type ImportRow,
} from '../../src/write/import-rows.ts';
import { testOnStores } from '../stores.ts';
import { openWriting, type Writing } from '../writing.ts';

interface Importing extends Writing {
  load(type: string, batches: readonly (readonly ImportRow[])[], options?: ImportOptions): Promise<unknown>;
  readonly rejections: ImportRejection[];
}

async function open(store: Store, schema?: string): Promise<Importing> {
  const writing = await openWriting(store, schema);
  const importRows = createImporter({ model: writing.model, store, clock: systemClock });
  const rejections: ImportRejection[] = [];
  return {
    ...writing,
    rejections,
    async load(type, batches, options = {}) {
      const { position: _, ...result } = await importRows(type, batches, {
        onReject: (each) => rejections.push(each),
        ...options,
      });
      return result;
    },
  };
}

const users = [{ githubLogin: 'ann', name: 'Ann' }, { githubLogin: 'bob' }];
const photo = (name: string, more: ImportRow = {}): ImportRow => ({ name, url: `/${name}`, postedBy: 'ann', ...more });

testOnStores('an import writes rows, relations and join rows, with a feed entry per object', async (store) => {
  const into = await open(store);
  deepEqual(await into.load('User', [users]), { read: 2, written: 2, rejected: 0, skipped: 0, committed: true });
  const rows = [
    photo('a', {
      created: '2020-01-01T00:00:00+01:00',
      rating: '2.5',
      hidden: 'true',
      labels: ['x'],
      taggedUsers: ['bob'],
    }),
    photo('b', { postedBy: { githubLogin: 'bob' }, likes: 3, description: '' }),
  ];
  deepEqual(await into.load('Photo', [rows]), { read: 2, written: 2, rejected: 0, skipped: 0, committed: true });
  deepEqual(
    await into
      .rows('SELECT id, name, created, rating, likes, description, posted_by, revision FROM photos ORDER BY id')
      .then((all) => all.map((row) => [...row.slice(0, 2), ...row.slice(3)])),
    [
      [1, 'a', 2.5, 0, null, 'ann', 1],
      [2, 'b', null, 3, '', 'bob', 1],
    ],
  );
  const changes = await into.changes();
  deepEqual(
    changes.map((change) => `${change.type} ${change.key} ${change.operation}`),
    ['User ann created', 'User bob created', 'Photo 1 created', 'User bob updated', 'Photo 2 created'],
  );
  deepEqual(changes[2]!.after!['created'], '2019-12-31T23:00:00.000Z');
  deepEqual(changes[2]!.links, { taggedUsers: { added: ['bob'], removed: [] } });
});

testOnStores(
  'an invalid row is rejected with every reason, and an atomic import then writes nothing',
  async (store) => {
    const into = await open(store);
    await into.load('User', [users]);
    await into.changes();
    const rows = [
      photo('a'),
      photo('b', { nmae: 1, created: 'yesterday', category: 'SQUARE', likes: 'many', postedBy: 'nobody' }),
      { url: 5 },
    ];
    deepEqual(await into.load('Photo', [rows.slice(0, 1), rows.slice(1)]), {
      read: 3,
      written: 0,
      rejected: 2,
      skipped: 0,
      committed: false,
    });
    deepEqual(
      into.rejections.map((each) => [each.index, each.reasons.length]),
      [
        [1, 5],
        [2, 3],
      ],
    );
    deepEqual(into.rejections[0]!.reasons[0], '"nmae" is no field of Photo. Did you mean "name"?');
    deepEqual(into.rejections[0]!.reasons.at(-1), '"postedBy": no User has githubLogin "nobody".');
    deepEqual(await into.rows('SELECT count(*) FROM photos'), [[0]]);
    deepEqual(await into.changes(), []);
  },
);

testOnStores('without atomic, valid rows stay, and existing ones are rejected or skipped', async (store) => {
  const into = await open(store);
  await into.load('User', [users]);
  const rows = [photo('a'), photo('a'), photo('b')];
  deepEqual(await into.load('Photo', [rows], { atomic: false }), {
    read: 3,
    written: 2,
    rejected: 1,
    skipped: 0,
    committed: true,
  });
  deepEqual(into.rejections, [{ index: 1, reasons: ['another Photo has the same id or url.'] }]);
  deepEqual(await into.load('Photo', [rows], { atomic: false, onConflict: 'skip' }), {
    read: 3,
    written: 0,
    rejected: 0,
    skipped: 3,
    committed: true,
  });
});

testOnStores('imported keys are not generated again', async (store) => {
  const into = await open(store);
  await into.load('User', [users]);
  await into.load('Photo', [[photo('a', { id: '41' })]]);
  equal(
    await into.run('postPhoto(input: { name: "b", url: "/b", postedBy: "ann" })').then((key) => Number(key) > 41),
    true,
  );
});

testOnStores('an unknown type is rejected with a suggestion', async (store) => {
  const into = await open(store);
  await rejects(into.load('Foto', []), /stores no type called "Foto"\. Did you mean "Photo"/);
});

const SHELVES = /* GraphQL */ `
  union Thing = Book | Toy
  type Book {
    id: ID!
    title: String!
  }
  type Toy {
    id: ID!
    name: String!
  }
  type Shelf {
    id: ID!
    things: [Thing!]!
  }
  type Query {
    Book(id: ID!): Book
    Toy(id: ID!): Toy
    Shelf(id: ID!): Shelf
  }
`;

testOnStores('a list of a union imports keys and response objects', async (store) => {
  const into = await open(store, SHELVES);
  await into.load('Book', [[{ title: 'b' }]]);
  await into.load('Toy', [[{ name: 't' }]]);
  await into.changes();
  const things = [
    { type: 'Toy', key: '1' },
    { __typename: 'Book', id: '1' },
  ];
  await into.load('Shelf', [[{ things }]]);
  const [change] = await into.changes();
  deepEqual(change!.links, { things: { added: ['Toy:1', 'Book:1'], removed: [] } });
  await into.load('Shelf', [[{ things: [{ type: 'Shelf', key: '1' }] }, { things: [{ type: 'Book', key: '9' }] }]]);
  deepEqual(
    into.rejections.map(({ reasons }) => reasons),
    [['"things" must be { "type": …, "key": … } with one of the types of Thing.'], ['"things": no Book has id "9".']],
  );
});

testOnStores('19.2 rows that violate a @constraint are refused by an import', async (store) => {
  const into = await open(
    store,
    'type Tag @entity { word: ID! @id size: Int @constraint(max: 3) } type Query { tags: [Tag!]! }',
  );
  const rows = [
    { word: 'a', size: '3' },
    { word: 'b', size: '4' },
  ];
  deepEqual(await into.load('Tag', [rows], { atomic: false }), {
    read: 2,
    written: 1,
    rejected: 1,
    skipped: 0,
    committed: true,
  });
  deepEqual(
    into.rejections.map(({ reasons }) => reasons),
    [['"size" must be at most 3.']],
  );
});

const PEOPLE = `
  scalar DateTime
  type Person @entity(softDelete: "gone") @unique(fields: ["team", "badge"]) {
    id: ID! email: String! @unique name: String team: Team badge: Int gone: DateTime
    version: Int! @default(value: "version")
    friends: [Person!] @relation(inverse: "friendOf") friendOf: [Person!] @relation(inverse: "friends")
  }
  type Team @entity { id: ID! name: String people: [Person!]! }
  type Query { person(id: ID!): Person }
  type Mutation { createTeam(name: String): Team! }`;
const counted = (read: number, created: number, updated: number, unchanged: number, rejected = 0): unknown => ({
  read,
  written: created + updated,
  rejected,
  skipped: 0,
  updated,
  unchanged,
  committed: true,
});

testOnStores('19.2 an import with update creates, updates and leaves alone, by any unique key', async (store) => {
  const into = await open(store, PEOPLE);
  await into.run('createTeam(name: "red")');
  const update = { onConflict: 'update' } as const;
  const first = [
    { email: 'a@x', name: 'A', team: 1, badge: 1 },
    { email: 'b@x', name: 'B', friends: [] },
  ];
  deepEqual(await into.load('Person', [first], update), counted(2, 2, 0, 0));
  await into.changes();
  const second = [
    { email: 'a@x', name: 'A' },
    { id: 2, name: 'Bea', friends: [1] },
    { email: 'c@x' },
    { email: 'c@x', name: 'C' },
  ];
  deepEqual(await into.load('Person', [second], update), counted(4, 1, 2, 1));
  deepEqual(await into.rows('SELECT id, email, name, badge, version FROM persons ORDER BY id'), [
    [1, 'a@x', 'A', 1, 1],
    [2, 'b@x', 'Bea', null, 2],
    [3, 'c@x', 'C', null, 2],
  ]);
  deepEqual(
    (await into.changes()).map(({ operation, key, before }) => [operation, key, before]),
    [
      ['updated', '2', { name: 'B', version: 1 }],
      ['updated', '1', {}],
      ['created', '3', undefined],
    ],
  );
  // What a row does not name stays, a list that it names is replaced, null empties.
  const third = [
    { id: 1, name: null },
    { id: 2, friends: [3] },
  ];
  deepEqual(await into.load('Person', [third], update), counted(2, 0, 2, 0));
  deepEqual(await into.rows('SELECT id, email, name, badge FROM persons WHERE id < 3 ORDER BY id'), [
    [1, 'a@x', null, 1],
    [2, 'b@x', 'Bea', null],
  ]);
  deepEqual(await into.rows('SELECT * FROM persons_friends'), [[2, 3]]);
});

testOnStores('19.2 an import finds objects by the unique key that is named', async (store) => {
  const into = await open(store, PEOPLE);
  await into.run('createTeam(name: "red")');
  await into.load('Person', [
    [
      { email: 'a@x', team: 1, badge: 1 },
      { email: 'b@x', team: 1, badge: 2 },
    ],
  ]);
  const by = (...fields: string[]): ImportOptions => ({ onConflict: 'update', by: fields, atomic: false });
  deepEqual(
    await into.load('Person', [[{ team: 1, badge: 2, email: 'new@x' }]], by('badge', 'team')),
    counted(1, 0, 1, 0),
  );
  const wrong = [
    { id: 7, email: 'a@x' },
    { name: 'nobody' },
    { team: 1, badge: 1, email: 'new@x' },
    { email: 'a@x', name: 'good' },
  ];
  deepEqual(await into.load('Person', [wrong.slice(0, 2)], by('email')), counted(2, 0, 0, 0, 2));
  deepEqual(await into.load('Person', [wrong.slice(2, 3)], by('team', 'badge')), counted(1, 0, 0, 0, 1));
  deepEqual(await into.load('Person', [wrong.slice(3)], by('email')), counted(1, 0, 1, 0));
  deepEqual(into.rejections, [
    { index: 0, reasons: ['"id" is "7", and the key of the object cannot be changed.'] },
    { index: 1, reasons: ['"email" is required.', 'email must say which Person it is.'] },
    { index: 0, reasons: ['another Person has the same id or email.'] },
  ]);
  await rejects(into.load('Person', [[{ name: 'x' }]], by('name')), /GRAPH_UPSERT_KEY|no unique key/);
});

testOnStores('19.2 an import updates deleted objects by their key, and says when they come and go', async (store) => {
  const into = await open(store, PEOPLE);
  const gone = '2024-01-01T00:00:00.000Z';
  await into.load('Person', [[{ email: 'a@x' }, { email: 'b@x', gone }]]);
  deepEqual(
    (await into.changes()).map(({ operation, key }) => [operation, key]),
    [['created', '1']],
  );
  const rows = [
    { id: 1, gone },
    { id: 2, name: 'B', gone: null },
  ];
  deepEqual(await into.load('Person', [rows], { onConflict: 'update' }), counted(2, 0, 2, 0));
  deepEqual(
    (await into.changes()).map(({ operation, key }) => [operation, key]),
    [
      ['deleted', '1'],
      ['created', '2'],
    ],
  );
});
