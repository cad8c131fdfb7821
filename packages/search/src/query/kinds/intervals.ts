// Stretches of a text, by where their words stand (Lucene's IntervalQuery).
import { IntervalsWeight } from '../intervals.ts';
import { scored } from '../lucene/lucene-query.ts';
import { printIntervals } from '../lucene/print-spans.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type MarkVisitor, type QueryKind } from '../query-kind.ts';
import type { FuzzyQuery, PrefixQuery, WildcardQuery } from './patterns.ts';
import { neverSent } from '../cluster/on-cluster.ts';

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
export interface IntervalsQuery extends QueryNode {
  readonly kind: 'intervals';
  readonly field: string;
  readonly source: IntervalSource;
}

export const intervals: QueryKind<IntervalsQuery> = {
  ...LEAF,
  clauses: (query) => clausesOf(query.source),
  mark: (query, visitor) => markSource(query.source, visitor),
  caching: () => 'none',
  compile: (query, { boost, statistics }) => new IntervalsWeight(statistics, query, boost),
  lucene: (source) => scored(source, `${source.field}:${printIntervals(source.source)}`, 'no matching intervals'),
  cluster: neverSent(
    'their patterns end in an error once the dictionary of all documents is large; write a phrase with slop',
    { kind: 'intervals', field: 'text', source: { kind: 'terms', field: 'text', terms: ['red'] } },
  ),
};

function clausesOf(source: IntervalSource): number {
  if ('sources' in source) return source.sources.reduce((total, inner) => total + clausesOf(inner), 0);
  if (source.kind === 'terms') return source.terms.length;
  if (!('source' in source)) return 1;
  return clausesOf(source.source) + ('reference' in source ? clausesOf(source.reference) : 0);
}

/** Marks the words of the intervals, not those that they are compared with. */
function markSource(source: IntervalSource, visitor: MarkVisitor): void {
  if (source.kind === 'pattern') visitor.query(source.query);
  else if (source.kind === 'terms') visitor.terms(source.field, source.terms);
  else if ('sources' in source) for (const each of source.sources) markSource(each, visitor);
  else if ('source' in source) markSource(source.source, visitor);
}
