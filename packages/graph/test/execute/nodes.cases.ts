// Look-ups by global key: `node(id:)` and `nodes(ids:)`, on one stored type and on interfaces of several, alike on both databases.
import { deepEqual, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import {
  adviseOnRules,
  applyMigration,
  createGraph,
  openSqliteStore,
  readSchema,
  type Graph,
  type Store,
} from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  interface Node { id: ID! }
  type Note implements Node @entity { id: ID! title: String }
  type Author implements Node @entity { id: ID! @id name: String }
  type Draft implements Node @entity @auth(read: "owner == authentication.name") { id: ID! @id @default(value: "uuid") owner: String }
  type Query {
    node(id: ID!): Node
    nodes(ids: [ID]!): [Node]!
    notes(ids: [ID!]): [Note]
    found(ids: [ID!]!): [Note!]!
    paged(ids: [ID!]!, first: Int): [Note]!
  }
  type Mutation { createNote(title: String): Note! createAuthor(id: ID!, name: String): Author! createDraft(id: ID, owner: String): Draft! }`;

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  await graph.execute({
    query: `mutation { a: createNote(title: "a") { id } b: createNote(title: "b") { id }
      c: createAuthor(id: "ada", name: "Ada") { id } d: createAuthor(id: "007", name: "Bond") { id }
      e: createDraft(id: "6b1f0000-0000-4000-8000-000000000000", owner: "eve") { owner } }`,
  });
  return graph;
}

async function ask(graph: Graph, query: string, variables?: Record<string, unknown>): Promise<unknown> {
  const { data, errors } = JSON.parse((await graph.execute({ query, variables })).body) as {
    data: unknown;
    errors?: readonly { readonly extensions: { readonly code: string } }[];
  };
  return errors === undefined ? data : errors.map(({ extensions }) => extensions.code);
}

testOnStores('nodes(ids:) returns one entry per id, in order', async (store) => {
  const graph = await open(store);
  const ids = [
    'ada',
    '2',
    'nobody',
    '1',
    '2',
    '007',
    '7',
    '01',
    '',
    '\u0000',
    null,
    '6b1f0000-0000-4000-8000-000000000000',
  ];
  const selected = '{ __typename id ... on Note { title } ... on Author { name } }';
  const note = (id: string, title: string) => ({ __typename: 'Note', id, title });
  const author = (id: string, name: string) => ({ __typename: 'Author', id, name });
  const expected = {
    nodes: [
      author('ada', 'Ada'),
      note('2', 'b'),
      null,
      note('1', 'a'),
      note('2', 'b'),
      author('007', 'Bond'),
      null,
      null,
      null,
      null,
      null,
      null,
    ],
  };
  deepEqual(await ask(graph, `query ($ids: [ID]!) { nodes(ids: $ids) ${selected} }`, { ids }), expected);
  deepEqual(await ask(graph, `{ nodes(ids: "ada") { id } empty: nodes(ids: []) { id } }`), {
    nodes: [{ id: 'ada' }],
    empty: [],
  });
  deepEqual(await ask(graph, `{ node(id: "ada") { __typename } none: node(id: "x") { id } }`), {
    node: { __typename: 'Author' },
    none: null,
  });
});

testOnStores(
  'a list of one type whose elements may be null has a place for each key, any other is a filter',
  async (store) => {
    const graph = await open(store);
    deepEqual(
      await ask(
        graph,
        '{ notes(ids: ["2", "x", "9", "1", "2"]) { title } all: notes { id } none: notes(ids: null) { id } }',
      ),
      {
        notes: [{ title: 'b' }, null, null, { title: 'a' }, { title: 'b' }],
        all: [{ id: '1' }, { id: '2' }],
        none: [{ id: '1' }, { id: '2' }],
      },
    );
    deepEqual(
      await ask(graph, '{ found(ids: ["2", "x", "1", "2"]) { id } paged(ids: ["2", "1", "5"], first: 5) { id } }'),
      {
        found: [{ id: '1' }, { id: '2' }],
        paged: [{ id: '1' }, { id: '2' }],
      },
    );
  },
);

testOnStores('the page size limits the number of ids, repetitions included', async (store) => {
  const graph = await open(store);
  const query = 'query ($ids: [ID]!) { nodes(ids: $ids) { id } }';
  deepEqual(await ask(graph, query, { ids: Array.from({ length: 1001 }, () => '1') }), ['GRAPH_PAGE_TOO_LARGE']);
  match(JSON.stringify(await ask(graph, query, { ids: Array.from({ length: 1000 }, () => '1') })), /"id":"1"/);
});

testOnStores('look-ups by a key that several rows of a view have return one of them', async (store) => {
  await store.script(
    'CREATE TABLE visits (id integer, day integer); INSERT INTO visits VALUES (1, 7), (1, 7), (2, 8); CREATE VIEW v AS SELECT * FROM visits; CREATE VIEW w AS SELECT * FROM visits;',
  );
  const model = readSchema([
    {
      file: 'schema.graphql',
      text: `interface Visit { nodeId: ID! @nodeId day: Int }
        type V implements Visit @readOnly @entity(table: "v") { id: ID! @id nodeId: ID! day: Int }
        type W implements Visit @readOnly @entity(table: "w") { id: ID! @id nodeId: ID! day: Int }
        type Query { v(id: ID!): V vs(ids: [ID!]!): [V]! node(nodeId: ID!): Visit nodes(nodeIds: [ID!]!): [Visit]! all(first: Int): [Visit!]! }`,
    },
  ]);
  const graph = await createGraph({ model, store });
  const visit = { day: 7 };
  deepEqual(await ask(graph, '{ v(id: 1) { day } vs(ids: [1, 3]) { day } all(first: 2) { day } }'), {
    v: visit,
    vs: [visit, null],
    all: [visit, visit],
  });
  const nodeId = Buffer.from('W:1').toString('base64url');
  deepEqual(await ask(graph, `{ node(nodeId: "${nodeId}") { day } nodes(nodeIds: ["${nodeId}"]) { day } }`), {
    node: visit,
    nodes: [visit],
  });
});

const COUNTED =
  'interface Node { id: ID! } type A implements Node @entity { id: ID! } type B implements Node @entity { id: ID! }';
const read = (text: string): unknown => readSchema([{ file: 'schema.graphql', text }]);

test('a look-up by sequential keys of several types is a mistake', () => {
  throws(
    () => read(`${COUNTED} type Query { node(id: ID!): Node }`),
    /Query\.node looks up a Node by "id", and A and B have sequential keys from 1: a key that both have only ever finds the A\. Look up by a node id \(nodeId: ID! @nodeId .*use keys/,
  );
  throws(() => read(`${COUNTED} type Query { nodes(ids: [ID!]!): [Node]! }`), /Query\.nodes looks up a Node by "ids"/);
  throws(() => read(`${COUNTED} union Any = A | B type Query { any(id: ID): Any }`), /Query\.any looks up a Any/);
  // One of them counted, a filter that can name the type, a list that is filtered, or a resolver.
  read(
    `${COUNTED.replace('B implements Node @entity { id: ID! }', 'B implements Node @entity { id: ID! @id }')} type Query { node(id: ID!): Node }`,
  );
  read(`${COUNTED} type Query { node(id: ID!, where: NodeFilter): Node list(ids: [ID!]): [Node!]! }`);
  readSchema([{ file: 'schema.graphql', text: `${COUNTED} type Query { node(id: ID!): Node }` }], {
    resolvers: { Query: { node: () => null } },
  });
});

test('a look-up by keys that two types may share gets a warning, unless the keys are random', () => {
  const adviceOn = (key: string): readonly string[] =>
    adviseOnRules(
      readSchema([
        {
          file: 'schema.graphql',
          text: `interface Node { id: ID! } type A implements Node @entity { id: ID! ${key} } type B implements Node @entity { id: ID! ${key} }
            type Query { node(id: ID!): Node nodes(ids: [ID!]!): [Node]! all(ids: [ID!]): [Node!]! }`,
        },
      ]),
    ).map(({ message }) => message);
  deepEqual(adviceOn('@id @default(value: "uuid")'), []);
  deepEqual(
    adviceOn('@id'),
    ['node', 'nodes'].map(
      (name) =>
        `Query.${name} looks up a Node by its key, and A and B may have objects with the same key: then only that of A is found.`,
    ),
  );
});

test('nodes(ids:) works with resolvers', async () => {
  const resolvers = { Note: { shout: { needs: ['title'], resolve: ({ title }: { title: string }) => `${title}!` } } };
  const text = SCHEMA.replace('title: String }', 'title: String shout: String }');
  const store = await openSqliteStore({ file: ':memory:' });
  const model = readSchema([{ file: 'schema.graphql', text }], { resolvers });
  const graph = await createGraph({ model, store, resolvers });
  await graph.execute({ query: 'mutation { createNote(title: "a") { id } }' });
  deepEqual(await ask(graph, '{ nodes(ids: ["x", "1"]) { ... on Note { shout } } notes(ids: ["1", "x"]) { shout } }'), {
    nodes: [null, { shout: 'a!' }],
    notes: [{ shout: 'a!' }, null],
  });
  await store.close();
});
