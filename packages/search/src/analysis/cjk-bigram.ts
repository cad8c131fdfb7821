// The filter `cjk_bigram`: neighbouring ideographs, kana and syllables of Hangul in pairs. Which tokens are such their tokenizer says by
// the type; `standard` and `uax_url_email` do.
import type { TokenFilter } from './token-filter.ts';
import type { Token } from './token.ts';

/** The types of tokens by the names that `ignored_scripts` has for them. */
export const CJK_SCRIPTS: Readonly<Record<string, string>> = {
  han: '<IDEOGRAPHIC>',
  hiragana: '<HIRAGANA>',
  katakana: '<KATAKANA>',
  hangul: '<HANGUL>',
};

interface Sign {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Makes the filter.
 *
 * @param ignored scripts, of `CJK_SCRIPTS`, whose tokens stay as they are
 * @param unigrams whether single characters stand beside the pairs
 */
export function cjkBigram(ignored: readonly string[] = [], unigrams = false): TokenFilter {
  const types = new Set(
    Object.entries(CJK_SCRIPTS)
      .filter(([script]) => !ignored.includes(script))
      .map(([, type]) => type),
  );
  return (tokens) => {
    const found: Token[] = [];
    let position = -1;
    let before = -1;
    let signs: Sign[] = [];
    let lastEnd = 0;
    // Pairs and single characters follow on each other, whatever holes there are before them.
    const flush = (): void => {
      const [first] = signs;
      if (first !== undefined && signs.length === 1) found.push({ ...first, position: ++position, type: '<SINGLE>' });
      for (let at = 0; signs.length > 1 && at < signs.length; at++) {
        const sign = signs[at]!;
        const next = signs[at + 1];
        if (unigrams) found.push({ ...sign, position: ++position, type: '<SINGLE>' });
        if (next === undefined) break;
        const pair = { term: sign.term + next.term, start: sign.start, end: next.end, type: '<DOUBLE>' };
        found.push(unigrams ? { ...pair, position, positionLength: 2 } : { ...pair, position: ++position });
      }
      signs = [];
    };
    for (const token of tokens) {
      const step = token.position - before;
      before = token.position;
      if (!types.has(token.type)) {
        flush();
        found.push({ ...token, position: (position += step) });
        continue;
      }
      if (token.start !== lastEnd) flush();
      lastEnd = token.end;
      // A token that a filter or a char filter changed keeps its offsets for each of its characters.
      const changed = token.end - token.start !== token.term.length;
      let { start } = token;
      for (const term of token.term) {
        signs.push({ term, start, end: changed ? token.end : start + term.length });
        if (!changed) start += term.length;
      }
    }
    flush();
    return found;
  };
}
