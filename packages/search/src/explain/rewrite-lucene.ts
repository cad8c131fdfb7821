// What a query becomes before it is searched (Query.rewrite of Lucene 8): explanations are of what it became.
import { EMPTY } from '../query/multi-term.ts';
import type { ExpandLucene } from './expand-lucene.ts';
import { type Clause, type LuceneQuery, printLucene } from '../query/lucene/lucene-query.ts';

/** Terms of a set that become clauses at most. */
const MOST_CLAUSES = 16;
/** More are not needed: each step takes a level of the tree away. */
const MOST_STEPS = 200;

/** Rewrites until nothing changes. */
export function rewriteLucene(query: LuceneQuery, expand: ExpandLucene): LuceneQuery {
  let current = query;
  for (let step = 0; step < MOST_STEPS; step++) {
    const next = rewriteOnce(current, expand);
    if (next === current) break;
    current = next;
  }
  return current;
}

function rewriteOnce(query: LuceneQuery, expand: ExpandLucene): LuceneQuery {
  switch (query.kind) {
    case 'boost': {
      const inner = rewriteOnce(query.query, expand);
      if (query.boost === 1) return inner;
      if (inner.kind === 'boost') return { ...inner, boost: Math.fround(inner.boost * query.boost) };
      if (query.boost === 0 && inner.kind !== 'constant')
        return { ...query, query: { kind: 'constant', query: inner, source: inner.source } };
      return inner === query.query ? query : { ...query, query: inner };
    }
    case 'constant': {
      const inner = rewriteOnce(query.query, expand);
      if (inner !== query.query) return { ...query, query: inner };
      if (inner.kind === 'constant') return inner;
      if (inner.kind === 'boost') return { ...query, query: inner.query };
      return query;
    }
    case 'set':
      return rewriteSet(query);
    case 'dis_max': {
      if (query.queries.length === 1) return query.queries[0]!;
      if (query.tieBreaker === 1)
        return {
          kind: 'bool',
          minimum: 0,
          clauses: query.queries.map((inner) => ({ occur: '', query: inner })),
          source: query.source,
        };
      const queries = rewriteAll(query.queries, expand);
      return queries === query.queries ? query : { ...query, queries };
    }
    case 'bool':
      return rewriteBool(query, expand);
    case 'function': {
      const inner = rewriteOnce(query.query, expand);
      const filters = query.filters.map((filter) => (filter === undefined ? undefined : rewriteOnce(filter, expand)));
      if (inner === query.query && filters.every((filter, at) => filter === query.filters[at])) return query;
      return { ...query, query: inner, filters };
    }
    case 'boosting': {
      const positive = rewriteOnce(query.positive, expand);
      return positive === query.positive ? query : { ...query, positive };
    }
    case 'join': {
      const inner = rewriteOnce(query.query, expand);
      return inner === query.query ? query : { ...query, query: inner };
    }
    case 'covering': {
      const queries = rewriteAll(query.queries, expand);
      return queries === query.queries ? query : { ...query, queries };
    }
    default:
      return expand(query);
  }
}

function rewriteAll(queries: readonly LuceneQuery[], expand: ExpandLucene): readonly LuceneQuery[] {
  const rewritten = queries.map((query) => rewriteOnce(query, expand));
  return rewritten.every((query, at) => query === queries[at]) ? queries : rewritten;
}

function rewriteSet(query: LuceneQuery & { readonly kind: 'set' }): LuceneQuery {
  if (query.terms.length > MOST_CLAUSES) return query;
  const clauses = query.terms.map(({ source, text: term }): Clause => {
    const text = `${query.field}:${term}`;
    return { occur: '', query: { kind: 'scored', text, absent: 'no matching term', field: query.field, source } };
  });
  return {
    kind: 'constant',
    query: { kind: 'bool', clauses, minimum: 0, source: query.source },
    source: query.source,
  };
}

type Bool = LuceneQuery & { readonly kind: 'bool' };

