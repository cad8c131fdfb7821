// What one pass over the matches of a search feeds: the best scores, collectors over everything, and the count. The loops over
// postings and the generic loop below all report to it.
import { hasBit } from '../index/bits.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { Scorer } from '../query/scorer.ts';
import type { SegmentCollector } from './collector.ts';
import type { TopScores } from './top-scores.ts';

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

export class Run {
  /** Matches seen. Exact as long as nothing was skipped. */
  hits = 0;
  /** Collectors of the segment at hand. */
  sinks: readonly SegmentCollector[] = [];
  sinksNeedScores = false;
  /** The best by score, when the order of hits is by score. */
  readonly top: TopScores | undefined;
  /** Once so many hits are counted, documents that cannot enter `top` may be skipped uncounted. */
  readonly countUpTo: number;
  /** When to stop, by `performance.now()`. */
  readonly deadline: number;
  readonly batchDocs: Int32Array;
  readonly batchScores: Float32Array;
  private readonly batch: Batch;

  constructor(top: TopScores | undefined, countUpTo: number, deadline = Infinity) {
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

  /** Whether loops may skip what cannot enter the top now. */
  get prunes(): boolean {
    const { top } = this;
    return top !== undefined && this.sinks.length === 0 && this.hits >= this.countUpTo && top.count === top.size;
  }

  /** @throws OutOfTime after the deadline */
  checkTime(): void {
    if (this.deadline !== Infinity && performance.now() > this.deadline) throw new OutOfTime();
  }

  /** Hands the first `count` documents of the batch to the collectors. */
  flush(count: number): void {
    this.hand(this.batchDocs, count);
  }

  /** Hands documents to the collectors; their scores, where those are asked for, are the batch's. */
  hand(docs: Int32Array, count: number): void {
    if (count === 0) return;
    this.checkTime();
    for (const sink of this.sinks) sink.collect(docs, count, this.sinksNeedScores ? this.batchScores : undefined);
  }
}

/** What the generic loop may be told besides. */
export interface LoopOptions {
  /** Drops documents that score less. */
  readonly minScore?: number | undefined;
  /** Stops when so many hits are counted. */
  readonly stopAt?: number | undefined;
}

/** The loop for any scorer. */
export function runScorer(
  scorer: Scorer,
  segment: SegmentView,
  accept: Int32Array | undefined,
  run: Run,
  options: LoopOptions = {},
): void {
  const { top, batchDocs, batchScores, sinks, sinksNeedScores } = run;
  const { minScore, stopAt = Infinity } = options;
  const needsScore = top !== undefined || sinksNeedScores || minScore !== undefined;
  const { base } = segment;
  const collects = sinks.length > 0;
  let filled = 0;
  let { hits } = run;
  let walked = 0;
  for (let doc = scorer.next(); doc !== NO_MORE_DOCS && hits < stopAt; doc = scorer.next()) {
    if ((++walked & (BATCH - 1)) === 0) {
      run.hits = hits;
      run.checkTime();
    }
    if (accept !== undefined && !hasBit(accept, doc)) continue;
    if (needsScore) {
      const score = scorer.score();
      if (minScore !== undefined && score < minScore) continue;
      if (top !== undefined && score > top.min) top.offer(score, base + doc);
      if (collects) batchScores[filled] = score;
    }
    hits++;
    if (collects) {
      batchDocs[filled++] = doc;
      if (filled === BATCH) {
        run.flush(filled);
        filled = 0;
      }
    }
  }
  run.flush(filled);
  run.hits = hits;
}

/** The loop for a set whose members all score the same. */
export function runBits(
  bits: Int32Array,
  value: number,
  segment: SegmentView,
  accept: Int32Array | undefined,
  run: Run,
): void {
  const { top } = run;
  const { base } = segment;
  const collects = run.sinks.length > 0;
  if (collects && run.sinksNeedScores) run.batchScores.fill(value);
  let filled = 0;
  for (let word = 0; word < bits.length; word++) {
    let rest = bits[word]!;
    if (accept !== undefined) rest &= accept[word]!;
    if (rest === 0) continue;
    if (!collects && (top === undefined || value <= top.min)) {
      // Only the count matters any more, as far as it is asked for.
      if (run.hits >= run.countUpTo) return;
      rest -= (rest >>> 1) & 0x55555555;
      rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
      run.hits += Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
      continue;
    }
    while (rest !== 0) {
      const lowest = rest & -rest;
      rest ^= lowest;
      const doc = (word << 5) + 31 - Math.clz32(lowest);
      run.hits++;
      if (top !== undefined && value > top.min) top.offer(value, base + doc);
      if (!collects) continue;
      run.batchDocs[filled++] = doc;
      if (filled === BATCH) {
        run.flush(filled);
        filled = 0;
      }
    }
  }
  run.flush(filled);
}
