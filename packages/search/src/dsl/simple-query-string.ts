// The forgiving query language of `simple_query_string`: `+ | - " * ( ) ~N`. It never fails on syntax: what makes no
// sense is dropped.
import type { Query } from '../query/query.ts';
import { isLimit } from '../request-budget.ts';
import { countClauses, type QueryContext } from './context.ts';
import { constantTerms } from './constant-query.ts';
import { fuzzyTerm, patternField } from './field-query.ts';
import { minimumShouldMatch } from '../query/minimum-should-match.ts';
import { boosted, matchQuery, type MatchOptions, type WeightedField } from './text-query.ts';
import { analysedPrefix, namedAnalyzer, quotedFields } from './word-query.ts';

/** Options of `simple_query_string`. */
export interface SimpleOptions {
  readonly fields: readonly WeightedField[];
  readonly operator: 'and' | 'or';
  readonly analyzer?: string | undefined;
  readonly analyzeWildcard: boolean;
  /** What stands behind the names of fields that quoted words are looked for in, where there are such fields. */
  readonly quoteFieldSuffix?: string | undefined;
  readonly lenient: boolean;
  readonly phrasesOfSynonyms: boolean;
  readonly minimumShouldMatch?: unknown;
  readonly flags: ReadonlySet<string>;
  readonly fuzzyPrefixLength: number;
  readonly fuzzyMaxExpansions: number;
  readonly fuzzyTranspositions: boolean;
}

/** Reads a simple query string. */
export function parseSimpleQueryString(text: string, options: SimpleOptions, context: QueryContext): Query {
  if (text.trim() === '*') return { kind: 'match_all' };
  const state = { text, at: 0, depth: 0 };
  const query = group(state, options, context);
  return query ?? { kind: 'match_none' };
}

interface State {
  readonly text: string;
  at: number;
  depth: number;
}

function has(options: SimpleOptions, flag: string): boolean {
  return options.flags.has('ALL') || options.flags.has(flag);
}

function group(state: State, options: SimpleOptions, context: QueryContext): Query | undefined {
  let joined: Query[] = [];
  let mode: 'and' | 'or' | undefined;
  let negate = false;
  const usual = options.operator;
  let isOr = usual === 'or';
  const add = (query: Query): void => {
    const one: Query = negate ? { kind: 'boolean', must: [{ kind: 'match_all' }], mustNot: [query] } : query;
    const wanted = mode ?? usual;
    if (joined.length > 1 && (wanted === 'or') !== isOr) joined = [combine(joined, isOr, options)];
    isOr = wanted === 'or';
    joined.push(one);
    mode = undefined;
    negate = false;
  };
  while (state.at < state.text.length) {
    const character = state.text[state.at]!;
    if (/\s/.test(character) && has(options, 'WHITESPACE')) {
      state.at++;
    } else if (character === '+' && has(options, 'AND')) {
      mode = 'and';
      state.at++;
    } else if (character === '|' && has(options, 'OR')) {
      mode = 'or';
      state.at++;
    } else if (character === '-' && has(options, 'NOT')) {
      negate = !negate;
      state.at++;
    } else if (character === '(' && has(options, 'PRECEDENCE') && state.depth < 100) {
      state.at++;
      state.depth++;
      const inner = group(state, options, context);
      state.depth--;
      if (inner !== undefined) add(inner);
    } else if (character === ')' && has(options, 'PRECEDENCE')) {
      state.at++;
      if (state.depth > 0) break;
    } else if (character === '"' && has(options, 'PHRASE')) {
      const query = phrase(state, options, context);
      if (query !== undefined) add(query);
    } else {
      const query = word(state, options, context);
      if (query !== undefined) add(query);
    }
  }
  if (joined.length === 0) return undefined;
  return combine(joined, isOr, options);
}

function combine(queries: readonly Query[], isOr: boolean, options: SimpleOptions): Query {
  if (queries.length === 1) return queries[0]!;
  if (!isOr) return { kind: 'boolean', must: queries };
  if (options.minimumShouldMatch === undefined) return { kind: 'boolean', should: queries };
  const needed = minimumShouldMatch(options.minimumShouldMatch, queries.length);
  return { kind: 'boolean', should: queries, minimumShouldMatch: Math.max(1, needed) };
}

