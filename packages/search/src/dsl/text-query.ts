// Full-text questions: how the analysed words of a text become queries on one field (match, phrase, prefix) and how the
// same text over several fields is put together (multi_match).
import type { Query, Rewrite } from '../query/query.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { illegalArgument, RequestError } from '../request-error.ts';
import { checkTime, isLimit } from '../request-budget.ts';
import { checkExpensive, countClauses, type QueryContext } from './context.ts';
import { fuzzyTerm, termQuery } from './field-query.ts';
import { minimumShouldMatch } from '../query/minimum-should-match.ts';

/** What the match family can be told. */
export interface MatchOptions {
  readonly operator?: 'and' | 'or';
  readonly minimumShouldMatch?: unknown;
  readonly fuzziness?: unknown;
  readonly prefixLength?: unknown;
  readonly maxExpansions?: unknown;
  readonly transpositions?: unknown;
  /** How the terms near a word score, with `fuzziness`. */
  readonly rewrite?: Rewrite | undefined;
  readonly lenient?: boolean;
  readonly zeroTermsQuery?: 'none' | 'all';
  readonly analyzer?: string | undefined;
  readonly slop?: number;
}

/** The kinds of match. */
export type MatchKind = 'match' | 'phrase' | 'phrase_prefix' | 'bool_prefix';

/** The words of a text, those at one position together. */
export interface Slot {
  readonly position: number;
  readonly terms: readonly string[];
}

export function slotsOf(analyzer: Analyzer, text: string): Slot[] {
  const list = analyzer.analyze(text);
  const slots: { position: number; terms: string[] }[] = [];
  for (let at = 0; at < list.terms.length; at++) {
    const last = slots.at(-1);
    const term = list.terms[at]!;
    if (last === undefined || last.position !== list.positions[at])
      slots.push({ position: list.positions[at]!, terms: [term] });
    else if (!last.terms.includes(term)) last.terms.push(term);
  }
  return slots;
}

function analyzerFor(field: MappedField, options: MatchOptions, phrase: boolean, context: QueryContext): Analyzer {
  if (options.analyzer === undefined) return phrase ? field.searchQuoteAnalyzer : field.searchAnalyzer;
  const found = context.mapping.analysis.analyzer(options.analyzer);
  if (found === undefined) throw illegalArgument(`[match] analyzer [${options.analyzer}] not found`);
  return found;
}

function single(field: string, slot: Slot): Query {
  return slot.terms.length === 1
    ? { kind: 'term', field, term: slot.terms[0]! }
    : { kind: 'synonym', field, terms: slot.terms };
}

function nothing(options: MatchOptions): Query {
  return { kind: options.zeroTermsQuery === 'all' ? 'match_all' : 'match_none' };
}

