// Where the words of a text begin and end: the rules of UAX #29 as Lucene 8's StandardTokenizer applies them. Words longer
// than `maxLength` are cut there, not dropped. ASCII runs go through a table and never touch the regular expressions.
import {
  characterClass,
  DIGIT,
  EMOJI,
  EXTEND,
  HANGUL,
  HIRAGANA,
  IDEOGRAPH,
  JOINER,
  KATAKANA,
  LETTER,
  MID_BOTH,
  MID_LETTER,
  MID_NUMBER,
  REGIONAL,
  SOUTH_EAST_ASIAN,
} from './character-class.ts';
import { codePointAt } from '../text/code-points.ts';

/** Takes one word: `text.slice(start, end)` and its Lucene type. */
export type WordSink = (start: number, end: number, type: string) => void;

const ZERO_WIDTH_JOINER = 0x200d;

/** Lucene's default `max_token_length`. */
export const MAX_TOKEN_LENGTH = 255;

/** Finds the words of a text, left to right. */
export function standardWords(text: string, sink: WordSink, maxLength: number = MAX_TOKEN_LENGTH): void {
  for (let at = 0; at < text.length;) at = readWord(text, at, sink, maxLength);
}

/** Reads the word that begins at a place, or one character that begins none. Where to go on is the answer. */
export function readWord(text: string, at: number, sink: WordSink, maxLength: number): number {
  const code = codeAt(text, at);
  const kind = characterClass(code);
  const width = code > 0xffff ? 2 : 1;
  if (kind === LETTER || kind === DIGIT || kind === JOINER || kind === KATAKANA || kind === HANGUL)
    return word(text, at, sink, maxLength);
  if (kind === IDEOGRAPH || kind === HIRAGANA) {
    const end = Math.min(skipExtend(text, at + width), firstOf(text, at, maxLength).length);
    sink(at, end, kind === IDEOGRAPH ? '<IDEOGRAPHIC>' : '<HIRAGANA>');
    return end;
  }
  if (kind === SOUTH_EAST_ASIAN) {
    let end = at + width;
    const stop = Math.min(text.length, at + maxLength);
    while (end < stop && isComplexOrExtend(codeAt(text, end))) end += codeAt(text, end) > 0xffff ? 2 : 1;
    end = Math.min(end, firstOf(text, at, maxLength).length);
    sink(at, end, '<SOUTHEAST_ASIAN>');
    return end;
  }
  // A joiner belongs to the emoji behind it where nothing before takes it.
  const isGlued = code === ZERO_WIDTH_JOINER && at + 1 < text.length && characterClass(codeAt(text, at + 1)) === EMOJI;
  if (kind !== EMOJI && kind !== REGIONAL && !isGlued) return at + width;
  const whole = emojiEnd(text, at, kind);
  const end = whole - at > maxLength ? emojiEnd(firstOf(text, at, maxLength), at, kind) : whole;
  // Half a flag, and a joiner whose emoji was cut off, are no tokens.
  if (kind === REGIONAL ? end - at > 2 : !isGlued || end > at + 1) sink(at, end, '<EMOJI>');
  return end;
}

function codeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit < 0xd800 || unit > 0xdbff ? unit : codePointAt(text, at);
}

function isComplexOrExtend(code: number): boolean {
  const kind = characterClass(code);
  return kind === SOUTH_EAST_ASIAN || kind === EXTEND;
}

function skipExtend(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = codeAt(text, at);
    if (code < 128 || characterClass(code) !== EXTEND) break;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** That a word has a sign between letters, among the classes seen in it. */
const SIGN = 1;

/** Reads one run of letters, digits, katakana and joiners (WB5–WB13b); a run of joiners alone is no word. */
function word(text: string, start: number, sink: WordSink, maxLength: number): number {
  const length = text.length;
  // What follows a cut is read again, so nothing beyond it is read now: a text that is one word would take quadratic time.
  const stop = Math.min(length, start + maxLength + 1);
  let at = start;
  let previous = 0;
  let seen = 0;
  for (;;) {
    const code = codeAt(text, at);
    const kind = characterClass(code);
    // WB13: katakana binds to katakana and joiners only.
    if (!binds(previous, kind)) break;
    seen |= 1 << kind;
    previous = kind;
    at = skipExtend(text, at + (code > 0xffff ? 2 : 1));
    if (at >= stop) break;
    const nextCode = codeAt(text, at);
    const next = characterClass(nextCode);
    if (next === MID_LETTER || next === MID_NUMBER || next === MID_BOTH) {
      // WB6, WB7, WB11, WB12: the same class must stand on both sides.
      const after = skipExtend(text, at + 1);
      if (after >= length) break;
      const other = characterClass(codeAt(text, after));
      const letters = isWordLetter(previous) && isWordLetter(other) && next !== MID_NUMBER;
      const digits = previous === DIGIT && other === DIGIT && next !== MID_LETTER;
      if (!letters && !digits) break;
      if (letters) seen |= SIGN;
      at = after;
    }
  }
  if (at - start > maxLength) return word(firstOf(text, start, maxLength), start, sink, Infinity);
  if (seen !== 1 << JOINER) sink(start, at, typeOf(seen));
  return at;
}

function isWordLetter(kind: number): boolean {
  return kind === LETTER || kind === HANGUL;
}

function binds(previous: number, kind: number): boolean {
  switch (kind) {
    case LETTER:
    case DIGIT:
    case HANGUL:
      return previous !== KATAKANA;
    case KATAKANA:
      return previous === 0 || previous === KATAKANA || previous === JOINER;
    case JOINER:
      return true;
    default:
      return false;
  }
}

function typeOf(seen: number): string {
  if ((seen & ~(1 << JOINER)) === 1 << DIGIT) return '<NUM>';
  // With joiners or signs between them Lucene takes these for words of any script.
  if (seen === 1 << KATAKANA) return '<KATAKANA>';
  if (seen === 1 << HANGUL) return '<HANGUL>';
  return '<ALPHANUM>';
}

/** The text up to where a word that begins there is cut; the rest of the word is read again. A surrogate pair stays whole. */
function firstOf(text: string, start: number, maxLength: number): string {
  const end = start + maxLength;
  if (end >= text.length) return text;
  if (codeAt(text, end - 1) <= 0xffff) return text.slice(0, end);
  return text.slice(0, end - 1 > start ? end - 1 : end + 1);
}

/** Where an emoji ends: a flag of two regional indicators, or pictographs glued by zero-width joiners (UTS #51 ED-16). */
function emojiEnd(text: string, start: number, kind: number): number {
  const width = (at: number): number => (codeAt(text, at) > 0xffff ? 2 : 1);
  let at = start + width(start);
  if (kind === REGIONAL) return at < text.length && characterClass(codeAt(text, at)) === REGIONAL ? at + 2 : at;
  at = skipExtend(text, at);
  while (
    at < text.length &&
    text.charCodeAt(at - 1) === ZERO_WIDTH_JOINER &&
    characterClass(codeAt(text, at)) === EMOJI
  )
    at = skipExtend(text, at + width(at));
  return at;
}
