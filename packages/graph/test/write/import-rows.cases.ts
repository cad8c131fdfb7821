import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@lockstitch/kernel';
import { createGraph, readSchema } from '../../src/index.ts';
import type { Store } from '../../src/store/store.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import {
  createImporter,
  type ImportOptions,
  type ImportRejection,
  type ImportRow,
} from '../../src/write/import-rows.ts';
import { withLongerTimes } from '../../../kernel/test/with-longer-times.ts';
import { freshSchema, postgresUrl, testOnStores } from '../stores.ts';
import { openWriting, type Writing } from '../writing.ts';

interface Importing extends Writing {
  load(
    type: string,
    batches: Parameters<ReturnType<typeof createImporter>>[1],
    options?: ImportOptions,
  ): Promise<unknown>;
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
  deepEqual(into.rejections, [{ index: 1, reasons: ['another Photo has the same url.'] }]);
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
    // The friend of 2 has changed, too.
    [1, 'a@x', 'A', 1, 2],
    [2, 'b@x', 'Bea', null, 2],
    [3, 'c@x', 'C', null, 2],
  ]);
  deepEqual(
    (await into.changes()).map(({ operation, key, before }) => [operation, key, before]),
    [
      ['updated', '2', { name: 'B', version: 1 }],
      ['updated', '1', { version: 1 }],
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
    { index: 0, reasons: ['another Person has the same email.'] },
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

const STORED_SCALARS =
  'scalar Decimal scalar DateTime scalar LocalDateTime scalar Date scalar Time scalar UUID scalar BigInt scalar JSON';

/** Two values of each type that may be unique. */
const UNIQUE_VALUES: Readonly<Record<string, readonly [unknown, unknown]>> = {
  Int: [0, -7],
  Float: [2.5, 1e-7],
  Decimal: ['12345678901234567890.1', '-0.5'],
  Boolean: [true, false],
  DateTime: ['2024-02-29T12:00:00.123Z', '2024-02-29T12:00:00+01:00'],
  LocalDateTime: ['2024-02-29T12:00:00', '2024-02-29T12:00:01'],
  Date: ['2024-02-29', '0999-12-31'],
  Time: ['12:00:00Z', '13:00:00.5Z'],
  String: ['a', '7'],
  ID: ['a', '7'],
  UUID: ['7c9e6679-7425-40de-944b-e07fc1f90ae7', '00000000-0000-4000-8000-000000000000'],
  BigInt: ['9007199254740993', 5],
  Mood: ['GLAD', 'SAD'],
  JSON: [{ town: 'Oslo', at: [1, 2] }, 'Oslo'],
  Place: [{ town: 'Oslo', at: 1.5 }, { town: 'Oslo' }],
  '[String!]': [['a', 'b'], []],
  '[Float!]': [[1, 0.5], [1]],
};

testOnStores('19.2 an import finds objects by unique values of every kind, alone and combined', async (store) => {
  const types = Object.entries(UNIQUE_VALUES).map(([type, values], at) => ({ type, values, name: `Kind${at}` }));
  const definitions = types.map(
    ({ type, name }) => `type ${name} @entity { id: ID! value: ${type} @unique note: String }
      type With${name} @entity @unique(fields: ["group", "value"]) { id: ID! group: Int value: ${type} note: String }`,
  );
  const into = await open(
    store,
    `${STORED_SCALARS} enum Mood { GLAD SAD } type Place { town: String at: Float } ${definitions.join(' ')} type Query { totalKind0s: Int! }`,
  );
  for (const { type, values, name: own } of types) {
    const [one, other] = values;
    for (const [name, more] of [
      [own, {}],
      [`With${own}`, { group: 1 }],
    ] as const) {
      const by = [...Object.keys(more), 'value'];
      const upsert: ImportOptions = { onConflict: 'update', atomic: false };
      const rows = [
        { ...more, value: one, note: 'one' },
        { ...more, value: other, note: 'other' },
      ];
      deepEqual(await into.load(name, [rows], upsert), counted(2, 2, 0, 0), `${name}: ${type}`);
      deepEqual(await into.load(name, [rows], { ...upsert, by }), counted(2, 0, 0, 2), `${name}: ${type}`);
      const changed = [{ ...more, value: other, note: 'new' }];
      deepEqual(await into.load(name, [changed], { ...upsert, by }), counted(1, 0, 1, 0), `${name}: ${type}`);
      // A value that another object has.
      deepEqual(await into.load(name, [[{ id: 1, value: other }]], upsert), counted(1, 0, 0, 0, 1), `${name}: ${type}`);
      deepEqual(await into.load(name, [[{ id: 1, value: null }]], upsert), counted(1, 0, 1, 0), `${name}: ${type}`);
      deepEqual(await into.load(name, [[{ id: 1, value: one }]], upsert), counted(1, 0, 1, 0), `${name}: ${type}`);
    }
  }
});

testOnStores('19.2 an import finds values of every kind unchanged, however the database spells them', async (store) => {
  const into = await open(
    store,
    `scalar JSON scalar Decimal scalar DateTime
    type Part @entity {
      id: ID! meta: JSON tags: [String!] sizes: [Float!] prices: [Decimal!] times: [DateTime!] place: Place places: [Place!]
      version: Int! @default(value: "version")
    }
    type Place { town: String height: Float }
    type Query { part(id: ID!): Part }
    type Mutation { createPart(meta: JSON): Part! updatePart(id: ID!, meta: JSON): Part }`,
  );
  const rows = [
    { meta: { longer: [1, { b: 0.5 }], a: 'x' } },
    { meta: 'text' },
    { meta: null, tags: ['b', 'a', ''], sizes: [1, 1e300, -0.1], prices: ['1.50', '12345678901234567890.12'] },
    { times: ['2024-01-01T01:00:00+01:00'], place: { town: 'Oslo', height: 2 }, places: [{ height: 1e-7 }] },
  ].map((part, at) => ({ id: at + 1, ...part }));
  await into.load('Part', [rows]);
  const update = { onConflict: 'update' } as const;
  deepEqual(await into.load('Part', [rows], update), counted(4, 0, 0, 4));
  deepEqual(
    await into.load('Part', [[{ id: 1, meta: { a: 'x', longer: [1, { b: 0.5 }] } }]], update),
    counted(1, 0, 0, 1),
  );
  deepEqual(await into.load('Part', [[{ id: 1, meta: { a: 'y' } }]], update), counted(1, 0, 1, 0));
  deepEqual(await into.load('Part', [[{ id: 2, meta: '"text"' }]], update), counted(1, 0, 1, 0));
  // The same holds for mutations: a version does not rise.
  await into.run('updatePart(id: 3, meta: null)');
  await into.run('updatePart(id: 1, meta: {a: "y"})');
  deepEqual(await into.rows('SELECT id, version FROM parts ORDER BY id'), [
    [1, 2],
    [2, 2],
    [3, 1],
    [4, 1],
  ]);
});

const HOLDERS = `
  scalar DateTime
  type Photo @entity(softDelete: "gone") { id: ID! slug: String @unique gone: DateTime name: String }
  type Comment @entity(softDelete: "gone") {
    id: ID! text: String gone: DateTime
    photo: Photo! @relation(onDelete: CASCADE) other: Photo @relation(onDelete: SET_NULL)
  }
  type Award @entity { id: ID! photo: Photo @relation(onDelete: RESTRICT) }
  union Thing = Photo | Award
  type Note @entity { id: ID! about: Thing! next: Thing }
  type Query { comments: [Comment!]! }`;
const AT = '2024-01-01T00:00:00.000Z';
const BY_KEY: ImportOptions = { onConflict: 'update', atomic: false };

testOnStores('19.2 an import rejects a living object whose required reference is deleted', async (store) => {
  const into = await open(store, HOLDERS);
  await into.load('Photo', [[{ id: '1', gone: AT }, { id: '2' }]]);
  const rows = [
    { id: 1, text: 'orphan', photo: '1' },
    { id: 2, text: 'deleted too', photo: '1', gone: AT },
    { id: 3, text: 'reads null', photo: '2', other: '1' },
  ];
  await into.load('Comment', [rows], { atomic: false });
  const reasons = ['"photo": Photo "1" is deleted.'];
  deepEqual(into.rejections.splice(0), [{ index: 0, reasons }]);
  deepEqual(await into.rows('SELECT text FROM comments ORDER BY id'), [['deleted too'], ['reads null']]);
  // So does an update; one that restores an object, too.
  const updates = [
    { id: 3, photo: 1 },
    { id: 2, text: 'still deleted' },
    { id: 2, gone: null },
    { id: 3, text: 'ok' },
  ];
  deepEqual(await into.load('Comment', [updates], BY_KEY), counted(4, 0, 2, 0, 2));
  deepEqual(into.rejections, [
    { index: 0, reasons },
    {
      index: 2,
      reasons: ['This row failed: "photo" of Comment cannot be null, and its object is deleted.'],
    },
  ]);
});

testOnStores('19.2 an import that deletes or restores an object does so with its holders', async (store) => {
  const into = await open(store, HOLDERS);
  await into.load('Photo', [[{ id: '1', slug: 's' }, { id: '2' }]]);
  await into.load('Comment', [[{ photo: 1 }, { photo: 1, gone: '2020-01-01T00:00:00.000Z' }, { photo: 2 }]]);
  await into.load('Award', [[{ photo: 2 }]]);
  await into.changes();
  const deletions = [
    { id: 1, gone: AT, name: 'old' },
    { id: 2, gone: AT },
    { id: 2, name: 'held' },
  ];
  deepEqual(await into.load('Photo', [deletions], BY_KEY), counted(3, 0, 2, 0, 1));
  deepEqual(into.rejections.splice(0), [
    { index: 1, reasons: ['This row failed: Photo "2" is still referred to by Award objects in "photo".'] },
  ]);
  const living = async (table: string): Promise<unknown> =>
    (await into.rows(`SELECT id FROM ${table} WHERE gone IS NULL ORDER BY id`)).flat();
  deepEqual([await living('photos'), await living('comments')], [[2], [3]]);
  const told = async (): Promise<unknown> =>
    (await into.changes()).map(({ type, key, operation }) => `${type} ${key} ${operation}`).toSorted();
  deepEqual(await told(), ['Comment 1 deleted', 'Photo 1 deleted', 'Photo 2 updated']);
  // The time is the one of the row, and the holders return with it.
  deepEqual(await into.load('Photo', [deletions.slice(0, 1)], BY_KEY), counted(1, 0, 0, 1));
  deepEqual(await into.load('Photo', [[{ id: 1, gone: null, name: 'new' }]], BY_KEY), counted(1, 0, 1, 0));
  deepEqual(
    [await living('photos'), await living('comments')],
    [
      [1, 2],
      [1, 3],
    ],
  );
  deepEqual(await into.rows('SELECT name FROM photos WHERE id = 1'), [['new']]);
  deepEqual(await told(), ['Comment 1 created', 'Photo 1 created']);
});

testOnStores(
  '19.2 an import rejects a row that is restored while another object has its unique value',
  async (store) => {
    const into = await open(store, HOLDERS);
    await into.load('Photo', [
      [
        { id: '1', slug: 's', gone: AT },
        { id: '2', slug: 's' },
      ],
    ]);
    const rows = [
      { id: 1, gone: null },
      { id: 2, name: 'kept' },
      { id: 1, name: 'deleted' },
      { id: 1, slug: 't', gone: null },
    ];
    deepEqual(await into.load('Photo', [rows], BY_KEY), counted(4, 0, 3, 0, 1));
    deepEqual(into.rejections, [{ index: 0, reasons: ['another Photo has the same slug.'] }]);
  },
);

testOnStores('19.2 an import checks references to an interface or union', async (store) => {
  const into = await open(store, HOLDERS);
  await into.load('Photo', [[{ id: '1' }, { id: '2', gone: AT }]]);
  const to = (type: string, key: string): unknown => ({ type, key });
  const rows = [
    { about: to('Photo', '1') },
    { about: to('Photo', 'nope') },
    { about: to('Award', '7') },
    { about: to('Photo', '2') },
    { about: to('Photo', '1'), next: to('Photo', '2') },
  ];
  await into.load('Note', [rows], { atomic: false });
  deepEqual(into.rejections, [
    { index: 1, reasons: ['"about": no Photo has id "nope".'] },
    { index: 2, reasons: ['"about": no Award has id "7".'] },
    { index: 3, reasons: ['"about": Photo "2" is deleted.'] },
  ]);
});

testOnStores('19.2 a row that the database refuses is rejected, and the others are written', async (store) => {
  const into = await open(store, PEOPLE);
  const check =
    store.dialect === 'sqlite'
      ? "CREATE TRIGGER no_nobody BEFORE INSERT ON persons WHEN new.name = 'nobody' BEGIN SELECT raise(ABORT, 'no'); END"
      : "ALTER TABLE persons ADD CONSTRAINT no_nobody CHECK (name <> 'nobody')";
  await store.script(check);
  const rows = Array.from({ length: 20 }, (_, at) => ({
    email: `${at}@x`,
    name: at === 7 || at === 12 ? 'nobody' : 'x',
  }));
  deepEqual(await into.load('Person', [rows], BY_KEY), counted(20, 18, 0, 0, 2));
  deepEqual(
    into.rejections.map(({ index }) => index),
    [7, 12],
  );
  match(into.rejections[0]!.reasons[0]!, /^This row failed: .* does not satisfy /);
});

/** Column types of others, the scalar that reads them, and two values. */
const FOREIGN_COLUMNS: readonly (readonly [string, string, unknown, unknown])[] = [
  ['numeric(10,2)', 'Decimal', '1.50', '2'],
  ['real', 'Float', 0.1, 2],
  ['uuid', 'UUID', '7c9e6679-7425-40de-944b-e07fc1f90ae7', '00000000-0000-4000-8000-000000000000'],
  ['date', 'Date', '2024-01-01', '2024-01-02'],
  ['char(5)', 'String', 'ab', 'cd'],
  ['smallint', 'Int', 3, 4],
];

testOnStores('19.2 an import finds objects by unique columns of other types than the engine makes', async (store) => {
  const columns = FOREIGN_COLUMNS.map(([type], at) => `c${at} ${type} UNIQUE`);
  await store.script(`CREATE TABLE things (id integer PRIMARY KEY, note text, ${columns.join(', ')})`);
  const fields = FOREIGN_COLUMNS.map(([, scalar], at) => `c${at}: ${scalar} @unique`);
  const text = `${STORED_SCALARS} type Thing @unmanaged { id: ID! note: String ${fields.join(' ')} } type Query { thing(id: ID!): Thing }`;
  const { importRows } = await createGraph({ store, model: readSchema([{ file: 's.graphql', text }]) });
  const rows = [1, 2].map((id) => ({
    id,
    ...Object.fromEntries(FOREIGN_COLUMNS.map((column, at) => [`c${at}`, column[id + 1]])),
  }));
  const load = async (batch: readonly ImportRow[], by?: string): Promise<unknown> => {
    const update = { onConflict: 'update', atomic: false, ...(by !== undefined && { by: [by] }) } as const;
    const { position: _, ...result } = await importRows('Thing', [batch], update);
    return result;
  };
  deepEqual(await load(rows), counted(2, 2, 0, 0));
  deepEqual(await load(rows), counted(2, 0, 0, 2));
  for (const [at, [type, , one]] of FOREIGN_COLUMNS.entries()) {
    const name = `c${at}`;
    deepEqual(await load([{ [name]: one, note: type }], name), counted(1, 0, 1, 0), type);
    deepEqual(await load([{ id: 2, [name]: one }]), counted(1, 0, 0, 0, 1), type);
  }
});

testOnStores('19.2 an import that links objects raises versions at the other end, as mutations do', async (store) => {
  const into = await open(
    store,
    `type Album @entity {
      id: ID! version: Int! @default(value: "version") tags: [Tag!]! hidden: [Tag!]! @relation(inverse: "secrets") @auth(read: "hasRole('ADMIN')")
      next: [Album!]! @relation(inverse: "former")  former: [Album!]! @relation(inverse: "next")
    }
    type Tag @entity {
      id: ID! version: Int! @default(value: "version") albums: [Album!]! @relation(inverse: "tags")
      secrets: [Album!]! @relation(inverse: "hidden") @auth(read: "hasRole('ADMIN')")
    }
    type Query { albums: [Album!]! tags: [Tag!]! }
    type Mutation { createTag(id: ID): Tag! }`,
  );
  const versions = async (table: string): Promise<unknown> =>
    (await into.rows(`SELECT version FROM ${table} ORDER BY id`)).map(([version]) => version);
  await into.load('Tag', [[{ id: 1 }, { id: 2 }, { id: 3 }]]);
  await into.load('Album', [
    [
      { id: 1, tags: [1, 2] },
      { id: 2, tags: [1], hidden: [3] },
    ],
  ]);
  deepEqual(
    [await versions('tags'), await versions('albums')],
    [
      [3, 2, 1],
      [1, 1],
    ],
  );
  const update = { onConflict: 'update' } as const;
  await into.load(
    'Album',
    [
      [
        { id: 1, tags: [1] },
        { id: 2, tags: [1] },
        { id: 3, next: [1, 2] },
      ],
    ],
    update,
  );
  deepEqual(
    [await versions('tags'), await versions('albums')],
    [
      [3, 3, 1],
      [3, 2, 1],
    ],
  );
  await into.load(
    'Album',
    [
      [
        { id: 3, next: [] },
        { id: 1, tags: [] },
        { id: 1, former: [2] },
      ],
    ],
    update,
  );
  deepEqual(
    [await versions('tags'), await versions('albums')],
    [
      [4, 3, 1],
      [6, 4, 2],
    ],
  );
});

test('PostgreSQL: an import as a whole may wait for its rows longer than a transaction may be idle', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  // All other transactions of the store have the limit, too, and a busy machine.
  await withLongerTimes(50, async (longestIdle) => {
    const store = await openPostgresStore({ url, schema: freshSchema(), longestIdle });
    try {
      const into = await open(store);
      const slowly = async function* (): AsyncGenerator<readonly ImportRow[]> {
        yield [users[0]!];
        await sleep(4 * longestIdle);
        yield [users[1]!];
      };
      deepEqual(await into.load('User', slowly()), { read: 2, written: 2, rejected: 0, skipped: 0, committed: true });
    } finally {
      await store.close();
    }
  });
});
