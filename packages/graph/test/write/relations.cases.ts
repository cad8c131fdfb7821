import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { ProductError } from '@lockstitch/kernel';
import { contents, replay } from '../replay.ts';
import { modelOf } from '../photo-schema.ts';
import { testOnStores } from '../stores.ts';
import { openWriting } from '../writing.ts';

const code = (wanted: string) => (error: unknown) => {
  equal((error as ProductError).code, wanted, (error as ProductError).message);
  return true;
};

const PEOPLE = /* GraphQL */ `
  type Person {
    name: ID! @id
    passport: Passport
    parent: Person
    children: [Person!]!
    friends: [Person!]! @relation(inverse: "friendOf")
    friendOf: [Person!]! @relation(inverse: "friends")
  }
  type Passport {
    number: ID! @id
    owner: Person! @relation(onDelete: CASCADE)
  }
  input PersonInput {
    name: ID!
    parent: ID
    passport: PassportInput
    children: [ChildInput!]
    friends: [ID!]
  }
  input ChildInput {
    name: ID!
    children: [ChildInput!]
  }
  input PassportInput {
    number: ID!
  }
  input PersonChange {
    parent: ID
    children: Kin
    passport: PassportLink
    friends: Kin
  }
  input Kin {
    create: [ChildInput!]
    connect: [ID!]
    disconnect: [ID!]
    set: [ID!]
    delete: [ID!]
  }
  input PassportLink {
    create: PassportInput
    connect: ID
    delete: Boolean
  }
  type Query {
    Person(name: ID!): Person
    Passport(number: ID!): Passport
  }
  type Mutation {
    addPerson(input: PersonInput!): Person!
    changePerson(name: ID!, input: PersonChange!): Person!
    deletePerson(name: ID!): Boolean!
    befriendPerson(name: ID!, friendName: ID!): Person!
  }
`;

testOnStores('self-relations: trees are created, moved and cut', async (store) => {
  const writing = await openWriting(store, PEOPLE);
  await writing.run(
    'addPerson(input: { name: "a", children: [{ name: "b", children: [{ name: "c" }] }, { name: "d" }] })',
  );
  const parents = () => writing.rows('SELECT name, parent FROM persons ORDER BY name');
  deepEqual(await parents(), [
    ['a', null],
    ['b', 'a'],
    ['c', 'b'],
    ['d', 'a'],
  ]);
  await writing.run('changePerson(name: "a", input: { children: { set: ["c"] } })');
  deepEqual(await parents(), [
    ['a', null],
    ['b', null],
    ['c', 'a'],
    ['d', null],
  ]);
  await writing.run('changePerson(name: "a", input: { children: { delete: ["c"] } })');
  await rejects(
    writing.run('changePerson(name: "a", input: { children: { delete: ["d"] } })'),
    code('GRAPH_NOT_FOUND'),
  );
  deepEqual(await parents(), [
    ['a', null],
    ['b', null],
    ['d', null],
  ]);
  await writing.run('changePerson(name: "a", input: { parent: "a" })');
  await writing.run('deletePerson(name: "a")');
  deepEqual(await replay(writing.feed), await contents(writing.model, store));
});

testOnStores(
  'one to one: taking over leaves the former owner without, and the required end cannot be emptied',
  async (store) => {
    const writing = await openWriting(store, PEOPLE);
    await writing.run('addPerson(input: { name: "a", passport: { number: "1" } })');
    await writing.run('addPerson(input: { name: "b" })');
    await writing.run('changePerson(name: "b", input: { passport: { connect: "1" } })');
    deepEqual(await writing.rows('SELECT number, owner FROM passports'), [['1', 'b']]);
    await rejects(
      writing.run('changePerson(name: "b", input: { passport: { create: { number: "2" } } })'),
      code('GRAPH_INPUT_INVALID'),
    );
    await writing.run('changePerson(name: "b", input: { passport: { delete: true } })');
    await writing.run('changePerson(name: "b", input: { passport: { create: { number: "2" } } })');
    await writing.run('deletePerson(name: "b")');
    deepEqual(await writing.rows('SELECT count(*) FROM passports'), [[0]]);
    deepEqual(await replay(writing.feed), await contents(writing.model, store));
  },
);

