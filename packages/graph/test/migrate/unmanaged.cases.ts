// Tables that a team already has, served as they are: named tables, columns and join tables, types read and written
// exactly, and a plan that changes nothing of them.
import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createGraph } from '../../src/execute/create-graph.ts';
import { planMigration } from '../../src/migrate/plan-migration.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import type { Store } from '../../src/store/store.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { freshSchema, postgresUrl, testOnStores } from '../stores.ts';

const SCALARS =
  'scalar Date scalar DateTime scalar LocalDateTime scalar LocalTime scalar Duration scalar Bytes scalar UUID scalar BigInt scalar Decimal scalar JSON';
const modelOf = (text: string) => readSchema([{ file: 'test.graphql', text: `${SCALARS} ${text}` }]);

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

async function open(store: Store, schema: string) {
  const graph = await createGraph({ model: modelOf(schema), store });
  const ask = async (query: string): Promise<Answer> => JSON.parse((await graph.execute({ query })).body) as Answer;
  return {
    graph,
    ask,
    data: async (query: string): Promise<unknown> => {
      const { data, errors } = await ask(query);
      equal(errors, undefined, JSON.stringify(errors));
      return data;
    },
    error: async (query: string): Promise<string> => {
      const { errors } = await ask(query);
      return `${errors?.[0]?.extensions.code} ${errors?.[0]?.message}`;
    },
  };
}

const isPostgres = ({ dialect }: Store): boolean => dialect === 'postgres';
const schemaOf = async (store: Store): Promise<string> =>
  isPostgres(store) ? `${await store.prepare('SELECT current_schema()').text([])}_shop` : '';

/** A shop as somebody else would build it. */
async function createShop(store: Store): Promise<string> {
  const schema = await schemaOf(store);
  const prefix = schema === '' ? '' : `"${schema}".`;
  const key = isPostgres(store) ? 'integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY' : 'INTEGER PRIMARY KEY';
  await store.script(`
    ${schema === '' ? '' : `CREATE SCHEMA "${schema}";`}
    CREATE TABLE ${prefix}"Customers" ("CustomerID" varchar(5) PRIMARY KEY, "Full Name" varchar(40) NOT NULL, "select" text DEFAULT 'new');
    CREATE TABLE ${prefix}"Order Details" (nr ${key}, cust varchar(5) NOT NULL REFERENCES ${prefix}"Customers", parent_nr integer REFERENCES ${prefix}"Order Details", amount smallint);
    CREATE TABLE ${prefix}tags (id ${key}, label text NOT NULL UNIQUE);
    CREATE TABLE ${prefix}order_tag (tag integer NOT NULL REFERENCES ${prefix}tags, ord integer NOT NULL REFERENCES ${prefix}"Order Details", note text DEFAULT 'n', PRIMARY KEY (tag, ord));
    INSERT INTO ${prefix}"Customers" VALUES ('ALFKI', 'Alfreds', NULL), ('BONAP', 'Bon app''', 'x');
    INSERT INTO ${prefix}"Order Details" (cust, parent_nr, amount) VALUES ('ALFKI', NULL, 3), ('ALFKI', 1, 4), ('BONAP', 1, NULL);
    INSERT INTO ${prefix}tags (label) VALUES ('red'), ('blue');
    INSERT INTO ${prefix}order_tag (tag, ord) VALUES (1, 1), (2, 1), (2, 3)`);
  return schema;
}

const shopSchema = (schema: string): string => {
  const table = (name: string): string => (schema === '' ? name : `${schema}.${name}`);
  return `
    type Customer @entity(table: "${table('Customers')}") @unmanaged {
      customerId: ID! @id @column(name: "CustomerID") fullName: String! @column(name: "Full Name") state: String @column(name: "select")
      orders: [Order!]!
    }
    type Order @entity(table: "${table('Order Details')}") @unmanaged {
      id: ID! @column(name: "nr")
      customer: Customer! @column(name: "cust")
      parent: Order @column(name: "parent_nr") children: [Order!]!
      amount: Int
      tags: [Tag!]! @relation(table: "${table('order_tag')}", from: "ord", to: "tag")
    }
    type Tag @entity(table: "${table('tags')}") @unmanaged { id: ID! label: String! @unique orders: [Order!]! }
    input OrderInput { customer: ID! parent: ID amount: Int tags: [ID!] }
    type Query { order(id: ID!): Order orders(where: OrderFilter, orderBy: [OrderOrder!]): [Order!]! customer(customerId: ID!): Customer customers(where: CustomerFilter): [Customer!]! tags: [Tag!]! }
    type Mutation {
      createOrder(input: OrderInput!): Order! updateOrder(id: ID!, amount: Int, customer: ID): Order deleteOrder(id: ID!): Boolean!
      createCustomer(customerId: ID!, fullName: String!): Customer! updateCustomer(customerId: ID!, fullName: String): Customer
      tagOrder(orderId: ID!, tagId: ID!): Order! untagOrder(orderId: ID!, tagId: ID!): Order! deleteTag(id: ID!): Boolean!
    }`;
};

