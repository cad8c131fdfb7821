// JSON of requests that is too large to be parsed within a turn of the event loop: read in a search thread, which keeps its large members
// apart as text. The main thread sees the small ones, and hands the others on to whoever answers, who parses them where that holds nobody up.
import { isObject, type Json, parseJson } from '../json.ts';
import { RequestError } from '../request-error.ts';
import { sharedCopy } from '../drive.ts';
import type { JsonRead } from './messages.ts';
import { fromPlainError } from './plain-error.ts';
import { haveThreads, runJsonInThread } from './search-threads.ts';

/** Bytes of JSON from which on it is read in a thread: parsing as many takes two to four milliseconds. */
export const LARGE = 256 * 1024;

/** Bytes that the members of a body may have together besides those that are kept apart. */
export const MOST_INLINE = 1 << 20;

/** Members of bodies that only those read who can do it in a thread. */
export const APART: readonly string[] = [
  'query',
  'post_filter',
  'aggs',
  'aggregations',
  'suggest',
  'highlight',
  'index_filter',
];

/** Bytes of a member from which on it is kept apart. */
const LARGE_MEMBER = 16 * 1024;

/** An object of a request, as text that a thread printed. */
export class LargeJson {
  /** UTF-8, over shared memory. */
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/**
 * Reads the JSON of a request.
 *
 * @param apart members that stay text where the whole is large; they become a `LargeJson` if they are objects
 * @throws RequestError as `parseJson`; 413 when the other members of a large body take more than a megabyte
 */
export async function readJson(body: Uint8Array, apart: readonly string[]): Promise<unknown> {
  if (body.length < LARGE || !haveThreads()) return parseJson(body);
  const outcome = await runJsonInThread({ kind: 'read', text: await sharedCopy(body), apart });
  if (outcome.kind === 'gone') return parseJson(body);
  if (outcome.kind === 'refused') throw fromPlainError(outcome.error);
  if (outcome.kind !== 'read') throw new Error('A search thread failed to read a body.');
  const inline = parseJson(outcome.inline);
  if (outcome.apart.length === 0) return inline;
  const members: Record<string, unknown> = { ...(inline as Json) };
  for (const [name, bytes] of outcome.apart) members[name] = new LargeJson(bytes);
  return members;
}

/** Reads a body as `readJson` hands it on: for the thread. @throws RequestError */
export function divideJson(text: Uint8Array, apart: readonly string[]): JsonRead {
  const json = parseJson(text);
  if (!isObject(json)) {
    const printed = encoder.encode(JSON.stringify(json));
    checkInline(printed.length, 'body');
    return { inline: printed, apart: [] };
  }
  const inline: Record<string, unknown> = {};
  const kept: [string, Uint8Array][] = [];
  let size = 0;
  let largest = { name: '', size: 0 };
  for (const [name, value] of Object.entries(json)) {
    const printed = Buffer.from(JSON.stringify(value));
    if (apart.includes(name) && isObject(value) && printed.length >= LARGE_MEMBER) {
      const shared = new Uint8Array(new SharedArrayBuffer(printed.length));
      shared.set(printed);
      kept.push([name, shared]);
      continue;
    }
    Object.defineProperty(inline, name, { value, enumerable: true });
    size += printed.length;
    if (printed.length > largest.size) largest = { name, size: printed.length };
  }
  checkInline(size, largest.name);
  return { inline: encoder.encode(JSON.stringify(inline)), apart: kept };
}

const encoder = new TextEncoder();

function checkInline(size: number, name: string): void {
  if (size <= MOST_INLINE) return;
  throw new RequestError(
    'SEARCH_TOO_LARGE',
    'content_too_long_exception',
    `[${name}] is too long: besides documents, queries, aggregations and suggestions a body may have [${MOST_INLINE}] bytes of JSON, but has [${size}]. Ask in several requests.`,
  );
}

/** A value, parsed if it is still text; what came from another thread has lost its class. */
export function whole(value: unknown): unknown {
  const bytes = isObject(value) ? value['bytes'] : undefined;
  return bytes instanceof Uint8Array ? parseJson(bytes) : value;
}

/** An object with all members parsed that are still text. */
export function wholeMembers<T extends object>(json: T): T {
  if (!hasLarge(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, whole(value)])) as T;
}

/** Whether a member of an object is still text. */
export function hasLarge(json: object): boolean {
  return Object.values(json).some(isLarge);
}

/** Whether a value is still text. */
export const isLarge = (value: unknown): boolean => isObject(value) && value['bytes'] instanceof Uint8Array;
