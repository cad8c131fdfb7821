// The image of a row that a trigger of SQLite writes: `"id"=12;"name"='Ann'`, each value as an SQL literal by `quote`,
// which any version of SQLite has. Values keep their storage class, blobs included.
import { quoteText } from '../migrate/table-shape.ts';
import { quoteName } from '../schema/table-name.ts';
import type { SqlValue } from '../store/store.ts';

/** SQL of the image of a row. @param row its name in SQL: `old`, `new`, an alias */
export function imageSql(row: string, columns: readonly string[]): string {
  return concatenated(
    columns.map((column, index) => {
      const name = `${index === 0 ? '' : ';'}${quoteName(column)}=`;
      return `${quoteText(name)} || quote(${row}.${quoteName(column)})`;
    }),
  );
}

/** In halves: a chain of a thousand terms would be too deep an expression. */
function concatenated(terms: readonly string[]): string {
  if (terms.length <= 32) return terms.join(' || ');
  const half = terms.length >>> 1;
  return `(${concatenated(terms.slice(0, half))}) || (${concatenated(terms.slice(half))})`;
}

const PAIR = /"((?:[^"]|"")*)"=(?:'((?:[^']|'')*)'|X'([0-9A-Fa-f]*)'|([^;']*))(?:;|$)/gy;

/** The values of an image by column; undefined if the text is no image. */
export function parseImage(image: string): ReadonlyMap<string, SqlValue> | undefined {
  const values = new Map<string, SqlValue>();
  let end = 0;
  for (const pair of image.matchAll(PAIR)) {
    const [, name = '', text, blob, word = ''] = pair;
    end = pair.index + pair[0].length;
    const value =
      text !== undefined
        ? text.replaceAll("''", "'")
        : blob !== undefined
          ? new Uint8Array(Buffer.from(blob, 'hex'))
          : toNumber(word);
    values.set(name.replaceAll('""', '"'), value);
  }
  return end === image.length && end > 0 ? values : undefined;
}

function toNumber(word: string): SqlValue {
  if (word === 'NULL') return null;
  const number = Number(word);
  return /^-?\d+$/.test(word) && !Number.isSafeInteger(number) ? BigInt(word) : number;
}
