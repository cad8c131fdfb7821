import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { applyMigration } from '../../src/migrate/apply-migration.ts';
import { planMigration } from '../../src/migrate/plan-migration.ts';
import { modelOf, PHOTO_SCHEMA } from '../photo-schema.ts';
import { freshSchema, postgresUrl, testOnStores } from '../stores.ts';

const base = (fields: string, more = ''): string =>
  `type Item ${more} { id: ID! name: String! ${fields} } type Query { Item(id: ID!): Item items: [Item!]! }`;

async function migrate(store: Store, text: string, allow: readonly string[] = []): Promise<readonly string[]> {
  const plan = await applyMigration(modelOf(text), store, { allow });
  return plan.steps.map((step) => step.text);
}

async function namesOf(text: string, store: Store): Promise<readonly (readonly string[])[]> {
  const { steps, optional } = await planMigration(modelOf(text), store);
  return [steps, optional].map((each) => each.map((step) => step.name).toSorted());
}

async function addItem(store: Store, name: string): Promise<void> {
  const place = store.dialect === 'sqlite' ? '?' : '$1';
  await store.transaction((session) => session.prepare(`INSERT INTO items (name) VALUES (${place})`).run([name]));
}

testOnStores('a model gets its tables once, and a second start changes nothing', async (store) => {
  const first = await migrate(store, PHOTO_SCHEMA);
  deepEqual(
    first.toSorted(),
    [
      'albums',
      'comments',
      'lockstitch_feed',
      'lockstitch_feed_readers',
      'lockstitch_schema',
      'photos',
      'users',
      'users_in_photos',
    ].map((table) => `Create table ${table}`),
  );
  deepEqual(await migrate(store, PHOTO_SCHEMA), []);
});

testOnStores('indexes with colliding names are all created', async (store) => {
  const types = (more: string): string => `
    type Order @entity(table: "orders") @index(fields: ["itemCode"]) { id: ID! itemCode: String! }
    ${more}
    type Query { Order(id: ID!): Order }`;
  const two = types('type OrderItem @entity(table: "orders_item") @index(fields: ["code"]) { id: ID! code: String! }');
  // One of them is in the database under the plain name already.
  await migrate(store, types(''));
  deepEqual(await migrate(store, two), ['Create table orders_item']);
  deepEqual(await migrate(store, two), []);
});

