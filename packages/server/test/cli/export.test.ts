// What `export` writes, `import` takes: rows arrive with their keys, also on another database.
import { deepEqual, equal, match } from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { createGraph, importOrderOf } from '@lockstitch/graph';

import { loadApp } from '../../src/app/load-app.ts';
import { openStore } from '../../src/data/open-store.ts';
import { freshDatabase } from '../fresh-database.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runLine } from './run-here.ts';

const SCHEMA = `
  scalar DateTime
  scalar Decimal
  scalar JSON
  scalar BigInt
  enum Color { RED GREEN }
  type Place { town: String!  zip: Int }
  # Before the types that it refers to.
  type Order @entity { id: ID!  item: Item!  buyer: Person!  price: Decimal  big: BigInt  subject: Subject  seen: [Subject!]! }
  type Person @entity { login: ID! @id  name: String  boss: Person  staff: [Person!]!  likes: [Item!]!  orders: [Order!]! }
  type Item @entity {
    id: ID!  name: String!  note: String  made: DateTime  tags: [String!]  colors: [Color!]  color: Color
    weight: Float  fresh: Boolean!  count: Int  extra: JSON  place: Place  places: [Place!]  fans: [Person!]! @relation(inverse: "likes")
  }
  union Subject = Item | Person
  type Query { items(first: Int = 25): [Item!]!  people(first: Int = 25): [Person!]!  orders(first: Int = 25): [Order!]! }
  input ItemInput { name: String! fresh: Boolean! }
  type Mutation { createItem(input: ItemInput!): Item! }
`;

const ITEMS = [
  {
    id: '3',
    name: 'Ärger, "so"',
    note: '',
    made: '2020-01-02T03:04:05.678Z',
    tags: ['a|b', '', 'c,d'],
    colors: ['RED'],
    color: 'GREEN',
    weight: 1.5,
    fresh: true,
    count: -7,
    extra: { a: [1, null, 'x'] },
    place: { town: 'Oslo', zip: 1 },
    places: [{ town: 'Rome', zip: null }],
  },
  {
    id: '12',
    name: 'line\nbreak',
    note: null,
    made: null,
    tags: [],
    colors: null,
    color: null,
    weight: 0.1,
    fresh: false,
    count: null,
    extra: null,
    place: null,
    places: [],
  },
];
const PEOPLE = [
  { login: 'ada', name: '=cmd', boss: null, likes: ['3', '12'] },
  { login: 'bob', name: 'null', boss: 'ada', likes: [] },
];
const ORDERS = [
  {
    id: '1',
    item: '3',
    buyer: 'bob',
    price: '12345678901234567890.10',
    big: '9007199254740993',
    subject: { type: 'Person', key: 'ada' },
    seen: [
      { type: 'Item', key: '3' },
      { type: 'Person', key: 'bob' },
    ],
  },
  { id: '2', item: '12', buyer: 'ada', price: null, big: null, subject: null, seen: [] },
];

function application(context: unknown): string {
  return temporaryFolder(context, {
    'schema.graphql': SCHEMA,
    'lockstitch.config.mjs': 'export default { data: "data" };',
    ...Object.fromEntries(
      Object.entries({ Item: ITEMS, Person: PEOPLE, Order: ORDERS }).map(([type, rows]) => [
        `${type}.json`,
        JSON.stringify(rows),
      ]),
    ),
  });
}

async function importAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [type, file] of Object.entries(files)) {
    const { code, err } = await runLine(['import', folder, type, file]);
    equal(code, 0, err);
  }
}

/** All rows as the graph reads them. */
async function rowsOf(folder: string): Promise<Record<string, unknown>> {
  const app = await loadApp(folder, process.env);
  const store = await openStore(app.config.database.url, join(folder, 'data'));
  const graph = await createGraph({ model: app.model, store, resolvers: {} });
  const rows = await Promise.all(
    ['Item', 'Person', 'Order'].map(async (type) => [
      type,
      (await graph.loadRows(type, { limit: 10 })).map(({ row }) => row),
    ]),
  );
  graph.feed.close();
  await store.close();
  return Object.fromEntries(rows);
}

for (const format of ['ndjson', 'csv']) {
  for (const target of ['SQLite', 'PostgreSQL']) {
    test(`${format}: every kind of value goes from SQLite to ${target} with its keys`, async (context) => {
      const url = target === 'SQLite' ? undefined : await freshDatabase();
      if (url?.startsWith('postgres:') === false) return context.skip(url);
      const folder = application(context);
      const at = (type: string): string => join(folder, `${type}.json`);
      await importAll(folder, { Item: at('Item'), Person: at('Person'), Order: at('Order') });
      const before = await rowsOf(folder);
      const to = join(folder, 'out');
      const { code, out, err } = await runLine(['export', folder, '--to', to, '--format', format]);
      equal(code, 0, err);
      match(out, /6 rows of 3 types in .*\n.* Item .*\n.* Person .*\n.* Order /);
      equal(statSync(join(to, `Item.${format}`)).mode & 0o777, 0o600);
      match((await runLine(['export', folder, '--to', to, '--format', format])).err, /SERVER_BACKUP_EXISTS/);

      const other = temporaryFolder(context, {
        'schema.graphql': SCHEMA,
        'lockstitch.config.mjs': `export default { data: 'data', database: { url: ${JSON.stringify(url)} } };`,
      });
      await importAll(
        other,
        Object.fromEntries(['Item', 'Person', 'Order'].map((type) => [type, join(to, `${type}.${format}`)])),
      );
      const arrived = await rowsOf(other);
      // CSV cannot tell an empty text from none.
      if (format === 'csv') before['Item'] = ITEMS.map((item) => ({ ...item, note: null, fans: ['ada'] }));
      deepEqual(arrived, before);
      // A key that the database chooses is free.
      writeFileSync(join(other, 'more.json'), '[{"name": "later", "fresh": true}]');
      await importAll(other, { Item: join(other, 'more.json') });
    });
  }
}

test('types are exported by name; mistakes are named, and nothing is written', async (context) => {
  const folder = application(context);
  const to = join(folder, 'out');
  match((await runLine(['export', folder, '--to', to])).err, /SERVER_BACKUP_NO_DATA/);
  await importAll(folder, { Item: join(folder, 'Item.json') });
  match((await runLine(['export', folder, 'Itm', '--to', to])).err, /no stored type "Itm"\. Did you mean "Item"/);
  match((await runLine(['export', folder, 'Item', '--to', to, '--format', 'xml'])).err, /ndjson, csv/);
  equal((await runLine(['export', folder, 'Item'])).code, 2);
  equal((await runLine(['export', folder, 'Item', '--to', to])).code, 0);
  deepEqual(readdirSync(to), ['Item.ndjson']);
  equal(readFileSync(join(to, 'Item.ndjson'), 'utf8').split('\n').length, 3);
});

test('types that refer to one another are named', async (context) => {
  const folder = temporaryFolder(context, {
    'schema.graphql':
      'type A @entity { id: ID! b: B } type B @entity { id: ID! c: C } type C @entity { id: ID! a: A } type Query { a: [A!]! }',
  });
  const { model } = await loadApp(folder, {});
  deepEqual(importOrderOf(model).circles, [['A', 'B', 'C']]);
});
