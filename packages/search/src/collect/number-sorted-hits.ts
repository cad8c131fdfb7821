// Collects the first k documents by one numeric column, the order of most sorted pages. Most documents are skipped because
// the skip index says that their values are not among the best (index/numeric-skip-index.ts); the others are compared. Other orders are in
// sorted-hits.ts.
import { hasBit } from '../index/bits.ts';
import type { NumericSkipIndex } from '../index/numeric-skip-index.ts';
import type { SearchRequest, SortKey } from './search-request.ts';
import type { NumberColumn } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { Collector, SegmentCollector } from '../query/collector.ts';
import { isDescending } from './sort-values.ts';
import type { SortedHit } from './sorted-hits.ts';
import type { TieOrder } from '../query/tie-order.ts';
import { ValueHeap } from './value-heap.ts';

/** Documents between two looks at how few may still get in. */
const STRETCH = 128;
/** Those of a stretch that may get in. Filled and used up without a search in between. */
const candidates = new Int32Array(STRETCH);

export class NumberSortedHits implements Collector {
  readonly needsScores = false;
  readonly maxScore = Number.NaN;
  private readonly key: Extract<SortKey, { kind: 'field' }>;
  private readonly segments: readonly SegmentView[];
  /** Values turned so that smaller comes first. */
  private readonly heap: ValueHeap;

  private constructor(
    key: Extract<SortKey, { kind: 'field' }>,
    size: number,
    segments: readonly SegmentView[],
    ties: TieOrder | undefined,
  ) {
    this.key = key;
    this.segments = segments;
    this.heap = ValueHeap.take(size, ties);
  }

  /** Makes one for a search that it can order; undefined for all others. */
  static for(
    request: SearchRequest,
    keys: readonly SortKey[],
    size: number,
    segments: readonly SegmentView[],
    ties?: TieOrder,
  ): NumberSortedHits | undefined {
    const [key] = keys;
    if (keys.length !== 1 || key?.kind !== 'field' || key.type !== 'number') return undefined;
    if (key.sinceEpoch === true || key.whole === 'cut' || key.nested !== undefined || typeof key.missing === 'object')
      return undefined;
    if (request.searchAfter !== undefined || request.collapse !== undefined || request.trackScores === true)
      return undefined;
    if (segments.some((segment) => segment.number(key.field)?.starts !== undefined)) return undefined;
    return new NumberSortedHits(key, size, segments, ties);
  }

  segment(segment: SegmentView): SegmentCollector {
    return new NumberedSegment(this.heap, this.key, segment);
  }

  /** The hits in order. Ends the collecting. */
  sorted(): readonly SortedHit[] {
    const { heap, segments } = this;
    heap.order();
    const { values, positions } = heap;
    const sign = isDescending(this.key) ? -1 : 1;
    const hits: SortedHit[] = [];
    for (let at = 0; at < heap.count; at++) {
      const position = positions[at]!;
      const value = values[at]!;
      let place = segments.length - 1;
      while (segments[place]!.base > position) place--;
      hits.push({
        segment: segments[place]!,
        doc: position - segments[place]!.base,
        score: Number.NaN,
        values: [Number.isFinite(value) ? sign * value : null],
        group: undefined,
      });
    }
    ValueHeap.giveBack(heap);
    return hits;
  }
}

/** Feeds the documents of one segment to the heap. */
class NumberedSegment implements SegmentCollector {
  private readonly heap: ValueHeap;
  private readonly segment: SegmentView;
  private readonly column: NumberColumn | undefined;
  private readonly levels: NumericSkipIndex | undefined;
  private readonly sign: number;
  /** What a document without a value counts as. */
  private readonly missing: number;
  /** Of the levels the one outside of which nothing is looked at; -1: all documents are. */
  private level = -1;
  /** Whether there may be too few in that level. */
  private guessed = false;
  /** How many were kept before it was looked through. */
  private before = 0;
  /** The level whose documents were looked at before, when all documents of the segment are given once more. */
  private done = -1;

  constructor(heap: ValueHeap, key: Extract<SortKey, { kind: 'field' }>, segment: SegmentView) {
    const descending = isDescending(key);
    this.heap = heap;
    this.segment = segment;
    this.column = segment.number(key.field);
    this.sign = descending ? -1 : 1;
    this.missing = key.missing === 'first' ? -Infinity : Infinity;
    // Documents without a value are in no level: where they come first, every document is looked at.
    this.levels =
      this.column?.exists !== undefined && key.missing === 'first'
        ? undefined
        : segment.core.numericSkipIndex(key.field, descending);
  }

