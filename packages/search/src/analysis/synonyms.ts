// Which words mean the same, by rules in Solr's format: `a, b => c` replaces, `a, b, c` makes the words equivalent. A rule of several
// words matches a run of tokens. Where the alternatives stand is decided in `synonym-filters.ts`. Building takes time and memory in
// proportion to the characters of the rules, whatever words they share.
import { tick } from '../tasks/request-budget.ts';
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import type { Token } from './token.ts';

/** Consecutive words of a synonym. */
type Run = readonly string[];

/** The replacements of a run: the runs of one line, shared by all rules of the line. */
interface Alternatives {
  readonly runs: readonly Run[];
  /** The run itself, which is no alternative; undefined: all are. */
  readonly except: Run | undefined;
}

/** A node of the trie of rules: the next words, and the replacements of the run that ends here. */
interface RulePart {
  next: Map<string, RulePart> | undefined;
  outputs: Alternatives[] | undefined;
  keep: boolean;
}

/** What a rule says of tokens. */
export interface SynonymMatch {
  /** Tokens that it names. */
  readonly count: number;
  /** Their replacements. */
  readonly runs: readonly (readonly string[])[];
  /** Whether they stay. */
  readonly keep: boolean;
}

/** Words of one rule's run at most: at each token of a text as many are looked at. */
export const MOST_RUN_WORDS = 100;

/** Characters of a word, with what stands between it and the next, at most: that many are analysed at once. */
const LONGEST_WORD = 100;

/** What analysing a character of a rule takes, in steps. */
const CHARACTER_STEPS = 200;

/** How rules are read. */
export interface SynonymOptions {
  /** `expand`: whether all words of a line replace each other; else the first replaces all. */
  readonly expand: boolean;
  /** Whether rules that cannot be read are left out. */
  readonly lenient: boolean;
  readonly format: 'solr' | 'wordnet';
}

/** A rule as written: words that mean the same, or are replaced by those on the right. */
interface Rule {
  readonly line: number;
  readonly left: readonly string[];
  readonly right: readonly string[] | undefined;
}

/** Lucene's SolrSynonymParser. */
function* solrRules(lines: readonly string[]): Generator<Rule, void> {
  for (const [at, text] of lines.flatMap((each) => each.split(/\r\n?|\n/)).entries()) {
    if (text === '' || text.startsWith('#')) continue;
    const sides = parted(text, '=>');
    const [left = [], right] = sides.map((side) =>
      parted(side, ',').map((part) => part.replace(/\\(.)/gs, '$1').trim()),
    );
    const line = at + 1;
    if (sides.length > 2)
      throw illegalArgument(
        `failed to build synonyms: Invalid synonym rule at line ${line}: more than one explicit mapping specified on the same line`,
      );
    yield { line, left, right };
  }
}

/** The parts between separators that no backslash stands before; empty ones are none. */
function parted(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < text.length;) {
    if (text.startsWith(separator, at)) {
      if (part !== '') parts.push(part);
      part = '';
      at += separator.length;
      continue;
    }
    const length = text[at] === '\\' ? 2 : 1;
    part += text.slice(at, at + length);
    at += length;
  }
  if (part !== '') parts.push(part);
  return parts;
}

/** Where the number of a line of WordNet ends. */
const ID_END = 11;

/** Lucene reads places of a line without looking whether it has them. */
function notWordnet(start: number, end: number, length: number): Error {
  return illegalArgument('failed to build synonyms', {
    causedBy: { type: 'string_index_out_of_bounds_exception', reason: `begin ${start}, end ${end}, length ${length}` },
  });
}

/** Lucene's WordnetSynonymParser: `s(100000001,1,'woods',n,1,0).`, words of one number in a row. */
function* wordnetRules(lines: readonly string[]): Generator<Rule, void> {
  let set = '';
  let left: string[] = [];
  const all = lines.flatMap((each) => each.split(/\r\n?|\n/));
  for (const [at, text] of all.entries()) {
    const start = text.indexOf("'") + 1;
    const end = text.lastIndexOf("'");
    if (text.length < ID_END) throw notWordnet(2, ID_END, text.length);
    if (start === 0) throw notWordnet(0, end, text.length);
    const id = text.slice(2, ID_END);
    if (id !== set) {
      if (left.length > 1) yield { line: at, left, right: undefined };
      left = [];
      set = id;
    }
    left.push(text.slice(start, end).replaceAll("''", "'"));
  }
  if (left.length > 1) yield { line: all.length, left, right: undefined };
}

