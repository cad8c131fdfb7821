// The analyzers that Elasticsearch has by name. Those of languages are in `language-analyzers.ts`.
import { FINGERPRINT_OPTIONS, fingerprint } from './adding-filters.ts';
import { type AnalyzerDefinition, defineAnalyzer } from './analyzer-definition.ts';
import { type Analyzer, createAnalyzer, createWordAnalyzer } from './analyzer.ts';
import { cjkBigram } from './cjk-bigram.ts';
import { readPattern } from './java-pattern.ts';
import { LANGUAGE_ANALYZERS } from './language-analyzers.ts';
import { lowerCase } from './letter-case.ts';
import { asciiFolding, cjkWidth, decimalDigit, lowercase, toDecimalDigits, toUsualWidth } from './letter-filters.ts';
import { PartTable } from './part-definition.ts';
import { flag, readOptions, text, tokenLength, words } from './part-options.ts';
import { stop } from './removing-filters.ts';
import { SNOWBALL_LANGUAGES } from './stem.ts';
import { englishPossessive, languageOption, snowballStemmer, stem, unknownStemmer } from './stemming-filters.ts';
import type { TokenFilter } from './token-filter.ts';
import * as tokenizers from './tokenizers.ts';
import type { Tokenizer } from './tokenizer.ts';

const stopping = (words: readonly string[]): readonly TokenFilter[] => (words.length === 0 ? [] : [stop(words, false)]);

/** One whose options change nothing. */
function fixed(tokenizer: () => Tokenizer, filters: readonly TokenFilter[] = []): AnalyzerDefinition {
  return { options: {}, build: (_, type) => createAnalyzer(type, { tokenizer: tokenizer(), filters }) };
}

/** One whose stop words change. */
function stopAnalyzer(
  fallback: string,
  tokenizer: () => Tokenizer,
  filters: readonly TokenFilter[],
  normalize?: (text: string) => string,
): AnalyzerDefinition {
  return defineAnalyzer({
    options: { stopwords: words(fallback) },
    build: ({ stopwords }, type) =>
      createAnalyzer(type, {
        tokenizer: tokenizer(),
        filters: [...filters, stop(stopwords, false)],
        normalize,
      }),
  });
}

/** Patterns keep their capitals where Lucene's analyzer has no `normalize` of its own. */
const asItStands = (text: string): string => text;

/** The stop words of `snowball` by its language; others have none. */
const SNOWBALL_STOP_WORDS: Readonly<Record<string, string>> = {
  English: '_english_',
  Dutch: '_dutch_',
  French: '_french_',
  German: '_german_',
  German2: '_german_',
};
const LANGUAGE = languageOption('English');

/** Lucene's SnowballAnalyzer: classes are looked up by the language, with its capital. */
const snowball = defineAnalyzer({
  options: {
    language: LANGUAGE,
    name: text(''),
    stopwords: {
      ...words(),
      read(definition, key, part) {
        const language = LANGUAGE.read(definition, 'language', part);
        return words(SNOWBALL_STOP_WORDS[language] ?? '_none_').read(definition, key, part);
      },
    },
  },
  build({ language, stopwords }, type) {
    const name = language.toLowerCase();
    if (language !== name.charAt(0).toUpperCase() + name.slice(1)) throw unknownStemmer(language, SNOWBALL_LANGUAGES);
    const possessive = ['english', 'porter', 'lovins'].includes(name) ? [englishPossessive] : [];
    return createAnalyzer(type, {
      tokenizer: tokenizers.standardTokenizer(),
      filters: [...possessive, lowercase, ...stopping(stopwords), stem(snowballStemmer(name))],
      normalize: asItStands,
    });
  },
});

/** The analyzers by type. */
export const ANALYZERS = new PartTable<AnalyzerDefinition>('analyzer', {
  standard: defineAnalyzer({
    aliases: ['default'],
    options: { max_token_length: tokenLength, stopwords: words() },
    build: ({ max_token_length: maxLength, stopwords }, type) =>
      createWordAnalyzer(type, {
        maxLength,
        ...(stopwords.length === 0 ? {} : { stopWords: new Set(stopwords) }),
      }),
  }),
  simple: fixed(() => tokenizers.letterTokenizer(true)),
  whitespace: fixed(() => tokenizers.whitespaceTokenizer()),
  keyword: fixed(() => tokenizers.keywordTokenizer),
  stop: stopAnalyzer('_english_', () => tokenizers.letterTokenizer(true), []),
  pattern: defineAnalyzer({
    options: {
      lowercase: flag(true),
      stopwords: words(),
      pattern: text('\\W+', 'pattern'),
      flags: text('', 'patternFlags'),
    },
    build: ({ flags, lowercase: lowers, pattern, stopwords }, type) =>
      createAnalyzer(type, {
        tokenizer: tokenizers.patternTokenizer(readPattern(pattern, flags), -1),
        filters: [...(lowers ? [lowercase] : []), ...stopping(stopwords)],
      }),
  }),
  fingerprint: defineAnalyzer({
    options: { ...FINGERPRINT_OPTIONS, stopwords: words() },
    build: ({ max_output_size, separator, stopwords }, type) =>
      createAnalyzer(type, {
        tokenizer: tokenizers.standardTokenizer(),
        filters: [lowercase, asciiFolding(false), ...stopping(stopwords), fingerprint(separator, max_output_size)],
        normalize: asItStands,
      }),
  }),
  thai: stopAnalyzer(
    '_thai_',
    () => tokenizers.segmenterTokenizer('th'),
    [lowercase, decimalDigit],
    (text) => toDecimalDigits(lowerCase(text)),
  ),
  chinese: fixed(() => tokenizers.segmenterTokenizer('zh'), [cjkWidth, lowercase]),
  japanese: fixed(() => tokenizers.segmenterTokenizer('ja'), [cjkWidth, lowercase]),
  cjk: stopAnalyzer(
    '_cjk_',
    () => tokenizers.standardTokenizer(),
    [cjkWidth, lowercase, cjkBigram()],
    (text) => lowerCase(toUsualWidth(text)),
  ),
  snowball,
  ...LANGUAGE_ANALYZERS,
});

/** The analyzer of a name as it is without a definition, or undefined. */
export function builtIn(name: string): Analyzer | undefined {
  const definition = ANALYZERS.find(name);
  return definition?.build(readOptions(definition.options, {}, { name, isPlain: true }), name);
}
