// The analyzers that Elasticsearch has by the name of a language: which articles are cut off, which words are dropped, which spellings
// become alike, and which stemmer follows, in the order of Lucene 8's analyzers.
import {
  arabicNormalization,
  germanNormalization,
  persianNormalization,
  soraniNormalization,
} from './affix-stemmers.ts';
import { type Analyzer, createAnalyzer, createWordAnalyzer } from './analyzer.ts';
import { type AnalyzerDefinition, defineAnalyzer } from './analyzer-definition.ts';
import { ARTICLES } from './articles.ts';
import { mappingFilter } from './char-filters.ts';
import { greekLowercase } from './greek-stemmer.ts';
import { bengaliNormalization, hindiNormalization, indicNormalization } from './indic-normalization.ts';
import { irishLowercase } from './irish.ts';
import { lowerCase } from './letter-case.ts';
import { apostrophe, decimalDigit, elision, lowercase, toDecimalDigits, turkishLowercase } from './letter-filters.ts';
import { strings, words } from './part-options.ts';
import { stop } from './removing-filters.ts';
import { type Stemmer, type StemmerName, stemmerOf } from './stem.ts';
import { keywordMarker, stem as stemWords } from './stemming-filters.ts';
import { mapTerms, type TokenFilter } from './token-filter.ts';
import { standardTokenizer } from './tokenizers.ts';

/** What a chain of filters is made of. */
interface ChainContext {
  readonly stop: TokenFilter;
  /** Stems of all words but the excluded ones. */
  readonly stem: TokenFilter;
  readonly excluded: ReadonlySet<string>;
}

/** How words of one language become terms. */
interface Language {
  readonly stemmer?: StemmerName;
  /** Whether there is no option `stem_exclusion`, as in Lucene's analyzer. */
  readonly stemsAll?: boolean;
  /** Changes a lower-cased word before stop words are looked up. */
  readonly before?: (word: string) => string;
  /** Changes a word that is kept, before it is stemmed; excluded words too. */
  readonly spelling?: (word: string) => string;
  /** Stems that the stemmer does not give. */
  readonly overrides?: ReadonlyMap<string, string>;
  /** The filters, where they are others than lower-casing, `before`, stop words, `spelling` and stemmer. */
  readonly filters?: (context: ChainContext) => readonly TokenFilter[];
  /** Characters that part words. */
  readonly parting?: string;
  /** How a part of a word is spelt in patterns (normalize of Lucene's analyzer); in lower case by default. */
  readonly pattern?: (text: string) => string;
}

/** Words that DutchAnalyzer does not leave to the stemmer. */
const DUTCH = new Map([
  ['fiets', 'fiets'],
  ['bromfiets', 'bromfiets'],
  ['ei', 'eier'],
  ['kind', 'kinder'],
]);

const spellSorani = (word: string): string => digits(soraniNormalization(word));

const digits = (word: string): string => (/\p{Nd}/u.test(word) ? toDecimalDigits(word) : word);

function elide(articles: readonly string[]): (word: string) => string {
  const pattern = new RegExp(`^(?:${articles.join('|')})['’]`);
  return (word) => word.replace(pattern, '');
}

/** The function after lower-casing. */
const lowered =
  (change: (word: string) => string): ((text: string) => string) =>
  (text) =>
    change(lowerCase(text));

function eliding(stemmer: StemmerName, articles: readonly string[]): Language {
  const before = elide(articles);
  return { stemmer, before, pattern: lowered(before) };
}

function indic(stemmer: StemmerName, normalization: (word: string) => string): Language {
  return {
    stemmer,
    pattern: lowered((word) => normalization(indicNormalization(digits(word)))),
    filters: ({ excluded, stop }) => [
      lowercase,
      decimalDigit,
      keywordMarker(excluded, false),
      mapTerms(indicNormalization),
      stemWords(normalization),
      stop,
      stemWords(stemmerOf(stemmer)),
    ],
  };
}

