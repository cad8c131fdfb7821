// Lucene's query language (`title:(quick OR brown) AND date:[2020 TO *]`), as `query_string` and the URL's `q` use it: the grammar of its
// classic parser. What words, ranges and patterns ask of fields is in `query-string-fields.ts`. Syntax errors are refused with the place;
// `lenient` forgives values that do not fit a field, never syntax.
import type { Query } from '../query/query.ts';
import { RequestError } from '../errors/request-error.ts';
import type { QueryContext } from './context.ts';
import { QueryStringFields, type QueryStringOptions } from './query-string-fields.ts';
import { type QueryToken, queryTokens, type TokenKind, withoutEscapes } from './query-string-tokens.ts';
import { boosted } from './boosted.ts';
import { NO_TERMS } from './lenient.ts';
import { applyMinimumShouldMatch } from './match-query.ts';

interface Clause {
  readonly occur: 'must' | 'should' | 'must_not';
  readonly query: Query;
}

/** Reads a query string. @throws RequestError `query_shard_exception` on a syntax error */
export function parseQueryString(text: string, options: QueryStringOptions, context: QueryContext): Query {
  if (text.trim() === '') return NO_TERMS;
  const query = new Parser(text, options, context).parse();
  return query === undefined ? NO_TERMS : applyMinimumShouldMatch(query, options.minimumShouldMatch);
}

/** Tokens that a clause begins with. */
const CLAUSE: ReadonlySet<TokenKind> = new Set([
  'NOT',
  'PLUS',
  'MINUS',
  'BAREOPER',
  'LPAREN',
  'STAR',
  'QUOTED',
  'TERM',
  'PREFIXTERM',
  'WILDTERM',
  'REGEXPTERM',
  'RANGEIN_START',
  'RANGEEX_START',
  'NUMBER',
]);
/** Tokens by which the word before them is not one of several that are analysed together. */
const ALONE: ReadonlySet<TokenKind> = new Set(['COLON', 'STAR', 'FUZZY_SLOP', 'CARAT', 'AND', 'OR']);
const MAX_DEPTH = 100;

class Parser {
  readonly #text: string;
  readonly #isAnd: boolean;
  readonly #fields: QueryStringFields;
  readonly #context: QueryContext;
  readonly #tokens: readonly QueryToken[];
  #at = 0;
  #depth = 0;

  constructor(text: string, options: QueryStringOptions, context: QueryContext) {
    this.#text = text;
    this.#isAnd = options.operator === 'and';
    this.#context = context;
    this.#fields = new QueryStringFields(options, context, (reason) => this.#fail(reason));
    this.#tokens = queryTokens(text, (at) => this.#fail(`Lexical error at line 1, column ${at + 1}`));
  }

  /** The query; undefined when none of its words is one. */
  parse(): Query | undefined {
    const query = this.#query(this.#fields.defaultField);
    if (this.#kind() !== 'EOF') this.#unexpected();
    return query;
  }

  #fail(reason: string): never {
    throw new RequestError('SEARCH_SHARD_FAILURE', 'query_shard_exception', `Failed to parse query [${this.#text}]`, {
      phase: true,
      fields: { index: this.#context.index },
      causedBy: {
        type: 'parse_exception',
        reason: `Cannot parse '${this.#text}': ${reason}`,
        caused_by: { type: 'parse_exception', reason },
      },
    });
  }

  #unexpected(): never {
    const { at, image, kind } = this.#tokens[this.#at]!;
    const named = kind === 'EOF' ? '"<EOF>"' : ` <${kind}> "${image} "`;
    this.#fail(`Encountered ${named} at line 1, column ${at}.`);
  }

