// The values of one feature in a segment: the column of a `rank_feature` field, or the terms of a `rank_features` field. Terms are read
// once per search, whichever number of clauses asks for the feature, and what they take counts for the request.
import { emptyBits, hasBit, nextBit } from '../index/bits.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { bitsInTerm, featureBits, featurePrefix, fromFeatureBits } from '../mapping/feature-terms.ts';
import { countMemory, tick } from '../tasks/request-budget.ts';
import type { RankFeatureQuery } from './kinds/features.ts';
import { prefixRange } from './multi-term.ts';
import type { Statistics } from './statistics.ts';
import { TermVisits } from './term-visits.ts';

/** By document; of terms only those of visible documents. */
export interface FeatureValues {
  readonly has: (doc: number) => boolean;
  /** The bits of Lucene's precision, for a document that has the feature. */
  readonly bits: (doc: number) => number;
}

type Feature = Pick<RankFeatureQuery, 'feature' | 'field' | 'inverse'>;

/** What one search has read of features, by field and feature. */
interface Read {
  readonly terms: Map<SegmentView, Map<string, StoredValues | undefined>>;
  readonly typical: Map<string, number>;
}

const reads = new WeakMap<Statistics, Read>();

function readOf(statistics: Statistics): Read {
  let read = reads.get(statistics);
  if (read === undefined) reads.set(statistics, (read = { terms: new Map(), typical: new Map() }));
  return read;
}

