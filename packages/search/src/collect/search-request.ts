// A search of one index and its response, as plain values. The REST layer knows the JSON form.
import type { Collector } from '../query/collector.ts';
import type { Explanation } from '../query/explanation.ts';
import type { FieldTypes } from '../query/lucene/nested-scope.ts';
import type { Query } from '../query/query.ts';
import type { SegmentReader } from '../index/segment.ts';

/** A value that hits are ordered by; null where the document has none. */
export type SortValue = number | string | null;

/** The elements of a nested path whose values a sort reads. */
export interface NestedSort {
  readonly path: string;
  /** Filter of the elements; default: all. */
  readonly filter?: Query;
  /** Enclosing elements that these must be in; default: any. */
  readonly within?: NestedSort;
  /** Maximum elements with a value per document; default: all. */
  readonly maxElements?: number;
}

/** One key of the order of hits. */
export type SortKey =
  | { readonly kind: 'score'; readonly order?: 'asc' | 'desc' }
  /** The order of the index, `_doc`. */
  | { readonly kind: 'doc'; readonly order?: 'asc' | 'desc' }
  | {
      /** A number or keyword column. */
      readonly kind: 'field';
      readonly field: string;
      /** `asc` by default. */
      readonly order?: 'asc' | 'desc';
      /** Position or replacement value of documents without a value; default `last`. */
      readonly missing?: 'first' | 'last' | { readonly value: number | string };
      /** Which of several values counts; min for asc and max for desc by default. */
      readonly mode?: 'min' | 'max' | 'sum' | 'avg' | 'median';
      /** How values become integers: an average of integers is rounded; fractions are truncated if the request asks for integers. */
      readonly whole?: 'rounded' | 'cut';
      /** Whether the column holds strings; tells an absent column of strings from one of numbers. */
      readonly type: 'number' | 'keyword';
      readonly nested?: NestedSort;
      /** Refuses documents with a date before 1970, which nanoseconds do not have. */
      readonly sinceEpoch?: true;
    }
  /** By `_id`. */
  | { readonly kind: 'id'; readonly order?: 'asc' | 'desc' }
  /** By a value that all documents of the index share: orders hits of several indices. */
  | { readonly kind: 'constant'; readonly value: string; readonly order?: 'asc' | 'desc' }
  /** By `_id`, whole numbers by their size and before all others: the order in which documents of a database are indexed. */
  | { readonly kind: 'key'; readonly order?: 'asc' | 'desc' }
  | {
      readonly kind: 'geo_distance';
      readonly field: string;
      readonly points: readonly { readonly lat: number; readonly lon: number }[];
      readonly order?: 'asc' | 'desc';
      readonly mode?: 'min' | 'max' | 'avg' | 'median';
      /** Metres in one unit of the answer; 1 by default. */
      readonly unit?: number;
      /** `distance_type: plane`. */
      readonly plane?: boolean;
      readonly nested?: NestedSort;
    };

/** One search. */
export interface SearchRequest {
  readonly query: Query;
  /**
   * Which documents exist for the caller; everything is computed on those alone, the statistics behind scores included.
   * Without it: on all documents, statistics including deleted documents until they are merged away, as Lucene does.
   */
  readonly view?: Query | undefined;
  /** 0 by default. `from + size` may not pass the result window (`maxResultWindow`). */
  readonly from?: number;
  /** 10 by default. */
  readonly size?: number;
  /** By score, then order of the index, when absent or empty. */
  readonly sort?: readonly SortKey[];
  /** The sort values of the last hit of the page before; as many as `sort` has keys. */
  readonly searchAfter?: readonly SortValue[];
  /** true counts every hit; a number counts up to it; false does not count. 10,000 by default. */
  readonly trackTotalHits?: boolean | number;
  /** Scores even though `sort` does not need them. */
  readonly trackScores?: boolean;
  readonly minScore?: number;
  /** Restricts the hits and the total but not the collectors. */
  readonly postFilter?: Query;
  /** One hit per value of a column: the best. The total stays that of all hits. */
  readonly collapse?: { readonly field: string; readonly type: 'number' | 'keyword' };
  readonly collectors?: readonly Collector[];
  /** Stops each segment after so many documents were collected; 0 (default) never. */
  readonly terminateAfter?: number;
  /** Aborts with `SEARCH_TIMEOUT` semantics: stops early and sets `timedOut`. Milliseconds. */
  readonly timeout?: number;
}