testOnStores('rows that refer to each other are removed in an order that foreign keys allow', async (store) => {
  const writing = await openWriting(
    store,
    `type Root { id: ID! @id }
     type Early { id: ID! @id root: Root! @relation(onDelete: CASCADE) late: Late @relation(onDelete: RESTRICT) }
     type Late { id: ID! @id root: Root! @relation(onDelete: CASCADE) last: Last! @relation(onDelete: RESTRICT) }
     type Last { id: ID! @id root: Root! @relation(onDelete: CASCADE) early: Early @relation(onDelete: SET_NULL) }
     type Ring { id: ID! @id root: Root @relation(onDelete: CASCADE) next: Ring! @relation(onDelete: RESTRICT) }
     type Query { roots: [Root!]! earlies: [Early!]! lates: [Late!]! lasts: [Last!]! rings: [Ring!]! }
     input EarlyInput { id: ID! root: ID! late: ID } input LateInput { id: ID! root: ID! last: ID! }
     input LastInput { id: ID! root: ID! early: ID } input RingInput { id: ID! root: ID next: ID! }
     type Mutation {
       createRoot(id: ID!): Root! deleteRoot(id: ID!): Boolean! createEarly(input: EarlyInput!): Early!
       createLate(input: LateInput!): Late! createLast(input: LastInput!): Last! createRing(input: RingInput!): Ring!
       changeEarly(id: ID!, late: ID): Early! changeLast(id: ID!, early: ID): Last! changeRing(id: ID!, next: ID!): Ring!
     }`,
  );
  const run = (operation: string) => writing.run(operation);
  const counts = () =>
    writing.rows(
      ['roots', 'earlies', 'lates', 'lasts', 'rings']
        .map((table) => `SELECT count(*) FROM ${table}`)
        .join(' UNION ALL '),
    );
  // Found in the order Early, Late, Last, in which they refer to each other.
  await run('createRoot(id: "r")');
  await run('createLast(input: { id: "1", root: "r" })');
  await run('createLate(input: { id: "1", root: "r", last: "1" })');
  await run('createEarly(input: { id: "1", root: "r", late: "1" })');
  await run('deleteRoot(id: "r")');
  deepEqual(await counts(), [[0], [0], [0], [0], [0]]);
  // In a ring, with a row before it; and in one where nothing may be null.
  await run('createRoot(id: "r")');
  await run('createLast(input: { id: "1", root: "r" })');
  await run('createLate(input: { id: "1", root: "r", last: "1" })');
  await run('createEarly(input: { id: "1", root: "r", late: "1" })');
  await run('createEarly(input: { id: "2", root: "r", late: "1" })');
  await run('changeLast(id: "1", early: "1")');
  await run('createRing(input: { id: "1", root: "r", next: "1" })');
  await run('createRing(input: { id: "2", root: "r", next: "1" })');
  await run('changeRing(id: "1", next: "2")');
  await run('deleteRoot(id: "r")');
  deepEqual(await counts(), [[0], [0], [0], [0], [0]]);
  deepEqual(await replay(writing.feed), await contents(writing.model, store));
});

testOnStores('join rows of a self-relation keep their direction', async (store) => {
  const writing = await openWriting(store, PEOPLE);
  for (const name of ['a', 'b', 'c']) await writing.run(`addPerson(input: { name: "${name}" })`);
  await writing.run('changePerson(name: "a", input: { friends: { connect: ["b", "c", "a"] } })');
  await writing.changes();
  await writing.run('changePerson(name: "a", input: { friends: { disconnect: ["b"] } })');
  deepEqual(
    (await writing.changes()).map((change) => [change.key, change.links]),
    [
      ['a', { friends: { added: [], removed: ['b'] } }],
      ['b', { friendOf: { added: [], removed: ['a'] } }],
    ],
  );
  deepEqual(await replay(writing.feed), await contents(writing.model, store));
  await writing.run('deletePerson(name: "a")');
  deepEqual(await replay(writing.feed), await contents(writing.model, store));
});

