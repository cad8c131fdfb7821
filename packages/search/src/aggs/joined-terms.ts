// The terms of a keyword field over all segments of a search, numbered in one order (Elasticsearch's global ordinals), so that
// counts of several segments are put together without their texts. Only for fields of few terms: numbering them costs their texts
// once per refresh, which must not hold up the requests that wait.
import { tick } from '../tasks/request-budget.ts';
import type { Searcher } from '../collect/search-request.ts';
import type { SegmentReader } from '../index/segment.ts';
import { compareKeys } from '../text/compare-keys.ts';

/** The terms of one field. */
export interface JoinedTerms {
  /** In byte order. */
  readonly terms: readonly string[];
  /** By segment, the joined number of each of its ordinals. */
  readonly numbers: ReadonlyMap<SegmentReader, Int32Array>;
}

/** Terms over all segments at most; about five milliseconds' work (measured). */
const MOST_TERMS = 10_000;
const joined = new WeakMap<Searcher, Map<string, JoinedTerms | undefined>>();

/** The joined terms of a field, kept as long as the searcher; undefined when they are too many. */
export function joinedTerms(searcher: Searcher, field: string): JoinedTerms | undefined {
  let fields = joined.get(searcher);
  if (fields === undefined) joined.set(searcher, (fields = new Map<string, JoinedTerms | undefined>()));
  if (!fields.has(field)) fields.set(field, join(searcher, field));
  return fields.get(field);
}

function join({ segments }: Searcher, field: string): JoinedTerms | undefined {
  let total = 0;
  for (const segment of segments) total += segment.keyword(field)?.terms.size ?? 0;
  if (total > MOST_TERMS) return undefined;
  const texts = new Map<SegmentReader, string[]>();
  for (const segment of segments) {
    const column = segment.keyword(field);
    if (column === undefined) continue;
    texts.set(
      segment,
      Array.from({ length: column.terms.size }, (_, ordinal) => {
        tick(256);
        return column.terms.term(ordinal);
      }),
    );
  }
  const terms = [...new Set([...texts.values()].flat())].sort((a, b) => {
    tick(64);
    return compareKeys(a, b);
  });
  const numberOf = new Map(terms.map((text, number) => [text, number]));
  const numbers = new Map<SegmentReader, Int32Array>();
  for (const [segment, own] of texts)
    numbers.set(
      segment,
      Int32Array.from(own, (text) => numberOf.get(text) ?? 0),
    );
  return { terms, numbers };
}

/** Adds the counts of several segments (`counts[ordinal + 1]`) up by joined number plus one. */
export function joinCounts(
  { terms, numbers }: JoinedTerms,
  counted: readonly { readonly segment: SegmentReader; readonly counts: Int32Array }[],
): Int32Array {
  const sums = new Int32Array(terms.length + 1);
  for (const { segment, counts } of counted) {
    const own = numbers.get(segment) ?? new Int32Array(0);
    for (let ordinal = 0; ordinal < own.length; ordinal++) sums[own[ordinal]! + 1]! += counts[ordinal + 1]!;
  }
  return sums;
}
