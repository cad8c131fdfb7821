// Decides which values of a column survive a change of its storage, and converts them, in SQL of each database. Not
// here: the other values (plan-migration.ts). Both databases accept the same values; if one of them cannot test a value
// without an error, neither accepts it.
import type { Storage } from '../schema/model.ts';
import { DECIMAL_FORM } from '../sql/dialect-postgres.ts';
import { decimalOf } from '../sql/dialect-sqlite.ts';
import { DECIMAL } from '../store/decimal-text.ts';
import { type Dialect, storageOfType } from './table-shape.ts';

/** The conversion of a column. */
export interface Conversion {
  /** A condition on the old value, which is not null. */
  readonly fits: string;
  /** The new value. */
  readonly value: string;
}

/** No value is converted: the types have nothing in common. */
export const NOTHING: Conversion = { fits: 'false', value: 'NULL' };

/**
 * Converts the values of a column.
 *
 * @param from its type as the database names it, possibly not one of the engine's
 * @param column its quoted name
 */
export function convertColumn(dialect: Dialect, from: string, to: string, column: string): Conversion {
  const before = storageOfType(dialect, from);
  const after = storageOfType(dialect, to);
  if (before === undefined || after === undefined) return NOTHING;
  const rules = dialect === 'sqlite' ? onSqlite(column) : onPostgres(column);
  return rules[`${before} ${after}`] ?? NOTHING;
}

type Rules = Readonly<Partial<Record<`${Storage} ${Storage}`, Conversion>>>;

/** Integers that a double represents exactly. */
const WHOLE = 2 ** 53 - 1;
/** Doubles in the range of a 64-bit integer. */
const LARGEST = '9.2e18';

/** Conversions by `from to`, over a value in SQL. */
export function onSqlite(v: string): Rules {
  // Both operands of AND may be evaluated, and malformed JSON raises an error.
  const kindOf = `CASE WHEN json_valid(${v}) THEN json_type(${v}) END`;
  const whole = `CASE WHEN json_valid(${v}) THEN json_extract(${v}, '$') END`;
  const isNumber = `trim(${v}, char(9, 10, 13, 32)) = ${v} AND ${kindOf} IN ('integer', 'real') AND abs(CAST(${v} AS REAL)) < 1e300`;
  const mantissa = `substr(${v}, 1, instr(lower(${v}) || 'e', 'e') - 1)`;
  const digits = `length(replace(replace(${mantissa}, '-', ''), '.', ''))`;
  const decimal = decimalOf(v);
  const jsonDecimal = `CASE ${kindOf} WHEN 'text' THEN json_extract(${v}, '$') ELSE ${v} END`;
  const time = `strftime('%Y-%m-%dT%H:%M:%fZ', ${v})`;
  return {
    'integer text': { fits: 'true', value: `CAST(${v} AS TEXT)` },
    'real text': {
      fits: 'true',
      value: `CASE WHEN ${v} = CAST(${v} AS INTEGER) THEN CAST(CAST(${v} AS INTEGER) AS TEXT) ELSE CAST(${v} AS TEXT) END`,
    },
    'boolean text': { fits: `${v} IN (0, 1)`, value: `iif(${v}, 'true', 'false')` },
    'timestamp text': { fits: 'true', value: v },
    'json text': { fits: `${kindOf} = 'text'`, value: `json_extract(${v}, '$')` },
    'text integer': {
      fits: `CAST(CAST(${v} AS INTEGER) AS TEXT) = ${v}`,
      value: `CAST(${v} AS INTEGER)`,
    },
    'real integer': { fits: `abs(${v}) < ${LARGEST} AND ${v} = CAST(${v} AS INTEGER)`, value: `CAST(${v} AS INTEGER)` },
    'boolean integer': { fits: 'true', value: v },
    'integer real': {
      fits: `${v} BETWEEN -${LARGEST} AND ${LARGEST} AND CAST(CAST(${v} AS REAL) AS INTEGER) = ${v}`,
      value: `CAST(${v} AS REAL)`,
    },
    // Fifteen digits survive a round trip through a double; more digits are tested.
    'text real': {
      fits: `${isNumber} AND (${digits} <= 15 OR json_quote(CAST(${v} AS REAL)) = ${v})`,
      value: `CAST(${v} AS REAL)`,
    },
    // Registered by the store (store/decimal-text.ts).
    'text decimal': { fits: `${DECIMAL}(${v}) IS NOT NULL`, value: `${DECIMAL}(${v})` },
    'integer decimal': {
      fits: `${DECIMAL}(CAST(${v} AS TEXT)) IS NOT NULL`,
      value: `${DECIMAL}(CAST(${v} AS TEXT))`,
    },
    'real decimal': { fits: `${DECIMAL}(${v}) IS NOT NULL`, value: `${DECIMAL}(${v})` },
    'json decimal': {
      fits: `${kindOf} IN ('text', 'integer', 'real') AND ${DECIMAL}(${jsonDecimal}) IS NOT NULL`,
      value: `${DECIMAL}(${jsonDecimal})`,
    },
    'decimal text': { fits: 'true', value: decimal },
    'decimal integer': {
      fits: `CAST(CAST(${decimal} AS INTEGER) AS TEXT) = ${decimal}`,
      value: `CAST(${decimal} AS INTEGER)`,
    },
    'decimal real': {
      fits: `length(replace(replace(${decimal}, '-', ''), '.', '')) <= 15 AND ${DECIMAL}(CAST(${decimal} AS REAL)) = ${v}`,
      value: `CAST(${decimal} AS REAL)`,
    },
    'integer boolean': { fits: `${v} IN (0, 1)`, value: v },
    'text boolean': { fits: `${v} IN ('true', 'false')`, value: `${v} = 'true'` },
    'json boolean': { fits: `${kindOf} IN ('true', 'false')`, value: `json_extract(${v}, '$')` },
    'json integer': {
      fits: `${kindOf} = 'integer' AND ${whole} BETWEEN -${WHOLE} AND ${WHOLE}`,
      value: `json_extract(${v}, '$')`,
    },
    'json real': {
      fits: `${isNumber} AND (${digits} <= 15 OR json_quote(CAST(${v} AS REAL)) = ${v})`,
      value: `CAST(${v} AS REAL)`,
    },
    'text timestamp': {
      fits: `${v} IN (${time}, strftime('%Y-%m-%dT%H:%M:%SZ', ${v}))`,
      // The stored form of times.
      value: time,
    },
  };
}

