// The PostgreSQL dialect. JSON is concatenated: 0.185 ms, against 0.235 ms with json_build_object, which takes at most
// 50 pairs.
import { SORT_CHARACTERS } from '../schema/decimal.ts';
import type { KeyPart, Storage } from '../schema/model.ts';
import { instantPart, postgresAverage, postgresSum, textPart } from './aggregates-postgres.ts';
import type { Dialect, Mention, NativeTexts } from './dialect.ts';
import { postgresJsonTest, postgresTextInJson } from './json-postgres.ts';

const TYPES: Readonly<Record<Storage, string>> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  decimal: 'numeric',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  json: 'json',
};

/** A typed placeholder; a decimal is bound as SQLite's text. */
function given(value: string, storage: Storage): string {
  return storage === 'decimal' ? givenDecimal(value) : `${value}::${TYPES[storage]}`;
}

/** Converts a bound decimal to numeric. */
export function givenDecimal(value: string): string {
  return `ltrim(${value}::text, '${SORT_CHARACTERS}')::numeric`;
}

/** ISO 8601 in UTC with milliseconds, as JavaScript prints a Date, in JSON quotes; nothing in it needs escaping. */
const ISO = String.raw`'"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'`;

export const postgresDialect: Dialect = {
  name: 'postgres',
  placeholder: (position, storage) => given(`$${position}`, storage),
  limit: (placeholder) => placeholder,
  offsetNeedsLimit: false,
  join: 'JOIN',
  boolean: (value) => (value ? 'true' : 'false'),
  castText: (operand) => `(${operand})::text`,
  castInteger: (operand) => (/^\d+$/.test(operand) ? `(${operand})::bigint` : toInteger(() => operand)),
  deadlineCheck: undefined,
  // PostgreSQL plans each EXISTS below NOT twice, as a subplan and as a hashed subplan, so planning time doubles with
  // every level: sixteen took over 10 s. OFFSET prevents the second plan (simplify_EXISTS_query in subselect.c).
  planOnce: ' OFFSET 0',
  textCollation: ' COLLATE "C"',
  nulls: (descending) => (descending ? ' NULLS LAST' : ' NULLS FIRST'),
  among: (operand, list, storage) =>
    `${operand} IN (SELECT ${given('value', storage)} FROM json_array_elements_text(${asJson(list)}))`,
  toNative,
  amongTexts: (column, list, texts) =>
    `${column} IN (SELECT ${toNative('value', texts)} FROM json_array_elements_text(${asJson(list)}))`,
  bindsParts: false,
  equalsComposite({ whole, parts }, text) {
    const conditions = parts.map(({ column, part }) => `${column} = ${partOf(text, part)}`);
    return `(${[...conditions, `${whole} = ${text}`].join(' AND ')})`;
  },
  amongComposite({ whole, parts }, list) {
    const columns = [...parts.map(({ column }) => column), whole].join(', ');
    const values = [...parts.map(({ part }) => partOf('value', part)), 'value'].join(', ');
    return `(${columns}) IN (SELECT ${values} FROM json_array_elements_text(${asJson(list)}))`;
  },
  amongStored: (operand, list, storage) =>
    `${operand} IN (SELECT ${fromText(() => 'value', storage)} FROM jsonb_array_elements_text(${arrayOf(list)}) AS e(value))`,
  elements: (list, storage) =>
    storage === 'json'
      ? `(SELECT value, place FROM jsonb_array_elements((${list})::jsonb) WITH ORDINALITY AS e(value, place))`
      : `(SELECT ${given('value', storage)} AS value, place FROM json_array_elements_text(${asJson(list)}) WITH ORDINALITY AS e(value, place))`,
  storedElements: (list) =>
    `(SELECT nullif(value, 'null'::jsonb)::json AS value, place FROM jsonb_array_elements(${arrayOf(list)}) WITH ORDINALITY AS e(value, place))`,
  arithmetic,
  text(mode, operand, pattern) {
    if (mode === 'contains') return `strpos(${operand}, ${pattern}) > 0`;
    if (mode === 'startsWith') return `starts_with(${operand}, ${pattern})`;
    return `right(${operand}, length(${pattern})) = ${pattern}`;
  },
  matches: (operand, pattern) => `${operand} COLLATE "C" ~ ${pattern}`,
  sameList: (operand, list) => `(${operand()})::jsonb = (${list()})::jsonb`,
  listHasSome: (operand, list) =>
    `EXISTS (SELECT 1 FROM jsonb_array_elements(${arrayOf(operand)}) AS h(v) WHERE h.v IN (SELECT w.v FROM jsonb_array_elements((${list()})::jsonb) AS w(v)))`,
  listHasEvery: (operand, list) => `(${operand()})::jsonb @> (${list()})::jsonb`,
  listLength: (operand) => `jsonb_array_length(${arrayOf(operand)})`,
  member(operand, path, storage) {
    const names = `'{${path.join(',')}}'`;
    if (storage === 'json') return `nullif(((${operand()})::jsonb #> ${names}), 'null'::jsonb)`;
    return fromText(() => `((${operand()})::jsonb #>> ${names})`, storage);
  },
  jsonTest: postgresJsonTest,
  textInJson: postgresTextInJson,
  sum: postgresSum,
  avg: postgresAverage,
  timePart: (operand, time, part, zone) =>
    time === 'instant'
      ? instantPart(operand, part, zone)
      : textPart(operand, time, part, (text) => fromText(text, 'timestamp')),
  // PostgreSQL breaks lines of base64.
  base64Url: (text) => `translate(encode(convert_to(${text}, 'UTF8'), 'base64'), E'+/=\\n', '-_')`,
  hex: (text) => `upper(encode(convert_to(${text}, 'UTF8'), 'hex'))`,
  // concat prints any type; casting to text first cost 2 % of a page of photos. An interval of 0 is UTC, too, without a
  // look-up of the zone name per row.
  json(format, operand, nullable) {
    switch (format) {
      case 'string':
      case 'real':
        return orNull(`to_json(${operand})`, nullable);
      case 'integer':
        return nullable ? orNull(`(${operand})::text`, true) : `(${operand})`;
      case 'boolean':
        return orNull(`(${operand})::text`, nullable);
      case 'id':
        return orNull(`to_json((${operand})::text)`, nullable);
      case 'decimal':
        return orNull(`to_json(trim_scale(${operand})::text)`, nullable);
      case 'timestamp':
        return orNull(`to_char((${operand}) AT TIME ZONE interval '0', ${ISO})`, nullable);
      case 'wholeNumber':
        return orNull(
          `CASE WHEN ${operand} BETWEEN -9007199254740991 AND 9007199254740991 THEN (${operand})::text ELSE to_json((${operand})::text)::text END`,
          nullable,
        );
      case 'json':
        return orNull(`(${operand})`, nullable);
    }
  },
  jsonText: (value) => `(${value})::text`,
  aggregate: (element) => `string_agg(${element}, ',')`,
  flatObject: () => undefined,
  flatList: () => undefined,
};

