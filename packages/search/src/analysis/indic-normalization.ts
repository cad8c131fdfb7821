// Spellings that words of Indian languages are made alike in before they are stemmed: what is written in two or three characters and
// also in one (`indic_normalization`, after Unicode 5.2 §9 and http://ldc.upenn.edu/myl/IndianScriptsUnicode.html), and letters of Hindi
// (P. Pingali and V. Varma, "Word normalization in Indian languages") and of Bengali (N. UzZaman and M. Khan, "A Double Metaphone
// Encoding for Bangla") that sound alike. They give what Lucene 8.7's filters give.
import { letters } from './suffix-rules.ts';

/** The blocks of 128 characters by their first letters; the places of letters in them are alike. */
const BLOCKS: Readonly<Record<string, number>> = {
  D: 0x0900,
  B: 0x0980,
  G: 0x0a00,
  J: 0x0a80,
  O: 0x0b00,
  T: 0x0b80,
  E: 0x0c00,
  K: 0x0c80,
  M: 0x0d00,
};

/**
 * Which characters are one, as places in a block, and in which blocks: Devanagari, Bengali, Gurmukhi, gujarati (J), Oriya, Tamil, telugu (E),
 * Kannada, Malayalam. The first that fits is taken; \`zwj\` is the zero-width joiner.
 */
const COMPOSED = `
  05 3e 45 = 11 DJ, 05 3e 46 = 12 D, 05 3e 47 = 13 DJ, 05 3e 48 = 14 DJ, 05 3e = 06 DBGJO, 05 45 = 72 D,
  05 45 = 0d J, 05 46 = 04 D, 05 47 = 0f J, 05 48 = 10 GJ, 05 49 = 11 DJ, 05 4a = 12 D, 05 4b = 13 DJ,
  05 4c = 14 DGJ, 06 45 = 11 DJ, 06 46 = 12 D, 06 47 = 13 DJ, 06 48 = 14 DJ, 07 57 = 08 M, 09 41 = 0a D,
  09 57 = 0a TM, 0e 46 = 10 M, 0f 45 = 0d D, 0f 46 = 0e D, 0f 47 = 10 D, 0f 57 = 10 O, 12 3e = 13 M,
  12 4c = 14 EK, 12 55 = 13 E, 12 57 = 14 TM, 13 57 = 14 O, 15 3c = 58 D, 16 3c = 59 DG, 17 3c = 5a DG,
  1c 3c = 5b DG, 21 3c = 5c DBO, 22 3c = 5d DBO, 23 4d zwj = 7a M, 24 4d zwj = 4e B, 28 3c = 29 D,
  28 4d zwj = 7b M, 2b 3c = 5e DG, 2f 3c = 5f DB, 2c 41 41 = 0b E, 30 3c = 31 D, 30 4d zwj = 7c M,
  32 4d zwj = 7d M, 33 3c = 34 D, 33 4d zwj = 7e M, 35 41 = 2e E, 3e 45 = 49 DJ, 3e 46 = 4a D, 3e 47 = 4b DJ,
  3e 48 = 4c DJ, 3f 55 = 40 K, 41 41 = 42 G, 46 3e = 4a TM, 46 42 55 = 4b K, 46 42 = 4a K, 46 46 = 48 M,
  46 55 = 47 EK, 46 56 = 48 EK, 46 57 = 4c TM, 47 3e = 4b BOTM, 47 57 = 4c BO, 4a 55 = 4b K, 72 3f = 07 G,
  72 40 = 08 G, 72 47 = 0f G, 73 41 = 09 G, 73 42 = 0a G, 73 4b = 13 G`;

const compositions = new Map<string, string>();
for (const line of COMPOSED.split(',')) {
  const [parts = '', rest = ''] = line.trim().split(' = ');
  const [result = '', blocks = ''] = rest.split(' ');
  for (const block of blocks) {
    const character = (place: string): string =>
      place === 'zwj' ? '\u200d' : String.fromCharCode(BLOCKS[block]! + Number.parseInt(place, 16));
    const key = parts.split(' ').map(character).join('');
    if (!compositions.has(key)) compositions.set(key, character(result));
  }
}

