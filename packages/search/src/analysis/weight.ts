// How many times as long as the standard analyzer others take for a text: what decides whether a document is analysed beside the main
// thread. Measured on 256 KB of package descriptions, for which the standard one takes a millisecond and reading the JSON three.
import { isObject, type Json } from '../json.ts';

/** Of a chain that makes an object of each token: languages, white space, patterns (4 to 26 ms). */
export const CHAIN = 4;
/** Of one that looks ahead or takes words apart. */
const HARD = 8;
/** For each size of grams (50 to 100 ms for two sizes). */
const GRAMS = 10;
/** For each word of each shingle (100 ms for shingles of two, three and four words). */
const SHINGLES = 2.2;

/** The weight of a tokenizer or token filter, as its definition says what it is. */
function weightOf(definition: Json): number {
  const size = (key: string, fallback: number): number => {
    const value = Number(definition[key] ?? fallback);
    return Number.isFinite(value) ? value : fallback;
  };
  switch (definition['type']) {
    case 'ngram':
    case 'edge_ngram': {
      const sizes = size('max_gram', 2) - size('min_gram', 1) + 1;
      // Of grams at the edge there are at most as many as the word has letters.
      return GRAMS * Math.max(1, definition['type'] === 'ngram' ? sizes : Math.min(sizes, 4));
    }
    case 'shingle': {
      const [least, most] = [size('min_shingle_size', 2), size('max_shingle_size', 2)];
      return Math.max(HARD, (SHINGLES * (most - least + 1) * (most + least)) / 2);
    }
    case 'pattern_capture':
    case 'multiplexer': {
      const parts = definition['type'] === 'multiplexer' ? definition['filters'] : definition['patterns'];
      return Math.max(HARD, Array.isArray(parts) ? CHAIN * parts.length : 0);
    }
    case 'synonym':
    case 'synonym_graph':
      return Math.max(HARD, mostAlternatives(definition['synonyms']));
    case 'uax_url_email':
    case 'word_delimiter':
    case 'word_delimiter_graph':
    case 'pattern_replace':
    case 'common_grams':
    case 'dictionary_decompounder':
      return HARD;
    default:
      return CHAIN;
  }
}

/** The weight of a chain: that of its heaviest parts, one upon the other, as each takes what those before it made. */
export function weightOfChain(parts: readonly unknown[], definitionOf: (part: unknown) => Json): number {
  let weight = CHAIN;
  for (const part of parts) {
    const own = isObject(part) || typeof part === 'string' ? weightOf(definitionOf(part)) : CHAIN;
    weight *= own / CHAIN;
  }
  return weight;
}

/** How many words stand for one of a list of synonyms at most, as far as the lines say it. */
function mostAlternatives(lines: unknown): number {
  const alternatives = new Map<string, number>();
  let most = 0;
  for (const line of Array.isArray(lines) ? lines : [lines]) {
    if (typeof line !== 'string') continue;
    const [left = '', right] = line.split('=>');
    const runs = left.split(',');
    const added = right === undefined ? runs.length - 1 : right.split(',').length;
    for (const run of runs) {
      const key = run.trim();
      const count = (alternatives.get(key) ?? 0) + added;
      alternatives.set(key, count);
      most = Math.max(most, count);
    }
  }
  return most;
}
