// Aggregates of interfaces and unions: the objects of all their types, under the rules of each.
import { deepEqual, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar DateTime scalar Decimal
  enum Kind { SALE GIFT }
  interface Entry { id: ID! kind: Kind amount: Int at: DateTime shop: Shop price: Decimal }
  type Invoice implements Entry @entity @auth(read: "open or hasRole('ADMIN')") {
    id: ID! kind: Kind amount: Int at: DateTime shop: Shop price: Decimal open: Boolean number: String book: Book
  }
  type Receipt implements Entry @entity {
    id: ID! @id kind: Kind @column(name: "sort") amount: Int @auth(read: "hasRole('ADMIN')") at: DateTime shop: Shop price: Decimal book: Book
  }
  type Shop @entity { id: ID! city: String }
  type Book @entity { id: ID! entries: [Entry!]! entryTotals(where: EntryFilter): EntryAggregates! entryGroups(groupBy: EntryGroupBy!): [EntryGroup!]! }
  union Thing = Shop | Invoice
  input InvoiceInput { kind: Kind amount: Int at: DateTime shop: ID price: Decimal open: Boolean number: String }
  input ReceiptInput { id: ID! kind: Kind amount: Int at: DateTime shop: ID price: Decimal }
  input EntryKey @oneOf { Invoice: ID Receipt: ID }
  type Query {
    totals(where: EntryFilter): EntryAggregates!
    groups(groupBy: EntryGroupBy!, where: EntryFilter, having: EntryHaving, orderBy: [EntryGroupOrder!], first: Int, start: Int, timeZone: String): [EntryGroup!]!
    things(where: ThingFilter): ThingAggregates!
    books: [Book!]!
  }
  type Mutation {
    createShop(city: String): Shop! createInvoices(input: [InvoiceInput!]!): [Invoice]! createReceipts(input: [ReceiptInput!]!): [Receipt]!
    createBook(entries: [EntryKey!]): Book!
  }`;

const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);

// eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
async function ask(graph: Graph, query: string, principal?: Principal): Promise<any> {
  const { body } = await graph.execute({ query }, principal === undefined ? {} : { principal });
  const { data, errors } = JSON.parse(body) as { readonly data: unknown; readonly errors?: unknown };
  return errors === undefined ? data : errors;
}

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  await ask(
    graph,
    `mutation { a: createShop(city: "Oslo") { id } b: createShop(city: "Rome") { id }
      createInvoices(input: [
        { kind: SALE, amount: 10, price: "1.5", at: "2026-01-31T23:30:00Z", shop: "1", open: true, number: "i1" }
        { kind: GIFT, amount: 20, price: "2", at: "2026-02-01T12:00:00Z", shop: "2", open: true }
        { kind: SALE, amount: 40, price: "1000000000000000000000.25", at: "2026-02-02T12:00:00Z", open: false }
      ]) { id }
      createReceipts(input: [
        { id: "r1", kind: SALE, amount: 100, price: "0.25", at: "2026-02-03T00:00:00Z", shop: "1" }
        { id: "2", amount: 200, price: "2.0", at: "2026-01-01T00:00:00Z" }
      ]) { id }
    }`,
    ADMIN,
  );
  return graph;
}

testOnStores('19.2 aggregates of an interface are those of the objects of all its types', async (store) => {
  const graph = await open(store);
  const all =
    '{ totals { count countDistinct { id kind price } sum { amount price } avg { amount } min { id amount at } max { amount price kind } } }';
  deepEqual(await ask(graph, all, ADMIN), {
    totals: {
      count: 5,
      // The invoice 2 and the receipt "2" have keys that are the same text.
      countDistinct: { id: 4, kind: 2, price: 4 },
      sum: { amount: 370, price: '1000000000000000000006' },
      avg: { amount: 74 },
      min: { id: '1', amount: 10, at: '2026-01-01T00:00:00.000Z' },
      max: { amount: 200, price: '1000000000000000000000.25', kind: 'SALE' },
    },
  });
  // One invoice is hidden, and the amounts of receipts are withheld.
  deepEqual(await ask(graph, all), {
    totals: {
      count: 4,
      countDistinct: { id: 3, kind: 2, price: 3 },
      sum: { amount: 30, price: '5.75' },
      avg: { amount: 15 },
      min: { id: '1', amount: 10, at: '2026-01-01T00:00:00.000Z' },
      max: { amount: 20, price: '2', kind: 'SALE' },
    },
  });
  const narrow =
    '{ a: totals(where: { kind: { eq: SALE } }) { count } b: totals(where: { Invoice: { number: { eq: "i1" } } }) { count sum { amount } } c: totals(where: { amount: { gte: 100 } }) { count } }';
  deepEqual(await ask(graph, narrow), { a: { count: 2 }, b: { count: 1, sum: { amount: 10 } }, c: { count: 0 } });
  deepEqual(await ask(graph, '{ things { count } }'), { things: { count: 4 } });
  graph.feed.close();
});

testOnStores('19.2 groups of an interface have keys that all its types have', async (store) => {
  const graph = await open(store);
  const groups = async (args: string, fields: string, principal?: Principal): Promise<unknown> =>
    (await ask(graph, `{ groups(${args}) { ${fields} } }`, principal)).groups;
  deepEqual(await groups('groupBy: { kind: true }', 'keys { kind } count sum { amount }', ADMIN), [
    { keys: { kind: null }, count: 1, sum: { amount: 200 } },
    { keys: { kind: 'GIFT' }, count: 1, sum: { amount: 20 } },
    { keys: { kind: 'SALE' }, count: 3, sum: { amount: 150 } },
  ]);
  const byMonth =
    'groupBy: { at: [MONTH], shop: { city: true } }, timeZone: "Europe/Berlin", orderBy: [{ count: DESC }]';
  deepEqual(await groups(byMonth, 'keys { at shop { city } } count'), [
    { keys: { at: '2026-02', shop: { city: 'Oslo' } }, count: 2 },
    { keys: { at: '2026-01', shop: { city: null } }, count: 1 },
    { keys: { at: '2026-02', shop: { city: 'Rome' } }, count: 1 },
  ]);
  // A withheld amount forms no group of its own.
  deepEqual(await groups('groupBy: { amount: true }', 'keys { amount } count'), [
    { keys: { amount: null }, count: 2 },
    { keys: { amount: 10 }, count: 1 },
    { keys: { amount: 20 }, count: 1 },
  ]);
  deepEqual(
    await groups(
      'groupBy: { id: true }, orderBy: [{ keys: { id: DESC } }], first: 2, having: { count: { gte: 1 } }',
      'keys { id } count',
    ),
    [
      { keys: { id: 'r1' }, count: 1 },
      { keys: { id: '2' }, count: 2 },
    ],
  );
  graph.feed.close();
});

testOnStores('19.2 the objects of a relation to an interface have aggregates, too', async (store) => {
  const graph = await open(store);
  await ask(
    graph,
    'mutation { createBook(entries: [{ Invoice: "1" }, { Invoice: "3" }, { Receipt: "r1" }]) { id } }',
    ADMIN,
  );
  const books =
    '{ books { entryTotals { count sum { amount } } entryGroups(groupBy: { kind: true }) { keys { kind } count } } }';
  deepEqual(await ask(graph, books, ADMIN), {
    books: [{ entryTotals: { count: 3, sum: { amount: 150 } }, entryGroups: [{ keys: { kind: 'SALE' }, count: 3 }] }],
  });
  deepEqual(await ask(graph, books), {
    books: [{ entryTotals: { count: 2, sum: { amount: 10 } }, entryGroups: [{ keys: { kind: 'SALE' }, count: 2 }] }],
  });
  graph.feed.close();
});

test('19.2 types without a common field are not grouped, and the mistake says so', () => {
  const text = `type A @entity { id: ID! x: Int } type B @entity { key: ID! @id y: Int } union Any = A | B
    type Query { groups(groupBy: AnyGroupBy!): [AnyGroup!]! a: AnyAggregates! }`;
  try {
    readSchema([{ file: 'schema.graphql', text }]);
  } catch (error) {
    match(`${String(error)} ${JSON.stringify(error)}`, /types of Any have no field in common/);
  }
});
