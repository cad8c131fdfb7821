// Full-text queries: the analysed words of a text become a query on one field (match, phrase, prefix) or on several
// (multi_match).
import { asYouType, prefixQuery, shinglePhrase, shinglePrefix } from './as-you-type.ts';
import type { Rewrite } from '../query/kinds/patterns.ts';
import type { Query } from '../query/query.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { inputTerm } from '../mapping/completion.ts';
import { isMetadata } from '../mapping/metadata-fields.ts';
import {
  causeOfFailedQuery,
  failedQuery,
  illegalArgument,
  numberFormat,
  RequestError,
} from '../errors/request-error.ts';
import { checkTime, isLimit } from '../tasks/request-budget.ts';
import { checkExpensive, countClauses, fieldsLike, type QueryContext } from './context.ts';
import { type MatchKind, queryOfWords, type Slot, type WordQueries } from './analyzed-query.ts';
import { fuzzyTerm, patternField, termQuery } from './field-query.ts';
import { type Words, wordsOf } from './token-graph.ts';
import { entriesInHashOrder } from '../text/java-order.ts';
import { minimumShouldMatch } from '../query/minimum-should-match.ts';

/** Options of the match queries. */
export interface MatchOptions {
  readonly operator?: 'and' | 'or';
  readonly minimumShouldMatch?: unknown;
  readonly fuzziness?: unknown;
  readonly prefixLength?: unknown;
  readonly maxExpansions?: unknown;
  readonly transpositions?: unknown;
  /** With `fuzziness`: how the terms near a word score. */
  readonly rewrite?: Rewrite | undefined;
  readonly lenient?: boolean;
  readonly zeroTermsQuery?: 'none' | 'all';
  readonly analyzer?: string | undefined;
  readonly slop?: number;
  /** Words of more documents only weigh (`cutoff_frequency`). */
  readonly cutoff?: number | undefined;
  /** Whether synonyms of several words are phrases (`auto_generate_synonyms_phrase_query`); they are by default. */
  readonly phrasesOfSynonyms?: boolean | undefined;
  /** Whether the words of a phrase follow each other although words between them are left out (`enable_position_increments: false`). */
  readonly closesGaps?: boolean | undefined;
}

function analyzerFor(field: MappedField, options: MatchOptions, phrase: boolean, context: QueryContext): Analyzer {
  if (options.analyzer === undefined) return phrase ? field.searchQuoteAnalyzer : field.searchAnalyzer;
  return analyzerNamed(options.analyzer, 'match', context);
}

/** Returns the analyzer of a name. @throws RequestError if the index has none */
export function analyzerNamed(name: string, type: string, context: QueryContext, member = 'analyzer'): Analyzer {
  const found = context.mapping.analysis.analyzer(name);
  if (found !== undefined) return found;
  throw shardException(`[${type}] ${member} [${name}] not found`, context);
}

/** The error for a query that the index refuses. */
function shardException(reason: string, context: QueryContext): RequestError {
  return new RequestError('SEARCH_SHARD_FAILURE', 'query_shard_exception', reason, {
    phase: true,
    fields: { index: context.index },
  });
}

function nothing(options: MatchOptions): Query {
  return options.zeroTermsQuery === 'all' ? { kind: 'match_all' } : NO_TERMS;
}

/** The query for a text without words. */
export const NO_TERMS: Query = {
  kind: 'match_none',
  reason: 'Matching no documents because no terms present',
};

/** The query for an unmapped field. */
export function unmapped(name: string): Query {
  return { kind: 'match_none', reason: `unmapped fields [${name}]` };
}

/** With `lenient`: the query for a value that does not fit its field (Queries.newLenientFieldQuery). */
export function lenientNone(name: string, error: unknown): Query {
  const { message, type } =
    error instanceof RequestError ? causeOf(error) : { message: String(error), type: 'exception' };
  return { kind: 'match_none', reason: `failed [${name}] query, caused by ${type}:[${message}]` };
}

/** The cause of a failed query. */
function causeOf(error: RequestError): { readonly type: string; readonly message: string } {
  const cause = causeOfFailedQuery(error);
  return cause === undefined ? error : { type: cause.type, message: cause.reason };
}

