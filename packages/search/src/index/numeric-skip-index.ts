// Skip index of a numeric column: bit sets of the documents with the best fourth of the values, the best sixteenth and so on. A sorted
// search skips nearly all documents by them, without reading values. A set is one bit per document, so it stays in the processor's cache
// where the column does not. The collector (collect/number-sorted-hits.ts) decides which documents are hits, and their order.
import { emptyBits } from './bits.ts';
import type { NumberColumn } from './segment.ts';

/** Each level holds about one of so many documents of the one before it. */
const STEP = 4;
/** Sampled values of a level, to estimate where the best of them begin: the share need not be exact. */
const SAMPLE = 256;
/** Smaller levels would hardly skip more: the documents of a term are a hundredth of all at most. */
const SMALLEST = 64;
/** Documents per slice, at 2 ns each for each of two levels. */
const SLICE = 1 << 18;

/** One level. */
interface Level {
  /** Its last value, turned so that smaller is better: it holds every document whose value is at most this. */
  readonly last: number;
  /** Its part of the documents. */
  readonly share: number;
  readonly set: Int32Array;
}

/** The levels of one column of one segment, for one direction. */
export class NumericSkipIndex {
  /** Each holds a part of the one before. */
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

  /** Makes the levels, in slices: 5 ns a document in all. @param column of single values */
  static *of(
    { values, exists }: NumberColumn,
    docCount: number,
    descending: boolean,
  ): Generator<void, NumericSkipIndex> {
    const sign = descending ? -1 : 1;
    const levels: Level[] = [];
    const sample = new Float64Array(SAMPLE);
    // In place: the members of a level are among those of the level before.
    const members = new Int32Array(docCount);
    let count = 0;
    for (let from = 0; from < docCount; from += SLICE) {
      count = startWith(exists, from, Math.min(docCount, from + SLICE), members, count);
      yield;
    }
    while (count >= SMALLEST) {
      for (let i = 0; i < SAMPLE; i++) sample[i] = sign * values[members[Math.floor((i * count) / SAMPLE)]!]!;
      sample.sort();
      const last = sample[SAMPLE / STEP - 1]!;
      if (last === levels.at(-1)?.last) break;
      const set = emptyBits(docCount);
      let kept = 0;
      for (let from = 0; from < count; from += SLICE) {
        kept = keepUpTo(last, values, sign, members, from, Math.min(count, from + SLICE), kept);
        yield;
      }
      count = kept;
      for (let from = 0; from < count; from += SLICE) {
        addAll(members, from, Math.min(count, from + SLICE), set);
        yield;
      }
      levels.push({ last, share: count / docCount, set });
    }
    return new NumericSkipIndex(levels);
  }

  /** The documents of a level. Do not change it. */
  set(level: number): Int32Array {
    return this.#levels[level]!.set;
  }

  /** The smallest level from one on (-1: all documents) that holds every document with a value of at most the bound. */
  within(bound: number, level: number): number {
    const levels = this.#levels;
    let at = level;
    while (at + 1 < levels.length && bound <= levels[at + 1]!.last) at++;
    return at;
  }

  /** The smallest level with at least a share of the documents; -1 where only all of them are as many. */
  ofShare(share: number): number {
    const levels = this.#levels;
    let at = -1;
    while (at + 1 < levels.length && levels[at + 1]!.share >= share) at++;
    return at;
  }

  /** The part of the documents that is in a level. */
  shareOf(level: number): number {
    return this.#levels[level]!.share;
  }

  get bytes(): number {
    return this.#levels.reduce((sum, { set }) => sum + set.byteLength, 0);
  }
}

/** Adds the documents with a value to a list of so many; answers how many they are then. */
function startWith(exists: Int32Array | undefined, from: number, to: number, docs: Int32Array, count: number): number {
  let end = count;
  for (let doc = from; doc < to; doc++) {
    docs[end] = doc;
    end += exists === undefined ? 1 : (exists[doc >>> 5]! >>> (doc & 31)) & 1;
  }
  return end;
}

/** Moves those of some documents whose values are at most `last` behind the first `count`; answers how many there are then. */
function keepUpTo(
  last: number,
  values: Float64Array,
  sign: number,
  docs: Int32Array,
  from: number,
  to: number,
  count: number,
): number {
  let kept = count;
  for (let i = from; i < to; i++) {
    const doc = docs[i]!;
    docs[kept] = doc;
    // Branch-free: a conditional would be mispredicted for one of four, and take three times as long.
    kept += Number(sign * values[doc]! <= last);
  }
  return kept;
}

function addAll(docs: Int32Array, from: number, to: number, set: Int32Array): void {
  for (let i = from; i < to; i++) set[docs[i]! >>> 5]! |= 1 << (docs[i]! & 31);
}