/** A match of one kind on one field. */
export function matchQuery(
  kind: MatchKind,
  name: string,
  value: unknown,
  options: MatchOptions,
  context: QueryContext,
): Query {
  countClauses(context, 1);
  checkTime();
  const field = context.mapping.field(name);
  const lenient = (make: () => Query): Query => {
    if (options.lenient !== true) return make();
    try {
      return make();
    } catch (error) {
      if (error instanceof Error && !(error instanceof TypeError) && !isLimit(error)) return { kind: 'match_none' };
      throw error;
    }
  };
  if (field === undefined) return { kind: 'match_none' };
  if (options.fuzziness !== undefined) checkExpensive(context, '[fuzzy] queries');
  if (field.family !== 'text') {
    if (kind === 'phrase_prefix' || kind === 'bool_prefix') {
      if (kind === 'phrase_prefix') {
        return lenient(() => {
          throw illegalArgument(
            `Can only use phrase prefix queries on text fields - not on [${field.path}] which is of type [${field.type}]`,
          );
        });
      }
      if (field.family === 'keyword') return { kind: 'prefix', field: field.path, prefix: String(value) };
    }
    if (field.family === 'keyword' && options.fuzziness !== undefined) {
      return fuzzyTerm(field.path, String(value), { ...options, fuzziness: options.fuzziness });
    }
    if (field.family === 'keyword' && field.definition['split_queries_on_whitespace'] === true) {
      const queries = String(value)
        .trim()
        .split(/\s+/)
        .map((part) => termQuery(name, part, context));
      return queries.length === 1 ? queries[0]! : joined(queries, options);
    }
    return lenient(() => termQuery(name, value, context));
  }
  if (!field.index) throw illegalArgument(`Cannot search on field [${name}] since it is not indexed.`);
  const text = String(value);
  const slots = slotsOf(analyzerFor(field, options, kind === 'phrase' || kind === 'phrase_prefix', context), text);
  if (slots.length === 0) return nothing(options);
  countClauses(context, slots.length - 1);
  switch (kind) {
    case 'match':
      return joined(
        slots.map((slot) =>
          options.fuzziness !== undefined && slot.terms.length === 1
            ? fuzzyTerm(field.path, slot.terms[0]!, { ...options, fuzziness: options.fuzziness })
            : single(field.path, slot),
        ),
        options,
      );
    case 'phrase':
      if (slots.length === 1) return single(field.path, slots[0]!);
      requirePositions(field, context);
      return { kind: 'phrase', field: field.path, terms: relative(slots), slop: options.slop ?? 0 };
    case 'phrase_prefix': {
      const last = slots.at(-1)!;
      const maxExpansions = options.maxExpansions === undefined ? 50 : Number(options.maxExpansions);
      if (slots.length === 1) {
        return {
          kind: 'phrase',
          field: field.path,
          terms: [],
          prefix: { position: 0, text: last.terms[0]!, maxExpansions },
        };
      }
      requirePositions(field, context);
      const all = relative(slots);
      return {
        kind: 'phrase',
        field: field.path,
        terms: all.slice(0, -1),
        slop: options.slop ?? 0,
        prefix: { position: all.at(-1)!.position, text: last.terms[0]!, maxExpansions },
      };
    }
    case 'bool_prefix': {
      checkExpensive(context, '[prefix] queries');
      const last = slots.at(-1)!;
      const queries = slots
        .slice(0, -1)
        .map((slot) =>
          options.fuzziness !== undefined && slot.terms.length === 1
            ? fuzzyTerm(field.path, slot.terms[0]!, { ...options, fuzziness: options.fuzziness })
            : single(field.path, slot),
        );
      const prefix: Query = { kind: 'prefix', field: field.path, prefix: last.terms[0]! };
      return joined([...queries, prefix], options);
    }
  }
}

function requirePositions(field: MappedField, context: QueryContext): void {
  if (field.positions) return;
  throw new RequestError(
    'SEARCH_SHARD_FAILURE',
    'query_shard_exception',
    `failed to create query: field:[${field.path}] was indexed without position data; cannot run PhraseQuery`,
    { phase: true, fields: { index: context.index } },
  );
}

function relative(slots: readonly Slot[]): Slot[] {
  const first = slots[0]!.position;
  return slots.map((slot) => ({ position: slot.position - first, terms: slot.terms }));
}

function joined(queries: readonly Query[], options: MatchOptions): Query {
  if (queries.length === 1) return queries[0]!;
  if (options.operator === 'and') return { kind: 'boolean', must: queries };
  const needed =
    options.minimumShouldMatch === undefined
      ? 1
      : Math.max(1, minimumShouldMatch(options.minimumShouldMatch, queries.length));
  if (needed > queries.length) return { kind: 'match_none' };
  return { kind: 'boolean', should: queries, minimumShouldMatch: needed };
}

/** A field to ask and the weight of its answer. */
export interface WeightedField {
  readonly name: string;
  readonly boost: number;
}

/** What a pattern over fields passes by. */
const NOT_FOR_TEXT: readonly MappedField['family'][] = ['none', 'geo', 'range', 'completion'];

