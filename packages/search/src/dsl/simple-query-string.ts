// The forgiving query language of `simple_query_string`: `+ | - " * ( ) ~N`. It never fails on syntax: what makes no sense is dropped.
// The rules are those of Lucene's SimpleQueryParser, with Elasticsearch's fields.
import type { Query } from '../query/query.ts';
import { isLimit } from '../tasks/request-budget.ts';
import { countClauses, type QueryContext } from './context.ts';
import { boosted } from './boosted.ts';
import { applyMinimumShouldMatch } from './match-query.ts';
import { multiMatchWords, type WeightedField } from './multi-match.ts';
import { fuzzyWord, prefixWord, quotedFields } from './word-query.ts';
import { editsOf } from './field-query.ts';

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
  const query = new Parser(options, context).group(text, 0);
  return query === undefined
    ? { kind: 'match_none', reason: 'empty string passed to query parser' }
    : applyMinimumShouldMatch(query, options.minimumShouldMatch);
}

/** How far groups may nest; deeper ones are no groups. */
const MAX_DEPTH = 100;

type Operation = 'and' | 'or';

/** A text, and what was made of its beginning. */
interface State {
  readonly text: string;
  readonly depth: number;
  at: number;
  /** Signs of negation in a row. */
  not: number;
  current: Operation | undefined;
  previous: Operation | undefined;
  top: Query | undefined;
}

class Parser {
  readonly #options: SimpleOptions;
  readonly #context: QueryContext;

  constructor(options: SimpleOptions, context: QueryContext) {
    this.#options = options;
    this.#context = context;
  }

