// From a word to its stem, by Elasticsearch's names of stemmers. English words go through Porter's algorithm, which is what the
// `english` analyzer uses; most other languages through Snowball; where Elasticsearch's analyzers have light stemmers of their own,
// through those. Both libraries are loaded when first needed: most indices need neither.
import { createRequire } from 'node:module';
import { arabic, bulgarian, czech, latvian, sorani } from './affix-stemmers.ts';
import { brazilian } from './brazilian-stemmer.ts';
import { estonian } from './estonian-stemmer.ts';
import { german2 } from './german2-stemmer.ts';
import { greek } from './greek-stemmer.ts';
import { bengali, hindi } from './indic-stemmers.ts';
import { indonesian } from './indonesian-stemmer.ts';
import { kraaijPohlmann } from './kraaij-pohlmann-stemmer.ts';
import { kstem } from './kstem.ts';
import {
  lightFrench,
  lightGerman,
  lightHungarian,
  lightItalian,
  lightPortuguese,
  lightRussian,
  lightSpanish,
  minimalEnglish,
  minimalFrench,
  minimalGerman,
} from './light-stemmers.ts';
import { lithuanian } from './lithuanian-stemmer.ts';
import { lovins } from './lovins-stemmer.ts';
import {
  lightFinnish,
  lightNorwegian,
  lightNynorsk,
  lightSwedish,
  minimalNorwegian,
  minimalNynorsk,
} from './nordic-stemmers.ts';
import { galician, minimalGalician, minimalPortuguese, portugueseRslp } from './rslp-stemmers.ts';

/** Cuts a lower-case word down to its stem. */
export type Stemmer = (word: string) => string;

interface Snowball {
  newStemmer(language: string): { stem(word: string): string };
}

const require = createRequire(import.meta.url);
const stemmers = new Map<string, Stemmer>();

/** The Snowball algorithms at hand, by Elasticsearch's names. */
const SNOWBALL: Readonly<Record<string, string>> = {
  armenian: 'armenian',
  basque: 'basque',
  catalan: 'catalan',
  danish: 'danish',
  dutch: 'dutch',
  porter2: 'english',
  finnish: 'finnish',
  french: 'french',
  german: 'german',
  hungarian: 'hungarian',
  irish: 'irish',
  italian: 'italian',
  norwegian: 'norwegian',
  portuguese: 'portuguese',
  romanian: 'romanian',
  russian: 'russian',
  spanish: 'spanish',
  swedish: 'swedish',
  turkish: 'turkish',
};

/** Those written here. */
const OWN: Readonly<Record<string, Stemmer>> = {
  arabic,
  bengali,
  brazilian,
  bulgarian,
  czech,
  estonian,
  galician,
  german2,
  greek,
  hindi,
  indonesian,
  kp: kraaijPohlmann,
  latvian,
  light_english: kstem,
  light_finnish: lightFinnish,
  light_french: lightFrench,
  light_german: lightGerman,
  light_hungarian: lightHungarian,
  light_italian: lightItalian,
  light_norwegian: lightNorwegian,
  light_nynorsk: lightNynorsk,
  light_portuguese: lightPortuguese,
  light_russian: lightRussian,
  light_spanish: lightSpanish,
  light_swedish: lightSwedish,
  lithuanian,
  lovins,
  minimal_english: minimalEnglish,
  minimal_french: minimalFrench,
  minimal_galician: minimalGalician,
  minimal_german: minimalGerman,
  minimal_norwegian: minimalNorwegian,
  minimal_nynorsk: minimalNynorsk,
  minimal_portuguese: minimalPortuguese,
  portuguese_rslp: portugueseRslp,
  sorani,
};

/** The names a stemmer exists by; `porter` is what Elasticsearch calls `english`. */
export const STEMMER_LANGUAGES: readonly string[] = ['porter', ...Object.keys(SNOWBALL), ...Object.keys(OWN)];

/** The names that the filter `snowball` knows. */
export const SNOWBALL_LANGUAGES: readonly string[] = [
  'porter',
  ...Object.keys(SNOWBALL),
  ...'english estonian german2 kp lithuanian lovins'.split(' '),
];

/** Other names of stemmers. */
const ALIASES: Readonly<Record<string, string>> = { dutch_kp: 'kp', kstem: 'light_english' };

/** A name as it is listed here: Elasticsearch takes `lightFrench` for `light_french`, in capitals or not. */
export function stemmerName(name: string): string {
  const lower = name.toLowerCase();
  const plain = lower.replaceAll('_', '');
  const listed = [...STEMMER_LANGUAGES, ...Object.keys(ALIASES), 'possessive_english'].find(
    (each) => each.replaceAll('_', '') === plain,
  );
  return listed === undefined ? lower : (ALIASES[listed] ?? listed);
}

/** The stemmer of a language, or undefined when there is none. Stems are remembered: words repeat (Zipf). */
export function stemmerOf(language: string): Stemmer | undefined {
  const known = stemmers.get(language);
  if (known !== undefined) return known;
  const raw = load(language);
  if (raw === undefined) return undefined;
  const memory = new Map<string, string>();
  const stem: Stemmer = (word) => {
    let found = memory.get(word);
    if (found === undefined) {
      found = raw(word);
      if (memory.size >= 20_000) memory.clear();
      memory.set(word, found);
    }
    return found;
  };
  stemmers.set(language, stem);
  return stem;
}

function load(language: string): Stemmer | undefined {
  if (language === 'porter') return porter((require('stemmer') as { stemmer: Stemmer }).stemmer);
  if (Object.hasOwn(OWN, language)) return OWN[language];
  const algorithm = Object.hasOwn(SNOWBALL, language) ? SNOWBALL[language] : undefined;
  if (algorithm === undefined) return undefined;
  const stemmer = (require('snowball-stemmers') as Snowball).newStemmer(algorithm);
  return (word) => stemmer.stem(word);
}

/**
 * Porter's stemmer as Lucene has it: letters other than `a` to `z` are consonants that no ending has, and stay as they are. Ours would make
 * them small.
 */
function porter(stem: Stemmer): Stemmer {
  return (word) => {
    if (/^[a-z]*$/.test(word)) return stem(word);
    let plain = '';
    for (let at = 0; at < word.length; at++) {
      const unit = word[at]!;
      // Equal neighbours stay equal: doubled consonants are looked at.
      if (unit >= 'a' && unit <= 'z') plain += unit;
      else if (unit === word[at - 1]) plain += plain[at - 1];
      else plain += plain[at - 1] === 'q' ? 'j' : 'q';
    }
    const found = stem(plain);
    // An ending may go, and other letters take its place: what comes before is kept.
    let same = 0;
    while (same < found.length && found[same] === plain[same]) same++;
    return word.slice(0, same) + found.slice(same);
  };
}
