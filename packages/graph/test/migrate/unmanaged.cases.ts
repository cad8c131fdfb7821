// Tables that a team already has, served as they are: named tables, columns and join tables, types read and written
// exactly, and a plan that changes nothing of them.
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { createGraph } from '../../src/execute/create-graph.ts';
import { planMigration } from '../../src/migrate/plan-migration.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import type { Store } from '../../src/store/store.ts';
import { testOnStores } from '../stores.ts';

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