/** Fields as requests list them: `title^2`, `*_name`. Patterns skip fields that text cannot be asked of. */
export function expandFields(patterns: readonly string[], context: QueryContext): WeightedField[] {
  const found = new Map<string, number>();
  for (const pattern of patterns) {
    const caret = pattern.lastIndexOf('^');
    const name = caret > 0 ? pattern.slice(0, caret) : pattern;
    const boost = caret > 0 ? Number(pattern.slice(caret + 1)) : 1;
    if (!Number.isFinite(boost)) throw illegalArgument(`[boost] of field [${pattern}] is not a number`);
    if (!name.includes('*')) {
      found.set(name, (found.get(name) ?? 1) * boost);
      continue;
    }
    for (const field of context.mapping.matching(name)) {
      if (field.index && !NOT_FOR_TEXT.includes(field.family)) {
        found.set(field.path, (found.get(field.path) ?? 1) * boost);
      }
    }
  }
  if (found.size > 1024)
    throw illegalArgument(`field expansion matches too many fields, limit: 1024, got: ${found.size}`);
  return [...found].map(([name, boost]) => ({ name, boost }));
}

/** The ways fields work together. */
export type MultiMatchType =
  | 'best_fields'
  | 'most_fields'
  | 'cross_fields'
  | 'phrase'
  | 'phrase_prefix'
  | 'bool_prefix';

/** One text over several fields. */
export function multiMatchQuery(
  type: MultiMatchType,
  fields: readonly WeightedField[],
  value: unknown,
  options: MatchOptions & { readonly tieBreaker?: number | undefined },
  context: QueryContext,
): Query {
  if (type === 'cross_fields') return crossFields(fields, String(value), options, context);
  const kind: MatchKind = type === 'phrase' || type === 'phrase_prefix' || type === 'bool_prefix' ? type : 'match';
  const queries = fields
    .filter((field) => context.mapping.field(field.name) !== undefined)
    .map((field) => boosted(matchQuery(kind, field.name, value, options, context), field.boost));
  if (queries.length === 0) return { kind: 'match_none' };
  if (queries.length === 1) return queries[0]!;
  const tieBreaker = options.tieBreaker ?? (type === 'most_fields' || type === 'bool_prefix' ? 1 : 0);
  return { kind: 'dis_max', queries, tieBreaker };
}

/** The query with its score multiplied. */
export function boosted(query: Query, boost: number): Query {
  return boost === 1 ? query : { ...query, boost: (query.boost ?? 1) * boost };
}

/** Term by term over all fields that share an analyzer; groups of other analyzers stand beside. */
function crossFields(
  fields: readonly WeightedField[],
  text: string,
  options: MatchOptions & { readonly tieBreaker?: number | undefined },
  context: QueryContext,
): Query {
  const groups = new Map<Analyzer, WeightedField[]>();
  const others: Query[] = [];
  for (const each of fields) {
    const field = context.mapping.field(each.name);
    if (field === undefined) continue;
    if (field.family !== 'text') {
      others.push(boosted(matchQuery('match', each.name, text, options, context), each.boost));
      continue;
    }
    const analyzer = analyzerFor(field, options, false, context);
    groups.set(analyzer, [...(groups.get(analyzer) ?? []), { name: field.path, boost: each.boost }]);
  }
  const queries = [...groups].map(([analyzer, members]): Query => {
    const slots = slotsOf(analyzer, text);
    if (slots.length === 0) return nothing(options);
    countClauses(context, slots.length * members.length);
    const clauses = slots.map((slot): Query => {
      const blended = slot.terms.map((term): Query => ({
        kind: 'blended',
        term,
        fields: members.map((member) => ({ field: member.name, boost: member.boost })),
        ...(options.tieBreaker === undefined ? {} : { tieBreaker: options.tieBreaker }),
      }));
      return blended.length === 1 ? blended[0]! : { kind: 'boolean', should: blended };
    });
    return joined(clauses, options);
  });
  const all = [...queries, ...others];
  if (all.length === 0) return { kind: 'match_none' };
  return all.length === 1 ? all[0]! : { kind: 'dis_max', queries: all, tieBreaker: options.tieBreaker ?? 0 };
}