const TAGGED = /* GraphQL */ `
  union Subject = Photo | Album
  type Photo {
    id: ID!
    name: String!
  }
  type Album {
    id: ID!
    title: String!
  }
  type Remark {
    id: ID!
    text: String!
    about: Subject @relation(onDelete: CASCADE)
  }
  type Pin {
    id: ID!
    about: Subject @relation(onDelete: SET_NULL)
  }
  type Query {
    Photo(id: ID!): Photo
    Album(id: ID!): Album
    Remark(id: ID!): Remark
    Pin(id: ID!): Pin
    subjects: [Subject!]!
  }
  type Mutation {
    addPhoto(name: String!): Photo!
    addAlbum(title: String!): Album!
    deletePhoto(id: ID!): Boolean!
    deleteAlbum(id: ID!): Boolean!
  }
`;

testOnStores(
  'deleting what a union leads to cascades and empties, and touches no object of another type with the same key',
  async (store) => {
    const writing = await openWriting(store, TAGGED);
    await writing.run('addPhoto(name: "p")');
    await writing.run('addAlbum(title: "a")');
    const insert = (table: string, columns: string, values: string): Promise<unknown> =>
      store.transaction((session) => session.prepare(`INSERT INTO ${table} (${columns}) VALUES (${values})`).run([]));
    await insert('remarks', 'text, about_type, about_key', `'x', 'Photo', '1'`);
    await insert('remarks', 'text, about_type, about_key', `'y', 'Album', '1'`);
    await insert('pins', 'about_type, about_key', `'Photo', '1'`);
    await writing.changes();
    await writing.run('deletePhoto(id: 1)');
    deepEqual(await writing.rows('SELECT text FROM remarks'), [['y']]);
    deepEqual(await writing.rows('SELECT about_type, about_key FROM pins'), [[null, null]]);
    deepEqual(
      (await writing.changes()).map((change) => [change.type, change.operation, change.before!['about'] ?? null]),
      [
        ['Pin', 'updated', { type: 'Photo', key: '1' }],
        ['Remark', 'deleted', { type: 'Photo', key: '1' }],
        ['Photo', 'deleted', null],
      ],
    );
  },
);

test('a mutation without a clear meaning is a start-up error with a remedy', () => {
  const base = 'type Item { id: ID! name: String! owner: String! } type Query { Item(id: ID!): Item } ';
  const cases: readonly (readonly [string, RegExp])[] = [
    ['addItem(name: String!): Item!', /cannot create objects of Item: the field "owner" is non-null, has no default/],
    ['addItem(name: String!, ownr: String!): Item!', /"ownr", which is no field of Item\. Did you mean "owner"/],
    ['frobItem(id: ID!): Item', /cannot be understood from its name and arguments/],
    ['updateItem(name: String): Item!', /updates an object of Item and does not say which/],
    ['deleteItem(id: ID!, name: String): Item', /deletes, and takes the key alone/],
    ['addItem(name: Int!, owner: String!): Item!', /"name"|no field/],
    ['countItems: Int!', /returns Int!, which is not a stored type/],
    ['updateItems(ids: [ID!]!, name: String): Item!', /writes several objects and returns one/],
  ];
  for (const [field, pattern] of cases) {
    let message = '';
    try {
      modelOf(`${base} type Mutation { ${field} }`);
    } catch (error) {
      message = (error as Error).message;
    }
    equal(pattern.test(message), true, `${field}: ${message}`);
  }
});

testOnStores('a required relation must be part of the input', async (store) => {
  const writing = await openWriting(
    store,
    `type Post { id: ID! title: String author: User! } type User { id: ID! name: String posts: [Post!]! }
     input PostInput { title: String author: UserLink! } input UserLink { connect: ID create: UserInput } input UserInput { name: String }
     type Query { post(id: ID!): Post user(id: ID!): User } type Mutation { createPost(input: PostInput!): Post! }`,
  );
  for (const none of ['{}', '{ connect: null }']) {
    await rejects(writing.run(`createPost(input: { author: ${none} })`), (error: ProductError) => {
      equal(error.code, 'GRAPH_INPUT_INVALID');
      return error.message.includes('"input.author" must say which User, or create one.');
    });
  }
  equal(await writing.run('createPost(input: { author: { create: { name: "a" } } })'), 1);
});
