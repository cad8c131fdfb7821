// The tokenizers `simple_pattern` and `simple_pattern_split`: Lucene's regular expressions, which match as much as they can at each place.
import { regexpMatcher } from '../automaton/regexp.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { tick } from '../tasks/request-budget.ts';
import { text } from './part-options.ts';
import type { Token } from './token.ts';
import { defineTokenizer, type Tokenizer } from './tokenizer.ts';

/** States of a pattern at most, as Lucene's default (Operations.DEFAULT_MAX_DETERMINIZED_STATES). */
const MAX_STATES = 10_000;
/** Characters that may be looked at for one of a text: where a long beginning of a match fails, the next place looks at it again. */
const STEPS_PER_CHARACTER = 200;

/** @param splits whether matches part tokens, or are the tokens */
function simplePattern(splits: boolean) {
  return defineTokenizer({
    options: { pattern: text('', 'pattern') },
    build({ pattern }): Tokenizer {
      const matcher = regexpMatcher(pattern, 'ALL', false, MAX_STATES);
      /** The end of the longest match that begins at a place; the place itself where none does. */
      const matchAt = (given: string, start: number): { readonly end: number; readonly steps: number } => {
        let state = matcher.start;
        let end = start;
        let at = start;
        for (let point = given.codePointAt(at); point !== undefined; point = given.codePointAt(at)) {
          state = matcher.step(state, point);
          if (state < 0) break;
          at += point > 0xffff ? 2 : 1;
          if (matcher.accepts(state)) end = at;
        }
        return { end, steps: at - start + 1 };
      };
      return (given) => {
        const tokens: Token[] = [];
        const add = (start: number, end: number): void => {
          if (end > start)
            tokens.push({ term: given.slice(start, end), position: tokens.length, start, end, type: 'word' });
        };
        let left = 1_000_000 + STEPS_PER_CHARACTER * given.length;
        let from = 0;
        for (let at = 0; at < given.length;) {
          const { end, steps } = matchAt(given, at);
          tick(steps);
          left -= steps;
          if (left < 0)
            throw illegalArgument(
              `a text of [${given.length}] characters takes too long to match with the pattern [${pattern}]; shorten the text or simplify the pattern`,
            );
          if (end === at) {
            at += (given.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
            continue;
          }
          add(splits ? from : at, splits ? at : end);
          at = from = end;
        }
        if (splits) add(from, given.length);
        return tokens;
      };
    },
  });
}

export const SIMPLE_PATTERN_TOKENIZERS = {
  simple_pattern: simplePattern(false),
  simple_pattern_split: simplePattern(true),
};
