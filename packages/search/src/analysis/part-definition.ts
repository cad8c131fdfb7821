// What the definitions of char filters, tokenizers and filters have in common: lists, words, patterns, sizes of n-grams, and the
// answer to a type that is unknown or not supported.
import { didYouMean } from '@lockstitch/kernel';
import { asString, type Json, nearOrKnown, toList } from '../json.ts';
import { illegalArgument, RequestError, unsupported } from '../request-error.ts';
import type { BoundedRegex } from './bounded-regex.ts';
import { readPattern, textSetting } from './read-settings.ts';
import { stopWordList } from './stop-words.ts';

/** One value or several, a text of them with commas between; none when it is missing (Settings.getAsList). */
export function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'string') return toList(value);
  return value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** Words as they stand or by the name of a list: `_english_`. */
export function words(value: unknown, fallback: string): readonly string[] {
  return list(value ?? fallback).flatMap((word) => {
    const text = asString(word, 'stopwords');
    if (!/^_.*_$/.test(text)) return [text];
    const named = stopWordList(text);
    if (named === undefined) throw illegalArgument(`Unknown stop word list [${text}]`);
    return named;
  });
}

/** The pattern of a part. */
export function pattern(definition: Json, fallback: string): BoundedRegex {
  return readPattern(textSetting(definition, 'pattern', fallback), textSetting(definition, 'flags', ''));
}

/** Java's escapes in rules and characters. */
export function unescape(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})|\\(.)/g, (_, hex: string | undefined, character: string | undefined) =>
    hex === undefined
      ? ({ n: '\n', t: '\t', r: '\r' }[character!] ?? character!)
      : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** A member that has to be there. @throws RequestError with that reason where it is not */
export function required(definition: Json, key: string, reason: string): unknown {
  const value = definition[key];
  if (value === undefined || value === null) throw illegalArgument(reason);
  return value;
}

/** How far the sizes of n-grams and shingles of one part may be apart: `index.max_ngram_diff` and `index.max_shingle_diff`. */
export interface SizeLimits {
  /** 1 by default. */
  readonly ngramDiff: number;
  /** 3 by default. */
  readonly shingleDiff: number;
}

/** What holds while the parts of one index are built. */
export interface BuildLimits extends SizeLimits {
  /** Whether what takes too much is refused: not where an index exists, which is opened with whatever it holds. */
  readonly strict: boolean;
  /** Runs what takes long, at once or later: nothing asks the part before. */
  run(work: Generator<void, void>): void;
  /** @throws RequestError where a list whose every member looks at every word of a text is too long */
  count(what: string, size: number): void;
  /** @throws RequestError where the synonyms of all analyzers are too long: each analyzer reads those of its filters */
  countSynonyms(lines: readonly string[]): void;
}

/** Parts of one analyzer, chains of a multiplexer or patterns of one filter at most: each looks at every word of a text. */
const MOST_PARTS = 100;

/** Characters of synonyms that the analyzers of one index may read together: a second or two, in slices. */
const MOST_SYNONYMS = 2_000_000;

/** Counts the synonyms of all analyzers of an index. */
export function synonymCounter(): BuildLimits['countSynonyms'] {
  let characters = 0;
  return (lines) => {
    for (const line of lines) characters += line.length;
    if (characters > MOST_SYNONYMS)
      throw illegalArgument(
        `the analyzers read more than [${MOST_SYNONYMS}] characters of synonyms together; let fewer of them use the filter, or make its list shorter`,
      );
  };
}

/** Definitions of one kind in one index at most. */
const MOST_DEFINITIONS = 1000;

/** @throws RequestError for more definitions than may be */
export function checkDefinitions(kind: string, count: number): void {
  if (count > MOST_DEFINITIONS)
    throw illegalArgument(
      `[index.analysis.${kind}] has [${count}] definitions, which is more than the limit of [${MOST_DEFINITIONS}]`,
    );
}

/** @throws RequestError for more than may be */
export function checkParts(what: string, size: number): void {
  if (size > MOST_PARTS)
    throw illegalArgument(`[${what}] has [${size}] entries, which is more than the limit of [${MOST_PARTS}]`);
}

/**
 * Builds a part from its definition and sees that every member of it was read: what nothing reads would do nothing.
 *
 * @throws RequestError naming a member that has no meaning here
 */
export function readWhole<Part>(kind: string, name: string, definition: Json, build: (definition: Json) => Part): Part {
  const read = new Set<string>(['type']);
  const part = build(
    new Proxy(definition, {
      get(target, key) {
        if (typeof key === 'string') read.add(key);
        return Reflect.get(target, key);
      },
    }),
  );
  for (const key of Object.keys(definition))
    if (!read.has(key))
      throw illegalArgument(`[${key}] of the ${kind} [${name}] is not supported${nearOrKnown(key, [...read])}`);
  return part;
}

/** Refuses sizes of n-grams as Elasticsearch does. */
export function checkGrams(min: number, max: number, type: string, allowed: number): void {
  if (type.toLowerCase() === 'ngram' && max - min > allowed) {
    throw illegalArgument(
      `The difference between max_gram and min_gram in NGram Tokenizer must be less than or equal to: [${allowed}] but was [${max - min}]. This limit can be set by changing the [index.max_ngram_diff] index level setting.`,
    );
  }
  if (min < 1) throw illegalArgument('minGram must be greater than zero');
  if (min > max) throw illegalArgument('minGram must not be greater than maxGram');
}

/** Words of a shingle at most: each word of a text begins one of every size, which holds the thread. */
const LONGEST_SHINGLE = 100;

/** Refuses sizes of shingles as Elasticsearch does. */
export function checkShingles(min: number, max: number, allowed: number): void {
  if (max < 2) throw illegalArgument('Max shingle size must be >= 2');
  if (min < 2) throw illegalArgument('Min shingle size must be >= 2');
  if (min > max) throw illegalArgument('Min shingle size must be <= max shingle size');
  if (max - min > allowed) {
    throw illegalArgument(
      `The difference between max_shingle_size and min_shingle_size in Shingle TokenFilter must be less than or equal to: [${allowed}] but was [${max - min}]. This limit can be set by changing the [index.max_shingle_diff] index level setting.`,
    );
  }
  if (max > LONGEST_SHINGLE) throw illegalArgument(`[max_shingle_size] must be at most ${LONGEST_SHINGLE}, got ${max}`);
}

/** Parts that Elasticsearch has and this engine does not: naming another that is spelled alike would help nobody. */
const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  tokenizer: ['icu_tokenizer', 'kuromoji_tokenizer', 'nori_tokenizer', 'smartcn_tokenizer'],
  filter:
    'min_hash hunspell phonetic condition predicate_token_filter hyphenation_decompounder icu_folding icu_normalizer'.split(
      ' ',
    ),
  char_filter: ['icu_normalizer', 'kuromoji_iteration_mark'],
};

/** The error of a type that is not known, or known and not supported. */
export function unknownPart(kind: string, type: string, name: string, known: readonly string[]): Error {
  if (UNSUPPORTED[kind]?.includes(type) === true) return unsupported(`${kind} [${type}]`);
  return illegalArgument(
    type === name || name === `__anonymous__${type}`
      ? `failed to find global ${kind} under [${type}]${didYouMean(type, known)}`
      : `Unknown ${kind} type [${type}] for [${name}]${didYouMean(type, known)}`,
  );
}

/** The refusal of a rule, which Elasticsearch takes for a fault of its own. */
export function wrongRule(reason: string): Error {
  return new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'runtime_exception', reason);
}
