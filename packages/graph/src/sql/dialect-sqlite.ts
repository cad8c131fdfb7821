// The SQLite dialect. The forms are the fastest measured: json_object for flat objects, concat for objects with
// subqueries.
import { MATCHES } from '../store/case-insensitive-match.ts';
import { TO_BASE64_URL } from '../store/base64.ts';
import { JSON_TEST, JSON_TEXT } from '../store/json-test.ts';
import { DEADLINE_FUNCTION } from '../store/statement-deadline.ts';
import type { KeyPart } from '../schema/model.ts';
import { sqliteAverage, sqliteSum, sqliteTimePart } from './aggregates-sqlite.ts';
import type { CompositeColumns, Dialect, Mention } from './dialect.ts';
import { SORT_CHARACTERS } from '../schema/decimal.ts';
import { DECIMAL } from '../store/decimal-text.ts';
import { DAMAGED_KEY, type JsonFormat } from './sql.ts';

/** Formats that json_object prints correctly. It would print booleans as numbers and quote stored JSON. */
const FLAT: ReadonlySet<JsonFormat> = new Set(['string', 'id', 'integer', 'real', 'decimal', 'timestamp']);

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  placeholder: () => '?',
  // With a bare `LIMIT ?`, SQLite re-prepares the statement at every execution (61 µs against 42 for a page of 25).
  limit: (placeholder) => `+${placeholder}`,
  offsetNeedsLimit: true,
  // CROSS JOIN fixes the join order: from the join rows of one object to their targets.
  join: 'CROSS JOIN',
  boolean: (value) => (value ? '1' : '0'),
  castText: (operand) => `CAST(${operand} AS TEXT)`,
  castInteger: (operand) => `CAST(${operand} AS INTEGER)`,
  // Registered by the store (store/statement-deadline.ts).
  deadlineCheck: `${DEADLINE_FUNCTION}()`,
  planOnce: '',
  textCollation: '',
  nulls: () => '',
  // SQLite switches to floating point beyond 64 bits.
  arithmetic: (operator, left, right) => `(${left} ${operator} ${right})`,
  among: (operand, list) => `${operand} IN (SELECT value FROM json_each(${list}))`,
  // One mention of the bound value, since placeholders are positional.
  bindsParts: true,
  equalsComposite: (key, text) => inRows(key, 'key', `(SELECT ${text} AS key)`),
  amongComposite: (key, list) => inRows(key, 'value', `json_each(${list})`),
  amongStored: (operand, list) => `${operand} IN (SELECT value FROM json_each(${wellFormed(list)}))`,
  elements: (list) => `(SELECT value, key AS place FROM json_each(${list}))`,
  storedElements: (list) => `(SELECT value, key AS place FROM json_each(${wellFormed(list)}))`,
  text(mode, operand, pattern) {
    if (mode === 'contains') return `instr(${operand}, ${pattern}) > 0`;
    // substr compares code points and has no wildcards; an empty pattern matches every text.
    if (mode === 'startsWith') return `substr(${operand}, 1, length(${pattern})) = ${pattern}`;
    // The length makes an empty pattern match every text but null.
    return `substr(${operand}, -length(${pattern}), length(${pattern})) = ${pattern}`;
  },
  // Registered by the store (store/case-insensitive-match.ts).
  matches: (operand, pattern) => `${MATCHES}(${operand}, ${pattern})`,
  // Compared by element, since stored lists may differ in spacing and escapes. EXCEPT sorts; comparing two lists of
  // 5,000 pairwise took 2 s per row.
  sameList: (operand, list) =>
    `(json_array_length(${wellFormed(operand)}) = json_array_length(${list()}) AND NOT EXISTS (SELECT key, value FROM json_each(${wellFormed(operand)}) EXCEPT SELECT key, value FROM json_each(${list()})))`,
  listHasSome: (operand, list) =>
    `EXISTS (SELECT 1 FROM json_each(${wellFormed(operand)}) h WHERE h.value IN (SELECT value FROM json_each(${list()})))`,
  listHasEvery: (operand, list) =>
    `(${wellFormed(operand)} IS NOT NULL AND NOT EXISTS (SELECT value FROM json_each(${list()}) EXCEPT SELECT value FROM json_each(${wellFormed(operand)})))`,
  listLength: (operand) => `json_array_length(${wellFormed(operand)})`,
  member(operand, path, storage) {
    const place = `'$.${path.map((name) => `"${name}"`).join('.')}'`;
    if (storage === 'json') return `nullif(${wellFormed(operand)} -> ${place}, 'null')`;
    const value = `json_extract(${wellFormed(operand)}, ${place})`;
    if (storage === 'text' || storage === 'timestamp') return `CAST(${value} AS TEXT)`;
    if (storage === 'integer') return `CAST(${value} AS INTEGER)`;
    // Registered by the store (store/decimal-text.ts).
    if (storage === 'decimal') return `${DECIMAL}(CAST(${value} AS TEXT))`;
    return storage === 'real' ? `CAST(${value} AS REAL)` : value;
  },
  // Registered by the store (store/json-test.ts).
  jsonTest: (test, operand, path = 'NULL', value = 'NULL') => `${JSON_TEST}('${test}', ${operand}, ${path}, ${value})`,
  textInJson: (operand, path = 'NULL') => `${JSON_TEXT}(${operand}, ${path})`,
  sum: sqliteSum,
  avg: sqliteAverage,
  timePart: sqliteTimePart,
  base64Url: (text) => `${TO_BASE64_URL}(${text})`,
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
        // Each use of a bound value would need another parameter. Only columns can be damaged.
        if (operand.includes('?')) return `CASE ${operand} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END`;
        // Any other value is printed as a text, which the response check rejects.
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
    // SQLite raises an error for a blob as JSON (store/sqlite-error.ts). A null key is the usual case and tested first.
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

/** A composite key is in a row source with a column of texts. An index on its columns finds the rows. */
function inRows({ whole, parts }: CompositeColumns, name: string, rows: string): string {
  const columns = [...parts.map(({ column }) => column), whole].join(', ');
  const values = [...parts.map(({ part }) => partOf(name, part)), name].join(', ');
  return `(${columns}) IN (SELECT ${values} FROM ${rows})`;
}

/** A part of the text of a composite key: as JSON, the text becomes a list. */
function partOf(text: string, { place }: KeyPart): string {
  const list = `'[' || replace(json_quote(CAST(${text} AS TEXT)), ',', '","') || ']'`;
  return `replace(replace(json_extract(${list}, '$[${place - 1}]'), '%2C', ','), '%25', '%')`;
}

/** The number in an order-preserving decimal text. */
export function decimalOf(operand: string): string {
  return `ltrim(${operand}, '${SORT_CHARACTERS}')`;
}

/** Stored JSON; null if it is malformed, for which SQLite's functions raise an error. */
function wellFormed(operand: Mention): string {
  return `CASE WHEN json_valid(${operand()}) THEN ${operand()} END`;
}