testOnStores('new fields, indexes and relations are added to tables with rows', async (store) => {
  await migrate(store, base(''));
  await addItem(store, 'a');
  const steps = await migrate(
    store,
    `scalar DateTime
     type Item @index(fields: ["name"]) {
       id: ID! name: String! @unique note: String level: Int! @default(value: "3")
       made: DateTime! @default(value: "now") owner: Owner
     }
     type Owner { id: ID! items: [Item!]! }
     type Query { Item(id: ID!): Item items: [Item!]! Owner(id: ID!): Owner }`,
  );
  equal(steps.length > 5, true);
  deepEqual(await store.prepare('SELECT id, name, note, level, owner FROM items').rows([]), [[1, 'a', null, 3, null]]);
  match(String((await store.prepare('SELECT made FROM items').rows([]))[0]![0]), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  await rejects(addItem(store, 'a'));
  deepEqual(await namesOf(base('', '@index(fields: ["name"])'), store), [
    ['unindex items_name_key'],
    ['drop items.level', 'drop items.made', 'drop items.note', 'drop items.owner', 'drop owners'],
  ]);
});

testOnStores('a step that loses data is rejected by name, and applied once allowed', async (store) => {
  await migrate(store, base('note: String!'));
  await store.transaction((session) => session.prepare("INSERT INTO items (name, note) VALUES ('a', 'x')").run([]));
  await rejects(migrate(store, base('other: Int')), (error: Error & { code?: string; hint?: string }) => {
    equal(error.code, 'GRAPH_MIGRATION_REFUSED');
    match(
      error.message,
      /Drop column note of table items, which the schema does not have and which takes no row without a value: loses data: 1 value in items\.note/,
    );
    match(error.hint ?? '', /"drop items\.note"/);
    return true;
  });
  deepEqual(await migrate(store, base('note: String!')), []);
  await migrate(store, base('other: Int'), ['drop items.note']);
  deepEqual(await store.prepare('SELECT * FROM items').rows([]), [[1, 'a', null]]);
});

testOnStores('a required field without a default is rejected while rows lack it', async (store) => {
  await migrate(store, base(''));
  await migrate(store, base('level: Int!'));
  await addItemWithLevel(store);
  await rejects(migrate(store, base('level: Int! size: Int!'), ['add items.size']), /1 row would have no value/);
  await migrate(store, base('level: Int! size: Int'));
  await rejects(migrate(store, base('level: Int! size: Int!')), /1 row has no value there; give it one first/);
  await store.transaction((session) => session.prepare('UPDATE items SET size = 1').run([]));
  deepEqual(await migrate(store, base('level: Int! size: Int!')), ['Require a value in column size of table items']);
  deepEqual(await migrate(store, base('level: Int size: Int!')), ['Allow no value in column level of table items']);
});

async function addItemWithLevel(store: Store): Promise<void> {
  await store.transaction((session) => session.prepare("INSERT INTO items (name, level) VALUES ('a', 1)").run([]));
}

testOnStores(
  'a unique index is refused while values repeat, and a type change while rows hold values',
  async (store) => {
    await migrate(store, base('code: Int'));
    await addItem(store, 'a');
    await addItem(store, 'a');
    await rejects(
      migrate(store, base('code: Int').replace('name: String!', 'name: String! @unique')),
      /2 rows have a value that another has too/,
    );
    await store.transaction((session) => session.prepare('UPDATE items SET code = id + 6').run([]));
    await rejects(
      migrate(store, base('code: Boolean')),
      /2 values in items\.code that Boolean cannot hold as they are/i,
    );
    await migrate(store, base('code: String'));
    deepEqual(await store.prepare('SELECT code FROM items ORDER BY id').rows([]), [['7'], ['8']]);
    deepEqual(await migrate(store, base('code: String')), []);
  },
);

testOnStores('a type change keeps values that fit, and loses others only with permission', async (store) => {
  const isLite = store.dialect === 'sqlite';
  /** Old type, new type, values that fit with their results, values that do not fit. */
  const cases: readonly (readonly [string, string, Readonly<Record<string, unknown>>, readonly string[]])[] = [
    ['String', 'Int', { "'12'": 12, "'-3'": -3, "'0'": 0 }, ["'x'", "''", "'1.5'", "'007'", "'99999999999999999999'"]],
    ['String', 'Float', { "'1.5'": 1.5, "'-2e3'": -2000, "'7'": 7 }, ["'x'", "'1e999'", "'NaN'", "'Infinity'", "' 1'"]],
    ['String', 'Boolean', { "'true'": isLite ? 1 : true, "'false'": isLite ? 0 : false }, ["'TRUE'", "'1'", "'x'"]],
    [
      'String',
      'DateTime',
      {
        "'2020-01-31T10:00:00.000Z'": '2020-01-31T10:00:00.000Z',
        "'2020-02-29T10:00:00Z'": '2020-02-29T10:00:00.000Z',
      },
      ["'2020-01-31'", "'2020-02-30T10:00:00.000Z'", "'2021-02-29T10:00:00.000Z'", "'now'", "'infinity'", "'x'"],
    ],
    ['String', '[String]', {}, ["'x'", "'{'", "'5'"]],
    ['Int', 'String', { '5': '5', '-1': '-1' }, []],
    ['Int', 'Float', { '5': 5 }, ['9007199254740993']],
    ['Int', 'Boolean', { '0': isLite ? 0 : false, '1': isLite ? 1 : true }, ['2']],
    ['Float', 'Int', { '5': 5, '-2.0': -2 }, ['1.5', '1e300']],
    ['Float', 'String', { '5': '5', '1.5': '1.5' }, []],
    ['Boolean', 'Int', { true: 1, false: 0 }, []],
    ['Boolean', 'String', { true: 'true', false: 'false' }, []],
    ['DateTime', 'String', { "'2020-01-31T10:00:00.500Z'": '2020-01-31T10:00:00.500Z' }, []],
    ['DateTime', 'Int', {}, ["'2020-01-31T10:00:00.500Z'"]],
    ['[String]', 'String', {}, [`'["a"]'`]],
    ['JSON', 'String', { [`'"a"'`]: 'a' }, [`'["a"]'`, `'5'`]],
    ['JSON', 'Boolean', { [`'true'`]: isLite ? 1 : true }, [`'"true"'`, `'1'`]],
    ['JSON', 'Int', { [`'7'`]: 7 }, [`'7.5'`, `'"7"'`, `'true'`]],
    ['JSON', 'Float', { [`'7.5'`]: 7.5 }, [`'"7"'`, `'1e999'`]],
    ['Float', 'String', { '0.30000000000000004': '0.30000000000000004' }, []],
  ];
  // A column a case, a row a value.
  const schema = (type: 0 | 1): string =>
    `scalar JSON scalar DateTime ${base(cases.map((each, index) => `c${index}: ${each[type]}`).join(' '))}`;
  const fill = (columns: readonly (readonly string[])[]): Promise<unknown> =>
    store.transaction(async (session) => {
      await session.prepare('DELETE FROM items').run([]);
      for (let row = 0; row < 6; row++) {
        const values = columns.map((column) => column[row] ?? 'NULL').join(', ');
        const names = columns.map((_, index) => `c${index}`).join(', ');
        await session.prepare(`INSERT INTO items (name, ${names}) VALUES ('a', ${values})`).run([]);
      }
    });
  const check = async (expected: readonly (readonly unknown[])[]): Promise<void> => {
    for (const [index, [from, to]] of cases.entries()) {
      const rows = await store.prepare(`SELECT c${index} FROM items ORDER BY id`).rows([]);
      const values = [...expected[index]!, ...new Array<null>(6).fill(null)].slice(0, 6);
      deepEqual(rows.flat(), values, `${from} to ${to}`);
    }
  };
  const all = (verb: string): readonly string[] => cases.map((_, index) => `${verb} items.c${index}`);

  await migrate(store, schema(0));
  await fill(cases.map(([, , fitting]) => Object.keys(fitting)));
  await migrate(store, schema(1));
  await check(cases.map(([, , fitting]) => Object.values(fitting)));
  await migrate(store, base(''), all('drop'));

  await migrate(store, schema(0));
  const [known, lost] = [cases.map(([, , fitting]) => Object.keys(fitting)[0]), cases.map((each) => each[3])];
  await fill(lost.map((values, index) => [...values, known[index] ?? 'NULL']));
  await rejects(migrate(store, schema(1)), (error: Error) => {
    for (const [index, { length }] of lost.entries())
      equal(
        new RegExp(`: ${length} values? in items.c${index}(?: that \\S+ cannot hold as|: no)`).test(error.message),
        length > 0,
        error.message,
      );
    return true;
  });
  await migrate(store, schema(1), all('retype'));
  await check(cases.map(([, , fitting, misfits]) => [...misfits.map(() => null), Object.values(fitting)[0] ?? null]));

  await migrate(store, base(''), all('drop'));
  await store.transaction((session) => session.prepare('DELETE FROM items').run([]));
  await migrate(store, base('code: String!'));
  await store.transaction((session) => session.prepare("INSERT INTO items (name, code) VALUES ('a', 'x')").run([]));
  await rejects(
    migrate(store, base('code: Int!'), ['retype items.code']),
    /change them first, or make the field nullable/,
  );
});

testOnStores('rebuilding a table keeps referring rows', async (store) => {
  const schema = (name: string, onDelete: string): string =>
    `type Item { id: ID! name: ${name} parts: [Part!]! } type Part { id: ID! item: Item! @relation(onDelete: ${onDelete}) }
     type Query { Item(id: ID!): Item Part(id: ID!): Part }`;
  await migrate(store, schema('String!', 'CASCADE'));
  await addItem(store, 'a');
  await store.transaction((session) => session.prepare('INSERT INTO parts (item) VALUES (1)').run([]));
  await migrate(store, schema('String', 'RESTRICT'));
  deepEqual(await store.prepare('SELECT item FROM parts').rows([]), [[1]]);
  await rejects(store.transaction((session) => session.prepare('DELETE FROM items').run([])));
});

async function checkTwoStarts(open: () => Promise<Store>): Promise<void> {
  const stores = [await open(), await open(), await open()];
  await Promise.all(stores.map((store) => applyMigration(modelOf(PHOTO_SCHEMA), store)));
  deepEqual((await planMigration(modelOf(PHOTO_SCHEMA), stores[0]!)).steps, []);
  for (const store of stores) await store.close();
}

test('SQLite: concurrent starts create the tables once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'starts-'));
  await checkTwoStarts(() => openSqliteStore({ file: join(folder, 'data.db') }));
  await rm(folder, { recursive: true, force: true });
});