/** The cast of any other text would raise an error. */
function toNative(text: string, { pattern, cast }: NativeTexts): string {
  return `CASE WHEN ${text} ~ '${pattern}' THEN ${text}::${cast} END`;
}

/** A part of the text of a composite key, as its column has it. */
function partOf(text: string, { place, texts }: KeyPart): string {
  const part = `split_part(${text}, ',', ${place})`;
  return texts === undefined ? `replace(replace(${part}, '%2C', ','), '%25', '%')` : toNative(part, texts);
}

function orNull(value: string, nullable: boolean): string {
  return nullable ? `coalesce(${value}, 'null')` : value;
}

/** A bound list has its cast already. */
function asJson(list: string): string {
  return list.endsWith('::json') ? list : `(${list})::json`;
}

/** A stored list; null for any other JSON, whose elements would raise an error. */
function arrayOf(list: Mention): string {
  return `CASE WHEN jsonb_typeof((${list()})::jsonb) = 'array' THEN (${list()})::jsonb END`;
}

/** A stored time of a day that exists; PostgreSQL's cast raises an error for any other text. */
const TIME = `^(?!0000)(\\d{4}-((0[1-9]|1[0-2])-(0[1-9]|1\\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)|(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?(Z|[+-](0\\d|1[0-4]):[0-5]\\d)$`;

/** A decimal as text, as `toDecimal` accepts it; the number of digits is checked on the numeric. */
export const DECIMAL_FORM = '^[-+]?(\\d{1,255}(\\.\\d{0,255})?|\\.\\d{1,255})([eE][-+]?\\d{1,3})?$';

/**
 * Converts a stored text to a value; null if it is not one. A plain cast would raise an error, also for hidden rows.
 */
function fromText(text: Mention, storage: Storage): string {
  switch (storage) {
    case 'integer':
      return toInteger(text);
    case 'real':
      // A JSON number in the range of a double.
      return `CASE WHEN ${text()} ~ '^-?\\d{1,255}\\d{0,100}(\\.\\d{1,255}\\d{0,255})?([eE][+-]?\\d{1,3})?$' THEN CASE WHEN (${text()})::numeric = 0 OR abs((${text()})::numeric) BETWEEN 5e-324 AND 1.7976931348623157e308 THEN (${text()})::double precision END END`;
    case 'decimal':
      return `CASE WHEN ${text()} ~ '${DECIMAL_FORM}' THEN (${text()})::numeric END`;
    case 'boolean':
      return `CASE ${text()} WHEN 'true' THEN true WHEN 'false' THEN false END`;
    case 'timestamp':
      return `CASE WHEN ${text()} ~ '${TIME}' THEN (${text()})::timestamptz END`;
    case 'text':
      return text();
    case 'json':
      return `(${text()})::json`;
  }
}

function toInteger(text: Mention): string {
  return `CASE WHEN ${text()} ~ '^-?\\d{1,18}$' THEN (${text()})::bigint WHEN ${text()} ~ '^-?\\d{19}$' THEN CASE WHEN (${text()})::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (${text()})::bigint END END`;
}

/**
 * PostgreSQL raises an error if a bigint or double overflows or underflows. Operands far from the limits are computed
 * directly, others are checked as numeric first. OFFSET keeps the planner from copying the operands into each branch.
 */
function arithmetic(operator: '+' | '-' | '*', left: string, right: string): string {
  const far =
    operator === '*'
      ? 'abs(l) BETWEEN 1e-150 AND 1e150 AND abs(r) BETWEEN 1e-150 AND 1e150 OR l = 0 OR r = 0'
      : 'abs(l) < 8e307 AND abs(r) < 8e307';
  const infinite = "abs(l) >= 'infinity' OR abs(r) >= 'infinity'";
  const exact = `l::numeric ${operator} r::numeric`;
  return `(SELECT CASE WHEN ${far} OR ${infinite} THEN l ${operator} r WHEN abs(${exact}) < 1e-323 THEN 0 WHEN abs(${exact}) < 1.797e308 THEN l ${operator} r WHEN ${exact} > 0 THEN 'infinity' WHEN ${exact} < 0 THEN '-infinity' END FROM (SELECT (${left})::double precision AS l, (${right})::double precision AS r OFFSET 0) n)`;
}
