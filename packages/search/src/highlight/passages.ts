// Which passages of a text are shown: Lucene's unified highlighter as Elasticsearch bounds it. Passages begin and end at boundaries of
// sentences, words or values; those with the most telling words are kept.
import { sentencesOf, wordsOf } from './sentences.ts';

const { fround } = Math;

/** A piece of the text that matched, and what it matched. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly term: string;
  /** The place of the term or phrase in the query, by which `fvh` chooses tags. */
  readonly number?: number;
}

export interface Passage {
  readonly start: number;
  readonly end: number;
  readonly matches: readonly Match[];
  readonly score: number;
}

/** What stands between the values of a field. */
export const SEPARATOR = '\0';

/** Where passages end. */
export interface Boundaries {
  readonly kind: 'sentence' | 'word' | 'value';
  readonly locale: string;
  /** Characters of a passage of sentences, about; 0 or less: whole sentences. */
  readonly size: number;
}

/**
 * Chooses the passages.
 *
 * @param content the values, with separators between
 * @param matches in the order of the text
 * @param frequencyOf how often a term matched, as far as the source of matches knows it
 */
export function choosePassages(
  content: string,
  matches: readonly Match[],
  boundaries: Boundaries,
  most: number,
  frequencyOf: (term: string) => number,
): readonly Passage[] {
  const found: Passage[] = [];
  const offer = (start: number, end: number, inside: readonly Match[]): void => {
    found.push({ start, end, matches: inside, score: scoreOf(start, end, inside, content.length, frequencyOf) });
  };
  let current: { start: number; end: number; inside: Match[] } | undefined;
  let scanner: { readonly start: number; readonly end: number; readonly around: Around } | undefined;
  for (const match of matches) {
    if (match.start < content.length && match.end > content.length) continue;
    if (current === undefined || match.start >= current.end) {
      if (current !== undefined) offer(current.start, current.end, current.inside);
      if (scanner === undefined || match.start > scanner.end) {
        const start = content.lastIndexOf(SEPARATOR, Math.max(0, match.start - 1)) + 1;
        const end = content.indexOf(SEPARATOR, start);
        const value = content.slice(start, end < 0 ? content.length : end);
        scanner = { start, end: start + value.length, around: aroundIn(value, boundaries) };
      }
      const [start, end] = scanner.around(match.start - scanner.start);
      current = { start: scanner.start + start, end: scanner.start + end, inside: [] };
    }
    current.inside.push(match);
  }
  if (current !== undefined) offer(current.start, current.end, current.inside);
  // Of equals the later ones are kept.
  const best = found.sort((a, b) => b.score - a.score || b.start - a.start).slice(0, most);
  return best.sort((a, b) => a.start - b.start);
}

/** Finds the passage around a place of a value. Asked with increasing places. */
type Around = (place: number) => readonly [number, number];

function aroundIn(value: string, { kind, locale, size }: Boundaries): Around {
  if (kind === 'value') return () => [0, value.length];
  const words = (): Breaks => new Breaks(endsOf(wordsOf(value, locale)));
  if (kind === 'word') {
    const breaks = words();
    return (place) => [breaks.preceding(place + 1), breaks.following(place)];
  }
  const sentences = new Breaks(endsOf(sentencesOf(value, locale)));
  if (size <= 0) return (place) => [sentences.preceding(place + 1), sentences.following(place)];
  let inner: Breaks | undefined;
  let [windowStart, windowEnd, innerStart, innerEnd] = [-1, -1, -1, 0];
  // Elasticsearch's BoundedBreakIteratorScanner.
  return (place) => {
    const offset = place + 1;
    if (offset > windowStart && offset < windowEnd) {
      innerStart = innerEnd;
      innerEnd = windowEnd;
    } else {
      windowStart = innerStart = sentences.preceding(offset);
      windowEnd = innerEnd = sentences.following(offset - 1);
      while (innerEnd - innerStart < size) {
        const next = sentences.following(innerEnd);
        if (next < 0 || next - innerStart > size) break;
        windowEnd = innerEnd = next;
      }
    }
    if (innerEnd - innerStart > size) {
      inner ??= words();
      if (offset - size > innerStart) innerStart = Math.max(innerStart, inner.preceding(offset - size));
      const remaining = Math.max(0, size - (offset - innerStart));
      if (offset + remaining < windowEnd) innerEnd = Math.min(windowEnd, inner.following(offset + remaining));
    }
    return [Math.max(0, innerStart), Math.min(innerEnd, value.length)];
  };
}

function endsOf(pieces: Iterable<{ readonly segment: string; readonly index: number }>): readonly number[] {
  const ends = [0];
  for (const { index, segment } of pieces) ends.push(index + segment.length);
  return ends;
}

/** Boundaries in a text, ascending, from 0 to its end (java.text.BreakIterator). */
export class Breaks {
  private readonly places: readonly number[];

  constructor(places: readonly number[]) {
    this.places = places;
  }

  /** The last one before an offset; -1: none. */
  preceding(offset: number): number {
    return this.places[this.lowerBound(offset) - 1] ?? -1;
  }

  /** The first one after an offset; -1: none. */
  following(offset: number): number {
    return this.places[this.lowerBound(offset + 1)] ?? -1;
  }

  private lowerBound(offset: number): number {
    let [low, high] = [0, this.places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.places[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const K1 = fround(1.2);
const B = 0.75;
const PIVOT = 87;

/** Lucene's PassageScorer, in floats. */
function scoreOf(
  start: number,
  end: number,
  matches: readonly Match[],
  contentLength: number,
  frequencyOf: (term: string) => number,
): number {
  const counts = new Map<string, number>();
  for (const { term } of matches) counts.set(term, (counts.get(term) ?? 0) + 1);
  const documents = fround(1 + fround(contentLength / PIVOT));
  const norm = fround(K1 * fround(0.25 + fround(B * fround((end - start) / PIVOT))));
  let score = 0;
  for (const [term, count] of counts) {
    const rarity = fround(Math.log(1 + (documents + 0.5) / (frequencyOf(term) + 0.5)));
    score = fround(score + fround(fround(count / fround(count + norm)) * fround(fround(K1 + 1) * rarity)));
  }
  return fround(score * fround(1 + fround(1 / fround(Math.log(PIVOT + start)))));
}
