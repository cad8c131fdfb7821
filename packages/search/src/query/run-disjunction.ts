// Disjunction of terms over one segment (block-max MaxScore): accumulators for windows of up to 8,192 documents. Once the top is full,
// lists that cannot make a document competitive are only looked up, with bounds from the blocks of the window. Ties keep document
// order because bounds equal to the minimum are skipped.
import { countOnes } from '../index/bits.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { BATCH, type CollectorContext } from './collector-context.ts';
import type { TopScoreCollector } from './top-score-collector.ts';
import type { ScoringCursor } from './scoring-cursor.ts';

const { fround } = Math;
const WINDOW = 8192;
/** Narrower windows give tighter bounds but cost more bookkeeping (measured: below 1,024 it loses). */
const NARROWEST = 1024;

/** Accumulators of a pass. Pooled, as a collector may search during a pass. */
class Scratch {
  readonly sums = new Float64Array(WINDOW);
  readonly touched = new Int32Array(WINDOW / 32);
}
const pool: Scratch[] = [];

/** Consumes the cursors. */
export function runDisjunction(
  cursors: ScoringCursor[],
  segment: SegmentView,
  accept: Int32Array | undefined,
  run: CollectorContext,
): void {
  const scratch = pool.pop() ?? new Scratch();
  try {
    new DisjunctionPass(cursors, segment, accept, run, scratch).all();
  } finally {
    scratch.sums.fill(0);
    scratch.touched.fill(0);
    pool.push(scratch);
  }
}

class DisjunctionPass {
  private readonly cursors: ScoringCursor[];
  private readonly segment: SegmentView;
  private readonly accept: Int32Array | undefined;
  private readonly run: CollectorContext;
  private readonly top: TopScoreCollector | undefined;
  private readonly sums: Float64Array;
  private readonly touched: Int32Array;
  /** The highest score in the window by cursor, ascending. */
  private readonly bounds: Float64Array;
  /** Prefix sums of the bounds. */
  private readonly below: Float64Array;

  constructor(
    cursors: ScoringCursor[],
    segment: SegmentView,
    accept: Int32Array | undefined,
    run: CollectorContext,
    scratch: Scratch,
  ) {
    this.cursors = cursors;
    this.segment = segment;
    this.accept = accept;
    this.run = run;
    this.top = run.top;
    this.sums = scratch.sums;
    this.touched = scratch.touched;
    this.bounds = new Float64Array(cursors.length);
    this.below = new Float64Array(cursors.length + 1);
  }

  all(): void {
    const { cursors, segment, bounds, below, run } = this;
    const count = cursors.length;
    let start = 0;
    while (start < segment.docCount) {
      run.checkTime();
      const pruning = run.pruning;
      let end = Math.min(segment.docCount, start + WINDOW);
      if (pruning !== undefined) end = this.narrow(start, end);
      let total = 0;
      let left = false;
      for (let i = 0; i < count; i++) {
        const cursor = cursors[i]!;
        const block = cursor.advanceShallow(start);
        bounds[i] = 0;
        if (block >= cursor.end) continue;
        left = true;
        const { lastDocs } = cursor.postings;
        if (block > cursor.first && lastDocs[block - 1]! + 1 >= end) continue;
        bounds[i] = pruning !== undefined ? cursor.maxScoreTo(end - 1) : cursor.weight;
        total += bounds[i]!;
      }
      if (!left) return;
      if (pruning !== undefined) {
        const minimum = pruning.min;
        if (fround(total) > minimum) {
          this.sortByBound();
          let optional = 0;
          for (let i = 0; i < count; i++) below[i + 1] = below[i]! + bounds[i]!;
          while (optional < count && fround(below[optional + 1]!) <= minimum) optional++;
          if (optional === count - 1) this.lead(pruning, optional, start, end);
          else if (optional < count) this.accumulate(optional, start, end);
        }
      } else {
        this.accumulate(0, start, end);
      }
      start = end;
    }
  }