/** With `lenient`, a value that does not fit its field matches nothing. */
function leniently(name: string, make: () => Query, options: MatchOptions): Query {
  if (options.lenient !== true) return make();
  try {
    return make();
  } catch (error) {
    if (error instanceof Error && !(error instanceof TypeError) && !isLimit(error)) return lenientNone(name, error);
    throw error;
  }
}

function lenientTerm(name: string, term: string, options: MatchOptions, context: QueryContext): Query {
  return leniently(name, () => termQuery(name, term, context), options);
}

/** Builds a match query of one kind on one field. */
export function matchQuery(
  kind: MatchKind,
  name: string,
  value: unknown,
  options: MatchOptions,
  context: QueryContext,
): Query {
  return matchWords(kind, name, value, options, context) ?? nothing(options);
}

/** The same; undefined for a text without words. */
function matchWords(
  kind: MatchKind,
  name: string,
  value: unknown,
  options: MatchOptions,
  context: QueryContext,
): Query | undefined {
  countClauses(context, 1);
  checkTime();
  const field = context.mapping.field(name);
  const lenient = (make: () => Query): Query => leniently(name, make, options);
  if (field === undefined) return unmapped(name);
  if (options.fuzziness !== undefined) checkExpensive(context, '[fuzzy] queries');
  if (field.family !== 'text') {
    const isPhrase = kind === 'phrase' || kind === 'phrase_prefix';
    if (isPhrase && splitsQueries(field) && /\S\s+\S/.test(String(value)))
      return lenient(() => {
        throw noPositions(field, context);
      });
    if (kind === 'phrase_prefix' || kind === 'bool_prefix') {
      if (kind === 'phrase_prefix')
        return lenient(() => {
          throw illegalArgument(
            `Can only use phrase prefix queries on text fields - not on [${field.path}] which is of type [${field.type}]`,
          );
        });
      if (field.family === 'keyword') return prefixQuery(field, String(value), context);
    }
    if (field.family === 'keyword' && options.fuzziness !== undefined)
      return fuzzyTerm(field.path, String(value), { ...options, fuzziness: options.fuzziness });
    if (splitsQueries(field)) {
      const queries = String(value)
        .trim()
        .split(/\s+/)
        .map((part) => termQuery(name, part, context));
      return queries.length === 1 ? queries[0]! : joined(queries, options);
    }
    if (field.type === 'rank_feature') return featureWords(kind, field, String(value), options, context);
    if (options.analyzer !== undefined || field.family === 'completion')
      return analyzedTerms(kind, field, String(value), options, context);
    return lenient(() => termQuery(name, value, context));
  }
  if (!field.index)
    return lenient(() => {
      throw illegalArgument(`Cannot search on field [${field.path}] since it is not indexed.`);
    });
  if (field.type === 'prefix' && (kind === 'phrase' || kind === 'phrase_prefix'))
    return lenient(() => {
      throw failedQuery(
        `Can only use ${kind.replace('_', ' ')} queries on text fields - not on [${field.path}] which is of type [prefix]`,
        context.index,
      );
    });
  const analyzer = analyzerFor(field, options, kind === 'phrase' || kind === 'phrase_prefix', context);
  return analyzedQuery(kind, wordsOf(analyzer, String(value)), wordQueries(field, options, context), options);
}

/** Whether a keyword takes a text for several words. */
const splitsQueries = ({ definition, family }: MappedField): boolean =>
  family === 'keyword' && definition['split_queries_on_whitespace'] === true;

/** The query for words on a `rank_feature` field, which refuses them; the error depends on the kind of query. */
function featureWords(
  kind: MatchKind,
  field: MappedField,
  text: string,
  options: MatchOptions,
  context: QueryContext,
): Query | undefined {
  const { length } = wordsOf(analyzerNamed(options.analyzer ?? 'default', 'match', context), text).words;
  if (length === 0) return undefined;
  return leniently(
    field.path,
    () => {
      if (kind === 'phrase' && length > 1) throw noPositions(field, context);
      if (kind === 'bool_prefix' && length === 1) patternField(field.path, 'prefix', context);
      return termQuery(field.path, text, context);
    },
    options,
  );
}

