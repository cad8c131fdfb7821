// Conjunction of terms over one segment (block-max): the rarest term leads block by block, the others are advanced to its documents. Once
// the top is full, blocks of the lead are skipped if the best scores around them are not competitive, then single documents by the
// lead's own score, before other lists are read.
import { tick } from '../tasks/request-budget.ts';
import { BLOCK } from '../index/bit-packing.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { BATCH, type CollectorContext } from './collector-context.ts';
import { bm25 } from './bm25.ts';
import type { ScoringCursor } from './scoring-cursor.ts';

const { fround } = Math;
/** Places of the competitive documents in the lead's block. Filled and consumed without a call in between. */
const candidates = new Uint8Array(BLOCK);

/** Consumes the cursors. */
export function runConjunction(
  cursors: ScoringCursor[],
  segment: SegmentView,
  accept: Int32Array | undefined,
  run: CollectorContext,
): void {
  sortByFrequency(cursors);
  if (run.sinks.length > 0) collectConjunction(cursors, segment, accept, run);
  else rankConjunction(cursors, segment, accept, run);
}

/** Rarest first. Calling a function to compare costs as much as reading a short list. */
function sortByFrequency(cursors: ScoringCursor[]): void {
  for (let i = 1; i < cursors.length; i++) {
    const cursor = cursors[i]!;
    let j = i - 1;
    for (; j >= 0 && cursors[j]!.docFreq > cursor.docFreq; j--) cursors[j + 1] = cursors[j]!;
    cursors[j + 1] = cursor;
  }
}

/**
 * For hits by score, or a count alone. Long because the usual case of two terms has a loop of its own, which is a tenth faster (measured by
 * the class "all of 2–3 words" of `bench -- search`). `runExactPhrase` has a copy of the look-up (see there): change both.
 */
