// Collectors: computations over all matching documents (aggregations, counts). Collectors of the best hits are top-score-collector.ts and sorted-hits.ts.
import type { SegmentView } from '../index/segment-view.ts';

/** Takes the matching documents of one segment. */
export interface SegmentCollector {
  /**
   * Takes the next batch: `docs[0] … docs[count - 1]`, ascending and after every earlier batch. The arrays are reused by the
   * caller. `scores` is given exactly when the collector said `needsScores`.
   */
  collect(docs: Int32Array, count: number, scores: Float32Array | undefined): void;
  /**
   * Takes a batch in which only the documents of a set count. If all collectors can do that, batches are not filtered first, which under a
   * view takes as long as most collectors do.
   */
  collectWithin?(docs: Int32Array, count: number, within: Int32Array): void;
  /**
   * Announces about how many documents will follow, and that they can be replayed: the collector
   * may examine a part of them, and ask for a replay by `isLacking` if that part was too small.
   */
  expect?(count: number): void;
  /** Whether the documents of the segment must be replayed. Never true without `expect`. */
  isLacking?(): boolean;
}

/** A collector that takes documents of which only those of a set count. */
export type NarrowingCollector = SegmentCollector & Required<Pick<SegmentCollector, 'collectWithin'>>;
export const isNarrowing = (sink: SegmentCollector): sink is NarrowingCollector => sink.collectWithin !== undefined;

/** A collector that may examine a part of the documents, and ask for a replay. */
export type SamplingCollector = SegmentCollector & Required<Pick<SegmentCollector, 'expect' | 'isLacking'>>;
export const isSampling = (sink: SegmentCollector): sink is SamplingCollector =>
  sink.expect !== undefined && sink.isLacking !== undefined;

/** Computes something over all documents that match a search and that the caller may see. */
export interface Collector {
  readonly needsScores: boolean;
  /** Opens a segment; segments come in order. undefined: nothing of interest in it. */
  segment(segment: SegmentView): SegmentCollector | undefined;
}
