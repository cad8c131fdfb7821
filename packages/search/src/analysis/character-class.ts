// Which Unicode word-break class (UAX #29) a character has, as Lucene 8's StandardTokenizer groups them. ASCII comes from a
// table; the rest is asked from the regular-expression engine once a code point and remembered.

const OTHER = 0;
export const LETTER = 1;
export const DIGIT = 2;
/** ExtendNumLet: the underscore and its relatives join letters and digits. */
export const JOINER = 3;
/** MidLetter, MidNum, MidNumLet: break or bind by what stands on both sides. */
export const MID_LETTER = 4;
export const MID_NUMBER = 5;
export const MID_BOTH = 6;
/** Extend, Format, ZWJ: belong to the character before them (UAX #29 WB4). */
export const EXTEND = 7;
export const IDEOGRAPH = 8;
export const HIRAGANA = 9;
export const KATAKANA = 10;
export const HANGUL = 11;
/** Line_Break=Complex_Context: Thai, Lao, Khmer, Myanmar; a run is one token. */
export const SOUTH_EAST_ASIAN = 12;
export const EMOJI = 13;
export const REGIONAL = 14;

const ASCII = new Uint8Array(128);
for (let code = 0x41; code <= 0x5a; code++) ASCII[code] = ASCII[code + 32] = LETTER;
for (let code = 0x30; code <= 0x39; code++) ASCII[code] = DIGIT;
ASCII[0x5f] = JOINER;
ASCII[0x3a] = MID_LETTER;
ASCII[0x2c] = ASCII[0x3b] = MID_NUMBER;
ASCII[0x2e] = ASCII[0x27] = MID_BOTH;

const MID_LETTERS = new Set([0xb7, 0x387, 0x55f, 0x5f4, 0x2027, 0xfe13, 0xfe55, 0xff1a]);
const MID_NUMBERS = new Set([
  0x37e, 0x589, 0x60c, 0x60d, 0x66c, 0x7f8, 0x2044, 0xfe10, 0xfe14, 0xfe50, 0xfe54, 0xff0c, 0xff1b,
]);
const MID_BOTHS = new Set([0x2018, 0x2019, 0x2024, 0xfe52, 0xff07, 0xff0e]);

const isExtend = /\p{M}|\p{Cf}|[\u{FF9E}\u{FF9F}]|[\u{1F3FB}-\u{1F3FF}]/u;
const isIdeograph = /[\p{Script=Han}]/u;
const isHiragana = /\p{Script=Hiragana}/u;
const isKatakana = /[\p{Script=Katakana}\u30FC\uFF70\u3031-\u3035]/u;
const isHangul = /\p{Script=Hangul}/u;
const isComplex =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=New_Tai_Lue}\p{Script=Tai_Le}]/u;
const isLetter = /[\p{Alphabetic}\u02DE\u02DF\u02E5-\u02EB\u05F3]/u;
const isDigit = /[\p{Nd}\u066B]/u;
const isJoiner = /[\p{Pc}\u202F]/u;
const isEmoji = /\p{Extended_Pictographic}/u;

const remembered = new Map<number, number>();

/** The class of a code point. */
export function characterClass(code: number): number {
  if (code < 128) return ASCII[code]!;
  const known = remembered.get(code);
  if (known !== undefined) return known;
  const found = classify(code);
  remembered.set(code, found);
  return found;
}

function classify(code: number): number {
  if (code >= 0x1f1e6 && code <= 0x1f1ff) return REGIONAL;
  if (MID_BOTHS.has(code)) return MID_BOTH;
  if (MID_LETTERS.has(code)) return MID_LETTER;
  if (MID_NUMBERS.has(code)) return MID_NUMBER;
  // U+200B ZERO WIDTH SPACE is Cf but breaks words (UAX #29 table 3).
  if (code === 0x200b) return OTHER;
  const character = String.fromCodePoint(code);
  if (isComplex.test(character) && !isDigit.test(character)) return SOUTH_EAST_ASIAN;
  if (isExtend.test(character)) return EXTEND;
  if (isIdeograph.test(character)) return IDEOGRAPH;
  if (isHiragana.test(character)) return HIRAGANA;
  if (isKatakana.test(character)) return KATAKANA;
  if (isHangul.test(character)) return HANGUL;
  if (isDigit.test(character)) return DIGIT;
  if (isJoiner.test(character)) return JOINER;
  if (isLetter.test(character)) return LETTER;
  if (isEmoji.test(character)) return EMOJI;
  return OTHER;
}