test('PostgreSQL: concurrent starts create the tables once', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const schema = freshSchema();
  await checkTwoStarts(() => openPostgresStore({ url, schema }));
});

test('PostgreSQL: servers take turns in exclusive work, also with one connection each', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const schema = freshSchema();
  const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore({ url, schema, connections: 1 })));
  const seen: string[] = [];
  await Promise.all(
    stores.map(async (store, at) =>
      store.exclusively?.(async () => {
        seen.push(`${at} begins`);
        await store.prepare('SELECT pg_sleep(0.02)::text').text([]);
        seen.push(`${at} ends`);
      }),
    ),
  );
  const pairs = [0, 2, 4].map((at) => [seen[at]?.[0], seen[at + 1]]);
  for (const [who, then] of pairs) equal(then, `${who} ends`);
  await rejects(
    stores[0]!.exclusively!(() => Promise.reject(new Error('failed'))),
    { message: 'failed' },
  );
  equal(await stores[1]!.exclusively!(async () => 'free again'), 'free again');
  // A server whose connection broke has lost the lock, and must not go on as if it had it.
  const never = stores[0]!.exclusively!(async () => {
    const ended = await stores[1]!
      .prepare(
        `SELECT pg_terminate_backend(pid) FROM pg_locks, hashtextextended('lockstitch ${stores[0]!.ownSchema}', 0) AS lock
         WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32 | objid::bigint) = lock`,
      )
      .rows([]);
    deepEqual(ended, [[true]]);
    await new Promise(() => undefined);
  });
  await rejects(never, { code: 'GRAPH_STORE_UNAVAILABLE' });
  for (const store of stores) await store.close();
});