/** The query for an analysed text on a field without an analyzer. */
function analyzedTerms(
  kind: MatchKind,
  field: MappedField,
  text: string,
  options: MatchOptions,
  context: QueryContext,
): Query | undefined {
  const analyzer = analyzerFor(field, options, false, context);
  if (field.family === 'completion') {
    const term = inputTerm(analyzer.analyze(text).terms);
    if (term === undefined) return undefined;
    return leniently(
      field.path,
      () => {
        // Both throw: a completion field has neither.
        if (kind === 'bool_prefix') patternField(field.path, 'prefix', context);
        if (options.fuzziness !== undefined) patternField(field.path, 'fuzzy', context);
        return termQuery(field.path, term, context);
      },
      options,
    );
  }
  const words = wordsOf(analyzer, text);
  const make = wordQueries(field, options, context);
  return analyzedQuery(
    kind,
    words,
    {
      ...make,
      term: (term) => lenientTerm(field.path, term, options, context),
      phrase: () => NO_TERMS,
      phrasePrefix: () => NO_TERMS,
    },
    options,
  );
}

/** Builds the query for words, with its `minimum_should_match`. */
function analyzedQuery(kind: MatchKind, words: Words, make: WordQueries, options: MatchOptions): Query | undefined {
  const query = queryOfWords(words, kind, options.operator ?? 'or', options.slop ?? 0, make);
  if (query === undefined) return undefined;
  const found = kind === 'match' ? withCutoff(query, options) : query;
  return applyMinimumShouldMatch(found, options.minimumShouldMatch);
}

/** With `cutoff_frequency`: several words of one field by how common they are. */
function withCutoff(query: Query, { cutoff, operator = 'or' }: MatchOptions): Query {
  if (cutoff === undefined || query.kind !== 'boolean') return query;
  const words = [...(query.must ?? []), ...(query.should ?? [])].flatMap((each) => (each.kind === 'term' ? each : []));
  const [first] = words;
  if (first === undefined || words.length < (query.must ?? query.should ?? []).length) return query;
  const terms = words.map(({ term }) => term);
  const group = { operator };
  return { kind: 'common_terms', field: first.field, terms, cutoff, rare: group, common: group };
}

/** Applies `minimum_should_match` to a query with optional clauses (Queries.maybeApplyMinimumShouldMatch). */
export function applyMinimumShouldMatch(query: Query, specification: unknown): Query {
  if (query.kind === 'common_terms' && specification !== undefined)
    return { ...query, rare: { ...query.rare, minimumShouldMatch: specification } };
  if (query.kind !== 'boolean' || specification === undefined) return query;
  const { should = [] } = query;
  const needed = minimumShouldMatch(specification, should.length);
  if (needed <= 0) return query;
  return needed > should.length ? { kind: 'match_none' } : { ...query, minimumShouldMatch: needed };
}

/** Makes the queries for words on one field. */
function wordQueries(field: MappedField, options: MatchOptions, context: QueryContext): WordQueries {
  const { path } = field;
  const { fuzziness, slop = 0 } = options;
  const maxExpansions = options.maxExpansions === undefined ? 50 : Number(options.maxExpansions);
  return {
    count: (clauses) => countClauses(context, clauses),
    term: (term) =>
      fuzziness === undefined ? { kind: 'term', field: path, term } : fuzzyTerm(path, term, { ...options, fuzziness }),
    synonym: (terms) => ({ kind: 'synonym', field: path, terms }),
    prefix(prefix) {
      checkExpensive(context, '[prefix] queries');
      return prefixQuery(field, prefix, context);
    },
    phrase(slots) {
      requirePositions(field, context);
      const shingles = slop > 0 ? undefined : shinglePhrase(field, slots, context);
      return shingles ?? { kind: 'phrase', field: path, terms: rowOf(slots, options), slop };
    },
    phrasePrefix(slots) {
      if (slots.length > 1) requirePositions(field, context);
      const shingles = slop > 0 ? undefined : shinglePrefix(field, slots, maxExpansions, context);
      if (shingles !== undefined) return shingles;
      const row = rowOf(slots, options);
      const { position, terms: texts } = row.at(-1) ?? { position: 0, terms: [] };
      return {
        kind: 'phrase',
        field: path,
        terms: row.slice(0, -1),
        slop,
        prefix: { position, texts, maxExpansions },
      };
    },
    spans(source) {
      requirePositions(field, context);
      return { kind: 'span', field: path, norms: field.norms, source };
    },
    spanTerm: (term) => ({ kind: 'term', field: path, term }),
    spanPrefix: (prefix) => ({
      kind: 'pattern',
      query: { kind: 'prefix', field: path, prefix },
      maxTerms: maxExpansions,
    }),
    phrases: field.positions && options.phrasesOfSynonyms !== false,
  };
}

