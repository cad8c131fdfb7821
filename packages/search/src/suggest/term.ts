// `term`: for each word of a text the words that are near to it in spelling.
import { shortFloat } from '../fetch/short-float.ts';
import { type Json, nearOrKnown, textOf } from '../json/json.ts';
import { coercedInteger } from '../json/object-parser.ts';
import { illegalArgument, parseException, parsingError } from '../errors/request-error.ts';
import {
  readSpelling,
  resolveWord,
  SPELLING_INTEGERS,
  SPELLING_NUMBERS,
  SPELLING_WORDS,
  toSpellOptions,
} from './read-spelling.ts';
import { byFrequency, byScore, type NearWord, SpellDictionary, type SpellOptions } from './spell-dictionary.ts';
import { fieldOf, type SuggestTarget } from './suggest-target.ts';

/** A term suggestion, as asked. */
export interface TermOptions {
  readonly field: string;
  readonly analyzer: string | undefined;
  readonly size: number;
  /** Words at most of each index. */
  readonly shardSize: number;
  readonly spelling: SpellOptions;
}

const KEYS = ['field', 'analyzer', 'size', 'shard_size', ...SPELLING_WORDS, ...SPELLING_INTEGERS, ...SPELLING_NUMBERS];

/** What is refused of a number, in the words of Elasticsearch. */
const CHECKS: Readonly<Record<string, (value: number) => string | undefined>> = {
  size: (value) => (value <= 0 ? 'size must be positive' : undefined),
  accuracy: (value) => (value < 0 || value > 1 ? 'accuracy must be between 0 and 1' : undefined),
  max_edits: (value) => (value < 1 || value > 2 ? 'maxEdits must be between 1 and 2' : undefined),
  max_inspections: (value) => (value < 0 ? 'maxInspections must be positive' : undefined),
  prefix_length: (value) => (value < 0 ? 'prefixLength must be positive' : undefined),
  min_word_length: (value) => (value < 1 ? 'minWordLength must be greater or equal to 1' : undefined),
  max_term_freq: (value) => frequencyFault('maxTermFreq', value),
  min_doc_freq: (value) => frequencyFault('minDocFreq', value),
};

function frequencyFault(name: string, value: number): string | undefined {
  if (value < 0) return `${name} must be positive`;
  return value > 1 && !Number.isInteger(value) ? `if ${name} is greater than 1, it must not be a fraction` : undefined;
}

/** Reads the options of `term`, one after the other: the first mistake is told. @throws RequestError */
export function readTerm(options: Json): TermOptions {
  const words: { field?: string; analyzer?: string } = {};
  const counts: { size?: number; shard_size?: number } = {};
  const spelling: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(options)) {
    if (value === null || typeof value === 'object') throw parsingError(`suggester[term] parsing failed on [${key}]`);
    const near = readSpelling(key, value);
    if (near !== undefined) spelling[key] = near;
    else if (key === 'field' || key === 'analyzer') words[key] = textOf(value);
    else if (key === 'size' || key === 'shard_size') counts[key] = coercedInteger(value, key);
    else throw parsingError(`suggester[term] doesn't support field [${key}]${nearOrKnown(key, KEYS)}`);
    const word = SPELLING_WORDS.find((each) => each === key);
    if (word !== undefined) resolveWord(word, String(near), illegalArgument);
    const fault = CHECKS[key]?.((near ?? counts.size) as number);
    if (fault !== undefined) throw illegalArgument(fault);
  }
  const { field, analyzer } = words;
  if (field === undefined) throw parseException('the required field option [field] is missing');
  if (field === '') throw illegalArgument('suggestion field name is empty');
  const { size = 5, shard_size: shardSize = Math.max(size, 5) } = counts;
  return {
    field,
    analyzer,
    size,
    shardSize,
    spelling: toSpellOptions(spelling, shardSize, illegalArgument),
  };
}

/** Answers one term suggestion. @param text asked for once the field is known */
export function suggestTerms(text: () => string, options: TermOptions, targets: readonly SuggestTarget[]): unknown[] {
  const { size, spelling } = options;
  const { analyzer, field } = fieldOf(options, targets);
  const list = analyzer.analyze(text());
  const dictionaries = targets.map(({ searcher }) => new SpellDictionary(searcher, field.path));
  return list.terms.map((word, at) => {
    const found = new Map<string, NearWord>();
    for (const near of dictionaries.flatMap((dictionary) => dictionary.near(word, spelling)))
      found.set(near.text, { ...near, freq: (found.get(near.text)?.freq ?? 0) + near.freq });
    const best = [...found.values()].sort(spelling.sort === 'frequency' ? byFrequency : byScore).slice(0, size);
    return {
      text: word,
      offset: list.starts[at],
      length: list.ends[at]! - list.starts[at]!,
      options: best.map(({ text: near, score, freq }) => ({ text: near, score: shortFloat(score), freq })),
    };
  });
}
