// Binds a query tree to a search: statistics are looked up, boosts multiplied down the tree, limits checked. What comes out is a
// tree of weights.
import { searchError } from '../errors/search-errors.ts';
import { emptyBits, setBit } from '../index/bits.ts';
import { encodeId } from '../index/ids.ts';
import { booleanScore, explainBoolean } from './boolean-term.ts';
import { BooleanWeight, BoostingWeight, DisMaxWeight } from './boolean.ts';
import { ConstantScoreWeight, MatchAllWeight, MatchNoneWeight, SetWeight } from './constant.ts';
import { FunctionScoreWeight } from './function-score.ts';
import { CoveringWeight } from './covering.ts';
import { DistanceFeatureWeight, RankFeatureWeight } from './feature.ts';
import { expand } from './expand.ts';
import { GeoWeight } from './geo.ts';
import { expandPrefixes, multiTermWeight, termsWeight } from './multi-term.ts';
import { IntervalsWeight } from './intervals.ts';
import { NestedWeight } from './nested.ts';
import { NumberRangeWeight, NumbersWeight } from './number.ts';
import { partWeight } from './part.ts';
import { PhraseWeight } from './phrase.ts';
import type { BooleanQuery, IntervalSource, PhraseQuery, Query, SpanSource } from './query.ts';
import { rangesWeight } from './ranges.ts';
import type { Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';
import { isCacheable, CachedWeight } from './query-cache.ts';
import { SpanWeight } from './spans.ts';
import { SynonymWeight, TermWeight } from './term.ts';

const { fround } = Math;

/** Where in the tree the compiler is. */
interface Place {
  /** The product of the boosts above. */
  readonly boost: number;
  /** The nested path the documents belong to; undefined: roots. */
  readonly path: string | undefined;
  readonly depth: number;
  /** Whether the score is asked for. */
  readonly isScored: boolean;
}

/**
 * Compiles a query.
 *
 * @throws ProductError when a limit is passed or a pattern is malformed
 */
export function compile(query: Query, statistics: Statistics): Weight {
  statistics.checkClauses(leaves(query));
  return build(query, statistics, { boost: 1, path: undefined, depth: 0, isScored: true });
}

/** Compiles a query whose documents are the elements of a nested path. */
export function compileNested(query: Query, statistics: Statistics, path: string): Weight {
  statistics.checkClauses(leaves(query));
  return build(query, statistics, { boost: 1, path, depth: 0, isScored: true });
}

/** The words, ranges and patterns of a whole query, which its limit counts together: a tree of small ones is as dear as one large. */
function leaves(query: Query): number {
  const sum = (queries: readonly Query[] = []): number => queries.reduce((total, inner) => total + leaves(inner), 0);
  switch (query.kind) {
    case 'synonym':
      return query.terms.length;
    case 'blended':
      return query.words.length;
    case 'phrase':
      return query.terms.reduce((total, slot) => total + slot.terms.length, query.prefix === undefined ? 0 : 1);
    case 'intervals':
      return leavesOf(query.source);
    case 'span':
      return spanLeaves(query.source);
    case 'more_like_this':
      return query.documents.reduce(
        (total, { terms }) => total + Math.min(terms.length, query.maxQueryTerms),
        Math.min(query.texts.length, query.maxQueryTerms),
      );
    case 'boolean':
      return sum(query.must) + sum(query.filter) + sum(query.should) + sum(query.mustNot);
    case 'constant_score':
    case 'nested':
      return leaves(query.query);
    case 'dis_max':
    case 'covering':
      return sum(query.queries);
    case 'boosting':
      return leaves(query.positive) + leaves(query.negative);
    case 'function_score':
      return leaves(query.query) + sum(query.functions.flatMap(({ filter }) => (filter === undefined ? [] : [filter])));
    default:
      return 1;
  }
}

function leavesOf(source: IntervalSource): number {
  if ('sources' in source) return source.sources.reduce((total, inner) => total + leavesOf(inner), 0);
  if (source.kind === 'terms') return source.terms.length;
  if (!('source' in source)) return 1;
  return leavesOf(source.source) + ('reference' in source ? leavesOf(source.reference) : 0);
}

function spanLeaves(source: SpanSource): number {
  if ('clauses' in source) return source.clauses.reduce((total, inner) => total + spanLeaves(inner), 0);
  if (source.kind === 'not') return spanLeaves(source.include) + spanLeaves(source.exclude);
  if (source.kind === 'first') return spanLeaves(source.match);
  return 'big' in source ? spanLeaves(source.big) + spanLeaves(source.little) : 1;
}

function build(query: Query, statistics: Statistics, outer: Place): Weight {
  const { maxDepth } = statistics.limits;
  if (outer.depth > maxDepth) throw searchError('SEARCH_QUERY_TOO_DEEP', { limit: maxDepth });
  const boost = query.boost === undefined ? outer.boost : fround(outer.boost * fround(query.boost));
  const weight = buildKind(query, statistics, { ...outer, boost, depth: outer.depth + 1 });
  if (query.name === undefined) return weight;
  // A wrapper, as one weight may stand for two nodes after simplification.
  if (weight.name !== undefined)
    return named(
      new BooleanWeight({ must: [weight], filter: [], should: [], mustNot: [], minimumShouldMatch: 0 }),
      query.name,
    );
  return named(weight, query.name);
}

function named(weight: Weight, name: string): Weight {
  weight.name = name;
  return weight;
}

function buildKind(query: Query, statistics: Statistics, place: Place): Weight {
  const { boost } = place;
  switch (query.kind) {
    case 'match_all':
      if (query.ofRoots === true && place.path !== undefined) return new MatchNoneWeight();
      return new MatchAllWeight(boost, place.path);
    case 'match_none':
      return new MatchNoneWeight();
    case 'term':
      return new TermWeight(statistics, query.field, query.term, boost, query.docFreq);
    case 'synonym':
      return new SynonymWeight(statistics, query.field, query.terms, boost);
    case 'blended':
    case 'fuzzy':
    case 'more_like_this':
      return build(expand(query, statistics)!, statistics, place);
    case 'terms': {
      const { maxTerms } = statistics.limits;
      if (query.terms.length > maxTerms) {
        throw searchError('SEARCH_TOO_MANY_TERMS', { count: query.terms.length, limit: maxTerms });
      }
      return termsWeight(statistics, query.field, query.terms, boost);
    }
    case 'numbers': {
      const { maxTerms } = statistics.limits;
      if (query.values.length > maxTerms) {
        throw searchError('SEARCH_TOO_MANY_TERMS', { count: query.values.length, limit: maxTerms });
      }
      const [value] = query.values;
      if (query.isBoolean !== true || !place.isScored || value === undefined) return new NumbersWeight(query, boost);
      return new NumbersWeight(query, booleanScore(statistics, query.field, value, boost), (doc) =>
        explainBoolean(statistics, query.field, value, boost, doc),
      );
    }
    case 'number_range':
      return new NumberRangeWeight(query, boost);
    case 'term_range':
    case 'prefix':
    case 'wildcard':
    case 'regexp': {
      const expanded = expand(query, statistics);
      return expanded === undefined ? multiTermWeight(statistics, query, boost) : build(expanded, statistics, place);
    }
    case 'phrase':
      return buildPhrase(query, statistics, boost);
    case 'intervals':
      return new IntervalsWeight(statistics, query, boost);
    case 'span':
      return new SpanWeight(statistics, query, boost);
    case 'exists':
      return new SetWeight(`ConstantScore(FieldExists [field=${query.field}])`, boost, (segment) =>
        segment.core.documentsWith(query.field),
      );
    case 'ids': {
      const ids = query.ids.map(encodeId);
      return new SetWeight('ConstantScore(_id)', boost, (segment) => {
        const bits = emptyBits(segment.docCount);
        for (const id of ids) {
          const doc = segment.core.find(id);
          if (doc >= 0) setBit(bits, doc);
        }
        return bits;
      });
    }
    case 'boolean':
      return buildBoolean(query, statistics, place);
    case 'constant_score':
      return new ConstantScoreWeight(build(query.query, statistics, { ...place, boost: 1, isScored: false }), boost);
    case 'dis_max': {
      // Lucene takes one whose others count in full for a boolean query.
      if (query.tieBreaker === 1) return buildBoolean({ kind: 'boolean', should: query.queries }, statistics, place);
      statistics.checkClauses(query.queries.length);
      const weights = query.queries.map((inner) => build(inner, statistics, place));
      return new DisMaxWeight(weights, query.tieBreaker ?? 0);
    }
    case 'boosting':
      return new BoostingWeight(
        build(query.positive, statistics, place),
        build(query.negative, statistics, { ...place, boost: 1, isScored: false }),
        query.negativeBoost,
      );
    case 'function_score':
      return new FunctionScoreWeight(
        statistics,
        build(query.query, statistics, place),
        query,
        query.functions.map((definition) => ({
          definition,
          filter:
            definition.filter === undefined
              ? undefined
              : build(definition.filter, statistics, { ...place, boost: 1, isScored: false }),
        })),
      );
    case 'nested':
      // Elements are found by the documents that enclose them: those of another path never do.
      if (place.path !== undefined && !query.path.startsWith(`${place.path}.`))
        throw searchError('SEARCH_NESTED_PATH', { path: query.path, outer: place.path });
      return new NestedWeight(
        build(query.query, statistics, { ...place, path: query.path }),
        query.path,
        place.path,
        query.scoreMode ?? 'avg',
      );
    case 'geo_distance':
    case 'geo_box':
    case 'geo_polygon':
      return new GeoWeight(query, boost);
    case 'ranges':
      return rangesWeight(query, boost);
    case 'covering':
      statistics.checkClauses(query.queries.length);
      return new CoveringWeight(
        statistics,
        query.queries.map((inner) => build(inner, statistics, place)),
        query.field,
      );
    case 'part':
      return partWeight(query, boost);
    case 'distance_feature':
      return new DistanceFeatureWeight(statistics, query, boost);
    case 'rank_feature':
      return new RankFeatureWeight(statistics, query, boost);
  }
}

function buildPhrase(query: PhraseQuery, statistics: Statistics, boost: number): Weight {
  const slots = [...query.terms];
  if (query.prefix !== undefined) {
    const { position, texts, maxExpansions = 50 } = query.prefix;
    const terms = expandPrefixes(statistics, query.field, texts, maxExpansions);
    if (terms.length === 0) return new MatchNoneWeight();
    slots.push({ position, terms });
  }
  if (slots.length === 0) return new MatchNoneWeight();
  const [first] = slots;
  if (slots.length === 1 && first !== undefined) {
    const weights = first.terms.map((term) => new TermWeight(statistics, query.field, term, boost));
    if (weights.length === 1) return weights[0]!;
    return new BooleanWeight({ must: [], filter: [], should: weights, mustNot: [], minimumShouldMatch: 1 });
  }
  return new PhraseWeight(statistics, query.field, slots, query.slop ?? 0, boost);
}

function buildBoolean(query: BooleanQuery, statistics: Statistics, place: Place): Weight {
  const { must = [], filter = [], should: given = [], mustNot = [] } = query;
  const minimum = query.minimumShouldMatch ?? (must.length + filter.length === 0 && given.length > 0 ? 1 : 0);
  const should = minimum > 1 ? given : flat(given, statistics);
  const clauses = must.length + filter.length + should.length + mustNot.length;
  statistics.checkClauses(clauses);
  // An empty bool matches everything (BoolQueryBuilder.doToQuery).
  if (clauses === 0) return new MatchAllWeight(place.boost, place.path);
  if (minimum > should.length) return new MatchNoneWeight();
  const unscored = { ...place, boost: 1, isScored: false };
  const parts = {
    must: joinEqualTerms(must).map((inner) => build(inner, statistics, place)),
    filter: filter.map((inner) => buildFilter(inner, statistics, unscored)),
    should: (minimum <= 1 ? joinEqualTerms(should) : should).map((inner) => build(inner, statistics, place)),
    mustNot: mustNot.map((inner) => buildFilter(inner, statistics, unscored)),
    minimumShouldMatch: minimum,
  };
  // Only must_not, or optional clauses that need not match: everything in the scope, less what is excluded.
  if (parts.must.length + parts.filter.length === 0 && minimum === 0)
    parts.filter.push(new MatchAllWeight(1, place.path));
  return new BooleanWeight(parts);
}

/** The clauses of disjunctions that stand in a disjunction, in their place: BooleanQuery.rewrite of Lucene 8. */
function flat(clauses: readonly Query[], statistics: Statistics): readonly Query[] {
  if (!clauses.some(isFlattened)) return clauses;
  return clauses.flatMap((clause) => {
    if (!isFlattened(clause)) return [clause];
    const expanded = expand(clause, statistics) ?? clause;
    const inner = innerClauses(expanded);
    return inner === undefined ? [expanded] : flat(inner, statistics);
  });
}

/** Whether a clause may stand for a list of optional ones. */
function isFlattened(clause: Query): boolean {
  if (clause.name !== undefined || (clause.boost ?? 1) !== 1) return false;
  switch (clause.kind) {
    case 'prefix':
    case 'wildcard':
    case 'regexp':
      return clause.rewrite !== undefined && clause.rewrite !== 'constant_score';
    case 'fuzzy':
    case 'more_like_this':
      return true;
    default:
      return innerClauses(clause) !== undefined;
  }
}

/** What a clause stands for that is only a list of optional ones, or a single one. */
function innerClauses(clause: Query): readonly Query[] | undefined {
  if (clause.name !== undefined || (clause.boost ?? 1) !== 1) return undefined;
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

/** Clauses of which each pair is compared; more are asked for by their texts. */
const FEW = 16;

function hasEqualTerms(clauses: readonly Query[]): boolean {
  if (clauses.length > FEW) return true;
  for (let i = 1; i < clauses.length; i++) {
    const clause = clauses[i]!;
    if (clause.kind !== 'term') continue;
    for (let j = 0; j < i; j++) {
      const other = clauses[j]!;
      if (other.kind === 'term' && other.term === clause.term && other.field === clause.field) return true;
    }
  }
  return false;
}

/** A clause that only filters: its matches are cached where finding them is expensive. */
function buildFilter(query: Query, statistics: Statistics, place: Place): Weight {
  const weight = build(query, statistics, place);
  return isCacheable(query) ? new CachedWeight(weight, query) : weight;
}
