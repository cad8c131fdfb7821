// What a phrase suggestion says, read and checked: its options, and those of the generators of candidates.
import { asBoolean, asNumber, isObject, type Json, nearOrKnown, textOf } from '../json/json.ts';
import { checked, coercedInteger, INTEGER, NUMBER, parseObject, TEXT } from '../json/object-parser.ts';
import { illegalArgument, parseException, parsingError, shardArgument } from '../errors/request-error.ts';
import { type Collate, readCollate } from './collate.ts';
import { toSpellOptions } from './read-spelling.ts';
import { readSmoothing, type Smoothing } from './smoothing.ts';
import type { SpellOptions } from './spell-dictionary.ts';

/** Where candidates of a word come from. */
export interface Generator {
  readonly field: string;
  /** Analyzers by name: of the word before it is looked up, and of what was found. */
  readonly preFilter: string | undefined;
  readonly postFilter: string | undefined;
  /** @throws RequestError for words that mean nothing there: they are looked at where the generator works */
  readonly spelling: () => SpellOptions;
}

/** A phrase suggestion, as asked. */
export interface PhraseOptions {
  readonly field: string;
  readonly analyzer: string | undefined;
  /** undefined: that of the shingles the analyzer makes, else 1. */
  readonly gramSize: number | undefined;
  readonly realWordLikelihood: number;
  readonly confidence: number;
  readonly maxErrors: number;
  /** Between the words of a row in the field. */
  readonly separator: string;
  readonly size: number;
  /** Corrections, and candidates of a word, that are kept of each index. */
  readonly shardSize: number;
  readonly needsUnigrams: boolean;
  /** Texts of so many words are not corrected. */
  readonly tokenLimit: number;
  readonly tags: readonly [string, string] | undefined;
  readonly smoothing: Smoothing;
  /** Empty: one of the field itself. */
  readonly generators: readonly Generator[];
  /** Corrections that find no document by it are left out, or marked. */
  readonly collate: Collate | undefined;
}

type Draft = { -readonly [Name in keyof PhraseOptions]?: PhraseOptions[Name] };

/** Reads one option that is a single value. */
type Setter = (draft: Draft, value: string | number | boolean, key: string) => void;

const float = (value: unknown, key: string): number => Math.fround(asNumber(value, key));

/** @throws RequestError where a number is not what it must be */
function within(value: number, isGood: boolean, reason: string): number {
  if (!isGood) throw illegalArgument(reason);
  return value;
}

const SETTERS: Readonly<Record<string, Setter>> = {
  analyzer: (draft, value) => (draft.analyzer = String(value)),
  field: (draft, value) => (draft.field = String(value)),
  size(draft, given, key) {
    const value = coercedInteger(given, key);
    draft.size = within(value, value > 0, 'size must be positive');
  },
  shard_size: (draft, value, key) => (draft.shardSize = coercedInteger(value, key)),
  real_word_error_likelihood(draft, given, key) {
    const value = float(given, key);
    draft.realWordLikelihood = within(value, value > 0, 'real_word_error_likelihood must be > 0.0');
  },
  confidence(draft, given, key) {
    const value = float(given, key);
    draft.confidence = within(value, value >= 0, 'confidence must be >= 0.0');
  },
  separator: (draft, value) => (draft.separator = String(value)),
  max_errors(draft, given, key) {
    const value = float(given, key);
    draft.maxErrors = within(value, value > 0, 'max_error must be > 0.0');
  },
  gram_size(draft, given, key) {
    const value = coercedInteger(given, key);
    draft.gramSize = within(value, value >= 1, 'gramSize must be >= 1');
  },
  force_unigrams: (draft, value, key) => (draft.needsUnigrams = value !== '' && asBoolean(value, key)),
  token_limit(draft, given, key) {
    const value = coercedInteger(given, key);
    draft.tokenLimit = within(value, value > 0, 'token_limit must be >= 1');
  },
};

const KEYS = [...Object.keys(SETTERS), 'direct_generator', 'smoothing', 'highlight', 'collate'];