/** The words where a phrase expects them. */
function rowOf(slots: readonly Slot[], { closesGaps }: MatchOptions): readonly Slot[] {
  return closesGaps === true ? slots.map(({ terms }, position) => ({ position, terms })) : slots;
}

function requirePositions(field: MappedField, context: QueryContext): void {
  if (!field.positions) throw noPositions(field, context);
}

function noPositions({ path }: MappedField, { index }: QueryContext): RequestError {
  const reason = `field:[${path}] was indexed without position data; cannot run PhraseQuery`;
  return failedQuery(reason, index, 'illegal_state_exception');
}

function joined(queries: readonly Query[], options: MatchOptions): Query {
  if (queries.length === 1) return queries[0]!;
  if (options.operator === 'and') return { kind: 'boolean', must: queries };
  if (options.minimumShouldMatch === undefined) return { kind: 'boolean', should: queries };
  const needed = Math.max(1, minimumShouldMatch(options.minimumShouldMatch, queries.length));
  if (needed > queries.length) return { kind: 'match_none' };
  return { kind: 'boolean', should: queries, minimumShouldMatch: needed };
}

/** A field with its boost. */
export interface WeightedField {
  readonly name: string;
  readonly boost: number;
}

/** Families that a field pattern skips: no word can match them. */
const NOT_FOR_WORDS: readonly MappedField['family'][] = ['none', 'geo'];

/**
 * Resolves fields as requests list them: `title^2`, `*_name`. Patterns skip fields that no word can match.
 *
 * @param isNamed whether a query string names the pattern as a field: then it skips none, and its words may be refused
 */
export function expandFields(patterns: readonly string[], context: QueryContext, isNamed = false): WeightedField[] {
  const found = new Map<string, number>();
  for (const pattern of patterns) {
    const caret = pattern.lastIndexOf('^');
    const name = caret > 0 ? pattern.slice(0, caret) : pattern;
    const boost = caret > 0 ? Number(pattern.slice(caret + 1)) : 1;
    if (!Number.isFinite(boost)) throw numberFormat(pattern.slice(caret + 1));
    if (boost < 0)
      throw illegalArgument(`negative [boost] are not allowed in [${name}], use a value between 0 and 1 to deboost`);
    if (!name.includes('*')) {
      found.set(name, (found.get(name) ?? 1) * boost);
      continue;
    }
    for (const field of fieldsLike(name, context)) {
      if (isMetadata(field)) continue;
      if ((isNamed && name !== '*') || !NOT_FOR_WORDS.includes(field.family))
        found.set(field.path, (found.get(field.path) ?? 1) * boost);
    }
  }
  if (found.size > 1024)
    throw illegalArgument(`field expansion matches too many fields, limit: 1024, got: ${found.size}`);
  return entriesInHashOrder(found).map(([name, boost]) => ({ name, boost }));
}

/** Types of `multi_match`. */
export type MultiMatchType =
  | 'best_fields'
  | 'most_fields'
  | 'cross_fields'
  | 'phrase'
  | 'phrase_prefix'
  | 'bool_prefix';

/** The share by which fields other than the best one count. */
export function tieBreakerOf(type: MultiMatchType): number {
  return type === 'most_fields' || type === 'bool_prefix' ? 1 : 0;
}

/** Builds the query for one text over several fields. */
export function multiMatchQuery(
  type: MultiMatchType,
  fields: readonly WeightedField[],
  value: unknown,
  options: MultiMatchOptions,
  context: QueryContext,
): Query {
  return multiMatchWords(type, fields, value, options, context, nothing(options)) ?? nothing(options);
}

/** Options of a match over several fields. */
export type MultiMatchOptions = MatchOptions & { readonly tieBreaker?: number | undefined };

