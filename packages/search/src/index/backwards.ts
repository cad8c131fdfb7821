// The order of a dictionary's terms when their bytes are read from the end: what finds the terms that share an ending. Large
// dictionaries get it when segments are merged, small ones on first use.
import { sharedUint32 } from './shared.ts';
import { sortByKeys } from './sort-terms.ts';

/** Terms laid end to end. */
interface Terms {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** The ordinals in that order. Yields now and then, so that a caller can let other work run. */
export function* orderBackwards(terms: Terms): Generator<void, Uint32Array> {
  const size = terms.ends.length;
  const readKeys = (high: Int32Array, low: Int32Array): void => readTails(terms, high, low);
  const sorted = yield* sortByKeys(size, readKeys, (a, b) => compareBackwards(terms, a, b));
  const order = sharedUint32(size);
  order.set(sorted);
  return order;
}

/** The last three bytes of each term as one number, the last first, and the three before them; what is missing counts as 0. */
function readTails({ bytes, ends }: Terms, high: Int32Array, low: Int32Array): void {
  for (let ordinal = 0, start = 0; ordinal < ends.length; ordinal++) {
    const end = ends[ordinal]!;
    let last = 0;
    let before = 0;
    for (let i = 1; i <= 3; i++) last = (last << 8) | (end - i >= start ? bytes[end - i]! : 0);
    for (let i = 4; i <= 6; i++) before = (before << 8) | (end - i >= start ? bytes[end - i]! : 0);
    high[ordinal] = last;
    low[ordinal] = before;
    start = end;
  }
}

function compareBackwards({ bytes, ends }: Terms, left: number, right: number): number {
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
