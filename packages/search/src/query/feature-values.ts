// The values of one feature in a segment: the column of a `rank_feature` field, or the terms of a `rank_features` field.
import { emptyBits, hasBit } from '../index/bits.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { bitsInTerm, featureBits, featurePrefix } from '../mapping/feature-terms.ts';
import type { RankFeatureQuery } from './kinds/features.ts';
import { prefixRange } from './multi-term.ts';
import type { Statistics } from './statistics.ts';
import { TermVisits } from './term-visits.ts';

/** By document. */
export interface FeatureValues {
  readonly has: (doc: number) => boolean;
  /** The bits of Lucene's precision, for a document that has the feature. */
  readonly bits: (doc: number) => number;
}

/** @returns undefined where no document of the segment has the feature */
export function featureValues(
  statistics: Statistics,
  { feature, field, inverse }: Pick<RankFeatureQuery, 'feature' | 'field' | 'inverse'>,
  segment: SegmentView,
): FeatureValues | undefined {
  if (feature !== undefined) return termValues(statistics, field, feature, segment);
  const column = segment.number(field);
  if (column === undefined) return undefined;
  const { exists, starts, values } = column;
  const has = (doc: number): boolean =>
    starts === undefined ? exists === undefined || hasBit(exists, doc) : starts[doc] !== starts[doc + 1];
  return {
    has,
    bits(doc) {
      const value = values[starts === undefined ? doc : starts[doc]!]!;
      return featureBits(inverse ? 1 / value : value);
    },
  };
}

function termValues(
  statistics: Statistics,
  field: string,
  feature: string,
  segment: SegmentView,
): FeatureValues | undefined {
  const postings = segment.core.terms(field)?.postings;
  if (postings === undefined) return undefined;
  const prefix = featurePrefix(feature);
  const visits = new TermVisits(segment.core, field);
  const [from, to] = prefixRange(postings, prefix);
  if (from >= to) return undefined;
  const found = emptyBits(segment.docCount);
  const values = new Uint16Array(segment.docCount);
  for (let ordinal = from; ordinal < to; ordinal++) {
    visits.visit(ordinal);
    const value = bitsInTerm(postings.term(ordinal), prefix);
    if (value === undefined) continue;
    const cursor = statistics.scratchCursor().open(postings, ordinal);
    const { docs } = cursor;
    for (let block = cursor.first; block < cursor.end; block++) {
      cursor.load(block);
      for (let i = 0; i < cursor.count; i++) {
        const doc = docs[i]!;
        found[doc >>> 5]! |= 1 << (doc & 31);
        values[doc] = value;
      }
    }
  }
  return { has: (doc) => hasBit(found, doc), bits: (doc) => values[doc]! };
}
