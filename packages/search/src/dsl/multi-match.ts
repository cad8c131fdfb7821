// Full-text queries over several fields: `multi_match`, and the fields of query strings.
import { textOf } from '../json/json.ts';
import { asYouType } from './as-you-type.ts';
import type { Query } from '../query/query.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { isMetadata } from '../mapping/metadata-fields.ts';
import { failedQuery, illegalArgument, numberFormat } from '../errors/request-error.ts';
import { type MatchKind, type WordQueries } from './analyzed-query.ts';
import { countClauses, fieldsLike, type QueryContext } from './context.ts';
import { boosted } from './boosted.ts';
import { unmapped } from './lenient.ts';
import {
  analyzedQuery,
  analyzerFor,
  lenientTerm,
  type MatchOptions,
  matchWords,
  nothing,
  wordQueries,
} from './match-query.ts';
import { wordsOf } from './token-graph.ts';
import { entriesInHashOrder } from '../text/java-order.ts';

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
      if ((isNamed && name !== '*') || !NOT_FOR_WORDS.includes(field.family) || field.type === 'rank_features')
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
  if (type === 'cross_fields') return crossFields(fields, textOf(value), options, context);
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
