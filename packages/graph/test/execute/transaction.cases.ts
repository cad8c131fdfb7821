// A mutation with @transaction: all of its root fields are written, or none.
import { deepEqual, equal } from 'node:assert/strict';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  type Note @entity { id: ID! @id text: String by: Author secret: String! @auth(read: "denyAll") }
  type Author @entity { login: ID! @id notes: [Note!]! }
  type Query { notes: [Note!]! authors: [Author!]! }
  type Mutation {
    createAuthor(login: ID!): Author!
    addNote(id: ID!, text: String, by: ID, secret: String!): Note
    deleteNote(id: ID!): Note
    shout: String
  }`;
const resolvers = { Mutation: { shout: () => 'loud' } };

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }], { resolvers });
  await applyMigration(model, store);
  return createGraph({ model, store, resolvers });
}

async function ask(graph: Graph, query: string, variables = {}): Promise<unknown> {
  const { data, errors } = JSON.parse((await graph.execute({ query, variables })).body) as {
    data?: unknown;
    errors?: readonly { readonly path?: unknown; readonly extensions: { readonly code: string } }[];
  };
  return errors === undefined ? data : [data, errors.map(({ path, extensions }) => [path, extensions.code])];
}

const KEPT = '{ authors { login } notes { id } }';

testOnStores('19.2 a mutation with @transaction writes all of its fields, which see each other', async (store) => {
  const graph = await open(store);
  const before = await graph.feed.head();
  deepEqual(
    await ask(
      graph,
      `mutation ($t: String) @transaction {
        createAuthor(login: "ann") { login }
        a: addNote(id: "a", text: $t, by: "ann", secret: "s") { id by { login } }
        b: addNote(id: "b", secret: "s") { id }
        deleteNote(id: "b") { id }
      }`,
      { t: 'x' },
    ),
    { createAuthor: { login: 'ann' }, a: { id: 'a', by: { login: 'ann' } }, b: { id: 'b' }, deleteNote: { id: 'b' } },
  );
  deepEqual(await ask(graph, KEPT), { authors: [{ login: 'ann' }], notes: [{ id: 'a' }] });
  const changes = await graph.feed.read(before);
  deepEqual(
    changes.map(({ type, operation }) => `${type} ${operation}`),
    ['Author created', 'Note created', 'Note created', 'Note deleted'],
  );
});

testOnStores('19.2 a mutation with @transaction writes nothing if one of its fields fails', async (store) => {
  const graph = await open(store);
  await ask(graph, 'mutation { addNote(id: "old", secret: "s") { id } }');
  const failing = (last: string): string =>
    `mutation @transaction { createAuthor(login: "ann") { login } n: addNote(id: "n", by: "ann", secret: "s") { id } ${last} c: addNote(id: "c", secret: "s") { id } }`;
  const notUnique = [null, [[['x'], 'GRAPH_NOT_UNIQUE']]];
  deepEqual(await ask(graph, failing('x: addNote(id: "old", secret: "s") { id }')), notUnique);
  deepEqual(await ask(graph, failing('x: addNote(id: "", secret: "s") { id }')), [
    null,
    [[['x'], 'GRAPH_INPUT_INVALID']],
  ]);
  deepEqual(await ask(graph, failing('x: addNote(id: "x", by: "nobody", secret: "s") { id }')), [
    null,
    [[['x'], 'GRAPH_NOT_FOUND']],
  ]);
  // What graphql-js would have to complete before the next field.
  deepEqual(await ask(graph, failing('x: addNote(id: "x", secret: "s") { secret }')), [
    null,
    [[['x'], 'GRAPH_TRANSACTION_IMPOSSIBLE']],
  ]);
  deepEqual(await ask(graph, failing('shout')), [undefined, [[undefined, 'GRAPH_TRANSACTION_IMPOSSIBLE']]]);
  const { body } = await graph.execute({
    query: 'mutation @transaction {\n  deleteNote(id: "z") { id }\n  a: shout\n}',
  });
  deepEqual(JSON.parse(body), {
    errors: [
      {
        message: 'The mutation cannot be one transaction: shout has a resolver. Nothing was written.',
        locations: [{ line: 3, column: 3 }],
        extensions: {
          code: 'GRAPH_TRANSACTION_IMPOSSIBLE',
          hint: 'Send these fields in a mutation without @transaction.',
        },
      },
    ],
  });
  deepEqual(await ask(graph, KEPT), { authors: [], notes: [{ id: 'old' }] });
  // A later mutation is not affected.
  deepEqual(await ask(graph, 'mutation @transaction { addNote(id: "new", secret: "s") { id } }'), {
    addNote: { id: 'new' },
  });
  equal(JSON.stringify(await ask(graph, 'query @transaction { notes { id } }')).includes('GRAPH_VALIDATION'), true);
});

testOnStores(
  '19.2 what the database checks at the commit is an error of the client, with @transaction too',
  async (store) => {
    const isPostgres = store.dialect === 'postgres';
    const tables = [
      'CREATE TABLE teams (id integer PRIMARY KEY)',
      'CREATE TABLE people (id integer PRIMARY KEY, team integer REFERENCES teams DEFERRABLE INITIALLY DEFERRED)',
      ...(isPostgres
        ? [
            `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id > 9 THEN RAISE EXCEPTION 'secret'; END IF; RETURN NULL; END $$`,
            'CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON people DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()',
          ]
        : []),
    ];
    await store.transaction(async (session) => {
      for (const sql of tables) await session.prepare(sql).run([]);
    });
    const text = `
    type Person @entity(table: "people") @unmanaged { id: Int! @id team: Int }
    type Query { people: [Person!]! }
    type Mutation { createPerson(id: Int!, team: Int): Person }`;
    const graph = await createGraph({ model: readSchema([{ file: 'schema.graphql', text }]), store });
    const codes = async (query: string): Promise<unknown> => {
      const { errors } = JSON.parse((await graph.execute({ query })).body) as {
        errors: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
      };
      return errors.map(({ extensions }) => extensions.code);
    };
    deepEqual(await codes('mutation { createPerson(id: 1, team: 9) { id } }'), ['GRAPH_CONSTRAINT']);
    deepEqual(await codes('mutation @transaction { createPerson(id: 1, team: 9) { id } }'), ['GRAPH_CONSTRAINT']);
    if (isPostgres) {
      deepEqual(await codes('mutation { createPerson(id: 10) { id } }'), ['GRAPH_CHECK_FAILED']);
      deepEqual(await codes('mutation @transaction { createPerson(id: 10) { id } }'), ['GRAPH_CHECK_FAILED']);
    }
    deepEqual(await ask(graph, '{ people { id } }'), { people: [] });
  },
);