  #has(flag: string): boolean {
    const { flags } = this.#options;
    return flags.has('ALL') || flags.has(flag);
  }

  #isSpace(character: string | undefined): boolean {
    return character !== undefined && ' \t\n\r'.includes(character) && this.#has('WHITESPACE');
  }

  group(text: string, depth: number): Query | undefined {
    const state: State = { text, depth, at: 0, not: 0, current: undefined, previous: undefined, top: undefined };
    while (state.at < text.length) {
      const character = text[state.at]!;
      if (character === '(' && this.#has('PRECEDENCE')) this.#subQuery(state);
      else if (character === ')' && this.#has('PRECEDENCE')) state.at++;
      else if (character === '"' && this.#has('PHRASE')) this.#phrase(state);
      else if ((character === '+' && this.#has('AND')) || (character === '|' && this.#has('OR'))) {
        if (state.top !== undefined) state.current ??= character === '+' ? 'and' : 'or';
        state.at++;
      } else if (character === '-' && this.#has('NOT')) {
        state.not++;
        state.at++;
        continue;
      } else if (this.#isSpace(character)) state.at++;
      else this.#word(state);
      state.not = 0;
    }
    return state.top;
  }

  #subQuery(state: State): void {
    const start = ++state.at;
    const end = this.#closing(state);
    if (end === undefined || state.depth >= MAX_DEPTH) return;
    state.at = end + 1;
    if (end === start) state.current = undefined;
    else this.#add(state, this.group(state.text.slice(start, end), state.depth + 1));
  }

  /** The parenthesis that closes; undefined: none does. */
  #closing({ at, text }: State): number | undefined {
    let open = 1;
    for (let place = at; place < text.length; place++) {
      const character = text[place];
      if (character === '\\' && this.#has('ESCAPE')) place++;
      else if (character === '(') open++;
      else if (character === ')' && --open === 0) return place;
    }
    return undefined;
  }

  #phrase(state: State): void {
    const start = ++state.at;
    const { text } = state;
    let phrase = '';
    let place = start;
    for (; place < text.length && text[place] !== '"'; place++) {
      if (text[place] === '\\' && this.#has('ESCAPE')) place++;
      phrase += text[place] ?? '';
    }
    if (place >= text.length) return;
    state.at = place + 1;
    if (place === start) {
      state.current = undefined;
      return;
    }
    let slop = 0;
    if (text[place + 1] === '~' && (this.#has('NEAR') || this.#has('SLOP'))) {
      if (place + 2 < text.length) slop = this.#number(state);
      else state.at++;
    }
    const { analyzer, lenient, operator, phrasesOfSynonyms, quoteFieldSuffix } = this.#options;
    const fields = quotedFields(this.#options.fields, quoteFieldSuffix, this.#context);
    const options = { analyzer, lenient, operator, phrasesOfSynonyms, slop };
    this.#add(state, multiMatchWords('phrase', fields, phrase, options, this.#context));
  }

  #ends(character: string): boolean {
    return (
      (character === '"' && this.#has('PHRASE')) ||
      (character === '|' && this.#has('OR')) ||
      (character === '+' && this.#has('AND')) ||
      ('()'.includes(character) && this.#has('PRECEDENCE')) ||
      this.#isSpace(character)
    );
  }

  /** The number behind `~`, up to where a word ends; 2 without one, 0 for what is none. */
  #number(state: State): number {
    let given = '';
    for (state.at++; state.at < state.text.length && !this.#ends(state.text[state.at]!); state.at++)
      given += state.text[state.at]!;
    if (given === '') return 2;
    return /^[+-]?\d+$/.test(given) ? Math.max(0, Number(given)) : 0;
  }

  #word(state: State): void {
    const { text } = state;
    let word = '';
    let isPrefix = false;
    let isFuzzy = false;
    for (; state.at < text.length; state.at++) {
      const character = text[state.at]!;
      if (character === '\\' && this.#has('ESCAPE')) {
        isPrefix = false;
        state.at++;
        word += text[state.at] ?? '';
        continue;
      }
      if (this.#ends(character)) break;
      if (word !== '' && character === '~' && this.#has('FUZZY')) {
        isFuzzy = true;
        break;
      }
      isPrefix = word !== '' && character === '*' && this.#has('PREFIX');
      word += character;
    }
    if (word === '') return;
    const edits = isFuzzy ? this.#number(state) : 0;
    if (edits > 0) this.#add(state, this.#fuzzy(word, editsOf(edits)));
    else if (isPrefix && !isFuzzy) this.#add(state, this.#prefix(word.slice(0, -1)));
    else {
      const { analyzer, fields, lenient, operator, phrasesOfSynonyms } = this.#options;
      const options = { analyzer, lenient, operator, phrasesOfSynonyms };
      this.#add(state, multiMatchWords('most_fields', fields, word, options, this.#context));
    }
  }

  #add(state: State, branch: Query | undefined): void {
    if (branch === undefined) return;
    const query: Query =
      state.not % 2 === 1 ? { kind: 'boolean', should: [{ kind: 'match_all' }], mustNot: [branch] } : branch;
    if (state.top === undefined) state.top = query;
    else {
      const operation = (state.current ??= this.#options.operator);
      // Another operation than before takes what there is for its first clause.
      const known: readonly Query[] =
        state.previous === operation && state.top.kind === 'boolean'
          ? ((operation === 'and' ? state.top.must : state.top.should) ?? [])
          : [state.top];
      const clauses = [...known, query];
      state.top = operation === 'and' ? { kind: 'boolean', must: clauses } : { kind: 'boolean', should: clauses };
      state.previous = operation;
    }
    state.current = undefined;
  }

  #fuzzy(text: string, edits: 0 | 1 | 2): Query | undefined {
    return this.#each((name) => fuzzyWord(name, text, edits, this.#options, true, this.#context));
  }

  #prefix(text: string): Query | undefined {
    return this.#each((name) => prefixWord(name, text, this.#options, true, this.#context));
  }

  /** The same question to each field, all of whose answers count. */
  #each(make: (name: string) => Query | undefined): Query | undefined {
    const { fields, lenient } = this.#options;
    countClauses(this.#context, fields.length);
    const queries: Query[] = [];
    for (const { boost, name } of fields) {
      try {
        const query = make(name);
        if (query !== undefined) queries.push(boosted(query, boost));
      } catch (error) {
        if (!lenient || isLimit(error)) throw error;
        const reason = error instanceof Error ? error.message.replace(/^failed to create query: /, '') : '';
        queries.push({ kind: 'match_none', reason: `failed query, caused by ${reason}` });
      }
    }
    if (queries.length === 0) return fields.length === 0 ? { kind: 'match_none' } : undefined;
    return queries.length === 1 ? queries[0]! : { kind: 'dis_max', queries, tieBreaker: 1 };
  }
}
