// Fragments centred on their matches: Lucene's fast vector highlighter, as Elasticsearch asks it.
import type { Span } from '../query/span-lists.ts';
import type { MatchedText } from './matches-in-text.ts';
import type { Match } from './passages.ts';
import { sentencesOf, wordsOf } from './sentences.ts';

/** Words in a row that matched together, as stretches of the text. */
interface Phrase {
  readonly start: number;
  readonly end: number;
  readonly stretches: readonly Match[];
}

/** A fragment of one value. */
export interface VectorFragment {
  readonly start: number;
  readonly end: number;
  readonly marks: readonly Match[];
}

/** How fragments are made. */
export interface VectorOptions {
  /** Characters of a fragment, about; Infinity: whole values. */
  readonly size: number;
  readonly most: number;
  readonly byScore: boolean;
  /** At which boundaries they end. */
  readonly scanner: 'chars' | 'word' | 'sentence';
  readonly locale: string;
  /** Characters that are shown where nothing matches. */
  readonly noMatchSize: number;
  /** Characters before a match. */
  readonly margin: number;
  /** Where a fragment may begin and end by characters, and how far from its end they are looked for. */
  readonly boundaries: string;
  readonly maxScan: number;
  /** Matches of each field that are looked at. */
  readonly phraseLimit: number;
}

/** Characters before a match, where the request names no others. */
export const DEFAULT_MARGIN = 6;
/** Where a fragment may begin and end, likewise, and how far they are looked for. */
export const DEFAULT_BOUNDARIES = '.,!? \t\n';
export const DEFAULT_SCAN = 20;

/**
 * Chooses fragments.
 *
 * @param content the values with one character between them
 * @param fields what matches in the values, by each field that is looked at
 */
export function vectorFragments(
  content: string,
  values: readonly string[],
  fields: readonly (readonly MatchedText[])[],
  options: VectorOptions,
): readonly VectorFragment[] {
  const { byScore, locale, most, noMatchSize, phraseLimit, scanner, size } = options;
  const all = fields.map((texts) => {
    let base = 0;
    const found = texts.flatMap((text, at) => {
      const own = phrasesOf(text, base);
      base += (values[at]?.length ?? 0) + 1;
      return own;
    });
    return found.slice(0, Math.max(0, phraseLimit));
  });
  const [only, ...others] = all;
  const phrases = only !== undefined && others.length === 0 ? only : merged(all.flat());
  const cutAt = (frame: Frame): VectorFragment =>
    scanner === 'chars'
      ? cut(content, frame, options)
      : cutAtPieces(content, frame, scanner === 'word' ? wordsOf : sentencesOf, locale);
  if (phrases.length === 0) {
    const first = values.find((value) => value !== '') ?? '';
    const end = first === '' || noMatchSize <= 0 ? Infinity : noMatchSize;
    return end > first.length + 1 ? [] : [cutAt({ start: 0, end, phrases })];
  }
  let fragments = byValue(fragmentsOf(phrases, size, options.margin), values);
  if (byScore) fragments = fragments.toSorted((a, b) => b.phrases.length - a.phrases.length || a.start - b.start);
  return fragments.slice(0, most).map(cutAt);
}

