// Decimals and enums at the search's door: documents hold all digits, numbers are compared and sorted as numbers, enums by name, and
// read rules over decimals hide the same rows as in the graph.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import type { RuleInput } from '@lockstitch/graph';

import { readInputs } from '../../src/policy/document-inputs.ts';
import { startApp } from '../start-app.ts';

const SCHEMA = `
  scalar Decimal
  enum Priority { LOW MEDIUM HIGH }
  type Item @entity @auth(read: "price < 1000 or price in {5000, 7000.5} or price == principal.limit") {
    id: ID! price: Decimal @search priority: Priority @search total: Decimal
  }
  type Query { items(orderBy: [ItemOrder!]): [Item!]! }
  type Mutation { createItem(price: Decimal, priority: Priority): Item }
  type Subscription { itemCreated(price: Decimal): Item! }`;
const RESOLVERS =
  "export default { Item: { total: { needs: ['price'], resolve: ({ price }) => (price === null ? null : price + '0') } } };";
const PRICES = ['100', '9.5', '10.25', '2000', '7000.50', '0.12345678901234567890', null];

test('search compares and sorts decimals as numbers and enums by name, and shows the same values as GraphQL', async (context) => {
  const user = { username: 'user', password: 'correct horse', attributes: { limit: '424242' } };
  const { app, call, graph } = await startApp(context, {
    schema: SCHEMA,
    config: { passwordEncoder: 'noop', users: [user] },
    files: { 'resolvers.mjs': RESOLVERS },
  });
  const subscribed = await app.graph.subscribe({
    query: 'subscription { itemCreated(price: "10.250") { price total } }',
  });
  const priorities = ['LOW', 'MEDIUM', 'HIGH'];
  for (const [index, price] of PRICES.entries())
    await graph(
      `mutation { createItem(price: ${JSON.stringify(price)}, priority: ${priorities[index % 3]!}) { price } }`,
    );
  const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
  const search = async (json: object): Promise<unknown[]> => {
    const got = await call('/items/_search', { json, headers });
    equal(got.status, 200, got.text);
    return got.json.hits.hits.map((hit: { _source: { price: unknown } }) => hit._source.price);
  };
  const sorted = ['0.1234567890123456789', '9.5', '10.25', '100', '7000.5'];
  deepEqual(await search({ sort: [{ price: 'asc' }], query: { exists: { field: 'price' } } }), sorted);
  deepEqual(await search({ query: { range: { price: { gt: 9.5, lte: '100' } } }, sort: [{ price: 'desc' }] }), [
    '100',
    '10.25',
  ]);
  deepEqual(await search({ query: { term: { price: '10.250' } } }), ['10.25']);
  const { items } = (await graph('{ items(orderBy: [{ price: ASC }]) { price total } }')) as {
    items: { price: string; total: string }[];
  };
  deepEqual(
    items.map(({ price }) => price),
    sorted,
  );
  deepEqual(items[2], { price: '10.25', total: '10.25' });
  const { json } = await call('/items/_search', { json: { sort: [{ priority: 'asc' }, { price: 'asc' }] }, headers });
  deepEqual(
    json.hits.hits.map((hit: { _source: { priority: string } }) => hit._source.priority),
    ['HIGH', 'HIGH', 'LOW', 'MEDIUM', 'MEDIUM'],
  );
  equal(subscribed.kind, 'events');
  if (subscribed.kind !== 'events') return;
  const first = await subscribed.events.next();
  deepEqual(JSON.parse((first.value as { body: string }).body), {
    data: { itemCreated: { price: '10.25', total: '10.25' } },
  });
  await subscribed.events.return?.();
});

test('1.1 a number that is no Decimal satisfies no order in the index: PostgreSQL keeps NaN and longer ones', () => {
  const input = { name: 'r0', kind: 'decimal' } as RuleInput;
  const kept = (value: string): unknown => readInputs([input], JSON.stringify({ r0: value }));
  deepEqual(kept('10.25'), { r0: 'pfacbacf 10.25' });
  // As texts they would come before all decimals, where `price < principal.limit` is true.
  for (const value of ['NaN', 'Infinity', '-Infinity', '9'.repeat(101)]) deepEqual(kept(value), {}, value);
});
