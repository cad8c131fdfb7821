// Queries on range fields: values that intersect, contain or lie within a range. Numbers are read from the column of pairs, addresses from
// the terms of the field. Constant score.
import { emptyBits, hasBit } from '../index/bits.ts';
import type { GeoColumn } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { Weight } from './scorer.ts';
import type { RangesQuery } from './kinds/areas.ts';
import { SetWeight } from './constant.ts';
import { TermVisits } from './term-visits.ts';

/** The matches of a segment, found on first use. */
export function rangesWeight(query: RangesQuery, boost: number): Weight {
  const { field, bounds, relation } = query;
  return new SetWeight(`ConstantScore(${field}:${relation}[${bounds.from} TO ${bounds.to}])`, boost, (segment) => {
    if (bounds.kind === 'terms') return byTerms(segment, field, tester(bounds.from, bounds.to, relation));
    const column = segment.geo(field);
    return column === undefined ? undefined : byPairs(segment, column, tester(bounds.from, bounds.to, relation));
  });
}

function tester<Bound extends number | string>(
  from: Bound,
  to: Bound,
  relation: RangesQuery['relation'],
): (low: Bound, high: Bound) => boolean {
  // No value lies beyond 3 and before 3.
  if (from > to) return () => false;
  switch (relation) {
    case 'intersects':
      return (low, high) => low <= to && high >= from;
    case 'contains':
      return (low, high) => low <= from && high >= to;
    case 'within':
      return (low, high) => low >= from && high <= to;
  }
}

function byPairs(
  segment: SegmentView,
  { lat: lows, lon: highs, starts, exists }: GeoColumn,
  test: (low: number, high: number) => boolean,
): Int32Array {
  const bits = emptyBits(segment.docCount);
  for (let doc = 0; doc < segment.docCount; doc++) {
    if (exists !== undefined && !hasBit(exists, doc)) continue;
    const end = starts === undefined ? doc + 1 : starts[doc + 1]!;
    for (let at = starts === undefined ? doc : starts[doc]!; at < end; at++) {
      if (test(lows[at]!, highs[at]!)) bits[doc >>> 5]! |= 1 << (doc & 31);
    }
  }
  return bits;
}

/** Each term is a lower and an upper bound of 32 digits each. */
function byTerms(
  segment: SegmentView,
  field: string,
  test: (low: string, high: string) => boolean,
): Int32Array | undefined {
  const terms = segment.terms(field);
  if (terms === undefined) return undefined;
  const bits = emptyBits(segment.docCount);
  const visits = new TermVisits(segment.core, field);
  for (let ordinal = 0; ordinal < terms.size; ordinal++) {
    visits.visit(ordinal);
    const term = terms.term(ordinal);
    if (test(term.slice(0, 32), term.slice(32))) segment.collectTerm(field, ordinal, bits);
  }
  return bits;
}
