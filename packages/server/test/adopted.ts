// Compares an adopted application with its database: every type, row by row, every column and relation, by its API and
// by SQL. Both sides are made texts, so that no digit of a number and no part of a time goes unseen.
import { deepEqual, equal } from 'node:assert/strict';

import { isEnumType } from 'graphql';

import type { ColumnField, Entity, Field, Model, RelationField } from '@lockstitch/graph';

import { createApp } from '../src/app.ts';
import { loadApp } from '../src/app/load-app.ts';
import { quoteName } from '../../graph/src/migrate/table-shape.ts';

/** Runs a statement and returns its rows. */
export type Ask = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const PASSWORD = 'correct horse';
/** Rows that one operation reads. */
const PAGE = 200;

/** Starts the application of a folder; `graph` runs an operation as its user and returns `data`. */
export async function serveFolder(folder: string, environment: Readonly<Record<string, string>>) {
  const loaded = await loadApp(
    folder,
    { ...environment, LOCKSTITCH_USER_PASSWORD: PASSWORD },
    { port: 0, data: ':memory:' },
  );
  const app = await createApp(loaded);
  const authorization = `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const call = async (query: string): Promise<{ data?: any; errors?: readonly { message: string }[] }> => {
    // eslint-disable-line typescript/no-explicit-any -- tests look into answers of every shape
    const response = await app.handle({ method: 'POST', target: '/graphql', headers, body: JSON.stringify({ query }) });
    return JSON.parse(response.text());
  };
  return {
    model: loaded.model,
    call,
    graph: async (query: string) => {
      const { data, errors } = await call(query);
      if (errors !== undefined) throw new Error(JSON.stringify(errors.slice(0, 3)));
      return data;
    },
    close: () => app.close(),
  };
}

/** Compares every type of an application with its table; returns the number of rows compared. */
export async function compareWithSql(
  { model, graph }: Pick<Awaited<ReturnType<typeof serveFolder>>, 'model' | 'graph'>,
  ask: Ask,
  dialect: 'postgres' | 'sqlite',
): Promise<number> {
  let rows = 0;
  for (const entity of model.entities.values()) rows += await compareType(entity, { model, graph, ask, dialect });
  return rows;
}

interface Sides {
  readonly model: Model;
  readonly graph: (query: string) => Promise<any>; // eslint-disable-line typescript/no-explicit-any -- as above
  readonly ask: Ask;
  readonly dialect: 'postgres' | 'sqlite';
}

async function compareType(entity: Entity, { model, graph, ask, dialect }: Sides): Promise<number> {
  const list = [...model.roots]
    .find(([, binding]) => binding.kind === 'list' && binding.type === entity.name)?.[0]
    .slice('Query.'.length);
  const fields = [...entity.fields.values()].filter(isCompared);
  const keyName = (type: string): string => model.entities.get(type)!.key.name;
  const selection = fields.map((field) =>
    field.kind === 'relation' ? `${field.name} { ${keyName(field.target)} }` : field.name,
  );
  const columns = fields.map((field, at) => {
    if (field.kind === 'column') return `${sqlOf(field, dialect)} AS f${at}`;
    // A reference to no row reads as null.
    const target = model.entities.get(field.target)!;
    // The key that the database takes for equal, as a foreign key does: its collation counts.
    const key = keyOf(target, dialect);
    const text = dialect === 'postgres' ? 't."~k"::text' : 't."~k"';
    return `(SELECT ${text} FROM (SELECT ${key} AS "~k" FROM ${tableOf(target)}) t WHERE t."~k" = ${columnOf(field, dialect)}) AS f${at}`;
  });
  const table = tableOf(entity);
  const stored = (await ask(`SELECT ${columns.join(', ')} FROM ${table}`)).map((row) =>
    fields.map((_, at) => (row[`f${at}`] === null ? 'null' : String(row[`f${at}`]))),
  );
  const read: string[][] = [];
  // Few rows of a wide table, for the limit of an answer.
  const page = Math.max(1, Math.min(PAGE, Math.floor(100_000 / fields.length)));
  for (let start = 0; start < stored.length || start === 0; start += page) {
    const found = (await graph(`{ ${list}(first: ${page}, start: ${start}) { ${selection.join(' ')} } }`))[list!];
    for (const row of found) {
      read.push(
        fields.map((field) => {
          const value =
            field.kind === 'relation' ? (row[field.name]?.[keyName(field.target)] ?? null) : row[field.name];
          const column = field.kind === 'relation' ? model.entities.get(field.target)!.key : field;
          return value === null ? 'null' : printed(field, storedName(model, column, value));
        }),
      );
    }
    if (found.length === 0) break;
  }
  equal(read.length, stored.length, `rows of ${entity.name}`);
  deepEqual(read.map(String).toSorted(), stored.map(String).toSorted(), entity.name);
  return read.length;
}

function isCompared(field: Field): field is ColumnField | RelationField {
  // A key of several columns is the text of other fields.
  if (field.kind === 'column') return field.parts === undefined;
  return field.kind === 'relation' && field.storage.kind === 'foreignKey';
}

function tableOf({ table }: Entity): string {
  return table.includes('"') ? table : table.split('.').map(quoteName).join('.');
}

function columnOf(field: ColumnField | RelationField, dialect: 'postgres' | 'sqlite'): string {
  if (field.kind === 'column') return quoteName(field.column);
  const { column, parts } = field.storage as { readonly column: string; readonly parts?: readonly string[] };
  return parts === undefined ? quoteName(column) : textOf(parts, dialect);
}

function keyOf({ key }: Entity, dialect: 'postgres' | 'sqlite'): string {
  return key.parts === undefined ? quoteName(key.column) : textOf(key.parts, dialect);
}

/** A key of several columns. */
function textOf(columns: readonly string[], dialect: 'postgres' | 'sqlite'): string {
  const text = (name: string): string => {
    const plain = dialect === 'postgres' ? `${quoteName(name)}::text` : `CAST(${quoteName(name)} AS TEXT)`;
    return `replace(replace(${plain}, '%', '%25'), ',', '%2C')`;
  };
  return `(${columns.map(text).join(` || ',' || `)})`;
}

/** SQL of the text that a value is compared as. */
function sqlOf(field: ColumnField, dialect: 'postgres' | 'sqlite'): string {
  const name = columnOf(field, dialect);
  if (dialect === 'sqlite') {
    if (field.typeName === 'Bytes') return `CASE WHEN ${name} IS NOT NULL THEN lower(hex(${name})) END`;
    if (field.typeName === 'Boolean') return `CASE ${name} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`;
    return field.typeName === 'LocalDateTime' ? `replace(${name}, ' ', 'T')` : name;
  }
  if (field.list) return listOf(name, field);
  return textOfScalar(name, field);
}

/** Elements, one after the other. */
function listOf(name: string, field: ColumnField): string {
  const texts = `SELECT coalesce(${textOfScalar('e.v', field)}, 'null') FROM unnest(${name}) WITH ORDINALITY AS e(v, n) ORDER BY e.n`;
  return `CASE WHEN ${name} IS NOT NULL THEN array_to_string(ARRAY(${texts}), '|') END`;
}

function textOfScalar(name: string, field: ColumnField): string {
  switch (field.typeName) {
    case 'Bytes':
      return `encode(${name}, 'hex')`;
    case 'DateTime':
      return `to_char(date_trunc('milliseconds', ${name}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    case 'Decimal':
      return `trim_scale(${name}::numeric)::text`;
    case 'JSON':
      return `${name}::jsonb::text`;
    case 'LocalDateTime':
      return `replace(${name}::text, ' ', 'T')`;
    case 'String':
      // A cast adds the mask to an address.
      return `CASE WHEN pg_typeof(${name}) = 'inet'::regtype AND ${name} IS NOT NULL THEN concat(${name}) ELSE ${name}::text END`;
    default:
      return `${name}::text`;
  }
}

/** The stored text of an enum value: `PG-13` of `PG_13 @column(name: "PG-13")`. */
function storedName(model: Model, field: ColumnField | RelationField, value: unknown): unknown {
  const type = model.schema.getType(typeOf(field) ?? '');
  if (!isEnumType(type) || typeof value !== 'string') return value;
  const directive = type.getValue(value)?.astNode?.directives?.find(({ name }) => name.value === 'column');
  const given = directive?.arguments?.[0]?.value;
  return given !== undefined && 'value' in given ? given.value : value;
}

function typeOf(field: ColumnField | RelationField): string | undefined {
  return field.kind === 'column' ? field.typeName : undefined;
}

function printed(field: ColumnField | RelationField, value: unknown): string {
  const type = typeOf(field);
  if (type === 'Bytes') return Buffer.from(String(value), 'base64').toString('hex');
  if (field.kind === 'column' && field.list && Array.isArray(value)) return value.map(String).join('|');
  if (type === 'JSON') return JSON.stringify(value).replaceAll(/(?<=[:,])(?=[^ ])/g, ' ');
  return String(value);
}
