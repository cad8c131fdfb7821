// The loops that any kind of query can be run by: over a scorer, and over a set whose members all score the same. Kinds of query
// that know a faster way have loops of their own (query/run-*.ts).
import { countOnes, hasBit } from '../index/bits.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { type Scorer, WINDOW, withWindowSpace } from './scorer.ts';
import { BATCH, type CollectorContext } from './collector-context.ts';
import type { TiedSegment, TopScoreCollector } from './top-score-collector.ts';

/** What the generic loop may be told besides. */
export interface LoopOptions {
  /** Drops documents that score less. */
  readonly minScore?: number | undefined;
  /** Stops at the hit after so many. */
  readonly stopAt?: number | undefined;
}

/** The loop for any scorer. */
export function runScorer(
  scorer: Scorer,
  segment: SegmentView,
  accept: Int32Array | undefined,
  run: CollectorContext,
  options: LoopOptions = {},
): void {
  const { top, batchDocs, batchScores, sinks, sinksNeedScores } = run;
  const { minScore, stopAt = Infinity } = options;
  const needsScore = top !== undefined || sinksNeedScores || minScore !== undefined;
  const { base } = segment;
  const collects = sinks.length > 0;
  let filled = 0;
  let { hits } = run;
  withWindowSpace((docs, scores) => {
    for (let doc = scorer.begin(); doc !== NO_MORE_DOCS && !run.stopped; doc = scorer.doc) {
      run.hits = hits;
      run.checkTime();
      const found = scorer.window(doc + WINDOW, accept, docs, needsScore ? scores : undefined);
      for (let i = 0; i < found; i++) {
        const score = scores[i]!;
        if (minScore !== undefined && score < minScore) continue;
        if (hits >= stopAt) {
          run.stopped = true;
          break;
        }
        if (top !== undefined && score > top.min) top.offer(score, base + docs[i]!);
        hits++;
        if (!collects) continue;
        batchScores[filled] = score;
        batchDocs[filled++] = docs[i]!;
        if (filled === BATCH) {
          run.flush(filled);
          filled = 0;
        }
      }
    }
  });
  run.flush(filled);
  run.hits = hits;
}

/** The loop for a set whose members all score the same. */
export function runBits(
  bits: Int32Array,
  value: number,
  segment: SegmentView,
  accept: Int32Array | undefined,
  run: CollectorContext,
): void {
  let { top } = run;
  const { base } = segment;
  const collects = run.sinks.length > 0;
  if (collects && run.sinksNeedScores) run.batchScores.fill(value);
  // Among equals by key, the first are found fastest in the order of the keys. What is left then is to count.
  if (!collects && top?.tied !== undefined && offerByKey(bits, value, segment, accept, top, top.tied)) top = undefined;
  let filled = 0;
  for (let word = 0; word < bits.length; word++) {
    let rest = bits[word]!;
    if (accept !== undefined) rest &= accept[word]!;
    if (rest === 0) continue;
    if (!collects && (top === undefined || value <= top.min)) {
      // Only the count matters any more, as far as it is asked for.
      if (run.hits >= run.countUpTo) return;
      run.hits += countOnes(rest);
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

/** Documents that are tried in the order of their keys: of a set with fewer than one in so many, all are looked at instead. */
const TRIED = 4096;

/** Offers the members that can get into the top, first keys first; false when too many documents are no members. */
function offerByKey(
  bits: Int32Array,
  value: number,
  { base }: SegmentView,
  accept: Int32Array | undefined,
  top: TopScoreCollector,
  tied: TiedSegment,
): boolean {
  if (value <= top.min) return true;
  const { documents, count } = tied.keys;
  const equals = top.count === top.size && value === top.scores[0];
  const last = Math.min(count, equals ? top.latest(tied) : count);
  const end = Math.min(last, TRIED);
  const found: number[] = [];
  // More than k of one segment are never wanted.
  for (let place = 0; place < end && found.length < top.size; place++) {
    const doc = documents === undefined ? place : documents[place]!;
    if (hasBit(bits, doc) && (accept === undefined || hasBit(accept, doc))) found.push(doc);
  }
  if (end < last && found.length < top.size) return false;
  for (const doc of found) top.offer(value, base + doc);
  return true;
}