/** @returns undefined where no document of the segment has the feature */
export function featureValues(
  statistics: Statistics,
  { feature, field, inverse }: Feature,
  segment: SegmentView,
): FeatureValues | undefined {
  if (feature !== undefined) return storedValues(statistics, field, feature, segment)?.open();
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

/** Approximate geometric mean of a feature over visible documents: the mean of its bits (FeatureField.computePivotFeatureValue). */
export function typicalValue(statistics: Statistics, query: Feature): number {
  const { typical } = readOf(statistics);
  const key = `${query.inverse}\0${query.field}\0${query.feature ?? ''}`;
  let value = typical.get(key);
  if (value === undefined) typical.set(key, (value = computeTypical(statistics, query)));
  return value;
}

/** Documents between two counts of the time that a walk over a column takes. */
const STRIDE = 128;

function computeTypical(statistics: Statistics, query: Feature): number {
  let sum = 0;
  let count = 0;
  for (const segment of statistics.segments) {
    if (query.feature !== undefined) {
      const stored = storedValues(statistics, query.field, query.feature, segment);
      sum += stored?.sum ?? 0;
      count += stored?.count ?? 0;
      continue;
    }
    const column = segment.number(query.field);
    if (column === undefined) continue;
    const { exists, starts, values } = column;
    const visible = statistics.visible(segment);
    let walked = 0;
    // In one loop: a call for each document takes three times as long.
    for (let doc = visible === undefined ? 0 : nextBit(visible, 0); doc >= 0 && doc < segment.docCount;) {
      if (++walked % STRIDE === 0) tick(STRIDE * 8);
      if (starts === undefined ? exists === undefined || hasBit(exists, doc) : starts[doc] !== starts[doc + 1]) {
        const value = values[starts === undefined ? doc : starts[doc]!]!;
        sum += featureBits(query.inverse ? 1 / value : value);
        count++;
      }
      doc = visible === undefined ? doc + 1 : nextBit(visible, doc + 1);
    }
  }
  return count === 0 ? 1 : fromFeatureBits(Math.trunc(Math.fround(sum / count)));
}

/** The visible values of a feature in one segment, in memory. */
interface StoredValues {
  readonly count: number;
  /** Of all bits. */
  readonly sum: number;
  readonly open: () => FeatureValues;
}

/** Bytes that a visible value takes at most: eight where few documents have the feature, else up to 2.2 bytes a document. */
const BYTES = 9;

function storedValues(
  statistics: Statistics,
  field: string,
  feature: string,
  segment: SegmentView,
): StoredValues | undefined {
  const { terms } = readOf(statistics);
  let known = terms.get(segment);
  if (known === undefined) terms.set(segment, (known = new Map()));
  const key = `${field}\0${feature}`;
  if (!known.has(key)) known.set(key, readTerms(statistics, field, feature, segment));
  return known.get(key);
}

function readTerms(
  statistics: Statistics,
  field: string,
  feature: string,
  segment: SegmentView,
): StoredValues | undefined {
  const postings = segment.core.terms(field)?.postings;
  if (postings === undefined) return undefined;
  const prefix = featurePrefix(feature);
  const [from, to] = prefixRange(postings, prefix);
  if (from >= to) return undefined;
  const visits = new TermVisits(segment.core, field);
  const visible = statistics.visible(segment);
  const each = (take: (doc: number, bits: number) => void, seen: (ordinal: number) => void): void => {
    for (let ordinal = from; ordinal < to; ordinal++) {
      seen(ordinal);
      const bits = bitsInTerm(postings.term(ordinal), prefix);
      if (bits === undefined) continue;
      const cursor = statistics.scratchCursor().open(postings, ordinal);
      const { docs } = cursor;
      for (let block = cursor.first; block < cursor.end; block++) {
        cursor.load(block);
        tick(cursor.count * 4);
        for (let i = 0; i < cursor.count; i++)
          if (visible === undefined || hasBit(visible, docs[i]!)) take(docs[i]!, bits);
      }
    }
  };
  let count = 0;
  let sum = 0;
  each(
    (_doc, bits) => {
      count++;
      sum += bits;
    },
    (ordinal) => visits.visit(ordinal),
  );
  if (count === 0) return undefined;
  // Counted by visible values alone: whether the limit is reached must not tell of others.
  countMemory(count * BYTES, '<rank_features>');
  const take = count * 4 > segment.docCount ? dense(segment.docCount) : sparse(count);
  each(take.add, () => undefined);
  return { count, sum, open: take.open() };
}

/** Collects values, and then opens them. */
interface Collected {
  readonly add: (doc: number, bits: number) => void;
  /** Called after the last value. */
  readonly open: () => () => FeatureValues;
}

function dense(docCount: number): Collected {
  const found = emptyBits(docCount);
  const values = new Uint16Array(docCount);
  const opened: FeatureValues = { has: (doc) => hasBit(found, doc), bits: (doc) => values[doc]! };
  return {
    add(doc, bits) {
      found[doc >>> 5]! |= 1 << (doc & 31);
      values[doc] = bits;
    },
    open: () => () => opened,
  };
}

/** More than any bits of a feature; a document id times this is exact in a double. */
const SCALE = 2 ** 17;

function sparse(count: number): Collected {
  const pairs = new Float64Array(count);
  let size = 0;
  return {
    add(doc, bits) {
      pairs[size++] = doc * SCALE + bits;
    },
    open() {
      pairs.sort();
      return () => openPairs(pairs);
    },
  };
}

/** Fast for documents in ascending order. */
function openPairs(pairs: Float64Array): FeatureValues {
  let at = 0;
  const moveTo = (doc: number): void => {
    const wanted = doc * SCALE;
    if (at > 0 && pairs[at - 1]! >= wanted) at = 0;
    if (at < pairs.length && pairs[at]! >= wanted) return;
    let low = at;
    let high = pairs.length;
    for (let step = 1; low + step < high; step *= 2) {
      if (pairs[low + step]! >= wanted) high = low + step;
      else low += step;
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pairs[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    at = low;
  };
  const has = (doc: number): boolean => {
    moveTo(doc);
    return at < pairs.length && pairs[at]! < (doc + 1) * SCALE;
  };
  return {
    has,
    bits(doc) {
      moveTo(doc);
      return pairs[at]! % SCALE;
    },
  };
}