  #kind(ahead = 0): TokenKind {
    return this.#tokens[this.#at + ahead]?.kind ?? 'EOF';
  }

  #take(kind: TokenKind): QueryToken {
    if (this.#kind() !== kind) this.#unexpected();
    return this.#tokens[this.#at++]!;
  }

  #eat(kind: TokenKind): boolean {
    if (this.#kind() !== kind) return false;
    this.#at++;
    return true;
  }

  /** Clauses up to a closing parenthesis or the end. */
  #query(field: string | undefined): Query | undefined {
    if (++this.#depth > MAX_DEPTH) this.#fail('the query is nested too deeply');
    const clauses: Clause[] = [];
    let first: Query | undefined;
    if (this.#hasWords()) first = this.#words(field, clauses);
    else {
      const sign = this.#sign();
      const query = this.#clause(field);
      this.#add(clauses, undefined, sign, query);
      if (sign === undefined) first = query;
    }
    for (;;) {
      const kind = this.#kind();
      if (kind !== 'AND' && kind !== 'OR' && !CLAUSE.has(kind)) break;
      if (this.#hasWords()) {
        this.#words(field, clauses);
        continue;
      }
      const conjunction = this.#eat('AND') ? 'and' : this.#eat('OR') ? 'or' : undefined;
      const sign = this.#sign();
      this.#add(clauses, conjunction, sign, this.#clause(field));
    }
    this.#depth--;
    return clauses.length === 1 && first !== undefined ? first : joined(clauses);
  }

  #sign(): '+' | '-' | undefined {
    if (this.#eat('PLUS')) return '+';
    return this.#eat('MINUS') || this.#eat('NOT') ? '-' : undefined;
  }

  #add(
    clauses: Clause[],
    conjunction: 'and' | 'or' | undefined,
    sign: '+' | '-' | undefined,
    query: Query | undefined,
  ): void {
    const last = clauses.at(-1);
    // QueryParserBase.addClause: AND makes the clause before required; with AND as default, OR makes it optional.
    if (last !== undefined && last.occur !== 'must_not') {
      if (conjunction === 'and') clauses[clauses.length - 1] = { ...last, occur: 'must' };
      else if (conjunction === 'or' && this.#isAnd) clauses[clauses.length - 1] = { ...last, occur: 'should' };
    }
    if (query === undefined) return;
    const isRequired = this.#isAnd ? conjunction !== 'or' : sign === '+' || conjunction === 'and';
    clauses.push({ occur: sign === '-' ? 'must_not' : isRequired ? 'must' : 'should', query });
  }

  /** Whether words follow that are analysed as one text. */
  #hasWords(): boolean {
    return this.#kind() === 'TERM' && this.#kind(1) === 'TERM' && !ALONE.has(this.#kind(2));
  }

  /** Words without anything between them, analysed together; their clauses stand beside the others. */
  #words(field: string | undefined, clauses: Clause[]): Query | undefined {
    let text = this.#take('TERM').image;
    while (this.#kind() === 'TERM' && !ALONE.has(this.#kind(1))) text += ` ${this.#take('TERM').image}`;
    const query = this.#fields.words(field, this.#plain(text));
    if (query === undefined) return undefined;
    const occur = this.#isAnd ? 'must' : 'should';
    const parts = query.kind === 'boolean' ? [...(query.must ?? []), ...(query.should ?? [])] : [query];
    for (const part of parts) clauses.push({ occur, query: part });
    return query;
  }

  #clause(outer: string | undefined): Query | undefined {
    let field = outer;
    if (this.#kind(1) === 'COLON' && (this.#kind() === 'TERM' || this.#kind() === 'STAR')) {
      field = this.#kind() === 'STAR' ? '*' : this.#plain(this.#tokens[this.#at]!.image);
      this.#at += 2;
    }
    if (!this.#eat('LPAREN')) return this.#term(field);
    const query = this.#query(field);
    this.#take('RPAREN');
    return this.#boost(query, this.#boostHere());
  }

  #term(field: string | undefined): Query | undefined {
    const { image, kind } = this.#tokens[this.#at]!;
    switch (kind) {
      case 'RANGEIN_START':
      case 'RANGEEX_START':
        return this.#range(field);
      case 'QUOTED': {
        this.#at++;
        const { boost, fuzzy } = this.#modifiers();
        const slop = fuzzy === undefined ? Number.NaN : Math.trunc(Number.parseFloat(fuzzy));
        const text = this.#plain(image.slice(1, -1));
        return this.#boost(this.#fields.phrase(field, text, Number.isNaN(slop) ? undefined : slop), boost);
      }
      case 'TERM':
      case 'STAR':
      case 'PREFIXTERM':
      case 'WILDTERM':
      case 'REGEXPTERM':
      case 'NUMBER':
      case 'BAREOPER': {
        this.#at++;
        const { boost, fuzzy } = this.#modifiers();
        return this.#boost(this.#bare(field, kind === 'BAREOPER' ? image.slice(0, 1) : image, kind, fuzzy), boost);
      }
      default:
        return this.#unexpected();
    }
  }

  #bare(field: string | undefined, image: string, kind: TokenKind, fuzzy: string | undefined): Query | undefined {
    const text = this.#plain(image);
    if (kind === 'STAR' || kind === 'WILDTERM') return this.#fields.wildcard(field, image);
    if (kind === 'PREFIXTERM') return this.#fields.prefix(field, this.#plain(image.slice(0, -1)));
    if (kind === 'REGEXPTERM') return this.#fields.regexp(field, image.slice(1, -1));
    return fuzzy === undefined ? this.#fields.words(field, text) : this.#fields.fuzzy(field, text, fuzzy);
  }

  /** What stands behind a word: a boost and `~`, in any order. */
  #modifiers(): { readonly boost: string | undefined; readonly fuzzy: string | undefined } {
    let boost = this.#boostHere();
    const fuzzy = this.#kind() === 'FUZZY_SLOP' ? this.#take('FUZZY_SLOP').image.slice(1) : undefined;
    if (fuzzy !== undefined) boost ??= this.#boostHere();
    return { boost, fuzzy };
  }

  #boostHere(): string | undefined {
    return this.#eat('CARAT') ? this.#take('NUMBER').image : undefined;
  }

  #boost(query: Query | undefined, boost: string | undefined): Query | undefined {
    return query === undefined || boost === undefined ? query : boosted(query, Number(boost));
  }

  #range(field: string | undefined): Query | undefined {
    const includesLow = this.#tokens[this.#at++]!.kind === 'RANGEIN_START';
    const low = this.#bound();
    this.#take('RANGE_TO');
    const high = this.#bound();
    const includesHigh = this.#kind() === 'RANGEIN_END';
    if (!includesHigh) this.#take('RANGEEX_END');
    else this.#at++;
    const boost = this.#boostHere();
    const bounds = {
      ...(low === undefined ? {} : includesLow ? { gte: low } : { gt: low }),
      ...(high === undefined ? {} : includesHigh ? { lte: high } : { lt: high }),
    };
    return this.#boost(this.#fields.range(field, bounds), boost);
  }

  /** A bound; undefined: none. */
  #bound(): string | undefined {
    const { image, kind } = this.#tokens[this.#at]!;
    if (kind !== 'RANGE_GOOP' && kind !== 'RANGE_QUOTED' && kind !== 'RANGE_TO') return this.#unexpected();
    this.#at++;
    const text = kind === 'RANGE_QUOTED' ? image.slice(1, -1) : image;
    return text === '*' ? undefined : this.#plain(text);
  }

  #plain(text: string): string {
    return withoutEscapes(text, (reason) => this.#fail(reason));
  }
}

function joined(clauses: readonly Clause[]): Query | undefined {
  if (clauses.length === 0) return undefined;
  const of = (occur: Clause['occur']): Query[] =>
    clauses.filter((each) => each.occur === occur).map((each) => each.query);
  const must = of('must');
  const should = of('should');
  const mustNot = of('must_not');
  return {
    kind: 'boolean',
    ...(must.length > 0 ? { must } : {}),
    ...(should.length > 0 ? { should } : {}),
    ...(mustNot.length > 0 ? { mustNot } : {}),
    // Elasticsearch completes a purely negative query.
    ...(must.length + should.length === 0 ? { filter: [{ kind: 'match_all' as const }] } : {}),
  };
}
