// Stretches of a text, scored by how many and how tight they are (Lucene's SpanQuery).
import { scored } from '../lucene/lucene-query.ts';
import { printSpanQuery } from '../lucene/print-spans.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import { SpanWeight } from '../spans.ts';
import type { FuzzyQuery, PrefixQuery, RegexpQuery, TermRangeQuery, WildcardQuery } from './patterns.ts';
import { neverSent } from '../cluster/on-cluster.ts';

/** A word. */
export interface SpanTerm {
  readonly kind: 'term';
  readonly field: string;
  readonly term: string;
  /** The field as which it counts and prints, where it is another. */
  readonly shownAs?: string;
  /** Of a field without positions: found, it is an error. */
  readonly hasNoPositions?: true;
}

/** Any word of a pattern. */
interface SpanPattern {
  readonly kind: 'pattern';
  readonly query: PrefixQuery | WildcardQuery | RegexpQuery | FuzzyQuery | TermRangeQuery;
  /** The field as which it prints, where it is another. */
  readonly shownAs?: string;
  /** The first terms that are taken; without it more than the clauses of a query are an error. */
  readonly maxTerms?: number;
}

/** Where spans come from. */
export type SpanSource = SpanTree<SpanTerm | SpanPattern>;

/** Leaves and what is made of them. @property shownAs the field as which they print, where it is another (`field_masking_span`) */
export type SpanTree<Leaf> = Leaf | (SpanNode<Leaf> & { readonly shownAs?: string });

type SpanNode<Leaf> =
  /** So many positions, whatever is there: between clauses of `near` in order. */
  | { readonly kind: 'gap'; readonly width: number }
  /** @property none why there are no clauses */
  | { readonly kind: 'or'; readonly clauses: readonly SpanTree<Leaf>[]; readonly none?: string }
  | {
      readonly kind: 'near';
      readonly clauses: readonly SpanTree<Leaf>[];
      readonly slop: number;
      readonly inOrder: boolean;
    }
  | {
      readonly kind: 'not';
      readonly include: SpanTree<Leaf>;
      readonly exclude: SpanTree<Leaf>;
      readonly pre: number;
      readonly post: number;
    }
  | { readonly kind: 'first'; readonly match: SpanTree<Leaf>; readonly end: number }
  | { readonly kind: 'containing' | 'within'; readonly big: SpanTree<Leaf>; readonly little: SpanTree<Leaf> };

/** Stretches of a text, scored by BM25 with how many and how tight they are. */
export interface SpanQuery extends QueryNode {
  readonly kind: 'span';
  /** The field whose lengths and statistics count. */
  readonly field: string;
  /** Whether that field has lengths. */
  readonly norms: boolean;
  /** The field as which the spans are named, where it is another one (`field_masking_span`). */
  readonly shownAs?: string;
  readonly source: SpanSource;
}

export const span: QueryKind<SpanQuery> = {
  ...LEAF,
  clauses: (query) => clausesOf(query.source),
  mark({ source }, visitor) {
    if (source.kind === 'term') visitor.terms(source.field, [source.term]);
    else visitor.spans(source);
  },
  caching: () => 'none',
  compile: (query, { boost, statistics }) => new SpanWeight(statistics, query, boost),
  lucene: (source) => scored(source, printSpanQuery(source), 'no matching term'),
  cluster: neverSent('they score by terms that hidden documents hold; write a phrase with slop', {
    kind: 'span',
    field: 'text',
    norms: true,
    source: { kind: 'term', field: 'text', term: 'red' },
  }),
};

function clausesOf(source: SpanSource): number {
  if ('clauses' in source) return source.clauses.reduce((total, inner) => total + clausesOf(inner), 0);
  if (source.kind === 'not') return clausesOf(source.include) + clausesOf(source.exclude);
  if (source.kind === 'first') return clausesOf(source.match);
  return 'big' in source ? clausesOf(source.big) + clausesOf(source.little) : 1;
}
