// The analyzers that Elasticsearch has by name, and what their options do.
import type { Json } from '../json.ts';
import { type Analyzer, createAnalyzer, createWordAnalyzer } from './analyzer.ts';
import { cjkBigram } from './cjk-bigram.ts';
import { separatorOf } from './build-token-filter.ts';
import { pattern, words } from './part-definition.ts';
import { flagSetting, integerSetting, tokenLength } from './read-settings.ts';
import { LANGUAGES, languageAnalyzer } from './language-analyzers.ts';
import * as filters from './token-filters.ts';
import * as tokenizers from './tokenizers.ts';

/** The analyzers by name. */
export const BUILT_IN = [
  'standard',
  'simple',
  'whitespace',
  'keyword',
  'stop',
  'pattern',
  'fingerprint',
  'thai',
  'cjk',
  'chinese',
  'japanese',
  ...LANGUAGES,
] as const;

/** The analyzer of a name with its options, or undefined. */
export function builtIn(name: string, options: Json): Analyzer | undefined {
  const maxLength = tokenLength(options);
  const stopWords = (fallback: string): ReadonlySet<string> | undefined => {
    const found = words(options['stopwords'], fallback);
    return found.length === 0 ? undefined : new Set(found);
  };
  switch (name) {
    case 'standard':
    case 'default': {
      const stop = stopWords('_none_');
      return createWordAnalyzer(name, { maxLength, ...(stop === undefined ? {} : { stopWords: stop }) });
    }
    case 'simple':
      return createAnalyzer(name, { tokenizer: tokenizers.letterTokenizer(true) });
    case 'whitespace':
      return createAnalyzer(name, { tokenizer: tokenizers.whitespaceTokenizer() });
    case 'keyword':
      return createAnalyzer(name, { tokenizer: tokenizers.keywordTokenizer });
    case 'stop':
      return createAnalyzer(name, {
        tokenizer: tokenizers.letterTokenizer(true),
        filters: [filters.stop(words(options['stopwords'], '_english_'), false)],
      });
    case 'pattern': {
      const lower = flagSetting(options, 'lowercase', true);
      const stop = words(options['stopwords'], '_none_');
      return createAnalyzer(name, {
        tokenizer: tokenizers.patternTokenizer(pattern(options, '\\W+'), -1),
        filters: [...(lower ? [filters.lowercase] : []), ...(stop.length > 0 ? [filters.stop(stop, false)] : [])],
      });
    }
    case 'fingerprint': {
      const separator = separatorOf(options);
      const stop = words(options['stopwords'], '_none_');
      const stopping = stop.length > 0 ? [filters.stop(stop, false)] : [];
      const size = integerSetting(options, 'max_output_size', 255);
      return createAnalyzer(name, {
        tokenizer: tokenizers.standardTokenizer(),
        filters: [filters.lowercase, filters.asciiFolding(false), ...stopping, filters.fingerprint(separator, size)],
      });
    }
    case 'thai':
      return createAnalyzer(name, {
        tokenizer: tokenizers.segmenterTokenizer('th'),
        filters: [filters.lowercase, filters.decimalDigit, filters.stop(words(options['stopwords'], '_thai_'), false)],
      });
    case 'chinese':
    case 'japanese':
      return createAnalyzer(name, {
        tokenizer: tokenizers.segmenterTokenizer(name === 'chinese' ? 'zh' : 'ja'),
        filters: [filters.cjkWidth, filters.lowercase],
      });
    case 'cjk':
      return createAnalyzer(name, {
        tokenizer: tokenizers.standardTokenizer(),
        filters: [
          filters.cjkWidth,
          filters.lowercase,
          cjkBigram(),
          filters.stop(words(options['stopwords'], '_cjk_'), false),
        ],
      });
    default:
      return languageAnalyzer(name, options, maxLength);
  }
}
