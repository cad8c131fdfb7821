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
