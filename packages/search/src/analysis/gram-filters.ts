// Token filters that cut words into n-grams, or join neighbouring words: `ngram`, `edge_ngram`, `shingle`, `common_grams`, `cjk_bigram`.
import { didYouMean } from '@lockstitch/kernel';
import { illegalArgument } from '../errors/request-error.ts';
import { CJK_SCRIPTS, cjkBigram } from './cjk-bigram.ts';
import { checkGrams, HARD } from './part-definition.ts';
import { flag, integer, required, strings, text, texts } from './part-options.ts';
import { wordSet } from './removing-filters.ts';
import { TokenCount } from './token-count.ts';
import { defineFilter, type TextEnd, type TokenFilter } from './token-filter.ts';
import type { Token } from './token.ts';

/** Cost of each size of grams (50 to 100 ms for two sizes). */
const GRAMS = 10;
/** Cost of each word of each shingle (100 ms for shingles of two, three and four words). */
const SHINGLES = 2.2;
/** Maximum words of a shingle: each word of a text starts one of every size. */
const LONGEST_SHINGLE = 100;

/** What a definition of n-grams costs. */
export function gramCost(min: number, max: number, isEdge: boolean): number {
  const sizes = max - min + 1;
  // A word has at most as many edge grams as letters.
  return GRAMS * Math.max(1, isEdge ? Math.min(sizes, 4) : sizes);
}

function grams(min: number, max: number, preserveOriginal: boolean, side: 'all' | 'front' | 'back'): TokenFilter {
  return (tokens) => {
    const made = new TokenCount(side === 'all' ? 'ngram' : 'edge_ngram');
    return tokens.flatMap((token) => {
      const characters = Array.from(token.term);
      const found: Token[] = [];
      const add = (from: number, size: number): void => {
        made.add(size);
        found.push({ ...token, term: characters.slice(from, from + size).join('') });
      };
      const sizes = Math.min(max, characters.length);
      if (side === 'all') {
        for (let from = 0; from < characters.length; from++) {
          for (let size = min; size <= max && from + size <= characters.length; size++) add(from, size);
        }
      } else {
        for (let size = min; size <= sizes; size++) add(side === 'front' ? 0 : characters.length - size, size);
      }
      const whole = characters.length;
      if (preserveOriginal && (whole < min || whole > max)) found.push(token);
      return found;
    });
  };
}

interface ShingleOptions {
  readonly min: number;
  readonly max: number;
  readonly unigrams: boolean;
  readonly unigramsIfNone: boolean;
  readonly separator: string;
  readonly filler: string;
}

/** `shingle`: neighbouring words joined, in the order in which they come (Lucene's ShingleFilter). */
function shingle(options: ShingleOptions): TokenFilter {
  const { filler, max, min, separator, unigrams, unigramsIfNone } = options;
  return (tokens, end) => {
    const slots = withHoles(tokens, end, max - 1);
    const found: Token[] = [];
    const made = new TokenCount('shingle');
    let position = -1;
    for (const [at, { token }] of slots.entries()) {
      let isFirst = true;
      const add = (made: Omit<Token, 'position'>): void => {
        if (isFirst) position++;
        isFirst = false;
        found.push({ ...made, position });
      };
      if (token !== undefined && unigrams) add(token);
      for (let size = min; size <= max && at + size <= slots.length; size++) {
        const parts = slots.slice(at, at + size);
        if (parts.every((part) => part.token === undefined)) continue;
        const term = parts.map((part) => part.token?.term ?? filler).join(separator);
        made.add(term.length);
        // Without single words, positions count the shortest shingles.
        const positionLength = unigrams ? size : size - min + 1;
        const [start = 0, last = 0] = [parts[0]?.start, parts.at(-1)?.end];
        add({ term, start, end: last, type: 'shingle', ...(positionLength === 1 ? {} : { positionLength }) });
      }
    }
    return !unigrams && found.length === 0 && unigramsIfNone ? tokens : found;
  };
}

/** A word, or a hole where one was removed. */
interface Slot {
  readonly token: Token | undefined;
  readonly start: number;
  readonly end: number;
}

/** The words with the holes before them, and the holes at the end. A hole has the offset of what follows it. @param most maximum holes in a row */
function withHoles(tokens: readonly Token[], end: TextEnd | undefined, most: number): readonly Slot[] {
  const slots: Slot[] = [];
  let before = -1;
  const addHoles = (position: number, offset: number): void => {
    for (let holes = Math.min(position - before - 1, most); holes > 0; holes--)
      slots.push({ token: undefined, start: offset, end: offset });
    before = position;
  };
  for (const token of tokens) {
    addHoles(token.position, token.start);
    slots.push({ token, start: token.start, end: token.end });
  }
  if (end !== undefined && tokens.length > 0) addHoles(before + 1 + end.holes, end.offset);
  return slots;
}