  /** Ends the window at the first block end that is far enough. */
  private narrow(start: number, end: number): number {
    let nearest = end;
    for (const cursor of this.cursors) {
      const block = cursor.advanceShallow(start);
      if (block >= cursor.end) continue;
      const after = cursor.postings.lastDocs[block]! + 1;
      if (after > start + NARROWEST && after < nearest) nearest = after;
    }
    return nearest;
  }

  private sortByBound(): void {
    const { cursors, bounds } = this;
    for (let i = 1; i < cursors.length; i++) {
      const cursor = cursors[i]!;
      const bound = bounds[i]!;
      let j = i - 1;
      while (j >= 0 && bounds[j]! > bound) {
        cursors[j + 1] = cursors[j]!;
        bounds[j + 1] = bounds[j]!;
        j--;
      }
      cursors[j + 1] = cursor;
      bounds[j + 1] = bound;
    }
  }

  /** Adds the scores of the optional cursors to a document, best bound first; -1 if it is not competitive. */
  private complete(top: TopScoreCollector, doc: number, sum: number, optional: number): number {
    const { cursors, bounds, below } = this;
    const minimum = top.min;
    let score = sum;
    for (let i = optional - 1; i >= 0; i--) {
      const cursor = cursors[i]!;
      if (bounds[i]! > 0 && cursor.advance(doc) === doc) score += cursor.scoreHere();
      if (fround(score + below[i]!) <= minimum) return -1;
    }
    return fround(score);
  }