testOnStores('2 unmanaged tables are read and written by their own names', async (store) => {
  const schema = await createShop(store);
  const { data, error } = await open(store, shopSchema(schema));
  deepEqual(
    await data(
      '{ orders(orderBy: [{ id: ASC }]) { id amount customer { customerId fullName state } parent { id } children { id } tags { label } } }',
    ),
    {
      orders: [
        {
          id: '1',
          amount: 3,
          customer: { customerId: 'ALFKI', fullName: 'Alfreds', state: null },
          parent: null,
          children: [{ id: '2' }, { id: '3' }],
          tags: [{ label: 'red' }, { label: 'blue' }],
        },
        {
          id: '2',
          amount: 4,
          customer: { customerId: 'ALFKI', fullName: 'Alfreds', state: null },
          parent: { id: '1' },
          children: [],
          tags: [],
        },
        {
          id: '3',
          amount: null,
          customer: { customerId: 'BONAP', fullName: "Bon app'", state: 'x' },
          parent: { id: '1' },
          children: [],
          tags: [{ label: 'blue' }],
        },
      ],
    },
  );
  deepEqual(
    await data('{ customers(where: { orders: { any: { tags: { any: { label: { eq: "red" } } } } } }) { customerId } }'),
    {
      customers: [{ customerId: 'ALFKI' }],
    },
  );
  // Beyond the column's 32 bits.
  deepEqual(await data('{ order(id: 5000000000) { id } }'), { order: null });
  deepEqual(
    await data(
      'mutation { createOrder(input: { customer: "BONAP", parent: 2, tags: [1] }) { id amount tags { id } parent { id } } }',
    ),
    {
      createOrder: { id: '4', amount: null, tags: [{ id: '1' }], parent: { id: '2' } },
    },
  );
  deepEqual(
    await data('mutation { updateOrder(id: 4, amount: 7, customer: "ALFKI") { amount customer { fullName } } }'),
    {
      updateOrder: { amount: 7, customer: { fullName: 'Alfreds' } },
    },
  );
  // The default of the database.
  deepEqual(await data('mutation { createCustomer(customerId: "CACTU", fullName: "C") { customerId state } }'), {
    createCustomer: { customerId: 'CACTU', state: 'new' },
  });
  deepEqual(
    await data(
      'mutation { tagOrder(orderId: 4, tagId: 2) { tags { id } } untagOrder(orderId: 4, tagId: 1) { tags { id } } }',
    ),
    {
      tagOrder: { tags: [{ id: '1' }, { id: '2' }] },
      untagOrder: { tags: [{ id: '2' }] },
    },
  );
  deepEqual(await data('mutation { deleteTag(id: 2) deleteOrder(id: 4) }'), { deleteTag: true, deleteOrder: true });
  deepEqual(await data('{ orders { tags { id } } }'), {
    orders: [{ tags: [{ id: '1' }] }, { tags: [] }, { tags: [] }],
  });
  match(await error('mutation { updateOrder(id: 9, amount: 1) { id } }'), /^GRAPH_NOT_FOUND/);
  match(
    await error('mutation { updateCustomer(customerId: "ALFKI", fullName: null) { customerId } }'),
    /must not be null/,
  );
});

testOnStores('2 the plan over unmanaged tables lists only the tables of the engine, then nothing', async (store) => {
  const schema = await createShop(store);
  const model = modelOf(shopSchema(schema));
  const before = await shapeOf(store, schema);
  const own = ['create lockstitch_feed', 'create lockstitch_feed_readers', 'create lockstitch_schema'];
  deepEqual(
    (await planMigration(model, store)).steps.map(({ name }) => name),
    own,
  );
  await createGraph({ model, store });
  deepEqual(await shapeOf(store, schema), before);
  const { steps, sql, optional } = await planMigration(model, store);
  deepEqual([steps, sql, optional], [[], [], []]);
  if (!isPostgres(store)) return;
  // The engine's tables are in a schema of their own.
  deepEqual(
    await store
      .prepare(
        "SELECT relnamespace::regnamespace::text = 'lockstitch_' || current_schema() FROM pg_class WHERE oid = 'lockstitch_feed'::regclass",
      )
      .rows([]),
    [[true]],
  );
});

testOnStores('2 a managed type keeps an unmanaged column, and refers to an unmanaged table', async (store) => {
  const schema = await createShop(store);
  await store.script(
    `CREATE TABLE notes (id ${isPostgres(store) ? 'bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT'}, "Text" varchar(10), note text)`,
  );
  const text = (more: string): string => `${shopSchema(schema)}
    type Note @entity { id: ID! text: String @column(name: "Text") @unmanaged note: String ${more} }
    extend type Mutation { createNote(text: String, note: String ${more === '' ? '' : ', customer: ID'}): Note! } extend type Query { notes: [Note!]! }`;
  await createGraph({ model: modelOf(text('')), store });
  const model = modelOf(text('customer: Customer'));
  deepEqual((await planMigration(model, store)).steps.map(({ name }) => name).slice(0, 1), ['add notes.customer']);
  const { data, error } = await open(store, text('customer: Customer'));
  const again = await planMigration(model, store);
  deepEqual([again.steps, again.optional], [[], []]);
  deepEqual(await data('mutation { createNote(text: "abc", customer: "ALFKI") { text customer { fullName } } }'), {
    createNote: { text: 'abc', customer: { fullName: 'Alfreds' } },
  });
  if (isPostgres(store))
    match(await error('mutation { createNote(text: "12345678901") { id } }'), /longer than the 10 characters/);
});

testOnStores('2 what an unmanaged table lacks is a blocked step that names it', async (store) => {
  const schema = await createShop(store);
  const table = schema === '' ? 'tags' : `${schema}.tags`;
  const plan = async (types: string): Promise<readonly string[]> =>
    (await planMigration(modelOf(`${types} type Query { tags: [Tag!]! }`), store)).steps.flatMap(
      ({ name, loses, blocked }) => (blocked ? [`${name}: ${loses}`] : []),
    );
  match(
    (await plan(`type Tag @entity(table: "${table}") @unmanaged { id: ID! lable: String }`)).join('\n'),
    /^read \S*tags\.lable: table \S*tags has no such column\. Did you mean "label"\? Name it with @column/,
  );
  match(
    (await plan('type Tag @entity(table: "nowhere") @unmanaged { id: ID! }')).join('\n'),
    /^read nowhere: there is no such table/,
  );
  if (isPostgres(store))
    match(
      (await plan(`type Tag @entity(table: "${table}") @unmanaged { id: ID! label: Int }`)).join('\n'),
      /^read \S*tags\.label: "label" is of type text, whose values cannot be read as Int without changing them; declare the field as String/,
    );
  else
    match(
      (await plan('type Tag @entity(table: "shop.tags") @unmanaged { id: ID! }')).join('\n'),
      /SQLite has no schemas/,
    );
});

