// Sorts a field's terms by their bytes, for the flush, and the radix sort that this and reversed terms use.

/** Terms laid end to end: term t is `pool[ends[t - 1] … ends[t])`. */
export interface TermBytes {
  readonly pool: Uint8Array;
  readonly ends: Int32Array;
}

/** Fewer terms than this are compared; for more the counting pays off. */
const FEW = 256;
/** Bits that one pass goes by. */
const DIGIT = 12;
/** Numbers of equal keys beyond which a sort of the library takes over from insertion, and beyond which the next bytes are counted. */
const INSERTED = 16;
const COMPARED = 1024;
/** Bytes that one round of counting goes by. */
const KEY_BYTES = 6;
/** Rounds; what begins with as many equal bytes is compared. */
const DEEPEST = 32;
/** Numbers with few neighbours of equal keys between two yields. */
const SLICE = 4096;

/** Returns the term numbers in byte order. Yields now and then, so that other work can run. */
export function sortTerms({ pool, ends }: TermBytes, count: number): Generator<void, Int32Array> {
  return sortByKeys(count, new Forwards(pool, ends));
}

/** An order of numbers. Each is a class, so that V8 can inline its methods. */
export interface SortOrder {
  /** Fills two keys of 24 bits for each of the numbers, from six bytes, of which the first is the one at `from`. Those with smaller keys come first. */
  readKeys(numbers: Int32Array, from: number, high: Int32Array, low: Int32Array): void;
  /** Compares if all keys are equal. */
  compare(left: number, right: number): number;
}

/** Orders terms by their bytes. */
class Forwards implements SortOrder {
  private readonly pool: Uint8Array;
  private readonly ends: Int32Array;

  constructor(pool: Uint8Array, ends: Int32Array) {
    this.pool = pool;
    this.ends = ends;
  }

  readKeys(numbers: Int32Array, from: number, high: Int32Array, low: Int32Array): void {
    readHeads(this.pool, this.ends, numbers, from, high, low);
  }

  compare(left: number, right: number): number {
    const { pool, ends } = this;
    let i = left === 0 ? 0 : ends[left - 1]!;
    let j = right === 0 ? 0 : ends[right - 1]!;
    const iEnd = ends[left]!;
    const jEnd = ends[right]!;
    while (i < iEnd && j < jEnd) {
      const difference = pool[i++]! - pool[j++]!;
      if (difference !== 0) return difference;
    }
    return iEnd - i - (jEnd - j);
  }
}

/** Answers the numbers 0 … `count` - 1 in order: by counting, four times faster than by comparing floats of the same bytes. Yields now and then. */
export function* sortByKeys(count: number, by: SortOrder): Generator<void, Int32Array> {
  const numbers = upTo(count);
  if (count < FEW) return numbers.sort((left, right) => by.compare(left, right));
  yield* sortFrom(numbers, 0, by);
  return numbers;
}

/** The numbers 0 … `count` - 1. */
function upTo(count: number): Int32Array<ArrayBuffer> {
  const numbers = new Int32Array(count);
  for (let number = 0; number < count; number++) numbers[number] = number;
  return numbers;
}

/** Orders numbers whose first bytes, as many as there were rounds before, are equal. */
function* sortFrom(numbers: Int32Array, round: number, by: SortOrder): Generator<void, void> {
  const count = numbers.length;
  const high = new Int32Array(count);
  const low = new Int32Array(count);
  by.readKeys(numbers, round * KEY_BYTES, high, low);
  yield;
  // The last digit first; what is equal stays in order.
  let order = upTo(count);
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
  arrange(numbers, order, other);
  const large: number[] = [];
  for (let start = 0; start < count;) {
    start = sortEqual(numbers, order, start, high, low, by, round + 1 < DEEPEST ? COMPARED : Infinity, large);
    yield;
  }
  for (let i = 0; i < large.length; i += 2) yield* sortFrom(numbers.subarray(large[i], large[i + 1]), round + 1, by);
}

/** Puts numbers in an order of their places. */
function arrange(numbers: Int32Array, order: Int32Array, copy: Int32Array): void {
  for (let i = 0; i < order.length; i++) copy[i] = numbers[order[i]!]!;
  numbers.set(copy);
}

/**
 * Orders what has equal keys by comparing, from a place on; answers the place after a few thousand.
 *
 * @param large where runs of more than `most` are noted instead, first and end
 */
function sortEqual(
  numbers: Int32Array,
  order: Int32Array,
  from: number,
  high: Int32Array,
  low: Int32Array,
  by: SortOrder,
  most: number,
  large: number[],
): number {
  let start = from;
  while (start < order.length && start - from < SLICE) {
    const first = order[start]!;
    const key = high[first]!;
    const rest = low[first]!;
    let end = start + 1;
    for (; end < order.length; end++) {
      const at = order[end]!;
      if (high[at] !== key || low[at] !== rest) break;
    }
    if (end - start > most) large.push(start, end);
    else if (end - start > INSERTED) numbers.subarray(start, end).sort((left, right) => by.compare(left, right));
    else if (end - start > 1) insertionSort(numbers, start, end, by);
    start = end;
  }
  return start;
}

/** The keys of terms from a byte of theirs on; what is missing counts as 0. */
function readHeads(
  pool: Uint8Array,
  ends: Int32Array,
  terms: Int32Array,
  from: number,
  high: Int32Array,
  low: Int32Array,
): void {
  for (let i = 0; i < terms.length; i++) {
    const term = terms[i]!;
    const start = (term === 0 ? 0 : ends[term - 1]!) + from;
    const end = ends[term]!;
    let first = 0;
    let second = 0;
    if (end - start >= KEY_BYTES) {
      first = (pool[start]! << 16) | (pool[start + 1]! << 8) | pool[start + 2]!;
      second = (pool[start + 3]! << 16) | (pool[start + 4]! << 8) | pool[start + 5]!;
    } else {
      for (let at = start; at < start + 3; at++) first = (first << 8) | (at < end ? pool[at]! : 0);
      for (let at = start + 3; at < start + 6; at++) second = (second << 8) | (at < end ? pool[at]! : 0);
    }
    high[i] = first;
    low[i] = second;
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

function insertionSort(order: Int32Array, start: number, end: number, by: SortOrder): void {
  for (let i = start + 1; i < end; i++) {
    const moved = order[i]!;
    let at = i;
    for (; at > start && by.compare(order[at - 1]!, moved) > 0; at--) order[at] = order[at - 1]!;
    order[at] = moved;
  }
}
