// Chooses the GraphQL type of an existing column, so that every value of it is read exactly as it is.
import type { ColumnDescription } from './database-description.ts';

/** Type names of PostgreSQL (`pg_type.typname`) by the scalar that reads them. */
const POSTGRES: Readonly<Record<string, readonly string[]>> = {
  String: [
    ...'text varchar bpchar char citext name xml inet cidr macaddr macaddr8 bit varbit timetz'.split(' '),
    // As PostgreSQL writes them: `[1,5)`, `(1.5,2)`.
    ...'int4range int8range numrange daterange tsrange tstzrange'.split(' '),
    ...'int4multirange int8multirange nummultirange datemultirange tsmultirange tstzmultirange'.split(' '),
    ...'point line lseg box path polygon circle pg_lsn tsvector tsquery hstore ltree'.split(' '),
  ],
  Int: ['int2', 'int4'],
  BigInt: ['int8'],
  Float: ['float4', 'float8'],
  Decimal: ['numeric'],
  Boolean: ['bool'],
  Date: ['date'],
  LocalTime: ['time'],
  DateTime: ['timestamptz'],
  LocalDateTime: ['timestamp'],
  Duration: ['interval'],
  Bytes: ['bytea'],
  UUID: ['uuid'],
  JSON: ['json', 'jsonb'],
};
const SCALARS = new Map(Object.entries(POSTGRES).flatMap(([scalar, names]) => names.map((name) => [name, scalar])));

/** Scalars of list elements that the engine reads from arrays. */
const IN_LISTS = new Set(
  'String Int BigInt Float Decimal Boolean Date DateTime LocalDateTime LocalTime UUID'.split(' '),
);

/** The scalar that reads a column of PostgreSQL, or why none does. */
export function postgresScalar(column: ColumnDescription): { readonly scalar: string } | { readonly reason: string } {
  const scalar = SCALARS.get(column.base);
  if (scalar === undefined) return { reason: `no scalar reads values of ${column.type}` };
  if (column.list && !IN_LISTS.has(scalar)) return { reason: `no list reads values of ${column.type}` };
  return { scalar };
}

/** The scalar that reads a column of SQLite by its values and its declared type, or why none does. */
export function sqliteScalar({
  type,
  base,
  holds,
  counted,
}: ColumnDescription): { readonly scalar: string } | { readonly reason: string } {
  const declared = type.toUpperCase();
  switch (holds) {
    case 'mixed':
      return { reason: 'its values are of several types (texts, numbers, bytes)' };
    case 'infinity':
      return { reason: 'some of its numbers are infinite' };
    case 'bytes':
      return { scalar: 'Bytes' };
    case 'boolean':
      return { scalar: declared.includes('BOOL') ? 'Boolean' : integerScalar(declared) };
    case 'big integer':
      return { scalar: /DEC|NUMERIC|REAL|FLOA|DOUB/.test(declared) ? numberScalar(declared) : 'BigInt' };
    case 'integer':
      return { scalar: /DEC|NUMERIC|REAL|FLOA|DOUB/.test(declared) ? numberScalar(declared) : integerScalar(declared) };
    case 'number':
      return { scalar: numberScalar(declared) };
    case 'date':
      return { scalar: /^DATE$/.test(declared) ? 'Date' : 'String' };
    case 'date and time':
      return { scalar: /DATETIME|TIMESTAMP/.test(declared) ? 'LocalDateTime' : 'String' };
    case 'time':
    case 'text':
      return { scalar: 'String' };
    case 'uuid':
      return { scalar: declared.includes('UUID') ? 'UUID' : 'String' };
    case 'json':
      return { scalar: 'JSON' };
    case 'nothing':
    case undefined:
      return { scalar: counted === undefined ? declaredScalar(declared, base) : 'Int' };
  }
}

function integerScalar(declared: string): string {
  return /BIG|INT8|LONG|UNSIGNED/.test(declared) ? 'BigInt' : 'Int';
}

function numberScalar(declared: string): string {
  return /DEC|NUMERIC|MONEY/.test(declared) ? 'Decimal' : 'Float';
}

/** For a column without values. */
function declaredScalar(declared: string, affinity: string): string {
  if (declared.includes('BOOL')) return 'Boolean';
  if (declared === 'DATE') return 'Date';
  if (/DATETIME|TIMESTAMP/.test(declared)) return 'LocalDateTime';
  if (affinity === 'INTEGER') return integerScalar(declared);
  if (affinity === 'REAL' || affinity === 'NUMERIC') return numberScalar(declared);
  return 'String';
}
