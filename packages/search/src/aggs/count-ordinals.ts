// Counting the terms of a field without hashing or calls: one array of counts a segment, by ordinal, and of those only the
// buckets that are shown are ever turned into texts. For `terms` without aggregations inside.
import { tick } from '../tasks/request-budget.ts';
import { hasBit } from '../index/bits.ts';
import type { KeywordColumn } from '../index/segment.ts';
import { FirstOf } from '../collect/first-of.ts';
import type { OrderPart } from './bucket-order.ts';

/**
 * Adds the entries of some documents: `counts[0]` are documents without a value, `counts[n]` those with ordinal n − 1.
 *
 * @param within the documents that count; undefined: all
 */
export function countEntries(
  column: KeywordColumn,
  docs: Int32Array,
  size: number,
  counts: Int32Array,
  within?: Int32Array,
): void {
  const { ordinals, starts } = column;
  if (starts === undefined) {
    if (within === undefined) countSingle(ordinals, docs, size, counts);
    else countSingleWithin(ordinals, docs, size, counts, within);
    return;
  }
  for (let at = 0; at < size; at++) {
    const doc = docs[at]!;
    if (within !== undefined && !hasBit(within, doc)) continue;
    const end = starts[doc + 1]!;
    let any = false;
    for (let entry = starts[doc]!; entry < end; entry++) {
      const ordinal = ordinals[entry]!;
      if (ordinal === 0) continue;
      any = true;
      counts[ordinal]!++;
    }
    if (!any) counts[0]!++;
  }
}

// Four at a time: a processor that takes one count for the next one's waits for each before it, and some runs of the same loop take 1.7 times
// as long as others.

function countSingle(ordinals: KeywordColumn['ordinals'], docs: Int32Array, size: number, counts: Int32Array): void {
  let at = 0;
  for (; at + 3 < size; at += 4) {
    const a = ordinals[docs[at]!]!;
    const b = ordinals[docs[at + 1]!]!;
    const c = ordinals[docs[at + 2]!]!;
    const d = ordinals[docs[at + 3]!]!;
    counts[a]!++;
    counts[b]!++;
    counts[c]!++;
    counts[d]!++;
  }
  for (; at < size; at++) counts[ordinals[docs[at]!]!]!++;
}

/** Without a branch, which would often be guessed wrongly. */
function countSingleWithin(
  ordinals: KeywordColumn['ordinals'],
  docs: Int32Array,
  size: number,
  counts: Int32Array,
  within: Int32Array,
): void {
  let at = 0;
  for (; at + 3 < size; at += 4) {
    const a = docs[at]!;
    const b = docs[at + 1]!;
    const c = docs[at + 2]!;
    const d = docs[at + 3]!;
    counts[ordinals[a]!]! += (within[a >>> 5]! >>> (a & 31)) & 1;
    counts[ordinals[b]!]! += (within[b >>> 5]! >>> (b & 31)) & 1;
    counts[ordinals[c]!]! += (within[c >>> 5]! >>> (c & 31)) & 1;
    counts[ordinals[d]!]! += (within[d >>> 5]! >>> (d & 31)) & 1;
  }
  for (; at < size; at++) {
    const doc = docs[at]!;
    counts[ordinals[doc]!]! += (within[doc >>> 5]! >>> (doc & 31)) & 1;
  }
}

/** What is asked of the counts of one segment. */
export interface OrdinalChoice {
  readonly order: readonly OrderPart[];
  readonly size: number;
  readonly minDocCount: number;
  readonly accepts: ((ordinal: number) => boolean) | undefined;
}

/** The ordinals to show, in order, and the documents of all that could be shown. */
export interface ChosenOrdinals {
  readonly ordinals: readonly number[];
  readonly eligible: number;
}

/**
 * Chooses buckets by their counts and keys alone.
 *
 * @param counts as `countEntries` leaves them
 * @returns undefined when the order asks for more than counts and keys, or the numbers are too large for it
 */
export function chooseOrdinals(counts: Int32Array, choice: OrdinalChoice): ChosenOrdinals | undefined {
  const { order, size, minDocCount, accepts } = choice;
  if (order.some(({ by }) => by !== '_count' && by !== '_key')) return undefined;
  const terms = counts.length - 1;
  let most = 0;
  for (let ordinal = 0; ordinal < terms; ordinal++) if (counts[ordinal + 1]! > most) most = counts[ordinal + 1]!;
  if ((most + 1) * terms > Number.MAX_SAFE_INTEGER) return undefined;
  // A bucket's place as one number: its count, then its key, each downwards or upwards; smaller comes first.
  const byKey = order.findIndex(({ by }) => by === '_key');
  const byCount = order.findIndex(({ by }) => by === '_count');
  const counted = byCount >= 0 && (byKey < 0 || byCount < byKey);
  const countDown = counted && order[byCount]!.descending;
  const keyDown = byKey >= 0 && order[byKey]!.descending;
  const first = new FirstOf<number>(size, (a, b) => a - b);
  let eligible = 0;
  for (let ordinal = 0; ordinal < terms; ordinal++) {
    const count = counts[ordinal + 1]!;
    if (count === 0 || count < minDocCount) continue;
    tick(accepts === undefined ? 16 : 512);
    if (accepts !== undefined && !accepts(ordinal)) continue;
    eligible += count;
    const major = !counted ? 0 : countDown ? most - count : count;
    first.offer(major * terms + (keyDown ? terms - 1 - ordinal : ordinal));
  }
  const ordinals = first.sorted().map((place) => (keyDown ? terms - 1 - (place % terms) : place % terms));
  return { ordinals, eligible };
}