function each(options: SimpleOptions, make: (field: string) => Query, fields = options.fields): Query {
  const queries: Query[] = [];
  for (const field of fields) {
    try {
      queries.push(boosted(make(field.name), field.boost));
    } catch (error) {
      if (!options.lenient || isLimit(error)) throw error;
    }
  }
  if (queries.length === 0) return { kind: 'match_none' };
  return queries.length === 1 ? queries[0]! : { kind: 'dis_max', queries, tieBreaker: 1 };
}

function matchOptions(options: SimpleOptions, slop: number): MatchOptions {
  return {
    operator: options.operator,
    lenient: options.lenient,
    phrasesOfSynonyms: options.phrasesOfSynonyms,
    slop,
    ...(options.analyzer === undefined ? {} : { analyzer: options.analyzer }),
  };
}

function phrase(state: State, options: SimpleOptions, context: QueryContext): Query | undefined {
  let end = state.at + 1;
  while (end < state.text.length && state.text[end] !== '"') end += state.text[end] === '\\' ? 2 : 1;
  if (end >= state.text.length) {
    state.at++;
    return undefined;
  }
  const text = state.text.slice(state.at + 1, end).replace(/\\(.)/g, '$1');
  state.at = end + 1;
  let slop = 0;
  const near = has(options, 'SLOP') || has(options, 'NEAR') ? /^~(\d+)/.exec(state.text.slice(state.at)) : null;
  if (near !== null) {
    state.at += near[0].length;
    slop = Number(near[1]);
  }
  return each(
    options,
    (field) => matchQuery('phrase', field, text, matchOptions(options, slop), context),
    quotedFields(options.fields, options.quoteFieldSuffix, context),
  );
}

function word(state: State, options: SimpleOptions, context: QueryContext): Query | undefined {
  let raw = '';
  while (state.at < state.text.length) {
    const character = state.text[state.at]!;
    if (character === '\\' && has(options, 'ESCAPE') && state.at + 1 < state.text.length) {
      raw += state.text[state.at + 1]!;
      state.at += 2;
      continue;
    }
    const ends =
      (/\s/.test(character) && has(options, 'WHITESPACE')) ||
      (character === '+' && has(options, 'AND')) ||
      (character === '|' && has(options, 'OR')) ||
      (/[()]/.test(character) && has(options, 'PRECEDENCE')) ||
      (character === '"' && has(options, 'PHRASE'));
    if (ends) break;
    raw += character;
    state.at++;
  }
  if (raw === '') {
    state.at++;
    return undefined;
  }
  const fuzzy = has(options, 'FUZZY') ? /^(.+)~(\d*)$/.exec(raw) : null;
  if (fuzzy !== null) {
    const edits = fuzzy[2] === '' ? 'AUTO' : Math.min(2, Number(fuzzy[2]));
    countClauses(context, options.fields.length);
    return each(options, (field) => {
      const mapped = patternField(field, 'fuzzy', context);
      if (mapped === undefined) return { kind: 'match_none' };
      const term =
        mapped.family === 'text' ? (mapped.searchAnalyzer.analyze(fuzzy[1]!).terms[0] ?? fuzzy[1]!) : fuzzy[1]!;
      return fuzzyTerm(field, term, {
        fuzziness: edits,
        prefixLength: options.fuzzyPrefixLength,
        maxExpansions: options.fuzzyMaxExpansions,
        transpositions: options.fuzzyTranspositions,
      });
    });
  }
  if (has(options, 'PREFIX') && raw.length > 1 && raw.endsWith('*')) {
    countClauses(context, options.fields.length);
    return each(options, (field) => {
      const own = context.mapping.field(field);
      if (own?.family === 'constant') return constantTerms(own, [raw], context);
      const mapped = patternField(field, 'prefix', context);
      if (mapped === undefined) return { kind: 'match_none' };
      const text = raw.slice(0, -1);
      if (options.analyzeWildcard && mapped.family === 'text')
        return analysedPrefix(mapped, text, namedAnalyzer(options.analyzer, mapped, context), { operator: 'or' });
      const prefix =
        mapped.family === 'text' && mapped.searchAnalyzer.analyze('Aa').terms[0] !== 'Aa' ? text.toLowerCase() : text;
      return { kind: 'prefix', field: mapped.path, prefix };
    });
  }
  return each(options, (field) => matchQuery('match', field, raw, matchOptions(options, 0), context));
}