  expect(count: number): void {
    const { heap, levels } = this;
    const lacking = heap.size - heap.count;
    if (levels === undefined || lacking === 0) return;
    this.before = heap.count;
    this.level = levels.ofShare(enough(lacking) / count);
    this.guessed = this.level >= 0;
  }

  isLacking(): boolean {
    const { heap, level, levels } = this;
    if (!this.guessed || levels === undefined) return false;
    const lacking = heap.size - heap.count;
    if (lacking === 0) {
      // What earlier segments left among the k may be worse than what is outside of the level.
      const within = levels.within(heap.bound, -1);
      if (within >= level) return false;
      this.level = within;
      this.guessed = false;
    } else {
      // Words and values have to do with each other: as many more as these few tell, or all others.
      const found = heap.count - this.before;
      const share = found === 0 ? 1 : (levels.shareOf(level) * enough(lacking + found)) / found;
      this.level = Math.min(level - 1, levels.ofShare(share));
      this.guessed = this.level >= 0;
    }
    this.done = level;
    return true;
  }

  collect(docs: Int32Array, count: number): void {
    this.take(docs, count, undefined);
  }

  collectWithin(docs: Int32Array, count: number, within: Int32Array): void {
    this.take(docs, count, within);
  }

  private take(docs: Int32Array, count: number, within: Int32Array | undefined): void {
    const { levels, heap, done } = this;
    for (let from = 0; from < count; from += STRETCH) {
      const to = Math.min(count, from + STRETCH);
      if (levels !== undefined && heap.count === heap.size) this.level = levels.within(heap.bound, this.level);
      const { level } = this;
      if (levels === undefined || (level < 0 && done < 0)) {
        this.offer(from === 0 ? docs : docs.subarray(from), to - from, within);
        continue;
      }
      let found = 0;
      if (done < 0) {
        found = pick(docs, from, to, levels.set(level));
      } else if (level < 0) {
        for (let at = from; at < to; at++) candidates[at - from] = docs[at]!;
        found = drop(to - from, levels.set(done));
      } else {
        found = drop(pick(docs, from, to, levels.set(level)), levels.set(done));
      }
      this.offer(candidates, found, within);
    }
  }

  private offer(docs: Int32Array, count: number, within: Int32Array | undefined): void {
    if (count === 0) return;
    const { heap, column, missing, sign } = this;
    const { base } = this.segment;
    const values = column?.values;
    const exists = column?.exists;
    // NaN is greater than nothing: until there are k, all get in.
    let { bound } = heap;
    for (let at = 0; at < count; at++) {
      const doc = docs[at]!;
      const value =
        values === undefined || (exists !== undefined && !hasBit(exists, doc)) ? missing : sign * values[doc]!;
      if (value >= bound && (value > bound || heap.isLate(base + doc))) continue;
      // Few get here, so few are looked up in the set.
      if (within !== undefined && !hasBit(within, doc)) continue;
      heap.offer(value, base + doc);
      ({ bound } = heap);
    }
  }
}

/** How many to look at for so many to be among them: of a random choice, there are too few in one of some thousand searches. */
function enough(wanted: number): number {
  return wanted + 4 * Math.sqrt(wanted) + 4;
}

/**
 * Makes the documents of a set the candidates; answers how many they are. Four at a time, for mostly none of them is in it: 1.2 ns a
 * document instead of 2.9 one by one.
 */
function pick(docs: Int32Array, from: number, to: number, set: Int32Array): number {
  let found = 0;
  let at = from;
  for (; at + 3 < to; at += 4) {
    const a = docs[at]!;
    const b = docs[at + 1]!;
    const c = docs[at + 2]!;
    const d = docs[at + 3]!;
    const hasA = (set[a >>> 5]! >>> (a & 31)) & 1;
    const hasB = (set[b >>> 5]! >>> (b & 31)) & 1;
    const hasC = (set[c >>> 5]! >>> (c & 31)) & 1;
    const hasD = (set[d >>> 5]! >>> (d & 31)) & 1;
    if ((hasA | hasB | hasC | hasD) === 0) continue;
    candidates[found] = a;
    found += hasA;
    candidates[found] = b;
    found += hasB;
    candidates[found] = c;
    found += hasC;
    candidates[found] = d;
    found += hasD;
  }
  for (; at < to; at++) {
    const doc = docs[at]!;
    candidates[found] = doc;
    found += (set[doc >>> 5]! >>> (doc & 31)) & 1;
  }
  return found;
}

/** Takes the documents of a set from the candidates; answers how many are left. */
function drop(count: number, set: Int32Array): number {
  let left = 0;
  for (let at = 0; at < count; at++) {
    const doc = candidates[at]!;
    candidates[left] = doc;
    left += hasBit(set, doc) ? 0 : 1;
  }
  return left;
}
