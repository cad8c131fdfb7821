// Token filters that put further tokens beside those there are: `keyword_repeat`, `multiplexer`, `pattern_capture`, `common_grams` and
// `dictionary_decompounder`. Filters that make grams and shingles are in `token-filters.ts`.
import { spend } from '../request-budget.ts';
import type { BoundedRegex } from './bounded-regex.ts';
import { TokenCount } from './token-count.ts';
import type { TokenFilter } from './token-filters.ts';
import { removeDuplicates } from './token-filters.ts';
import type { Token } from './token.ts';

/** `keyword_repeat`: each token once as it is, marked for stemmers, and once for them. */
export const keywordRepeat: TokenFilter = (tokens) =>
  tokens.flatMap((token) => [
    { ...token, keyword: true },
    { ...token, keyword: false },
  ]);

/** `multiplexer`: what each of the chains makes of each token, at its position; with `original` the token as well. */
export function multiplexer(chains: readonly (readonly TokenFilter[])[], original: boolean): TokenFilter {
  const all = original || chains.length === 0 ? [[], ...chains] : chains;
  return (tokens) => {
    const made = new TokenCount('multiplexer');
    const found = tokens.flatMap((token) =>
      all.flatMap((chain) => {
        let copies: Token[] = [{ ...token }];
        for (const filter of chain) copies = filter(copies);
        for (const copy of copies) made.add(copy.term.length);
        return copies;
      }),
    );
    return removeDuplicates(found);
  };
}

/** `pattern_capture`: the groups of all matches of each pattern, by where they begin; with `original` behind the token. */
export function patternCapture(patterns: readonly BoundedRegex[], original: boolean): TokenFilter {
  const withPlaces = new Map<RegExp, RegExp>();
  const indexed = (regex: RegExp): RegExp => {
    let found = withPlaces.get(regex);
    if (found === undefined) withPlaces.set(regex, (found = new RegExp(regex.source, `${regex.flags}d`)));
    return found;
  };
  return (tokens) => {
    const made = new TokenCount('pattern_capture');
    const regexes = patterns.map((pattern) => indexed(pattern.over(tokens.map(({ term }) => term))));
    return tokens.flatMap((token) => {
      const queues = regexes.map((regex) => captures(token.term, regex, original));
      const found: Token[] = original ? [token] : [];
      for (;;) {
        // The first of those that begin nearest to the front.
        let next: (readonly [start: number, end: number])[] | undefined;
        for (const queue of queues)
          if (queue.length > 0 && (next === undefined || queue[0]![0] < next[0]![0])) next = queue;
        if (next === undefined) return found.length === 0 ? [token] : found;
        const [start, end] = next.shift()!;
        made.add(end - start);
        found.push({ ...token, term: token.term.slice(start, end) });
      }
    });
  };
}

function captures(term: string, regex: RegExp, original: boolean): (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  for (const match of term.matchAll(regex)) {
    for (const place of match.indices!.slice(1)) {
      // A group that took no part has no place.
      if (place === undefined || place[0] === place[1]) continue;
      if (!original || place[0] > 0 || place[1] < term.length) found.push(place);
    }
  }
  return found;
}

/** `common_grams`: pairs of neighbours of which one is common; in a query without the words that begin a pair or end the text in one. */
export function commonGrams(words: Iterable<string>, ignoreCase: boolean, inQueries: boolean): TokenFilter {
  const common = new Set(ignoreCase ? Array.from(words, (word) => word.toLowerCase()) : words);
  const isCommon = (token: Token): boolean => common.has(ignoreCase ? token.term.toLowerCase() : token.term);
  return (tokens) => {
    const made = new TokenCount('common_grams');
    const found: Token[] = [];
    let paired = false;
    tokens.forEach((token, at) => {
      const next = tokens[at + 1];
      const pair = next !== undefined && (isCommon(token) || isCommon(next));
      // Lucene's pairs in queries follow on each other, whatever holes there are between their words.
      const before = found.at(-1)?.position ?? -1;
      const step = token.position - (tokens[at - 1]?.position ?? -1);
      if (!inQueries) found.push(token);
      else if (!pair && (next !== undefined || !paired)) found.push({ ...token, position: before + step });
      if (pair) {
        const term = `${token.term}_${next.term}`;
        made.add(term.length);
        const gram = { term, start: token.start, end: next.end, type: 'gram' };
        found.push(
          inQueries ? { ...gram, position: before + 1 } : { ...gram, position: token.position, positionLength: 2 },
        );
      }
      paired = pair;
    });
    return found;
  };
}

/** `dictionary_decompounder`: the words of a list that a token holds, at its position. */
export function dictionaryDecompounder(options: {
  readonly words: Iterable<string>;
  readonly minWord: number;
  readonly minPart: number;
  readonly maxPart: number;
  readonly longestOnly: boolean;
}): TokenFilter {
  const { minWord, minPart, longestOnly } = options;
  const words = new Set(options.words);
  const maxPart = Math.min(options.maxPart, longestOf(words));
  return (tokens) => {
    const made = new TokenCount('dictionary_decompounder');
    return tokens.flatMap((token) => {
      const found = [token];
      const { term } = token;
      if (term.length < minWord) return found;
      for (let from = 0; from <= term.length - minPart; from++) {
        let longest: string | undefined;
        spend(maxPart);
        for (let size = minPart; size <= maxPart && from + size <= term.length; size++) {
          const part = term.slice(from, from + size);
          if (!words.has(part)) continue;
          made.add(size);
          if (longestOnly) longest = part;
          else found.push({ ...token, term: part });
        }
        if (longest !== undefined) found.push({ ...token, term: longest });
      }
      return found;
    });
  };
}

/** Not as arguments of one call: a list may have a hundred thousand words. */
function longestOf(words: Iterable<string>): number {
  let longest = 0;
  for (const word of words) longest = Math.max(longest, word.length);
  return longest;
}
