// Search over tables that a team already has: in another schema, with keys of the database, beside our own tables.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { createGraph, managedCopy, openPostgresStore, readSchema } from '@lockstitch/graph';
import { ANONYMOUS, createPrincipal } from '@lockstitch/kernel';

import { checkNoninterference } from '../../src/noninterference/check-noninterference.ts';
import { freshDatabase } from '../fresh-database.ts';
import { startApp } from '../start-app.ts';

const SCHEMA = `
  scalar UUID
  scalar LocalDateTime
  scalar Decimal
  type Customer @entity(table: "shop.Customers") @unmanaged { id: UUID! @id @default(value: "database") @column(name: "ID") @search name: String! @column(name: "Full Name") @search orders: [Order!]! }
  type Order @entity(table: "shop.orders") @unmanaged @auth(read: "owner == authentication.name") {
    id: ID! @search owner: String @default(value: "database") @search customer: Customer @column(name: "cust") @search
    placed: LocalDateTime @default(value: "database") @search total: Decimal @search doubled: Decimal @readOnly @search
    tags: [Tag!]! @relation(table: "shop.order_tags", from: "ord", to: "tag") @search(embed: true)
  }
  type Tag @entity(table: "shop.tags") @unmanaged { id: ID! @search label: String! @search orders: [Order!]! }
  type Query { orders(orderBy: [OrderOrder!]): [Order!]! customers: [Customer!]! }
  type Mutation {
    createOrder(owner: String, customer: UUID, total: Decimal, tags: [ID!]): Order updateOrder(id: ID!, total: Decimal): Order
    createCustomer(name: String!): Customer! updateCustomer(id: UUID!, name: String!): Customer createTag(label: String!): Tag! updateTag(id: ID!, label: String!): Tag
  }`;
const TABLES = `
  CREATE SCHEMA shop;
  CREATE TABLE shop."Customers" ("ID" uuid PRIMARY KEY DEFAULT gen_random_uuid(), "Full Name" varchar(40) NOT NULL);
  CREATE TABLE shop.orders (id serial PRIMARY KEY, owner text DEFAULT 'user', cust uuid REFERENCES shop."Customers", placed timestamp NOT NULL DEFAULT '2020-02-29 10:00', total numeric(10,2), doubled numeric GENERATED ALWAYS AS (total * 2) STORED);
  CREATE TABLE shop.tags (id smallserial PRIMARY KEY, label text NOT NULL);
  CREATE TABLE shop.order_tags (ord integer REFERENCES shop.orders, tag smallint REFERENCES shop.tags, PRIMARY KEY (ord, tag));
  INSERT INTO shop."Customers" VALUES ('00000000-0000-0000-0000-00000000000a', 'Ada');
  INSERT INTO shop.orders (cust, total) VALUES ('00000000-0000-0000-0000-00000000000a', 1.50);
  INSERT INTO shop.orders (owner, total) VALUES ('somebody', 7)`;

