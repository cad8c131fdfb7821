// From a word to its stem, by Elasticsearch's names of stemmers. English words go through Porter's algorithm, which is what the
// `english` analyzer uses; most other languages through Snowball; where Elasticsearch's analyzers have light stemmers of their own,
// through those. Both libraries are loaded when first needed: most indices need neither.
import { createRequire } from 'node:module';
import { arabic, bulgarian, czech, latvian, sorani } from './affix-stemmers.ts';
import { brazilian } from './brazilian-stemmer.ts';
import { estonian } from './estonian-stemmer.ts';
import { greek } from './greek-stemmer.ts';
import { bengali, hindi } from './indic-stemmers.ts';
import { indonesian } from './indonesian-stemmer.ts';
import { lightFrench, lightGerman, lightItalian, lightPortuguese, lightSpanish } from './light-stemmers.ts';
import { lithuanian } from './lithuanian-stemmer.ts';
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
  minimal_galician: minimalGalician,
  greek,
  hindi,
  indonesian,
  latvian,
  lithuanian,
  minimal_portuguese: minimalPortuguese,
  portuguese_rslp: portugueseRslp,
  sorani,
  light_french: lightFrench,
  light_german: lightGerman,
  light_italian: lightItalian,
  light_portuguese: lightPortuguese,
  light_spanish: lightSpanish,
};

/** The names a stemmer exists by; `porter` is what Elasticsearch calls `english`. */
export const STEMMER_LANGUAGES: readonly string[] = ['porter', ...Object.keys(SNOWBALL), ...Object.keys(OWN)];

/** Stemmers of Elasticsearch that are not here: taking a near one would give other stems than were asked for. */
export const ABSENT_STEMMERS: readonly string[] = (
  'dutch_kp kp german2 minimal_german minimal_french light_english lovins minimal_english light_finnish light_hungarian ' +
  'light_norwegian minimal_norwegian light_nynorsk minimal_nynorsk light_russian light_swedish'
).split(' ');

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
  if (language === 'porter') return (require('stemmer') as { stemmer: Stemmer }).stemmer;
  if (Object.hasOwn(OWN, language)) return OWN[language];
  const algorithm = Object.hasOwn(SNOWBALL, language) ? SNOWBALL[language] : undefined;
  if (algorithm === undefined) return undefined;
  const stemmer = (require('snowball-stemmers') as Snowball).newStemmer(algorithm);
  return (word) => stemmer.stem(word);
}