testOnStores('2 mistakes in the words for existing tables are reported with a remedy', async () => {
  const fails = (text: string, message: RegExp): void => {
    throws(
      () => modelOf(text),
      (error: Error & { values?: unknown }) => {
        match(`${error.message} ${JSON.stringify(error)}`, message);
        return true;
      },
    );
  };
  const query = 'type Query { as: [A!]! }';
  fails(`type A @entity(table: "a.b.c") @unmanaged { id: ID! } ${query}`, /cannot be stored in a table called/);
  fails(`type A @entity(table: "Order Details") { id: ID! } ${query}`, /put @unmanaged on the type/);
  fails(`type A @entity { id: ID! x: Int @column(name: "id") } ${query}`, /both stored in column \W*id\W/);
  fails(
    `type A @entity { id: ID! x: Int @column(name: ["a", "b"]) } ${query}`,
    /stored in one column, and @column names 2/,
  );
  fails(
    `type A @entity { id: ID! b: [B!]! @column(name: "x") } type B @entity { id: ID! a: A } ${query}`,
    /has @column, and it is not stored in a column of A/,
  );
  fails(
    `type A @entity { id: ID! b: B @relation(table: "x") } type B @entity { id: ID! } ${query}`,
    /the relation has no join table/,
  );
  fails(`type A @entity { id: ID! x: String @column(timeZone: "UTC") } ${query}`, /does not fit A\.x/);
  fails(`type A @entity { id: ID! x: Int @readOnly } ${query} type Mutation { createA(x: Int): A! }`, /x is @readOnly/);
  fails(
    `type A @entity(table: "a") @readOnly { id: ID! } ${query} type Mutation { createA: A! }`,
    /writes A, which is @readOnly/,
  );
});

/** Everything that a migration could change. */
async function shapeOf(store: Store, schema: string): Promise<unknown> {
  return store
    .prepare(
      isPostgres(store)
        ? `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relnamespace = '"${schema}"'::regnamespace ORDER BY 1, a.attnum`
        : "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'lockstitch%' AND name NOT LIKE 'sqlite%' ORDER BY 1",
    )
    .rows([]);
}

testOnStores('2 a view is read with the key that its type names, and cannot be written', async (store) => {
  await store.script(`
    CREATE TABLE sales (id integer PRIMARY KEY, region varchar(9) NOT NULL, amount integer);
    INSERT INTO sales VALUES (1, 'north', 5), (2, 'north', 6), (3, 'south', 1);
    CREATE VIEW totals AS SELECT region, sum(amount) AS amount FROM sales GROUP BY region;
    CREATE ${isPostgres(store) ? 'MATERIALIZED ' : ''}VIEW latest AS SELECT region, max(id) AS sale FROM sales GROUP BY region`);
  const schema = `type Sale @entity(table: "sales") @unmanaged { id: ID! region: String! amount: Int latest: [Latest!]! }
    type Total @entity(table: "totals") @readOnly { region: String! @id amount: BigInt }
    type Latest @entity(table: "latest") @readOnly { region: String! @id sale: Sale! }
    type Query { totals(where: TotalFilter, orderBy: [TotalOrder!]): [Total!]! total(region: String!): Total latest(orderBy: [LatestOrder!]): [Latest!]! }
    type Mutation { createSale(id: ID!, region: String!, amount: Int): Sale! deleteSale(id: ID!): Boolean! }`;
  const { data } = await open(store, schema);
  deepEqual(
    await data(
      '{ totals(orderBy: [{ amount: DESC }]) { region amount } total(region: "south") { amount } latest(orderBy: [{ region: ASC }]) { region sale { id latest { region } } } }',
    ),
    {
      totals: [
        { region: 'north', amount: 11 },
        { region: 'south', amount: 1 },
      ],
      total: { amount: 1 },
      latest: [
        { region: 'north', sale: { id: '2', latest: [{ region: 'north' }] } },
        { region: 'south', sale: { id: '3', latest: [{ region: 'south' }] } },
      ],
    },
  );
  deepEqual(await data('mutation { createSale(id: 4, region: "east", amount: 2) { amount } deleteSale(id: 2) }'), {
    createSale: { amount: 2 },
    deleteSale: true,
  });
  deepEqual(await data('{ totals(orderBy: [{ region: ASC }]) { amount } }'), {
    totals: [{ amount: 2 }, { amount: 5 }, { amount: 1 }],
  });
  const writable = modelOf(
    'type Total @entity(table: "totals") @unmanaged { region: String! @id } type Query { totals: [Total!]! }',
  );
  match((await planMigration(writable, store)).steps[0]?.loses ?? '', /it is a view; put @readOnly on the type/);
});

