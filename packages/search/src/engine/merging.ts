// Schedules merges of one index, one run of neighbouring segments at a time, and replaces them by the merged segment while documents are
// deleted. The segment store merges, and chooses the thread (segment-store.ts).
import type { MergeInput } from '../index/merge-input.ts';
import { chooseMerge } from '../index/merge-policy.ts';
import { carryOver } from './carry-over.ts';
import type { LiveSegment } from './segment-set.ts';
import type { SegmentStore } from './segment-store.ts';

/** What merging needs of its index. */
interface MergingHost {
  readonly store: SegmentStore;
  /** The current segments, in order; changed in place. */
  segments(): LiveSegment[];
  /** Called when segments were replaced: new searches need a new searcher. */
  merged(): void;
  /** Called when an automatic merge failed. */
  failed(error: unknown): void;
}

/** Merges the segments of one index. */
export class Merging {
  /** The running merge. */
  underWay: Promise<void> | undefined;
  private readonly host: MergingHost;
  private ended = false;
  private readonly ending = Promise.withResolvers<undefined>();

  constructor(host: MergingHost) {
    this.host = host;
  }

  /** Starts the merges that are due, one after the other, in the background. */
  start(): void {
    if (this.underWay !== undefined || this.ended) return;
    const segments = this.host.segments();
    const run = chooseMerge(
      segments.map((segment) => ({
        docCount: segment.core.docCount,
        deleted: segment.deletedCount(),
        busy: segment.busy || segment.damaged,
      })),
    );
    if (run === undefined) return;
    this.underWay = this.join(segments.slice(run[0], run[1]))
      .catch((error: unknown) => {
        this.host.failed(error);
        return false;
      })
      .then((merged) => {
        this.underWay = undefined;
        if (merged) this.start();
      });
  }

  /** Merges until there are `maxSegments` (at least 1; 1 by default) without deletions, or only what has deletions. Rejects when a merge fails. */
  async force({
    maxSegments = 1,
    onlyExpungeDeletes = false,
  }: {
    readonly maxSegments?: number;
    readonly onlyExpungeDeletes?: boolean;
  }): Promise<void> {
    const most = Math.max(1, maxSegments);
    for (;;) {
      while (this.underWay !== undefined) await this.underWay;
      const segments = this.host.segments();
      const run =
        !onlyExpungeDeletes && segments.length > most
          ? segments.slice(-(segments.length - most + 1))
          : segments.filter((segment) => segment.deletedCount() > 0).slice(0, 1);
      if (run.length === 0) return;
      let merged = false;
      this.underWay = this.join(run).then(
        (done) => {
          merged = done;
          this.underWay = undefined;
        },
        (error: unknown) => {
          this.underWay = undefined;
          throw error;
        },
      );
      await this.underWay;
      if (!merged) return;
    }
  }

  /** The index is closed: a merge under way ends without an outcome, and no other begins. */
  end(): void {
    this.ended = true;
    this.ending.resolve(undefined);
  }

  private async made(run: readonly LiveSegment[], inputs: readonly MergeInput[]): ReturnType<SegmentStore['merge']> {
    const { store } = this.host;
    for (const { use } of run) use.retain();
    let merged: Awaited<ReturnType<SegmentStore['merge']>>;
    try {
      merged = await store.merge(inputs);
    } finally {
      for (const { use } of run) use.release();
    }
    // Nobody waits for it any more.
    if (this.ended) store.drop(merged.segment);
    return merged;
  }

  /** Merges neighbouring segments; returns false if the index was closed meanwhile. */
  private async join(run: readonly LiveSegment[]): Promise<boolean> {
    for (const segment of run) segment.busy = true;
    try {
      // Published deletions only: a document whose deletion waits for a refresh is still searchable.
      const frozen = run.map((segment) => ({ core: segment.core, live: segment.published }));
      // Closing an index does not wait for a thread.
      const merged = await Promise.race([this.made(run, frozen), this.ending.promise]);
      if (merged === undefined || this.ended) return false;
      this.replace(run, merged.segment, merged.maps);
      return true;
    } finally {
      for (const segment of run) segment.busy = false;
    }
  }

  /** Replaces the inputs by the merged segment, with the deletions made meanwhile. */
  private replace(run: readonly LiveSegment[], joined: LiveSegment, maps: readonly Int32Array[]): void {
    const { docCount } = joined.core;
    const same = (left: 'published' | 'staged', right: 'staged' | 'working'): boolean =>
      run.every((segment) => segment[left] === segment[right]);
    const published = carryOver(run, maps, docCount, 'published');
    const staged = same('published', 'staged') ? published : carryOver(run, maps, docCount, 'staged');
    const working = same('staged', 'working') ? staged : carryOver(run, maps, docCount, 'working');
    joined.setDeletions(published, staged, working);
    joined.fromDisk = run.some((segment) => segment.fromDisk);
    const segments = this.host.segments();
    segments.splice(segments.indexOf(run[0]!), run.length, ...(docCount > 0 ? [joined] : []));
    if (docCount === 0) this.host.store.drop(joined);
    this.host.merged();
    for (const { use } of run) use.release();
  }
}
