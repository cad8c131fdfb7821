// The query tree: what can be asked of the index, free of JSON spelling, analysis and mappings, which the request parser
// has dealt with. Plain data (structured clone and JSON keep it), so that trees can be cached, compared and sent to workers.

/** What every node may carry. */
interface Common {
  /** Multiplies the score; 1 by default. Never negative. */
  readonly boost?: number;
  /** Elasticsearch's `_name`: reported in `matched_queries`. */
  readonly name?: string;
}

export interface MatchAllQuery extends Common {
  readonly kind: 'match_all';
  /** Whether elements of nested objects are no documents. */
  readonly ofRoots?: true;
}
export interface MatchNoneQuery extends Common {
  readonly kind: 'match_none';
  /** Why there is nothing, as Lucene says it; absent where the request asked for nothing, or for a field that is not mapped. */
  readonly reason?: string;
}

/** One term of a text or keyword field, scored by BM25. */
export interface TermQuery extends Common {
  readonly kind: 'term';
  readonly field: string;
  readonly term: string;
  /** Replaces the document frequency of the term in the score. */
  readonly docFreq?: number;
}

/** Terms at one position that mean the same: scored as if they were one term (Lucene's SynonymQuery). */
export interface SynonymQuery extends Common {
  readonly kind: 'synonym';
  readonly field: string;
  readonly terms: readonly string[];
}

/**
 * Terms of several fields that share their document frequency (Lucene's BlendedTermQuery, for `cross_fields`). The best one counts, plus
 * `tieBreaker` times the others.
 */
export interface BlendedQuery extends Common {
  readonly kind: 'blended';
  readonly words: readonly { readonly field: string; readonly term: string; readonly boost?: number }[];
  /** 0 by default. */
  readonly tieBreaker?: number;
}

/** Any of the terms, constant score. At most 65,536 terms (`index.max_terms_count`). */
export interface TermsQuery extends Common {
  readonly kind: 'terms';
  readonly field: string;
  readonly terms: readonly string[];
}

/** Any of the numbers (dates in milliseconds, booleans 0 and 1) in a number column; all documents have one score. */
export interface NumbersQuery extends Common {
  readonly kind: 'numbers';
  readonly field: string;
  readonly values: readonly number[];
  /** Whether it is `true` or `false`, which score as words. */
  readonly isBoolean?: true;
  /** Whether it was asked as a list, which Lucene names otherwise even where it holds one number. */
  readonly isSet?: boolean;
}

/** A range of a number column, constant score. An absent bound is open. */
export interface NumberRangeQuery extends Common {
  readonly kind: 'number_range';
  readonly field: string;
  readonly from?: number;
  readonly to?: number;
  /** true by default. */
  readonly includeFrom?: boolean;
  /** true by default. */
  readonly includeTo?: boolean;
}

/** A range of terms of a keyword or text field in byte order, constant score. */
export interface TermRangeQuery extends Common {
  readonly kind: 'term_range';
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
  readonly includeFrom?: boolean;
  readonly includeTo?: boolean;
}

/** Occurrences of the terms in order. Scored by BM25 with the phrase's frequency. */
export interface PhraseQuery extends Common {
  readonly kind: 'phrase';
  readonly field: string;
  /** Each entry: the alternatives allowed at one position (relative; gaps allowed; ascending). */
  readonly terms: readonly { readonly position: number; readonly terms: readonly string[] }[];
  /** How far the terms may be moved, in positions; 0 by default. */
  readonly slop?: number;
  /** `match_phrase_prefix`: the last position holds any term with one of these prefixes, at most `maxExpansions` (50) of them. */
  readonly prefix?: { readonly position: number; readonly texts: readonly string[]; readonly maxExpansions?: number };
}

/** How a query over many terms scores: all the same, or as a disjunction of the terms found. */
export type Rewrite =
  | 'constant_score'
  | 'constant_score_boolean'
  | 'scoring_boolean'
  /** With `blended` all terms have the highest document frequency among them, so that rare ones do not win. */
  | { readonly topTerms: number; readonly boostOnly?: boolean; readonly blended?: boolean };

/** Any term that starts with the text. Constant score unless `rewrite` says otherwise. */
export interface PrefixQuery extends Common {
  readonly kind: 'prefix';
  readonly field: string;
  readonly prefix: string;
  readonly caseInsensitive?: boolean;
  readonly rewrite?: Rewrite;
}

