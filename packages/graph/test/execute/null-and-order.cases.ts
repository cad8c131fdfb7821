// What null means in filters, and how enums sort, as docs/guide/graphql.md says: the same on both databases.
import { deepEqual, equal } from 'node:assert/strict';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  enum Mood { SAD GLAD ANGRY }
  type Note @entity { id: ID! mood: Mood rank: Int text: String tags: [String!] owner: Owner }
  type Owner @entity { login: ID! @id notes: [Note!]! }
  type Query {
    notes(where: NoteFilter, orderBy: [NoteOrder!]): [Note!]!
    byOne(orderBy: NoteOrder): [Note!]!
    pages(first: Int, after: String, orderBy: [NoteOrder!]): NoteConnection!
    owners(where: OwnerFilter): [Owner!]!
  }
  type Mutation { createNote(mood: Mood, rank: Int, text: String, tags: [String!], owner: ID): Note! createOwner(login: ID!): Owner! }`;

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  await graph.execute({
    query: `mutation {
      ann: createOwner(login: "ann") { login } bob: createOwner(login: "bob") { login }
      a: createNote(mood: GLAD, rank: 1, text: "a", tags: ["x"], owner: "ann") { id }
      b: createNote(mood: SAD, rank: 2, text: "b", tags: []) { id }
      c: createNote { id }
      d: createNote(mood: ANGRY, rank: 0, text: "d") { id }
    }`,
  });
  return graph;
}

// eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
async function ask(graph: Graph, query: string): Promise<any> {
  const { data, errors } = JSON.parse((await graph.execute({ query })).body) as { data: unknown; errors?: unknown };
  return errors === undefined ? data : JSON.stringify(errors);
}

/** Keys of the notes that a filter finds: 1 GLAD, 2 SAD, 3 without values, 4 ANGRY. */
const FILTERS: readonly (readonly [string, string])[] = [
  ['mood: { eq: GLAD }', '1'],
  ['mood: { in: [GLAD] }', '1'],
  ['mood: { ne: GLAD }', '2 3 4'],
  ['mood: { notIn: [GLAD] }', '2 3 4'],
  ['not: { mood: { eq: GLAD } }', '2 3 4'],
  ['not: { mood: { ne: GLAD } }', '1'],
  ['mood: { ne: GLAD, isNull: false }', '2 4'],
  ['mood: { eq: null }', '3'],
  ['mood: { isNull: true }', '3'],
  ['mood: { ne: null }', '1 2 4'],
  ['not: { mood: { eq: null } }', '1 2 4'],
  ['mood: { isNull: false }', '1 2 4'],
  ['mood: { in: [] }', ''],
  ['mood: { notIn: [] }', '1 2 3 4'],
  ['mood: { in: null }', '1 2 3 4'],
  ['mood: { notIn: null }', '1 2 3 4'],
  ['mood: null', '1 2 3 4'],
  ['mood: { }', '1 2 3 4'],
  ['not: null', '1 2 3 4'],
  ['not: { }', ''],
  ['rank: { gt: null }', '1 2 3 4'],
  ['rank: { gt: 0 }', '1 2'],
  ['not: { rank: { gt: 0 } }', '3 4'],
  ['rank: { lte: 0 }', '4'],
  ['text: { contains: "a" }', '1'],
  ['not: { text: { contains: "a" } }', '2 3 4'],
  ['tags: { has: "x" }', '1'],
  ['not: { tags: { has: "x" } }', '2 3 4'],
  ['tags: { ne: ["x"] }', '2 3 4'],
  ['tags: { eq: null }', '3 4'],
  ['owner: { login: { ne: "ann" } }', ''],
  ['not: { owner: { login: { eq: "ann" } } }', '2 3 4'],
  ['or: []', ''],
  ['and: []', '1 2 3 4'],
];

testOnStores('filters are two-valued: ne, notIn and not match rows without a value', async (store) => {
  const graph = await open(store);
  for (const [where, expected] of FILTERS) {
    const { notes } = await ask(graph, `{ notes(where: { ${where} }) { id } }`);
    deepEqual([where, notes.map(({ id }: { id: string }) => id).join(' ')], [where, expected]);
  }
  deepEqual(await ask(graph, '{ owners(where: { notes: { none: { mood: { eq: GLAD } } } }) { login } }'), {
    owners: [{ login: 'bob' }],
  });
});

testOnStores('enums sort by name, in lists and cursors', async (store) => {
  const graph = await open(store);
  const moods = async (order: string): Promise<unknown> =>
    (await ask(graph, `{ notes(orderBy: [{ mood: ${order} }]) { mood } }`)).notes.map(
      ({ mood }: { mood: string }) => mood,
    );
  deepEqual(await moods('ASC'), [null, 'ANGRY', 'GLAD', 'SAD']);
  deepEqual(await moods('DESC'), ['SAD', 'GLAD', 'ANGRY', null]);
  const page = async (after: string): Promise<{ nodes: unknown; pageInfo: { endCursor: string } }> =>
    (
      await ask(
        graph,
        `{ pages(first: 2, after: ${after}, orderBy: [{ mood: ASC }]) { nodes { mood } pageInfo { endCursor } } }`,
      )
    ).pages;
  const first = await page('null');
  const second = await page(JSON.stringify(first.pageInfo.endCursor));
  deepEqual(
    [first.nodes, second.nodes],
    [
      [{ mood: null }, { mood: 'ANGRY' }],
      [{ mood: 'GLAD' }, { mood: 'SAD' }],
    ],
  );
});

testOnStores('19.2 an order is written as an object or as a list of objects', async (store) => {
  const graph = await open(store);
  const ids = async (query: string, variables = {}): Promise<unknown> => {
    const { data, errors } = JSON.parse((await graph.execute({ query, variables })).body) as {
      data?: { list: readonly { readonly id: string }[] };
      errors?: unknown;
    };
    return errors ?? data!.list.map(({ id }) => id).join(' ');
  };
  const variable = 'query ($by: [NoteOrder!]) { list: notes(orderBy: $by) { id } }';
  deepEqual(await ids('{ list: notes(orderBy: { rank: DESC }) { id } }'), '2 1 4 3');
  deepEqual(await ids('{ list: notes(orderBy: [{ rank: DESC }]) { id } }'), '2 1 4 3');
  deepEqual(await ids(variable, { by: { rank: 'DESC' } }), '2 1 4 3');
  deepEqual(await ids(variable, { by: [{ rank: 'DESC' }] }), '2 1 4 3');
  const one = 'query ($by: NoteOrder) { list: byOne(orderBy: $by) { id } }';
  deepEqual(await ids(one, { by: { text: 'DESC' } }), '4 2 1 3');
  deepEqual(await ids(one), '1 2 3 4');
  const hint = 'Write a list with one step for each field, such as [{ title: DESC }, { id: ASC }].';
  const both = { rank: 'DESC', text: 'ASC' };
  for (const refused of [
    await ids('{ list: notes(orderBy: { rank: DESC, text: ASC }) { id } }'),
    await ids('{ list: notes(orderBy: [{ rank: DESC, text: ASC }]) { id } }'),
    await ids(variable, { by: [both] }),
    await ids(one, { by: both }),
  ])
    equal(JSON.stringify(refused).includes(`"hint":"${hint}"`), true);
});
