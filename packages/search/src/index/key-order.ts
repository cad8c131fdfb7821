// Sorts the documents of one segment by key, to break ties where the order of the index would tell when documents
// were written last. Whole numbers come first, by value; other keys follow by their bytes. Built in slices between requests, once per
// segment.
import { runInBackground, runToEnd } from '../tasks/scheduler.ts';
import type { SegmentCore } from './segment-core.ts';

/** Documents sorted between two yields: about a millisecond. */
const SLICE = 4096;
/** Segments up to this size are ordered at once. */
const SMALL = 2048;
const ZERO = 0x30;
const NINE = 0x39;
/** Longer whole numbers are keys like others (they are beyond 64 bits). */
const LONGEST_NUMBER = 19;
/** Bytes of a key, or digits of a number, that are compared as one number. */
const HEAD_BYTES = 5;
const HEAD_DIGITS = 12;
const DIGITS = 2 ** 40;
const OTHERS = 2 ** 46;

/** Keys laid end to end, as a segment has them. */
interface Keys {
  readonly ids: Uint8Array;
  readonly ends: Uint32Array;
}

/** The order of a segment's keys. */
export interface KeyOrder {
  /** By document its place; undefined where documents are in the order of their keys. */
  readonly places: Int32Array | undefined;
  /** By place the document. */
  readonly documents: Int32Array | undefined;
  /** The lowest place among every 32 documents. */
  readonly lowest: Int32Array | undefined;
  /** Documents that have a key; nested ones have none. */
  readonly count: number;
}

const orders = new WeakMap<SegmentCore, KeyOrder>();
const underWay = new WeakSet<SegmentCore>();

/** The order of a segment; undefined until it is built, which the first call starts. */
export function keyOrderOf(core: SegmentCore): KeyOrder | undefined {
  const known = orders.get(core);
  if (known !== undefined || underWay.has(core)) return known;
  const steps = orderKeys(core.ids.bytes);
  if (core.docCount <= SMALL) return keep(core, runToEnd(steps));
  underWay.add(core);
  runInBackground(steps, (order) => keep(core, order));
  return undefined;
}

function keep(core: SegmentCore, order: KeyOrder): KeyOrder {
  orders.set(core, order);
  const { places, documents, lowest } = order;
  for (const table of [places, documents, lowest]) core.derived += table?.byteLength ?? 0;
  return order;
}

/** The place of a document. */
export const placeOf = ({ places }: KeyOrder, doc: number): number => (places === undefined ? doc : places[doc]!);

/** How many keys of a segment come before a key of another. */
export function placesBefore(core: SegmentCore, order: KeyOrder, other: SegmentCore, doc: number): number {
  const own = core.ids.bytes;
  const theirs = other.ids.bytes;
  let low = 0;
  let high = order.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(own, order.documents?.[middle] ?? middle, theirs, doc) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Orders the documents of a segment; yields now and then. Exported for tests. */
export function* orderKeys(keys: Keys): Generator<void, KeyOrder> {
  const { ids, ends } = keys;
  const size = ends.length;
  const heads = new Float64Array(size);
  let count = 0;
  let ascending = true;
  for (let doc = 0; doc < size; doc++) {
    heads[doc] = headOf(ids, doc === 0 ? 0 : ends[doc - 1]!, ends[doc]!);
    if (heads[doc] !== Infinity) count++;
    else ascending = false;
    if (ascending && doc > 0)
      ascending =
        heads[doc - 1]! < heads[doc]! || (heads[doc - 1] === heads[doc] && compareKeys(keys, doc - 1, keys, doc) < 0);
    if (doc % SLICE === SLICE - 1) yield;
  }
  if (ascending) return { places: undefined, documents: undefined, lowest: undefined, count };
  const comesFirst = (a: number, b: number): boolean =>
    heads[a] === heads[b] ? heads[a] === Infinity || compareKeys(keys, a, keys, b) < 0 : heads[a]! < heads[b]!;
  const documents = yield* mergeSorted(size, comesFirst);
  const places = new Int32Array(size);
  const lowest = new Int32Array((size + 31) >>> 5).fill(0x7fffffff);
  for (let place = 0; place < size; place++) {
    const doc = documents[place]!;
    places[doc] = place;
    if (place < lowest[doc >>> 5]!) lowest[doc >>> 5] = place;
    if (place % SLICE === SLICE - 1) yield;
  }
  return { places, documents, lowest, count };
}

/** Sorts the numbers below `size` by merging runs, so that it can be left at any time. */
export function* mergeSorted(size: number, comesFirst: (a: number, b: number) => boolean): Generator<void, Int32Array> {
  // Not `Int32Array.from`: with a callback it takes 30 ms for 600,000.
  let from = new Int32Array(size);
  for (let at = 0; at < size; at++) from[at] = at;
  let to = new Int32Array(size);
  let done = 0;
  for (let run = 1; run < size; run *= 2) {
    for (let start = 0; start < size; start += 2 * run) {
      const middle = Math.min(start + run, size);
      const end = Math.min(start + 2 * run, size);
      // Most runs are sorted already: most documents were never rewritten.
      if (middle === end || !comesFirst(from[middle]!, from[middle - 1]!)) {
        to.set(from.subarray(start, end), start);
        done += 1 + ((end - start) >>> 5);
      } else {
        let left = start;
        let right = middle;
        for (let at = start; at < end; at++) {
          const takeRight = left === middle || (right < end && comesFirst(from[right]!, from[left]!));
          to[at] = takeRight ? from[right++]! : from[left++]!;
          if (++done >= SLICE) {
            done = 0;
            yield;
          }
        }
      }
      if (done >= SLICE) {
        done = 0;
        yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

/** A number that orders keys; equal if the whole keys must be compared; Infinity without a key. */
function headOf(ids: Uint8Array, start: number, end: number): number {
  if (start === end) return Infinity;
  if (isNumber(ids, start, end)) {
    let head = 0;
    for (let at = start; at < Math.min(end, start + HEAD_DIGITS); at++) head = head * 10 + ids[at]! - ZERO;
    return (end - start) * DIGITS + head;
  }
  let head = 0;
  for (let at = start; at < start + HEAD_BYTES; at++) head = head * 256 + (at < end ? ids[at]! : 0);
  return OTHERS + head;
}

function isNumber(ids: Uint8Array, start: number, end: number): boolean {
  if (end - start > LONGEST_NUMBER || (ids[start] === ZERO && end - start > 1)) return false;
  for (let at = start; at < end; at++) if (ids[at]! < ZERO || ids[at]! > NINE) return false;
  return true;
}

/** Negative when the key of the first document comes first. */
export function compareKeys(left: Keys, leftDoc: number, right: Keys, rightDoc: number): number {
  let i = leftDoc === 0 ? 0 : left.ends[leftDoc - 1]!;
  let j = rightDoc === 0 ? 0 : right.ends[rightDoc - 1]!;
  const iEnd = left.ends[leftDoc]!;
  const jEnd = right.ends[rightDoc]!;
  const leftNumber = isNumber(left.ids, i, iEnd);
  if (leftNumber !== isNumber(right.ids, j, jEnd)) return leftNumber ? -1 : 1;
  if (leftNumber && iEnd - i !== jEnd - j) return iEnd - i - (jEnd - j);
  while (i < iEnd && j < jEnd) {
    const difference = left.ids[i++]! - right.ids[j++]!;
    if (difference !== 0) return difference;
  }
  return iEnd - i - (jEnd - j);
}
