// Which words a stop filter removes. English is Lucene's own list of 33; the other languages come from the `stopword`
// package, whose lists are longer than Lucene's in places.
import { createRequire } from 'node:module';

/** Lucene's EnglishAnalyzer.ENGLISH_STOP_WORDS_SET. */
const ENGLISH = (
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to ' +
  'was will with'
).split(' ');

const LISTS: Readonly<Record<string, string>> = {
  arabic: 'ara',
  armenian: 'hye',
  basque: 'eus',
  bengali: 'ben',
  bulgarian: 'bul',
  catalan: 'cat',
  czech: 'ces',
  danish: 'dan',
  dutch: 'nld',
  estonian: 'est',
  finnish: 'fin',
  french: 'fra',
  galician: 'glg',
  german: 'deu',
  greek: 'ell',
  hindi: 'hin',
  hungarian: 'hun',
  indonesian: 'ind',
  irish: 'gle',
  italian: 'ita',
  latvian: 'lav',
  lithuanian: 'lit',
  norwegian: 'nob',
  persian: 'fas',
  portuguese: 'por',
  romanian: 'ron',
  russian: 'rus',
  spanish: 'spa',
  swedish: 'swe',
  thai: 'tha',
  turkish: 'tur',
};

const require = createRequire(import.meta.url);

/** The words of a named list (`_english_`, `_german_`, `_none_`), or undefined when no list has that name. */
export function stopWordList(name: string): readonly string[] | undefined {
  const language = name.replace(/^_|_$/g, '');
  if (language === 'none') return [];
  if (language === 'english') return ENGLISH;
  const key = LISTS[language];
  if (key === undefined) return undefined;
  return (require('stopword') as Readonly<Record<string, readonly string[]>>)[key];
}
