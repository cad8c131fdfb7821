// The words of an ASCII text as bytes: the same rules as standard-tokenizer.ts, for the texts that most are, lower-cased on the way.
// No string, no call but the sink's a word.
import { characterClass, DIGIT, JOINER, LETTER, MID_BOTH, MID_LETTER, MID_NUMBER } from './character-class.ts';

/** Takes one word: `bytes[start, end)`. */
export type ByteWordSink = (bytes: Uint8Array, start: number, end: number, position: number) => void;

/** A word goes on through these. */
const IN_WORD = 1;
/** These bind when the same class stands on both sides. */
const MIDDLE = 2;
const classes = Uint8Array.from({ length: 128 }, (_, code) => characterClass(code));
const roles = classes.map((kind) => {
  if (kind === LETTER || kind === DIGIT || kind === JOINER) return IN_WORD;
  return kind === MID_LETTER || kind === MID_NUMBER || kind === MID_BOTH ? MIDDLE : 0;
});
/** Upper-case letters are 32 below the others. */
const lower = Uint8Array.from({ length: 128 }, (_, code) => (code >= 0x41 && code <= 0x5a ? code + 32 : code));

/**
 * Finds the words of `bytes[0, length)`, all below 128, and lower-cases them in place.
 *
 * @param from the position of the first word
 * @param maxLength longer words are cut there
 * @returns the position after the last word
 */
export function asciiWords(
  bytes: Uint8Array,
  length: number,
  from: number,
  maxLength: number,
  add: ByteWordSink,
): number {
  let position = from;
  let at = 0;
  while (at < length) {
    if (roles[bytes[at]!] !== IN_WORD) {
      at++;
      continue;
    }
    const start = at;
    let seen = 0;
    for (;;) {
      let code = bytes[at]!;
      while (roles[code] === IN_WORD) {
        seen |= 1 << classes[code]!;
        bytes[at] = lower[code]!;
        if (++at === length) break;
        code = bytes[at]!;
      }
      // WB6, WB7, WB11, WB12: what stands between binds letters to letters or digits to digits.
      if (at + 1 >= length || roles[code] !== MIDDLE) break;
      const kind = classes[code]!;
      const before = classes[bytes[at - 1]!]!;
      if (before !== classes[bytes[at + 1]!]!) break;
      if (!(before === LETTER && kind !== MID_NUMBER) && !(before === DIGIT && kind !== MID_LETTER)) break;
      at++;
    }
    // A run of joiners alone is no word.
    if (seen === 1 << JOINER) continue;
    let first = start;
    for (; at - first > maxLength; first += maxLength) add(bytes, first, first + maxLength, position++);
    add(bytes, first, at, position++);
  }
  return position;
}
