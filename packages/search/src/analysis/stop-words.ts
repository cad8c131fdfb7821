// Which words a stop filter removes: the lists that Elasticsearch has by name, `_english_` to `_turkish_`.
import LISTS from './data/stop-words.json' with { type: 'json' };

/** The lists of Lucene's analyzers; where each comes from says THIRD-PARTY.md. */
const STOP_WORDS: Readonly<Record<string, readonly string[]>> = LISTS;

/** Lucene's EnglishAnalyzer.ENGLISH_STOP_WORDS_SET. */
const ENGLISH =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to ' +
  'was will with';

/** The words of a named list (`_english_`, `_german_`, `_none_`), or undefined when no list has that name. */
export function stopWordList(name: string): readonly string[] | undefined {
  const language = name.replace(/^_|_$/g, '');
  if (language === 'none') return [];
  if (language === 'english') return ENGLISH.split(' ');
  return Object.hasOwn(STOP_WORDS, language) ? STOP_WORDS[language]!.flatMap((line) => line.split(' ')) : undefined;
}
