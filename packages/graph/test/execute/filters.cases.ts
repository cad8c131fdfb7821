// Filters of lists, of embedded objects and of texts without regard to case: the same rows on both databases.
import { deepEqual, match } from 'node:assert/strict';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar DateTime scalar BigInt
  enum Hue { RED GREEN BLUE }
  type Spot { x: Int label: String on: Boolean ratio: Float seen: DateTime count: BigInt hue: Hue tags: [String] inner: Spot }
  type Thing @entity {
    id: ID! name: String tags: [String] hues: [Hue!] sizes: [Int!] ratios: [Float!] flags: [Boolean!] times: [DateTime!] counts: [BigInt!]
    spot: Spot spots: [Spot] owner: Owner
  }
  type Owner @entity { login: ID! @id things: [Thing!]! }
  type Query { things(where: ThingFilter): [Thing!]! owners(where: OwnerFilter): [Owner!]! }
  input SpotInput { x: Int label: String on: Boolean ratio: Float seen: DateTime count: BigInt hue: Hue tags: [String] inner: SpotInput }
  input ThingInput {
    name: String tags: [String] hues: [Hue!] sizes: [Int!] ratios: [Float!] flags: [Boolean!] times: [DateTime!] counts: [BigInt!]
    spot: SpotInput spots: [SpotInput] owner: ID
  }
  type Mutation { createThing(input: ThingInput!): Thing! createOwner(login: ID!): Owner! }`;

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  return createGraph({ model, store });
}

async function write(graph: Graph, things: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  for (const input of things) {
    const { body } = await graph.execute({
      query: 'mutation ($input: ThingInput!) { createThing(input: $input) { id } }',
      variables: { input },
    });
    match(body, /^\{"data":\{"createThing"/);
  }
}

/** Keys of the things that satisfy a filter: once as it is written, once as a variable. */
async function found(graph: Graph, where: string, value?: unknown): Promise<readonly number[]> {
  const query = value === undefined ? `{ things(where: ${where}) { id } }` : VARIABLE;
  const { body } = await graph.execute({ query, variables: value === undefined ? {} : { where: value } });
  const answer = JSON.parse(body) as { data: { things: readonly { id: string }[] }; errors?: unknown };
  deepEqual(answer.errors, undefined, body);
  return answer.data.things.map(({ id }) => Number(id));
}

const VARIABLE = 'query ($where: ThingFilter) { things(where: $where) { id } }';

testOnStores('list filters: element, some, every, equal, null', async (store) => {
  const graph = await open(store);
  await write(graph, [
    {
      tags: ['a', 'b'],
      hues: ['RED'],
      sizes: [1, 2],
      ratios: [0.5, 2],
      flags: [true],
      counts: ['9223372036854775807', 3],
    },
    { tags: ['b', 'a', null], hues: ['RED', 'GREEN'], sizes: [], times: ['2020-01-01T00:00:00Z'] },
    { tags: [], hues: [], flags: [false, true], ratios: [1e21] },
    { tags: null, sizes: [2] },
    { tags: ['1', 'é"\\', 'ab'], counts: [] },
  ]);
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ['{ tags: { has: "a" } }', [1, 2]],
    ['{ tags: { has: "é\\"\\\\" } }', [5]],
    ['{ tags: { has: "A" } }', []],
    ['{ tags: { has: "\\u0000" } }', []],
    ['{ tags: { hasSome: ["a", "1", "\\u0000"] } }', [1, 2, 5]],
    ['{ tags: { hasSome: [] } }', []],
    ['{ tags: { hasEvery: ["b", "a", "a"] } }', [1, 2]],
    ['{ tags: { hasEvery: ["a", "\\u0000"] } }', []],
    ['{ tags: { hasEvery: [] } }', [1, 2, 3, 5]],
    ['{ tags: { eq: ["a", "b"] } }', [1]],
    ['{ tags: { eq: ["b", "a", null] } }', [2]],
    ['{ tags: { eq: "a" } }', []],
    ['{ tags: { eq: [] } }', [3]],
    ['{ tags: { ne: ["a", "b"] } }', [2, 3, 4, 5]],
    ['{ tags: { eq: null } }', [4]],
    ['{ tags: { ne: null, isEmpty: false } }', [1, 2, 5]],
    ['{ tags: { isEmpty: true } }', [3]],
    ['{ tags: { isNull: true } }', [4]],
    ['{ not: { tags: { has: "a" } } }', [3, 4, 5]],
    ['{ not: { tags: { hasEvery: [] } } }', [4]],
    ['{ hues: { has: GREEN } }', [2]],
    ['{ hues: { hasEvery: [GREEN, RED] } }', [2]],
    ['{ hues: { eq: [RED] } }', [1]],
    ['{ sizes: { hasSome: [2, 7] } }', [1, 4]],
    ['{ sizes: { eq: [1, 2] } }', [1]],
    ['{ ratios: { has: 2 } }', [1]],
    ['{ ratios: { hasSome: [0.5, 1e21] } }', [1, 3]],
    ['{ flags: { has: false } }', [3]],
    ['{ flags: { eq: [true] } }', [1]],
    ['{ times: { has: "2020-01-01T01:00:00+01:00" } }', [2]],
    ['{ counts: { has: "9223372036854775807" } }', [1]],
    ['{ counts: { hasEvery: [3] } }', [1]],
    ['{ counts: { isEmpty: true } }', [5]],
    ['{ or: [{ tags: { has: "1" } }, { sizes: { has: 2 } }] }', [1, 4, 5]],
  ];
  for (const [where, expected] of cases) deepEqual(await found(graph, where), expected, where);
  deepEqual(await found(graph, '', { tags: { has: 'a', isEmpty: false } }), [1, 2]);
  deepEqual(await found(graph, '', { tags: { has: '1' } }), [5]);
  deepEqual(await found(graph, '', { hues: { hasSome: ['GREEN'] } }), [2]);
  graph.feed.close();
});

testOnStores('embedded objects are filtered by their fields, at any depth', async (store) => {
  const graph = await open(store);
  const seen = '2020-01-01T00:00:00.000Z';
  await write(graph, [
    { spot: { x: 1, label: 'Ann', on: true, ratio: 0.5, seen, count: '9223372036854775807', hue: 'RED', tags: ['a'] } },
    { spot: { x: 2, label: null, on: false, inner: { x: 5, tags: [], inner: { label: 'deep' } } }, spots: [] },
    { spot: null, spots: [{ x: 1, hue: 'RED' }, { x: 2, hue: 'BLUE' }, null] },
    { spot: {}, spots: [{ x: 2 }] },
  ]);
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ['{ spot: { x: { gt: 1 } } }', [2]],
    ['{ spot: { x: { in: [1, 2] } } }', [1, 2]],
    ['{ spot: { x: { notIn: [1] } } }', [2, 3, 4]],
    ['{ spot: { x: { eq: 1 }, label: { eq: "Ann" } } }', [1]],
    ['{ spot: { label: { containsInsensitive: "NN" } } }', [1]],
    ['{ spot: { label: { lt: "B" } } }', [1]],
    ['{ spot: { label: { isNull: true } } }', [2, 3, 4]],
    ['{ spot: { isNull: true } }', [3]],
    ['{ spot: { isNull: false, x: { eq: null } } }', [4]],
    ['{ spot: { on: { eq: true } } }', [1]],
    ['{ spot: { on: { ne: true } } }', [2, 3, 4]],
    ['{ spot: { ratio: { lte: 0.5 } } }', [1]],
    ['{ spot: { seen: { eq: "2020-01-01T01:00:00+01:00" } } }', [1]],
    ['{ spot: { seen: { gt: "2019-12-31T23:59:59Z" } } }', [1]],
    ['{ spot: { count: { gte: "9223372036854775806" } } }', [1]],
    ['{ spot: { hue: { in: [RED, BLUE] } } }', [1]],
    ['{ spot: { tags: { has: "a" } } }', [1]],
    ['{ spot: { inner: { x: { eq: 5 }, tags: { isEmpty: true } } } }', [2]],
    ['{ spot: { inner: { inner: { label: { startsWith: "de" } } } } }', [2]],
    ['{ spot: { not: { x: { eq: 1 } } } }', [2, 3, 4]],
    ['{ spot: { or: [{ x: { eq: 1 } }, { inner: { isNull: false } }] } }', [1, 2]],
    ['{ spots: { any: { x: { eq: 2 }, hue: { eq: BLUE } } } }', [3]],
    ['{ spots: { any: { isNull: true } } }', [3]],
    ['{ spots: { all: { x: { eq: 2 } } } }', [1, 2, 4]],
    ['{ spots: { none: { x: { eq: 2 } } } }', [1, 2]],
    ['{ spots: { none: { x: { eq: 2 } }, isNull: false } }', [2]],
    ['{ spots: { isEmpty: true } }', [2]],
  ];
  for (const [where, expected] of cases) deepEqual(await found(graph, where), expected, where);
  deepEqual(await found(graph, '', { spot: { x: { gt: 1 }, inner: { x: { eq: 5 } } } }), [2]);
  graph.feed.close();
});

testOnStores('case-insensitive filters work in every script', async (store) => {
  const graph = await open(store);
  const names = [
    'Straße',
    'STRASSE',
    'ÅNGSTRÖM',
    'Σίσυφος',
    'ΣΊΣΥΦΟΣ',
    'Привет',
    'ǅ',
    'kelvin',
    'Istanbul',
    'İzmir',
    'ırmak',
    'ﬃ',
    '𐐨',
    'a.c',
    'ab\nC',
    '',
    '100%_',
  ];
  await write(graph, [...names.map((name) => ({ name })), { name: null }]);
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['eqInsensitive', 'STRAẞE', ['Straße']],
    ['eqInsensitive', 'strasse', ['STRASSE']],
    ['startsWithInsensitive', 'ångs', ['ÅNGSTRÖM']],
    ['eqInsensitive', 'σίσυφοσ', ['Σίσυφος', 'ΣΊΣΥΦΟΣ']],
    ['containsInsensitive', 'ПРИВ', ['Привет']],
    ['eqInsensitive', 'ǆ', ['ǅ']],
    ['startsWithInsensitive', '\u212A', ['kelvin']],
    ['startsWithInsensitive', 'i', ['Istanbul']],
    ['startsWithInsensitive', 'İ', ['İzmir']],
    ['startsWithInsensitive', 'I', ['Istanbul']],
    ['eqInsensitive', 'ﬃ', ['ﬃ']],
    ['eqInsensitive', '𐐀', ['𐐨']],
    ['eqInsensitive', 'A.C', ['a.c']],
    ['eqInsensitive', 'a*c', []],
    ['endsWithInsensitive', 'C', ['a.c', 'ab\nC']],
    ['endsWithInsensitive', 'B', []],
    ['endsWithInsensitive', '%_', ['100%_']],
    ['eqInsensitive', '', ['']],
    ['containsInsensitive', '', names],
    ['containsInsensitive', '\0', []],
    ['containsInsensitive', '(?i)[a]{1}|x/y^$\\d', []],
  ];
  for (const [operator, text, expected] of cases) {
    const keys = await found(graph, '', { name: { [operator]: text } });
    deepEqual(
      keys.map((key) => names[key - 1]),
      expected,
      `${operator} ${text}`,
    );
    deepEqual(
      await found(graph, '', { not: { name: { [operator]: text } } }).then((others) => others.length),
      18 - keys.length,
    );
  }
  const tooLong = await graph.execute({
    query: VARIABLE,
    variables: { where: { name: { containsInsensitive: 'é'.repeat(1001) } } },
  });
  match(tooLong.body, /where\.name\.containsInsensitive.*1001 characters.*at most 1000.*GRAPH_PATTERN_TOO_LONG/);
  deepEqual(await found(graph, '', { name: { containsInsensitive: 'é'.repeat(1000) } }), []);
  graph.feed.close();
});
