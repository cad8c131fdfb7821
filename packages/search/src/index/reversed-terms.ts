// The order of a dictionary by reversed terms, which finds the terms that share an ending. Large
// dictionaries get it when segments are merged, small ones on first use.
import { sharedUint32 } from './shared.ts';
import { sortByKeys, type SortOrder } from './sort-terms.ts';

/** Terms laid end to end. */
interface Terms {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** Sorts the ordinals by reversed terms. Yields now and then, so that other work can run. */
export function* orderReversed(terms: Terms): Generator<void, Uint32Array> {
  const size = terms.ends.length;
  const sorted = yield* sortByKeys(size, new ReversedOrder(terms));
  const order = sharedUint32(size);
  order.set(sorted);
  return order;
}

class ReversedOrder implements SortOrder {
  private readonly terms: Terms;

  constructor(terms: Terms) {
    this.terms = terms;
  }

  readKeys(ordinals: Int32Array, from: number, high: Int32Array, low: Int32Array): void {
    readTails(this.terms, ordinals, from, high, low);
  }

  compare(left: number, right: number): number {
    return compareReversed(this.terms, left, right);
  }
}

/** Three bytes of each term before its last `from` ones as one number, the last first, and the three before them; what is missing counts as 0. */
function readTails(
  { bytes, ends }: Terms,
  ordinals: Int32Array,
  from: number,
  high: Int32Array,
  low: Int32Array,
): void {
  for (let at = 0; at < ordinals.length; at++) {
    const ordinal = ordinals[at]!;
    const start = ordinal === 0 ? 0 : ends[ordinal - 1]!;
    const end = ends[ordinal]! - from;
    let last = 0;
    let before = 0;
    for (let i = 1; i <= 3; i++) last = (last << 8) | (end - i >= start ? bytes[end - i]! : 0);
    for (let i = 4; i <= 6; i++) before = (before << 8) | (end - i >= start ? bytes[end - i]! : 0);
    high[at] = last;
    low[at] = before;
  }
}

function compareReversed({ bytes, ends }: Terms, left: number, right: number): number {
  const leftStart = left === 0 ? 0 : ends[left - 1]!;
  const rightStart = right === 0 ? 0 : ends[right - 1]!;
  let i = ends[left]!;
  let j = ends[right]!;
  while (i > leftStart && j > rightStart) {
    const difference = bytes[--i]! - bytes[--j]!;
    if (difference !== 0) return difference;
  }
  return i - leftStart - (j - rightStart);
}
