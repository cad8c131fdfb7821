// A postings cursor with its term's weight, norms and block maxima. Pooled, as a query over many segments needs many, with a kilobyte of
// buffers each.
import { Cursor, type Postings } from '../index/postings.ts';
import { bm25 } from './bm25.ts';

const { fround } = Math;
const pool: ScoringCursor[] = [];
const POOL_SIZE = 256;

export class ScoringCursor extends Cursor {
  weight = 0;
  norms!: Uint8Array;
  inverse!: Float32Array;
  private boundBlock = -1;
  private bound = 0;

  static take(): ScoringCursor {
    return pool.pop() ?? new ScoringCursor();
  }

  static giveBack(cursor: ScoringCursor): void {
    if (pool.length < POOL_SIZE) pool.push(cursor);
  }

  openTerm(postings: Postings, ordinal: number, norms: Uint8Array, weight: number, inverse: Float32Array): this {
    this.open(postings, ordinal);
    this.norms = norms;
    this.weight = weight;
    this.inverse = inverse;
    this.boundBlock = -1;
    return this;
  }

  /** The maximum score in a block, exact by its (frequency, norm) pairs. */
  blockBound(block: number): number {
    if (this.boundBlock === block) return this.bound;
    const { impacts, impactOffsets } = this.postings;
    const { weight, inverse } = this;
    let best = 0;
    if (impacts === undefined || impactOffsets === undefined) {
      best = bm25(weight, 1, inverse[1]!);
    } else {
      for (let i = impactOffsets[block]!, end = impactOffsets[block + 1]!; i < end; i += 2) {
        const frequency = impacts[i]!;
        const score =
          frequency === 255
            ? weight
            : fround(weight - fround(weight / fround(1 + fround(frequency * inverse[impacts[i + 1]!]!))));
        if (score > best) best = score;
      }
    }
    this.boundBlock = block;
    this.bound = best;
    return best;
  }

  /** The maximum score from the current block to the block that holds `last`. */
  maxScoreTo(last: number): number {
    const { lastDocs } = this.postings;
    let best = 0;
    for (let block = this.block; block < this.end; block++) {
      const bound = this.blockBound(block);
      if (bound > best) best = bound;
      if (lastDocs[block]! >= last) break;
    }
    return best;
  }

  /** The score of the current document. */
  scoreHere(): number {
    const { weight } = this;
    return fround(
      weight - fround(weight / fround(1 + fround(this.frequency() * this.inverse[this.norms[this.doc]!]!))),
    );
  }
}