/** Any term that matches a pattern of `*` (any text), `?` (one character) and `\` (escape). */
export interface WildcardQuery extends Common {
  readonly kind: 'wildcard';
  readonly field: string;
  readonly pattern: string;
  readonly caseInsensitive?: boolean;
  readonly rewrite?: Rewrite;
}

/** Any term that matches a Lucene regular expression as a whole. */
export interface RegexpQuery extends Common {
  readonly kind: 'regexp';
  readonly field: string;
  readonly pattern: string;
  readonly caseInsensitive?: boolean;
  /** Lucene's optional operators, as Elasticsearch's `flags`; `ALL` by default. */
  readonly flags?: string;
  /** 10,000 by default. */
  readonly maxDeterminizedStates?: number;
  readonly rewrite?: Rewrite;
}

/** Any term within an edit distance, nearer ones scored higher (Lucene's FuzzyQuery). */
export interface FuzzyQuery extends Common {
  readonly kind: 'fuzzy';
  readonly field: string;
  readonly term: string;
  /** 0, 1 or 2. `AUTO` is resolved by the request parser. */
  readonly maxEdits: 0 | 1 | 2;
  /** Characters at the start that must agree; 0 by default. */
  readonly prefixLength?: number;
  /** 50 by default. */
  readonly maxExpansions?: number;
  /** Whether a swap of neighbours counts as one edit; true by default. */
  readonly transpositions?: boolean;
  /** The nearest `maxExpansions`, blended, by default. */
  readonly rewrite?: Rewrite;
}

/** Documents with a value in the field (text, keyword, number or geo). Constant score. */
export interface ExistsQuery extends Common {
  readonly kind: 'exists';
  readonly field: string;
}

/** Documents by `_id`. Constant score. */
export interface IdsQuery extends Common {
  readonly kind: 'ids';
  readonly ids: readonly string[];
}

export interface BooleanQuery extends Common {
  readonly kind: 'boolean';
  readonly must?: readonly Query[];
  readonly filter?: readonly Query[];
  readonly should?: readonly Query[];
  readonly mustNot?: readonly Query[];
  /** How many of `should` must match; by default 1 without `must` and `filter`, else 0. Already resolved to a number. */
  readonly minimumShouldMatch?: number;
}

/** The documents of the inner query, each with the score `boost`. */
export interface ConstantScoreQuery extends Common {
  readonly kind: 'constant_score';
  readonly query: Query;
}

/** The best of the queries plus `tieBreaker` times the others. */
export interface DisMaxQuery extends Common {
  readonly kind: 'dis_max';
  readonly queries: readonly Query[];
  readonly tieBreaker?: number;
}

/** `positive`, its score multiplied by `negativeBoost` where `negative` matches too. */
export interface BoostingQuery extends Common {
  readonly kind: 'boosting';
  readonly positive: Query;
  readonly negative: Query;
  readonly negativeBoost: number;
}

export type ScoreModifier =
  | 'none'
  | 'log'
  | 'log1p'
  | 'log2p'
  | 'ln'
  | 'ln1p'
  | 'ln2p'
  | 'square'
  | 'sqrt'
  | 'reciprocal';

/** Which of several distances counts. */
export type MultiValueMode = 'min' | 'max' | 'avg' | 'sum' | 'median';

/** The field that decides chance, and how its values are spelled. */
export interface RandomField {
  readonly path: string;
  readonly as: 'term' | 'whole' | 'double' | 'nanos';
}

/** One function of a `function_score`; without a function, `weight` alone is its value. */
export interface ScoreFunction {
  readonly filter?: Query;
  readonly weight?: number;
  readonly function?:
    | {
        readonly kind: 'field_value_factor';
        readonly field: string;
        readonly factor?: number;
        readonly modifier?: ScoreModifier;
        /** The value of documents without one; without it such a document is an error, as in Elasticsearch. */
        readonly missing?: number;
      }
    | {
        readonly kind: 'decay';
        readonly shape: 'gauss' | 'exp' | 'linear';
        readonly field: string;
        /** Numbers and milliseconds; for a point, `origin` is a point and the distances are metres. */
        readonly origin: number | { readonly lat: number; readonly lon: number };
        readonly scale: number;
        readonly offset?: number;
        readonly decay?: number;
        readonly multiValueMode?: MultiValueMode;
      }
    /** By the id where there is no field. */
    | { readonly kind: 'random'; readonly seed: number; readonly field?: RandomField };
}

