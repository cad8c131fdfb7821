// Search over tables that a team already has: in another schema, with keys of the database, beside our own tables.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { createGraph, managedCopy, openPostgresStore, openSqliteStore, readSchema } from '@lockstitch/graph';
import { ANONYMOUS, createPrincipal } from '@lockstitch/kernel';

import { checkNoninterference } from '../../src/noninterference/check-noninterference.ts';
import { freshDatabase } from '../fresh-database.ts';
import { startApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

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

/** Documents of two tenants: keys and references of several columns, and a join table of them. */
const TENANTS = `
  CREATE TABLE users (tenant varchar(9) NOT NULL, id integer NOT NULL, name varchar(20) NOT NULL, PRIMARY KEY (tenant, id));
  CREATE TABLE documents (tenant varchar(9) NOT NULL, nr integer NOT NULL, author integer NOT NULL, title varchar(20), PRIMARY KEY (tenant, nr), FOREIGN KEY (tenant, author) REFERENCES users (tenant, id));
  CREATE TABLE readers (tenant varchar(9) NOT NULL, reader integer NOT NULL, document integer NOT NULL, PRIMARY KEY (tenant, reader, document),
    FOREIGN KEY (tenant, reader) REFERENCES users (tenant, id), FOREIGN KEY (tenant, document) REFERENCES documents (tenant, nr));
  INSERT INTO users VALUES ('a', 1, 'ada'), ('a', 2, 'bob'), ('b', 1, 'cid');
  INSERT INTO documents VALUES ('a', 1, 1, 'ants'), ('a', 2, 2, 'bees'), ('b', 1, 1, 'cats'); INSERT INTO readers VALUES ('a', 2, 1), ('b', 1, 1)`;
const TENANT_SCHEMA = `
  type User @entity(table: "users") @unmanaged { key: ID! @id(fields: ["tenant", "id"]) tenant: String! id: Int! name: String! @search documents: [Document!]! }
  type Document @entity(table: "documents") @unmanaged @auth(read: "author.name == authentication.name or authentication.name == 'user'") {
    id: ID! @id(fields: ["tenant", "nr"]) @search tenant: String! @search nr: Int! authorId: Int! @column(name: "author") title: String @search
    author: User! @column(name: ["tenant", "author"]) @readOnly @relation(inverse: "documents") @search
    readers: [User!]! @relation(table: "readers", from: ["tenant", "document"], to: ["tenant", "reader"]) @search(embed: true)
  }
  type Query { documents(orderBy: [DocumentOrder!]): [Document!]! user(key: ID!): User }
  type Mutation {
    createDocument(tenant: String!, nr: Int!, authorId: Int!, title: String, readers: [ID!]): Document
    updateDocument(id: ID!, authorId: Int, readers: [ID!]): Document updateUser(key: ID!, name: String!): User
  }`;

test('a change reaches the documents of owners that refer to it by several columns', async (context) => {
  const check = async (url: string): Promise<void> => {
    const { app, call, graph } = await startApp(context, { schema: TENANT_SCHEMA, config: { database: { url } } });
    const search = async (q: string): Promise<unknown[]> => {
      const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
      const got = await call(`/documents/_search?q=${q}&sort=id:asc`, { headers });
      equal(got.status, 200, got.text);
      return got.json.hits.hits.map((hit: { _id: string }) => hit._id);
    };
    deepEqual(await search('author.name:ada'), ['a,1']);
    deepEqual(await search('readers.name:cid'), ['b,1']);
    await graph(
      'mutation { updateUser(key: "a,2", name: "bea") { key } updateUser2: updateUser(key: "b,1", name: "col") { key } }',
    );
    deepEqual(await search('author.name:bea'), ['a,2']);
    deepEqual(await search('readers.name:bea'), ['a,1']);
    deepEqual(await search('author.name:(bob OR cid) OR readers.name:(bob OR cid)'.replaceAll(' ', '%20')), []);
    await graph(
      'mutation { updateDocument(id: "a,1", authorId: 2, readers: ["a,1"]) { id } createDocument(tenant: "b", nr: 7, authorId: 1, readers: ["b,1"]) { id } }',
    );
    deepEqual(await search('author.name:bea'), ['a,1', 'a,2']);
    deepEqual(await search('readers.name:(ada%20OR%20col)'), ['a,1', 'b,1', 'b,7']);
  };
  const file = join(temporaryFolder(context), 'tenants.db');
  const database = new DatabaseSync(file);
  database.exec(TENANTS);
  database.close();
  await check(`sqlite:${file}`);
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const store = await openPostgresStore({ url });
  await store.script(TENANTS);
  await store.close();
  await check(url);
});

test('1.1 no request distinguishes states of tables with keys of several columns that differ only in hidden data', async () => {
  const store = await openSqliteStore({ file: ':memory:' });
  try {
    await store.script(TENANTS);
    const model = readSchema([
      { file: 'schema.graphql', text: TENANT_SCHEMA.replace(" or authentication.name == 'user'", '') },
    ]);
    const graph = await createGraph({ model, store });
    const principals = [createPrincipal('ada'), ANONYMOUS];
    const result = await checkNoninterference({
      ...managedCopy(graph.model, store),
      store,
      principals,
      cases: 60,
      seed: 3,
    });
    equal(result.interference, undefined);
    ok(result.changed > 0);
    graph.feed.close();
  } finally {
    await store.close();
  }
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
