// Stemmers by lists of affixes, as Elasticsearch's analyzers of these languages have them: Arabic (light10, Larkey et al.) and Czech
// (Dolamic and Savoy, "Indexing and stemming approaches for the Czech language"); and the spellings that German, Arabic and Persian
// words are made alike in before. They give what Lucene 8's give.
import { applyRules, endings, letters, type SuffixRule } from './suffix-rules.ts';

const ARABIC_PREFIXES = ['ال', 'وال', 'بال', 'كال', 'فال', 'لل', 'و'];
const ARABIC_SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ية', 'ه', 'ة', 'ي'];

/** `arabic`: one prefix, then each of the suffixes; two letters stay. */
export function arabic(word: string): string {
  // The conjunction wa- alone takes three letters after it to be one.
  const prefix = ARABIC_PREFIXES.find(
    (each) => word.startsWith(each) && word.length >= each.length + (each.length === 1 ? 3 : 2),
  );
  let left = prefix === undefined ? word : word.slice(prefix.length);
  for (const suffix of ARABIC_SUFFIXES) {
    if (left.length >= suffix.length + 2 && left.endsWith(suffix)) left = left.slice(0, -suffix.length);
  }
  return left;
}

const arabicLetters = letters(['آأإ', 'ا'], ['ى', 'ي'], ['ة', 'ه'], ['ـًٌٍَُِّْ', '']);

/** `arabic_normalization`: one alef, yeh and heh; no vowel signs, no tatweel. */
export const arabicNormalization = arabicLetters;

/** `persian_normalization`. */
export const persianNormalization = letters(['یے', 'ي'], ['ک', 'ك'], ['ۀہ', 'ه'], ['ٔ', '']);

const CZECH_CASES: readonly SuffixRule[] = [
  [7, 'atech', ''],
  ...endings(6, 'ětem etem atům'),
  ...endings(5, 'ech ich ích ého ěmi emi ému ěte ete ěti eti ího iho ími ímu imu ách ata aty ých ama ami ové ovi ými'),
  ...endings(4, 'em es ém ím ům at ám os us ým mi ou'),
  ...endings(3, 'a e i o u ů y á é í ý ě'),
];
const CZECH_POSSESSIVES: readonly SuffixRule[] = endings(5, 'ov in ův');
const CZECH_CONSONANTS: readonly SuffixRule[] = [
  [0, 'čt', 'ck'],
  [0, 'št', 'sk'],
  [0, 'c', 'k'],
  [0, 'č', 'k'],
  [0, 'z', 'h'],
  [0, 'ž', 'h'],
];

/** `czech`. */
export function czech(word: string): string {
  const bare = applyRules(CZECH_POSSESSIVES, applyRules(CZECH_CASES, word));
  const palatal = applyRules(CZECH_CONSONANTS, bare);
  if (palatal !== bare || CZECH_CONSONANTS.some(([, ending]) => bare.endsWith(ending))) return palatal;
  if (bare.length > 1 && bare.at(-2) === 'e') return bare.slice(0, -2) + bare.slice(-1);
  return bare.length > 2 && bare.at(-2) === 'ů' ? `${bare.slice(0, -2)}o${bare.slice(-1)}` : bare;
}

/** `german_normalization`: no umlauts, whether by letter or spelled with e (but `ue` after a vowel or q stays), ß as ss. */
export function germanNormalization(word: string): string {
  let changed = '';
  let state: 'normal' | 'vowel' | 'umlaut' = 'normal';
  for (const letter of word) {
    switch (letter) {
      case 'a':
      case 'o':
        state = 'umlaut';
        changed += letter;
        break;
      case 'u':
        state = state === 'normal' ? 'umlaut' : 'vowel';
        changed += letter;
        break;
      case 'e':
        if (state !== 'umlaut') changed += letter;
        state = 'vowel';
        break;
      case 'i':
      case 'q':
      case 'y':
        state = 'vowel';
        changed += letter;
        break;
      case 'ä':
      case 'ö':
      case 'ü':
        state = 'vowel';
        changed += { ä: 'a', ö: 'o', ü: 'u' }[letter];
        break;
      case 'ß':
        state = 'normal';
        changed += 'ss';
        break;
      default:
        state = 'normal';
        changed += letter;
    }
  }
  return changed;
}
