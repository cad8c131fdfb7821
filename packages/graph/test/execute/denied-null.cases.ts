// @auth(denied: NULL): a withheld value is null without an error, in statements, in graphql-js and in events.
import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const RULE = 'read: "owner == authentication.name"';
const SCHEMA = `
  type Note @entity {
    id: ID! @id
    owner: String!
    text: String @auth(${RULE}, denied: NULL)
    secret: String @auth(${RULE}, denied: ERROR)
    shout: String
    tags: [Tag!] @auth(${RULE}, denied: NULL)
    tagCount: Int @relation(sameAs: "tags")
    tagPages(first: Int = 1): TagConnection! @relation(sameAs: "tags")
  }
  type Tag @entity { word: ID! @id notes: [Note!]! }
  type Query { notes(where: NoteFilter, orderBy: [NoteOrder!]): [Note!]! }
  type Mutation { createNote(id: ID!, owner: String!, text: String, secret: String, tags: [ID!]): Note! createTag(word: ID!): Tag! }
  type Subscription { noteChanged: Note! }`;
const resolvers = {
  Note: { shout: { needs: ['id'], resolve: ({ id }: { readonly id: string }) => id.toUpperCase() } },
};
const ANN = createPrincipal('ann');
const BOB = createPrincipal('bob');

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }], { resolvers });
  await applyMigration(model, store);
  const graph = await createGraph({ model, store, resolvers });
  await ask(
    graph,
    'mutation { createTag(word: "t") { word } createNote(id: "a", owner: "ann", text: "x", secret: "y", tags: ["t"]) { id } }',
    ANN,
  );
  return graph;
}

async function ask(graph: Graph, query: string, principal: Principal): Promise<unknown> {
  const { data, errors } = JSON.parse((await graph.execute({ query }, { principal })).body) as {
    data: unknown;
    errors?: readonly { readonly path?: readonly unknown[]; readonly extensions: { readonly code: string } }[];
  };
  return errors === undefined
    ? data
    : [data, errors.map(({ path, extensions }) => `${extensions.code} ${path?.at(-1) as string}`)];
}

testOnStores('19.2 a withheld value with denied: NULL is null without an error', async (store) => {
  const graph = await open(store);
  const fields = 'id text tags { word } tagCount';
  deepEqual(await ask(graph, `{ notes { ${fields} } }`, ANN), {
    notes: [{ id: 'a', text: 'x', tags: [{ word: 't' }], tagCount: 1 }],
  });
  const none = { id: 'a', text: null, tags: null, tagCount: null };
  deepEqual(await ask(graph, `{ notes { ${fields} } }`, BOB), { notes: [none] });
  // A field of TypeScript is answered by graphql-js.
  deepEqual(await ask(graph, `{ notes { ${fields} shout } }`, BOB), { notes: [{ ...none, shout: 'A' }] });
  deepEqual(await ask(graph, '{ notes(where: { text: { eq: "x" } }) { id } }', BOB), { notes: [] });
  deepEqual(await ask(graph, '{ notes { text secret } }', BOB), [
    { notes: [{ text: null, secret: null }] },
    ['GRAPH_FIELD_FORBIDDEN secret'],
  ]);
  // A form that cannot be null is an error as before.
  deepEqual(await ask(graph, '{ notes { tagPages { totalCount } } }', BOB), [null, ['GRAPH_FIELD_FORBIDDEN tagPages']]);
});

test('19.2 denied: NULL where a value cannot be null is a mistake of the schema', () => {
  const mistake = (field: string, message: RegExp): void =>
    throws(
      () =>
        readSchema([{ file: 'schema.graphql', text: `type A @entity { id: ID! ${field} } type Query { as: [A!]! }` }]),
      message,
    );
  mistake('x: Int! @auth(read: "denyAll", denied: NULL)', /denied: NULL\) of A.x can never be null.*Remove the "!"/s);
  mistake('x: Int @auth(denied: NULL)', /denied: NULL\) of A.x has no read rule/);
  throws(
    () =>
      readSchema([
        {
          file: 's.graphql',
          text: 'type A @entity @auth(read: "denyAll", denied: NULL) { id: ID! } type Query { as: [A!]! }',
        },
      ]),
    /@auth\(denied:\) of A is for fields/,
  );
});