/** The same; undefined for a text without words. @param empty the query of a field whose analyzer leaves no words; absent: the field has none */
export function multiMatchWords(
  type: MultiMatchType,
  fields: readonly WeightedField[],
  value: unknown,
  options: MultiMatchOptions,
  context: QueryContext,
  empty = options.zeroTermsQuery === 'all' ? nothing(options) : undefined,
): Query | undefined {
  if (fields.every(({ name }) => context.mapping.field(name) === undefined))
    return unmapped(fields.map(({ name }) => name).join(', '));
  if (type === 'cross_fields') return crossFields(fields, String(value), options, context);
  const kind: MatchKind = type === 'phrase' || type === 'phrase_prefix' || type === 'bool_prefix' ? type : 'match';
  const queries = fields.flatMap(({ boost, name }): Query[] => {
    if (context.mapping.field(name) === undefined) return [];
    const query = matchWords(kind, name, value, options, context) ?? empty;
    return query === undefined ? [] : [boosted(query, boost)];
  });
  if (queries.length <= 1) return queries[0];
  const { tieBreaker = tieBreakerOf(type) } = options;
  if (!(tieBreaker >= 0 && tieBreaker <= 1)) throw failedQuery('tieBreakerMultiplier must be in [0, 1]', context.index);
  return { kind: 'dis_max', queries, tieBreaker };
}

/** Multiplies the score of a query. */
export function boosted(query: Query, boost: number): Query {
  return boost === 1 ? query : { ...query, boost: (query.boost ?? 1) * boost };
}

interface BoostedField {
  readonly field: MappedField;
  readonly boost: number;
}

/** `cross_fields`: matches term by term over all fields with the same analyzer; each analyzer has a query of its own. */
function crossFields(
  fields: readonly WeightedField[],
  text: string,
  options: MultiMatchOptions,
  context: QueryContext,
): Query | undefined {
  const { tieBreaker = 0 } = options;
  const groups = new Map<unknown, [BoostedField, ...BoostedField[]]>();
  for (const { boost, name } of fields) {
    const field = context.mapping.field(name);
    if (field === undefined) continue;
    // Fields without an analyzer form one group. Elasticsearch compares analyzers by name: shingles and prefixes have that of their field.
    const named = asYouType(field, context) ?? field;
    const key = field.family === 'text' ? analyzerFor(named, options, false, context) : field.normalizer;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ field, boost }]);
    else group.push({ field, boost });
  }
  const queries = [...groups.values()].flatMap((group): Query | readonly [] => {
    const [{ boost, field }] = group;
    if (group.length === 1) {
      const query = matchWords('match', field.path, text, options, context);
      return query === undefined ? [] : boosted(query, boost);
    }
    const make = blendedQueries(group, options, context);
    if (field.family !== 'text') return make.term(text);
    const words = wordsOf(analyzerFor(field, options, false, context), text);
    countClauses(context, words.words.length * group.length);
    return analyzedQuery('match', words, make, options) ?? [];
  });
  return queries.length <= 1 ? queries[0] : { kind: 'dis_max', queries, tieBreaker };
}

/** Makes the queries for words on several fields at once (MultiMatchQuery.BlendedQueryBuilder). */
function blendedQueries(
  group: readonly { readonly field: MappedField; readonly boost: number }[],
  options: MultiMatchOptions,
  context: QueryContext,
): WordQueries {
  const { tieBreaker = 0 } = options;
  const cutoff = options.cutoff === undefined ? {} : { cutoff: options.cutoff };
  const best = (queries: readonly Query[]): Query =>
    queries.length === 1 ? queries[0]! : { kind: 'dis_max', queries, tieBreaker };
  const each = (make: (of: WordQueries) => Query): Query => ({
    kind: 'dis_max',
    queries: group.map(({ boost, field }) => boosted(make(wordQueries(field, options, context)), boost)),
    tieBreaker,
  });
  const blend = (terms: readonly string[]): Query => {
    const blended: { readonly field: string; readonly term: string; readonly boost: number }[] = [];
    const others: Query[] = [];
    for (const { boost, field } of group) {
      for (const term of terms) {
        const query = field.family === 'text' ? undefined : lenientTerm(field.path, term, options, context);
        if (query === undefined || query.kind === 'term')
          blended.push({ field: field.path, term: query?.kind === 'term' ? query.term : term, boost });
        else others.push(boosted(query, boost));
      }
    }
    return best(
      blended.length === 0 ? others : [...others, { kind: 'blended', words: blended, tieBreaker, ...cutoff }],
    );
  };
  return {
    ...wordQueries(group[0]!.field, options, context),
    term: (term) => blend([term]),
    synonym: blend,
    prefix: (text) => each((make) => make.prefix(text)),
    phrase: (slots, slop) => each((make) => make.phrase(slots, slop)),
  };
}