/** Reads the options of `phrase`, one after the other: the first mistake is told. @throws RequestError */
export function readPhrase(options: Json): PhraseOptions {
  const draft: Draft = {};
  for (const [key, value] of Object.entries(options)) {
    if (Array.isArray(value)) {
      if (key !== 'direct_generator') throw unknownOption(key, ' ');
      draft.generators = generatorsIn(value);
    } else if (isObject(value)) readObject(draft, key, value);
    else {
      const set = value === null || !Object.hasOwn(SETTERS, key) ? undefined : SETTERS[key];
      if (set === undefined) throw unknownOption(key);
      set(draft, value as string | number | boolean, key);
    }
  }
  const { field, size = 5 } = draft;
  if (field === undefined) throw parseException('the required field option [field] is missing');
  if (field === '') throw illegalArgument('suggestion field name is empty');
  return {
    analyzer: undefined,
    gramSize: undefined,
    realWordLikelihood: Math.fround(0.95),
    confidence: 1,
    // As Elasticsearch computes it; its documentation says 1.
    maxErrors: 0.5,
    separator: ' ',
    shardSize: Math.max(size, 5),
    needsUnigrams: true,
    tokenLimit: 10,
    tags: undefined,
    smoothing: readSmoothing(undefined),
    generators: [],
    collate: undefined,
    ...draft,
    field,
    size,
  };
}

function unknownOption(key: string, space = ''): Error {
  const kind = space === '' ? 'field' : `${space}array field`.trim();
  const known = KEYS.includes(key) ? '' : nearOrKnown(key, KEYS);
  return parsingError(`suggester[phrase]${space} doesn't support ${kind} [${key}]${known}`);
}

function readObject(draft: Draft, key: string, value: Json): void {
  if (key === 'smoothing') draft.smoothing = readSmoothing(value);
  else if (key === 'highlight') draft.tags = readTags(value);
  else if (key === 'collate') draft.collate = readCollate(value);
  else throw unknownOption(key, ' ');
}

function readTags(body: Json): PhraseOptions['tags'] {
  const tags: { pre_tag?: string; post_tag?: string } = {};
  for (const [key, value] of Object.entries(body)) {
    if ((key !== 'pre_tag' && key !== 'post_tag') || value === null || typeof value === 'object')
      throw parsingError(
        `suggester[phrase][highlight] doesn't support field [${key}]${nearOrKnown(key, ['pre_tag', 'post_tag'])}`,
      );
    tags[key] = textOf(value);
  }
  const { pre_tag: before, post_tag: after } = tags;
  if ((before === undefined) !== (after === undefined))
    throw illegalArgument('Pre and post tag must both be null or both not be null.');
  return before === undefined || after === undefined ? undefined : [before, after];
}

/** The generator that a suggestion has by itself. */
export function defaultGenerator(field: string): Generator {
  return readGenerator({ field });
}

function generatorsIn(list: readonly unknown[]): readonly Generator[] {
  return list.map((each) => {
    if (!isObject(each)) throw unknownOption('direct_generator');
    return readGenerator(each);
  });
}

const FLOAT = { kind: NUMBER.kind, read: float } as const;

const GENERATOR = {
  field: TEXT,
  pre_filter: TEXT,
  post_filter: TEXT,
  suggest_mode: TEXT,
  min_doc_freq: FLOAT,
  accuracy: FLOAT,
  size: checked(INTEGER, (value) => {
    if (value <= 0) throw illegalArgument('Size must be positive');
  }),
  sort: TEXT,
  string_distance: TEXT,
  max_inspections: INTEGER,
  max_term_freq: FLOAT,
  max_edits: checked(INTEGER, (value) => {
    if (value < 1 || value > 2) throw illegalArgument(`Illegal max_edits value ${value}`);
  }),
  min_word_length: INTEGER,
  prefix_length: INTEGER,
};

function readGenerator(body: Json): Generator {
  const {
    field,
    pre_filter: preFilter,
    post_filter: postFilter,
    size = 5,
    ...spelling
  } = parseObject(body, 'direct_generator', GENERATOR);
  if (field === undefined) throw illegalArgument('Required [field]');
  return {
    field,
    preFilter,
    postFilter,
    spelling() {
      const options = toSpellOptions(spelling, size, shardArgument);
      for (const frequency of [options.maxTermFreq, options.minDocFreq])
        if (frequency >= 1 && (!Number.isInteger(frequency) || frequency >= 2 ** 31))
          throw shardArgument('Fractional absolute document frequencies are not allowed');
      return options;
    },
  };
}
