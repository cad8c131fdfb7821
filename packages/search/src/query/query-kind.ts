// What every kind of query says of itself. A definition per kind is in kinds/, the table of all in kinds.ts.
import type { LuceneQuery } from './lucene/lucene-query.ts';
import type { FieldTypes } from './lucene/nested-scope.ts';
import type { OnCluster } from './cluster/on-cluster.ts';
import type { Compiler } from './compile.ts';
import type { PhraseQuery } from './kinds/phrase.ts';
import type { SpanSource } from './kinds/span.ts';
import type { Query } from './query.ts';
import type { Statistics } from './statistics.ts';
import type { Weight } from './scorer.ts';

/** The queries that a query is made of. */
export interface Children {
  /** Those that a match matches: their words are marked in texts. */
  readonly matching: readonly Query[];
  /** Those that exclude, demote or weigh. */
  readonly other: readonly Query[];
}

/**
 * Whether matches can be cached by segment. `none`: they depend on statistics or on other segments as well. `cheap`: the content of the
 * segment and the children decide, but finding them again is as fast. `costly`: finding them takes a pass over a column or many terms.
 */
export type Caching = 'none' | 'cheap' | 'costly';

/** Takes what a query marks in texts (Lucene's QueryVisitor). */
export interface MarkVisitor {
  terms(field: string, terms: readonly string[]): void;
  /** A test on terms, made if the field is wanted. */
  pattern(field: string, test: () => (term: string) => boolean): void;
  phrase(query: PhraseQuery): void;
  spans(source: SpanSource): void;
  query(query: Query): void;
}

/** Reads queries as Lucene queries, by the types of the fields. */
export interface LuceneReader {
  readonly types: FieldTypes;
  readonly read: (query: Query) => LuceneQuery;
}

/** The definition of a kind. The types of JSON that become it are in `dsl/query-types.ts`. */
export interface QueryKind<Q> {
  children(query: Q): Children;
  /** Words, ranges and patterns besides those of its children, of which a whole query may have `max_clause_count`. */
  clauses(query: Q): number;
  /** Reports what it marks in texts, besides what its children mark. */
  mark(query: Q, visitor: MarkVisitor): void;
  caching(query: Q): Caching;
  /** The query with the words of the index for which it stands; undefined where it stands for none (Lucene's rewrite). */
  expand(query: Q, statistics: Statistics): Query | undefined;
  /** Binds it to a search. @param at the place of the query, its boost included */
  compile(query: Q, at: Compiler): Weight;
  /** What a search cluster is asked instead of it. */
  readonly cluster: OnCluster<Q>;
  /** The Lucene query that Elasticsearch makes of the same request. @param query without boost and name */
  lucene(query: Q, reader: LuceneReader): LuceneQuery;
}

const NO_CHILDREN: Children = { matching: [], other: [] };

/** Members of kinds that are made of no other queries. */
export const LEAF = {
  children: () => NO_CHILDREN,
  clauses: () => 1,
  expand: () => undefined,
} as const;

/** Members of kinds that are made of other queries. */
export const COMPOUND = {
  clauses: () => 0,
  expand: () => undefined,
  mark: () => undefined,
} as const;
