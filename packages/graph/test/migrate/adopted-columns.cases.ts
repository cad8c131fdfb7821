// Existing PostgreSQL tables of other applications: which columns are kept, converted or rejected. No value changes its
// meaning, no loss is reported that does not occur, and kept columns work like the engine's own.
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createGraph } from '../../src/execute/create-graph.ts';
import { checkIntegrity } from '../../src/migrate/check-integrity.ts';
import { applyMigration } from '../../src/migrate/apply-migration.ts';
import { planMigration } from '../../src/migrate/plan-migration.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { freshSchema, postgresUrl } from '../stores.ts';

function testOnPostgres(name: string, body: (store: Store) => Promise<void>): void {
  test(name, async (t) => {
    const url = await postgresUrl();
    if (!url.startsWith('postgres:')) return t.skip(url);
    const store = await openPostgresStore({ url, schema: freshSchema() });
    try {
      await body(store);
    } finally {
      await store.close();
    }
  });
}

const SCALARS =
  'scalar Date scalar DateTime scalar Time scalar UUID scalar BigInt scalar Decimal scalar JSON scalar URL enum Color { RED GREEN }';
const model = (types: string) =>
  readSchema([{ file: 'test.graphql', text: `${SCALARS} ${types} type Query { ok: Int }` }], {
    resolvers: { Query: { ok: () => 1 } },
  });

/** Runs statements, each alone. */
async function run(store: Store, ...statements: readonly string[]): Promise<void> {
  await store.script(statements.join(';\n'));
}

const rowsOf = async (store: Store, sql: string): Promise<readonly (readonly unknown[])[]> =>
  store.prepare(sql).rows([]);

/** What `information_schema` calls a column now. */
async function typeOf(store: Store, table: string, column: string): Promise<unknown> {
  const sql = `SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attname = '${column}'`;
  return (await rowsOf(store, sql))[0]?.[0];
}

testOnPostgres('2.1 a table of somebody else is taken over with every value that it holds', async (store) => {
  await run(
    store,
    'CREATE TABLE customers (id bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL, email varchar(100), since date, seen timestamptz, ref uuid, price numeric(10,2), code char(5), level integer, tags text[], note money)',
    `INSERT INTO customers (name, email, since, seen, ref, price, code, level, tags, note)
       SELECT 'n' || i, 'm' || i || '@x.y', date '2020-02-27' + i, timestamptz '2020-01-01 00:00:00.123456Z' + i * interval '1 day',
         ('00000000-0000-0000-0000-00000000000' || i)::uuid, i * 1.25, 'c' || i, i * 7, ARRAY['a', 'b' || i], i
       FROM generate_series(0, 9) i`,
  );
  const taken = model(`type Customer @entity(table: "customers") {
    id: ID! name: String! email: String since: Date seen: DateTime ref: UUID price: Float code: String level: Int tags: [String!] }`);
  const before = await rowsOf(
    store,
    'SELECT id, name, email, since::text, seen::text, ref::text, price::float8, rtrim(code), level, to_jsonb(tags)::text, note::text FROM customers ORDER BY id',
  );
  const plan = await planMigration(taken, store);
  deepEqual(
    plan.steps.filter((step) => step.loses !== undefined),
    [],
  );
  await applyMigration(taken, store);
  deepEqual(
    await rowsOf(
      store,
      'SELECT id, name, email, since::text, seen::text, ref::text, price, code, level, tags::text, note::text FROM customers ORDER BY id',
    ),
    before,
  );
  for (const [column, type] of Object.entries({
    email: 'character varying(100)',
    since: 'date',
    seen: 'timestamp with time zone',
    ref: 'uuid',
    level: 'integer',
    note: 'money',
    price: 'double precision',
    code: 'text',
    tags: 'jsonb',
  }))
    equal(await typeOf(store, 'customers', column), type);
  const again = await planMigration(taken, store);
  deepEqual([again.steps, again.sql, again.optional.map((step) => step.name)], [[], [], ['drop customers.note']]);
});

