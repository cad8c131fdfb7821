// Filters of JSON values by path: the same rows on both databases.
import { deepEqual, match } from 'node:assert/strict';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar JSON
  type Shot { meta: JSON }
  type Photo @entity { id: ID! meta: JSON shot: Shot shots: [Shot] }
  input ShotInput { meta: JSON }
  input PhotoInput { meta: JSON shot: ShotInput shots: [ShotInput] }
  type Query { photos(where: PhotoFilter): [Photo!]! }
  type Mutation { createPhoto(input: PhotoInput!): Photo! deletePhotos(where: PhotoFilter!): Int! }`;

async function open(store: Store, photos: readonly Readonly<Record<string, unknown>>[]): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  for (const input of photos) {
    const { body } = await graph.execute({
      query: 'mutation ($input: PhotoInput!) { createPhoto(input: $input) { id } }',
      variables: { input },
    });
    match(body, /^\{"data":\{"createPhoto"/);
  }
  return graph;
}

/** Keys of the photos that satisfy a filter, which is sent as a variable. The others satisfy its opposite. */
async function found(graph: Graph, where: unknown): Promise<readonly number[]> {
  const query = `query ($where: PhotoFilter, $not: PhotoFilter) {
    found: photos(where: $where) { id } others: photos(where: $not) { id } all: photos { id } }`;
  const { body } = await graph.execute({ query, variables: { where, not: { not: where } } });
  type Answer = Readonly<Record<'found' | 'others' | 'all', readonly { readonly id: string }[]>>;
  const { data, errors } = JSON.parse(body) as { data: Answer; errors?: unknown };
  deepEqual(errors, undefined, body);
  const keys = data.found.map(({ id }) => id);
  deepEqual(
    data.others.map(({ id }) => id),
    data.all.map(({ id }) => id).filter((id) => !keys.includes(id)),
    JSON.stringify(where),
  );
  return keys.map(Number);
}

const METAS: readonly unknown[] = [
  { iso: 400, camera: { name: 'Straße', lens: null }, tags: ['a', 1, { x: 1, y: 2 }], '0': 'zero' },
  { iso: '400', camera: { name: 'B' }, tags: [], deep: [[1, 2], [3]] },
  { iso: 400.5, camera: [{ name: 'first' }, { name: 'last' }], 'a"b\\c.$': true },
  [10, 'ten', null, false],
  'text',
  7,
  false,
  null,
  { iso: 1e21, '': 'empty', __proto__x: 1, tags: 'a', 𐐀: 1, '\ud7ff': 2 },
  { iso: -0.1, camera: { name: '𐐀' }, flag: true },
  { iso: 9007199254740991, camera: { name: '\uffff' }, flag: false },
];

testOnStores('JSON is filtered by path, with the same rules for types, null and what is missing', async (store) => {
  const graph = await open(
    store,
    METAS.map((meta) => ({ meta })),
  );
  const iso = ['iso'];
  const name = ['camera', 'name'];
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, readonly number[]])[] = [
    [{ path: iso, eq: 400 }, [1]],
    [{ path: iso, eq: 400.0 }, [1]],
    [{ path: iso, eq: '400' }, [2]],
    [{ path: iso, ne: 400 }, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
    [{ path: iso, in: [400, '400', 1e21] }, [1, 2, 9]],
    [{ path: iso, notIn: [400, '400', 1e21] }, [3, 4, 5, 6, 7, 8, 10, 11]],
    [{ path: iso, in: [] }, []],
    [{ path: iso, gt: 400 }, [3, 9, 11]],
    [{ path: iso, gte: 400, lt: 1e21 }, [1, 3, 11]],
    [{ path: iso, lt: 0 }, [10]],
    [{ path: iso, lte: '400' }, [2]],
    [{ path: iso, gt: '' }, [2]],
    [{ path: iso, gt: 9007199254740990 }, [9, 11]],
    [{ path: iso, isNull: true }, [4, 5, 6, 7, 8]],
    [{ path: iso, exists: true, isNull: false }, [1, 2, 3, 9, 10, 11]],
    [{ path: ['camera', 'lens'], exists: true }, [1]],
    [{ path: ['camera', 'lens'], isNull: true, exists: true }, [1]],
    [{ path: ['camera', 'lens'], eq: null }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
    [{ path: ['camera', 'lens'], ne: null }, []],
    [{ path: ['camera'], eq: { lens: null, name: 'Straße' } }, [1]],
    [{ path: ['camera'], eq: { name: 'Straße' } }, []],
    // By code point: the first of these is smaller in UTF-16.
    [{ path: name, gt: '\uffff' }, [10]],
    [{ path: name, lte: 'B' }, [2]],
    [{ path: name, contains: 'aß' }, [1]],
    [{ path: name, startsWith: '' }, [1, 2, 10, 11]],
    [{ path: name, endsWithInsensitive: 'STRAẞE' }, [1]],
    [{ path: ['camera', '0', 'name'], eq: 'first' }, [3]],
    [{ path: ['camera', '-1', 'name'], eq: 'last' }, [3]],
    [{ path: ['camera', '2', 'name'], exists: true }, []],
    [{ path: ['camera', ' 1', 'name'], exists: true }, [3]],
    [{ path: ['camera', '1 ', 'name'], exists: true }, []],
    [{ path: ['camera', '99999999999', 'name'], exists: true }, []],
    [{ path: ['0'], eq: 'zero' }, [1]],
    [{ path: ['0'], eq: 10 }, [4]],
    [{ path: ['2'], exists: true }, [4]],
    [{ path: [''], eq: 'empty' }, [9]],
    [{ path: ['a"b\\c.$'], eq: true }, [3]],
    [{ path: ['__proto__x'], exists: true }, [9]],
    [{ path: ['__proto__'], exists: true }, []],
    [{ path: ['toString'], exists: true }, []],
    [{ path: ["'; DROP TABLE photos; --"], exists: true }, []],
    [{ path: ['𐐀'], eq: 1 }, [9]],
    [{ path: ['length'], exists: true }, []],
    [{ path: ['deep', '0', '1'], eq: 2 }, [2]],
    [{ path: ['deep'], eq: [[1, 2], [3]] }, [2]],
    [{ path: ['deep'], has: [3] }, [2]],
    [{ path: ['tags'], has: 'a' }, [1]],
    [{ path: ['tags'], has: '1' }, []],
    [{ path: ['tags'], has: { y: 2, x: 1 } }, [1]],
    [{ path: ['tags'], has: { x: 1 } }, []],
    [{ path: ['tags'], has: '\0' }, []],
    [{ path: ['tags'], hasSome: [5, 1] }, [1]],
    [{ path: ['tags'], hasSome: [] }, []],
    [{ path: ['tags'], hasEvery: ['a', 1, 'a'] }, [1]],
    [{ path: ['tags'], hasEvery: ['a', '\0'] }, []],
    [{ path: ['tags'], hasEvery: [] }, [1, 2]],
    [{ path: ['flag'], eq: false }, [11]],
    [{ path: ['flag'], ne: false, exists: true }, [10]],
    [{ eq: 'text' }, [5]],
    [{ eq: 7 }, [6]],
    [{ path: [], gte: 7 }, [6]],
    [{ contains: 'ex' }, [5]],
    [{ eq: [10, 'ten', null, false] }, [4]],
    [{ eq: '\ud800' }, []],
    [{ isNull: true }, [8]],
    [{ ne: null, path: null }, [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]],
    [{ has: 'ten' }, [4]],
    [{ path: iso }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  ];
  for (const [filter, expected] of cases)
    deepEqual(await found(graph, { meta: filter }), expected, JSON.stringify(filter));
  const { body } = await graph.execute({
    query: '{ photos(where: { meta: { path: ["camera", "lens"], exists: true } }) { id } }',
  });
  deepEqual(body, '{"data":{"photos":[{"id":"1"}]}}');
  graph.feed.close();
});

testOnStores('JSON in embedded objects, and in lists of them, is filtered by path', async (store) => {
  const graph = await open(store, [
    { shot: { meta: { a: 'x' } }, shots: [{ meta: 'plain' }, { meta: { a: 1 } }] },
    { shot: { meta: 'x' }, shots: [{ meta: null }] },
    { shot: { meta: null } },
    {},
  ]);
  deepEqual(await found(graph, { shot: { meta: { path: ['a'], eq: 'x' } } }), [1]);
  deepEqual(await found(graph, { shot: { meta: { eq: 'x' } } }), [2]);
  deepEqual(await found(graph, { shot: { meta: { isNull: true } } }), [3, 4]);
  deepEqual(await found(graph, { shots: { any: { meta: { path: ['a'], gt: 0 } } } }), [1]);
  deepEqual(await found(graph, { shots: { any: { meta: { startsWith: 'pl' } } } }), [1]);
  graph.feed.close();
});

testOnStores(
  'a filter of JSON says which value cannot be compared, and asks for a condition before it deletes',
  async (store) => {
    const graph = await open(store, [{ meta: { a: 1 } }, { meta: {} }]);
    const ask = async (query: string, variables = {}): Promise<string> =>
      (await graph.execute({ query, variables })).body;
    const photos = 'query ($where: PhotoFilter) { photos(where: $where) { id } }';
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [{ path: ['a'], lt: true }, /where\.meta\.lt\\" is neither number nor text.*GRAPH_VALUE_INVALID/],
      [{ gt: { a: 1 } }, /is neither number nor text/],
      [{ gt: '\0' }, /U\+0000.*GRAPH_VALUE_INVALID/],
      [{ path: ['\0'], eq: 1 }, /where\.meta\.path\\" holds the character U\+0000.*GRAPH_VALUE_INVALID/],
    ];
    for (const [meta, message] of wrong) match(await ask(photos, { where: { meta } }), message);
    const remove = 'mutation ($where: PhotoFilter!) { deletePhotos(where: $where) }';
    match(await ask(remove, { where: { meta: { path: ['a'] } } }), /where\.meta\\" is empty.*GRAPH_INPUT_INVALID/);
    match(await ask(remove, { where: { meta: { path: ['a'], eq: {} } } }), /"deletePhotos":0/);
    match(await ask(remove, { where: { meta: { path: ['a'], in: [{}, 1] } } }), /"deletePhotos":1/);
    match(await ask(remove, { where: { meta: { eq: {} } } }), /"deletePhotos":1/);
    graph.feed.close();
  },
);

testOnStores('numbers in JSON of others are compared with all their digits', async (store) => {
  const graph = await open(store, [{ meta: 0 }, { meta: 0 }, { meta: 0 }]);
  const texts = [
    '{"n": 12345678901234567890}',
    '{"n": 12345678901234567891, "n2": 0.1000000000000000055}',
    '{"n": 1.0}',
  ];
  for (const [index, text] of texts.entries())
    await store.prepare(`UPDATE photos SET meta = '${text}' WHERE id = ${index + 1}`).run([]);
  deepEqual(await found(graph, { meta: { path: ['n'], gte: 12345678901234567000 } }), [1, 2]);
  deepEqual(await found(graph, { meta: { path: ['n'], lt: 1e300 } }), [1, 2, 3]);
  deepEqual(await found(graph, { meta: { path: ['n2'], eq: 0.1 } }), []);
  deepEqual(await found(graph, { meta: { path: ['n2'], gt: 0.1 } }), [2]);
  deepEqual(await found(graph, { meta: { path: ['n'], eq: 1 } }), [3]);
  graph.feed.close();
});
