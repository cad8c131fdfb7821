// How deeply an operation may nest: both databases answer the same ones and refuse the same ones, by the same code, before
// anything runs. The depths are those that SQLite follows.
import { deepEqual, match } from 'node:assert/strict';
import { createGraph, DEFAULT_LIMITS, readSchema } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  union Item = A | B
  type In { x: Int ins: [In] }
  type A @entity {
    id: ID! bs: [B!]! @relation(inverse: "a") one: B @relation(inverse: "ones") items: [Item!]! any: Item
    pages(first: Int = 3): BConnection! @relation(inverse: "pa") many: [B!]! @relation(inverse: "manies") in: In
  }
  type B @entity {
    id: ID! a: A ones: [A!]! items: [Item!]! any: Item pa: A back(first: Int = 3): AConnection! @relation(inverse: "pb") manies: [A!]!
  }
  extend type A { pb: B }
  type Query { as(where: AFilter, orderBy: [AOrder!]): [A!]! items: [Item!]! }`;

/** A shape of so many levels, and the most of them that are answered. */
const SHAPES: Readonly<Record<string, readonly [number, (levels: number) => string]>> = {
  'lists of lists': [11, (n) => `{ as { ${'bs { ones { '.repeat(n)} id ${'} } '.repeat(n)} } }`],
  'objects of objects': [11, (n) => `{ as { ${'one { a { '.repeat(n)} id ${'} } '.repeat(n)} } }`],
  'many to many': [11, (n) => `{ as { ${'many { manies { '.repeat(n)} id ${'} } '.repeat(n)} } }`],
  connections: [
    11,
    (n) =>
      `{ as { ${'pages { totalCount edges { cursor node { back { nodes { '.repeat(n)} id ${'} } } } } '.repeat(n)} } }`,
  ],
  'lists of unions': [10, (n) => `{ items { ${'... on A { items { '.repeat(n)} __typename ${'} } '.repeat(n)} } }`],
  'orders by related objects': [
    20,
    (n) => `{ as(orderBy: [${'{ one: { a: '.repeat(n)} { id: ASC } ${'} }'.repeat(n)}]) { id } }`,
  ],
  // PostgreSQL would plan each level twice.
  'filters of all related objects': [
    10,
    (n) =>
      `{ as(where: ${'{ bs: { all: { ones: { all: '.repeat(n)} { id: { eq: "1" } } ${'} } } }'.repeat(n)}) { id } }`,
  ],
  'filters of embedded lists': [
    37,
    (n) => `{ as(where: { in: ${'{ ins: { any: '.repeat(n)} { x: { eq: 3 } } ${'} }'.repeat(n)} }) { id } }`,
  ],
};

testOnStores('the nesting limit is the same on both databases', async (store) => {
  const limits = { ...DEFAULT_LIMITS, depth: 200, nesting: 400, cost: Number.MAX_VALUE };
  const graph = await createGraph({ model: readSchema([{ file: 's.graphql', text: SCHEMA }]), store, limits });
  for (const [name, [deepest, shape]] of Object.entries(SHAPES)) {
    const { body } = await graph.execute({ query: shape(deepest) });
    deepEqual(Object.values((JSON.parse(body) as { data: object }).data), [[]], `${name}: ${body}`);
    match((await graph.execute({ query: shape(deepest + 1) })).body, /GRAPH_TOO_INVOLVED/, name);
  }
  graph.feed.close();
});
