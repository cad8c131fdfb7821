// Token filters that put further tokens beside those there are, or make one of all: `multiplexer`, `pattern_capture`,
// `dictionary_decompounder`, `fingerprint`.
import { tick } from '../tasks/request-budget.ts';
import type { BoundedRegex } from './bounded-regex.ts';
import { readPattern } from './java-pattern.ts';
import { CHAIN, HARD } from './part-definition.ts';
import { character, flag, integer, patterns, required, strings, texts } from './part-options.ts';
import { removeDuplicates } from './removing-filters.ts';
import { TokenCount } from './token-count.ts';
import { defineFilter, type TokenFilter } from './token-filter.ts';
import type { Token } from './token.ts';

/** `multiplexer`: what each of the chains makes of each token, at its position; with `original` the token as well. */
function multiplexer(chains: readonly TokenFilter[], original: boolean): TokenFilter {
  const all = original || chains.length === 0 ? [(tokens: Token[]) => tokens, ...chains] : chains;
  return (tokens) => {
    const made = new TokenCount('multiplexer');
    const found = tokens.flatMap((token) =>
      all.flatMap((chain) => {
        const copies = chain([{ ...token }]);
        for (const copy of copies) made.add(copy.term.length);
        return copies;
      }),
    );
    return removeDuplicates(found);
  };
}

/** `pattern_capture`: the groups of all matches of each pattern, by where they begin; with `original` behind the token. */
function patternCapture(patterns: readonly BoundedRegex[], original: boolean): TokenFilter {
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
        const place = next?.shift();
        if (place === undefined) return found.length === 0 ? [token] : found;
        const [start, end] = place;
        made.add(end - start);
        found.push({ ...token, term: token.term.slice(start, end) });
      }
    });
  };
}

function captures(term: string, regex: RegExp, original: boolean): (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  for (const match of term.matchAll(regex)) {
    for (const place of match.indices?.slice(1) ?? []) {
      // A group that took no part has no place.
      if (place === undefined || place[0] === place[1]) continue;
      if (!original || place[0] > 0 || place[1] < term.length) found.push(place);
    }
  }
  return found;
}

interface DecompounderOptions {
  readonly words: Iterable<string>;
  readonly minWord: number;
  readonly minPart: number;
  readonly maxPart: number;
  readonly longestOnly: boolean;
}

/** `dictionary_decompounder`: the words of a list that a token holds, at its position. */
function dictionaryDecompounder(options: DecompounderOptions): TokenFilter {
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
        tick(maxPart);
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

/** One token of all different terms, sorted; none when it would be longer than `maxSize`. */
export function fingerprint(separator: string, maxSize = 255): TokenFilter {
  return (tokens, textEnd) => {
    // Its end leaves a position free, whatever was removed before (FingerprintFilter.end).
    if (textEnd !== undefined) textEnd.holes = 1;
    const last = tokens.at(-1)?.end;
    if (last === undefined) return tokens;
    const term = [...new Set(tokens.map((token) => token.term))].sort().join(separator);
    return term.length > maxSize
      ? []
      : [{ term, position: 0, start: 0, end: textEnd?.offset ?? last, type: 'fingerprint' }];
  };
}

/** The options of `fingerprint`, the token filter and the analyzer. */
export const FINGERPRINT_OPTIONS = {
  separator: character(
    ' ',
    (key, given) => `Setting [${key}] must be a single, non-null character. [${given}] was provided.`,
  ),
  max_output_size: integer(255),
};

export const ADDING_FILTERS = {
  multiplexer: defineFilter({
    options: { filters: strings, preserve_original: flag(true) },
    needsChain: true,
    forSynonyms: () => undefined,
    cost: ({ filters }) => Math.max(HARD, CHAIN * filters.length),
    build({ filters, preserve_original }, { chain, limits, name }) {
      limits.count('filters', filters.length);
      const chains = filters.map((names) =>
        chain(
          names
            .split(',')
            .map((each) => each.trim())
            .filter((each) => each !== ''),
          `Multiplexing filter [${name}] refers to undefined tokenfilter`,
        ),
      );
      return multiplexer(chains, preserve_original);
    },
  }),
  pattern_capture: defineFilter({
    options: {
      patterns: required(patterns, (name) => `required setting 'patterns' is missing for token filter [${name}]`),
      preserve_original: flag(true),
    },
    cost: ({ patterns }) => Math.max(HARD, CHAIN * patterns.length),
    build({ patterns, preserve_original }, { limits }) {
      limits.count('patterns', patterns.length);
      return patternCapture(
        patterns.map((each) => readPattern(each)),
        preserve_original,
      );
    },
  }),
  dictionary_decompounder: defineFilter({
    options: {
      word_list: required(
        texts,
        (name) => `word_list must be provided for [${name}], either as a path to a file, or directly`,
      ),
      min_word_size: integer(5),
      min_subword_size: integer(2),
      max_subword_size: integer(15),
      only_longest_match: flag(false),
    },
    cost: () => HARD,
    build: (options) =>
      dictionaryDecompounder({
        words: options.word_list,
        minWord: options.min_word_size,
        minPart: Math.max(1, options.min_subword_size),
        maxPart: options.max_subword_size,
        longestOnly: options.only_longest_match,
      }),
  }),
  fingerprint: defineFilter({
    options: FINGERPRINT_OPTIONS,
    forSynonyms: () => undefined,
    build: ({ max_output_size, separator }) => fingerprint(separator, max_output_size),
  }),
};
