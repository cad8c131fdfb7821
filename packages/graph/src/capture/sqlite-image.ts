// The image of a row that a trigger of SQLite writes: `"id"=12;"name"='Ann'`, each value as an SQL literal by `quote`,
// which any version of SQLite has. Values keep their storage class, blobs included. A text with NUL, where `quote` ends,
// is `T` and its bytes in hexadecimal digits.
import { quoteText } from '../migrate/table-shape.ts';
import { quoteName } from '../schema/table-name.ts';
import type { SqlValue } from '../store/store.ts';

/** SQL of the image of a row. @param row its name in SQL: `old`, `new`, an alias */
export function imageSql(row: string, columns: readonly string[]): string {
  return concatenated(
    columns.map((column, index) => {
      const name = `${index === 0 ? '' : ';'}${quoteName(column)}=`;
      return `${quoteText(name)} || ${literalSql(`${row}.${quoteName(column)}`)}`;
    }),
  );
}

/** SQL of a value's text in an image: equal for equal values only. */
export function literalSql(value: string): string {
  const hasNul = `typeof(${value}) = 'text' AND instr(${value}, char(0)) > 0`;
  return `CASE WHEN ${hasNul} THEN 'T' || quote(CAST(${value} AS BLOB)) ELSE quote(${value}) END`;
}

/** In halves: a chain of a thousand terms would be too deep an expression. */
function concatenated(terms: readonly string[]): string {
  if (terms.length <= 32) return terms.join(' || ');
  const half = terms.length >>> 1;
  return `(${concatenated(terms.slice(0, half))}) || (${concatenated(terms.slice(half))})`;
}

/** Selects an image. One so long that it would fill the memory is null, which is unreadable. */
export const READABLE_IMAGE = 'CASE WHEN octet_length(image) <= 100000000 THEN image END';

/** The values of an image by column; undefined if the text is no image. No regular expression: they overflow the stack. */
export function parseImage(image: string): ReadonlyMap<string, SqlValue> | undefined {
  const values = new Map<string, SqlValue>();
  for (let at = 0; at < image.length;) {
    const behindName = endOfQuoted(image, at);
    const start = behindName + 1;
    if (image[at] !== '"' || image[behindName] !== '=') return undefined;
    const semicolon = image.indexOf(';', start);
    const end = image[start] === "'" ? endOfQuoted(image, start) : semicolon < 0 ? image.length : semicolon;
    if (end === 0 || (end < image.length && image[end] !== ';')) return undefined;
    values.set(unquote(image.slice(at, behindName)), toValue(image.slice(start, end)));
    at = end + 1;
  }
  return values.size > 0 ? values : undefined;
}

/** The place behind a quoted text, in which quotes are doubled; 0 if it does not end. */
function endOfQuoted(text: string, start: number): number {
  const quote = text.charAt(start);
  let end = text.indexOf(quote, start + 1);
  while (end >= 0 && text[end + 1] === quote) end = text.indexOf(quote, end + 2);
  return end + 1;
}

function unquote(text: string): string {
  const quote = text.charAt(0);
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

function toValue(literal: string): SqlValue {
  if (literal.startsWith("'")) return unquote(literal);
  if (literal.startsWith("TX'")) return Buffer.from(literal.slice(3, -1), 'hex').toString();
  return literal.startsWith("X'") ? new Uint8Array(Buffer.from(literal.slice(2, -1), 'hex')) : toNumber(literal);
}

function toNumber(word: string): SqlValue {
  if (word === 'NULL') return null;
  // No -0, which SQLite's integers have not got.
  const number = Number(word) || 0;
  return /^-?\d+$/.test(word) && !Number.isSafeInteger(number) ? BigInt(word) : number;
}