test('2 search and graph show the same of unmanaged tables, before and after writes', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const store = await openPostgresStore({ url });
  await store.script(TABLES);
  await store.close();
  const { app, call, graph } = await startApp(context, { schema: SCHEMA, config: { database: { url } } });
  const search = async (q: string): Promise<unknown[]> => {
    const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
    const got = await call(`/orders/_search?q=${q}&sort=placed:asc`, { headers });
    equal(got.status, 200, got.text);
    return got.json.hits.hits.map((hit: { _source: unknown }) => hit._source);
  };
  const first = {
    id: '1',
    owner: 'user',
    customer: { id: '00000000-0000-0000-0000-00000000000a', name: 'Ada' },
    placed: '2020-02-29T10:00:00',
    total: '1.5',
    doubled: '3',
    tags: [],
  };
  deepEqual(await search('*'), [first]);
  const { createCustomer, createTag } = await graph(
    'mutation { createCustomer(name: "Bob") { id } createTag(label: "red") { id } }',
  );
  const { createOrder } = await graph(
    `mutation { createOrder(customer: "${createCustomer.id}", total: "2.25", tags: ["${createTag.id}"]) { id owner placed doubled customer { name } tags { label } } }`,
  );
  deepEqual(createOrder, {
    id: '3',
    owner: 'user',
    placed: '2020-02-29T10:00:00',
    doubled: '4.5',
    customer: { name: 'Bob' },
    tags: [{ label: 'red' }],
  });
  await graph(
    `mutation { updateCustomer(id: "${createCustomer.id}", name: "Bobby") { id } updateTag(id: "${createTag.id}", label: "blue") { id } updateOrder(id: 3, total: "5") { doubled } }`,
  );
  deepEqual(await search('customer.name:bobby'), [
    {
      id: '3',
      owner: 'user',
      customer: { id: createCustomer.id, name: 'Bobby' },
      placed: '2020-02-29T10:00:00',
      total: '5',
      doubled: '10',
      tags: [{ id: createTag.id, label: 'blue' }],
    },
  ]);
  deepEqual(await search('owner:somebody'), []);
  deepEqual(await graph('{ orders(orderBy: [{ id: ASC }]) { id } }'), { orders: [{ id: '1' }, { id: '3' }] });
  deepEqual(
    await app.graph.store.prepare(`SELECT 'lockstitch.lockstitch_feed'::regclass::text`).text([]),
    'lockstitch_feed',
  );
});

test('a change reaches the documents of owners whose keys the database pads or encodes', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const store = await openPostgresStore({ url });
  await store.script(`
    CREATE TABLE colours (code char(5) PRIMARY KEY, name text NOT NULL);
    CREATE TABLE items (code char(5) PRIMARY KEY, colour char(5) REFERENCES colours);
    CREATE TABLE item_colours (item char(5) REFERENCES items, colour char(5) REFERENCES colours, PRIMARY KEY (item, colour));
    INSERT INTO colours VALUES ('R', 'red'); INSERT INTO items VALUES ('AB', 'R'), ('CD', NULL); INSERT INTO item_colours VALUES ('CD', 'R')`);
  await store.close();
  const schema = `
    type Colour @entity(table: "colours") @unmanaged { code: ID! @id name: String! @search }
    type Item @entity(table: "items") @unmanaged {
      code: ID! @id @search colour: Colour @column(name: "colour") @search
      others: [Colour!]! @relation(table: "item_colours", from: "item", to: "colour") @search(embed: true)
    }
    type Query { items: [Item!]! }
    type Mutation { updateColour(code: ID!, name: String!): Colour }`;
  const { app, call, graph } = await startApp(context, { schema, config: { database: { url } } });
  const search = async (q: string): Promise<unknown[]> => {
    const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
    const got = await call(`/items/_search?q=${q}`, { headers });
    equal(got.status, 200, got.text);
    return got.json.hits.hits.map((hit: { _id: string }) => hit._id);
  };
  deepEqual(await search('colour.name:red'), ['AB']);
  deepEqual(await search('others.name:red'), ['CD']);
  await graph('mutation { updateColour(code: "R", name: "dark") { code } }');
  deepEqual(await search('colour.name:dark'), ['AB']);
  deepEqual(await search('others.name:dark'), ['CD']);
  deepEqual(await search('colour.name:red%20OR%20others.name:red'), []);
});

test('1.1 no request distinguishes states of unmanaged tables that differ only in hidden data', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const store = await openPostgresStore({ url });
  try {
    await store.script(TABLES);
    const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
    const graph = await createGraph({ model, store });
    const result = await checkNoninterference({
      ...managedCopy(graph.model, store),
      store,
      principals: [createPrincipal('user'), ANONYMOUS],
      cases: 80,
      seed: 7,
    });
    equal(result.interference, undefined);
    ok(result.changed > 0);
    graph.feed.close();
  } finally {
    await store.close();
  }
});