export interface FunctionScoreQuery extends Common {
  readonly kind: 'function_score';
  readonly query: Query;
  readonly functions: readonly ScoreFunction[];
  readonly scoreMode?: 'multiply' | 'sum' | 'avg' | 'first' | 'max' | 'min';
  readonly boostMode?: 'multiply' | 'replace' | 'sum' | 'avg' | 'max' | 'min';
  readonly maxBoost?: number;
  readonly minScore?: number;
}

/** Root documents (or elements of an enclosing path) that have an element of `path` matching `query`. */
export interface NestedQuery extends Common {
  readonly kind: 'nested';
  readonly path: string;
  readonly query: Query;
  /** How the scores of the elements join; `avg` by default. */
  readonly scoreMode?: 'avg' | 'max' | 'min' | 'sum' | 'none';
}

/** Points within `metres` of a point. Constant score. */
export interface GeoDistanceQuery extends Common {
  readonly kind: 'geo_distance';
  readonly field: string;
  readonly lat: number;
  readonly lon: number;
  readonly metres: number;
}

/** Points within a box; `left` greater than `right` crosses the date line. Constant score. */
export interface GeoBoxQuery extends Common {
  readonly kind: 'geo_box';
  readonly field: string;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Points in a polygon or on its edge; degrees count as in a plane. Constant score. */
export interface GeoPolygonQuery extends Common {
  readonly kind: 'geo_polygon';
  readonly field: string;
  /** The corners in order; the last is joined to the first. */
  readonly points: readonly { readonly lat: number; readonly lon: number }[];
}

/** Ranges that are values, by how they lie to the one asked for. Constant score. */
export interface RangesQuery extends Common {
  readonly kind: 'ranges';
  readonly field: string;
  /** Closed; addresses as terms of 32 digits. */
  readonly bounds:
    | { readonly kind: 'numbers'; readonly from: number; readonly to: number }
    | { readonly kind: 'terms'; readonly from: string; readonly to: string };
  /** The value meets the range asked for, holds all of it, or lies in it. */
  readonly relation: 'intersects' | 'contains' | 'within';
}

/** Documents in which as many of the queries match as the document's own number says; at least one. */
export interface CoveringQuery extends Common {
  readonly kind: 'covering';
  readonly queries: readonly Query[];
  /** The number column; documents without a number do not match. */
  readonly field: string;
}

/** Scores the documents that have the field by their nearness to an origin. */
export interface DistanceFeatureQuery extends Common {
  readonly kind: 'distance_feature';
  readonly field: string;
  /** Milliseconds, or a point. */
  readonly origin: number | { readonly lat: number; readonly lon: number };
  /** The distance at which the score is half; milliseconds or metres. */
  readonly pivot: number;
}

/** Scores the documents that have the field by a function of its number. */
export interface RankFeatureQuery extends Common {
  readonly kind: 'rank_feature';
  readonly field: string;
  /** Small numbers are the good ones. */
  readonly inverse: boolean;
  readonly shape:
    | { readonly kind: 'saturation'; readonly pivot?: number }
    | { readonly kind: 'log'; readonly scalingFactor: number }
    | { readonly kind: 'sigmoid'; readonly pivot: number; readonly exponent: number };
}

/** Documents with the words that tell most about some texts. Which these are is decided by the statistics of the search. */
export interface MoreLikeThisQuery extends Common {
  readonly kind: 'more_like_this';
  /** The fields that words of texts are looked for in. */
  readonly fields: readonly string[];
  /** The texts. */
  readonly like: readonly string[];
  /** The words of texts, with how often they come. */
  readonly texts: readonly (readonly [string, number])[];
  /** The words of documents, by field. */
  readonly documents: readonly { readonly field: string; readonly terms: readonly (readonly [string, number])[] }[];
  readonly maxQueryTerms: number;
  readonly minTermFreq: number;
  readonly minDocFreq: number;
  readonly maxDocFreq: number;
  readonly minimumShouldMatch: string;
  /** 0: words are not weighed. */
  readonly boostTerms: number;
}

/** How intervals are kept by where those of another source are. */
export type IntervalFilter =
  | 'containing'
  | 'not_containing'
  | 'contained_by'
  | 'not_contained_by'
  | 'overlapping'
  | 'not_overlapping'
  | 'before'
  | 'after';

/** Where intervals come from. */
export type IntervalSource =
  | { readonly kind: 'none' }
  /** Any of the terms. */
  | { readonly kind: 'terms'; readonly field: string; readonly terms: readonly string[] }
  /** Any term of a pattern; 128 at most. */
  | { readonly kind: 'pattern'; readonly query: PrefixQuery | WildcardQuery | FuzzyQuery }
  /** Any, all in order, all in any order, or all one right after another. */
  | { readonly kind: 'any' | 'ordered' | 'unordered' | 'block'; readonly sources: readonly IntervalSource[] }
  | { readonly kind: 'max_gaps'; readonly source: IntervalSource; readonly gaps: number }
  /** With so many positions before it. */
  | { readonly kind: 'extend'; readonly source: IntervalSource; readonly before: number }
  | {
      readonly kind: 'filter';
      readonly how: IntervalFilter;
      readonly source: IntervalSource;
      readonly reference: IntervalSource;
    };

/** Stretches of a text. Scored by how many and how tight they are, whatever their words. */
export interface IntervalsQuery extends Common {
  readonly kind: 'intervals';
  readonly field: string;
  readonly source: IntervalSource;
}

/** Where spans come from. */
export type SpanSource =
  /** @property shownAs the field as which it counts and prints, where it is another */
  | { readonly kind: 'term'; readonly field: string; readonly term: string; readonly shownAs?: string }
  /** Any term of a pattern. */
  | {
      readonly kind: 'pattern';
      readonly query: PrefixQuery | WildcardQuery | RegexpQuery | FuzzyQuery;
      /** The first terms that are taken; without it more than the clauses of a query are an error. */
      readonly maxTerms?: number;
    }
  /** So many positions, whatever is there: between clauses of `near` in order. */
  | { readonly kind: 'gap'; readonly width: number }
  /** @property none why there are no clauses */
  | { readonly kind: 'or'; readonly clauses: readonly SpanSource[]; readonly none?: string }
  | {
      readonly kind: 'near';
      readonly clauses: readonly SpanSource[];
      readonly slop: number;
      readonly inOrder: boolean;
    }
  | {
      readonly kind: 'not';
      readonly include: SpanSource;
      readonly exclude: SpanSource;
      readonly pre: number;
      readonly post: number;
    }
  | { readonly kind: 'first'; readonly match: SpanSource; readonly end: number }
  | { readonly kind: 'containing' | 'within'; readonly big: SpanSource; readonly little: SpanSource };

/** Stretches of a text, scored by BM25 with how many and how tight they are. */
export interface SpanQuery extends Common {
  readonly kind: 'span';
  /** The field whose lengths and statistics count. */
  readonly field: string;
  /** Whether that field has lengths. */
  readonly norms: boolean;
  /** The field as which the spans are named, where it is another one (`field_masking_span`). */
  readonly shownAs?: string;
  readonly source: SpanSource;
}

/** Documents that Elasticsearch would keep in some of an index's shards, and of those one slice of several. Constant score. */
export interface PartQuery extends Common {
  readonly kind: 'part';
  /** Shards of the index, and the slots that they share out among them. */
  readonly shards: number;
  readonly slots: number;
  /** The shards that are meant; undefined: all. */
  readonly wanted?: readonly number[] | undefined;
  readonly slice?: { readonly id: number; readonly max: number } | undefined;
}

export type Query =
  | PartQuery
  | IntervalsQuery
  | SpanQuery
  | MatchAllQuery
  | MatchNoneQuery
  | TermQuery
  | SynonymQuery
  | BlendedQuery
  | TermsQuery
  | NumbersQuery
  | NumberRangeQuery
  | TermRangeQuery
  | PhraseQuery
  | PrefixQuery
  | WildcardQuery
  | RegexpQuery
  | FuzzyQuery
  | ExistsQuery
  | IdsQuery
  | BooleanQuery
  | ConstantScoreQuery
  | DisMaxQuery
  | BoostingQuery
  | FunctionScoreQuery
  | NestedQuery
  | GeoDistanceQuery
  | GeoBoxQuery
  | GeoPolygonQuery
  | RangesQuery
  | CoveringQuery
  | DistanceFeatureQuery
  | RankFeatureQuery
  | MoreLikeThisQuery;