  /** One list leads, the others are only looked up. Enough hits are counted by then. */
  private lead(top: TopScoreCollector, optional: number, start: number, end: number): void {
    const { accept, below } = this;
    const { base } = this.segment;
    const cursor = this.cursors[optional]!;
    const { docs, frequencies, norms, inverse, weight } = cursor;
    const rest = below[optional]!;
    if (cursor.advance(start) >= end) return;
    for (;;) {
      cursor.loadFrequencies();
      const { count } = cursor;
      let { index } = cursor;
      for (; index < count; index++) {
        const doc = docs[index]!;
        if (doc >= end) break;
        const own = fround(weight - fround(weight / fround(1 + fround(frequencies[index]! * inverse[norms[doc]!]!))));
        if (fround(own + rest) <= top.min) continue;
        if (accept !== undefined && ((accept[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
        const score = this.complete(top, doc, own, optional);
        if (score > top.min) top.offer(score, base + doc);
      }
      cursor.index = index;
      if (index < count) {
        cursor.doc = docs[index]!;
        return;
      }
      const next = cursor.decoded + 1;
      if (next >= cursor.end) {
        exhaust(cursor);
        return;
      }
      if (cursor.postings.lastDocs[cursor.decoded]! + 1 >= end) {
        // Stays on the last document: the next block is another window's and may be skipped without decoding.
        cursor.index = count - 1;
        cursor.doc = docs[count - 1]!;
        return;
      }
      cursor.load(next);
      cursor.index = 0;
      cursor.doc = docs[0]!;
      if (cursor.doc >= end) return;
    }
  }

  /** Accumulates the scores of the cursors from `optional` on, then visits the documents in order. */
  private accumulate(optional: number, start: number, end: number): void {
    const { cursors, sums, touched } = this;
    for (let i = optional; i < cursors.length; i++) {
      const cursor = cursors[i]!;
      if (this.bounds[i] === 0) continue;
      const { docs, frequencies, norms, inverse, weight } = cursor;
      if (cursor.advance(start) >= end) continue;
      for (;;) {
        cursor.loadFrequencies();
        const { count } = cursor;
        let { index } = cursor;
        for (; index < count; index++) {
          const doc = docs[index]!;
          if (doc >= end) break;
          const at = doc - start;
          sums[at]! += fround(
            weight - fround(weight / fround(1 + fround(frequencies[index]! * inverse[norms[doc]!]!))),
          );
          touched[at >> 5]! |= 1 << (at & 31);
        }
        cursor.index = index;
        if (index < count) {
          cursor.doc = docs[index]!;
          break;
        }
        if (cursor.decoded + 1 >= cursor.end) {
          exhaust(cursor);
          break;
        }
        cursor.load(cursor.decoded + 1);
        cursor.index = 0;
        cursor.doc = docs[0]!;
        if (cursor.doc >= end) break;
      }
    }
    if (this.run.sinks.length > 0) this.collect(start, end);
    else if (this.top === undefined) this.count(start, end);
    else this.take(this.top, optional, start, end);
  }

  /** Offers the accumulated documents to the top. */
  private take(top: TopScoreCollector, optional: number, start: number, end: number): void {
    const { sums, touched, accept, run, below } = this;
    const { base } = this.segment;
    const rest = below[optional]!;
    const words = (end - start + 31) >>> 5;
    let hits = 0;
    let { min } = top;
    for (let word = 0; word < words; word++) {
      let value = touched[word]!;
      if (value === 0) continue;
      touched[word] = 0;
      if (accept !== undefined) value = this.keep(value, accept, start, word);
      hits += countOnes(value);
      while (value !== 0) {
        const lowest = value & -value;
        value ^= lowest;
        const at = (word << 5) + 31 - Math.clz32(lowest);
        const sum = sums[at]!;
        sums[at] = 0;
        const doc = start + at;
        if (optional === 0) {
          const score = fround(sum);
          if (score > min) {
            top.offer(score, base + doc);
            min = top.min;
          }
        } else if (fround(sum + rest) > min) {
          const score = this.complete(top, doc, sum, optional);
          if (score > min) {
            top.offer(score, base + doc);
            min = top.min;
          }
        }
      }
    }
    run.hits += hits;
  }

  /** Collects the accumulated documents; no cursor is optional here. */
  private collect(start: number, end: number): void {
    const { sums, touched, accept, run, top } = this;
    const { base } = this.segment;
    const words = (end - start + 31) >>> 5;
    let filled = 0;
    for (let word = 0; word < words; word++) {
      let value = touched[word]!;
      if (value === 0) continue;
      touched[word] = 0;
      if (accept !== undefined) value = this.keep(value, accept, start, word);
      while (value !== 0) {
        const lowest = value & -value;
        value ^= lowest;
        const at = (word << 5) + 31 - Math.clz32(lowest);
        const score = fround(sums[at]!);
        sums[at] = 0;
        const doc = start + at;
        if (top !== undefined && score > top.min) top.offer(score, base + doc);
        run.batchDocs[filled] = doc;
        run.batchScores[filled++] = score;
        if (filled === BATCH) {
          run.hits += filled;
          run.flush(filled);
          filled = 0;
        }
      }
    }
    run.hits += filled;
    run.flush(filled);
  }

  private count(start: number, end: number): void {
    const { sums, touched, accept, run } = this;
    const words = (end - start + 31) >>> 5;
    let hits = 0;
    for (let word = 0; word < words; word++) {
      const value = touched[word]!;
      if (value === 0) continue;
      touched[word] = 0;
      hits += countOnes(accept === undefined ? value : value & bitsFrom(accept, start + (word << 5)));
    }
    run.hits += hits;
    sums.fill(0, 0, end - start);
  }

  /** The accepted documents of a word of the window; clears the sums of the others. */
  private keep(value: number, accept: Int32Array, start: number, word: number): number {
    const kept = value & bitsFrom(accept, start + (word << 5));
    for (let gone = value ^ kept; gone !== 0; gone &= gone - 1)
      this.sums[(word << 5) + 31 - Math.clz32(gone & -gone)] = 0;
    return kept;
  }
}

/** 32 bits of a set, from a document on. */
function bitsFrom(bits: Int32Array, from: number): number {
  const word = from >>> 5;
  const shift = from & 31;
  const low = bits[word]! >>> shift;
  return shift === 0 || word + 1 === bits.length ? low : low | (bits[word + 1]! << (32 - shift));
}

function exhaust(cursor: ScoringCursor): void {
  cursor.doc = NO_MORE_DOCS;
  cursor.block = cursor.end;
}
