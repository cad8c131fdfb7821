// Stemmers by lists of affixes, as Elasticsearch's analyzers of these languages have them: Arabic (light10, Larkey et al.), Bulgarian (Savoy,
// "Searching Strategies for the Bulgarian Language"), Czech (Dolamic and Savoy, "Indexing and stemming approaches for the Czech language"),
// Latvian (after Karlis Kreslins) and Sorani; and the spellings that German, Arabic, Persian and Sorani words are made alike in before.
// They give what Lucene 8's give.
import { wordsOf } from '@lockstitch/kernel';
import { applyRules, letters, rules } from './suffix-rules.ts';

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

/** `arabic_normalization`: one alef, yeh and heh; no vowel signs, no tatweel. */
export const arabicNormalization = letters(['آأإ', 'ا'], ['ى', 'ي'], ['ة', 'ه'], ['ـًٌٍَُِّْ', '']);

/** `persian_normalization`. */
export const persianNormalization = letters(['یے', 'ي'], ['ک', 'ك'], ['ۀہ', 'ه'], ['ٔ', '']);

const BULGARIAN_ARTICLES = rules('6 ият, 5 ът|то|те|та|ия, 4 ят');
const BULGARIAN_PLURALS = rules('6 овци о, 6 ове, 6 еве й, 5 ища|та, 5 ци к, 5 зи г');
const BULGARIAN_SHORT_PLURALS = rules('4 си х, 4 и');

/** `bulgarian`: the article, the plural, the last vowel; less than four letters stay. */
export function bulgarian(word: string): string {
  if (word.length < 4) return word;
  if (word.length > 5 && word.endsWith('ища')) return word.slice(0, -3);
  const bare = applyRules(BULGARIAN_ARTICLES, word);
  let left = applyRules(BULGARIAN_PLURALS, bare);
  if (left === bare) {
    // A vowel that the plural changes.
    const vowel = left.length > 5 && left.at(-3) === 'е' && left.endsWith('и');
    left = vowel ? `${left.slice(0, -3)}я${left.at(-2)}` : applyRules(BULGARIAN_SHORT_PLURALS, left);
  }
  if (left.length > 3) left = left.replace(/я$/, '').replace(/[аое]$/, '');
  if (left.length > 4) left = left.replace(/ен$/, 'н');
  return left.length > 5 && left.at(-2) === 'ъ' ? left.slice(0, -2) + left.slice(-1) : left;
}

/** `[more vowels than, endings]`, in the order they are tried; those of a word with `:` soften the consonant before them. */
const LATVIAN: readonly (readonly [vowels: number, ending: string, softens: boolean])[] = (
  [
    [3, 'ajiem ajai'],
    [2, 'ajam ajām ajos ajās iem: ajā ais ai ei'],
    [1, 'ām am ēm īm im um us: as ās es os: ij īs ēs is ie u: a: i: e ā ē ī ū o'],
    [0, 's š'],
  ] as const
).flatMap(([vowels, list]) =>
  wordsOf(list).map((ending) => [vowels, ending.replace(':', ''), ending.endsWith(':')] as const),
);
const LATVIAN_HARD = rules(`
  0 pj p, 0 bj b, 0 mj m, 0 vj v, 0 šņ sn, 0 žņ zn, 0 šļ sl, 0 žļ zl, 0 ļņ ln, 0 ļļ ll, 0 č c, 0 ļ l, 0 ņ n`);
/** Before the genitive plural alone. */
const LATVIAN_HARD_GENITIVE = [...rules('0 kš kst, 0 ņņ nn'), ...LATVIAN_HARD];

/** `latvian`: one ending, and a consonant as it was before it; three letters and a vowel stay. */
export function latvian(word: string): string {
  const vowels = word.match(/[aeiouāīēū]/g)?.length ?? 0;
  const found = LATVIAN.find(
    ([more, ending]) => vowels > more && word.length >= ending.length + 3 && word.endsWith(ending),
  );
  if (found === undefined) return word;
  const [, ending, softens] = found;
  const stem = word.slice(0, -ending.length);
  if (!softens) return stem;
  return applyRules(ending.startsWith('u') ? LATVIAN_HARD_GENITIVE : LATVIAN_HARD, stem);
}

// One a line: editors turn round lines of Arabic letters and numbers.
const SORANI_POSTPOSITIONS = rules(`
  5 دا,
  4 نا ن,
  6 ەوە`);
const SORANI_POSSESSIVES = rules('6 مان|یان|تان');
const SORANI_NUMBERS = rules(`
  6 ێکی,
  7 یەکی,
  5 ێک,
  6 یەک|ەکە,
  5 کە,
  7 ەکان,
  6 کان,
  7 یانی,
  6 انی|یان,
  5 ان,
  7 یانە,
  6 انە,
  5 ایە ا,
  5 ەیە ە,
  4 ە|ی`);

/** `sorani`: a postposition, a possessive, then number and article. */
export function sorani(word: string): string {
  return applyRules(SORANI_NUMBERS, applyRules(SORANI_POSSESSIVES, applyRules(SORANI_POSTPOSITIONS, word)));
}

const soraniLetters = letters(['يى', 'ی'], ['ك', 'ک'], ['ة', 'ە'], ['ھ', 'ه'], ['ڒ', 'ڕ'], ['ـًٌٍَُِّْ', '']);

/** `sorani_normalization`: one yeh, kaf, ae, heh and rreh; no vowel signs and no characters that only format. */
export function soraniNormalization(word: string): string {
  // Heh at the end is the vowel ae, and so is heh with a non-joiner after it.
  const spelled = soraniLetters(word.replace(/ه$/, 'ە')).replace(/(?!\u200c)\p{Cf}/gu, '');
  return spelled
    .replace(/ه\u200c/g, 'ە')
    .replaceAll('\u200c', '')
    .replace(/^ر/, 'ڕ');
}

const CZECH_CASES = rules(`
  7 atech, 6 ětem|etem|atům,
  5 ech|ich|ích|ého|ěmi|emi|ému|ěte|ete|ěti|eti|ího|iho|ími|ímu|imu|ách|ata|aty|ých|ama|ami|ové|ovi|ými,
  4 em|es|ém|ím|ům|at|ám|os|us|ým|mi|ou, 3 a|e|i|o|u|ů|y|á|é|í|ý|ě`);
const CZECH_POSSESSIVES = rules('5 ov|in|ův');
const CZECH_CONSONANTS = rules('0 čt ck, 0 št sk, 0 c|č k, 0 z|ž h');

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
