// What one pass over the matches of a search feeds: the best scores, collectors over everything, and the count. The loops over
// postings and the generic ones of run-scorer.ts all report to it.
import { checkTurn } from '../tasks/request-budget.ts';
import { isNarrowing, type NarrowingCollector, type SegmentCollector } from './collector.ts';
import type { TopScoreCollector } from './top-score-collector.ts';

/** Documents handed to collectors at once. */
export const BATCH = 1024;

/** Buffers of a run: pooled, as eight kilobytes a search are a third of what a rare term costs. */
interface Batch {
  readonly docs: Int32Array;
  readonly scores: Float32Array;
}
const batches: Batch[] = [];

/** Ends a pass; what it found until then is answered. */
export class OutOfTime extends Error {}

export class CollectorContext {
  /** Matches seen. Exact as long as nothing was skipped. */
  hits = 0;
  /** Whether there were more hits than were asked for. */
  stopped = false;
  /** Collectors of the segment at hand. */
  sinks: readonly SegmentCollector[] = [];
  sinksNeedScores = false;
  /** The best by score, when the order of hits is by score. */
  readonly top: TopScoreCollector | undefined;
  /** Once so many hits are counted, documents that cannot enter `top` may be skipped uncounted. */
  readonly countUpTo: number;
  /** When to stop, by `performance.now()`. */
  readonly deadline: number;
  readonly batchDocs: Int32Array;
  readonly batchScores: Float32Array;
  private readonly batch: Batch;

  constructor(top: TopScoreCollector | undefined, countUpTo: number, deadline = Infinity) {
    this.top = top;
    this.countUpTo = countUpTo;
    this.deadline = deadline;
    this.batch = batches.pop() ?? { docs: new Int32Array(BATCH), scores: new Float32Array(BATCH) };
    this.batchDocs = this.batch.docs;
    this.batchScores = this.batch.scores;
  }

  /** Gives the buffers back; the run must not be used any more. */
  release(): void {
    batches.push(this.batch);
  }

  /** The top, once loops may skip what cannot enter it. */
  get pruning(): TopScoreCollector | undefined {
    const { top } = this;
    return top !== undefined && this.sinks.length === 0 && this.hits >= this.countUpTo && top.count === top.size
      ? top
      : undefined;
  }

  /** @throws OutOfTime after the deadline; TurnOver where only the turn is over */
  checkTime(): void {
    if (this.deadline === Infinity) return;
    const now = performance.now();
    checkTurn(now);
    if (now > this.deadline) throw new OutOfTime();
  }

  /** Hands the first `count` documents of the batch to the collectors. */
  flush(count: number): void {
    this.hand(this.batchDocs, count);
  }

  /** The collectors of the segment at hand, if all can tell for themselves which documents count. */
  get narrowingSinks(): readonly NarrowingCollector[] | undefined {
    const { sinks } = this;
    return sinks.every(isNarrowing) ? sinks : undefined;
  }

  /** Hands documents to collectors that narrow them. */
  handWithin(sinks: readonly NarrowingCollector[], docs: Int32Array, count: number, within: Int32Array): void {
    if (count === 0) return;
    this.checkTime();
    for (const sink of sinks) sink.collectWithin(docs, count, within);
  }

  /** Hands documents to the collectors; their scores, where those are asked for, are the batch's. */
  hand(docs: Int32Array, count: number): void {
    if (count === 0) return;
    this.checkTime();
    for (const sink of this.sinks) sink.collect(docs, count, this.sinksNeedScores ? this.batchScores : undefined);
  }
}