function phrasesOf({ matches, numberOf, spansOf, tokens }: MatchedText, base: number): readonly Phrase[] {
  const found: Phrase[] = [];
  const whole = new Map<Span, Match[]>();
  tokens.forEach((token, at) => {
    const match = matches[at];
    if (match === undefined) return;
    const own = { start: base + token.start, end: base + token.end, term: match.term, number: numberOf(at) };
    const [span] = spansOf(at);
    if (span === undefined) {
      found.push({ ...own, stretches: [own] });
      return;
    }
    const known = whole.get(span);
    const last = known?.at(-1);
    const before = tokens[at - 1];
    if (known === undefined || last === undefined) whole.set(span, [own]);
    // Neighbours are marked as one.
    else if (before?.position === token.position - 1 && base + before.end === last.end)
      known[known.length - 1] = { ...last, end: own.end };
    else known.push(own);
  });
  for (const stretches of whole.values()) {
    const [head, tail] = [stretches[0], stretches.at(-1)];
    if (head !== undefined && tail !== undefined) found.push({ start: head.start, end: tail.end, stretches });
  }
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The phrases of several fields: those that overlap are one (FieldPhraseList). */
function merged(phrases: readonly Phrase[]): readonly Phrase[] {
  const found: Phrase[] = [];
  for (const phrase of phrases.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = found.at(-1);
    if (last === undefined || phrase.start > last.end) {
      found.push(phrase);
      continue;
    }
    const stretches: Match[] = [];
    for (const each of [...last.stretches, ...phrase.stretches].sort((a, b) => a.start - b.start || a.end - b.end)) {
      const before = stretches.at(-1);
      if (before === undefined || each.start > before.end) stretches.push(each);
      else stretches[stretches.length - 1] = { ...before, end: Math.max(before.end, each.end) };
    }
    found[found.length - 1] = { start: last.start, end: Math.max(last.end, phrase.end), stretches };
  }
  return found;
}

interface Frame {
  readonly start: number;
  readonly end: number;
  readonly phrases: readonly Phrase[];
}

/** BaseFragListBuilder: as many matches as fit, in the middle of the fragment. */
function fragmentsOf(phrases: readonly Phrase[], size: number, margin: number): readonly Frame[] {
  if (size === Infinity) return phrases.length === 0 ? [] : [{ start: 0, end: Infinity, phrases }];
  const found: Frame[] = [];
  let from = 0;
  let at = 0;
  while (at < phrases.length) {
    const first = phrases[at]!;
    if (first.start < from) {
      at++;
      continue;
    }
    const inside: Phrase[] = [];
    const spanEnd = Math.max(first.end, Math.max(first.start - margin, from) + size);
    let { end } = first;
    for (; at < phrases.length && (at === 0 || phrases[at] === first || phrases[at]!.end <= spanEnd); at++) {
      ({ end } = phrases[at]!);
      if (end - first.start <= size) inside.push(phrases[at]!);
    }
    if (inside.length === 0) continue;
    const length = end - first.start;
    const start = Math.max(from, first.start - Math.max(0, Math.trunc((size - length) / 2)));
    from = start + Math.max(length, size);
    found.push({ start, end: from, phrases: inside });
  }
  return found;
}

/** Ends fragments with the values that they lie in. */
function byValue(frames: readonly Frame[], values: readonly string[]): readonly Frame[] {
  const found: Frame[] = [];
  for (const frame of frames) {
    let valueEnd = 0;
    let left = frame.phrases;
    for (const value of values) {
      const valueStart = valueEnd;
      valueEnd += value.length + 1;
      if (value === '') continue;
      if (frame.start >= valueStart && frame.end <= valueEnd) {
        found.push(frame);
        break;
      }
      const own = left.filter(({ start }) => start < valueEnd);
      if (own.length === 0 || frame.start >= valueEnd) continue;
      left = left.filter(({ start }) => start >= valueEnd);
      found.push({
        start: Math.max(frame.start, valueStart),
        end: Math.min(frame.end, valueEnd),
        phrases: own,
      });
      if (left.length === 0) break;
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** The values as this highlighter sees them: with a space after each. */
export function spacedOut(content: string): string {
  return `${content.replaceAll('\0', ' ')} `;
}

/** Moves the ends of a fragment to those of words or sentences (BreakIteratorBoundaryScanner). */
function cutAtPieces(
  content: string,
  { end, phrases, start }: Frame,
  piecesOf: typeof wordsOf,
  locale: string,
): VectorFragment {
  const marks = phrases.flatMap(({ stretches }) => stretches);
  const spaced = spacedOut(content);
  let from = start;
  if (start >= 1 && start <= spaced.length)
    for (const { index } of piecesOf(spaced.slice(0, start), locale)) from = index;
  const next = content.indexOf('\0', Math.max(0, end - 1));
  const length = next < 0 ? content.length : next;
  let to = Math.min(end, length);
  if (end < length) {
    const [first] = piecesOf(spaced.slice(end, length + 1), locale);
    if (first !== undefined) to = end + first.segment.length;
  }
  return { start: from, end: to, marks };
}

/** Moves the ends of a fragment to boundaries near them (SimpleBoundaryScanner). */
function cut(
  content: string,
  { end, phrases, start }: Frame,
  { boundaries, maxScan }: Pick<VectorOptions, 'boundaries' | 'maxScan'>,
): VectorFragment {
  const marks = phrases.flatMap(({ stretches }) => stretches);
  // Between values this highlighter sees a space.
  const isBoundary = (at: number): boolean => boundaries.includes(at < content.length ? spaced(content[at]!) : ' ');
  let from = start;
  let count = maxScan;
  if (start >= 1 && start <= content.length) {
    while (from > 0 && count > 0 && !isBoundary(from - 1)) {
      from--;
      count--;
    }
    if (from > 0 && !(count > 0)) from = start;
  }
  // The last character is that between values.
  const next = content.indexOf('\0', Math.max(0, end - 1));
  const length = next < 0 ? content.length : next;
  let to = Math.min(end, length);
  if (end < length) {
    count = maxScan;
    while (to <= length && count > 0 && !isBoundary(to)) {
      to++;
      count--;
    }
    if (to > length || !(count > 0)) to = end;
  }
  return { start: from, end: to, marks };
}

const spaced = (character: string): string => (character === '\0' ? ' ' : character);