testOnPostgres('2.1 kept columns are read, filtered, ordered, paged and written like those of ours', async (store) => {
  await run(
    store,
    'CREATE TABLE things (id serial PRIMARY KEY, email varchar(10) UNIQUE, since date, seen timestamptz, ref uuid, level integer)',
    `INSERT INTO things (email, since, seen, ref, level) VALUES
      ('b', '2021-01-01', '2021-01-01 00:00:00.000400Z', '00000000-0000-0000-0000-00000000000a', 2147483647),
      ('B', '2020-02-29', '2021-01-01 00:00:00.000900Z', '00000000-0000-0000-0000-00000000000b', 5),
      ('a', NULL, '2021-01-01 00:00:00.001Z', NULL, NULL)`,
  );
  const types = `${SCALARS}
    type Thing @entity(table: "things") { id: ID! email: String @unique since: Date seen: DateTime ref: UUID level: Int @auth(read: "level == null || level * 100000 != 1") owners: [Owner!]! }
    type Owner { id: ID! thing: Thing }
    input ThingInput { email: String since: Date seen: DateTime ref: UUID level: Int }
    type Query { thing(id: ID!): Thing things(where: ThingFilter, orderBy: [ThingOrder!]): [Thing!]! pages(first: Int, after: String, orderBy: [ThingOrder!]): ThingConnection! }
    type Mutation { createThing(input: ThingInput!): Thing! updateThing(id: ID!, input: ThingInput!): Thing updateThings(where: ThingFilter!, input: ThingInput!): [Thing!]! deleteThing(id: ID!): Boolean! createOwner(thing: ID): Owner! }`;
  const graph = await createGraph({
    model: readSchema([{ file: 'test.graphql', text: types }], {}),
    store,
  });
  const ask = async (query: string): Promise<unknown> => {
    const { body } = await graph.execute({ query });
    return JSON.parse(body) as unknown;
  };
  const data = async (query: string): Promise<unknown> => {
    const answer = (await ask(query)) as { data: unknown; errors?: unknown };
    equal(answer.errors, undefined, JSON.stringify(answer.errors));
    return answer.data;
  };
  equal(await typeOf(store, 'things', 'id'), 'bigint');
  deepEqual(await data('{ things(orderBy: [{ id: ASC }]) { id email since seen ref level } }'), {
    things: [
      {
        id: '1',
        email: 'b',
        since: '2021-01-01',
        seen: '2021-01-01T00:00:00.000Z',
        ref: '00000000-0000-0000-0000-00000000000a',
        level: 2147483647,
      },
      {
        id: '2',
        email: 'B',
        since: '2020-02-29',
        seen: '2021-01-01T00:00:00.000Z',
        ref: '00000000-0000-0000-0000-00000000000b',
        level: 5,
      },
      { id: '3', email: 'a', since: null, seen: '2021-01-01T00:00:00.001Z', ref: null, level: null },
    ],
  });
  const ids = async (where: string): Promise<unknown> =>
    ((await data(`{ things(where: ${where}, orderBy: [{ id: ASC }]) { id } }`)) as { things: { id: string }[] }).things
      .map(({ id }) => id)
      .join();
  equal(await ids('{ email: { eq: "b" } }'), '1');
  equal(await ids('{ email: { startsWith: "b" } }'), '1');
  equal(await ids('{ email: { in: ["b", "a"] } }'), '1,3');
  equal(await ids('{ email: { gt: "B" } }'), '1,3');
  equal(await ids('{ since: { lt: "2020-12-31" } }'), '2');
  equal(await ids('{ since: { in: ["2021-01-01"] } }'), '1');
  equal(await ids('{ since: { eq: null } }'), '3');
  equal(await ids('{ seen: { eq: "2021-01-01T00:00:00.000Z" } }'), '1,2');
  equal(await ids('{ seen: { gt: "2021-01-01T00:00:00.000Z" } }'), '3');
  equal(await ids('{ ref: { eq: "00000000-0000-0000-0000-00000000000A" } }'), '1');
  equal(await ids('{ level: { in: [5, 6] } }'), '2');
  const order = async (by: string): Promise<unknown> =>
    ((await data(`{ things(orderBy: [${by}]) { id } }`)) as { things: { id: string }[] }).things
      .map(({ id }) => id)
      .join();
  equal(await order('{ email: ASC }'), '2,3,1');
  equal(await order('{ since: DESC }'), '1,2,3');
  for (const by of ['email: ASC', 'since: DESC', 'seen: ASC', 'seen: DESC', 'ref: ASC', 'level: DESC']) {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page = (await data(
        `{ pages(first: 1, orderBy: [{ ${by} }], after: ${JSON.stringify(after)}) { edges { node { id } } pageInfo { hasNextPage endCursor } } }`,
      )) as { pages: { edges: { node: { id: string } }[]; pageInfo: { hasNextPage: boolean; endCursor: string } } };
      seen.push(...page.pages.edges.map(({ node }) => node.id));
      after = page.pages.pageInfo.hasNextPage ? page.pages.pageInfo.endCursor : null;
    } while (after !== null);
    deepEqual(seen.toSorted(), ['1', '2', '3'], by);
  }
  deepEqual(
    await data(
      'mutation { createThing(input: { email: "1234567890", since: "2022-03-04", seen: "2022-03-04T05:06:07.89Z", ref: "10000000-0000-0000-0000-00000000000A", level: 1 }) { id email since seen ref level } }',
    ),
    {
      createThing: {
        id: '4',
        email: '1234567890',
        since: '2022-03-04',
        seen: '2022-03-04T05:06:07.890Z',
        ref: '10000000-0000-0000-0000-00000000000a',
        level: 1,
      },
    },
  );
  deepEqual(await data('mutation { updateThing(id: 1, input: { since: null, level: 3 }) { since level } }'), {
    updateThing: { since: null, level: 3 },
  });
  deepEqual(
    await data(
      'mutation { updateThings(where: { since: { eq: "2020-02-29" }, seen: { eq: "2021-01-01T00:00:00.000Z" } }, input: { email: "éééééééééé" }) { id } }',
    ),
    { updateThings: [{ id: '2' }] },
  );
  // What a write does not name stays as fine as it was.
  deepEqual(await rowsOf(store, 'SELECT seen::text FROM things WHERE id = 2'), [['2021-01-01 00:00:00.0009+00']]);
  for (const mutation of [
    'createThing(input: { email: "12345678901" }) { id }',
    'updateThing(id: 1, input: { email: "12345678901" }) { id }',
  ]) {
    const { errors } = (await ask(`mutation { ${mutation} }`)) as {
      errors: { message: string; extensions: { code: string } }[];
    };
    match(errors[0]!.message, /email.* is longer than the 10 characters that its column takes/);
    equal(errors[0]!.extensions.code, 'GRAPH_INPUT_INVALID');
  }
  await run(store, 'ALTER TABLE things ALTER COLUMN email TYPE varchar(3) USING left(email, 3)');
  const late = (await ask('mutation { createThing(input: { email: "1234" }) { id } }')) as {
    errors: { extensions: { code: string } }[];
  };
  equal(late.errors[0]!.extensions.code, 'GRAPH_TEXT_TOO_LONG');
  await data('mutation { createOwner(thing: "1") { thing { email } } }');
  await graph.importRows('Thing', [
    [
      {
        id: '77',
        email: 'i',
        since: '2001-01-01',
        seen: '2001-01-01T00:00:00Z',
        ref: '00000000-0000-0000-0000-00000000000c',
        level: 9,
      },
    ],
  ]);
  deepEqual(await data('{ thing(id: 77) { email since ref level } }'), {
    thing: { email: 'i', since: '2001-01-01', ref: '00000000-0000-0000-0000-00000000000c', level: 9 },
  });
  deepEqual(await data('mutation { createThing(input: { email: "j" }) { id } }'), { createThing: { id: '78' } });
});

