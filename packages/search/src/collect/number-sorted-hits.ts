// The k first documents by one column of numbers, which is how most sorted pages are ordered: a heap over typed arrays, and most
// documents turned away by the best value of those around them, a table small enough to stay in the processor's cache where
// the column is not. Every other order is the business of `SortedHits`.
import { hasBit } from '../index/bits.ts';
import type { SearchRequest, SortKey } from '../index/search-request.ts';
import type { SegmentReader } from '../index/segment.ts';
import { floatKey, HIGHEST_KEY } from '../index/float-key.ts';
import { BEST_SHIFT } from '../index/segment-core.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { Collector, SegmentCollector } from './collector.ts';
import { isDescending } from './sort-values.ts';
import type { SortedHit } from './sorted-hits.ts';
import type { TieOrder } from './tie-order.ts';

/** A heap of values and places. Kept for the next search where it is small: allocating it is a tenth of what a rare term costs. */
interface Heap {
  readonly values: Float64Array;
  readonly positions: Float64Array;
}
const KEPT = 1024;
let spare: Heap | undefined;

function takeHeap(size: number): Heap {
  const kept = spare;
  if (kept === undefined || kept.values.length < size) {
    return { values: new Float64Array(size), positions: new Float64Array(size) };
  }
  spare = undefined;
  return kept;
}

export class NumberSortedHits implements Collector {
  readonly needsScores = false;
  readonly maxScore = Number.NaN;
  private readonly field: string;
  private readonly descending: boolean;
  /** What a document without a value counts as. */
  private readonly missing: number;
  private readonly size: number;
  private readonly segments: readonly SegmentView[];
  /** Decides among equals; undefined: the order of the index. */
  private readonly ties: TieOrder | undefined;
  /** A heap, the last of those kept at its root: values turned so that smaller comes first, and places in the index. */
  private readonly values: Float64Array;
  private readonly positions: Float64Array;
  private count = 0;

  private constructor(
    key: Extract<SortKey, { kind: 'field' }>,
    size: number,
    segments: readonly SegmentView[],
    ties: TieOrder | undefined,
  ) {
    this.ties = ties;
    this.field = key.field;
    this.descending = isDescending(key);
    this.missing = key.missing === 'first' ? -Infinity : Infinity;
    this.segments = segments;
    this.size = size;
    ({ values: this.values, positions: this.positions } = takeHeap(size));
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
    if (key.nested !== undefined || typeof key.missing === 'object') return undefined;
    if (request.searchAfter !== undefined || request.collapse !== undefined || request.trackScores === true)
      return undefined;
    if (segments.some((segment) => segment.number(key.field)?.starts !== undefined)) return undefined;
    return new NumberSortedHits(key, size, segments, ties);
  }

  segment(reader: SegmentReader): SegmentCollector {
    const segment = reader as SegmentView;
    const { missing, field, descending, ties } = this;
    const { base } = segment;
    const sign = descending ? -1 : 1;
    const column = segment.number(field);
    const values = column?.values;
    const exists = column?.exists;
    // Documents without a value are in no block's best: where they come first, every document is looked at.
    const best =
      exists !== undefined && missing === -Infinity ? undefined : segment.core.bestNumbers(field, descending);
    const take = (docs: Int32Array, count: number, within: Int32Array | undefined): void => {
      // Documents come in order, so an equal value comes too late. NaN is greater than nothing: until there are k, all get in.
      let bound = this.bound();
      let limit = this.limitKey();
      for (let at = 0; at < count; at++) {
        const doc = docs[at]!;
        if (best !== undefined && best[doc >>> BEST_SHIFT]! > limit) continue;
        const value =
          values === undefined || (exists !== undefined && !hasBit(exists, doc)) ? missing : sign * values[doc]!;
        if (value >= bound && (ties === undefined || value > bound || this.isLate(base + doc))) continue;
        // Few get here, so few are looked up in the set.
        if (within !== undefined && !hasBit(within, doc)) continue;
        this.offer(value, base + doc);
        bound = this.bound();
        limit = this.limitKey();
      }
    };
    return { collect: (docs, count) => take(docs, count, undefined), collectWithin: take };
  }

  /**
   * The highest key that the best of a block may have for the block to be looked at. What has that of the bound may still be better, unless the
   * bound is its own key's number; or be an equal whose key comes first.
   */
  private limitKey(): number {
    if (this.count < this.size) return HIGHEST_KEY;
    const bound = this.values[0]!;
    const key = floatKey(bound);
    return this.ties === undefined && Math.fround(bound) === bound ? key - 1 : key;
  }

  /** Whether an equal of the last of those kept comes after it. */
  private isLate(position: number): boolean {
    return this.ties!.compare(position, this.positions[0]!) >= 0;
  }

  /** Whether the first of two equals comes after the second. */
  private isAfter(position: number, other: number): boolean {
    return this.ties === undefined ? position > other : this.ties.compare(position, other) > 0;
  }

  private bound(): number {
    return this.count === this.size ? this.values[0]! : Number.NaN;
  }

  /** Takes a document in; where there are k already, for the last of them. */
  private offer(value: number, position: number): void {
    const { values, positions, size } = this;
    if (this.count < size) {
      let at = this.count++;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (values[parent]! > value || (values[parent] === value && this.isAfter(positions[parent]!, position))) break;
        values[at] = values[parent]!;
        positions[at] = positions[parent]!;
        at = parent;
      }
      values[at] = value;
      positions[at] = position;
      return;
    }
    this.sink(value, position, size);
  }

  /** Puts a document at the root of the first `size` of the heap and moves it to its place. */
  private sink(value: number, position: number, size: number): void {
    const { values, positions } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (
        child + 1 < size &&
        (values[child + 1]! > values[child]! ||
          (values[child + 1] === values[child] && this.isAfter(positions[child + 1]!, positions[child]!)))
      ) {
        child++;
      }
      if (values[child]! < value || (values[child] === value && this.isAfter(position, positions[child]!))) break;
      values[at] = values[child]!;
      positions[at] = positions[child]!;
      at = child;
    }
    values[at] = value;
    positions[at] = position;
  }

  /** The hits in order. Ends the collecting. */
  sorted(): readonly SortedHit[] {
    const { values, positions, segments } = this;
    for (let last = this.count - 1; last > 0; last--) {
      const value = values[last]!;
      const position = positions[last]!;
      values[last] = values[0]!;
      positions[last] = positions[0]!;
      this.sink(value, position, last);
    }
    const sign = this.descending ? -1 : 1;
    const hits: SortedHit[] = [];
    for (let at = 0; at < this.count; at++) {
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
    this.count = 0;
    if (values.length <= KEPT) spare = { values, positions };
    return hits;
  }
}
