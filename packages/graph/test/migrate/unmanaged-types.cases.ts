// Values of unmanaged columns: what a field reads is what the column holds, what it writes comes back, filters and orders are
// right, and no value of the database makes a statement fail.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createGraph } from '../../src/execute/create-graph.ts';
import { checkIntegrity } from '../../src/migrate/check-integrity.ts';
import { planMigration } from '../../src/migrate/plan-migration.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { freshSchema, postgresUrl } from '../stores.ts';

const SCALARS =
  'scalar Date scalar DateTime scalar LocalDateTime scalar LocalTime scalar Duration scalar Bytes scalar UUID scalar BigInt scalar Decimal scalar JSON enum Rating { G PG R }';

interface Column {
  readonly type: string;
  readonly field: string;
  /** Stored values as SQL, and as the field answers them; in the field's order if it has one. */
  readonly values: readonly (readonly [sql: string, json: unknown])[];
  /** What a write gives, and what is then stored, as text; default: the first value. */
  readonly written?: readonly [given: string, stored: string];
  /** A write that is refused. */
  readonly refused?: string;
  readonly isOrdered?: boolean;
}

const POSTGRES: readonly Column[] = [
  {
    type: 'smallint',
    field: 'Int',
    values: [
      ['-32768', -32768],
      ['7', 7],
    ],
    written: ['5', '5'],
    refused: '40000',
  },
  {
    type: 'integer',
    field: 'BigInt',
    values: [
      ['-1', -1],
      ['7', 7],
    ],
    written: ['5', '5'],
  },
  {
    type: 'bigint',
    field: 'BigInt',
    values: [
      ['7', 7],
      ['9007199254740993', '9007199254740993'],
    ],
    written: ['"9007199254740995"', '9007199254740995'],
  },
  {
    type: 'real',
    field: 'Float',
    values: [
      ['0.1', 0.1],
      ['2.5', 2.5],
    ],
    written: ['0.3', '0.3'],
  },
  {
    type: 'numeric',
    field: 'Float',
    values: [
      ['0.1', 0.1],
      ['7', 7],
    ],
    written: ['0.5', '0.5'],
  },
  {
    type: 'numeric(6,2)',
    field: 'Decimal',
    values: [
      ['-1.50', '-1.5'],
      ['9.99', '9.99'],
      ['10', '10'],
    ],
    written: ['"1.25"', '1.25'],
    refused: '"1.255"',
  },
  {
    type: 'numeric',
    field: 'Decimal',
    values: [
      ['0.000000000000000000001', '0.000000000000000000001'],
      ['12345678901234567890.5', '12345678901234567890.5'],
    ],
    written: ['"1.255"', '1.255'],
  },
  {
    type: 'integer',
    field: 'Decimal',
    values: [
      ['3', '3'],
      ['10', '10'],
    ],
    written: ['"4"', '4'],
    refused: '"4.5"',
  },
  {
    type: 'varchar(3)',
    field: 'String',
    values: [
      ["'B'", 'B'],
      ["'a'", 'a'],
    ],
    written: ['"é€😀"', 'é€😀'],
    refused: '"abcd"',
  },
  {
    type: 'char(5)',
    field: 'String',
    values: [
      ["'B'", 'B'],
      ["'a'", 'a'],
    ],
    written: ['"xy"', 'xy   '],
  },
  {
    type: 'citext_like',
    field: 'String',
    values: [
      ["'B'", 'B'],
      ["'a'", 'a'],
    ],
    written: ['"xy"', 'xy'],
  },
  {
    type: 'inet',
    field: 'String',
    values: [
      ["'10.0.0.1'", '10.0.0.1'],
      ["'9.0.0.1/8'", '9.0.0.1/8'],
    ],
    written: ['"::1"', '::1/128'],
    refused: '"no address"',
  },
  {
    type: 'int4range',
    field: 'String',
    values: [
      ["'[1,5)'", '[1,5)'],
      ["'[2,)'", '[2,)'],
    ],
    written: ['"[3,4]"', '[3,5)'],
    refused: '"5"',
  },
  {
    type: 'date',
    field: 'Date',
    values: [
      ["'2020-02-29'", '2020-02-29'],
      ["'2021-01-01'", '2021-01-01'],
    ],
    written: ['"1999-12-31"', '1999-12-31'],
  },
  {
    type: 'timestamp',
    field: 'LocalDateTime',
    values: [
      ["'2020-02-29 10:00:00'", '2020-02-29T10:00:00'],
      ["'2020-02-29 10:00:00.123456'", '2020-02-29T10:00:00.123456'],
    ],
    written: ['"2020-03-01 07:08"', '2020-03-01 07:08:00'],
    refused: '"2020-02-30T00:00:00"',
  },
  {
    type: 'timestamp',
    field: 'DateTime @column(timeZone: "UTC")',
    values: [
      ["'2020-02-29 10:00:00'", '2020-02-29T10:00:00.000Z'],
      ["'2020-02-29 10:00:00.5'", '2020-02-29T10:00:00.500Z'],
    ],
    written: ['"2020-03-01T07:08:00+02:00"', '2020-03-01 05:08:00'],
  },
  {
    type: 'timestamptz',
    field: 'DateTime',
    values: [
      ["'2020-02-29 10:00:00.123456Z'", '2020-02-29T10:00:00.123Z'],
      ["'2021-01-01 00:00:00Z'", '2021-01-01T00:00:00.000Z'],
    ],
    written: ['"2020-03-01T07:08:00+02:00"', '2020-03-01 05:08:00+00'],
  },
  {
    type: 'time',
    field: 'LocalTime',
    values: [
      ["'10:00:00'", '10:00:00'],
      ["'24:00:00'", '24:00:00'],
    ],
    written: ['"07:08:09.120"', '07:08:09.12'],
    refused: '"25:00"',
  },
  {
    type: 'interval',
    field: 'Duration',
    values: [
      ["'1 year 2 mons 3 days 04:05:06.5'", 'P1Y2M3DT4H5M6.5S'],
      ["'-1 days +02:00'", 'P-1DT2H'],
    ],
    written: ['"P14MT90M"', 'P1Y2MT1H30M'],
    refused: '"1 day"',
    isOrdered: false,
  },
  {
    type: 'bytea',
    field: 'Bytes',
    values: [
      ["'\\x000102'", 'AAEC'],
      ["'\\x'", ''],
    ],
    written: ['"/w=="', '\\xff'],
    refused: '"/"',
    isOrdered: false,
  },
  {
    type: 'uuid',
    field: 'UUID',
    values: [
      ["'00000000-0000-0000-0000-00000000000a'", '00000000-0000-0000-0000-00000000000a'],
      ["'00000000-0000-0000-0000-00000000000b'", '00000000-0000-0000-0000-00000000000b'],
    ],
    written: ['"F0000000-0000-0000-0000-00000000000A"', 'f0000000-0000-0000-0000-00000000000a'],
  },
  {
    type: 'uuid',
    field: 'ID',
    values: [
      ["'00000000-0000-0000-0000-00000000000a'", '00000000-0000-0000-0000-00000000000a'],
      ["'00000000-0000-0000-0000-00000000000b'", '00000000-0000-0000-0000-00000000000b'],
    ],
    written: ['"f0000000-0000-0000-0000-00000000000a"', 'f0000000-0000-0000-0000-00000000000a'],
    refused: '"x"',
  },
  {
    type: 'rating',
    field: 'Rating',
    values: [
      ["'PG'", 'PG'],
      ["'R'", 'R'],
    ],
    written: ['G', 'G'],
  },
  {
    type: 'rating',
    field: 'String',
    values: [
      ["'NC-17'", 'NC-17'],
      ["'R'", 'R'],
    ],
    written: ['"G"', 'G'],
    refused: '"X"',
  },
  {
    type: 'positive',
    field: 'Int',
    values: [
      ['1', 1],
      ['7', 7],
    ],
    written: ['5', '5'],
    refused: '-1',
  },
  {
    type: 'jsonb',
    field: 'JSON',
    values: [['\'{"a":[1,null]}\'', { a: [1, null] }]],
    written: ['{ b: 1 }', '{"b": 1}'],
    isOrdered: false,
  },
  {
    type: 'json',
    field: 'JSON',
    values: [['\'{"a": 1 }\'', { a: 1 }]],
    written: ['{ b: 1 }', '{"b":1}'],
    isOrdered: false,
  },
  {
    type: 'text[]',
    field: '[String]',
    values: [
      ['\'{a,"b,c",NULL}\'', ['a', 'b,c', null]],
      ["'{}'", []],
    ],
    written: ['["x", "y\\"z", null]', '{x,"y\\"z",NULL}'],
    isOrdered: false,
  },
  {
    type: 'bigint[]',
    field: '[BigInt]',
    values: [["'{9007199254740993,5,NULL}'", ['9007199254740993', 5, null]]],
    written: ['["-9007199254740993", 7]', '{-9007199254740993,7}'],
    isOrdered: false,
  },
  {
    type: 'numeric[]',
    field: '[Decimal!]',
    values: [["'{1.50,12345678901234567890.1}'", ['1.5', '12345678901234567890.1']]],
    written: ['["0.25"]', '{0.25}'],
    isOrdered: false,
  },
  {
    type: 'timestamp with time zone[]',
    field: '[DateTime!]',
    values: [["'{2020-02-29 10:00:00.5+01}'", ['2020-02-29T09:00:00.500Z']]],
    written: ['["2020-03-01T07:08:00+02:00"]', '{"2020-03-01 05:08:00+00"}'],
    isOrdered: false,
  },
  { type: 'integer[]', field: '[Int!]', values: [["'{3,1}'", [3, 1]]], written: ['[5]', '{5}'], isOrdered: false },
  {
    type: 'uuid[]',
    field: '[UUID!]',
    values: [["'{00000000-0000-0000-0000-00000000000a}'", ['00000000-0000-0000-0000-00000000000a']]],
    written: ['[]', '{}'],
    isOrdered: false,
  },
];

