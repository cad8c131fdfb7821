// Exact phrases without alternatives over one segment. Documents are found as in a conjunction; positions are compared last. A phrase
// occurs at most as often as each of its terms: once the top is full, blocks and documents with too low frequencies are skipped.
// Sloppy phrases, alternatives and collectors use the scorer of phrase.ts.
import { tick } from '../tasks/request-budget.ts';
import { BLOCK } from '../index/bit-packing.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { CollectorContext } from './collector-context.ts';
import type { TopScoreCollector } from './top-score-collector.ts';
import type { ScoringCursor } from './scoring-cursor.ts';

const { fround } = Math;
/** Places of the competitive documents in the lead's block. Filled and consumed without a call in between. */
const candidates = new Uint8Array(BLOCK);

/** A term of a phrase with its offset. */
export interface PhraseTerm {
  readonly cursor: ScoringCursor;
  readonly offset: number;
}

/**
 * Consumes the cursors, at least two, which all have the phrase's weight. Long for the reason of `rankConjunction`: two terms have a loop of
 * their own. The class "phrase of two" of `bench -- search` measures it.
 */
export function runExactPhrase(
  terms: readonly PhraseTerm[],
  segment: SegmentView,
  accept: Int32Array | undefined,
  run: CollectorContext,
  top: TopScoreCollector,
): void {
  const ordered = terms.toSorted((a, b) => a.cursor.docFreq - b.cursor.docFreq);
  const cursors = ordered.map(({ cursor }) => cursor);
  const offsets = ordered.map(({ offset }) => offset);
  const count = cursors.length;
  const lead = cursors[0]!;
  const second = cursors[1]!;
  const near = second.docFreq < lead.docFreq * 12;
  const { docs, frequencies, norms, inverse, weight } = lead;
  const { lastDocs } = lead.postings;
  const secondDocs = second.docs;
  const { base } = segment;
  const pair = count === 2;
  let reach = -1;
  /** With two terms, the place in the block of the second. */
  let at = 0;
  /** The greatest known non-competitive frequency times inverse length. Never shrinks, as the minimum only grows. */
  let nonCompetitive = 0;
  for (let block = lead.first; block < lead.end; block++) {
    const prunes = run.pruning !== undefined;
    if (prunes) {
      const low = block === lead.first ? 0 : lastDocs[block - 1]! + 1;
      let bound = lead.blockBound(block);
      for (let j = 1; j < count && bound > top.min; j++) {
        const cursor = cursors[j]!;
        if (cursor.advanceShallow(low) >= cursor.end) return;
        bound = Math.min(bound, cursor.maxScoreTo(lastDocs[block]!));
      }
      if (bound <= top.min) {
        tick(64 * count);
        continue;
      }
    }
    lead.load(block);
    lead.loadFrequencies();
    let left = lead.count;
    if (prunes) {
      left = 0;
      for (let i = 0; i < lead.count; i++) {
        candidates[left] = i;
        left += fround(frequencies[i]! * inverse[norms[docs[i]!]!]!) > nonCompetitive ? 1 : 0;
      }
    } else {
      for (let i = 0; i < left; i++) candidates[i] = i;
    }
    next: for (let c = 0; c < left; c++) {
      const i = candidates[c]!;
      const doc = docs[i]!;
      if (pair) {
        if (doc > reach) {
          second.index = at;
          const found = second.advance(doc);
          if (found === NO_MORE_DOCS) return;
          at = second.index;
          reach = near ? secondDocs[second.count - 1]! : found;
          if (found !== doc) continue;
        } else {
          while (secondDocs[at]! < doc) at++;
          if (secondDocs[at]! !== doc) continue;
        }
        second.index = at;
      } else {
        for (let j = 1; j < count; j++) {
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
          if (found === NO_MORE_DOCS) return;
          while (c + 1 < left && docs[candidates[c + 1]!]! < found) c++;
          continue next;
        }
      }
      if (accept !== undefined && ((accept[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
      const norm = inverse[norms[doc]!]!;
      if (prunes) {
        let most = frequencies[i]!;
        for (let j = 1; j < count; j++) {
          const frequency = cursors[j]!.frequency();
          if (frequency < most) most = frequency;
        }
        const reached = fround(most * norm);
        if (reached <= nonCompetitive) continue;
        if (fround(weight - fround(weight / fround(1 + reached))) <= top.min) {
          nonCompetitive = reached;
          continue;
        }
      }
      lead.index = i;
      lead.doc = doc;
      tick(64);
      const frequency =
        count === 2 ? pairFrequency(lead, second, offsets[1]! - offsets[0]!) : frequencyOf(cursors, offsets);
      if (frequency === 0) continue;
      run.hits++;
      const score = fround(weight - fround(weight / fround(1 + fround(frequency * norm))));
      if (score > top.min) top.offer(score, base + doc);
    }
  }
}

/**
 * How often the second cursor's term stands `gap` after the first's in their current document. `exactFrequency` (phrase.ts) has
 * the same loop over decoded positions, apart on purpose: one for both would see arrays of three kinds in an innermost loop.
 */
function pairFrequency(first: ScoringCursor, second: ScoringCursor, gap: number): number {
  let i = first.positionsStart();
  let j = second.positionsStart();
  const a = first.postings.positions;
  const b = second.postings.positions;
  const aEnd = i + first.frequency();
  const bEnd = j + second.frequency();
  let frequency = 0;
  let wanted = a[i]! + gap;
  let found = b[j]!;
  for (;;) {
    if (found < wanted) {
      if (++j >= bEnd) return frequency;
      found = b[j]!;
    } else {
      if (found === wanted) frequency++;
      if (++i >= aEnd) return frequency;
      wanted = a[i]! + gap;
    }
  }
}

/** The phrase frequency in the current document. */
function frequencyOf(cursors: readonly ScoringCursor[], offsets: readonly number[]): number {
  const positions = cursors[0]!.postings.positions;
  const at = cursors.map((cursor) => cursor.positionsStart());
  const ends = cursors.map((cursor, j) => at[j]! + cursor.frequency());
  let frequency = 0;
  next: for (; at[0]! < ends[0]!; at[0]!++) {
    const start = positions[at[0]!]! - offsets[0]!;
    for (let j = 1; j < cursors.length; j++) {
      const wanted = start + offsets[j]!;
      while (at[j]! < ends[j]! && positions[at[j]!]! < wanted) at[j]!++;
      if (at[j] === ends[j]) return frequency;
      if (positions[at[j]!] !== wanted) continue next;
    }
    frequency++;
  }
  return frequency;
}
