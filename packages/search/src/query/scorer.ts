// The contracts of query execution: a `Weight` is a query bound to one search (its statistics are fixed), a `Scorer` walks its
// matches in one segment. One file per kind of query implements them; the loops that matter have shortcuts of their own.
import { spend } from '../request-budget.ts';
import type { Explanation } from '../index/search-request.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { emptyBits, setBit } from '../index/bits.ts';
import type { Run } from '../collect/run.ts';

/**
 * Walks the matching documents of one segment in ascending order, deleted ones included. Starts on -1; `next` and
 * `advance` answer `NO_MORE_DOCS` at the end and must not be called again after it.
 */
export abstract class Scorer {
  doc = -1;
  /** About how many documents it will visit. */
  abstract readonly cost: number;
  abstract next(): number;
  /** The first match ≥ target; target is greater than `doc`. */
  abstract advance(target: number): number;
  /** The score of the current document, a float32. Asked at most once a document. */
  abstract score(): number;
}

/** A query within one search. */
export abstract class Weight {
  /** The query's `name`, to report which parts matched. */
  name: string | undefined;
  /** The parts, for names and explanations. */
  get parts(): readonly Weight[] {
    return [];
  }

  /** undefined: no match in this segment. */
  abstract scorer(segment: SegmentView): Scorer | undefined;

  /** How the score of a document comes about; undefined when it does not match. */
  abstract explain(segment: SegmentView, doc: number): Explanation | undefined;

  /**
   * Runs over one segment faster than the generic loop, when it can.
   *
   * @param accept the documents that count; undefined: all
   * @returns false when it cannot, with nothing done
   */
  run(_segment: SegmentView, _accept: Int32Array | undefined, _run: Run): boolean {
    return false;
  }

  /** How many documents match over the segments, deleted ones included, where that is known without looking; else -1. */
  shortcutCount(_segments: readonly SegmentView[]): number {
    return -1;
  }

  /** The matching documents of a segment, deleted ones included. */
  bits(segment: SegmentView): Int32Array {
    const bits = emptyBits(segment.docCount);
    const scorer = this.scorer(segment);
    if (scorer === undefined) return bits;
    for (let doc = scorer.next(); doc !== NO_MORE_DOCS; doc = scorer.next()) {
      spend(16);
      setBit(bits, doc);
    }
    return bits;
  }
}

/** The scorers of those queries that can match in the segment. */
export function scorersOf(weights: readonly Weight[], segment: SegmentView): Scorer[] {
  const scorers: Scorer[] = [];
  for (const weight of weights) {
    const scorer = weight.scorer(segment);
    if (scorer !== undefined) scorers.push(scorer);
  }
  return scorers;
}

/** Whether a scorer of the segment stops at the document, and the scorer. */
export function scorerAt(weight: Weight, segment: SegmentView, doc: number): Scorer | undefined {
  const scorer = weight.scorer(segment);
  if (scorer === undefined) return undefined;
  return scorer.advance(doc) === doc ? scorer : undefined;
}