/** Why tokens cannot be the words of a rule, in Lucene's words. */
function mistakeIn(text: string, tokens: readonly Token[]): string | undefined {
  let before = -1;
  for (const { position, term } of tokens) {
    if (term === '') return `term: ${text} analyzed to a zero-length token`;
    if (position !== before + 1)
      return `term: ${text} analyzed to a token (${term}) with position increment != 1 (got: ${position - before})`;
    before = position;
  }
  return tokens.length === 0 ? `term: ${text} was completely eliminated by analyzer` : undefined;
}

const emptyPart = (): RulePart => ({ next: undefined, outputs: undefined, keep: false });

/** Rules as they are found at the tokens of a text. */
export class SynonymRules {
  readonly #root = emptyPart();
  readonly #options: SynonymOptions;
  readonly #analyze: (text: string) => readonly Token[];
  readonly #mostWords: number;

  /**
   * @param analyze how the words of a rule become tokens: the filters that stand before this one
   * @param mostWords words of one run
   */
  constructor(options: SynonymOptions, analyze: (text: string) => readonly Token[], mostWords: number) {
    this.#options = options;
    this.#analyze = analyze;
    this.#mostWords = mostWords;
  }

  /** Adds rules, in steps. @throws RequestError naming the line of a rule that cannot be read */
  *add(lines: readonly string[]): Generator<void, void> {
    const { expand, format } = this.#options;
    for (const rule of format === 'wordnet' ? wordnetRules(lines) : solrRules(lines)) {
      const left = yield* this.#runs(rule.left, rule.line);
      if (rule.right !== undefined) {
        const right = yield* this.#runs(rule.right, rule.line);
        for (const run of left) this.#put(run, { runs: right, except: undefined }, false);
      } else if (expand) {
        for (const run of left) if (left.length > 1) this.#put(run, { runs: left, except: run }, true);
      } else {
        const first = left.slice(0, 1);
        for (const run of left) this.#put(run, { runs: first, except: undefined }, false);
      }
      yield;
    }
  }

  *#runs(texts: readonly string[], line: number): Generator<void, Run[]> {
    const runs: Run[] = [];
    for (const [at, text] of texts.entries()) {
      if (text.length > this.#mostWords * LONGEST_WORD)
        throw illegalArgument(
          `failed to build synonyms: a rule names [${text.length}] characters between commas, which is more than the limit of [${this.#mostWords * LONGEST_WORD}]`,
        );
      tick(text.length * CHARACTER_STEPS);
      const tokens = this.#analyze(text);
      const wrong = mistakeIn(text, tokens);
      if (wrong !== undefined && !this.#options.lenient) {
        const parse = { type: 'parse_exception', reason: `Invalid synonym rule at line ${line}` };
        const causedBy = { ...parse, caused_by: { type: 'illegal_argument_exception', reason: wrong } };
        throw new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'illegal_argument_exception', 'failed to build synonyms', {
          causedBy,
        });
      }
      if (wrong === undefined) runs.push(tokens.map(({ term }) => term));
      if ((at & 63) === 63) yield;
    }
    return runs;
  }

  #put(run: Run, alternatives: Alternatives, keep: boolean): void {
    if (alternatives.runs.length === 0) return;
    if (run.length > this.#mostWords)
      throw illegalArgument(
        `failed to build synonyms: a rule of [${run.length}] words is longer than the limit of [${this.#mostWords}]`,
      );
    let part = this.#root;
    for (const word of run) {
      let next = part.next?.get(word);
      if (next === undefined) (part.next ??= new Map()).set(word, (next = emptyPart()));
      part = next;
    }
    (part.outputs ??= []).push(alternatives);
    part.keep ||= keep;
  }

  /** Finds the longest run of a rule at a token, with its replacements. */
  at(tokens: readonly Token[], at: number): SynonymMatch | undefined {
    let part = this.#root.next?.get(tokens[at]!.term);
    let found:
      | { readonly outputs: readonly Alternatives[]; readonly count: number; readonly keep: boolean }
      | undefined;
    for (let next = at + 1; part !== undefined; next++) {
      const { outputs, keep } = part;
      if (outputs !== undefined) found = { outputs, count: next - at, keep };
      part = next < tokens.length ? part.next?.get(tokens[next]!.term) : undefined;
    }
    if (found === undefined) return undefined;
    const runs = new Map<string, Run>();
    for (const { runs: given, except } of found.outputs)
      for (const run of given) if (run !== except) runs.set(run.join('\0'), run);
    return { count: found.count, runs: [...runs.values()], keep: found.keep };
  }
}
