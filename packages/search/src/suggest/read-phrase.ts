// What a phrase suggestion says, read and checked: its options, and those of the generators of candidates.
import { asBoolean, asInteger, asNumber, asObject, asString, checkKeys, type Json, toList } from '../json.ts';
import { illegalArgument, parsingError, unsupported } from '../request-error.ts';
import { checkDistance, readEdits, readInspections, readMode, readNearness } from './read-spelling.ts';
import { readSmoothing, type Smoothing } from './smoothing.ts';
import type { SpellOptions } from './spell-dictionary.ts';

/** Where candidates of a word come from. */
export interface Generator {
  readonly field: string;
  readonly spelling: SpellOptions;
  /** Analyzers by name: of the word before it is looked up, and of what was found. */
  readonly preFilter: string | undefined;
  readonly postFilter: string | undefined;
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
}

/** Reads the options of `phrase`. @throws RequestError naming what is not understood */
export function readPhrase(options: Json): PhraseOptions {
  checkKeys(options, 'phrase', [
    'field',
    'analyzer',
    'gram_size',
    'real_word_error_likelihood',
    'confidence',
    'max_errors',
    'separator',
    'size',
    'shard_size',
    'force_unigrams',
    'token_limit',
    'highlight',
    'smoothing',
    'collate',
    'direct_generator',
  ]);
  if (options['collate'] !== undefined) throw unsupported('[collate] in a phrase suggestion');
  if (options['field'] === undefined) throw parsingError('the required field option [field] is missing');
  const field = asString(options['field'], 'field');
  const size = atLeastOne(options, 'size', 5);
  const number = (key: string, fallback: number): number =>
    Math.fround(options[key] === undefined ? fallback : asNumber(options[key], key));
  const realWordLikelihood = number('real_word_error_likelihood', 0.95);
  if (realWordLikelihood <= 0) throw illegalArgument('real_word_error_likelihood must be > 0.0');
  const confidence = number('confidence', 1);
  if (confidence < 0) throw illegalArgument('confidence must be >= 0.0');
  const maxErrors = number('max_errors', 1);
  if (maxErrors <= 0) throw illegalArgument('max_error must be > 0.0');
  return {
    field,
    analyzer: options['analyzer'] === undefined ? undefined : asString(options['analyzer'], 'analyzer'),
    gramSize: options['gram_size'] === undefined ? undefined : atLeastOne(options, 'gram_size', 1),
    realWordLikelihood,
    confidence,
    maxErrors,
    separator: options['separator'] === undefined ? ' ' : asString(options['separator'], 'separator'),
    size,
    shardSize: atLeastOne(options, 'shard_size', Math.max(size, 5)),
    needsUnigrams: options['force_unigrams'] === undefined || asBoolean(options['force_unigrams'], 'force_unigrams'),
    tokenLimit: atLeastOne(options, 'token_limit', 10),
    tags: readTags(options['highlight']),
    smoothing: readSmoothing(options['smoothing']),
    generators: options['direct_generator'] === undefined ? [] : toList(options['direct_generator']).map(readGenerator),
  };
}

function atLeastOne(body: Json, key: string, fallback: number): number {
  const value = body[key] === undefined ? fallback : asInteger(body[key], key);
  if (value < 1) throw illegalArgument(`[${key}] must be >= 1, but was [${value}]`);
  return value;
}

function readTags(json: unknown): PhraseOptions['tags'] {
  if (json === undefined) return undefined;
  const body = asObject(json, 'highlight');
  checkKeys(body, 'highlight', ['pre_tag', 'post_tag']);
  if ((body['pre_tag'] === undefined) !== (body['post_tag'] === undefined))
    throw illegalArgument('Pre and post tag must both be null or both not be null.');
  if (body['pre_tag'] === undefined) return undefined;
  return [asString(body['pre_tag'], 'pre_tag'), asString(body['post_tag'], 'post_tag')];
}

/** The generator that a suggestion has by itself. */
export function defaultGenerator(field: string): Generator {
  return readGenerator({ field });
}

function readGenerator(json: unknown): Generator {
  const body = asObject(json, 'direct_generator');
  checkKeys(body, 'direct_generator', [
    'field',
    'size',
    'suggest_mode',
    'max_edits',
    'prefix_length',
    'min_word_length',
    'max_inspections',
    'min_doc_freq',
    'max_term_freq',
    'accuracy',
    'sort',
    'string_distance',
    'pre_filter',
    'post_filter',
  ]);
  if (body['field'] === undefined) throw parsingError('[direct_generator] Required [field]');
  checkDistance(body['string_distance'], 'direct_generator');
  const maxEdits = readEdits(body, (given) => `Illegal max_edits value ${given}`);
  const maxInspections = readInspections(body);
  const text = (key: string): string | undefined => (body[key] === undefined ? undefined : asString(body[key], key));
  return {
    field: asString(body['field'], 'direct_generator.field'),
    preFilter: text('pre_filter'),
    postFilter: text('post_filter'),
    spelling: {
      mode: readMode(body),
      size: atLeastOne(body, 'size', 5),
      maxInspections,
      maxEdits,
      ...readNearness(body),
    },
  };
}
