// Ranges and exact values of number columns: by testing the column, either every document into a bitmap or one document at a time
// behind a rarer query. All matches score the same.
import { tick } from '../tasks/request-budget.ts';
import { emptyBits, hasBit } from '../index/bits.ts';
import type { NumberColumn } from '../index/segment.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { CollectorContext } from './collector-context.ts';
import { runBits } from './run-scorer.ts';
import { PredicateScorer } from './constant.ts';
import type { NumberRangeQuery, NumbersQuery } from './kinds/numbers.ts';
import { type Scorer, scorerAt, Weight } from './scorer.ts';

/** The smallest number greater than a finite one, and the greatest smaller. */
function neighbour(value: number, up: boolean): number {
  if (value === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  view.setBigInt64(0, value > 0 === up ? bits + 1n : bits - 1n);
  return view.getFloat64(0);
}

/** A range of a number column. */
export class NumberRangeWeight extends Weight {
  private readonly field: string;
  private readonly from: number;
  private readonly to: number;
  private readonly value: number;

  constructor(query: NumberRangeQuery, boost: number) {
    super();
    this.field = query.field;
    this.value = boost;
    // Closed bounds throughout: an open one moves to the next number there is.
    const { from = -Infinity, to = Infinity } = query;
    this.from = query.includeFrom === false && Number.isFinite(from) ? neighbour(from, true) : from;
    this.to = query.includeTo === false && Number.isFinite(to) ? neighbour(to, false) : to;
  }

  private test(column: NumberColumn): (doc: number) => boolean {
    const { from, to } = this;
    const { values, starts, exists } = column;
    if (starts === undefined)
      return (doc) => values[doc]! >= from && values[doc]! <= to && (exists === undefined || hasBit(exists, doc));
    return (doc) => {
      for (let i = starts[doc]!; i < starts[doc + 1]!; i++) if (values[i]! >= from && values[i]! <= to) return true;
      return false;
    };
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const column = segment.number(this.field);
    if (column === undefined || this.from > this.to) return undefined;
    return new PredicateScorer(segment.docCount, this.value, this.test(column));
  }

  override bits(segment: SegmentView): Int32Array {
    const bits = emptyBits(segment.docCount);
    const column = segment.number(this.field);
    const { from, to } = this;
    if (column === undefined || from > to) return bits;
    const { values, starts, exists } = column;
    if (starts === undefined) {
      const { docCount } = segment;
      for (let word = 0, doc = 0; doc < docCount; word++) {
        tick(128);
        let set = 0;
        for (const end = Math.min(docCount, doc + 32); doc < end; doc++) {
          const value = values[doc]!;
          if (value >= from && value <= to) set |= 1 << (doc & 31);
        }
        bits[word] = exists === undefined ? set : set & exists[word]!;
      }
      return bits;
    }
    const test = this.test(column);
    for (let doc = 0; doc < segment.docCount; doc++) {
      tick(8);
      if (test(doc)) bits[doc >>> 5]! |= 1 << (doc & 31);
    }
    return bits;
  }

  override bulkScore(segment: SegmentView, accept: Int32Array | undefined, run: CollectorContext): boolean {
    runBits(this.bits(segment), this.value, segment, accept, run);
    return true;
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    if (scorerAt(this, segment, doc) === undefined) return undefined;
    return { value: this.value, description: `ConstantScore(${this.field}:[${this.from} TO ${this.to}])`, details: [] };
  }
}

/** Any of some numbers, with a constant score. */
export class NumbersWeight extends Weight {
  private readonly field: string;
  private readonly wanted: ReadonlySet<number>;
  private readonly value: number;

  private readonly explainScore: ((doc: number) => Explanation) | undefined;

  /** @param explain explains a score that is more than the boost */
  constructor(query: NumbersQuery, score: number, explain?: (doc: number) => Explanation) {
    super();
    this.field = query.field;
    this.wanted = new Set(query.values);
    this.value = score;
    this.explainScore = explain;
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const column = segment.number(this.field);
    if (column === undefined) return undefined;
    const { values, starts, exists } = column;
    const { wanted } = this;
    const only = wanted.size === 1 ? [...wanted][0]! : undefined;
    const test =
      starts === undefined
        ? only === undefined
          ? (doc: number): boolean => wanted.has(values[doc]!) && (exists === undefined || hasBit(exists, doc))
          : (doc: number): boolean => values[doc] === only && (exists === undefined || hasBit(exists, doc))
        : (doc: number): boolean => {
            for (let i = starts[doc]!; i < starts[doc + 1]!; i++) if (wanted.has(values[i]!)) return true;
            return false;
          };
    return new PredicateScorer(segment.docCount, this.value, test);
  }

  override bulkScore(segment: SegmentView, accept: Int32Array | undefined, run: CollectorContext): boolean {
    runBits(this.bits(segment), this.value, segment, accept, run);
    return true;
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    if (scorerAt(this, segment, doc) === undefined) return undefined;
    return (
      this.explainScore?.(doc) ?? {
        value: this.value,
        description: `${this.field}:{${[...this.wanted].join(' ')}}`,
        details: [],
      }
    );
  }
}
