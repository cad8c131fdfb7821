// Texts compared without regard to small and capital letters, alike on both databases: a pattern names every form of each of
// its letters, so that neither database's idea of upper and lower case counts (SQLite's lower() knows ASCII only,
// PostgreSQL's depends on its locale). Which letters are forms of one is Unicode's simple case folding, as in regular expressions.
import { graphErrors } from '../errors.ts';
import { isStorable } from './bound-value.ts';

/** What a text is asked for. */
export type TextMode = 'equals' | 'contains' | 'startsWith' | 'endsWith';

/** Characters of a pattern: each becomes a class, and PostgreSQL builds a machine of them for each statement. */
const LONGEST_PATTERN = 1000;

/**
 * The regular expression that a text has to match: of the kind that JavaScript (with `u`) and PostgreSQL read alike. Null for a
 * text that no row can hold.
 *
 * @throws ProductError GRAPH_PATTERN_TOO_LONG
 */
export function caseInsensitivePattern(mode: TextMode, text: string, place: string): string | null {
  if (!isStorable(text)) return null;
  const letters = Array.from(text);
  if (letters.length > LONGEST_PATTERN)
    throw graphErrors.create('GRAPH_PATTERN_TOO_LONG', { place, length: letters.length, limit: LONGEST_PATTERN });
  const pattern = letters.map(formsOf).join('');
  const [start, end] = [
    mode === 'contains' || mode === 'endsWith' ? '' : '^',
    mode === 'equals' || mode === 'endsWith' ? '$' : '',
  ];
  return `${start}${pattern}${end}`;
}

const forms = new Map<string, string>();
let cased: { readonly letters: string; readonly isAmong: ReadonlySet<string> } | undefined;

/** One character as a pattern: itself, or the class of its forms. */
function formsOf(letter: string): string {
  // Once, in 5 ms: 3,000 of 127,000 characters have other forms.
  cased ??= readCased();
  // Neither searched for nor remembered: a request may hold every character of China.
  if (!cased.isAmong.has(letter)) return asItself(letter);
  let pattern = forms.get(letter);
  if (pattern === undefined) {
    const others = cased.letters.match(new RegExp(letter, 'giu')) ?? [];
    pattern = others.length < 2 ? letter : `[${others.join('')}]`;
    forms.set(letter, pattern);
  }
  return pattern;
}

function asItself(letter: string): string {
  return letter.replace(/[\^$\\.*+?()[\]{}|/]/, String.raw`\$&`);
}

function readCased(): NonNullable<typeof cased> {
  const letters = everyCharacter().match(/[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/gu)!;
  return { letters: letters.join(''), isAmong: new Set(letters) };
}

/** The two planes in which letters have case, without the half-characters of UTF-16 and the Hangul beside them. */
function everyCharacter(): string {
  const size = 0x1000;
  let text = '';
  for (let start = 0; start < 0x2_0000; start += size) {
    if (start !== 0xd000) text += String.fromCodePoint(...Array.from({ length: size }, (_, index) => start + index));
  }
  return text;
}
