// JSON that is too large to be parsed or printed within a turn of the event loop: a search thread does it. Of a body, the thread keeps
// large members apart as text (divide-json.ts); the main thread sees the small ones and hands the others on as text.
import { wordsOf } from '@lockstitch/kernel';
import type { SearchTarget } from '../fetch/target.ts';
import { yieldTurn } from '../tasks/event-loop-queue.ts';
import { type Json, parseBody } from '../json/json.ts';
import { LargeJson } from '../json/large-json.ts';
import { PrintedJson } from '../json/print-json.ts';
import { sharedCopy } from '../tasks/copy-bytes.ts';
import type { JsonInput, JsonJobKind, JsonResult } from './json-jobs.ts';
import { fromPlainError } from '../errors/plain-error.ts';
import { Deadline, haveThreads, runInThread } from './search-threads.ts';

/** Bytes of JSON from which on it is read in a thread: parsing as many takes two to four milliseconds. */
export const LARGE = 256 * 1024;

/** Members of bodies that only those read who can do it in a thread. */
export const APART: readonly string[] = wordsOf(`
  query post_filter aggs aggregations suggest highlight index_filter doc upsert`);

/**
 * Reads the JSON of a request.
 *
 * @param apart members that stay text where the whole is large; they become a `LargeJson` if they are objects
 * @param ignoresRest whether text after the value is ignored
 * @throws RequestError as `parseJson`; 413 when the other members of a large body take more than half a megabyte
 */
export async function readJson(body: Uint8Array, apart: readonly string[], ignoresRest = false): Promise<unknown> {
  const divided = body.length < LARGE ? undefined : await runJson('read', { text: body, apart, ignoresRest });
  if (divided === undefined) return parseBody(body, ignoresRest);
  const inline = parseBody(divided.inline);
  // As much takes a turn of its own.
  await yieldTurn();
  if (divided.apart.length === 0) return inline;
  const members: Record<string, unknown> = { ...(inline as Json) };
  for (const [name, bytes] of divided.apart) members[name] = new LargeJson(bytes);
  return members;
}

/** Prints JSON that was printed before in another form: pretty, or filtered. undefined: it is small, or there is no thread. */
export async function printInThread(
  { bytes }: PrintedJson,
  form: { readonly pretty: boolean; readonly filter: string | undefined },
): Promise<PrintedJson | undefined> {
  const text = bytes.length < LARGE ? undefined : await runJson('print', { text: bytes, ...form });
  return text && new PrintedJson(text);
}

/**
 * Runs a job on JSON in a thread, however long it takes.
 *
 * @returns undefined where there is no thread, or it failed
 * @throws ProductError if the job does
 */
export async function runJson<Kind extends JsonJobKind>(
  kind: Kind,
  input: JsonInput<Kind>,
  targets: readonly SearchTarget[] = [],
  now = 0,
): Promise<JsonResult<Kind> | undefined> {
  if (!haveThreads()) return undefined;
  const outcome = await runInThread({
    work: { lane: 'json', kind, input: await inSharedMemory(input) },
    limits: { time: Infinity, terms: Infinity },
    now,
    targets,
    found: new Map(),
    deadline: new Deadline(Infinity),
    signal: undefined,
    cancelled: new Int32Array(new SharedArrayBuffer(4)),
  });
  if (outcome.kind === 'refused') throw fromPlainError(outcome.error);
  return outcome.kind === 'done' ? (outcome.sent as JsonResult<Kind>) : undefined;
}

/** The bytes of an input are copied in slices; a message would copy them at once. */
async function inSharedMemory(input: object): Promise<object> {
  const entries = Object.entries(input).map(async ([name, value]: [string, unknown]) => [
    name,
    value instanceof Uint8Array ? await sharedCopy(value) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries)) as object;
}
