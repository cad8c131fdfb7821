// Which values of a column can be kept when it is to hold another kind of value, and as what, in SQL of each database. Not
// here: what becomes of the others (plan-migration.ts). What fits is decided alike on both; where one of them cannot tell
// without failing on a strange value, less fits.
import type { Storage } from '../schema/model.ts';
import { type Dialect, storageOfType } from './table-shape.ts';

/** What an old value comes to. */
export interface Conversion {
  /** A condition on the old value, which is not null. */
  readonly fits: string;
  /** The new value of one that fits. */
  readonly value: string;
}

const NOTHING: Conversion = { fits: 'false', value: 'NULL' };

/**
 * Converts the values of a column.
 *
 * @param from its type as the database names it, which may be none of ours
 * @param column its name, quoted
 */
export function convertColumn(dialect: Dialect, from: string, to: string, column: string): Conversion {
  const before = storageOfType(dialect, from);
  const after = storageOfType(dialect, to);
  if (before === undefined || after === undefined) return NOTHING;
  const rules = dialect === 'sqlite' ? onSqlite(column) : onPostgres(column);
  return rules[`${before} ${after}`] ?? NOTHING;
}

type Rules = Readonly<Partial<Record<`${Storage} ${Storage}`, Conversion>>>;

/** Whole numbers that JavaScript tells apart. */
const WHOLE = 2 ** 53 - 1;

function onSqlite(v: string): Rules {
  const isNumber = `trim(${v}, char(9, 10, 13, 32)) = ${v} AND json_valid(${v}) AND json_type(${v}) IN ('integer', 'real') AND abs(CAST(${v} AS REAL)) < 1e300`;
  return {
    'integer text': { fits: 'true', value: `CAST(${v} AS TEXT)` },
    'real text': {
      fits: 'true',
      value: `CASE WHEN ${v} = CAST(${v} AS INTEGER) THEN CAST(CAST(${v} AS INTEGER) AS TEXT) ELSE CAST(${v} AS TEXT) END`,
    },
    'boolean text': { fits: `${v} IN (0, 1)`, value: `iif(${v}, 'true', 'false')` },
    'timestamp text': { fits: 'true', value: v },
    'json text': { fits: `json_valid(${v}) AND json_type(${v}) = 'text'`, value: `json_extract(${v}, '$')` },
    'text integer': {
      fits: `length(${v}) < 19 AND CAST(CAST(${v} AS INTEGER) AS TEXT) = ${v}`,
      value: `CAST(${v} AS INTEGER)`,
    },
    'real integer': { fits: `abs(${v}) <= ${WHOLE} AND ${v} = CAST(${v} AS INTEGER)`, value: `CAST(${v} AS INTEGER)` },
    'boolean integer': { fits: 'true', value: v },
    'integer real': { fits: 'true', value: `CAST(${v} AS REAL)` },
    'text real': { fits: isNumber, value: `CAST(${v} AS REAL)` },
    'integer boolean': { fits: `${v} IN (0, 1)`, value: v },
    'text boolean': { fits: `${v} IN ('true', 'false')`, value: `${v} = 'true'` },
    // Exactly as times are kept.
    'text timestamp': { fits: `strftime('%Y-%m-%dT%H:%M:%fZ', ${v}) = ${v}`, value: v },
  };
}

/** Days that each year has: whether the 29th of February was one cannot be asked without failing where it was none. */
const DAY = '((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|1\\d|2[0-8]))';

function onPostgres(v: string): Rules {
  const time = `'^(?!0000)\\d{4}-${DAY}T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$'`;
  return {
    'integer text': { fits: 'true', value: `${v}::text` },
    'real text': { fits: 'true', value: `${v}::text` },
    'boolean text': { fits: 'true', value: `${v}::text` },
    'timestamp text': { fits: 'true', value: `to_char(${v} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` },
    'json text': { fits: `jsonb_typeof(${v}) = 'string'`, value: `${v} #>> '{}'` },
    'text integer': { fits: `${v} ~ '^(0|-?[1-9]\\d{0,16})$'`, value: `${v}::bigint` },
    'real integer': { fits: `abs(${v}) <= ${WHOLE} AND ${v} = trunc(${v})`, value: `${v}::bigint` },
    'boolean integer': { fits: 'true', value: `${v}::integer::bigint` },
    'integer real': { fits: 'true', value: `${v}::double precision` },
    'text real': {
      fits: `${v} ~ '^-?(0|[1-9]\\d{0,30})(\\.\\d{1,30})?([eE][-+]?\\d{1,2})?$'`,
      value: `${v}::double precision`,
    },
    'integer boolean': { fits: `${v} IN (0, 1)`, value: `${v} = 1` },
    'text boolean': { fits: `${v} IN ('true', 'false')`, value: `${v} = 'true'` },
    'text timestamp': { fits: `${v} ~ ${time}`, value: `${v}::timestamptz` },
  };
}
