// How computations over all matching documents (aggregations, counts) are fed. Choosing the best hits is elsewhere.
import type { SegmentReader } from '../index/segment.ts';

/** Takes the matching documents of one segment. */
export interface SegmentCollector {
  /**
   * Takes the next batch: `docs[0] … docs[count - 1]`, ascending and after every earlier batch. The arrays are reused by the
   * caller. `scores` is given exactly when the collector said `needsScores`.
   */
  collect(docs: Int32Array, count: number, scores: Float32Array | undefined): void;
  /**
   * Takes a batch of which only the documents in a set count. Where all collectors can, nobody narrows batches for them, which under a
   * view takes as long as what most of them do with a document.
   */
  collectWithin?(docs: Int32Array, count: number, within: Int32Array): void;
  /**
   * Says before the first batch that there will be about so many documents, and that they can be given all over again: then the collector
   * may look at a part of them, and ask for the others by `isLacking` after the last batch if that was too small a part.
   */
  expect?(count: number): void;
  /** Whether all documents of the segment are to be given once more. Never true without `expect`. */
  isLacking?(): boolean;
}

/** Computes something over all documents that match a search and that the caller may see. */
export interface Collector {
  readonly needsScores: boolean;
  /** Opens a segment; segments come in order. undefined: nothing of interest in it. */
  segment(segment: SegmentReader): SegmentCollector | undefined;
}