testOnStores('2 an import or a create with keys advances the sequence of an unmanaged table', async (store) => {
  const keys = isPostgres(store)
    ? ['serial PRIMARY KEY', 'smallint GENERATED BY DEFAULT AS IDENTITY (START 3) PRIMARY KEY', 'integer PRIMARY KEY']
    : ['INTEGER PRIMARY KEY'];
  for (const [at, key] of keys.entries()) {
    const table = `counted_${at}`;
    await store.script(`CREATE TABLE ${table} (id ${key}, name text)`);
    const { data, graph } = await open(
      store,
      `type Item @entity(table: "${table}") @unmanaged { id: ID! name: String }
      type Query { items: [Item!]! } type Mutation { createItem(id: ID, name: String): Item! }`,
    );
    equal(
      (
        await graph.importRows('Item', [
          [
            { id: '1', name: 'a' },
            { id: '4', name: 'b' },
            { id: '2', name: 'c' },
          ],
        ])
      ).written,
      3,
    );
    if (key.startsWith('integer')) continue;
    deepEqual(await data('mutation { createItem(name: "d") { id } }'), { createItem: { id: '5' } });
    deepEqual(await data('mutation { createItem(id: "7", name: "e") { id } }'), { createItem: { id: '7' } });
    deepEqual(await data('mutation { createItem(name: "f") { id } }'), { createItem: { id: '8' } });
    deepEqual(await data('mutation { createItem(id: "32767", name: "g") { id } }'), { createItem: { id: '32767' } });
    deepEqual(await data('mutation { createItem(id: "9", name: "h") { id } }'), { createItem: { id: '9' } });
  }
});

testOnStores('2 a key of several columns is one text; its object is read, written and deleted by it', async (store) => {
  const key = isPostgres(store) ? 'serial PRIMARY KEY' : 'INTEGER PRIMARY KEY';
  await store.script(`
    CREATE TABLE ords (id ${key}, name text);
    CREATE TABLE products (code varchar(9) PRIMARY KEY, name text);
    CREATE TABLE lines (ord integer NOT NULL REFERENCES ords ON DELETE CASCADE, product varchar(9) NOT NULL REFERENCES products, amount integer NOT NULL DEFAULT 1, PRIMARY KEY (ord, product));
    INSERT INTO ords (name) VALUES ('one'), ('two');
    INSERT INTO products VALUES ('a', 'A'), ('b,50%', 'B'), ('c', 'C');
    INSERT INTO lines VALUES (1, 'a', 5), (1, 'b,50%', 6), (2, 'a', 7)`);
  const { data, error, graph } = await open(
    store,
    `type Order @entity(table: "ords") @unmanaged { id: ID! name: String lines: [Line!]! @relation(onDeleteRules: OVERRIDE) }
    type Product @entity(table: "products") @unmanaged { code: ID! @id name: String lines: [Line!]! }
    type Line @entity(table: "lines") @unmanaged @auth(read: "amount < 100") {
      id: ID! @id(fields: ["order", "product"]) order: Order! @column(name: "ord") @relation(inverse: "lines", onDelete: CASCADE)
      product: Product! @relation(inverse: "lines") amount: Int @default(value: "database")
    }
    type Query { line(id: ID!): Line lines(where: LineFilter, orderBy: [LineOrder!]): [Line!]! pages(first: Int, after: String): LineConnection! orders: [Order!]! nodes(ids: [ID!]!): [Line]! }
    type Mutation { createLine(order: ID!, product: ID!, amount: Int): Line! updateLine(id: ID!, amount: Int, product: ID): Line deleteLine(id: ID!): Line deleteLines(where: LineFilter!): Int! deleteOrder(id: ID!): Boolean! }`,
  );
  deepEqual(await data('{ lines(orderBy: [{ id: ASC }]) { id amount order { name } product { code } } }'), {
    lines: [
      { id: '1,a', amount: 5, order: { name: 'one' }, product: { code: 'a' } },
      { id: '1,b%2C50%25', amount: 6, order: { name: 'one' }, product: { code: 'b,50%' } },
      { id: '2,a', amount: 7, order: { name: 'two' }, product: { code: 'a' } },
    ],
  });
  deepEqual(
    await data(
      '{ line(id: "1,b%2C50%25") { amount } none: line(id: "1") { amount } odd: line(id: "x,a,b") { amount } nodes(ids: ["2,a", "01,a", "1,a"]) { amount } orders { lines { id } } }',
    ),
    {
      line: { amount: 6 },
      none: null,
      odd: null,
      nodes: [{ amount: 7 }, null, { amount: 5 }],
      orders: [{ lines: [{ id: '1,a' }, { id: '1,b%2C50%25' }] }, { lines: [{ id: '2,a' }] }],
    },
  );
  deepEqual(
    await data(
      '{ pages(first: 2) { nodes { id } pageInfo { hasNextPage } } lines(where: { id: { in: ["2,a"] } }) { amount } }',
    ),
    {
      pages: { nodes: [{ id: '1,a' }, { id: '1,b%2C50%25' }], pageInfo: { hasNextPage: true } },
      lines: [{ amount: 7 }],
    },
  );
  deepEqual(
    await data(
      'mutation { createLine(order: 2, product: "c") { id amount } updateLine(id: "2,c", amount: 9) { id amount } }',
    ),
    {
      createLine: { id: '2,c', amount: 1 },
      updateLine: { id: '2,c', amount: 9 },
    },
  );
  match(
    await error('mutation { updateLine(id: "2,c", product: "a") { id } }'),
    /"product" is part of the key of Line "2,c"/,
  );
  match(await error('mutation { createLine(order: 2, product: "c") { id } }'), /^GRAPH_NOT_UNIQUE/);
  match(await error('mutation { updateLine(id: "9,c", amount: 1) { id } }'), /^GRAPH_NOT_FOUND/);
  deepEqual(
    await data('mutation { deleteLine(id: "2,c") { id } deleteLines(where: { product: { code: { eq: "b,50%" } } }) }'),
    {
      deleteLine: { id: '2,c' },
      deleteLines: 1,
    },
  );
  equal(
    (
      await graph.importRows(
        'Line',
        [
          [
            { order: 1, product: 'c', amount: 3 },
            { order: 1, product: 'c', amount: 4 },
          ],
        ],
        { atomic: false },
      )
    ).written,
    1,
  );
  await data('mutation { deleteOrder(id: 2) }');
  deepEqual(await store.prepare('SELECT ord, product, amount FROM lines ORDER BY 1, 2').rows([]), [
    [1, 'a', 5],
    [1, 'c', 3],
  ]);
  deepEqual(
    (await graph.feed.read(0)).map(({ type, key: id, operation }) => `${operation} ${type} ${id}`),
    [
      'created Line 2,c',
      'updated Line 2,c',
      'deleted Line 2,c',
      'deleted Line 1,b%2C50%25',
      'created Line 1,c',
      'deleted Line 2,a',
      'deleted Order 2',
    ],
  );
});