/** A type of PostgreSQL and values of it, as SQL. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  text: [
    "'x'",
    "''",
    "'7'",
    "'007'",
    "'1.50'",
    "'1e5'",
    "'true'",
    "'TRUE'",
    "'2020-02-29'",
    "'2020-02-29T10:00:00Z'",
    "'2019-02-29T10:00:00.000Z'",
    "'RED'",
    "'0.1000000000000000055'",
    "'{}'",
    "'a '",
  ],
  'varchar(100)': ["'x'", "'7'", "'2020-02-29'", "'RED'", "'a '"],
  'varchar(3)': ["'x'", "'7'", "'RED'"],
  varchar: ["'x'", "'RED'"],
  'char(5)': ["'x'", "'7'", "'RED'", "''"],
  name: ["'x'", "'RED'"],
  color: ["'RED'", "'GREEN'"],
  smallint: ['0', '1', '-7', '32767'],
  integer: ['0', '1', '2147483647', '-2147483648'],
  bigint: ['0', '1', '2147483648', '9007199254740993', '-9223372036854775808'],
  numeric: ['0', '1', '1.5', '0.1', '12345678901234567890.5', "'NaN'", '1e-400', '1e400', '9007199254740993'],
  'numeric(10,2)': ['0', '1', '1.50', '-99999999.99'],
  real: ['0', '1', '0.1', '3.4e38', "'NaN'", "'-Infinity'"],
  'double precision': ['0', '1', '0.1', '1e300', '0.30000000000000004'],
  money: ['1', '2.5'],
  boolean: ['true', 'false'],
  date: ["'2020-02-29'", "'infinity'", "'0044-03-15 BC'", "'9999-12-31'"],
  timestamptz: ["'2020-02-29 10:00:00.123456Z'", "'2020-02-29 10:00:00+05'", "'infinity'", "'20000-01-01Z'"],
  'timestamptz(0)': ["'2020-02-29 10:00:00Z'"],
  timestamp: ["'2020-02-29 10:00:00.123456'", "'infinity'"],
  time: ["'10:00:00.5'"],
  timetz: ["'10:00:00+02'"],
  interval: ["'1 year 2 days 03:00'"],
  uuid: ["'00000000-0000-0000-0000-00000000000a'"],
  bytea: ["'\\x00ff'"],
  json: [`'{"a": 1, "b": [1.0]}'`, `'{"a": 1, "a": 2}'`, `'[1]'`, `'"\\u0000"'`, `'1e400'`, `'true'`, `'7'`],
  jsonb: [`'{"a": 1}'`, `'["a"]'`, `'true'`, `'7'`, `'0.1'`, `'"x"'`],
  'text[]': ["'{}'", "'{a,b}'", "'{{a},{b}}'", "'{NULL}'"],
  'integer[]': ["'{1,2}'", "'[5:6]={1,2}'"],
  'double precision[]': ["'{0.1}'", "'{NaN}'"],
  'numeric[]': ["'{0.1}'"],
  inet: ["'10.0.0.1'", "'10.0.0.0/8'"],
  int4range: ["'[1,5)'"],
  tsvector: ["'a b'"],
  point: ["'(1,2)'"],
  'bit(3)': ["B'101'"],
  xml: ["'<a/>'"],
  short: ["'x'", "'RED'"],
  whole: ['7'],
};
const FIELDS = [
  'String',
  'Int',
  'Float',
  'Boolean',
  'BigInt',
  'Decimal',
  'Date',
  'DateTime',
  'UUID',
  'JSON',
  'Color',
  '[String]',
  '[Float]',
];

testOnPostgres(
  '2.1 no plan changes a value without permission, or claims a loss that would not occur',
  async (store) => {
    await run(
      store,
      "CREATE TYPE color AS ENUM ('RED', 'GREEN')",
      'CREATE DOMAIN short AS varchar(5)',
      'CREATE DOMAIN whole AS integer',
      "SET timezone = 'America/New_York'",
    );
    const kinds = new Set<string>();
    const tables = Object.entries(TYPES).map(([type, values], index) => ({ table: `t${index}`, type, values }));
    const all = FIELDS.map((_, index) => `c${index}`);
    await run(
      store,
      ...tables.flatMap(({ table, type, values }) => [
        `CREATE TABLE ${table} (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, old ${type}, ${all.map((name) => `${name} ${type}`).join(', ')})`,
        ...values.map(
          (value) =>
            `INSERT INTO ${table} (old, ${all.join(', ')}) VALUES (${[value, ...all.map(() => value)].join(', ')})`,
        ),
      ]),
    );
    const taken = (fieldsOf: (table: string) => readonly string[]) =>
      model(
        tables
          .map(
            ({ table }) =>
              `type R${table} @entity(table: "${table}") { id: ID! ${fieldsOf(table)
                .map((field) => `c${FIELDS.indexOf(field)}: ${field}`)
                .join(' ')} }`,
          )
          .join(' '),
      );
    const { steps } = await planMigration(
      taken(() => FIELDS),
      store,
    );
    const passing = new Map<string, readonly string[]>();
    for (const { table, type } of tables) {
      const fine: string[] = [];
      for (const [index, field] of FIELDS.entries()) {
        const own = steps.filter((step) => step.name.endsWith(` ${table}.c${index}`) && step.loses !== undefined);
        const said = own.map((step) => `${type} as ${field}: ${step.text}: ${step.loses}`).join('\n');
        ok(
          own.every((step) => step.blocked),
          said,
        );
        for (const step of own) {
          const claim = /^(\d+) values? in \S+ that \S+ cannot hold as/.exec(step.loses!);
          kinds.add(claim !== null ? 'misfits' : step.loses!.startsWith('unknown type') ? 'unknown' : 'other');
          if (claim === null || type.startsWith('json')) continue;
          const [[kept, rows]] = (await rowsOf(
            store,
            `SELECT count(*) FILTER (WHERE ${comesBack(/ to (.*)$/.exec(step.text)![1]!, field)}), count(*) FROM ${table}`,
          )) as [[string, string]];
          ok(Number(claim[1]) + Number(kept) <= Number(rows), said);
        }
        if (own.length === 0) fine.push(field);
      }
      passing.set(table, fine);
    }
    await applyMigration(
      taken((table) => passing.get(table)!),
      store,
    );
    for (const { table, type } of tables) {
      for (const field of passing.get(table)!) {
        const column = `c${FIELDS.indexOf(field)}`;
        const now = String(await typeOf(store, table, column));
        kinds.add(now === (await typeOf(store, table, 'old')) ? 'kept' : 'converted');
        const rows = await rowsOf(
          store,
          `SELECT old::text, ${column}::text FROM ${table} WHERE (${meansTheSame(type, now, column)}) IS NOT TRUE`,
        );
        deepEqual(rows, [], `${type} as ${field} (${now})`);
      }
    }
    deepEqual([...kinds].toSorted(), ['converted', 'kept', 'misfits', 'other', 'unknown']);
  },
);

/** SQL by which PostgreSQL itself says that a value can become a type and come back the same: then it was no loss. */
function comesBack(target: string, field: string): string {
  const isValid = `pg_input_is_valid(old::text, '${target}')`;
  const isSame = `CASE WHEN ${isValid} THEN old::text = (CASE WHEN ${isValid} THEN old::text END)::${target}::text END`;
  return `${isSame} AND NOT (old::text IN ('NaN', 'Infinity', '-Infinity') AND ${field === 'Float' || field === 'Decimal'})`;
}

