// Required, optional, filtering and excluded clauses.
import { BooleanWeight } from '../boolean.ts';
import type { Compiler } from '../compile.ts';
import { MatchAllWeight, MatchNoneWeight } from '../constant.ts';
import type { Clause } from '../lucene/lucene-query.ts';
import type { Query, QueryNode } from '../query.ts';
import { COMPOUND, type QueryKind } from '../query-kind.ts';
import type { Weight } from '../scorer.ts';
import type { Json } from '../../json/json.ts';
import type { ClusterCompiler } from '../cluster/cluster-compiler.ts';
import { MATCH_ALL, MATCH_NONE } from '../cluster/leaves.ts';
import { BY_PARTS, RED } from '../cluster/on-cluster.ts';

const { fround } = Math;

export interface BooleanQuery extends QueryNode {
  readonly kind: 'boolean';
  readonly must?: readonly Query[];
  readonly filter?: readonly Query[];
  readonly should?: readonly Query[];
  readonly mustNot?: readonly Query[];
  /** How many of `should` must match; by default 1 without `must` and `filter`, else 0. Already resolved to a number. */
  readonly minimumShouldMatch?: number;
}

export const boolean: QueryKind<BooleanQuery> = {
  ...COMPOUND,
  children: ({ filter = [], must = [], mustNot = [], should = [] }) => ({
    matching: [...must, ...should, ...filter],
    other: mustNot,
  }),
  caching: () => 'cheap',
  compile: compileBoolean,
  lucene(source, { read }) {
    const of = (occur: Clause['occur'], queries: readonly Query[] = []): readonly Clause[] =>
      queries.map((each) => ({ occur, query: read(each) }));
    const excluded = of('-', source.mustNot);
    const optional = of('', source.should);
    // The documents that others are to be like are excluded last.
    const isLike = source.should?.[0]?.kind === 'more_like_this';
    const clauses = [
      ...of('+', source.must),
      ...(isLike ? [...optional, ...excluded] : [...excluded, ...optional]),
      ...of('#', source.filter),
    ];
    return { kind: 'bool', clauses, minimum: source.minimumShouldMatch ?? 0, source };
  },
  cluster: {
    ...BY_PARTS,
    compile: compileOnCluster,
    samples: { sent: [{ kind: 'boolean', must: [RED], should: [RED], mustNot: [RED] }] },
  },
};

export function compileBoolean(query: BooleanQuery, at: Compiler): Weight {
  const { must = [], filter = [], should: given = [], mustNot = [] } = query;
  // Without a clause that must match, one of the optional ones has to, whatever the request says (BooleanWeight of Lucene).
  const least = must.length + filter.length === 0 && given.length > 0 ? 1 : 0;
  const minimum = Math.max(query.minimumShouldMatch ?? least, least);
  const should = minimum > 1 ? given : flatten(given, at);
  const clauses = must.length + filter.length + should.length + mustNot.length;
  at.statistics.checkClauses(clauses);
  // An empty bool matches everything (BoolQueryBuilder.doToQuery).
  if (clauses === 0) return new MatchAllWeight(at.boost, at.path);
  if (minimum > should.length) return new MatchNoneWeight();
  const parts = {
    must: joinEqualTerms(must).map((inner) => at.build(inner)),
    filter: filter.map((inner) => at.buildFilter(inner)),
    should: (minimum <= 1 ? joinEqualTerms(should) : should).map((inner) => at.build(inner)),
    mustNot: mustNot.map((inner) => at.buildFilter(inner)),
    minimumShouldMatch: minimum,
  };
  // Only must_not, or optional clauses that need not match: everything in the scope, less what is excluded.
  if (parts.must.length + parts.filter.length === 0 && minimum === 0) parts.filter.push(new MatchAllWeight(1, at.path));
  return new BooleanWeight(parts);
}

/** Puts the clauses of disjunctions that stand in a disjunction in their place: BooleanQuery.rewrite of Lucene 8. */
function flatten(clauses: readonly Query[], at: Compiler): readonly Query[] {
  let flat: Query[] | undefined;
  for (let index = 0; index < clauses.length; index++) {
    const clause = clauses[index]!;
    const expanded = isPlain(clause) ? (at.expand(clause) ?? clause) : clause;
    const inner = disjuncts(expanded);
    if (flat === undefined && inner === undefined && expanded === clause) continue;
    flat ??= clauses.slice(0, index);
    if (inner === undefined) flat.push(expanded);
    else flat.push(...flatten(inner, at));
  }
  return flat ?? clauses;
}

/** Whether a clause has neither a name nor a boost of its own. */
function isPlain({ boost = 1, name }: Query): boolean {
  return name === undefined && boost === 1;
}

/** The clauses of a query that is nothing but a list of optional ones, or a single one. */
function disjuncts(clause: Query): readonly Query[] | undefined {
  if (!isPlain(clause)) return undefined;
  if (clause.kind === 'dis_max')
    return clause.tieBreaker === 1 || clause.queries.length === 1 ? clause.queries : undefined;
  if (clause.kind !== 'boolean') return undefined;
  const { filter = [], minimumShouldMatch = 0, must = [], mustNot = [], should = [] } = clause;
  if (filter.length + mustNot.length > 0 || minimumShouldMatch > 1) return undefined;
  if (must.length === 0 && should.length > 0) return should;
  return must.length === 1 && should.length === 0 ? must : undefined;
}

/** One clause for all that ask for the same term, their boosts added up: BooleanQuery.rewrite of Lucene 8. */
function joinEqualTerms(clauses: readonly Query[]): readonly Query[] {
  if (!hasEqualTerms(clauses)) return clauses;
  const joined = new Map<string | Query, Query>();
  for (const clause of clauses) {
    if (clause.kind !== 'term' || clause.name !== undefined) {
      joined.set(clause, clause);
      continue;
    }
    const key = `${clause.field}\0${clause.term}`;
    const before = joined.get(key);
    const boost = fround(clause.boost ?? 1) + (before?.boost ?? (before === undefined ? 0 : 1));
    joined.set(key, before === undefined ? clause : { ...before, boost });
  }
  return [...joined.values()];
}

/** Clauses of which each pair is compared; more are compared by their texts. */
const FEW = 16;

function hasEqualTerms(clauses: readonly Query[]): boolean {
  if (clauses.length > FEW) return true;
  return clauses.some(
    (clause, at) =>
      clause.kind === 'term' &&
      clauses.findIndex(
        (other) => other.kind === 'term' && other.term === clause.term && other.field === clause.field,
      ) < at,
  );
}

function compileOnCluster(query: BooleanQuery, at: ClusterCompiler): Json {
  const { must = [], filter = [], should = [], mustNot = [] } = query;
  if (must.length + filter.length + should.length + mustNot.length === 0) return { match_all: { boost: at.boost } };
  const minimum = query.minimumShouldMatch ?? (must.length + filter.length === 0 && should.length > 0 ? 1 : 0);
  if (minimum > should.length) return MATCH_NONE;
  const scored = (queries: readonly Query[]): readonly Json[] => queries.map((each) => at.scored(each));
  const filtered = (queries: readonly Query[]): readonly Json[] => queries.map((each) => at.filter(each));
  // Where nothing is required, everything matches and has a score of 0 before optional clauses add theirs.
  const isOpen = must.length + filter.length === 0 && minimum === 0;
  return {
    bool: {
      must: scored(must),
      filter: isOpen ? [MATCH_ALL] : filtered(filter),
      should: scored(should),
      must_not: filtered(mustNot),
      minimum_should_match: minimum,
    },
  };
}
