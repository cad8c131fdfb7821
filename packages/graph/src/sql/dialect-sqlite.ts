// SQLite's spelling. The shapes are the fastest measured: json_object for flat objects, concat for what holds a subquery.
import { MATCHES } from '../store/case-insensitive-match.ts';
import { IN_TIME } from '../store/statement-time.ts';
import type { Dialect, Mention } from './dialect.ts';
import { SORT_CHARACTERS } from '../schema/decimal.ts';
import { DECIMAL } from '../store/decimal-text.ts';
import { DAMAGED_KEY, type JsonFormat } from './sql.ts';

/** Formats json_object prints by itself. Booleans are numbers to it, stored JSON would be quoted. */
const FLAT: ReadonlySet<JsonFormat> = new Set(['string', 'id', 'integer', 'real', 'decimal', 'timestamp']);

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  placeholder: () => '?',
  // A bare `LIMIT ?` makes SQLite prepare the statement again at every execution (61 µs against 42 on a page of 25).
  limit: (placeholder) => `+${placeholder}`,
  offsetNeedsLimit: true,
  // CROSS JOIN keeps the written order: from the pairs of one object to their targets.
  join: 'CROSS JOIN',
  boolean: (value) => (value ? '1' : '0'),
  castText: (operand) => `CAST(${operand} AS TEXT)`,
  castInteger: (operand) => `CAST(${operand} AS INTEGER)`,
  // Registered by the store (store/statement-time.ts).
  inTime: `${IN_TIME}()`,
  planOnce: '',
  textCollation: '',
  nulls: () => '',
  // Beyond 64 bits it counts in floating point.
  arithmetic: (operator, left, right) => `(${left} ${operator} ${right})`,
  among: (operand, list) => `${operand} IN (SELECT value FROM json_each(${list}))`,
  amongStored: (operand, list) => `${operand} IN (SELECT value FROM json_each(${wellFormed(list)}))`,
  elements: (list) => `(SELECT value, key AS place FROM json_each(${list}))`,
  storedElements: (list) => `(SELECT value, key AS place FROM json_each(${wellFormed(list)}))`,
  text(mode, operand, pattern) {
    if (mode === 'contains') return `instr(${operand}, ${pattern}) > 0`;
    // substr compares by code point and knows no wildcard; an empty pattern is everywhere.
    if (mode === 'startsWith') return `substr(${operand}, 1, length(${pattern})) = ${pattern}`;
    // With a length, for an empty pattern ends every text and no null.
    return `substr(${operand}, -length(${pattern}), length(${pattern})) = ${pattern}`;
  },
  // Registered by the store (store/case-insensitive-match.ts).
  matches: (operand, pattern) => `${MATCHES}(${operand}, ${pattern})`,
  // Element by element: the text of a list may be spaced or escaped otherwise. Sets are sorted; pairs of two lists of 5,000 took 2 s a row.
  sameList: (operand, list) =>
    `(json_array_length(${wellFormed(operand)}) = json_array_length(${list()}) AND NOT EXISTS (SELECT key, value FROM json_each(${wellFormed(operand)}) EXCEPT SELECT key, value FROM json_each(${list()})))`,
  listHasSome: (operand, list) =>
    `EXISTS (SELECT 1 FROM json_each(${wellFormed(operand)}) h WHERE h.value IN (SELECT value FROM json_each(${list()})))`,
  listHasEvery: (operand, list) =>
    `(${wellFormed(operand)} IS NOT NULL AND NOT EXISTS (SELECT value FROM json_each(${list()}) EXCEPT SELECT value FROM json_each(${wellFormed(operand)})))`,
  listLength: (operand) => `json_array_length(${wellFormed(operand)})`,
  member(operand, path, storage) {
    const value = `json_extract(${wellFormed(operand)}, '$.${path.map((name) => `"${name}"`).join('.')}')`;
    if (storage === 'text' || storage === 'timestamp') return `CAST(${value} AS TEXT)`;
    if (storage === 'integer') return `CAST(${value} AS INTEGER)`;
    // Registered by the store (store/decimal-text.ts).
    if (storage === 'decimal') return `${DECIMAL}(CAST(${value} AS TEXT))`;
    return storage === 'real' ? `CAST(${value} AS REAL)` : value;
  },
  hex: (text) => `hex(${text})`,
  json(format, operand, nullable) {
    switch (format) {
      case 'string':
      case 'timestamp':
      case 'real':
      case 'integer':
        return `json_quote(${operand})`;
      case 'decimal':
        return `json_quote(${decimalOf(operand)})`;
      case 'id':
        return `json_quote(CAST(${operand} AS TEXT))`;
      case 'wholeNumber':
        return `CASE WHEN ${operand} IS NULL THEN 'null' WHEN ${operand} BETWEEN -9007199254740991 AND 9007199254740991 THEN CAST(${operand} AS TEXT) ELSE json_quote(CAST(${operand} AS TEXT)) END`;
      case 'boolean':
        // Each mention of a bound value would be one more; what is not a column cannot be damaged.
        if (operand.includes('?')) return `CASE ${operand} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END`;
        // A text is no Boolean: what else stands there is seen to be none.
        return `CASE ${operand} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE json_quote(CAST(${operand} AS TEXT)) END`;
      case 'json': {
        if (operand.includes('?')) return nullable ? `coalesce(${operand}, 'null')` : operand;
        const sound = `iif(json_valid(${operand}), ${operand}, '{"${DAMAGED_KEY}":true}')`;
        return nullable ? `iif(${operand} IS NULL, 'null', ${sound})` : sound;
      }
    }
  },
  noRow(key, storage) {
    const wrong = storage === 'integer' ? "<> 'integer'" : "= 'blob'";
    // SQLite refuses a blob as JSON (store/sqlite-error.ts). No key at all is what is usual, and told at once.
    return `iif(${key} IS NOT NULL AND typeof(${key}) ${wrong}, json_quote(zeroblob(0)), 'null')`;
  },
  jsonText: (value) => value,
  aggregate: (element) => `group_concat(${element}, ',')`,
  flatObject(members) {
    if (members.length === 0 || members.length > 60 || members.some((member) => !FLAT.has(member.format)))
      return undefined;
    const parts = members.map(
      ({ key, format, operand }) =>
        `'${key}', ${format === 'id' ? `CAST(${operand} AS TEXT)` : format === 'decimal' ? decimalOf(operand) : operand}`,
    );
    return `json_object(${parts.join(', ')})`;
  },
  flatList: (element) => `json_group_array(${element})`,
};

/** The number in a text that sorts as it does. */
export function decimalOf(operand: string): string {
  return `ltrim(${operand}, '${SORT_CHARACTERS}')`;
}

/** Stored JSON; null where it is none, for which SQLite's functions raise an error. */
function wellFormed(operand: Mention): string {
  return `CASE WHEN json_valid(${operand()}) THEN ${operand()} END`;
}
