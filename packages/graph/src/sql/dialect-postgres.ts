// PostgreSQL's spelling. json_build_object takes 50 pairs and a generic plan per call; text concatenation was 0.185 ms
// where it took 0.235.
import type { Storage } from '../schema/model.ts';
import type { Dialect } from './dialect.ts';

const TYPES: Readonly<Record<Storage, string>> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  json: 'json',
};

/** ISO 8601 in UTC with milliseconds, as JavaScript prints a Date, in the quotes of JSON: no part of it needs escaping. */
const ISO = String.raw`'"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'`;

export const postgresDialect: Dialect = {
  name: 'postgres',
  placeholder: (position, storage) => `$${position}::${TYPES[storage]}`,
  limit: (placeholder) => placeholder,
  offsetNeedsLimit: false,
  join: 'JOIN',
  boolean: (value) => (value ? 'true' : 'false'),
  castText: (operand) => `(${operand})::text`,
  castInteger: (operand) => `(${operand})::bigint`,
  inTime: undefined,
  // Each EXISTS below NOT is planned twice, as a look-up a row and as a hash, so the time doubles with every level: sixteen took over 10 s.
  // A query with OFFSET is taken as it stands (simplify_EXISTS_query in PostgreSQL's subselect.c).
  planOnce: ' OFFSET 0',
  textCollation: ' COLLATE "C"',
  nulls: (descending) => (descending ? ' NULLS LAST' : ' NULLS FIRST'),
  among: (operand, list, storage) =>
    `${operand} IN (SELECT value::${TYPES[storage]} FROM json_array_elements_text(${asJson(list)}))`,
  elements: (list, storage) =>
    `(SELECT value::${TYPES[storage]} AS value, place FROM json_array_elements_text(${asJson(list)}) WITH ORDINALITY AS e(value, place))`,
  text(mode, operand, pattern) {
    if (mode === 'contains') return `strpos(${operand}, ${pattern}) > 0`;
    if (mode === 'startsWith') return `starts_with(${operand}, ${pattern})`;
    return `right(${operand}, length(${pattern})) = ${pattern}`;
  },
  matches: (operand, pattern) => `${operand} COLLATE "C" ~ ${pattern}`,
  sameList: (operand, list) => `(${operand()})::jsonb = (${list()})::jsonb`,
  listHasSome: (operand, list) =>
    `EXISTS (SELECT 1 FROM jsonb_array_elements((${operand})::jsonb) AS h(v) WHERE h.v IN (SELECT w.v FROM jsonb_array_elements((${list})::jsonb) AS w(v)))`,
  listHasEvery: (operand, list) => `(${operand()})::jsonb @> (${list()})::jsonb`,
  listLength: (operand) => `jsonb_array_length((${operand})::jsonb)`,
  member: (operand, name, storage) =>
    storage === 'json'
      ? `nullif(((${operand})::jsonb -> '${name}'), 'null'::jsonb)`
      : `((${operand})::jsonb ->> '${name}')${storage === 'text' ? '' : `::${TYPES[storage]}`}`,
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

/** A stored list is jsonb; a bound one says what it is. */
function asJson(list: string): string {
  return list.endsWith('::json') ? list : `(${list})::json`;
}
