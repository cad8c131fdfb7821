// How near words are looked for: the options that `term` suggestions and the candidate generators of `phrase` share. Each checks them its
// own way and at its own time; what they mean is the same.
import { coercedInteger } from '../json/object-parser.ts';
import { asNumber, textOf } from '../json/json.ts';
import type { SpellOptions } from './spell-dictionary.ts';
import { SIMILARITIES, similarityOf } from './text-similarity.ts';

/** The options as they stand; absent: the default. */
export interface Spelling {
  suggest_mode?: string;
  sort?: string;
  string_distance?: string;
  accuracy?: number;
  max_edits?: number;
  max_inspections?: number;
  prefix_length?: number;
  min_word_length?: number;
  max_term_freq?: number;
  min_doc_freq?: number;
}

const DEFAULTS: Required<Spelling> = {
  suggest_mode: 'missing',
  sort: 'score',
  string_distance: 'internal',
  accuracy: 0.5,
  max_edits: 2,
  max_inspections: 5,
  prefix_length: 1,
  min_word_length: 4,
  max_term_freq: 0.01,
  min_doc_freq: 0,
};

/** What the words among the options may say. */
const CHOICES = {
  suggest_mode: ['missing', 'popular', 'always'],
  sort: ['score', 'frequency'],
  string_distance: SIMILARITIES,
} as const;

type Word = keyof typeof CHOICES;

/** Options that are words, in the order in which a generator's are checked. */
export const SPELLING_WORDS: readonly Word[] = ['suggest_mode', 'sort', 'string_distance'];
/** Options that are whole numbers. */
export const SPELLING_INTEGERS = ['max_edits', 'max_inspections', 'prefix_length', 'min_word_length'] as const;
/** Options that are numbers of any kind. */
export const SPELLING_NUMBERS = ['accuracy', 'max_term_freq', 'min_doc_freq'] as const;

/** Reads an option that may be written as a string; undefined where it is none of these. */
export function readSpelling(key: string, value: unknown): string | number | undefined {
  const isOneOf = (keys: readonly string[]): boolean => keys.includes(key);
  if (isOneOf(SPELLING_WORDS)) return textOf(value);
  if (isOneOf(SPELLING_INTEGERS)) return coercedInteger(value, key);
  return isOneOf(SPELLING_NUMBERS) ? Math.fround(asNumber(value, key)) : undefined;
}

/** A word among the options, resolved. @param refuse makes the error for one that there is not */
export function resolveWord<W extends Word>(
  key: W,
  given: string,
  refuse: (reason: string) => Error,
): (typeof CHOICES)[W][number] {
  const text = given.toLowerCase();
  const found = CHOICES[key].find((choice) => choice === text);
  if (found !== undefined) return found;
  const choices = CHOICES[key].join(', ');
  throw refuse(
    key === 'string_distance'
      ? `Illegal distance option ${given}; there are [${choices}]`
      : `[${key}] does not accept [${given}]; it is one of [${choices}]`,
  );
}

/** What the options mean. @param refuse makes the error for a word that there is not */
export function toSpellOptions(given: Spelling, size: number, refuse: (reason: string) => Error): SpellOptions {
  const all = { ...DEFAULTS, ...given };
  return {
    mode: resolveWord('suggest_mode', all.suggest_mode, refuse),
    size,
    sort: resolveWord('sort', all.sort, refuse),
    similarity: similarityOf(resolveWord('string_distance', all.string_distance, refuse)),
    accuracy: all.accuracy,
    maxEdits: all.max_edits,
    maxInspections: all.max_inspections,
    prefixLength: all.prefix_length,
    minWordLength: all.min_word_length,
    maxTermFreq: all.max_term_freq,
    minDocFreq: all.min_doc_freq,
  };
}
