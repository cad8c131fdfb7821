// Counts the terms of a dictionary that a request visits. Terms of hidden documents do not count, since a limit must not reveal how many
// there are. They are subtracted only once a limit would be reached with them.
import { countBits } from '../index/bits.ts';
import type { CoreReader } from '../index/core-reader.ts';
import { correctVisits, visitTerms } from '../tasks/request-budget.ts';

/** The terms of one field of one segment that are visited in ascending order. */
export class TermVisits {
  private from = -1;
  private to = -1;

  constructor(core: CoreReader, field: string) {
    correctVisits(() => {
      const { from, to } = this;
      this.from = to;
      return to <= from ? 0 : hiddenBetween(core.shownTerms(field), from, to);
    });
  }

  visit(ordinal: number): void {
    this.visitUpTo(ordinal, ordinal + 1);
  }

  visitUpTo(from: number, to: number): void {
    if (this.from < 0) this.from = from;
    this.to = to;
    visitTerms(to - from);
  }
}

/** Counts a part of all terms of a dictionary: `1 / 2 ** shift`. */
export function visitPart(core: CoreReader, field: string, size: number, shift: number): void {
  let corrected = false;
  correctVisits(() => {
    if (corrected) return 0;
    corrected = true;
    const shown = core.shownTerms(field);
    return shown === undefined ? 0 : (size >> shift) - (countBits(shown) >> shift);
  });
  visitTerms(size >> shift);
}

function hiddenBetween(shown: Int32Array | undefined, from: number, to: number): number {
  if (shown === undefined) return 0;
  let hidden = 0;
  for (let ordinal = from; ordinal < to; ordinal++) hidden += 1 - ((shown[ordinal >>> 5]! >>> (ordinal & 31)) & 1);
  return hidden;
}
