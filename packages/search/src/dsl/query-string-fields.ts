// The queries on fields for the words, phrases, ranges and patterns of a query string: Elasticsearch's QueryStringQueryParser. The grammar
// is in `query-string.ts`.
import { textOf } from '../json/json.ts';
import type { Rewrite } from '../query/kinds/patterns.ts';
import type { Query } from '../query/query.ts';
import { isLimit } from '../tasks/request-budget.ts';
import { checkRegexLength, checkRegexp, countClauses, type QueryContext } from './context.ts';
import { constantTerms } from './constant-query.ts';
import { createQueryError, editsFor, existsQuery, patternField, rangeQuery, editsOf } from './field-query.ts';
import { boosted } from './boosted.ts';
import { lenientNone, unmapped } from './lenient.ts';
import { type MatchOptions } from './match-query.ts';
import { expandFields, multiMatchWords, type MultiMatchType, tieBreakerOf, type WeightedField } from './multi-match.ts';
import { fuzzyWord, namedAnalyzer, normalized, normalizedPattern, prefixWord, quotedFields } from './word-query.ts';

/** Options of `query_string`. */
export interface QueryStringOptions {
  /** Fields of words without a field name. */
  readonly fields: readonly WeightedField[];
  /** `default_field`, if it was given or is `*`. */
  readonly defaultField?: string | undefined;
  readonly operator: 'and' | 'or';
  readonly analyzer?: string | undefined;
  readonly quoteAnalyzer?: string | undefined;
  readonly allowLeadingWildcard: boolean;
  readonly analyzeWildcard: boolean;
  /** Suffix of the fields for quoted words (`quote_field_suffix`), if such fields exist. */
  readonly quoteFieldSuffix?: string | undefined;
  readonly phraseSlop: number;
  readonly fuzziness: unknown;
  readonly fuzzyPrefixLength: number;
  readonly fuzzyMaxExpansions: number;
  readonly fuzzyTranspositions: boolean;
  readonly maxDeterminizedStates?: number | undefined;
  readonly lenient: boolean;
  readonly phrasesOfSynonyms: boolean;
  readonly closesGaps: boolean;
  readonly minimumShouldMatch?: unknown;
  readonly timeZone?: string | undefined;
  readonly type: MultiMatchType;
  readonly tieBreaker?: number | undefined;
  readonly rewrite?: Rewrite | undefined;
}

type Bounds = Pick<Parameters<typeof rangeQuery>[1], 'gt' | 'gte' | 'lt' | 'lte'>;

const NONE: Query = { kind: 'match_none' };

export class QueryStringFields {
  readonly defaultField: string | undefined;
  readonly #options: QueryStringOptions;
  readonly #context: QueryContext;
  readonly #fail: (reason: string) => never;

  /** @param fail throws a syntax error of the whole query */
  constructor(options: QueryStringOptions, context: QueryContext, fail: (reason: string) => never) {
    this.defaultField = options.defaultField;
    this.#options = options;
    this.#context = context;
    this.#fail = fail;
  }

