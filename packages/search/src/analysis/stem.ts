// From a word to its stem. English words go through Porter's algorithm, which is what Elasticsearch's `english` analyzer
// uses; every other language through Snowball. Both libraries are loaded when first needed: most indices need neither.
import { createRequire } from 'node:module';

/** Cuts a lower-case word down to its stem. */
export type Stemmer = (word: string) => string;

interface Snowball {
  newStemmer(language: string): { stem(word: string): string };
}

const require = createRequire(import.meta.url);
const stemmers = new Map<string, Stemmer>();

/** The Snowball algorithms at hand, by Elasticsearch's names. */
const SNOWBALL: Readonly<Record<string, string>> = {
  arabic: 'arabic',
  armenian: 'armenian',
  basque: 'basque',
  catalan: 'catalan',
  czech: 'czech',
  danish: 'danish',
  dutch: 'dutch',
  english: 'english',
  porter2: 'english',
  finnish: 'finnish',
  french: 'french',
  german: 'german',
  german2: 'german',
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

/** The languages a stemmer exists for, `porter` included. */
export const STEMMER_LANGUAGES: readonly string[] = ['porter', ...Object.keys(SNOWBALL)];

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
  const algorithm = SNOWBALL[language];
  if (algorithm === undefined) return undefined;
  const stemmer = (require('snowball-stemmers') as Snowball).newStemmer(algorithm);
  return (word) => stemmer.stem(word);
}