/** `indic_normalization`. */
export function indicNormalization(word: string): string {
  let changed = '';
  for (let at = 0; at < word.length;) {
    const three = compositions.get(word.slice(at, at + 3));
    const two = compositions.get(word.slice(at, at + 2));
    changed += three ?? two ?? word[at]!;
    at += three !== undefined && at + 3 <= word.length ? 3 : two !== undefined && at + 2 <= word.length ? 2 : 1;
  }
  return changed;
}

const HINDI_LETTERS = letters(
  // Candrabindu as bindu.
  ['\u0901', '\u0902'],
  // No nukta, virama, joiners.
  ['\u093c\u094d\u200c\u200d', ''],
  ['\u0929', '\u0928'],
  ['\u0931', '\u0930'],
  ['\u0934', '\u0933'],
  ['\u0958', '\u0915'],
  ['\u0959', '\u0916'],
  ['\u095a', '\u0917'],
  ['\u095b', '\u091c'],
  ['\u095c', '\u0921'],
  ['\u095d', '\u0922'],
  ['\u095e', '\u092b'],
  ['\u095f', '\u092f'],
  // Candra, short and long vowels as one.
  ['\u0945\u0946\u0948', '\u0947'],
  ['\u0949\u094a\u094c', '\u094b'],
  ['\u090d\u090e\u0910', '\u090f'],
  ['\u0911\u0912\u0914', '\u0913'],
  ['\u0972\u0906', '\u0905'],
  ['\u0908', '\u0907'],
  ['\u090a', '\u0909'],
  ['\u0960', '\u090b'],
  ['\u0961', '\u090c'],
  ['\u0940', '\u093f'],
  ['\u0942', '\u0941'],
  ['\u0944', '\u0943'],
  ['\u0963', '\u0962'],
);

/** `hindi_normalization`. */
export function hindiNormalization(word: string): string {
  // A dead na is a bindu.
  return HINDI_LETTERS(word.replaceAll('\u0928\u094d', '\u0902'));
}

const VIRAMA = '\u09cd';
const BENGALI_LETTERS: Readonly<Record<string, string>> = {
  '\u09c0': '\u09bf',
  '\u09c2': '\u09c1',
  '\u0999': '\u0982',
  '\u09b6': '\u09b8',
  '\u09b7': '\u09b8',
  '\u09a3': '\u09a8',
  '\u09dc': '\u09b0',
  '\u09dd': '\u09b0',
  '\u09ce': '\u09a4',
};

/** `bengali_normalization`: letters that sound alike, and conjuncts by where they stand in the word. */
export function bengaliNormalization(word: string): string {
  const left = word.split('');
  for (let at = 0; at < left.length; at++) {
    switch (left[at]) {
      // Candrabindu.
      case '\u0981':
        left.splice(at--, 1);
        break;
      // Ka, virama and the sign i: kha.
      case '\u0995':
        if (left[at + 1] !== VIRAMA || left[at + 2] !== '\u09bf') break;
        if (at === 0) left.splice(0, 3, '\u0996');
        else left.splice(at + 1, 2, '\u0996');
        break;
      // A conjunct ya: after the first letter the vowel e, with a following aa, elsewhere nothing.
      case '\u09af':
        if (left[at - 1] !== VIRAMA) break;
        if (at === 2) {
          left.splice(1, left[3] === '\u09be' ? 3 : 2, '\u09c7');
          at = 1;
        } else {
          left.splice(at - 1, 2);
          at -= 2;
        }
        break;
      // A conjunct ba: nothing after the first letter and after another conjunct, elsewhere the letter before it again.
      case '\u09ac':
        if (at < 2 || left[at - 1] !== VIRAMA) break;
        if (at === 2 || (at >= 5 && left[at - 3] === VIRAMA)) {
          left.splice(at - 1, 2);
          at -= 2;
        } else {
          left.splice(at - 1, 2, left[at - 2]!);
          at--;
        }
        break;
      // Visarga: the letter after it again; at the end of short words ha.
      case '\u0983':
        if (at < left.length - 1) left[at] = left[at + 1]!;
        else if (left.length <= 3) left[at] = '\u09b9';
        else left.pop();
        break;
      default:
        left[at] = BENGALI_LETTERS[left[at]!] ?? left[at]!;
    }
  }
  return left.join('');
}