const SQLITE: readonly Column[] = [
  {
    type: 'BLOB',
    field: 'Bytes',
    values: [
      ["x'000102'", 'AAEC'],
      ["x''", ''],
    ],
    written: ['"/w=="', '\u{FFFD}'],
    refused: '"/"',
    isOrdered: false,
  },
  {
    type: 'INT',
    field: 'Int',
    values: [
      ['-1', -1],
      ['7', 7],
    ],
    written: ['5', '5'],
  },
  {
    type: 'DECIMAL(10,2)',
    field: 'Decimal',
    values: [
      ['-1.5', '-1.5'],
      ['9.99', '9.99'],
      ['10', '10'],
    ],
    written: ['"1.25"', '1.25'],
    refused: '"12345678901234567.89"',
  },
  {
    type: 'NUMERIC',
    field: 'Decimal',
    values: [
      ['-1.5', '-1.5'],
      ['9007199254740993', '9007199254740993'],
    ],
    written: ['"9223372036854775807"', '9223372036854775807'],
    refused: '"9223372036854775808"',
  },
  {
    type: 'REAL',
    field: 'Decimal',
    values: [
      ['-1.5', '-1.5'],
      ['123456789012345', '123456789012345'],
    ],
    written: ['"0.1234567890123450"', '0.123456789012345'],
    refused: '"1234567890123456"',
  },
  {
    type: 'DOUBLE',
    field: 'BigInt',
    values: [
      ['-1', -1],
      ['5', 5],
    ],
    written: ['"7"', '7.0'],
    refused: '"9007199254740993"',
  },
  {
    type: 'NUMERIC',
    field: 'Float',
    values: [
      ['1', 1],
      ['1.5', 1.5],
    ],
    written: ['2', '2'],
  },
  {
    type: 'NVARCHAR(20)',
    field: 'String',
    values: [
      ["'B'", 'B'],
      ["'a'", 'a'],
    ],
    written: ['"xy"', 'xy'],
  },
  {
    type: 'BOOLEAN',
    field: 'Boolean',
    values: [
      ['0', false],
      ['1', true],
    ],
    written: ['true', '1'],
    isOrdered: false,
  },
  {
    type: 'DATETIME',
    field: 'DateTime @column(timeZone: "UTC")',
    values: [
      ["'2020-02-29 10:00:00'", '2020-02-29T10:00:00.000Z'],
      ["'2020-02-29T12:00:00.5+01:00'", '2020-02-29T11:00:00.500Z'],
    ],
    written: ['"2020-03-01T07:08:00+02:00"', '2020-03-01 05:08:00'],
  },
  {
    type: 'DATETIME',
    field: 'LocalDateTime',
    values: [
      ["'2020-02-29 10:00:00'", '2020-02-29T10:00:00'],
      ["'2020-02-29 10:00:00.123'", '2020-02-29T10:00:00.123'],
    ],
    written: ['"2020-03-01T07:08"', '2020-03-01 07:08:00'],
  },
  {
    type: 'DATE',
    field: 'Date',
    values: [
      ["'2020-02-29'", '2020-02-29'],
      ["'2020-03-01 00:00:00'", '2020-03-01'],
    ],
    written: ['"1999-12-31"', '1999-12-31'],
  },
  {
    type: 'JSON',
    field: 'JSON',
    values: [['\'{"a":1}\'', { a: 1 }]],
    written: ['{ b: 1 }', '{"b":1}'],
    isOrdered: false,
  },
  {
    type: '',
    field: 'String',
    values: [
      ['5', '5'],
      ["'a'", 'a'],
    ],
    written: ['"xy"', 'xy'],
  },
];

