// Lucene's query language (`title:(quick OR brown) AND date:[2020 TO *]`), as `query_string` and the URL's `q` use it.
// Syntax errors are refused with the place; `lenient` forgives values that do not fit a field, never syntax.
import type { Query, Rewrite } from '../query/query.ts';
import { RequestError } from '../request-error.ts';
import { isLimit } from '../request-budget.ts';
import { checkRegexLength, countClauses, type QueryContext } from './context.ts';
import { constantTerms } from './constant-query.ts';
import { createQueryError, existsQuery, fuzzyTerm, patternField, rangeQuery } from './field-query.ts';
import {
  boosted,
  expandFields,
  matchQuery,
  type MatchOptions,
  multiMatchQuery,
  type MultiMatchType,
  type WeightedField,
} from './text-query.ts';
import { analysedPrefix, namedAnalyzer, quotedFields } from './word-query.ts';
import { minimumShouldMatch } from '../query/minimum-should-match.ts';

/** Options of `query_string`. */
export interface QueryStringOptions {
  readonly fields: readonly WeightedField[];
  readonly operator: 'and' | 'or';
  readonly analyzer?: string | undefined;
  readonly quoteAnalyzer?: string | undefined;
  readonly allowLeadingWildcard: boolean;
  readonly analyzeWildcard: boolean;
  /** What stands behind the names of fields that quoted words are looked for in, where there are such fields. */
  readonly quoteFieldSuffix?: string | undefined;
  readonly phraseSlop: number;
  readonly fuzziness: unknown;
  readonly fuzzyPrefixLength: number;
  readonly fuzzyMaxExpansions: number;
  readonly fuzzyTranspositions: boolean;
  readonly fuzzyRewrite?: Rewrite | undefined;
  readonly maxDeterminizedStates?: number | undefined;
  readonly lenient: boolean;
  readonly phrasesOfSynonyms: boolean;
  readonly minimumShouldMatch?: unknown;
  readonly timeZone?: string | undefined;
  readonly type: MultiMatchType;
  readonly tieBreaker?: number | undefined;
  readonly rewrite?: Rewrite | undefined;
}

interface Clause {
  readonly occur: 'must' | 'should' | 'must_not';
  readonly query: Query;
}

/** Reads a query string. @throws RequestError `query_shard_exception` on a syntax error */
export function parseQueryString(text: string, options: QueryStringOptions, context: QueryContext): Query {
  if (text.trim() === '') return { kind: 'match_none' };
  const parser = new Parser(text, options, context);
  return parser.parse();
}

