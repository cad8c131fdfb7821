// How similar two words are, from 0 to 1, by each of the measures that a suggestion may name (Lucene's StringDistance), in floats of 32 bits.
import { editDistance } from '../text/text-distance.ts';

const { fround } = Math;

/** The similarity of a word that was given and one that was found. */
export type Similarity = (given: string, found: string) => number;

/** By name; undefined: by the edits that a search in the dictionary counts anyway. */
const MEASURES: Readonly<Record<string, Similarity | undefined>> = {
  internal: undefined,
  damerau_levenshtein: (given, found) =>
    byEdits(editDistance(given, found, Infinity), Math.min(Array.from(given).length, Array.from(found).length)),
  levenshtein: levenshtein,
  jaro_winkler: jaroWinkler,
  ngram: ngram,
};

/** The names. */
export const SIMILARITIES: readonly string[] = Object.keys(MEASURES);

/** The measure of a name; undefined: the edits that a search in the dictionary counts anyway. */
export function similarityOf(name: string): Similarity | undefined {
  return MEASURES[name];
}

function byEdits(edits: number, length: number): number {
  return fround(1 - fround(edits / length));
}

/** Without swaps, in UTF-16 units. */
function levenshtein(given: string, found: string): number {
  let row = Array.from({ length: given.length + 1 }, (_, at) => at);
  for (let j = 1; j <= found.length; j++) {
    const next = [j];
    for (let i = 1; i <= given.length; i++) {
      const cost = given[i - 1] === found[j - 1] ? 0 : 1;
      next.push(Math.min(next[i - 1]! + 1, row[i]! + 1, row[i - 1]! + cost));
    }
    row = next;
  }
  return byEdits(row[given.length]!, Math.max(given.length, found.length));
}

/** Likely letters above this similarity count more where words begin alike. */
const BONUS_FROM = fround(0.7);

function jaroWinkler(given: string, found: string): number {
  const [longer, shorter] = given.length > found.length ? [given, found] : [found, given];
  const range = Math.max(Math.trunc(longer.length / 2) - 1, 0);
  const taken = new Set<number>();
  const fromShorter: string[] = [];
  for (let at = 0; at < shorter.length; at++) {
    for (let other = Math.max(at - range, 0); other < Math.min(at + range + 1, longer.length); other++) {
      if (taken.has(other) || shorter[at] !== longer[other]) continue;
      taken.add(other);
      fromShorter.push(shorter[at]!);
      break;
    }
  }
  const matches = taken.size;
  if (matches === 0) return 0;
  const matched = Array.from({ length: longer.length }, (_, at) => longer[at]).filter((_, at) => taken.has(at));
  const swapped = fromShorter.filter((letter, at) => letter !== matched[at]).length >> 1;
  let prefix = 0;
  while (prefix < shorter.length && given[prefix] === found[prefix]) prefix++;
  const sum = fround(
    fround(fround(matches / given.length) + fround(matches / found.length)) + fround((matches - swapped) / matches),
  );
  const jaro = fround(sum / 3);
  if (jaro < BONUS_FROM) return jaro;
  const weight = fround(Math.min(fround(0.1), fround(1 / longer.length)) * prefix);
  return fround(jaro + fround(weight * fround(1 - jaro)));
}

/** Pairs of letters in a row. */
function ngram(given: string, found: string): number {
  const longest = Math.max(given.length, found.length);
  if (given.length < 2 || found.length < 2) {
    const least = Math.min(given.length, found.length);
    let same = 0;
    for (let at = 0; at < least; at++) if (given[at] === found[at]) same++;
    return fround(same / longest);
  }
  const start = '\0';
  const [source, target] = [start + given, start + found];
  let row = Array.from({ length: given.length + 1 }, (_, at) => at);
  for (let j = 1; j <= found.length; j++) {
    const next = [j];
    for (let i = 1; i <= given.length; i++) {
      let cost = 0;
      let letters = 2;
      for (let at = 0; at < 2; at++) {
        const letter = source[i - 1 + at];
        if (letter !== target[j - 1 + at]) cost++;
        // The start that both have says nothing.
        else if (letter === start) letters--;
      }
      next.push(Math.min(next[i - 1]! + 1, row[i]! + 1, fround(row[i - 1]! + fround(cost / letters))));
    }
    row = next;
  }
  return fround(1 - fround(row[given.length]! / longest));
}
