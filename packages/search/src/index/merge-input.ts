// What flushes and merges make segments of.
import type { SegmentCore } from './segment-core.ts';

/** One segment to merge, with the live documents as they stood when the merge began. */
export interface MergeInput {
  readonly core: SegmentCore;
  readonly live: Int32Array | undefined;
}