testOnStores('2 keys of type uuid that the database generates find their rows through their indexes', async (store) => {
  if (!isPostgres(store)) return;
  await store.script(`
    CREATE TABLE people (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), boss uuid REFERENCES people, name text NOT NULL);
    CREATE INDEX ON people (boss);
    INSERT INTO people (id, name) SELECT ('00000000-0000-0000-0000-' || lpad(i::text, 12, '0'))::uuid, 'n' || i FROM generate_series(1, 2000) i;
    UPDATE people SET boss = '00000000-0000-0000-0000-000000000001' WHERE name IN ('n2', 'n3');
    ANALYZE people`);
  const { data, graph } = await open(
    store,
    `type Person @entity(table: "people") @unmanaged { id: UUID! @id @default(value: "database") name: String! boss: Person staff: [Person!]! }
    type Query { person(id: UUID!): Person people(where: PersonFilter, orderBy: [PersonOrder!], first: Int): [Person!]! }
    type Mutation { createPerson(name: String!, boss: UUID): Person! updatePerson(id: UUID!, name: String): Person }`,
  );
  const one = '00000000-0000-0000-0000-000000000001';
  deepEqual(
    await data(
      `{ person(id: "${one}") { staff { name boss { name } } } people(where: { boss: { name: { eq: "n1" } } }, orderBy: [{ name: ASC }]) { name boss { id } staff { id } } }`,
    ),
    {
      person: {
        staff: [
          { name: 'n2', boss: { name: 'n1' } },
          { name: 'n3', boss: { name: 'n1' } },
        ],
      },
      people: [
        { name: 'n2', boss: { id: one }, staff: [] },
        { name: 'n3', boss: { id: one }, staff: [] },
      ],
    },
  );
  const created = (await data(`mutation { createPerson(name: "new", boss: "${one}") { id boss { name } } }`)) as {
    createPerson: { id: string; boss: unknown };
  };
  match(created.createPerson.id, /^[0-9a-f-]{36}$/);
  deepEqual(
    await data(`mutation { updatePerson(id: "${created.createPerson.id}", name: "newer") { name boss { id } } }`),
    {
      updatePerson: { name: 'newer', boss: { id: one } },
    },
  );
  const { sql } = await explained(graph, store, `{ person(id: "${one}") { staff { boss { name } } } }`);
  match(sql, /Index Scan/);
  equal(/Seq Scan/.test(sql), false, sql);
});

test('PostgreSQL: 2 a user of the database without privileges reads, and gets an error that says so where they write', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const schema = freshSchema();
  const owner = await openPostgresStore({ url, schema });
  const types = `type Item @entity(table: "items") @unmanaged { id: ID! name: String }
    type Query { items: [Item!]! } type Mutation { createItem(name: String): Item! updateItem(id: ID!, name: String): Item deleteItem(id: ID!): Boolean! }`;
  await owner.script(`
    CREATE TABLE items (id serial PRIMARY KEY, name text); INSERT INTO items (name) VALUES ('a');
    CREATE ROLE reader_${schema} LOGIN PASSWORD 'reader'; GRANT CREATE ON DATABASE postgres TO reader_${schema};
    GRANT USAGE ON SCHEMA "${schema}" TO reader_${schema}; GRANT SELECT ON items TO reader_${schema};
    CREATE SCHEMA "lockstitch_${schema}" AUTHORIZATION reader_${schema}`);
  const reader = new URL(url);
  reader.username = `reader_${schema}`;
  reader.password = 'reader';
  const store = await openPostgresStore({ url: reader.href, schema });
  try {
    const { data, error } = await open(store, types);
    deepEqual(await data('{ items { id name } }'), { items: [{ id: '1', name: 'a' }] });
    for (const field of ['createItem(name: "b") { id }', 'updateItem(id: 1, name: "b") { id }', 'deleteItem(id: 1)'])
      match(await error(`mutation { ${field} }`), /^GRAPH_WRITE_DENIED/, field);
  } finally {
    await store.close();
    await owner.close();
  }
});

/** The plans of the statements that an operation runs. */
async function explained(
  graph: Awaited<ReturnType<typeof createGraph>>,
  store: Store,
  query: string,
): Promise<{ readonly sql: string }> {
  const texts: { readonly text: string; readonly values: readonly unknown[] }[] = [];
  const watched: Store = {
    ...store,
    prepare: (text) => {
      const statement = store.prepare(text);
      return {
        ...statement,
        text: (values, ...rest) => (texts.push({ text, values }), statement.text(values, ...rest)),
      };
    },
  };
  const again = await createGraph({ model: graph.model, store: watched, migrates: false });
  await again.execute({ query });
  const plans: (readonly unknown[])[] = [];
  for (const { text, values } of texts.filter((each) => each.text.includes('people'))) {
    const bound = text.replaceAll(/\$(\d+)/g, (_, index: string) => `'${String(values[Number(index) - 1])}'`);
    plans.push(...(await store.prepare(`EXPLAIN ${bound}`).rows([])));
  }
  return { sql: plans.flat().join('\n') };
}

