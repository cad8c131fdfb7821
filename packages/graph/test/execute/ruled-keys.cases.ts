// A key field with a read rule: a reference does not stand for the key of its target, whose own row decides.
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  type User @entity {
    login: ID! @id @auth(read: "open or hasRole('ADMIN')", denied: ERROR)
    open: Boolean!
    name: String
    boss: User
    shout: String
  }
  type Photo @entity { id: ID! open: Boolean! owner: User tagged: [User!]! }
  enum PhotoField { owner id }
  type Query {
    photos(owner: ID, sortBy: PhotoField, where: PhotoFilter, orderBy: [PhotoOrder!]): [Photo!]!
    users(where: UserFilter): [User!]!
    named(logins: [ID!]!): [User]!
    groups(groupBy: PhotoGroupBy): [PhotoGroup!]!
  }
  input UserInput { login: ID! open: Boolean! name: String boss: ID }
  type Mutation {
    createUsers(input: [UserInput!]!): [User!]!
    createPhoto(open: Boolean!, owner: ID, tagged: [ID!]): Photo!
    updatePhoto(id: ID!, owner: ID, open: Boolean): Photo!
    updateUser(login: ID!, name: String, open: Boolean): User!
    deleteUser(login: ID!): User
  }
  type Subscription { photoChanged(owner: ID): Photo! }`;
const resolvers = { User: { shout: { needs: ['name'], resolve: () => 'x' } } };
const ROOT = createPrincipal('root', ['ROLE_ADMIN']);

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }], { resolvers });
  await applyMigration(model, store);
  const graph = await createGraph({ model, store, resolvers });
  const made = await graph.execute(
    {
      query: `mutation {
        s: createUsers(input: [{ login: "secret", open: false, name: "s" }]) { open }
        p: createUsers(input: [{ login: "pub", open: true, name: "p", boss: "secret" }]) { open }
        a: createPhoto(open: true, owner: "secret", tagged: ["secret", "pub"]) { id }
        b: createPhoto(open: true, owner: "pub") { id }
      }`,
    },
    { principal: ROOT },
  );
  equal(made.body.includes('errors'), false, made.body);
  return graph;
}

/** The data, and the codes of the errors. */
async function ask(graph: Graph, query: string): Promise<readonly unknown[]> {
  const { body } = await graph.execute({ query }, {});
  equal(body.includes('"secret"'), false, `${query}: ${body}`);
  const { data, errors = [] } = JSON.parse(body) as {
    data: unknown;
    errors?: readonly { readonly extensions: { readonly code: string } }[];
  };
  return [data, ...errors.map(({ extensions }) => extensions.code)];
}

testOnStores('a reference does not show the key of a row that withholds it', async (store) => {
  const graph = await open(store);
  const forbidden = 'GRAPH_FIELD_FORBIDDEN';
  for (const fields of ['login', '__typename login', 'login shout'])
    deepEqual((await ask(graph, `{ photos { id open owner { ${fields} } } }`)).slice(1), [forbidden], fields);
  const own = [{ photos: [{ owner: null }, { owner: { login: 'pub' } }] }, forbidden];
  deepEqual(await ask(graph, '{ photos { owner { login } } }'), own);
  deepEqual((await ask(graph, '{ photos { tagged { login } } }')).slice(1), [forbidden]);
  deepEqual((await ask(graph, '{ users(where: { name: { eq: "p" } }) { boss { login } } }')).slice(1), [forbidden]);
  deepEqual(await ask(graph, '{ groups(groupBy: { owner: { login: true } }) { keys { owner { login } } count } }'), [
    {
      groups: [
        { keys: { owner: { login: null } }, count: 1 },
        { keys: { owner: { login: 'pub' } }, count: 1 },
      ],
    },
  ]);
  deepEqual((await ask(graph, 'mutation { updatePhoto(id: 1, open: false) { owner { login } } }')).slice(1), [
    forbidden,
  ]);
});

testOnStores('a withheld key finds nothing: arguments, filters, orders, look-ups', async (store) => {
  const graph = await open(store);
  for (const argument of ['owner: "secret"', 'where: { owner: { login: { eq: "secret" } } }'])
    deepEqual(await ask(graph, `{ photos(${argument}) { id } }`), [{ photos: [] }], argument);
  deepEqual(await ask(graph, '{ photos(owner: "pub") { id } }'), [{ photos: [{ id: '2' }] }]);
  // Nulls are smallest: "secret" would be last.
  const sorted = [{ photos: [{ id: '1' }, { id: '2' }] }];
  deepEqual(await ask(graph, '{ photos(sortBy: owner) { id } }'), sorted);
  deepEqual(await ask(graph, '{ photos(orderBy: [{ owner: { login: ASC } }]) { id } }'), sorted);
  deepEqual(await ask(graph, '{ named(logins: ["secret", "pub"]) { name } }'), [{ named: [null, { name: 'p' }] }]);
});

testOnStores('a mutation finds no row by a withheld key, nor refers to one', async (store) => {
  const graph = await open(store);
  for (const field of [
    'updateUser(login: "#", name: "x") { open }',
    'deleteUser(login: "#") { open }',
    'createPhoto(open: true, owner: "#") { id }',
    'createPhoto(open: true, tagged: ["#"]) { id }',
    'updatePhoto(id: 2, owner: "#") { id }',
  ]) {
    const answers = await Promise.all(
      ['secret', 'absent'].map(async (key) => {
        const { body } = await graph.execute({ query: `mutation { ${field.replace('#', key)} }` }, {});
        return body.replaceAll(key, '#');
      }),
    );
    equal(answers[0], answers[1], field);
  }
  deepEqual((await ask(graph, '{ users(where: { open: { eq: false } }) { name } }'))[0], { users: [{ name: 's' }] });
});

test('cursors of a type whose key has a read rule are a mistake of the schema', () => {
  const read = (fields: string, query: string) => (): unknown =>
    readSchema([
      {
        file: 'schema.graphql',
        text: `interface Named { name: String } type User implements Named @entity { ${fields} open: Boolean! name: String photos: [Photo!]! }
          type Photo @entity { id: ID! owner: User } ${query}`,
      },
    ]);
  const key = 'login: ID! @id @auth(read: "open")';
  const root = 'type Query { users(first: Int, after: String): UserConnection! }';
  throws(read(key, root), /Cursors of Query\.users show keys of User, and User\.login has a read rule\./);
  const form =
    'type Query { photo(id: ID!): Photo } extend type Photo { many: [User!]! manyPages(first: Int): UserConnection! @relation(sameAs: "many") }';
  throws(read(key, form), /Cursors of Photo\.manyPages show keys of User/);
  const abstract = 'type Query { all(first: Int, after: String): NamedConnection! }';
  throws(read(key, abstract), /Cursors of Query\.all show keys of User/);
  read(key, 'type Query { users: [User!]! }')();
  read('login: ID! @id', root)();
});

test('a key of several fields shows none that has another read rule', () => {
  const read = (key: string) => (): unknown =>
    readSchema([
      {
        file: 'schema.graphql',
        text: `type Line @entity(table: "lines") @unmanaged { id: ID! @id(fields: ["part", "n"]) ${key} part: String! @auth(read: "open") n: Int! open: Boolean! }
          type Query { lines: [Line!]! }`,
      },
    ]);
  throws(read(''), /The key Line\.id shows Line\.part, which has a read rule\./);
  read('@auth(read: "open")')();
});

testOnStores('a subscription finds no event by a withheld key', async (store) => {
  const graph = await open(store);
  for (const [owner, photo, finds] of [
    ['secret', '1', false],
    ['pub', '2', true],
  ] as const) {
    const prepared = graph.subscription({ query: `subscription { photoChanged(owner: "${owner}") { id } }` }, {});
    if ('body' in prepared) throw new Error(prepared.body);
    deepEqual([prepared.hidesKeys('User'), prepared.hidesKeys('Photo')], [true, false]);
    equal(await prepared.matches(photo), finds, owner);
  }
});

testOnStores('a message does not name a withheld key', async (store) => {
  const text = `type Box @entity { id: ID! items: [Item!]! @relation(inverse: "box") }
    type Item @entity { code: ID! @id @auth(read: "open") open: Boolean! box: Box! @relation(inverse: "items") }
    type Query { boxes: [Box!]! }
    input ItemsInput { set: [ID!] }
    input ItemInput { code: ID! open: Boolean! }
    type Mutation { createBox(items: [ItemInput!]): Box! updateBox(id: ID!, items: ItemsInput): Box! }`;
  const model = readSchema([{ file: 'schema.graphql', text }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  await graph.execute({ query: 'mutation { createBox(items: [{ code: "secret", open: false }]) { id } }' });
  const { body } = await graph.execute({ query: 'mutation { updateBox(id: 1, items: { set: [] }) { id } }' });
  match(body, /cannot let go of one Item, whose/);
});
