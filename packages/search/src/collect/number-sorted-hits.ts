// The k first documents by one column of numbers, which is how most sorted pages are ordered: a comparison of two numbers a
// document, and a hit only for those shown. Every other order is the business of `SortedHits`.
import { hasBit } from '../index/bits.ts';
import type { SearchRequest, SortKey } from '../index/search-request.ts';
import type { SegmentReader } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { Collector, SegmentCollector } from './collector.ts';
import { FirstOf } from './first-of.ts';
import { isDescending } from './sort-values.ts';
import type { SortedHit } from './sorted-hits.ts';

/** A document in the running; `value` is turned so that smaller comes first, and infinite without a value. */
interface Candidate {
  readonly value: number;
  readonly segment: SegmentView;
  readonly doc: number;
}

export class NumberSortedHits implements Collector {
  readonly needsScores = false;
  readonly maxScore = Number.NaN;
  private readonly field: string;
  private readonly sign: number;
  /** What a document without a value counts as. */
  private readonly missing: number;
  private readonly first: FirstOf<Candidate>;

  private constructor(field: string, descending: boolean, missingFirst: boolean, size: number) {
    this.field = field;
    this.sign = descending ? -1 : 1;
    this.missing = missingFirst ? -Infinity : Infinity;
    this.first = new FirstOf(size, compare);
  }

  /** Makes one for a search that it can order; undefined for all others. */
  static for(
    request: SearchRequest,
    keys: readonly SortKey[],
    size: number,
    segments: readonly SegmentView[],
  ): NumberSortedHits | undefined {
    const [key] = keys;
    if (keys.length !== 1 || key?.kind !== 'field' || key.type !== 'number') return undefined;
    if (key.nested !== undefined || typeof key.missing === 'object') return undefined;
    if (request.searchAfter !== undefined || request.collapse !== undefined || request.trackScores === true)
      return undefined;
    if (segments.some((segment) => segment.number(key.field)?.starts !== undefined)) return undefined;
    return new NumberSortedHits(key.field, isDescending(key), key.missing === 'first', size);
  }

  segment(reader: SegmentReader): SegmentCollector {
    const segment = reader as SegmentView;
    const { first, sign, missing } = this;
    const column = segment.number(this.field);
    const values = column?.values;
    const exists = column?.exists;
    return {
      collect(docs, count) {
        // Documents come in order, so an equal value comes too late.
        let bound = first.last?.value ?? Number.NaN;
        for (let at = 0; at < count; at++) {
          const doc = docs[at]!;
          const value =
            values === undefined || (exists !== undefined && !hasBit(exists, doc)) ? missing : sign * values[doc]!;
          if (value >= bound) continue;
          first.offer({ value, segment, doc });
          bound = first.last?.value ?? Number.NaN;
        }
      },
    };
  }

  /** The hits in order. */
  sorted(): readonly SortedHit[] {
    return this.first.sorted().map(({ value, segment, doc }) => ({
      segment,
      doc,
      score: Number.NaN,
      values: [Number.isFinite(value) ? this.sign * value : null],
      group: undefined,
    }));
  }
}

function compare(left: Candidate, right: Candidate): number {
  if (left.value !== right.value) return left.value < right.value ? -1 : 1;
  return left.segment.base + left.doc - (right.segment.base + right.doc);
}