/** Whether a PostgreSQL numeric has at most a Decimal's number of digits. */
export function decimalFits(number: string): string {
  return `CASE WHEN ${number}::text ~ '^-?\\d' THEN abs(${number}) < 1e100 AND scale(trim_scale(${number})) <= 100 END`;
}

/** Days that exist in every year; other dates cannot be tested without an error. */
const DAY =
  '(\\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|1\\d|2[0-8]))' +
  '|(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)';

/** Conversions by `from to`, over a value in SQL. */
export function onPostgres(v: string): Rules {
  const number = `(${v} #>> '{}')::numeric`;
  const plain = (text: string): string => `${text} ~ '^-?(0|[1-9]\\d{0,200})(\\.\\d{1,200})?([eE][-+]?\\d{1,3})?$'`;
  // Beyond these limits, the cast would raise an error.
  const exact = (text: string): string =>
    `CASE WHEN ${text}::numeric = 0 OR abs(${text}::numeric) BETWEEN 1e-300 AND 1e300 THEN ${text}::double precision::text::numeric = ${text}::numeric END`;
  const time = `'^(?!0000)${DAY}T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,3})?Z$'`;
  return {
    'integer text': { fits: 'true', value: `${v}::text` },
    'real text': { fits: 'true', value: `${v}::text` },
    'boolean text': { fits: 'true', value: `${v}::text` },
    'timestamp text': {
      fits: 'true',
      // Three digits, as JavaScript prints times, or six if needed. Infinite times keep PostgreSQL's text.
      value: `CASE WHEN isfinite(${v}) AND extract(year FROM ${v} AT TIME ZONE 'UTC') BETWEEN 1 AND 9999 THEN regexp_replace(to_char(${v} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '000Z$', 'Z') ELSE ${v}::text END`,
    },
    'json boolean': { fits: `jsonb_typeof(${v}) = 'boolean'`, value: `(${v} #>> '{}')::boolean` },
    'json integer': {
      fits: `CASE jsonb_typeof(${v}) WHEN 'number' THEN ${number} = trunc(${number}) AND abs(${number}) <= ${WHOLE} END`,
      value: `${number}::bigint`,
    },
    'json real': {
      fits: `CASE WHEN jsonb_typeof(${v}) = 'number' AND ${plain(`(${v} #>> '{}')`)} THEN ${exact(`(${v} #>> '{}')`)} END`,
      value: `${number}::double precision`,
    },
    'json text': { fits: `jsonb_typeof(${v}) = 'string'`, value: `${v} #>> '{}'` },
    'text integer': {
      fits: `CASE WHEN ${v} ~ '^(0|-?[1-9]\\d{0,18})$' THEN ${v}::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 END`,
      value: `${v}::bigint`,
    },
    'real integer': { fits: `abs(${v}) < ${LARGEST} AND ${v} = trunc(${v})`, value: `${v}::bigint` },
    'boolean integer': { fits: 'true', value: `${v}::integer::bigint` },
    'integer real': {
      fits: `CASE WHEN ${v} BETWEEN -${LARGEST} AND ${LARGEST} THEN ${v}::double precision::bigint = ${v} END`,
      value: `${v}::double precision`,
    },
    'text real': {
      fits: `CASE WHEN ${plain(v)} THEN ${exact(v)} END`,
      value: `${v}::double precision`,
    },
    'text decimal': {
      fits: `CASE WHEN ${v} ~ '${DECIMAL_FORM}' THEN ${decimalFits(`${v}::numeric`)} END`,
      value: `trim_scale(${v}::numeric)`,
    },
    'integer decimal': { fits: 'true', value: `${v}::numeric` },
    'real decimal': {
      fits: `CASE WHEN ${v}::text ~ '${DECIMAL_FORM}' THEN ${decimalFits(`${v}::text::numeric`)} END`,
      value: `${v}::text::numeric`,
    },
    'json decimal': {
      fits: `CASE WHEN jsonb_typeof(${v}) IN ('number', 'string') AND (${v} #>> '{}') ~ '${DECIMAL_FORM}' THEN ${decimalFits(number)} END`,
      value: `trim_scale(${number})`,
    },
    'decimal text': { fits: 'true', value: `${v}::text` },
    'decimal integer': {
      fits: `${v} = trunc(${v}) AND ${v} BETWEEN -9223372036854775808 AND 9223372036854775807`,
      value: `${v}::bigint`,
    },
    'decimal real': {
      fits: `CASE WHEN ${v}::text ~ '${DECIMAL_FORM}' THEN ${exact(`${v}::text`)} END`,
      value: `${v}::double precision`,
    },
    'integer boolean': { fits: `${v} IN (0, 1)`, value: `${v} = 1` },
    'text boolean': { fits: `${v} IN ('true', 'false')`, value: `${v} = 'true'` },
    'text timestamp': { fits: `${v} ~ ${time}`, value: `${v}::timestamptz` },
  };
}
