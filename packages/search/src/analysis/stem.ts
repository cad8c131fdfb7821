// The stemmers by Elasticsearch's names. Libraries are loaded when a stemmer of theirs is first needed: most indices need none.
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
import { porter } from './porter-stemmer.ts';
import { galician, minimalGalician, minimalPortuguese, portugueseRslp } from './rslp-stemmers.ts';

/** Cuts a lower-case word down to its stem. */
export type Stemmer = (word: string) => string;

/** One algorithm. */
interface StemmerDefinition {
  /** Loads it, the first time that it is needed. */
  load(): Stemmer;
  /** Other names of it in the filter `stemmer`. */
  readonly aliases?: readonly string[];
  /** Whether the filter `snowball` knows it too. */
  readonly inSnowball?: boolean;
}

interface Snowball {
  newStemmer(language: string): { stem(word: string): string };
}

const require = createRequire(import.meta.url);

/** An algorithm written here. */
function own(stemmer: Stemmer, traits: Partial<StemmerDefinition> = {}): StemmerDefinition {
  return { ...traits, load: () => stemmer };
}

/** An algorithm of the Snowball library. */
function snowball(algorithm: string): StemmerDefinition {
  return {
    inSnowball: true,
    load() {
      const stemmer = (require('snowball-stemmers') as Snowball).newStemmer(algorithm);
      return (word) => stemmer.stem(word);
    },
  };
}

/** The algorithms by Elasticsearch's names. */
const STEMMERS = {
  porter: own(porter, { aliases: ['english'], inSnowball: true }),
  porter2: snowball('english'),
  arabic: own(arabic),
  armenian: snowball('armenian'),
  basque: snowball('basque'),
  bengali: own(bengali),
  brazilian: own(brazilian),
  bulgarian: own(bulgarian),
  catalan: snowball('catalan'),
  czech: own(czech),
  danish: snowball('danish'),
  dutch: snowball('dutch'),
  estonian: own(estonian, { inSnowball: true }),
  finnish: snowball('finnish'),
  french: snowball('french'),
  galician: own(galician),
  german: snowball('german'),
  german2: own(german2, { inSnowball: true }),
  greek: own(greek),
  hindi: own(hindi),
  hungarian: snowball('hungarian'),
  indonesian: own(indonesian),
  irish: snowball('irish'),
  italian: snowball('italian'),
  kp: own(kraaijPohlmann, { aliases: ['dutch_kp'], inSnowball: true }),
  latvian: own(latvian),
  light_english: own(kstem, { aliases: ['kstem'] }),
  light_finnish: own(lightFinnish),
  light_french: own(lightFrench),
  light_german: own(lightGerman),
  light_hungarian: own(lightHungarian),
  light_italian: own(lightItalian),
  light_norwegian: own(lightNorwegian),
  light_nynorsk: own(lightNynorsk),
  light_portuguese: own(lightPortuguese),
  light_russian: own(lightRussian),
  light_spanish: own(lightSpanish),
  light_swedish: own(lightSwedish),
  lithuanian: own(lithuanian, { inSnowball: true }),
  lovins: own(lovins, { inSnowball: true }),
  minimal_english: own(minimalEnglish),
  minimal_french: own(minimalFrench),
  minimal_galician: own(minimalGalician),
  minimal_german: own(minimalGerman),
  minimal_norwegian: own(minimalNorwegian),
  minimal_nynorsk: own(minimalNynorsk),
  minimal_portuguese: own(minimalPortuguese),
  norwegian: snowball('norwegian'),
  portuguese: snowball('portuguese'),
  portuguese_rslp: own(portugueseRslp),
  romanian: snowball('romanian'),
  russian: snowball('russian'),
  sorani: own(sorani),
  spanish: snowball('spanish'),
  swedish: snowball('swedish'),
  turkish: snowball('turkish'),
} satisfies Readonly<Record<string, StemmerDefinition>>;

/** The name of a stemmer. */
export type StemmerName = keyof typeof STEMMERS;

const DEFINITIONS: readonly (readonly [string, StemmerDefinition])[] = Object.entries(STEMMERS);

/** The names that the filter `stemmer` knows, without aliases. */
export const STEMMER_LANGUAGES: readonly string[] = Object.keys(STEMMERS);

/** The names that the filter `snowball` knows; its `english` is `porter2`. */
export const SNOWBALL_LANGUAGES: readonly string[] = [
  'english',
  ...DEFINITIONS.flatMap(([name, { inSnowball }]) => (inSnowball === true ? [name] : [])),
];

/** A name as it is listed here: Elasticsearch takes `lightFrench` for `light_french`, in capitals or not. */
export function stemmerName(name: string): string {
  const plain = (each: string): string => each.toLowerCase().replaceAll('_', '');
  if (plain(name) === 'possessiveenglish') return 'possessive_english';
  const found = DEFINITIONS.find(([each, { aliases = [] }]) =>
    [each, ...aliases].some((known) => plain(known) === plain(name)),
  );
  return found?.[0] ?? name.toLowerCase();
}

const stemmers = new Map<StemmerName, Stemmer>();

/** The stemmer of a name. Stems are remembered: words repeat (Zipf). */
export function stemmerOf(name: StemmerName): Stemmer {
  const known = stemmers.get(name);
  if (known !== undefined) return known;
  const raw = STEMMERS[name].load();
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
  stemmers.set(name, stem);
  return stem;
}

/** The stemmer of a name, or undefined when there is none. */
export function findStemmer(name: string): Stemmer | undefined {
  const isKnown = (each: string): each is StemmerName => Object.hasOwn(STEMMERS, each);
  return isKnown(name) ? stemmerOf(name) : undefined;
}
