// How likely a word is after the one or two before it, by the words and word rows of a field: the smoothing models of phrase suggestions.
// What they do where a row was never seen is what tells them apart.
import { asNumber, checkKeys, isObject, type Json, nearOrKnown, tokenOf } from '../json/json.ts';
import { illegalArgument, parsingError } from '../errors/request-error.ts';

/** A word in a row, with how often it occurs in the field it was drawn from. */
export interface ModelWord {
  readonly text: string;
  readonly total: number;
}

/** The field that a model counts in. */
export interface ModelField {
  /** All words, as often as they occur. */
  readonly occurrences: number;
  /** Different words. */
  readonly size: number;
  /** How often words stand in a row. */
  readonly countOf: (...words: readonly string[]) => number;
}

/** Likelihoods. */
export interface LanguageModel {
  one(word: ModelWord): number;
  two(word: ModelWord, before: ModelWord): number;
  three(word: ModelWord, before: ModelWord, beforeThat: ModelWord): number;
}

/** Makes a model of a field. */
export type Smoothing = (field: ModelField) => LanguageModel;

/** Keeps a row that was never seen apart from one of a word that was never seen. */
const TINY = 0.000_000_000_01;

/** The share of a word, each counted once more than it occurs. */
function plainShare({ occurrences, size, countOf }: ModelField): (word: ModelWord) => number {
  // A field of one word would be divided by nothing.
  const words = occurrences + size > 1 ? size : 0;
  return ({ text }) => (1 + countOf(text)) / (occurrences + words);
}

/** Falls back to the shorter row, less likely by a factor. */
function stupidBackoff(discount: number): Smoothing {
  return (field) => {
    const { countOf } = field;
    const one = plainShare(field);
    return {
      one,
      two(word, before) {
        const count = countOf(before.text, word.text);
        return count < 1 ? discount * one(word) : count / (before.total + TINY);
      },
      three(word, before, beforeThat) {
        const two = countOf(before.text, word.text);
        if (two < 1) return discount * one(word);
        const three = countOf(beforeThat.text, before.text, word.text);
        return three < 1 ? discount * (two / (before.total + TINY)) : three / (two + TINY);
      },
    };
  };
}

/** Counts every row a little more often than it occurs. */
function laplace(alpha: number): Smoothing {
  return ({ occurrences, size, countOf }) => {
    const words = occurrences + size > 1 ? size : 0;
    return {
      one: ({ text }) => (alpha + countOf(text)) / (occurrences + alpha * words),
      two: (word, before) => (alpha + countOf(before.text, word.text)) / (before.total + alpha * words),
      three: (word, before, beforeThat) =>
        (alpha + countOf(beforeThat.text, before.text, word.text)) / (countOf(before.text, word.text) + alpha * words),
    };
  };
}

/** Weighs rows of one, two and three words against each other. */
function linearInterpolation(weights: {
  readonly one: number;
  readonly two: number;
  readonly three: number;
}): Smoothing {
  const sum = weights.one + weights.two + weights.three;
  const [first, second, third] = [weights.one / sum, weights.two / sum, weights.three / sum];
  return (field) => {
    const { countOf } = field;
    const one = plainShare(field);
    const two = (word: ModelWord, before: ModelWord): number => {
      const count = countOf(before.text, word.text);
      if (count < 1) return first * one(word);
      return second * (count / (0.5 + before.total)) + first * one(word);
    };
    return {
      one,
      two,
      three(word, before, beforeThat) {
        // Backwards, as Elasticsearch looks these rows up (LinearInterpolatingScorer).
        const count = countOf(word.text, before.text, beforeThat.text);
        if (count < 1) return two(word, before);
        return third * (count / (1 + countOf(word.text, before.text))) + two(word, before);
      },
    };
  };
}

/** Reads `smoothing`: of several models the last one counts. @throws RequestError naming what is not understood */
export function readSmoothing(json: Json | undefined): Smoothing {
  // A float of 32 bits where none is named, as in PhraseSuggestionContext.
  let model = stupidBackoff(Math.fround(0.4));
  for (const [name, body] of Object.entries(json ?? {})) {
    if (!isObject(body)) throw parsingError(`[smoothing] unknown token [${tokenOf(body)}] after [${name}]`);
    switch (name) {
      case 'stupid_backoff':
        model = stupidBackoff(numberIn(body, name, 'discount', 0.4));
        break;
      case 'laplace':
        model = laplace(numberIn(body, name, 'alpha', 0.5));
        break;
      // As Elasticsearch 7.10 calls it; its documentation says linear_interpolation.
      case 'linear':
        model = readInterpolation(body);
        break;
      default:
        throw illegalArgument(
          `suggester[phrase] doesn't support object field [${name}]; there are [stupid_backoff], [laplace] and [linear]`,
        );
    }
  }
  return model;
}

/** The one number of a model. */
function numberIn(body: Json, model: string, key: string, fallback: number): number {
  checkKeys(body, model, [key]);
  const value = body[key];
  return value === undefined || value === null || typeof value === 'object' ? fallback : asNumber(value, key);
}

const LAMBDAS = ['trigram_lambda', 'bigram_lambda', 'unigram_lambda'];

function readInterpolation(body: Json): Smoothing {
  const weights: Record<string, number> = {};
  for (const [key, value] of Object.entries(body)) {
    if (value === null || typeof value === 'object')
      throw parsingError(`[linear] unknown token [${tokenOf(value)}] after [${key}]`);
    if (!LAMBDAS.includes(key))
      throw illegalArgument(
        `suggester[phrase][smoothing][linear] doesn't support field [${key}]${nearOrKnown(key, LAMBDAS)}`,
      );
    weights[key] = asNumber(value, key);
    if (weights[key] < 0) throw illegalArgument(`${key} must be positive`);
  }
  const [three = 0, two = 0, one = 0] = LAMBDAS.map((key) => weights[key]);
  if (Math.abs(one + two + three - 1) > 0.001) throw illegalArgument('linear smoothing lambdas must sum to 1');
  return linearInterpolation({ one, two, three });
}
