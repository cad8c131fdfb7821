// The documents that a request goes through one after the other, in batches: copies, updates and deletions by query. Finding them is a
// search's work, and done where searches are; what becomes of them is the caller's.
import { matchesIn } from '../../search/matches.ts';
import type { SearchTarget } from '../../fetch/target.ts';
import { keyOrder } from '../../collect/sort-values.ts';
import { runTask, TimeSlices } from '../../tasks/scheduler.ts';
import { mergeSorted } from '../../index/key-order.ts';
import type { Searcher } from '../../collect/search-request.ts';
import type { SegmentReader } from '../../index/segment.ts';
import { asObject } from '../../json/json.ts';
import { answer } from '../../thread/answer.ts';
import type { Call } from '../request/request.ts';
import { limitsOf } from '../request/search-state.ts';

/** One document, and by number the target it was found in. */
export interface FoundDocument {
  readonly target: number;
  readonly segment: SegmentReader;
  readonly doc: number;
}

/** What is asked of them. */
export interface Wanted {
  readonly query: unknown;
  /** Documents in one batch. */
  readonly batch: number;
  /** Documents at most, of all indices together. */
  readonly limit: number;
  /** Documents at most of each index. */
  readonly limitEach?: number | undefined;
  /** Milliseconds that finding them may take, if less than searches may. */
  readonly time?: number | undefined;
}

/**
 * Finds documents in targets that stay open until the caller has had them all.
 *
 * @returns how many there are, up to the limit, and batches of them
 */
export async function foundDocuments(
  call: Call,
  targets: readonly SearchTarget[],
  wanted: Wanted,
): Promise<{ readonly total: number; readonly batches: Iterable<readonly FoundDocument[]> }> {
  const { limits } = limitsOf(call);
  const matches = await answer(
    'matches',
    { query: wanted.query === undefined || wanted.query === null ? undefined : asObject(wanted.query, 'query') },
    targets,
    { limits: { ...limits, time: Math.min(limits.time, wanted.time ?? Infinity) }, now: call.now },
    call.request.signal,
  );
  const documents: Iterable<FoundDocument>[] = [];
  for (const [at, { searcher }] of targets.entries()) {
    const found = documentsOf(at, searcher, matches[at]!);
    documents.push(searcher.tiesById === true ? await byKey(found) : found);
  }
  const { limit, limitEach = Infinity } = wanted;
  let total = 0;
  for (const [at, { searcher }] of targets.entries()) {
    let count = 0;
    for (const _ of documentsOf(at, searcher, matches[at]!)) if (++count >= limitEach) break;
    total += count;
  }
  return { total: Math.min(total, limit), batches: batches(documents, wanted) };
}

function* batches(
  documents: readonly Iterable<FoundDocument>[],
  { batch, limit, limitEach = Infinity }: Wanted,
): Generator<readonly FoundDocument[]> {
  let left = limit;
  let found: FoundDocument[] = [];
  for (const document of inTurns(documents.map((each) => first(each, limitEach)))) {
    if (left-- === 0) break;
    found.push(document);
    if (found.length < batch) continue;
    yield found;
    found = [];
  }
  if (found.length > 0) yield found;
}

function* first<Each>(all: Iterable<Each>, most: number): Generator<Each> {
  let left = most;
  for (const each of all) {
    if (left-- <= 0) return;
    yield each;
  }
}

/** Documents in the order of scrolls: the first one of each index, the second ones, and so on. */
function* inTurns(documents: readonly Iterable<FoundDocument>[]): Generator<FoundDocument> {
  let open = documents.map((each) => each[Symbol.iterator]());
  while (open.length > 0) {
    const next = open.map((each) => each.next());
    for (const { done, value } of next) if (done !== true) yield value;
    open = open.filter((_, at) => next[at]!.done !== true);
  }
}

/** Documents of one batch by the target that they are of. */
export function byTarget(batch: readonly FoundDocument[]): readonly (readonly FoundDocument[])[] {
  return [...Map.groupBy(batch, ({ target }) => target).values()];
}

function* documentsOf(
  target: number,
  { segments }: Searcher,
  matches: readonly Int32Array[],
): Generator<FoundDocument> {
  for (const [at, segment] of segments.entries())
    for (const doc of matchesIn(segment, matches[at]!))
      if (segment.nestedPath(doc) === undefined) yield { target, segment, doc };
}

/** Under a view, the order of the index would tell when documents were last written: which are copied first, and which at all. */
async function byKey(found: Iterable<FoundDocument>): Promise<readonly FoundDocument[]> {
  const documents: FoundDocument[] = [];
  const keys: string[] = [];
  const slices = new TimeSlices();
  for (const document of found) {
    if (documents.length % 256 === 255 && slices.isOver) await slices.yield();
    documents.push(document);
    keys.push(keyOrder(document.segment.id(document.doc)));
  }
  const order = await runTask(mergeSorted(documents.length, (a, b) => keys[a]! < keys[b]!));
  return Array.from(order, (at) => documents[at]!);
}