const DEFINITIONS: Readonly<Record<string, Language>> = {
  arabic: {
    stemmer: 'arabic',
    before: digits,
    spelling: arabicNormalization,
    pattern: lowered((word) => arabicNormalization(digits(word))),
  },
  armenian: { stemmer: 'armenian' },
  basque: { stemmer: 'basque' },
  bengali: indic('bengali', bengaliNormalization),
  brazilian: { stemmer: 'brazilian' },
  bulgarian: { stemmer: 'bulgarian' },
  catalan: eliding('catalan', ARTICLES.catalan),
  czech: { stemmer: 'czech' },
  danish: { stemmer: 'danish' },
  dutch: { stemmer: 'dutch', overrides: DUTCH },
  english: { stemmer: 'porter', before: (word) => (/['’＇]s$/.test(word) ? word.slice(0, -2) : word) },
  estonian: { stemmer: 'estonian' },
  finnish: { stemmer: 'finnish' },
  french: eliding('light_french', ARTICLES.french),
  galician: { stemmer: 'galician' },
  german: { stemmer: 'light_german', spelling: germanNormalization, pattern: lowered(germanNormalization) },
  greek: { stemmer: 'greek', stemsAll: true, before: greekLowercase, pattern: greekLowercase },
  hindi: indic('hindi', hindiNormalization),
  hungarian: { stemmer: 'hungarian' },
  indonesian: { stemmer: 'indonesian' },
  irish: {
    stemmer: 'irish',
    pattern: (text) => irishLowercase(text.replace(/^[dmb]['’]/i, '')),
    filters: ({ stem, stop: stopWords }) => [
      // What is left of h-, n- and t- before a vowel.
      stop(['h', 'n', 't'], true),
      elision(['d', 'm', 'b']),
      mapTerms(irishLowercase),
      stopWords,
      stem,
    ],
  },
  italian: eliding('light_italian', ARTICLES.italian),
  latvian: { stemmer: 'latvian' },
  lithuanian: { stemmer: 'lithuanian' },
  norwegian: { stemmer: 'norwegian' },
  persian: {
    stemsAll: true,
    // A zero-width non-joiner.
    parting: '\u200c',
    pattern: lowered((word) => persianNormalization(arabicNormalization(digits(word.replaceAll('\u200c', ' '))))),
    filters: ({ stop }) => [
      lowercase,
      decimalDigit,
      mapTerms(arabicNormalization),
      mapTerms(persianNormalization),
      stop,
    ],
  },
  portuguese: { stemmer: 'light_portuguese' },
  romanian: { stemmer: 'romanian' },
  russian: { stemmer: 'russian' },
  sorani: { stemmer: 'sorani', before: spellSorani, pattern: lowered(spellSorani) },
  spanish: { stemmer: 'light_spanish' },
  swedish: { stemmer: 'swedish' },
  turkish: {
    stemmer: 'turkish',
    filters: ({ stem, stop }) => [apostrophe, mapTerms(turkishLowercase), stop, stem],
    pattern: turkishLowercase,
  },
};

/** The languages that have an analyzer. */
export const LANGUAGES: readonly string[] = Object.keys(DEFINITIONS);

/** The analyzers of languages by name. */
export const LANGUAGE_ANALYZERS: Readonly<Record<string, AnalyzerDefinition>> = Object.fromEntries(
  Object.entries(DEFINITIONS).map(([name, language]) => [name, languageAnalyzer(name, language)]),
);

function languageAnalyzer(name: string, language: Language): AnalyzerDefinition {
  const options = { stopwords: words(`_${name}_`) };
  if (language.stemsAll === true)
    return defineAnalyzer({
      options,
      build: ({ stopwords }) => build(name, language, stopwords, new Set()),
    });
  return defineAnalyzer({
    options: { ...options, stem_exclusion: strings },
    build: ({ stem_exclusion, stopwords }) => build(name, language, stopwords, new Set(stem_exclusion)),
  });
}

function build(
  name: string,
  language: Language,
  stopWords: readonly string[],
  excluded: ReadonlySet<string>,
): Analyzer {
  const stemmed = stemming(language, excluded);
  const { before, filters, parting, pattern: normalize } = language;
  if (filters !== undefined)
    return createAnalyzer(name, {
      charFilters: parting === undefined ? [] : [mappingFilter(new Map([[parting, ' ']]))],
      tokenizer: standardTokenizer(),
      filters: filters({ stop: stop(stopWords, false), stem: mapTerms(stemmed), excluded }),
      normalize,
    });
  return createWordAnalyzer(name, {
    after: stemmed,
    normalize,
    ...(before === undefined ? {} : { before }),
    ...(stopWords.length === 0 ? {} : { stopWords: new Set(stopWords) }),
  });
}

function stemming({ overrides, spelling, stemmer }: Language, excluded: ReadonlySet<string>): Stemmer {
  const stem: Stemmer = stemmer === undefined ? (word) => word : stemmerOf(stemmer);
  const whole: Stemmer =
    spelling !== undefined
      ? (word) => stem(spelling(word))
      : overrides !== undefined
        ? (word) => overrides.get(word) ?? stem(word)
        : stem;
  if (excluded.size === 0) return whole;
  return (word) => (excluded.has(word) ? (spelling?.(word) ?? word) : whole(word));
}