const SPECIAL = /[\s"()[\]{}:^~]/;

class Parser {
  readonly #text: string;
  readonly #options: QueryStringOptions;
  readonly #context: QueryContext;
  #at = 0;
  #depth = 0;

  constructor(text: string, options: QueryStringOptions, context: QueryContext) {
    this.#text = text;
    this.#options = options;
    this.#context = context;
  }

  parse(): Query {
    const query = this.#group(this.#options.fields, false);
    if (this.#at < this.#text.length) throw this.#error(`Encountered " "${this.#text[this.#at]}"`);
    return query;
  }

  #error(reason: string): Error {
    return new RequestError('SEARCH_SHARD_FAILURE', 'query_shard_exception', `Failed to parse query [${this.#text}]`, {
      phase: true,
      fields: { index: this.#context.index },
      causedBy: {
        type: 'parse_exception',
        reason: `Cannot parse '${this.#text}': ${reason} at line 1, column ${this.#at}.`,
      },
    });
  }

  #skip(): void {
    while (this.#at < this.#text.length && /[\s\u3000]/.test(this.#text[this.#at]!)) this.#at++;
  }

  #eat(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #keyword(word: string): boolean {
    const end = this.#at + word.length;
    if (!this.#text.startsWith(word, this.#at)) return false;
    if (end < this.#text.length && !/[\s()"]/.test(this.#text[end]!)) return false;
    this.#at = end;
    return true;
  }

  /** Clauses up to a closing parenthesis, joined as Lucene's classic parser does. */
  #group(fields: readonly WeightedField[], inner: boolean): Query {
    if (++this.#depth > 100) throw this.#error('the query is nested too deeply');
    const clauses: Clause[] = [];
    let conjunction: 'and' | 'or' | undefined;
    for (;;) {
      this.#skip();
      if (this.#at >= this.#text.length || this.#text[this.#at] === ')') break;
      if (clauses.length > 0) {
        if (this.#keyword('AND') || this.#eat('&&')) conjunction = 'and';
        else if (this.#keyword('OR') || this.#eat('||')) conjunction = 'or';
        else conjunction = undefined;
        this.#skip();
        if (this.#at >= this.#text.length || (this.#text[this.#at] === ')' && conjunction !== undefined)) {
          throw this.#error('Encountered "<EOF>"');
        }
      } else if (this.#keyword('AND') || this.#keyword('OR') || this.#eat('&&') || this.#eat('||')) {
        throw this.#error('Encountered an operator with nothing before it');
      }
      let sign: '+' | '-' | undefined;
      if (this.#keyword('NOT')) sign = '-';
      else if (this.#eat('!') || this.#eat('-')) sign = '-';
      else if (this.#eat('+')) sign = '+';
      this.#skip();
      const query = this.#clause(fields);
      this.#add(clauses, conjunction, sign, query);
    }
    this.#depth--;
    if (inner && clauses.length === 0) throw this.#error('Encountered " ")"');
    return this.#join(clauses);
  }

  #add(
    clauses: Clause[],
    conjunction: 'and' | 'or' | undefined,
    sign: '+' | '-' | undefined,
    query: Query | undefined,
  ): void {
    const last = clauses.at(-1);
    const isAnd = this.#options.operator === 'and';
    // QueryParserBase.addClause: AND makes the clause before required; with AND as default, OR makes it optional.
    if (last !== undefined && conjunction === 'and' && last.occur === 'should') {
      clauses[clauses.length - 1] = { ...last, occur: 'must' };
    }
    if (last !== undefined && isAnd && conjunction === 'or' && last.occur === 'must') {
      clauses[clauses.length - 1] = { ...last, occur: 'should' };
    }
    if (query === undefined) return;
    const prohibited = sign === '-';
    const required = isAnd
      ? !prohibited && conjunction !== 'or'
      : sign === '+' || (conjunction === 'and' && !prohibited);
    clauses.push({ occur: prohibited ? 'must_not' : required ? 'must' : 'should', query });
  }

  #join(clauses: readonly Clause[]): Query {
    if (clauses.length === 0) return { kind: 'match_none' };
    const only = clauses[0]!;
    if (clauses.length === 1 && only.occur !== 'must_not') return only.query;
    const of = (occur: Clause['occur']): Query[] =>
      clauses.filter((each) => each.occur === occur).map((each) => each.query);
    const must = of('must');
    const should = of('should');
    const mustNot = of('must_not');
    // Elasticsearch completes a purely negative query with match_all.
    if (must.length === 0 && should.length === 0) must.push({ kind: 'match_all' });
    const minimum = this.#options.minimumShouldMatch;
    return {
      kind: 'boolean',
      ...(must.length > 0 ? { must } : {}),
      ...(should.length > 0 ? { should } : {}),
      ...(mustNot.length > 0 ? { mustNot } : {}),
      ...(minimum === undefined || should.length === 0
        ? {}
        : { minimumShouldMatch: minimumShouldMatch(minimum, should.length) }),
    };
  }

  /** One clause; undefined when its text has no words. */
  #clause(fields: readonly WeightedField[]): Query | undefined {
    const start = this.#at;
    const named = this.#fieldName();
    const into = named === undefined ? fields : this.#fieldsNamed(named);
    this.#skip();
    const first = this.#text[this.#at];
    if (first === undefined || first === ')') {
      this.#at = Math.max(start, this.#at);
      throw this.#error(first === undefined ? 'Encountered "<EOF>"' : 'Encountered " ")"');
    }
    if (first === '(') {
      this.#at++;
      const query = this.#group(into, true);
      if (!this.#eat(')')) throw this.#error('Encountered "<EOF>", expecting ")"');
      return this.#boost(query);
    }
    if (named === '_exists_') {
      return existsQuery(this.#word(), this.#context);
    }
    if (first === '"') return this.#phrase(into);
    if (first === '[' || first === '{') return this.#range(into);
    if (first === '/') return this.#regexp(into);
    if ((first === '>' || first === '<') && named !== undefined) return this.#comparison(into);
    return this.#term(into, named);
  }

  /** Reads `name:` if it stands here. */
  #fieldName(): string | undefined {
    const match = /^((?:\\.|[^\s"()[\]{}:^~/\\+\-!&|])(?:\\.|[^\s"()[\]{}:^~\\])*):/.exec(this.#text.slice(this.#at));
    if (match === null) return undefined;
    this.#at += match[0].length;
    return unescape(match[1]!);
  }

  #fieldsNamed(name: string): readonly WeightedField[] {
    if (name === '_exists_') return [];
    return name.includes('*') ? expandFields([name], this.#context) : [{ name, boost: 1 }];
  }

  #boost(query: Query): Query {
    const match = /^\^(\d+(?:\.\d+)?)/.exec(this.#text.slice(this.#at));
    if (match === null) {
      if (this.#text[this.#at] === '^') throw this.#error('a boost must be a number');
      return query;
    }
    this.#at += match[0].length;
    return boosted(query, Number(match[1]));
  }

  #word(): string {
    let word = '';
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]!;
      if (character === '\\') {
        if (this.#at + 1 >= this.#text.length) throw this.#error('Term can not end with escape character');
        word += character + this.#text[this.#at + 1]!;
        this.#at += 2;
        continue;
      }
      if (SPECIAL.test(character)) break;
      word += character;
      this.#at++;
    }
    return word;
  }

  #term(fields: readonly WeightedField[], named: string | undefined): Query | undefined {
    const raw = this.#word();
    if (raw === '') throw this.#error(`Encountered " "${this.#text[this.#at]}"`);
    const fuzzy = /^~(\d*\.?\d*)/.exec(this.#text.slice(this.#at));
    if (fuzzy !== null) this.#at += fuzzy[0].length;
    const bare = raw.replace(/\\./g, 'x');
    let query: Query | undefined;
    if (fuzzy !== null) {
      const given = fuzzy[1] ?? '';
      // A fraction is the old similarity; Lucene takes it as two edits at most.
      const fuzziness =
        given === ''
          ? this.#options.fuzziness
          : Number(given) < 1 && given.includes('.')
            ? 'AUTO'
            : Math.min(2, Math.floor(Number(given)));
      query = this.#each(fields, (field) => {
        const mapped = patternField(field, 'fuzzy', this.#context);
        if (mapped === undefined) return { kind: 'match_none' };
        const term = this.#normalize(field, unescape(raw));
        return fuzzyTerm(field, term, {
          fuzziness,
          prefixLength: this.#options.fuzzyPrefixLength,
          maxExpansions: this.#options.fuzzyMaxExpansions,
          transpositions: this.#options.fuzzyTranspositions,
          rewrite: this.#options.fuzzyRewrite,
        });
      });
    } else if (bare === '*') {
      query =
        named === undefined || named === '*'
          ? { kind: 'match_all' }
          : this.#each(fields, (field) => existsQuery(field, this.#context));
    } else if (/[*?]/.test(bare)) {
      if (!this.#options.allowLeadingWildcard && /^[*?]/.test(bare)) {
        throw this.#error(`'*' or '?' not allowed as first character in WildcardQuery`);
      }
      query = this.#each(fields, (field) => this.#wildcard(field, raw));
    } else {
      query = this.#match(fields, unescape(raw), 'match');
    }
    return query === undefined ? undefined : this.#boost(query);
  }

  #wildcard(name: string, raw: string): Query {
    const mapped = this.#context.mapping.field(name);
    if (mapped?.family === 'constant') return constantTerms(mapped, [raw], this.#context);
    const field = patternField(name, 'wildcard', this.#context);
    if (field === undefined) return { kind: 'match_none' };
    // Elasticsearch analyses words that only end in `*`; others it normalizes with the option and without.
    if (this.#options.analyzeWildcard && field.family === 'text' && /^(?:\\.|[^*?\\])+\*$/.test(raw)) {
      const analyzer = namedAnalyzer(this.#options.analyzer, field, this.#context);
      return analysedPrefix(field, unescape(raw.slice(0, -1)), analyzer, this.#options);
    }
    const pattern = raw
      .split(/(\\.|[*?])/)
      .map((part) => (part === '' || /^(?:\\.|[*?])$/.test(part) ? part : this.#normalize(name, part)))
      .join('');
    const rewrite = this.#options.rewrite === undefined ? {} : { rewrite: this.#options.rewrite };
    const isPrefix = /^(?:\\.|[^*?\\])+\*$/.test(pattern);
    return isPrefix
      ? { kind: 'prefix', field: field.path, prefix: unescape(pattern.slice(0, -1)), ...rewrite }
      : { kind: 'wildcard', field: field.path, pattern, ...rewrite };
  }

  /** Lower-cases what an analyzer would lower-case, leaving words whole. */
  #normalize(name: string, text: string): string {
    const field = this.#context.mapping.field(name);
    if (field === undefined) return text;
    if (field.family !== 'text') return field.normalizer === undefined ? text : field.normalizer(text);
    const lowers = field.searchAnalyzer.analyze('Aa').terms[0] !== 'Aa';
    return lowers ? text.toLowerCase() : text;
  }

  #phrase(fields: readonly WeightedField[]): Query | undefined {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === '\\' ? 2 : 1;
    if (end >= this.#text.length) throw this.#error('Encountered "<EOF>", expecting a closing quote');
    const text = unescape(this.#text.slice(this.#at + 1, end));
    this.#at = end + 1;
    const slop = /^~(\d+)/.exec(this.#text.slice(this.#at));
    if (slop !== null) this.#at += slop[0].length;
    const into = quotedFields(fields, this.#options.quoteFieldSuffix, this.#context);
    const query = this.#match(into, text, 'phrase', slop === null ? this.#options.phraseSlop : Number(slop[1]));
    return query === undefined ? undefined : this.#boost(query);
  }

  #match(fields: readonly WeightedField[], text: string, kind: 'match' | 'phrase', slop = 0): Query | undefined {
    const { analyzer, quoteAnalyzer } = this.#options;
    const used = kind === 'phrase' ? (quoteAnalyzer ?? analyzer) : analyzer;
    const options: MatchOptions = {
      operator: this.#options.operator,
      lenient: this.#options.lenient,
      phrasesOfSynonyms: this.#options.phrasesOfSynonyms,
      slop,
      ...(used === undefined ? {} : { analyzer: used }),
    };
    const usual = this.#options.type;
    if (kind === 'match' && fields.length > 1 && (usual === 'cross_fields' || usual === 'most_fields')) {
      return multiMatchQuery(usual, fields, text, { ...options, tieBreaker: this.#options.tieBreaker }, this.#context);
    }
    const type =
      kind === 'match' && (usual === 'phrase' || usual === 'phrase_prefix' || usual === 'bool_prefix') ? usual : kind;
    return this.#each(fields, (field) => matchQuery(type, field, text, options, this.#context), 0);
  }

  /** The same question to each field: the best one counts. */
  #each(fields: readonly WeightedField[], make: (name: string) => Query, leaves = fields.length): Query {
    countClauses(this.#context, leaves);
    const queries: Query[] = [];
    for (const field of fields) {
      try {
        queries.push(boosted(make(field.name), field.boost));
      } catch (error) {
        if (!this.#options.lenient || isLimit(error)) throw createQueryError(error, this.#context);
      }
    }
    if (queries.length === 0) return { kind: 'match_none' };
    return queries.length === 1
      ? queries[0]!
      : {
          kind: 'dis_max',
          queries,
          tieBreaker: this.#options.tieBreaker ?? (this.#options.type === 'most_fields' ? 1 : 0),
        };
  }

  #range(fields: readonly WeightedField[]): Query {
    const open = this.#text[this.#at++]!;
    const low = this.#bound();
    this.#skip();
    if (!this.#keyword('TO')) throw this.#error('expecting "TO"');
    const high = this.#bound();
    this.#skip();
    const close = this.#text[this.#at++];
    if (close !== ']' && close !== '}') throw this.#error('expecting "]" or "}"');
    const bounds = {
      ...(low === '*' ? {} : open === '[' ? { gte: low } : { gt: low }),
      ...(high === '*' ? {} : close === ']' ? { lte: high } : { lt: high }),
      ...(this.#options.timeZone === undefined ? {} : { timeZone: this.#options.timeZone }),
    };
    return this.#boost(this.#each(fields, (field) => this.#rangeOf(field, bounds)));
  }

  #rangeOf(name: string, bounds: Parameters<typeof rangeQuery>[1]): Query {
    const normal = (value: unknown): unknown => (typeof value === 'string' ? this.#normalize(name, value) : value);
    const isText = this.#context.mapping.field(name)?.family === 'text';
    if (!isText) return rangeQuery(name, bounds, this.#context);
    return rangeQuery(
      name,
      Object.fromEntries(Object.entries(bounds).map(([key, value]) => [key, normal(value)])),
      this.#context,
    );
  }

  #bound(): string {
    this.#skip();
    if (this.#text[this.#at] === '"') {
      const end = this.#text.indexOf('"', this.#at + 1);
      if (end < 0) throw this.#error('Encountered "<EOF>", expecting a closing quote');
      const text = this.#text.slice(this.#at + 1, end);
      this.#at = end + 1;
      return text;
    }
    const match = /^(?:\\.|[^\s\]}\\])+/.exec(this.#text.slice(this.#at));
    if (match === null) throw this.#error('Encountered "<EOF>", expecting a bound of a range');
    this.#at += match[0].length;
    return unescape(match[0]);
  }

  #comparison(fields: readonly WeightedField[]): Query {
    const operator = /^[<>]=?/.exec(this.#text.slice(this.#at))![0];
    this.#at += operator.length;
    this.#skip();
    const value = this.#text[this.#at] === '"' ? this.#bound() : unescape(this.#word());
    const key = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }[operator]!;
    return this.#boost(this.#each(fields, (field) => this.#rangeOf(field, { [key]: value })));
  }

  #regexp(fields: readonly WeightedField[]): Query {
    const { maxDeterminizedStates, rewrite } = this.#options;
    const more = {
      ...(maxDeterminizedStates === undefined ? {} : { maxDeterminizedStates }),
      ...(rewrite === undefined ? {} : { rewrite }),
    };
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== '/') end += this.#text[end] === '\\' ? 2 : 1;
    if (end >= this.#text.length) throw this.#error('Encountered "<EOF>", expecting "/"');
    const pattern = this.#text.slice(this.#at + 1, end).replaceAll('\\/', '/');
    this.#at = end + 1;
    checkRegexLength(this.#context, pattern);
    const query = this.#each(fields, (field) =>
      patternField(field, 'regexp', this.#context) === undefined
        ? { kind: 'match_none' }
        : { kind: 'regexp', field, pattern, ...more },
    );
    return this.#boost(query);
  }
}

function unescape(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})|\\(.)/gs, (_, hex: string | undefined, character: string | undefined) =>
    hex === undefined ? character! : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
