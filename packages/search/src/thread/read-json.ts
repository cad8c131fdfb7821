// JSON of requests that is too large to be parsed within a turn of the event loop: read in a search thread, which keeps its large members
// apart as text. The main thread sees the small ones, and hands the others on as text, to be parsed in a thread.
import { nextTurn } from '../turns.ts';
import type { SourceFilter } from '../search/source-filter.ts';
import { printExactly } from '../exact-json.ts';
import { isObject, type Json, parseBody } from '../json.ts';
import { LargeJson } from '../large-json.ts';
import { RequestError } from '../request-error.ts';
import { sharedCopy } from '../drive.ts';
import type { DocumentRules } from '../view/mask-source.ts';
import type { JsonRead } from './messages.ts';
import { fromPlainError } from './plain-error.ts';
import { haveThreads, runJsonInThread } from './search-threads.ts';

/** Bytes of JSON from which on it is read in a thread: parsing as many takes two to four milliseconds. */
export const LARGE = 256 * 1024;

/** Bytes that the members of a body may have together besides those that are kept apart. */
const MOST_INLINE = 1 << 19;

/** Members of bodies that only those read who can do it in a thread. */
export const APART: readonly string[] = [
  'query',
  'post_filter',
  'aggs',
  'aggregations',
  'suggest',
  'highlight',
  'index_filter',
  'doc',
  'upsert',
];

/** Bytes of a member from which on it is kept apart. */
const LARGE_MEMBER = 16 * 1024;

/**
 * Reads the JSON of a request.
 *
 * @param apart members that stay text where the whole is large; they become a `LargeJson` if they are objects
 * @throws RequestError as `parseJson`; 413 when the other members of a large body take more than half a megabyte
 */
export async function readJson(body: Uint8Array, apart: readonly string[]): Promise<unknown> {
  if (body.length < LARGE || !haveThreads()) return parseBody(body);
  const outcome = await runJsonInThread({ kind: 'read', text: await sharedCopy(body), apart });
  if (outcome.kind === 'gone') return parseBody(body);
  if (outcome.kind === 'refused') throw fromPlainError(outcome.error);
  if (outcome.kind !== 'read') throw new Error('A search thread failed to read a body.');
  const inline = parseBody(outcome.inline);
  // As much takes a turn of its own.
  await nextTurn();
  if (outcome.apart.length === 0) return inline;
  const members: Record<string, unknown> = { ...(inline as Json) };
  for (const [name, bytes] of outcome.apart) members[name] = new LargeJson(bytes);
  return members;
}

/** Reads a body as `readJson` hands it on: for the thread. @throws RequestError */
export function divideJson(text: Uint8Array, apart: readonly string[]): JsonRead {
  const json = parseBody(text);
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

/**
 * Filters a large source in a thread, one filter after the other, and takes the values at paths out of it.
 *
 * @returns undefined where there is no thread
 */
export async function showInThread(
  source: Uint8Array,
  filters: readonly SourceFilter[],
  paths: readonly string[],
): Promise<{ readonly text: Uint8Array; readonly values: readonly (readonly unknown[])[] } | undefined> {
  if (!haveThreads()) return undefined;
  const outcome = await runJsonInThread({ kind: 'show', source: await sharedCopy(source), filters, paths });
  return outcome.kind === 'show' ? outcome : undefined;
}

/**
 * Merges a partial document into a large one, or a large one into a document, in a thread.
 *
 * @returns the document unless nothing has changed; undefined where there is no thread
 */
export async function mergeInThread(
  source: Uint8Array,
  change: unknown,
): Promise<{ readonly text: Uint8Array | undefined } | undefined> {
  if (!haveThreads()) return undefined;
  const outcome = await runJsonInThread({ kind: 'merge', source: await sharedCopy(source), change });
  return outcome.kind === 'merge' ? outcome : undefined;
}

/**
 * Makes the text that a view shows of a large source, in a thread.
 *
 * @returns undefined where there is no thread
 */
export async function maskInThread(source: Uint8Array, rules: DocumentRules): Promise<Uint8Array | undefined> {
  if (!haveThreads()) return undefined;
  const outcome = await runJsonInThread({ kind: 'mask', source: await sharedCopy(source), rules });
  return outcome.kind === 'mask' ? outcome.text : undefined;
}
