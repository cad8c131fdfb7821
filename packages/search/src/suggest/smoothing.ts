// The smoothing models of phrase suggestions: the probability of a word after the previous one or two, from the n-grams of a field. They
// differ in how they treat unseen n-grams.
import { asNumber, checkKeys, isObject, type Json, nearOrKnown, tokenOf } from '../json/json.ts';
import { illegalArgument, parsingError } from '../errors/request-error.ts';

/** A word of an n-gram, with its frequency in the field it was drawn from. */
export interface ModelWord {
  readonly text: string;
  readonly total: number;
}

/** The n-gram counts of a field. */
export interface ModelField {
  /** Total number of words. */
  readonly occurrences: number;
  /** Number of distinct words. */
  readonly size: number;
  /** Frequency of an n-gram. */
  readonly countOf: (...words: readonly string[]) => number;
}

/** Probabilities. */
export interface LanguageModel {
  one(word: ModelWord): number;
  two(word: ModelWord, before: ModelWord): number;
  three(word: ModelWord, before: ModelWord, beforeThat: ModelWord): number;
}

/** Creates a model of a field. */
export type Smoothing = (field: ModelField) => LanguageModel;

/** Least probability: keeps an unseen n-gram above one with an unseen word. */
const TINY = 0.000_000_000_01;

/** Probability of a word with add-one smoothing. */
function plainShare({ occurrences, size, countOf }: ModelField): (word: ModelWord) => number {
  // Avoids a division by zero for a field of one word.
  const words = occurrences + size > 1 ? size : 0;
  return ({ text }) => (1 + countOf(text)) / (occurrences + words);
}

/** Stupid backoff: falls back to the shorter n-gram, times a factor. */
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

/** Laplace: adds a constant to every count. */
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

/** Linear interpolation: weighted sum of unigram, bigram and trigram probabilities. */
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
        // Reversed, as Elasticsearch looks n-grams up (LinearInterpolatingScorer).
        const count = countOf(word.text, before.text, beforeThat.text);
        if (count < 1) return two(word, before);
        return third * (count / (1 + countOf(word.text, before.text))) + two(word, before);
      },
    };
  };
}

/** Parses `smoothing`; the last of several models counts. @throws RequestError for an unknown model or parameter */
export function readSmoothing(json: Json | undefined): Smoothing {
  // The default is a 32-bit float, as in PhraseSuggestionContext.
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

/** Parses the only parameter of a model. */
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