/** One hit. */
export interface Hit {
  readonly segment: SegmentReader;
  readonly doc: number;
  /** Position in the order of the index: `segment.base + doc`. */
  readonly position: number;
  readonly id: string;
  /** NaN when scores were not computed. */
  readonly score: number;
  /** The values of the sort keys, present when the request had `sort`. */
  readonly sort?: readonly SortValue[];
  /** The value of the collapse field. */
  readonly collapse?: SortValue;
  /** The passes of `rescore` in whose windows it was. */
  readonly rescoredBy?: readonly object[];
}

/** The response. */
export interface SearchResult {
  readonly hits: readonly Hit[];
  /** undefined when `trackTotalHits` is false. */
  readonly total: { readonly value: number; readonly relation: 'eq' | 'gte' } | undefined;
  /** The best score of all hits; NaN when there is none or scores were not computed. */
  readonly maxScore: number;
  readonly timedOut: boolean;
  readonly terminatedEarly: boolean;
}

/** A searcher over a fixed state of an index: later writes do not change its answers. Cheap to hold; release it when done. */
export interface Searcher {
  readonly segments: readonly SegmentReader[];
  /** Whether ties are broken by id, and not by the order of the index, which tells when documents were last written. */
  readonly tiesById?: boolean;
  /** Root documents that are not deleted and, with a view, that exist for the caller. */
  docCount(view?: Query): number;
  search(request: SearchRequest): SearchResult;
  /** Feeds every match of the query (within the view) to the collectors. */
  collect(query: Query, collectors: readonly Collector[], view?: Query): void;
  count(query: Query, view?: Query): number;
  /** The documents of one segment that match (within the view): for filter aggregations and `matched_queries`. Do not change it. */
  matches(query: Query, segment: SegmentReader, view?: Query): Int32Array;
  /** The same with the elements of nested fields, which are documents too. */
  matchesWithElements(query: Query, segment: SegmentReader): Int32Array;
  /** The documents of one segment that are live and visible, hidden nested ones included; undefined: all. Do not change it. */
  visible(segment: SegmentReader, view?: Query): Int32Array | undefined;
  /** The document by its id, as of this state; undefined when absent, deleted or invisible. */
  find(id: string, view?: Query): { readonly segment: SegmentReader; readonly doc: number } | undefined;
  /** undefined when the document does not match. */
  explain(query: Query, segment: SegmentReader, doc: number, view?: Query): Explanation | undefined;
  /** In Lucene's words, also of a document that does not match; undefined for one that is not visible. */
  explainAs(
    types: FieldTypes,
    query: Query,
    segment: SegmentReader,
    doc: number,
    path?: string,
  ): Explanation | undefined;
  /** What a query becomes before it is searched, in Lucene's words. */
  rewriteAs(types: FieldTypes, query: Query): string;
  /** The `name`s of the named nodes in the query that match the document. */
  matchedNames(query: Query, segment: SegmentReader, doc: number, view?: Query): readonly string[];
  /** The elements of a nested path under a root document that match, best first, for `inner_hits`. */
  innerHits(
    query: Query,
    path: string,
    segment: SegmentReader,
    root: number,
    view?: Query,
  ): readonly { readonly doc: number; readonly score: number }[];
  /** Reads the values of a sort key of the documents of a segment. */
  sortValues(key: SortKey, segment: SegmentReader): (doc: number, score: number) => SortValue;
  /** Releases files of segments that were merged away. */
  release(): void;
}