  /** Analysed words; undefined if none is left. */
  words(field: string | undefined, text: string): Query | undefined {
    if (field === '_exists_') return existsQuery(text, this.#context);
    const { timeZone, type } = this.#options;
    if (field !== undefined && text.length > 1) {
      const found = /^([<>]=?)(?=[^])([^]+)$/.exec(text);
      // `>=` alone is more than `=`.
      const [operator, value] = found === null ? [undefined, ''] : [found[1]!, found[2]!];
      if (operator !== undefined) {
        const key = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }[operator]!;
        return this.range(field, { [key]: value });
      }
      if (timeZone !== undefined && this.#context.mapping.field(field)?.family === 'date')
        return this.range(field, { gte: text, lte: text });
    }
    return this.#match(type, this.#fieldsOf(field), text, this.#options.analyzer, this.#options.phraseSlop, field);
  }

  /** Words in quotes. @param slop `phrase_slop` by default */
  phrase(field: string | undefined, text: string, slop = this.#options.phraseSlop): Query | undefined {
    if (field === '_exists_') return existsQuery(text, this.#context);
    const { analyzer, quoteAnalyzer, quoteFieldSuffix } = this.#options;
    const fields = quotedFields(this.#fieldsOf(field), quoteFieldSuffix, this.#context);
    return this.#match('phrase', fields, text, quoteAnalyzer ?? analyzer, slop);
  }

  range(field: string | undefined, bounds: Bounds): Query {
    const { analyzer, timeZone } = this.#options;
    return this.#each(field, (name) => {
      const mapped = this.#context.mapping.field(name);
      if (mapped === undefined || mapped.type === 'rank_feature') return unmapped(name);
      const read = (value: unknown): unknown =>
        mapped.family === 'text' ? normalized(namedAnalyzer(analyzer, mapped, this.#context), textOf(value)) : value;
      const own = Object.fromEntries(
        Object.entries(bounds).flatMap(([key, value]) => (value === '*' ? [] : [[key, read(value)]])),
      );
      return rangeQuery(name, { ...own, ...(timeZone === undefined ? {} : { timeZone }) }, this.#context);
    });
  }

  /** @param given the text after `~` */
  fuzzy(field: string | undefined, text: string, given: string): Query {
    const { fuzziness } = this.#options;
    const edits =
      given === '' ? editsFor(fuzziness, text) : /^\d/.test(given) ? editsOf(Number(given)) : editsFor(given, text);
    return this.#each(field, (name) => fuzzyWord(name, text, edits, this.#options, false, this.#context));
  }

  /** A prefix: its only star is the last character. */
  prefix(field: string | undefined, text: string): Query | undefined {
    return this.#some(field, (name) => prefixWord(name, text, this.#options, false, this.#context));
  }

  wildcard(field: string | undefined, pattern: string): Query {
    const { allowLeadingWildcard, analyzer, rewrite } = this.#options;
    if (pattern === '*' && field !== undefined)
      return field === '*' ? { kind: 'match_all' } : existsQuery(field, this.#context);
    const isMapped = this.#fieldsOf(field).some(({ name }) => this.#context.mapping.field(name) !== undefined);
    if (isMapped && pattern !== '*' && !allowLeadingWildcard && /^[*?]/.test(pattern))
      this.#fail(`'*' or '?' not allowed as first character in WildcardQuery`);
    return this.#each(field, (name) => {
      if (pattern === '*') return existsQuery(name, this.#context);
      const mapped = this.#context.mapping.field(name);
      if (mapped === undefined) return unmapped(name);
      if (mapped.family === 'constant') return constantTerms(mapped, [pattern], this.#context);
      patternField(name, 'wildcard', this.#context);
      const how = rewrite === undefined ? {} : { rewrite };
      const read =
        mapped.family === 'text' || analyzer !== undefined
          ? (part: string) => normalized(namedAnalyzer(analyzer, mapped, this.#context), part)
          : (part: string) => mapped.normalizer?.(part) ?? part;
      return { kind: 'wildcard', field: mapped.path, pattern: normalizedPattern(pattern, read), ...how };
    });
  }

  regexp(field: string | undefined, pattern: string): Query {
    const { maxDeterminizedStates, rewrite } = this.#options;
    checkRegexLength(this.#context, pattern);
    return this.#each(field, (name) => {
      const mapped = patternField(name, 'regexp', this.#context);
      if (mapped === undefined) return unmapped(pattern);
      checkRegexp(pattern, 'ALL');
      return {
        kind: 'regexp',
        field: mapped.path,
        pattern,
        ...(maxDeterminizedStates === undefined ? {} : { maxDeterminizedStates }),
        ...(rewrite === undefined ? {} : { rewrite }),
      };
    });
  }

  #match(
    type: MultiMatchType,
    fields: readonly WeightedField[],
    text: string,
    analyzer: string | undefined,
    slop: number,
    named?: string,
  ): Query | undefined {
    const { closesGaps, lenient, operator, phrasesOfSynonyms } = this.#options;
    const { tieBreaker = tieBreakerOf(this.#options.type) } = this.#options;
    const options: MatchOptions = { operator, lenient, phrasesOfSynonyms, closesGaps, slop, analyzer };
    if (fields.every(({ name }) => this.#context.mapping.field(name) === undefined))
      return unmapped(fields.length === 0 ? (named ?? '') : fields.map(({ name }) => name).join(', '));
    try {
      return multiMatchWords(type, fields, text, { ...options, tieBreaker }, this.#context);
    } catch (error) {
      throw createQueryError(error, this.#context);
    }
  }

  #fieldsOf(field: string | undefined): readonly WeightedField[] {
    if (field === undefined || (field === '*' && this.defaultField === '*')) return this.#options.fields;
    return field.includes('*') ? expandFields([field], this.#context, true) : [{ name: field, boost: 1 }];
  }

  /** Queries each field; the best score counts. */
  #each(field: string | undefined, make: (name: string) => Query): Query {
    return this.#some(field, make) ?? NONE;
  }

  #some(field: string | undefined, make: (name: string) => Query | undefined): Query | undefined {
    const fields = this.#fieldsOf(field);
    countClauses(this.#context, fields.length);
    if (fields.length === 0) return NONE;
    const queries: Query[] = [];
    for (const { boost, name } of fields) {
      try {
        const query = make(name);
        if (query !== undefined) queries.push(boosted(query, boost));
      } catch (error) {
        if (!this.#options.lenient || isLimit(error)) throw createQueryError(error, this.#context);
        queries.push(lenientNone(name, error));
      }
    }
    if (queries.length <= 1) return queries[0];
    const tieBreaker = this.#options.tieBreaker ?? tieBreakerOf(this.#options.type);
    return { kind: 'dis_max', queries, tieBreaker };
  }
}