testOnStores('2 enum values are read and written under the names that the database has for them', async (store) => {
  const key = isPostgres(store) ? 'serial PRIMARY KEY' : 'INTEGER PRIMARY KEY';
  if (isPostgres(store)) await store.script(`CREATE TYPE "Rating" AS ENUM ('G', 'PG-13', 'it''s')`);
  await store.script(`
    CREATE TABLE films (id ${key}, rating ${isPostgres(store) ? '"Rating"' : 'varchar(5)'}, old varchar(5));
    INSERT INTO films (rating, old) VALUES ('PG-13', 'it''s'), ('G', NULL), ('it''s', 'G')`);
  const { data } = await open(
    store,
    `enum Rating { G PG_13 @column(name: "PG-13") ITS @column(name: "it's") }
    type Film @entity(table: "films") @unmanaged { id: ID! rating: Rating old: Rating }
    type Query { films(where: FilmFilter, orderBy: [FilmOrder!]): [Film!]! }
    type Mutation { createFilm(rating: Rating, old: Rating): Film! updateFilm(id: ID!, rating: Rating): Film }`,
  );
  deepEqual(
    await data(
      '{ films(orderBy: [{ rating: ASC }]) { rating old } found: films(where: { rating: { in: [PG_13] } }) { id } }',
    ),
    {
      films: [
        { rating: 'G', old: null },
        { rating: 'ITS', old: 'G' },
        { rating: 'PG_13', old: 'ITS' },
      ],
      found: [{ id: '1' }],
    },
  );
  deepEqual(
    await data(
      'mutation { createFilm(rating: ITS, old: PG_13) { rating old } updateFilm(id: 1, rating: G) { rating } }',
    ),
    {
      createFilm: { rating: 'ITS', old: 'PG_13' },
      updateFilm: { rating: 'G' },
    },
  );
  deepEqual(await store.prepare('SELECT rating, old FROM films ORDER BY id').rows([]), [
    ['G', "it's"],
    ['G', null],
    ["it's", 'G'],
    ["it's", 'PG-13'],
  ]);
});

testOnStores('2 a key that is a foreign key too is a field and a relation of one column', async (store) => {
  await store.script(`
    CREATE TABLE members (id integer PRIMARY KEY, name text);
    CREATE TABLE profiles (member_id integer PRIMARY KEY REFERENCES members, motto text);
    INSERT INTO members VALUES (1, 'a'), (2, 'b');
    INSERT INTO profiles VALUES (1, 'x')`);
  const schema = `type Member @entity(table: "members") @unmanaged { id: Int! @id name: String profile: Profile }
    type Profile @entity(table: "profiles") @unmanaged { memberId: Int! @id motto: String member: Member! @column(name: "member_id") @readOnly }
    type Query { members(orderBy: [MemberOrder!]): [Member!]! profile(memberId: Int!): Profile }
    type Mutation { createProfile(memberId: Int!, motto: String): Profile! updateProfile(memberId: Int!, motto: String): Profile deleteMember(id: Int!): Boolean! }`;
  const { data, error } = await open(store, schema);
  deepEqual(await data('{ members(orderBy: [{ id: ASC }]) { name profile { memberId motto member { name } } } }'), {
    members: [
      { name: 'a', profile: { memberId: 1, motto: 'x', member: { name: 'a' } } },
      { name: 'b', profile: null },
    ],
  });
  deepEqual(
    await data(
      'mutation { createProfile(memberId: 2, motto: "y") { member { name } } updateProfile(memberId: 2, motto: "z") { motto } }',
    ),
    {
      createProfile: { member: { name: 'b' } },
      updateProfile: { motto: 'z' },
    },
  );
  match(await error('mutation { createProfile(memberId: 3) { motto } }'), /^GRAPH_CONSTRAINT/);
  match(await error('mutation { deleteMember(id: 1) }'), /^GRAPH_/);
  throws(() => modelOf(schema.replace('memberId: Int! @id', 'memberId: String! @id')), /as values of different types/);
  throws(() => modelOf(schema.replace(' @readOnly', '')), /can both be written/);
});

testOnStores(
  '1 a renamed field is one step that keeps its values, and so is a change of type with an expression',
  async (store) => {
    const before = `type Item @entity { id: ID! title: String @unique owner: User cents: Int state: State }
    type User @entity { id: ID! items: [Item!]! } enum State { NEW OLD } type Query { items: [Item!]! }
    type Mutation { createUser: User! createItem(title: String, owner: ID, cents: Int, state: State): Item! }`;
    const old = await open(store, before);
    await old.data('mutation { createUser { id } createItem(title: "a", owner: 1, cents: 1250, state: OLD) { id } }');
    const after = `type Item @entity { id: ID! name: String @unique @renamedFrom(name: "title") holder: User @renamedFrom(name: "owner")
      cents: Decimal @column(using: "cents / 100.0") condition: State @renamedFrom(name: "state") }
    type User @entity { id: ID! items: [Item!]! } enum State { NEW OLD } type Query { items: [Item!]! }`;
    const model = modelOf(after);
    const { steps } = await planMigration(model, store);
    deepEqual(
      steps.map(({ name, loses }) => (loses === undefined ? name : `${name}: ${loses}`)),
      ['rename items.title', 'rename items.owner', 'rename items.state', 'retype items.cents'],
    );
    const { data } = await open(store, after);
    deepEqual(await data('{ items { name holder { id } cents condition } }'), {
      items: [{ name: 'a', holder: { id: '1' }, cents: '12.5', condition: 'OLD' }],
    });
    const again = await planMigration(model, store);
    deepEqual([again.steps, again.sql, again.optional], [[], [], []]);
    const wrong = (text: string) =>
      planMigration(modelOf(text), store).then((plan) =>
        plan.steps.map(({ name, loses, blocked }) => `${name} ${blocked} ${loses}`).join(),
      );
    match(
      await wrong(
        after.replace('condition: State @renamedFrom(name: "state")', 'count: Int @renamedFrom(name: "condition")'),
      ),
      /^rename items\.condition true its type changes from text to bigint too|^rename items\.condition true its type changes from TEXT to INTEGER too/,
    );
    match(
      await wrong(
        after.replace('cents: Decimal @column(using: "cents / 100.0")', 'cents: Int @column(using: "nothing + 1")'),
      ),
      /^retype items\.cents true @column\(using: "nothing \+ 1"\) fails: /,
    );
  },
);