function rankConjunction(
  cursors: readonly ScoringCursor[],
  segment: SegmentView,
  accept: Int32Array | undefined,
  run: CollectorContext,
): void {
  const lead = cursors[0]!;
  const { docs, frequencies, norms, inverse, weight } = lead;
  const { lastDocs } = lead.postings;
  const { top } = run;
  const { base } = segment;
  const others = cursors.length;
  const second = cursors[1]!;
  const secondDocs = second.docs;
  const near = second.docFreq < lead.docFreq * 12;
  let reach = -1;
  /** With two terms, the place in the block of the second. */
  let at = 0;
  let { hits } = run;
  for (let block = lead.first; block < lead.end; block++) {
    run.hits = hits;
    const pruning = run.pruning;
    let count = 0;
    let rest = 0;
    if (pruning !== undefined) {
      const minimum = pruning.min;
      const low = block === lead.first ? 0 : lastDocs[block - 1]! + 1;
      for (let j = 1; j < others; j++) {
        const cursor = cursors[j]!;
        if (cursor.advanceShallow(low) >= cursor.end) return;
        rest += cursor.maxScoreTo(lastDocs[block]!);
      }
      if (fround(lead.blockBound(block) + rest) <= minimum) {
        tick(64 * others);
        continue;
      }
      lead.load(block);
      lead.loadFrequencies();
      for (let i = 0; i < lead.count; i++) {
        const own = fround(weight - fround(weight / fround(1 + fround(frequencies[i]! * inverse[norms[docs[i]!]!]!))));
        candidates[count] = i;
        // Without a branch, which would be unpredictable.
        count += fround(own + rest) > minimum ? 1 : 0;
      }
    } else {
      lead.load(block);
      ({ count } = lead);
      for (let i = 0; i < count; i++) candidates[i] = i;
    }
    // The usual case: without the loop over other cursors it is a tenth faster (measured).
    if (others === 2) {
      for (let c = 0; c < count; c++) {
        const i = candidates[c]!;
        const doc = docs[i]!;
        if (doc > reach) {
          second.index = at;
          const found = second.advance(doc);
          if (found === NO_MORE_DOCS) {
            run.hits = hits;
            return;
          }
          at = second.index;
          reach = near ? secondDocs[second.count - 1]! : found;
          if (found !== doc) continue;
        } else {
          while (secondDocs[at]! < doc) at++;
          if (secondDocs[at]! !== doc) continue;
        }
        if (accept !== undefined && ((accept[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
        hits++;
        if (top === undefined) continue;
        lead.loadFrequencies();
        second.loadFrequencies();
        const score = fround(
          bm25(weight, frequencies[i]!, inverse[norms[doc]!]!) +
            bm25(second.weight, second.frequencies[at]!, second.inverse[second.norms[doc]!]!),
        );
        if (score > top.min) top.offer(score, base + doc);
      }
      second.index = at;
      continue;
    }
    next: for (let c = 0; c < count; c++) {
      const i = candidates[c]!;
      const doc = docs[i]!;
      for (let j = 1; j < others; j++) {
        const cursor = cursors[j]!;
        let found: number;
        if (j === 1 && near && doc <= reach) {
          let at = cursor.index;
          while (secondDocs[at]! < doc) at++;
          cursor.index = at;
          cursor.doc = found = secondDocs[at]!;
        } else {
          found = cursor.advance(doc);
          if (j === 1 && found !== NO_MORE_DOCS) reach = cursor.docs[cursor.count - 1]!;
        }
        if (found === doc) continue;
        if (found === NO_MORE_DOCS) {
          run.hits = hits;
          return;
        }
        while (c + 1 < count && docs[candidates[c + 1]!]! < found) c++;
        continue next;
      }
      if (accept !== undefined && ((accept[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
      hits++;
      if (top === undefined) continue;
      lead.index = i;
      lead.doc = doc;
      let score = 0;
      for (let j = 0; j < others; j++) score += cursors[j]!.scoreHere();
      score = fround(score);
      if (score > top.min) top.offer(score, base + doc);
    }
  }
  run.hits = hits;
}

/** For collectors, which read every match. */
function collectConjunction(
  cursors: readonly ScoringCursor[],
  segment: SegmentView,
  accept: Int32Array | undefined,
  run: CollectorContext,
): void {
  const lead = cursors[0]!;
  const { docs } = lead;
  const { top } = run;
  const { base } = segment;
  const scores = top !== undefined || run.sinksNeedScores;
  const others = cursors.length;
  let filled = 0;
  all: for (let block = lead.first; block < lead.end; block++) {
    lead.load(block);
    const { count } = lead;
    let i = 0;
    next: while (i < count) {
      const doc = docs[i]!;
      for (let j = 1; j < others; j++) {
        const found = cursors[j]!.advance(doc);
        if (found === doc) continue;
        if (found === NO_MORE_DOCS) break all;
        i = skipTo(docs, i + 1, count, found);
        continue next;
      }
      if (accept === undefined || (accept[doc >>> 5]! >>> (doc & 31)) & 1) {
        let score = 0;
        if (scores) {
          lead.index = i;
          lead.doc = doc;
          for (let j = 0; j < others; j++) score += cursors[j]!.scoreHere();
          score = fround(score);
          if (top !== undefined && score > top.min) top.offer(score, base + doc);
        }
        run.batchDocs[filled] = doc;
        run.batchScores[filled++] = score;
        if (filled === BATCH) {
          run.hits += filled;
          run.flush(filled);
          filled = 0;
        }
      }
      i++;
    }
  }
  run.hits += filled;
  run.flush(filled);
}

/** The first place ≥ `from` with a document ≥ `target`. */
function skipTo(docs: Int32Array, from: number, count: number, target: number): number {
  let low = from;
  let high = count;
  while (high - low > 16) {
    const middle = (low + high) >>> 1;
    if (docs[middle]! < target) low = middle + 1;
    else high = middle;
  }
  while (low < count && docs[low]! < target) low++;
  return low;
}
