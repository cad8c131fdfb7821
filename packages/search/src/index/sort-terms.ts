// The order of a field's terms by their bytes, for the flush, and the sorting by numbers under it and under the order from behind.

/** Terms laid end to end: term t is `pool[ends[t - 1] … ends[t])`. */
export interface TermBytes {
  readonly pool: Uint8Array;
  readonly ends: Int32Array;
}

/** Fewer terms than this are compared; for more the counting pays off. */
const FEW = 256;
/** Bits that one pass goes by. */
const DIGIT = 12;
/** Numbers of equal keys beyond which a sort of the library takes over. */
const INSERTED = 16;
/** Compared numbers between two yields. */
const SLICE = 4096;

/** Answers the term numbers in byte order. Yields now and then, so that a caller can let other work run. */
export function* sortTerms({ pool, ends }: TermBytes, count: number): Generator<void, Int32Array> {
  const compare = (left: number, right: number): number => {
    let i = left === 0 ? 0 : ends[left - 1]!;
    let j = right === 0 ? 0 : ends[right - 1]!;
    const iEnd = ends[left]!;
    const jEnd = ends[right]!;
    while (i < iEnd && j < jEnd) {
      const difference = pool[i++]! - pool[j++]!;
      if (difference !== 0) return difference;
    }
    return iEnd - i - (jEnd - j);
  };
  const readKeys = (high: Int32Array, low: Int32Array): void => readHeads(pool, ends, high, low);
  return yield* sortByKeys(count, readKeys, compare);
}

/**
 * Answers the numbers 0 … `count` - 1 in order: by counting, four times faster than by comparing floats of the same bytes. Yields now and then.
 *
 * @param readKeys fills two keys of 24 bits each for every number; those with smaller keys come first
 * @param compare decides where both keys are equal
 */
export function* sortByKeys(
  count: number,
  readKeys: (high: Int32Array, low: Int32Array) => void,
  compare: (left: number, right: number) => number,
): Generator<void, Int32Array> {
  let order = new Int32Array(count);
  for (let number = 0; number < count; number++) order[number] = number;
  if (count < FEW) return order.sort(compare);
  const high = new Int32Array(count);
  const low = new Int32Array(count);
  readKeys(high, low);
  yield;
  // The last digit first; what is equal stays in order.
  let other = new Int32Array(count);
  for (const [keys, shift] of [
    [low, 0],
    [low, DIGIT],
    [high, 0],
    [high, DIGIT],
  ] as const) {
    sortByDigit(order, keys, shift, other);
    [order, other] = [other, order];
    yield;
  }
  for (let start = 0; start < count;) {
    start = sortEqual(order, start, high, low, compare);
    yield;
  }
  return order;
}

/** Orders what has equal keys by comparing, from a place on; answers the place after a few thousand. */
function sortEqual(
  order: Int32Array,
  from: number,
  high: Int32Array,
  low: Int32Array,
  compare: (left: number, right: number) => number,
): number {
  let start = from;
  while (start < order.length && start - from < SLICE) {
    const first = order[start]!;
    const key = high[first]!;
    const rest = low[first]!;
    let end = start + 1;
    for (; end < order.length; end++) {
      const number = order[end]!;
      if (high[number] !== key || low[number] !== rest) break;
    }
    if (end - start > INSERTED) order.subarray(start, end).sort(compare);
    else if (end - start > 1) insertionSort(order, start, end, compare);
    start = end;
  }
  return start;
}

/** The first three bytes of each term as one number, and the next three; what is missing counts as 0. */
function readHeads(pool: Uint8Array, ends: Int32Array, high: Int32Array, low: Int32Array): void {
  let start = 0;
  for (let term = 0; term < high.length; term++) {
    const end = ends[term]!;
    let first = 0;
    let second = 0;
    if (end - start >= 6) {
      first = (pool[start]! << 16) | (pool[start + 1]! << 8) | pool[start + 2]!;
      second = (pool[start + 3]! << 16) | (pool[start + 4]! << 8) | pool[start + 5]!;
    } else {
      for (let i = 0; i < 3; i++) first = (first << 8) | (start + i < end ? pool[start + i]! : 0);
      for (let i = 3; i < 6; i++) second = (second << 8) | (start + i < end ? pool[start + i]! : 0);
    }
    high[term] = first;
    low[term] = second;
    start = end;
  }
}

/** Orders `from` into `to` by twelve bits of the keys; what is equal stays in order. */
function sortByDigit(from: Int32Array, keys: Int32Array, shift: number, to: Int32Array): void {
  const mask = (1 << DIGIT) - 1;
  const places = new Int32Array(1 << DIGIT);
  for (let i = 0; i < keys.length; i++) places[(keys[i]! >>> shift) & mask]!++;
  let place = 0;
  for (let digit = 0; digit <= mask; digit++) {
    const size = places[digit]!;
    places[digit] = place;
    place += size;
  }
  for (let i = 0; i < from.length; i++) {
    const term = from[i]!;
    to[places[(keys[term]! >>> shift) & mask]!++] = term;
  }
}

function insertionSort(
  order: Int32Array,
  start: number,
  end: number,
  compare: (left: number, right: number) => number,
): void {
  for (let i = start + 1; i < end; i++) {
    const moved = order[i]!;
    let at = i;
    for (; at > start && compare(order[at - 1]!, moved) > 0; at--) order[at] = order[at - 1]!;
    order[at] = moved;
  }
}