for (const column of SQLITE)
  test(`SQLite: 2 a column of type "${column.type}" is a ${column.field}`, async () => {
    const store = await openSqliteStore({ file: ':memory:' });
    try {
      await checkColumn(store, column);
    } finally {
      await store.close();
    }
  });

test('PostgreSQL: 2 unmanaged columns of all types are read, written, filtered and ordered', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const store = await openPostgresStore({ url, schema: freshSchema() });
  await store.script(
    `CREATE TYPE rating AS ENUM ('G', 'PG', 'R', 'NC-17'); CREATE DOMAIN positive AS integer CHECK (value > 0); CREATE DOMAIN citext_like AS varchar(9)`,
  );
  try {
    for (const column of POSTGRES)
      await t.test(`${column.type} as ${column.field}`, async () => {
        await checkColumn(store, column);
      });
  } finally {
    await store.close();
  }
});

let tables = 0;

async function checkColumn(store: Store, column: Column): Promise<void> {
  const table = `things_${++tables}`;
  const { type, field, values, written, refused, isOrdered = true } = column;
  const key = store.dialect === 'sqlite' ? 'INTEGER PRIMARY KEY' : 'serial PRIMARY KEY';
  // In reverse, so that the order of rows is not the order of values.
  const rows = [...values].reverse().map(([sql]) => `(${sql})`);
  await store.script(
    `CREATE TABLE ${table} (id ${key}, v ${type}); INSERT INTO ${table} (v) VALUES ${rows.join(', ')}, (NULL)`,
  );
  const argument = field.replace(/ @.*/, '');
  const model = readSchema([
    {
      file: 'test.graphql',
      text: `${SCALARS} type Thing @entity(table: "${table}") @unmanaged { id: ID! v: ${field} }
        type Query { things(where: ThingFilter, orderBy: [ThingOrder!]): [Thing!]! }
        type Mutation { createThing(v: ${argument}): Thing! updateThing(id: ID!, v: ${argument}): Thing }`,
    },
  ]);
  const graph = await createGraph({ model, store });
  const ask = async (
    query: string,
  ): Promise<{
    data: Record<string, unknown>;
    errors?: readonly { message: string; extensions: { code: string } }[];
  }> => JSON.parse((await graph.execute({ query })).body) as never;
  const list = async (args: string): Promise<readonly unknown[]> => {
    const { data, errors } = await ask(`{ things(${args}) { v } }`);
    equal(errors, undefined, JSON.stringify(errors));
    return (data['things'] as readonly { v: unknown }[]).map(({ v }) => v);
  };
  const answers = values.map(([, json]) => json);
  deepEqual(await list('orderBy: [{ id: DESC }]'), [null, ...answers]);
  if (isOrdered) {
    deepEqual(await list('orderBy: [{ v: ASC }]'), [null, ...answers]);
    deepEqual(await list('orderBy: [{ v: DESC }]'), [...answers.toReversed(), null]);
    if (!/Boolean|Rating/.test(field))
      deepEqual(
        await list(`where: { v: { gt: ${JSON.stringify(answers[0])} } }, orderBy: [{ v: ASC }]`),
        answers.slice(1),
      );
  }
  const literal = (json: unknown): string => (field === 'Rating' ? String(json) : JSON.stringify(json));
  if (field !== 'JSON')
    for (const json of answers)
      deepEqual(await list(`where: { v: { eq: ${literal(json)} } }`), [json], `eq ${literal(json)}`);
  deepEqual(await list('where: { v: { isNull: true } }'), [null]);
  if (written !== undefined) {
    const { data, errors } = await ask(
      `mutation { createThing(v: ${written[0]}) { id v } updateThing(id: 1, v: ${written[0]}) { v } }`,
    );
    equal(errors, undefined, JSON.stringify(errors));
    const created = data['createThing'] as { id: string; v: unknown };
    deepEqual((data['updateThing'] as { v: unknown }).v, created.v);
    const text = store.dialect === 'sqlite' ? 'CAST(v AS TEXT)' : type === 'char(5)' ? "rpad(v, 5, ' ')" : 'v::text';
    const stored = await store.prepare(`SELECT ${text} FROM ${table} WHERE id IN (1, ${created.id})`).rows([]);
    deepEqual(stored, [[written[1]], [written[1]]]);
    const [change] = (await graph.feed.read(0)).slice(-2);
    deepEqual(change?.after?.['v'], created.v);
    deepEqual(await list(`where: { id: { eq: ${created.id} } }`), [created.v]);
    const imported = await graph.importRows('Thing', [[{ v: created.v }]]);
    equal(imported.written, 1);
    const again = await store.prepare(`SELECT ${text} FROM ${table} ORDER BY id DESC LIMIT 1`).text([]);
    equal(again, written[1]);
  }
  if (refused !== undefined) {
    const { errors } = await ask(`mutation { createThing(v: ${refused}) { id } }`);
    match(
      errors?.[0]?.extensions.code ?? '',
      /^GRAPH_(?:INPUT_INVALID|VALUE_UNFIT|CHECK_FAILED|VALIDATION)$/,
      JSON.stringify(errors),
    );
  }
  deepEqual((await checkIntegrity(model, store)).findings, []);
  deepEqual((await planMigration(model, store)).steps, []);
}
