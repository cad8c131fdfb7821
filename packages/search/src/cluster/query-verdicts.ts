// The verdict on each kind of query, where it only filters and where its score is asked for. docs/reference/cluster.md prints the table,
// errors say its reasons, and compile-query.ts does what it says.
import type { Kinds } from '../query/kinds.ts';
import { limited, refused, rewritten, SAFE, type Verdict } from './verdict.ts';

export interface QueryVerdict {
  readonly filter: Verdict;
  readonly score: Verdict;
}

const both = (verdict: Verdict): QueryVerdict => ({ filter: verdict, score: verdict });
const filters = (score: Verdict): QueryVerdict => ({ filter: SAFE, score });

const BY_PARTS = rewritten('the same, with each of its parts rewritten');
const BM25 = rewritten('BM25 over the visible documents, by numbers that the request carries');
const PATTERN = limited(
  'rewrite constant_score, the default',
  'other rewrites choose and score terms by the dictionary of all documents',
);

export const QUERY_VERDICTS: { readonly [Kind in keyof Kinds]: QueryVerdict } = {
  match_all: both(SAFE),
  match_none: both(SAFE),
  term: filters(BM25),
  synonym: filters(BM25),
  blended: filters(rewritten('dis_max of terms that share the frequency that they have in visible documents')),
  phrase: both(
    limited(
      'phrases without a prefix and with 64 combinations of alternatives at most; with alternatives and slop only as a filter',
      'a prefix takes the first terms of all documents; a sloppy phrase counts alternatives that only hidden documents hold',
    ),
  ),
  numbers: filters(rewritten('itself for numbers and dates, BM25 over the visible documents for true and false')),
  number_range: both(SAFE),
  terms: both(SAFE),
  term_range: both(SAFE),
  ranges: both(SAFE),
  exists: both(SAFE),
  ids: both(SAFE),
  prefix: both(PATTERN),
  wildcard: both(PATTERN),
  regexp: both(PATTERN),
  fuzzy: both(
    limited(
      'rewrite constant_score (fuzzy_rewrite in match)',
      'the default takes the 50 best terms of all documents and blends their frequencies',
    ),
  ),
  geo_box: both(SAFE),
  geo_distance: both(SAFE),
  geo_polygon: both(SAFE),
  boolean: both(BY_PARTS),
  constant_score: both(BY_PARTS),
  dis_max: both(BY_PARTS),
  boosting: both(BY_PARTS),
  function_score: both(
    limited(
      'weights, decay functions, and field_value_factor with missing and the modifier square; without min_score',
      'random_score depends on shards and names of indices; a failing document, visible or not, ends the search; min_score computes while it filters',
    ),
  ),
  distance_feature: both(limited('points, and dates to the millisecond', 'nanoseconds are not sent')),
  rank_feature: both(
    limited('log, sigmoid, and saturation with a pivot', 'the usual pivot is the mean of all documents'),
  ),
  covering: both(refused('it reads a number field that may be withheld; count with minimum_should_match')),
  more_like_this: both(refused('it chooses words by their frequency in all documents; name the words')),
  nested: both(refused('no index of a schema has nested objects')),
  part: both(refused('slices follow the shards of the embedded engine')),
  intervals: both(
    refused('their patterns end in an error once the dictionary of all documents is large; write a phrase with slop'),
  ),
  span: both(refused('they score by terms that hidden documents hold; write a phrase with slop')),
};

/** The reason why a kind is refused, or limited to some forms. */
export function reasonOf(kind: keyof Kinds, place: keyof QueryVerdict): string {
  const verdict = QUERY_VERDICTS[kind][place];
  switch (verdict.kind) {
    case 'refused':
      return verdict.why;
    case 'limited':
      return `only ${verdict.to}: ${verdict.why}`;
    case 'safe':
    case 'rewritten':
      return 'this form of it is not sent';
  }
}
