// Which documents have the best values of a column of numbers: sets of the best fourth, the best sixteenth and so on, by which a sorted
// search turns nearly all documents away without a look at their values. A set is a bit a document, so that it stays in the processor's
// cache where the column does not. Which documents are hits, and their order, is the business of whoever searches.
import { emptyBits, hasBit } from './bits.ts';
import type { NumberColumn } from './segment.ts';

/** Values that are looked at to find out where the best fourths begin: exact shares are not needed, and sorting all takes 100 ns a document. */
const SAMPLE = 4096;
/** Each level holds about this share of the one before it. */
const STEP = 4;

/** The levels of one column in one segment, in one direction. */
export class NumberLevels {
  /** By level, the last value in it, turned so that smaller is better: the level holds every document whose value is at most this. Descending. */
  readonly #last: readonly number[];
  /** By level, its share of the documents. */
  readonly #shares: readonly number[];
  /** By level, its documents. */
  readonly sets: readonly Int32Array[];

  constructor({ values, exists }: NumberColumn, docCount: number, descending: boolean) {
    const sign = descending ? -1 : 1;
    const sample = new Float64Array(Math.min(docCount, SAMPLE));
    let sampled = 0;
    for (let i = 0; i < sample.length; i++) {
      const doc = Math.floor((i * docCount) / sample.length);
      if (exists === undefined || hasBit(exists, doc)) sample[sampled++] = sign * values[doc]!;
    }
    sample.subarray(0, sampled).sort();
    const last: number[] = [];
    for (let rank = Math.floor(sampled / STEP); rank > 0; rank = Math.floor(rank / STEP)) {
      const value = sample[rank - 1]!;
      if (last.length === 0 || value < last.at(-1)!) last.push(value);
    }
    const sets = last.map(() => emptyBits(docCount));
    const counts = last.map(() => 0);
    for (let doc = 0; doc < docCount; doc++) {
      if (exists !== undefined && !hasBit(exists, doc)) continue;
      const value = sign * values[doc]!;
      for (let level = 0; level < last.length && value <= last[level]!; level++) {
        sets[level]![doc >>> 5]! |= 1 << (doc & 31);
        counts[level]!++;
      }
    }
    this.#last = last;
    this.#shares = counts.map((count) => count / docCount);
    this.sets = sets;
  }

  /** The smallest level from one on (-1: all documents) that holds every document with a value of at most the bound. */
  within(bound: number, level: number): number {
    const last = this.#last;
    let at = level;
    while (at + 1 < last.length && bound <= last[at + 1]!) at++;
    return at;
  }

  /** The smallest level with at least a share of the documents; -1 where only all of them are as many. */
  ofShare(share: number): number {
    let at = -1;
    while (at + 1 < this.#shares.length && this.#shares[at + 1]! >= share) at++;
    return at;
  }

  get bytes(): number {
    return this.sets.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }
}
