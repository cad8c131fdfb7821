// Divides the JSON of a large body: its large members stay text, each by itself. Runs in a search thread.
import { printExactly } from '../json/exact-json.ts';
import { isObject, parseBody } from '../json/json.ts';
import { RequestError } from '../errors/request-error.ts';

/** Bytes that the members of a body may have together besides those that are kept apart. */
const MOST_INLINE = 1 << 19;

/** Bytes of a member from which on it is kept apart. */
const LARGE_MEMBER = 16 * 1024;

/** A body without its large members, and those, as JSON each. */
export interface DividedJson {
  readonly inline: Uint8Array;
  readonly apart: readonly (readonly [name: string, text: Uint8Array])[];
}

/**
 * Divides a body.
 *
 * @param apart members that may stay text, where they are objects
 * @param ignoresRest whether text after the value is ignored
 * @throws RequestError as `parseJson`; 413 when the other members take more than half a megabyte
 */
export function divideJson(text: Uint8Array, apart: readonly string[], ignoresRest: boolean): DividedJson {
  const json = parseBody(text, ignoresRest);
  if (!isObject(json)) {
    const printed = encoder.encode(printExactly(json));
    checkInline(printed.length, 'body');
    return { inline: printed, apart: [] };
  }
  const inline: string[] = [];
  const kept: [string, Uint8Array][] = [];
  let size = 0;
  let largest = { name: '', size: 0 };
  for (const [name, value] of Object.entries(json)) {
    const text = printExactly(value);
    if (apart.includes(name) && isObject(value) && text.length >= LARGE_MEMBER) {
      kept.push([name, toShared(text)]);
      // Its place: which of two members with a mistake comes first is told.
      inline.push(`${JSON.stringify(name)}:null`);
      continue;
    }
    inline.push(`${JSON.stringify(name)}:${text}`);
    size += text.length;
    if (text.length > largest.size) largest = { name, size: text.length };
  }
  checkInline(size, largest.name);
  return { inline: encoder.encode(`{${inline.join(',')}}`), apart: kept };
}

const encoder = new TextEncoder();

/** A text in UTF-8, over shared memory. */
export function toShared(text: string): Uint8Array {
  const encoded = encoder.encode(text);
  const shared = new Uint8Array(new SharedArrayBuffer(encoded.length));
  shared.set(encoded);
  return shared;
}

function checkInline(size: number, name: string): void {
  if (size <= MOST_INLINE) return;
  throw new RequestError(
    'SEARCH_TOO_LARGE',
    'content_too_long_exception',
    `[${name}] is too long: besides documents, queries, aggregations and suggestions a body may have [${MOST_INLINE}] bytes of JSON, but has [${size}]. Ask in several requests.`,
  );
}
