// The kinds of queries, by name. A kind that this table lacks is no query, and one without a definition does not compile.
import {
  geoBox,
  type GeoBoxQuery,
  geoDistance,
  type GeoDistanceQuery,
  geoPolygon,
  type GeoPolygonQuery,
  ranges,
  type RangesQuery,
} from './kinds/areas.ts';
import { boolean, type BooleanQuery } from './kinds/boolean.ts';
import {
  boosting,
  type BoostingQuery,
  constantScore,
  type ConstantScoreQuery,
  covering,
  type CoveringQuery,
  disMax,
  type DisMaxQuery,
  nested,
  type NestedQuery,
} from './kinds/compound.ts';
import { commonTerms, type CommonTermsQuery } from './kinds/common-terms.ts';
import { distanceFeature, type DistanceFeatureQuery, rankFeature, type RankFeatureQuery } from './kinds/features.ts';
import { functionScore, type FunctionScoreQuery } from './kinds/function-score.ts';
import { intervals, type IntervalsQuery } from './kinds/intervals.ts';
import { matchAll, type MatchAllQuery, matchNone, type MatchNoneQuery } from './kinds/match-all.ts';
import { moreLikeThis, type MoreLikeThisQuery } from './kinds/more-like-this.ts';
import { numberRange, type NumberRangeQuery, numbers, type NumbersQuery } from './kinds/numbers.ts';
import { part, type PartQuery } from './kinds/part.ts';
import {
  fuzzy,
  type FuzzyQuery,
  prefix,
  type PrefixQuery,
  regexp,
  type RegexpQuery,
  termRange,
  type TermRangeQuery,
  wildcard,
  type WildcardQuery,
} from './kinds/patterns.ts';
import { phrase, type PhraseQuery } from './kinds/phrase.ts';
import { exists, type ExistsQuery, ids, type IdsQuery, terms, type TermsQuery } from './kinds/sets.ts';
import { span, type SpanQuery } from './kinds/span.ts';
import { blended, type BlendedQuery, synonym, type SynonymQuery, term, type TermQuery } from './kinds/term.ts';
import type { Query } from './query.ts';
import type { QueryKind } from './query-kind.ts';

export interface Kinds {
  readonly blended: BlendedQuery;
  readonly boolean: BooleanQuery;
  readonly boosting: BoostingQuery;
  readonly common_terms: CommonTermsQuery;
  readonly constant_score: ConstantScoreQuery;
  readonly covering: CoveringQuery;
  readonly dis_max: DisMaxQuery;
  readonly distance_feature: DistanceFeatureQuery;
  readonly exists: ExistsQuery;
  readonly function_score: FunctionScoreQuery;
  readonly fuzzy: FuzzyQuery;
  readonly geo_box: GeoBoxQuery;
  readonly geo_distance: GeoDistanceQuery;
  readonly geo_polygon: GeoPolygonQuery;
  readonly ids: IdsQuery;
  readonly intervals: IntervalsQuery;
  readonly match_all: MatchAllQuery;
  readonly match_none: MatchNoneQuery;
  readonly more_like_this: MoreLikeThisQuery;
  readonly nested: NestedQuery;
  readonly number_range: NumberRangeQuery;
  readonly numbers: NumbersQuery;
  readonly part: PartQuery;
  readonly phrase: PhraseQuery;
  readonly prefix: PrefixQuery;
  readonly ranges: RangesQuery;
  readonly rank_feature: RankFeatureQuery;
  readonly regexp: RegexpQuery;
  readonly span: SpanQuery;
  readonly synonym: SynonymQuery;
  readonly term: TermQuery;
  readonly term_range: TermRangeQuery;
  readonly terms: TermsQuery;
  readonly wildcard: WildcardQuery;
}

/** The definition of each. */
export const KINDS: { readonly [K in keyof Kinds]: QueryKind<Kinds[K]> } = {
  blended,
  boolean,
  boosting,
  common_terms: commonTerms,
  constant_score: constantScore,
  covering,
  dis_max: disMax,
  distance_feature: distanceFeature,
  exists,
  function_score: functionScore,
  fuzzy,
  geo_box: geoBox,
  geo_distance: geoDistance,
  geo_polygon: geoPolygon,
  ids,
  intervals,
  match_all: matchAll,
  match_none: matchNone,
  more_like_this: moreLikeThis,
  nested,
  number_range: numberRange,
  numbers,
  part,
  phrase,
  prefix,
  ranges,
  rank_feature: rankFeature,
  regexp,
  span,
  synonym,
  term,
  term_range: termRange,
  terms,
  wildcard,
};

/** The definition of a query's kind. */
export function kindOf(query: Query): QueryKind<Query> {
  return KINDS[query.kind];
}
