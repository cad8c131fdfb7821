// Merge policy: merges runs of ten neighbouring segments of about the same size, so that there are about ten segments
// per power of ten and every document is rewritten once per power. Neighbours only, so that documents keep the order of their
// last write, which decides ties in scores and the `_doc` order.

/** A segment as the policy sees it. */
export interface MergeCandidate {
  readonly docCount: number;
  readonly deleted: number;
  /** Whether it takes part in a merge that is under way. */
  readonly busy: boolean;
}

const MERGE_FACTOR = 10;
/** Segments below this many documents count as one size: many refreshes of a few documents each. */
const FLOOR = 1000;
/** A segment with more than this share of deleted documents is rewritten by itself. */
const DELETED_SHARE = 0.33;

/** A run of segments to merge, as [first, after last); undefined when there is nothing to do. */
export function chooseMerge(segments: readonly MergeCandidate[]): readonly [number, number] | undefined {
  const level = (segment: MergeCandidate): number =>
    Math.floor(Math.log(Math.max(FLOOR, segment.docCount - segment.deleted)) / Math.log(MERGE_FACTOR));
  // From the small end: the newest run whose levels do not rise above its own.
  for (let end = segments.length; end > 0; end--) {
    let start = end;
    let highest = -1;
    while (start > 0 && end - start < MERGE_FACTOR && !segments[start - 1]!.busy) {
      const next = level(segments[start - 1]!);
      if (highest >= 0 && next > highest) break;
      highest = Math.max(highest, next);
      start--;
    }
    if (end - start >= MERGE_FACTOR) return [start, end];
  }
  for (let i = 0; i < segments.length; i++) {
    const { docCount, deleted, busy } = segments[i]!;
    if (!busy && deleted > docCount * DELETED_SHARE) return [i, i + 1];
  }
  return undefined;
}