/** `common_grams`: adds pairs of neighbours with a common word; in a query, removes single words that are part of a pair. */
function commonGrams(isCommon: (word: string) => boolean, inQueries: boolean): TokenFilter {
  return (tokens) => {
    const made = new TokenCount('common_grams');
    const found: Token[] = [];
    let paired = false;
    tokens.forEach((token, at) => {
      const next = tokens[at + 1];
      const pair = next !== undefined && (isCommon(token.term) || isCommon(next.term));
      // In Lucene's queries, pairs are consecutive, whatever the holes between their words.
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

const GRAM_OPTIONS = { min_gram: integer(1), max_gram: integer(2), preserve_original: flag(false) };

const SHINGLE_OPTIONS = {
  min_shingle_size: integer(2),
  max_shingle_size: integer(2),
  output_unigrams: flag(true),
  output_unigrams_if_no_shingles: flag(false),
  token_separator: text(' '),
  filler_token: text('_'),
};

export const GRAM_FILTERS = {
  ngram: defineFilter({
    aliases: ['nGram'],
    forSynonyms: () => undefined,
    options: GRAM_OPTIONS,
    cost: ({ max_gram, min_gram }) => gramCost(min_gram, max_gram, false),
    build({ max_gram: max, min_gram: min, preserve_original }, { limits }) {
      checkGrams(min, max, limits.ngramDiff);
      return grams(min, max, preserve_original, 'all');
    },
  }),
  edge_ngram: defineFilter({
    aliases: ['edgeNGram'],
    forSynonyms: () => undefined,
    options: { ...GRAM_OPTIONS, side: text('front') },
    cost: ({ max_gram, min_gram }) => gramCost(min_gram, max_gram, true),
    build({ max_gram: max, min_gram: min, preserve_original, side }) {
      checkGrams(min, max);
      if (side !== 'front' && side !== 'back') throw illegalArgument(`invalid side: ${side}`);
      return grams(min, max, preserve_original, side);
    },
  }),
  shingle: defineFilter({
    options: SHINGLE_OPTIONS,
    forSynonyms: () => undefined,
    cost: ({ max_shingle_size: max, min_shingle_size: min }) =>
      Math.max(HARD, (SHINGLES * (max - min + 1) * (max + min)) / 2),
    isFlat: ({ max_shingle_size, min_shingle_size, output_unigrams }) =>
      output_unigrams || min_shingle_size !== max_shingle_size,
    shingles: ({ max_shingle_size: max, output_unigrams: unigrams }) => ({ max, unigrams }),
    build(options, { limits }) {
      const { max_shingle_size: max, min_shingle_size: min } = options;
      if (max < 2) throw illegalArgument('Max shingle size must be >= 2');
      if (min < 2) throw illegalArgument('Min shingle size must be >= 2');
      if (min > max) throw illegalArgument('Min shingle size must be <= max shingle size');
      if (max - min > limits.shingleDiff)
        throw illegalArgument(
          `The difference between max_shingle_size and min_shingle_size in Shingle TokenFilter must be less than or equal to: [${limits.shingleDiff}] but was [${max - min}]. This limit can be set by changing the [index.max_shingle_diff] index level setting.`,
        );
      if (max > LONGEST_SHINGLE)
        throw illegalArgument(`[max_shingle_size] must be at most ${LONGEST_SHINGLE}, got ${max}`);
      return shingle({
        min,
        max,
        unigrams: options.output_unigrams,
        unigramsIfNone: options.output_unigrams_if_no_shingles,
        separator: options.token_separator,
        filler: options.filler_token,
      });
    },
  }),
  common_grams: defineFilter({
    forSynonyms: () => undefined,
    options: {
      common_words: required(
        texts,
        () => 'missing or empty [common_words] or [common_words_path] configuration for common_grams token filter',
      ),
      ignore_case: flag(false),
      query_mode: flag(false),
    },
    cost: () => HARD,
    build: ({ common_words, ignore_case, query_mode }) => commonGrams(wordSet(common_words, ignore_case), query_mode),
  }),
  cjk_bigram: defineFilter({
    options: { ignored_scripts: strings, output_unigrams: flag(false) },
    isFlat: ({ output_unigrams }) => output_unigrams,
    forSynonyms: ({ ignored_scripts, output_unigrams }) =>
      output_unigrams ? undefined : cjkBigram(ignored_scripts, false),
    build({ ignored_scripts: ignored, output_unigrams }) {
      const known = Object.keys(CJK_SCRIPTS);
      const wrong = ignored.find((script) => !known.includes(script));
      if (wrong !== undefined)
        throw illegalArgument(
          `[ignored_scripts] of cjk_bigram can hold ${known.join(', ')}, got [${wrong}]${didYouMean(wrong, known)}`,
        );
      return cjkBigram(ignored, output_unigrams);
    },
  }),
};