/** SQL that compares a converted value with the original. */
function meansTheSame(type: string, now: string, column: string): string {
  const isNumber = /^(?:bigint|double precision|numeric)$/.test(now);
  if (type.endsWith('[]') && now === 'jsonb') return `to_jsonb(old) = ${column}`;
  if (type === 'json' && now === 'jsonb') return `old::jsonb = ${column}`;
  if (type.startsWith('json') && now === 'text') return `old::jsonb #>> '{}' = ${column}`;
  if (isNumber && /^(?:text|var|char|name|jsonb)/.test(type)) return `(old::text)::numeric = ${column}::text::numeric`;
  if (isNumber && type === 'boolean') return `old::int = ${column}`;
  if (['json', 'point', 'xml', 'tsvector'].includes(type)) return `old::text = ${column}::text`;
  if (now === 'boolean' && type !== 'boolean') return `old::text IN ('1', 'true') = ${column}`;
  return `old = ${column}::text::${type}`;
}

testOnPostgres('2.1 what stands in the way of a conversion is named before anything is done', async (store) => {
  await run(
    store,
    'CREATE TABLE parts (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, code char(5), price numeric, size numeric CHECK (size > 0.5), twice numeric GENERATED ALWAYS AS (price * 2) STORED, at timestamp)',
    "INSERT INTO parts (code, price, size, at) VALUES ('x', 1, 1, now())",
    'CREATE VIEW codes AS SELECT code FROM parts',
    'CREATE VIEW names AS SELECT 1 AS id',
  );
  const said = async (fields: string, table = 'parts'): Promise<string> => {
    const type = model(`type Part @entity(table: "${table}") { id: ID! ${fields} }`);
    const { steps } = await planMigration(type, store);
    const lost = steps.filter((step) => step.loses !== undefined);
    ok(lost.length > 0);
    ok(lost.every((step) => step.blocked));
    await rejects(applyMigration(type, store, { allow: steps.map((step) => step.name) }), {
      code: 'GRAPH_MIGRATION_REFUSED',
      message: /was not changed:\n {2}.*: cannot be done: /,
      hint: /^Change the data or the schema as each line says/,
    });
    return lost.map((step) => step.loses).join('\n');
  };
  match(await said('code: String'), /view codes uses the column; drop it first/);
  match(await said('price: Float'), /PostgreSQL refuses it \(cannot alter type of a column used by a generated column/);
  match(await said('twice: Float'), /the database computes its values.*leave the field out/);
  match(await said('at: DateTime'), /unknown type: .*timestamp without time zone.*whose time it is.*AT TIME ZONE/);
  match(await said('at: Boolean'), /unknown type/);
  match(await said('', 'names'), /a view of that name is there/);
  deepEqual(await rowsOf(store, 'SELECT code, price, size FROM parts'), [['x    ', '1', '1']]);
});

testOnPostgres(
  '2.1 keys of other kinds: texts of uuids with the rows that refer to them, serials, none yet',
  async (store) => {
    await run(
      store,
      'CREATE TABLE owners (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name varchar)',
      'CREATE TABLE pets (id serial PRIMARY KEY, owner uuid REFERENCES owners ON DELETE RESTRICT)',
      'CREATE TABLE loose (id integer, name text)',
      "INSERT INTO owners VALUES ('00000000-0000-0000-0000-00000000000a', 'o')",
      "INSERT INTO pets (owner) VALUES ('00000000-0000-0000-0000-00000000000a')",
      "INSERT INTO loose VALUES (5, 'five'), (6, 'six')",
    );
    const types = (key: string): string =>
      `type Owner @entity(table: "owners") { id: ID! ${key} name: String pets: [Pet!]! } type Pet @entity(table: "pets") { id: ID! owner: Owner @relation(onDelete: RESTRICT) } type Loose @entity(table: "loose") { id: ID! name: String }`;
    match(
      (await planMigration(model(types('')), store)).steps.map((step) => step.loses ?? '').join('\n'),
      /unknown type: .*uuid.*@id @default\(value: "uuid"\)/,
    );
    await applyMigration(model(types('@id @default(value: "uuid")')), store);
    deepEqual((await planMigration(model(types('@id @default(value: "uuid")')), store)).sql, []);
    deepEqual(await rowsOf(store, 'SELECT owners.id, pets.owner, pets.id FROM pets JOIN owners ON owners.id = owner'), [
      ['00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000a', 1],
    ]);
    await run(store, "INSERT INTO loose (name) VALUES ('seven')");
    deepEqual(await rowsOf(store, "SELECT id FROM loose WHERE name = 'seven'"), [[7]]);
    await rejects(
      store.transaction((session) => session.prepare('DELETE FROM owners').run([])),
      { kind: 'foreignKey' },
    );
  },
);

test('2.1 SQLite: foreign columns are kept by affinity or converted by value', async () => {
  const store = await openSqliteStore({ file: ':memory:' });
  await run(
    store,
    'CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(100) NOT NULL, email NVARCHAR(20) UNIQUE, age INT, big BIGINT, price DECIMAL(10,2), rate DOUBLE, ok BOOLEAN, since DATE, seen DATETIME, raw, data BLOB)',
    "INSERT INTO customers VALUES (1, 'a', 'e', 5, 9007199254740993, 1.5, 0.1, 1, '2020-02-29', '2020-02-29T10:00:00Z', 'x', x'00ff')",
    "INSERT INTO customers VALUES (2, 'b', 'f', 6, 7, 2, 0.2, 0, NULL, NULL, 7, x'01')",
  );
  const fields =
    'id: ID! name: String! email: String age: Int big: BigInt price: Float rate: Float ok: Boolean since: Date seen: DateTime raw: String';
  const taken = model(`type Customer @entity(table: "customers") { ${fields} }`);
  const { steps } = await planMigration(taken, store);
  deepEqual(
    steps.filter((step) => step.loses !== undefined),
    [],
  );
  await applyMigration(taken, store);
  deepEqual(
    await rowsOf(
      store,
      'SELECT id, name, email, age, CAST(big AS TEXT), price, rate, ok, since, seen, raw, hex(data) FROM customers',
    ),
    [
      [1, 'a', 'e', 5, '9007199254740993', 1.5, 0.1, 1, '2020-02-29', '2020-02-29T10:00:00.000Z', 'x', '00FF'],
      [2, 'b', 'f', 6, '7', 2, 0.2, 0, null, null, '7', '01'],
    ],
  );
  await rejects(run(store, "INSERT INTO customers (name, email) VALUES ('c', 'e')"), { kind: 'unique' });
  deepEqual((await planMigration(taken, store)).sql, []);
  const blob = model(`type Customer @entity(table: "customers") { ${fields} data: String }`);
  const refused = (await planMigration(blob, store)).steps.filter((step) => step.loses !== undefined);
  deepEqual(
    refused.map((step) => [step.name, step.blocked, step.loses]),
    [
      [
        'retype customers.data',
        true,
        '2 values in customers.data that String cannot hold as they are; change them first, or give the field another type',
      ],
    ],
  );
  await run(store, 'CREATE TABLE strict (id INTEGER PRIMARY KEY, n INT CHECK (n > 0), at DATETIME)');
  const strict = await planMigration(
    model('type Strict @entity(table: "strict") { id: ID! n: Int at: DateTime }'),
    store,
  );
  match(strict.steps.map((step) => step.loses ?? '').join('\n'), /which would lose its CHECK/);
  await store.close();
});

testOnPostgres('2.1 columns that look like ours are not emptied either when somebody else made them', async (store) => {
  const columns: Readonly<Record<string, string>> = {
    text: `'{"a":1}'`,
    bigint: '5',
    boolean: 'true',
    jsonb: `'{"a":1}'`,
    'double precision': '1.5',
    'timestamp(3) with time zone': "'2020-01-01Z'",
    'text COLLATE "und-x-icu"': "'x'",
  };
  let tables = 0;
  for (const [type, value] of Object.entries(columns)) {
    for (const field of ['JSON', '[String]', 'Int', 'Boolean', 'DateTime', '[UUID]', 'Other']) {
      const table = `t${++tables}`;
      await run(store, `CREATE TABLE ${table} (id bigserial PRIMARY KEY, v ${type})`);
      await run(store, `INSERT INTO ${table} (v) VALUES (${value})`);
      const taken = model(
        `type Other @entity(table: "o${tables}") { id: ID! } type A @entity(table: "${table}") { id: ID! v: ${field} }`,
      );
      const before = await rowsOf(store, `SELECT v::text FROM ${table}`);
      const { steps } = await planMigration(taken, store);
      deepEqual(
        steps.filter((step) => step.loses !== undefined && !step.blocked),
        [],
        `${type} as ${field}`,
      );
      for (const { loses = '' } of steps) ok(!/ is converted to /.test(loses), loses);
      const allow = steps.map((step) => step.name);
      await applyMigration(taken, store, { allow }).catch((error: unknown) =>
        match(String(error), /schema and cannot|cannot be|Refused|would/i),
      );
      const after = await rowsOf(store, `SELECT v::text FROM ${table}`);
      ok(after[0]![0] !== null, `${type} as ${field}: ${String(before[0]![0])} became null`);
    }
  }
});

testOnPostgres('2.1 a column that somebody put on a table of ours is judged like one of theirs', async (store) => {
  const ours = 'type Note @entity { id: ID! next: Note day: String }';
  await applyMigration(model(ours), store);
  await run(store, 'ALTER TABLE notes ADD COLUMN mood text', "INSERT INTO notes (mood, day) VALUES ('glad', 'x')");
  const steps = async (types: string) => (await planMigration(model(types), store)).steps;
  const [mood] = await steps('type Note @entity { id: ID! next: Note day: String mood: Int }');
  deepEqual([mood!.name, mood!.blocked], ['retype notes.mood', true]);
  const [date] = await steps('type Note @entity { id: ID! next: Note day: String mood: Date }');
  deepEqual([date!.name, date!.blocked], ['values notes.mood', true]);
  // What the engine made may be emptied when that is allowed.
  const [own] = await steps('type Note @entity { id: ID! next: Note day: Int }');
  deepEqual([own!.name, own!.blocked], ['retype notes.day', false]);
});

testOnPostgres('2.1 numbers and times without end are found when a table is taken over', async (store) => {
  await run(
    store,
    'CREATE TABLE a (id bigserial PRIMARY KEY, n double precision, t timestamptz)',
    "INSERT INTO a (n, t) VALUES ('NaN', '2020-01-01Z'), (1.5, 'infinity')",
  );
  const { steps } = await planMigration(model('type A @entity(table: "a") { id: ID! n: Float t: DateTime }'), store);
  deepEqual(
    steps.flatMap(({ name, loses, blocked }) => (loses === undefined ? [] : [[name, blocked]])),
    [
      ['values a.n', true],
      ['values a.t', true],
    ],
  );
});

test('2.1 SQLite: any value under any field is kept, or rejected with a reason', async () => {
  const values = ["'a'", "'007'", '5', '1.5', "x'61'", '9e999', `'{"a":1}'`, "'2020-01-01'"];
  for (const declared of ['', 'TEXT', 'INTEGER', 'REAL', 'DECIMAL(10,2)']) {
    for (const field of ['String', 'Int', 'Float', 'Decimal', 'JSON', '[String]', 'Date', 'Other']) {
      for (const value of values) {
        const store = await openSqliteStore({ file: ':memory:' });
        await run(
          store,
          `CREATE TABLE a (id INTEGER PRIMARY KEY, v ${declared})`,
          `INSERT INTO a (v) VALUES (${value})`,
        );
        const taken = model(
          `type Other @entity(table: "others") { id: ID! } type A @entity(table: "a") { id: ID! v: ${field} }`,
        );
        const what = `${declared} as ${field}: ${value}`;
        const { steps } = await planMigration(taken, store);
        const refused = steps.filter((step) => step.loses !== undefined);
        ok(
          refused.every((step) => step.blocked),
          `${what} ${JSON.stringify(refused)}`,
        );
        if (refused.length === 0) {
          await applyMigration(taken, store);
          ok((await rowsOf(store, 'SELECT v FROM a'))[0]![0] !== null, what);
          equal((await checkIntegrity(taken, store)).findings.length, 0, what);
        } else await rejects(applyMigration(taken, store, { allow: steps.map((step) => step.name) }), what);
        await store.close();
      }
    }
  }
});
