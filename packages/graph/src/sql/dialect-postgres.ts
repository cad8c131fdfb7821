// PostgreSQL's spelling. json_build_object takes 50 pairs and a generic plan per call; text concatenation was 0.185 ms
// where it took 0.235.
import { SORT_CHARACTERS } from '../schema/decimal.ts';
import type { Storage } from '../schema/model.ts';
import type { Dialect, Mention } from './dialect.ts';

const TYPES: Readonly<Record<Storage, string>> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  decimal: 'numeric',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  json: 'json',
};

/** A bound value; a decimal comes as the text that SQLite keeps. */
function given(value: string, storage: Storage): string {
  return storage === 'decimal' ? givenDecimal(value) : `${value}::${TYPES[storage]}`;
}

/** A bound decimal as a number. */
export function givenDecimal(value: string): string {
  return `ltrim(${value}::text, '${SORT_CHARACTERS}')::numeric`;
}

/** ISO 8601 in UTC with milliseconds, as JavaScript prints a Date, in the quotes of JSON: no part of it needs escaping. */
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
  inTime: undefined,
  // Each EXISTS below NOT is planned twice, as a look-up a row and as a hash, so the time doubles with every level: sixteen took over 10 s.
  // A query with OFFSET is taken as it stands (simplify_EXISTS_query in PostgreSQL's subselect.c).
  planOnce: ' OFFSET 0',
  textCollation: ' COLLATE "C"',
  nulls: (descending) => (descending ? ' NULLS LAST' : ' NULLS FIRST'),
  among: (operand, list, storage) =>
    `${operand} IN (SELECT ${given('value', storage)} FROM json_array_elements_text(${asJson(list)}))`,
  amongStored: (operand, list, storage) =>
    `${operand} IN (SELECT ${fromText(() => 'value', storage)} FROM jsonb_array_elements_text(${arrayOf(list)}) AS e(value))`,
  elements: (list, storage) =>
    `(SELECT ${given('value', storage)} AS value, place FROM json_array_elements_text(${asJson(list)}) WITH ORDINALITY AS e(value, place))`,
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
  hex: (text) => `upper(encode(convert_to(${text}, 'UTF8'), 'hex'))`,
  // concat prints whatever it is given: a cast to text in between cost a fiftieth of a page of photos. By an interval of nothing
  // is in UTC too, and needs no look-up of that name for each row.
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

function orNull(value: string, nullable: boolean): string {
  return nullable ? `coalesce(${value}, 'null')` : value;
}

/** A bound list says what it is. */
function asJson(list: string): string {
  return list.endsWith('::json') ? list : `(${list})::json`;
}

/** A stored list; null where it is something else, which has no elements to PostgreSQL but an error. */
function arrayOf(list: Mention): string {
  return `CASE WHEN jsonb_typeof((${list()})::jsonb) = 'array' THEN (${list()})::jsonb END`;
}

/** A time as it is stored in JSON, of a day that there is: PostgreSQL's own cast raises an error for any other. */
const TIME = `^(?!0000)(\\d{4}-((0[1-9]|1[0-2])-(0[1-9]|1\\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)|(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?(Z|[+-](0\\d|1[0-4]):[0-5]\\d)$`;

/** A decimal as text, as far as `toDecimal` reads it; the number of its digits is asked of the number. */
export const DECIMAL_FORM = '^[-+]?(\\d{1,255}(\\.\\d{0,255})?|\\.\\d{1,255})([eE][-+]?\\d{1,3})?$';

/** A stored text as a value; null where it is none. A plain cast would raise an error, for a hidden row as well. */
function fromText(text: Mention, storage: Storage): string {
  switch (storage) {
    case 'integer':
      return toInteger(text);
    case 'real':
      // As JSON writes numbers. What is smaller or larger than any other number has no double either.
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
 * PostgreSQL raises an error for whole numbers beyond 64 bits, and for doubles that become infinite or too small. What is far from
 * that is counted at once, the rest is looked at in exact numbers first. OFFSET keeps the operands from being copied into each place.
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
