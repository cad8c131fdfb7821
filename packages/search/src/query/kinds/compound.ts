// Queries around others: with one score for all, the best of several, demoted, by elements of nested objects, and by how many match.
import { BoostingWeight, DisMaxWeight } from '../boolean.ts';
import { ConstantScoreWeight } from '../constant.ts';
import { CoveringWeight } from '../covering.ts';
import { mightMatchOthers, narrowed } from '../lucene/nested-scope.ts';
import { NestedWeight, StrayNestedWeight } from '../nested.ts';
import type { Query, QueryNode } from '../query.ts';
import { type Children, COMPOUND, type QueryKind } from '../query-kind.ts';
import { compileBoolean } from './boolean.ts';
import { MATCH_NONE } from '../cluster/leaves.ts';
import { BY_PARTS, neverSent, RED } from '../cluster/on-cluster.ts';

/** The documents of the inner query, each with the score `boost`. */
export interface ConstantScoreQuery extends QueryNode {
  readonly kind: 'constant_score';
  readonly query: Query;
}

/** The best of the queries plus `tieBreaker` times the others. */
export interface DisMaxQuery extends QueryNode {
  readonly kind: 'dis_max';
  readonly queries: readonly Query[];
  readonly tieBreaker?: number;
}

/** `positive`, its score multiplied by `negativeBoost` where `negative` matches too. */
export interface BoostingQuery extends QueryNode {
  readonly kind: 'boosting';
  readonly positive: Query;
  readonly negative: Query;
  readonly negativeBoost: number;
}

/** Documents in which as many of the queries match as the document's own number says; at least one. */
export interface CoveringQuery extends QueryNode {
  readonly kind: 'covering';
  readonly queries: readonly Query[];
  /** The number column; documents without a number do not match. */
  readonly field: string;
}

/** Root documents (or elements of an enclosing path) that have an element of `path` matching `query`. */
export interface NestedQuery extends QueryNode {
  readonly kind: 'nested';
  readonly path: string;
  readonly query: Query;
  /** How the scores of the elements join; `avg` by default. */
  readonly scoreMode?: 'avg' | 'max' | 'min' | 'sum' | 'none';
}

const only = ({ query }: { readonly query: Query }): Children => ({ matching: [query], other: [] });
const several = ({ queries }: { readonly queries: readonly Query[] }): Children => ({ matching: queries, other: [] });

export const constantScore: QueryKind<ConstantScoreQuery> = {
  ...COMPOUND,
  children: only,
  caching: () => 'cheap',
  compile: (query, at) => new ConstantScoreWeight(at.unscored().build(query.query), at.boost),
  lucene: (source, { read }) => ({ kind: 'constant', query: read(source.query), source }),
  cluster: {
    ...BY_PARTS,
    compile: ({ query }, at) => ({ constant_score: { filter: at.filter(query), boost: at.boost } }),
    samples: { sent: [{ kind: 'constant_score', query: RED }] },
  },
};

export const disMax: QueryKind<DisMaxQuery> = {
  ...COMPOUND,
  children: several,
  caching: () => 'cheap',
  compile(query, at) {
    // Lucene takes one whose others count in full for a boolean query.
    if (query.tieBreaker === 1) return compileBoolean({ kind: 'boolean', should: query.queries }, at);
    at.statistics.checkClauses(query.queries.length);
    return new DisMaxWeight(
      query.queries.map((inner) => at.build(inner)),
      query.tieBreaker ?? 0,
    );
  },
  lucene: (source, { read }) => ({
    kind: 'dis_max',
    queries: source.queries.map(read),
    tieBreaker: source.tieBreaker ?? 0,
    source,
  }),
  cluster: {
    ...BY_PARTS,
    compile: ({ queries, tieBreaker = 0 }, at) =>
      queries.length === 0
        ? MATCH_NONE
        : { dis_max: { queries: queries.map((each) => at.scored(each)), tie_breaker: tieBreaker } },
    samples: { sent: [{ kind: 'dis_max', queries: [RED, RED], tieBreaker: 0.5 }] },
  },
};

export const boosting: QueryKind<BoostingQuery> = {
  ...COMPOUND,
  children: ({ negative, positive }) => ({ matching: [positive], other: [negative] }),
  caching: () => 'cheap',
  compile: (query, at) =>
    new BoostingWeight(at.build(query.positive), at.unscored().build(query.negative), query.negativeBoost),
  lucene: (source, { read }) => ({
    kind: 'boosting',
    positive: read(source.positive),
    negative: read(source.negative),
    factor: source.negativeBoost,
    source,
  }),
  cluster: {
    ...BY_PARTS,
    compile: ({ negative, negativeBoost, positive }, at) => ({
      boosting: { positive: at.scored(positive), negative: at.filter(negative), negative_boost: negativeBoost },
    }),
    samples: { sent: [{ kind: 'boosting', positive: RED, negative: RED, negativeBoost: 0.5 }] },
  },
};

export const covering: QueryKind<CoveringQuery> = {
  ...COMPOUND,
  children: several,
  caching: () => 'none',
  compile(query, at) {
    at.statistics.checkClauses(query.queries.length);
    return new CoveringWeight(
      at.statistics,
      query.queries.map((inner) => at.build(inner)),
      query.field,
    );
  },
  lucene: (source, { read }) => ({ kind: 'covering', queries: source.queries.map(read), field: source.field, source }),
  cluster: neverSent('it reads a number field that may be withheld; count with minimum_should_match', {
    kind: 'covering',
    queries: [RED],
    field: 'n',
  }),
};

export const nested: QueryKind<NestedQuery> = {
  ...COMPOUND,
  children: only,
  caching: () => 'none',
  compile(query, at) {
    // Elements are found by the documents that enclose them: those of another path never do.
    const inner = at.within(query.path).build(query.query);
    if (at.path !== undefined && !query.path.startsWith(`${at.path}.`))
      return new StrayNestedWeight(at.statistics, inner, query.path, at.path);
    return new NestedWeight(inner, query.path, at.path, query.scoreMode ?? 'avg');
  },
  lucene(source, { read, types }) {
    const query = read(source.query);
    const isNarrowed = mightMatchOthers(query, source.path, types);
    return {
      kind: 'join',
      query: isNarrowed ? narrowed(query, `_type:__${source.path}`, source.query) : query,
      path: source.path,
      source,
    };
  },
  cluster: neverSent('no index of a schema has nested objects', { kind: 'nested', path: 'parts', query: RED }),
};
