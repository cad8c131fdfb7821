// Which token filters a definition under `settings.analysis.filter` stands for.
import { didYouMean } from '@lockstitch/kernel';
import { asBoolean, asInteger, asString, type Json } from '../json.ts';
import { illegalArgument, unsupported } from '../request-error.ts';
import { arabicNormalization, germanNormalization, persianNormalization } from './affix-stemmers.ts';
import { ARTICLES } from './articles.ts';
import {
  checkGrams,
  checkShingles,
  list,
  pattern,
  required,
  type SizeLimits,
  unknownPart,
  words,
} from './part-definition.ts';
import { ABSENT_STEMMERS, STEMMER_LANGUAGES, stemmerOf } from './stem.ts';
import { synonyms } from './synonyms.ts';
import * as filters from './token-filters.ts';
import type { TokenFilter } from './token-filters.ts';

/** The token filters there are. */
export const FILTERS = [
  'lowercase',
  'uppercase',
  'asciifolding',
  'stop',
  'stemmer',
  'snowball',
  'porter_stem',
  'synonym',
  'synonym_graph',
  'ngram',
  'edge_ngram',
  'shingle',
  'unique',
  'trim',
  'length',
  'truncate',
  'limit',
  'reverse',
  'keyword_marker',
  'keep',
  'elision',
  'apostrophe',
  'word_delimiter',
  'word_delimiter_graph',
  'pattern_replace',
  'remove_duplicates',
  'flatten_graph',
  'cjk_width',
  'cjk_bigram',
  'fingerprint',
  'decimal_digit',
  'arabic_normalization',
  'german_normalization',
  'persian_normalization',
  'arabic_stem',
  'czech_stem',
  'stemmer_override',
];

