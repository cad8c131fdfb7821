// Adds or replaces words by others that mean the same. Rules come in Solr's format: `a, b => c` replaces, `a, b, c` makes
// the words equivalent. A rule of several words matches a run of tokens; its alternatives start at the run's position.
// Building takes time and memory in proportion to the characters of the rules, whatever words they share.
import { spend } from '../request-budget.ts';
import { illegalArgument } from '../request-error.ts';
import { TokenCount } from './token-count.ts';
import type { Token } from './token.ts';
import type { TokenFilter } from './token-filters.ts';

/** Words in a row that stand for one another. */
type Run = readonly string[];

/** What stands for a run: the runs of one line, shared by all rules of the line. */
interface Alternatives {
  readonly runs: readonly Run[];
  /** The run itself, which is no alternative; undefined: all are. */
  readonly except: Run | undefined;
}

/** What follows a word of a rule, and what stands for the run that ends with it. */
interface RulePart {
  next: Map<string, RulePart> | undefined;
  outputs: Alternatives[] | undefined;
  keep: boolean;
}

/** Words of one rule's run at most: at each token of a text as many are looked at. */
export const MOST_RUN_WORDS = 100;

/** Characters of a word, with what stands between it and the next, at most: that many are analysed at once. */
const LONGEST_WORD = 100;

/** What analysing a character of a rule takes, in steps. */
const CHARACTER_STEPS = 200;

const emptyPart = (): RulePart => ({ next: undefined, outputs: undefined, keep: false });

/** Rules as they are found at the tokens of a text. */
export class SynonymRules {
  readonly #root = emptyPart();
  readonly #expand: boolean;
  readonly #analyze: (text: string) => string[];
  readonly #mostWords: number;

  /**
   * @param analyze how the words of a rule become terms: the filters that stand before this one
   * @param mostWords words of one run
   */
  constructor(expand: boolean, analyze: (text: string) => string[], mostWords: number) {
    this.#expand = expand;
    this.#analyze = analyze;
    this.#mostWords = mostWords;
  }

  /** Adds lines of rules, in steps. @throws RequestError naming a rule that cannot be read */
  *add(lines: readonly string[]): Generator<void, void> {
    for (const line of lines) {
      const text = line.trim();
      if (text === '' || text.startsWith('#')) continue;
      const sides = text.split('=>');
      if (sides.length > 2)
        throw illegalArgument(`failed to build synonyms: Invalid synonym rule: ${text.slice(0, 200)}`);
      const left = yield* this.#runs(sides[0]!);
      if (sides.length === 2) {
        const right = yield* this.#runs(sides[1]!);
        for (const run of left) this.#put(run, { runs: right, except: undefined }, false);
      } else if (this.#expand) {
        for (const run of left) this.#put(run, { runs: left, except: run }, true);
      } else {
        const first = left.slice(0, 1);
        for (const run of left) this.#put(run, { runs: first, except: undefined }, false);
      }
      yield;
    }
  }

  *#runs(side: string): Generator<void, Run[]> {
    const runs: Run[] = [];
    for (const part of side.split(/(?<!\\),/)) {
      if (part.length > this.#mostWords * LONGEST_WORD)
        throw illegalArgument(
          `failed to build synonyms: a rule names [${part.length}] characters between commas, which is more than the limit of [${this.#mostWords * LONGEST_WORD}]`,
        );
      spend(part.length * CHARACTER_STEPS);
      const run = this.#analyze(part.replace(/\\(.)/g, '$1').trim());
      if (run.length > 0) runs.push(run);
      if ((runs.length & 63) === 0) yield;
    }
    return runs;
  }

  #put(run: Run, alternatives: Alternatives, keep: boolean): void {
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

  /** Replaces the longest run that a rule names at each token. */
  apply(tokens: readonly Token[]): Token[] {
    const made = new TokenCount('synonym');
    const found: Token[] = [];
    for (let at = 0; at < tokens.length;) {
      const token = tokens[at]!;
      let part = this.#root.next?.get(token.term);
      let rule: RulePart | undefined;
      let end = at;
      for (let next = at + 1; part !== undefined; next++) {
        if (part.outputs !== undefined) {
          rule = part;
          end = next;
        }
        part = next < tokens.length ? part.next?.get(tokens[next]!.term) : undefined;
      }
      if (rule === undefined) {
        found.push(token);
        at++;
        continue;
      }
      if (rule.keep) for (let kept = at; kept < end; kept++) found.push(tokens[kept]!);
      const last = tokens[end - 1]!.end;
      for (const { runs, except } of rule.outputs!) {
        for (const run of runs) {
          if (run === except) continue;
          run.forEach((term, offset) => {
            made.add(term.length);
            found.push({ term, position: token.position + offset, start: token.start, end: last, type: 'SYNONYM' });
          });
        }
      }
      at = end;
    }
    return found.sort((a, b) => a.position - b.position);
  }
}

/** The filter of some rules. */
export function synonyms(rules: SynonymRules): TokenFilter {
  return (tokens) => rules.apply(tokens);
}
