// What of a mutation with several root fields is kept when one of them fails, as docs/guide/graphql.md says: the same on both databases,
// and whether graphql-js completes the answer or not.
import { deepEqual } from 'node:assert/strict';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  type Note @entity { id: ID! @id text: String }
  type Query { notes: [Note!]! }
  type Mutation {
    add(id: ID!, text: String): Note!
    tryAdd(id: ID!, text: String): Note
    addAll(input: [NoteInput!]!): [Note!]
    note(id: ID!): String
  }
  input NoteInput { id: ID!, text: String }`;
const resolvers = { Mutation: { note: () => 'noted' } };

async function open(store: Store): Promise<Graph> {
  const text = SCHEMA.replace('add(id', 'createNote(id')
    .replace('tryAdd(id', 'addNote(id')
    .replace('addAll(', 'createNotes(');
  const model = readSchema([{ file: 'schema.graphql', text }], { resolvers });
  await applyMigration(model, store);
  return createGraph({ model, store, resolvers });
}

async function ask(
  graph: Graph,
  query: string,
): Promise<{ readonly data: unknown; readonly failed: readonly unknown[] }> {
  const { data, errors = [] } = JSON.parse((await graph.execute({ query })).body) as {
    data?: unknown;
    errors?: readonly { readonly path?: unknown; readonly extensions: { readonly code: string } }[];
  };
  return { data, failed: errors.map(({ path, extensions }) => [path, extensions.code]) };
}

async function kept(graph: Graph): Promise<string> {
  const { data } = await ask(graph, '{ notes { id } }');
  return (data as { notes: readonly { id: string }[] }).notes.map(({ id }) => id).join(' ');
}

for (const [how, also] of [
  ['compiled', ''],
  ['with a field of TypeScript', 'z: note(id: "z")'],
] as const) {
  testOnStores(`each root field is a transaction: one that fails undoes none before it (${how})`, async (store) => {
    const graph = await open(store);
    const more = also === '' ? {} : { z: 'noted' };
    // Nullable: the fields behind it run, too.
    deepEqual(
      await ask(
        graph,
        `mutation { a: addNote(id: "a") { id } b: addNote(id: "a") { id } c: addNote(id: "c") { id } ${also} }`,
      ),
      {
        data: { a: { id: 'a' }, b: null, c: { id: 'c' }, ...more },
        failed: [[['b'], 'GRAPH_NOT_UNIQUE']],
      },
    );
    deepEqual(await kept(graph), 'a c');
    // Non-null: data is null, later fields are not started, and earlier writes stay.
    deepEqual(
      await ask(
        graph,
        `mutation { d: createNote(id: "d") { id } e: createNote(id: "a") { id } f: createNote(id: "f") { id } ${also} }`,
      ),
      {
        data: null,
        failed: [[['e'], 'GRAPH_NOT_UNIQUE']],
      },
    );
    deepEqual(await kept(graph), 'a c d');
    // One field is written completely or not at all.
    deepEqual(
      (await ask(graph, `mutation { g: createNotes(input: [{ id: "g" }, { id: "a" }]) { id } ${also} }`)).data,
      { g: null, ...more },
    );
    deepEqual(await kept(graph), 'a c d');
    // What is refused before it runs changes nothing.
    deepEqual(
      (await ask(graph, `mutation { h: createNote(id: "h") { id } i: createNote(id: "i") { nope } ${also} }`)).data,
      undefined,
    );
    deepEqual(await kept(graph), 'a c d');
  });
}