testOnStores('2 @renamedFrom on an unmanaged column renames nothing', async (store) => {
  await store.script('CREATE TABLE posts (id integer PRIMARY KEY, name text)');
  const model = modelOf(
    'type Post @entity { id: ID! title: String @unmanaged @renamedFrom(name: "name") } type Query { posts: [Post!]! }',
  );
  const { steps, sql } = await planMigration(model, store);
  equal(sql.join('; ').includes('RENAME COLUMN'), false, sql.join('; '));
  match(steps.find(({ name }) => name === 'read posts.title')?.loses ?? '', /table posts has no such column/);
});

testOnStores('2 a table that becomes unmanaged under another spelling is not dropped', async (store) => {
  const { data } = await open(
    store,
    'type Post @entity { id: ID! } type Old @entity { id: ID! } type Query { posts: [Post!]! } type Mutation { createPost: Post! }',
  );
  await data('mutation { createPost { id } }');
  const spelling = isPostgres(store) ? `${await store.prepare('SELECT current_schema()').text([])}.posts` : 'POSTS';
  for (const table of ['\\"posts\\"', spelling]) {
    const model = modelOf(`type Post @entity(table: "${table}") @unmanaged { id: ID! } type Query { posts: [Post!]! }`);
    const { steps, optional, sql } = await planMigration(model, store, { allow: ['drop posts', 'drop olds'] });
    deepEqual(
      [...steps, ...optional].map(({ name }) => name),
      ['drop olds'],
      table,
    );
    equal(sql.join('; ').includes('DROP TABLE "posts"'), false, table);
  }
});

testOnStores('2 an object can be written only if its key is unique in the table', async (store) => {
  await store.script(`
    CREATE TABLE notes (code varchar(9), t text);
    CREATE TABLE marks (code varchar(9) UNIQUE, t text);
    CREATE TABLE parts (code varchar(9), nr integer, UNIQUE (code, nr))`);
  const plan = async (table: string, more = ''): Promise<string> => {
    const text = `type Note @entity(table: "${table}") @unmanaged ${more} { code: String! @id } type Query { notes: [Note!]! }`;
    const { steps } = await planMigration(modelOf(text), store);
    return steps.flatMap(({ loses }) => loses ?? []).join();
  };
  match(await plan('notes'), /code is not unique, so it names no single row/);
  match(await plan('parts'), /code is not unique/);
  equal(await plan('notes', '@readOnly'), '');
  equal(await plan('marks'), '');
  await store.script('CREATE UNIQUE INDEX one ON notes (code)');
  equal(await plan('notes'), '');
});

testOnStores('2 SQLite: an unmanaged table is found by its name in any case', async (store) => {
  if (isPostgres(store)) return;
  await store.script(`CREATE TABLE "Users" (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO "Users" VALUES (1, 'a')`);
  const { data } = await open(
    store,
    'type User @entity(table: "users") @unmanaged { id: ID! name: String } type Query { users: [User!]! }',
  );
  deepEqual(await data('{ users { name } }'), { users: [{ name: 'a' }] });
});

testOnStores('2 a managed relation to an unmanaged table or view has no foreign key, and is usable', async (store) => {
  await store.script(`
    CREATE TABLE users (id integer PRIMARY KEY, name text);
    INSERT INTO users VALUES (1, 'a');
    CREATE VIEW people AS SELECT id, name FROM users`);
  const types = `type User @entity(table: "users") @unmanaged { id: ID! name: String notes: [Note!]! tagged: [Note!]! @relation(inverse: "tags") }
    type Person @entity(table: "people") @readOnly { id: ID! name: String notes: [Note!]! }
    type Note @entity { id: ID! by: User @relation(inverse: "notes") person: Person tags: [User!]! @relation(inverse: "tagged") }
    type Query { notes(orderBy: [NoteOrder!]): [Note!]! users: [User!]! }
    type Mutation { createNote(by: ID, person: ID, tags: [ID!]): Note! }`;
  const { data, error } = await open(store, types);
  deepEqual(
    await data('mutation { createNote(by: 1, person: 1, tags: [1]) { by { name } person { name } tags { name } } }'),
    { createNote: { by: { name: 'a' }, person: { name: 'a' }, tags: [{ name: 'a' }] } },
  );
  match(await error('mutation { createNote(by: 77) { id } }'), /^GRAPH_.*no User has id "77"/);
  match(await error('mutation { createNote(person: 77) { id } }'), /^GRAPH_.*no Person has id "77"/);
  match(await error('mutation { createNote(tags: [77]) { id } }'), /^GRAPH_.*no User has id "77"/);
  const again = await planMigration(modelOf(types), store);
  deepEqual([again.steps, again.optional], [[], []]);
  // The team's own statement.
  await store.script('DELETE FROM users');
  deepEqual(await data('{ notes(orderBy: [{ id: ASC }]) { by { name } tags { name } } users { id } }'), {
    notes: [{ by: null, tags: [] }],
    users: [],
  });
});

