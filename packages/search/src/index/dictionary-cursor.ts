// Walks the dictionaries of several segments side by side, term after term in byte order.
import type { Postings } from './postings.ts';

/** Bytes of a term that are compared as one number: integers up to 2^48 are exact. */
const KEY_BYTES = 6;

/** An iterator over one dictionary. */
export class DictionaryCursor {
  readonly postings: Postings;
  ordinal = -1;
  /** The first six bytes of the term at hand as a number: it decides most comparisons. Infinity behind the last term. */
  key = 0;

  constructor(postings: Postings) {
    this.postings = postings;
    this.advance();
  }

  /** Goes on to the next term. */
  advance(): void {
    const { postings } = this;
    const ordinal = ++this.ordinal;
    if (ordinal >= postings.size) {
      this.key = Infinity;
      return;
    }
    const start = postings.start(ordinal);
    const length = postings.ends[ordinal]! - start;
    let key = 0;
    for (let i = 0; i < KEY_BYTES; i++) key = key * 256 + (i < length ? postings.bytes[start + i]! : 0);
    this.key = key;
  }
}

/** Puts the cursors with the least term first in `least`, in the order of `cursors`. @returns how many they are; 0 at the end of all */
export function findLeast<T extends DictionaryCursor>(cursors: readonly T[], least: T[]): number {
  let count = 0;
  for (const cursor of cursors) {
    if (count > 0) {
      const order = compareCursors(cursor, least[0]!);
      if (order > 0) continue;
      if (order < 0) count = 0;
    }
    least[count++] = cursor;
  }
  return count === 0 || least[0]!.key === Infinity ? 0 : count;
}

function compareCursors(left: DictionaryCursor, right: DictionaryCursor): number {
  if (left.key !== right.key) return left.key < right.key ? -1 : 1;
  if (left.key === Infinity) return 0;
  return compareTerms(left.postings, left.ordinal, right.postings, right.ordinal);
}

/** Compares terms whose first six bytes are equal, as far as they have so many. */
function compareTerms(left: Postings, leftOrdinal: number, right: Postings, rightOrdinal: number): number {
  const leftStart = left.start(leftOrdinal);
  const rightStart = right.start(rightOrdinal);
  const leftLength = left.ends[leftOrdinal]! - leftStart;
  const rightLength = right.ends[rightOrdinal]! - rightStart;
  const common = Math.min(leftLength, rightLength);
  for (let i = KEY_BYTES; i < common; i++) {
    const difference = left.bytes[leftStart + i]! - right.bytes[rightStart + i]!;
    if (difference !== 0) return difference;
  }
  return leftLength - rightLength;
}