/** Builds them; `analyze` is what stands before it in the chain, for synonyms. */
export function buildTokenFilters(
  definition: Json,
  name: string,
  analyze: (text: string) => string[],
  limits: SizeLimits,
): TokenFilter[] {
  const type = asString(definition['type'], name);
  const integer = (key: string, fallback: number): number =>
    definition[key] === undefined ? fallback : asInteger(definition[key], key);
  const flag = (key: string, fallback: boolean): boolean =>
    definition[key] === undefined ? fallback : asBoolean(definition[key], key);
  const text = (key: string, fallback: string): string =>
    definition[key] === undefined ? fallback : asString(definition[key], key);
  switch (type) {
    case 'standard':
    case 'flatten_graph':
      return [];
    case 'lowercase': {
      const language = text('language', '');
      return [language === 'turkish' ? filters.turkishLowercase : filters.lowercase];
    }
    case 'uppercase':
      return [filters.uppercase];
    case 'asciifolding':
      return [filters.asciiFolding(flag('preserve_original', false))];
    case 'stop':
      return [
        filters.stop(
          words(definition['stopwords'], '_english_'),
          flag('ignore_case', false),
          flag('remove_trailing', true),
        ),
      ];
    case 'stemmer':
    case 'snowball': {
      const language = text('language', text('name', type === 'stemmer' ? 'porter' : 'english')).toLowerCase();
      if (language === 'possessive_english') return [filters.englishPossessive];
      // Both filters call Snowball's newer stemmer of English by other names.
      const usual = language === 'english' ? (type === 'stemmer' ? 'porter' : 'porter2') : language;
      if (ABSENT_STEMMERS.includes(usual)) throw unsupported(`stemmer [${language}]`);
      const stemmer = stemmerOf(usual);
      if (stemmer === undefined) {
        throw illegalArgument(`Invalid stemmer class specified: ${language}${didYouMean(language, STEMMER_LANGUAGES)}`);
      }
      return [filters.stem(stemmer)];
    }
    case 'porter_stem':
      return [filters.stem(stemmerOf('porter')!)];
    case 'synonym':
    case 'synonym_graph': {
      const lines = list(definition['synonyms']).map((line) => asString(line, 'synonyms'));
      if (definition['synonyms'] === undefined)
        throw illegalArgument(`synonym requires either \`synonyms\` or \`synonyms_path\` to be configured`);
      try {
        return [synonyms(lines, flag('expand', true), analyze)];
      } catch (error) {
        throw illegalArgument(`failed to build synonyms: ${error instanceof Error ? error.message : ''}`);
      }
    }
    case 'ngram':
    case 'nGram': {
      const min = integer('min_gram', 1);
      const max = integer('max_gram', 2);
      checkGrams(min, max, type, limits.ngramDiff);
      return [filters.ngramFilter(min, max, flag('preserve_original', false))];
    }
    case 'edge_ngram':
    case 'edgeNGram': {
      const min = integer('min_gram', 1);
      const max = integer('max_gram', 2);
      checkGrams(min, max, type, limits.ngramDiff);
      const side = text('side', 'front') === 'back' ? 'back' : 'front';
      return [filters.edgeNgramFilter(min, max, flag('preserve_original', false), side)];
    }
    case 'shingle': {
      const min = integer('min_shingle_size', 2);
      const max = integer('max_shingle_size', 2);
      checkShingles(min, max, limits.shingleDiff);
      return [
        filters.shingle({
          min,
          max,
          unigrams: flag('output_unigrams', true),
          unigramsIfNone: flag('output_unigrams_if_no_shingles', false),
          separator: text('token_separator', ' '),
          filler: text('filler_token', '_'),
        }),
      ];
    }
    case 'unique':
      return [filters.unique(flag('only_on_same_position', false))];
    case 'remove_duplicates':
      return [filters.removeDuplicates];
    case 'trim':
      return [filters.trim];
    case 'reverse':
      return [filters.reverse];
    case 'apostrophe':
      return [filters.apostrophe];
    case 'length':
      return [filters.lengthFilter(integer('min', 0), integer('max', Number.MAX_SAFE_INTEGER))];
    case 'truncate':
      return [filters.truncate(integer('length', 10))];
    case 'limit':
      return [filters.limit(integer('max_token_count', 1))];
    case 'keyword_marker':
      return [filters.keywordMarker(words(definition['keywords'], '_none_'), flag('ignore_case', false))];
    case 'stemmer_override': {
      const rules = new Map<string, string>();
      for (const line of list(definition['rules'])) {
        const [from, to] = asString(line, 'rules').split('=>');
        if (to === undefined) throw illegalArgument(`Invalid Keyword override Rule: ${String(line)}`);
        for (const word of from!.split(',')) rules.set(word.trim(), to.trim());
      }
      return [filters.stemmerOverride(rules)];
    }
    case 'keep':
      return [filters.keep(words(definition['keep_words'], '_none_'))];
    case 'elision':
      return [
        filters.elision(
          definition['articles'] === undefined ? ARTICLES['french']! : words(definition['articles'], '_none_'),
        ),
      ];
    case 'word_delimiter':
    case 'word_delimiter_graph':
      return [
        filters.wordDelimiter({
          splitOnCase: flag('split_on_case_change', true),
          splitOnNumerics: flag('split_on_numerics', true),
          preserveOriginal: flag('preserve_original', false),
          catenateAll: flag('catenate_all', false),
          stemPossessive: flag('stem_english_possessive', true),
        }),
      ];
    case 'pattern_replace':
      return [
        filters.patternReplaceFilter(pattern(required(definition, 'pattern', name), ''), text('replacement', '')),
      ];
    case 'cjk_width':
      return [filters.cjkWidth];
    case 'cjk_bigram':
      return [filters.cjkBigram];
    case 'fingerprint':
      return [filters.fingerprint(text('separator', ' '))];
    case 'decimal_digit':
      return [filters.decimalDigit];
    case 'arabic_normalization':
      return [filters.mapTerms(arabicNormalization)];
    case 'german_normalization':
      return [filters.mapTerms(germanNormalization)];
    case 'persian_normalization':
      return [filters.mapTerms(persianNormalization)];
    case 'arabic_stem':
      return [filters.stem(stemmerOf('arabic')!)];
    case 'czech_stem':
      return [filters.stem(stemmerOf('czech')!)];
    default:
      throw unknownPart('filter', type, name, FILTERS);
  }
}
