// Full-text queries on one field: the analysed words of a text become a match, a phrase or a prefix. Not here: several fields
// (multi-match.ts).
import { textOf } from '../json/json.ts';
import { prefixQuery, shinglePhrase, shinglePrefix } from './as-you-type.ts';
import type { Rewrite } from '../query/kinds/patterns.ts';
import type { Query } from '../query/query.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { inputTerm } from '../mapping/completion.ts';
import { failedQuery, illegalArgument, RequestError } from '../errors/request-error.ts';
import { checkTime } from '../tasks/request-budget.ts';
import { checkExpensive, countClauses, type QueryContext } from './context.ts';
import { type MatchKind, queryOfWords, type Slot, type WordQueries } from './analyzed-query.ts';
import { fuzzyTerm, patternField, termQuery } from './field-query.ts';
import { leniently, NO_TERMS, refused, unmapped } from './lenient.ts';
import { type Words, wordsOf } from './token-graph.ts';
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

/** The analyzer of the words of a field. @param phrase whether they are of a phrase */
export function analyzerFor(
  field: MappedField,
  options: MatchOptions,
  phrase: boolean,
  context: QueryContext,
): Analyzer {
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

/** The query for a text without words, by `zero_terms_query`. */
export function nothing(options: MatchOptions): Query {
  return options.zeroTermsQuery === 'all' ? { kind: 'match_all' } : NO_TERMS;
}

/** The query for a term; with `lenient`, one that does not fit its field matches nothing. */
export function lenientTerm(name: string, term: string, options: MatchOptions, context: QueryContext): Query {
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
export function matchWords(
  kind: MatchKind,
  name: string,
  value: unknown,
  options: MatchOptions,
  context: QueryContext,
): Query | undefined {
  countClauses(context, 1);
  checkTime();
  const field = context.mapping.field(name);
  if (field === undefined) return unmapped(name);
  if (options.fuzziness !== undefined) checkExpensive(context, 'fuzzy');
  if (field.family !== 'text') return matchTerms(kind, name, value, field, options, context);
  if (!field.index)
    return refused(name, illegalArgument(`Cannot search on field [${field.path}] since it is not indexed.`), options);
  if (field.type === 'prefix' && (kind === 'phrase' || kind === 'phrase_prefix'))
    return refused(
      name,
      failedQuery(
        `Can only use ${kind.replace('_', ' ')} queries on text fields - not on [${field.path}] which is of type [prefix]`,
        context.index,
      ),
      options,
    );
  const analyzer = analyzerFor(field, options, kind === 'phrase' || kind === 'phrase_prefix', context);
  return analyzedQuery(kind, wordsOf(analyzer, textOf(value)), wordQueries(field, options, context), options);
}

/** The query on a field whose values are no texts: most take the words as one term. */
function matchTerms(
  kind: MatchKind,
  name: string,
  value: unknown,
  field: MappedField,
  options: MatchOptions,
  context: QueryContext,
): Query | undefined {
  const text = textOf(value);
  const isPhrase = kind === 'phrase' || kind === 'phrase_prefix';
  if (isPhrase && splitsQueries(field) && /\S\s+\S/.test(text))
    return refused(name, noPositions(field, context), options);
  if (kind === 'phrase_prefix')
    return refused(
      name,
      illegalArgument(
        `Can only use phrase prefix queries on text fields - not on [${field.path}] which is of type [${field.type}]`,
      ),
      options,
    );
  if (field.family === 'keyword') {
    if (kind === 'bool_prefix') return prefixQuery(field, text, context);
    if (options.fuzziness !== undefined)
      return fuzzyTerm(field.path, text, { ...options, fuzziness: options.fuzziness });
  }
  if (splitsQueries(field)) {
    const words = text.trim().split(/\s+/);
    return joined(
      words.map((word) => termQuery(name, word, context)),
      options,
    );
  }
  if (field.type === 'rank_feature' || field.type === 'rank_features')
    return featureWords(kind, field, text, options, context);
  if (options.analyzer !== undefined || field.family === 'completion')
    return analyzedTerms(kind, field, text, options, context);
  return leniently(
    name,
    () => {
      // Throws: neither numbers, dates, addresses nor ids have near words.
      if (options.fuzziness !== undefined && kind !== 'phrase') patternField(name, 'fuzzy', context);
      return termQuery(name, value, context);
    },
    options,
  );
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
  const one = (): Query => leniently(field.path, () => termQuery(field.path, text, context), options);
  if (kind === 'match' && length > 1) return joined(Array.from({ length }, one), options);
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
export function analyzedQuery(
  kind: MatchKind,
  words: Words,
  make: WordQueries,
  options: MatchOptions,
): Query | undefined {
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
export function wordQueries(field: MappedField, options: MatchOptions, context: QueryContext): WordQueries {
  const { path } = field;
  const { fuzziness, slop = 0 } = options;
  const maxExpansions = options.maxExpansions === undefined ? 50 : Number(options.maxExpansions);
  return {
    count: (clauses) => countClauses(context, clauses),
    term: (term) =>
      fuzziness === undefined ? { kind: 'term', field: path, term } : fuzzyTerm(path, term, { ...options, fuzziness }),
    synonym: (terms) => ({ kind: 'synonym', field: path, terms }),
    prefix(prefix) {
      checkExpensive(context, 'prefix');
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
