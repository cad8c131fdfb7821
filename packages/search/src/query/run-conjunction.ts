// All of several terms over one segment: the rarest leads, block by block; the others are advanced to its documents. Once the top is
// full, whole blocks of the lead are skipped when the best scores around them cannot reach it.
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { BATCH, type Run } from '../collect/run.ts';
import type { ScoringCursor } from './scoring-cursor.ts';

const { fround } = Math;

/** Runs over the cursors; they are used up. */
export function runConjunction(
  unordered: readonly ScoringCursor[],
  segment: SegmentView,
  accept: Int32Array | undefined,
  run: Run,
): void {
  const cursors = unordered.toSorted((a, b) => a.docFreq - b.docFreq);
  const lead = cursors[0]!;
  const { docs } = lead;
  const { lastDocs } = lead.postings;
  const { top } = run;
  const { base } = segment;
  const collects = run.sinks.length > 0;
  const scores = top !== undefined || run.sinksNeedScores;
  const others = cursors.length;
  let filled = 0;
  for (let block = lead.first; block < lead.end; block++) {
    if (run.prunes) {
      const low = block === lead.first ? 0 : lastDocs[block - 1]! + 1;
      let bound = lead.blockBound(block);
      for (let j = 1; j < others; j++) {
        const cursor = cursors[j]!;
        if (cursor.shallow(low) >= cursor.end) return;
        bound += cursor.boundTo(lastDocs[block]!);
      }
      if (fround(bound) <= top!.min) continue;
    }
    lead.load(block);
    const { count } = lead;
    let i = 0;
    next: while (i < count) {
      const doc = docs[i]!;
      for (let j = 1; j < others; j++) {
        const found = cursors[j]!.advance(doc);
        if (found === doc) continue;
        if (found === NO_MORE_DOCS) {
          if (collects) {
            run.hits += filled;
            run.flush(filled);
          }
          return;
        }
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
        if (collects) {
          run.batchDocs[filled] = doc;
          run.batchScores[filled++] = score;
          if (filled === BATCH) {
            run.hits += filled;
            run.flush(filled);
            filled = 0;
          }
        } else {
          run.hits++;
        }
      }
      i++;
    }
  }
  if (collects) {
    run.hits += filled;
    run.flush(filled);
  }
}

/** The first place from `from` on with a document ≥ target. */
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