testOnStores('2 a foreign key stays when its target becomes unmanaged', async (store) => {
  const managed = `type User @entity(table: "users") { id: ID! name: String }
    type Note @entity(table: "notes") { id: ID! by: User! }
    type Query { notes: [Note!]! } type Mutation { createUser(name: String): User! createNote(by: ID!): Note! }`;
  const { data } = await open(store, managed);
  await data('mutation { createUser(name: "a") { id } createNote(by: 1) { id } }');
  const { steps } = await planMigration(modelOf(managed.replace(') {', ') @unmanaged {')), store);
  deepEqual(steps, []);
  await rejects(store.script('DELETE FROM users'));
});

testOnStores('2 an integer key beyond 2^52 of an unmanaged table is written', async (store) => {
  const counted = isPostgres(store) ? 'bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY' : 'INTEGER PRIMARY KEY';
  await store.script(`CREATE TABLE items (id ${counted}, name text); INSERT INTO items VALUES (9007199254740993, 'a')`);
  const { data } = await open(
    store,
    `type Item @entity(table: "items") @unmanaged { id: ID! name: String }
    type Query { items: [Item!]! }
    type Mutation { updateItem(id: ID!, name: String): Item createItem(id: ID, name: String): Item! deleteItem(id: ID!): ID }`,
  );
  deepEqual(await data('mutation { updateItem(id: "9007199254740993", name: "b") { name } }'), {
    updateItem: { name: 'b' },
  });
  deepEqual(await data('mutation { createItem(id: "9007199254740995", name: "c") { id } }'), {
    createItem: { id: '9007199254740995' },
  });
  deepEqual(await data('mutation { deleteItem(id: "9007199254740993") }'), { deleteItem: '9007199254740993' });
});

testOnStores('2 indexes over unmanaged columns are neither created nor dropped', async (store) => {
  const model = modelOf(
    `type Item @entity @unique(fields: ["code", "nr"]) @unique(fields: ["nr", "size"]) { id: ID! code: String @unmanaged @unique nr: Int size: Int } type Query { items: [Item!]! }`,
  );
  await store.script(
    `CREATE TABLE items (id ${isPostgres(store) ? 'bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT'}, code varchar(9), nr ${isPostgres(store) ? 'bigint' : 'INTEGER'}, size ${isPostgres(store) ? 'bigint' : 'INTEGER'});
    CREATE UNIQUE INDEX items_code_key ON items (code)`,
  );
  const { steps, sql } = await planMigration(model, store);
  deepEqual(
    steps.map(({ name }) => name).filter((name) => name.includes('index')),
    ['index items_nr_size_key'],
  );
  equal(sql.join('; ').includes('DROP INDEX'), false);
});

testOnStores('1 a renamed column is counted by its old name when its values get a narrower meaning', async (store) => {
  const before = `type Item @entity { id: ID! name: String state: State owner: User } type User @entity { id: ID! items: [Item!]! } type Team @entity { id: ID! }
    enum State { NEW OLD } type Query { items: [Item!]! } type Mutation { createUser: User! createItem(name: String, state: State, owner: ID): Item! }`;
  const { data } = await open(store, before);
  await data(
    'mutation { createUser { id } a: createItem(name: "a", state: OLD, owner: 1) { id } b: createItem(name: "a", state: NEW) { id } }',
  );
  const after = before
    .replace(
      'name: String state: State owner: User',
      'title: String @renamedFrom(name: "name") @unique phase: State @renamedFrom(name: "state") team: Team @renamedFrom(name: "owner")',
    )
    .replace('items: [Item!]! }', '}')
    .replace('type User @entity { id: ID! }', 'type User @entity { id: ID! } ')
    .replace('enum State { NEW OLD }', 'enum State { NEW }')
    .replace(/type Mutation.*/, '');
  const plan = async (): Promise<readonly string[]> =>
    (await planMigration(modelOf(after), store)).steps.map(({ name, loses }) => `${name}: ${loses}`);
  const steps = (await plan()).join('\n');
  match(steps, /index items_title_key: 2 rows have a value that another has too/);
  match(steps, /values items\.phase: 1 value in items\.phase would not be allowed: "OLD"/);
  match(steps, /refer items\.team: 1 value that is keys of users/);
  await store.script(`UPDATE items SET name = 'b', state = 'NEW', owner = NULL WHERE id = 1`);
  const next = await open(store, after);
  deepEqual(await next.data('{ items { title phase team { id } } }'), {
    items: [
      { title: 'b', phase: 'NEW', team: null },
      { title: 'a', phase: 'NEW', team: null },
    ],
  });
});

testOnStores(
  '2 PostgreSQL: columns of INCLUDE make no key unique, and neither does an invalid index',
  async (store) => {
    if (!isPostgres(store)) return;
    await store.script(`
    CREATE TABLE notes (code text, t text);
    CREATE UNIQUE INDEX one ON notes (code, t)`);
    const plan = async (): Promise<string> => {
      const text = 'type Note @entity(table: "notes") @unmanaged { code: String! @id } type Query { notes: [Note!]! }';
      const { steps } = await planMigration(modelOf(text), store);
      return steps.flatMap(({ loses }) => loses ?? []).join();
    };
    match(await plan(), /code is not unique/);
    await store.script('CREATE UNIQUE INDEX two ON notes (code) INCLUDE (t)');
    equal(await plan(), '');
    await store.script("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'two'::regclass");
    match(await plan(), /code is not unique/);
  },
);