function rewriteBool(query: Bool, expand: ExpandLucene): LuceneQuery {
  const { clauses, minimum, source } = query;
  const none = (reason: string): LuceneQuery => ({ kind: 'none', reason, source });
  if (clauses.length === 0) return none(EMPTY);
  const [first] = clauses;
  if (clauses.length === 1 && first !== undefined) {
    const { occur, query: inner } = first;
    if (occur === '' && minimum <= 1) return inner;
    if (minimum === 0) {
      if (occur === '+') return inner;
      if (occur === '-') return none('pure negative BooleanQuery');
      if (occur === '#') return { kind: 'boost', query: { kind: 'constant', query: inner, source }, boost: 0, source };
    }
  }
  const rewritten = clauses.map((clause) => {
    const inner = rewriteOnce(clause.query, expand);
    return inner === clause.query ? clause : { ...clause, query: inner };
  });
  if (rewritten.some((clause, at) => clause !== clauses[at])) return { ...query, clauses: rewritten };
  const texts = clauses.map((clause) => printLucene(clause.query));
  const of = (occur: Clause['occur']): readonly number[] =>
    clauses.flatMap((clause, at) => (clause.occur === occur ? [at] : []));
  const [musts, filters, shoulds, nots] = [of('+'), of('#'), of(''), of('-')];
  const isAll = (at: number): boolean => clauses[at]!.query.kind === 'all';
  const doubled = [filters, nots].flatMap((places) =>
    places.filter((at, index) => places.findIndex((other) => texts[other] === texts[at]) !== index),
  );
  if (doubled.length > 0) return { ...query, clauses: clauses.filter((_, at) => !doubled.includes(at)) };
  if (nots.some((not) => [...musts, ...filters].some((at) => texts[at] === texts[not])))
    return none('FILTER or MUST clause also in MUST_NOT');
  if (nots.some(isAll)) return none('MUST_NOT clause is MatchAllDocsQuery');
  const useless = filters.filter(
    (at) => (isAll(at) && (filters.length > 1 || musts.length > 0)) || musts.some((must) => texts[must] === texts[at]),
  );
  if (useless.length > 0) return { ...query, clauses: clauses.filter((_, at) => !useless.includes(at)) };
  const raised = shoulds.filter((at) => filters.some((filter) => texts[filter] === texts[at]));
  if (raised.length > 0) {
    const kept = clauses.flatMap((clause, at): Clause[] => {
      if (raised.includes(at)) return [{ ...clause, occur: '+' }];
      return clause.occur === '#' && raised.some((should) => texts[should] === texts[at]) ? [] : [clause];
    });
    return { ...query, clauses: kept, minimum: Math.max(0, minimum - raised.length) };
  }
  for (const places of minimum <= 1 ? [shoulds, musts] : [musts]) {
    const joined = joinEqual(places.map((at) => clauses[at]!));
    if (joined === undefined) continue;
    const { occur } = clauses[places[0]!]!;
    return { ...query, clauses: [...joined, ...clauses.filter((clause) => clause.occur !== occur)] };
  }
  if (musts.length === 1 && filters.length > 0) {
    const must = clauses[musts[0]!]!.query;
    const matched = must.kind === 'boost' ? must.query : must;
    if (matched.kind === 'all') {
      const filter: LuceneQuery = {
        kind: 'bool',
        minimum: 0,
        clauses: clauses.filter(({ occur }) => occur === '#' || occur === '-'),
        source,
      };
      const constant: LuceneQuery = { kind: 'constant', query: filter, source };
      const scored: LuceneQuery =
        must.kind === 'boost' ? { kind: 'boost', query: constant, boost: must.boost, source } : constant;
      return {
        ...query,
        clauses: [{ occur: '+', query: scored }, ...clauses.filter(({ occur }) => occur === '')],
      };
    }
  }
  if (minimum <= 1 && shoulds.some((at) => isDisjunction(clauses[at]!.query)))
    return {
      ...query,
      clauses: clauses.flatMap((clause) =>
        clause.occur === '' && isDisjunction(clause.query) ? clause.query.clauses : [clause],
      ),
    };
  return query;
}

/** Equal clauses as one, their boosts added up; undefined where all differ. */
function joinEqual(clauses: readonly Clause[]): readonly Clause[] | undefined {
  const found = new Map<string, { readonly clause: Clause; boost: number }>();
  for (const clause of clauses) {
    const { query } = clause;
    const [inner, boost] = query.kind === 'boost' ? [query.query, query.boost] : [query, 1];
    // Queries that find nothing are equal, whatever their reasons.
    const text = inner.kind === 'none' ? '' : printLucene(inner);
    const known = found.get(text);
    if (known === undefined) found.set(text, { clause: { ...clause, query: inner }, boost });
    else known.boost += boost;
  }
  if (found.size === clauses.length) return undefined;
  return [...found.values()].map(({ clause, boost }) =>
    boost === 1
      ? clause
      : { ...clause, query: { kind: 'boost', query: clause.query, boost, source: clause.query.source } },
  );
}

function isDisjunction(query: LuceneQuery): query is Bool {
  return query.kind === 'bool' && query.minimum <= 1 && query.clauses.every(({ occur }) => occur === '');
}
