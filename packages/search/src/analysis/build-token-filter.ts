// Which token filters a definition under `settings.analysis.filter` stands for.
import { didYouMean } from '@lockstitch/kernel';
import { asString, type Json, textOf, toList } from '../json.ts';
import { illegalArgument, unsupported } from '../request-error.ts';
import { commonGrams, dictionaryDecompounder, keywordRepeat, multiplexer, patternCapture } from './adding-filters.ts';
import {
  arabicNormalization,
  germanNormalization,
  persianNormalization,
  soraniNormalization,
} from './affix-stemmers.ts';
import { germanStem } from './german-stem.ts';
import { ARTICLES } from './articles.ts';
import { CJK_SCRIPTS, cjkBigram } from './cjk-bigram.ts';
import { classicFilter } from './classic-tokenizer.ts';
import { flattenGraph } from './flatten-graph.ts';
import { greekLowercase } from './greek-stemmer.ts';
import { bengaliNormalization, hindiNormalization, indicNormalization } from './indic-normalization.ts';
import { irishLowercase } from './irish.ts';
import {
  checkGrams,
  checkShingles,
  list,
  pattern,
  required,
  type BuildLimits,
  unknownPart,
  words,
  wrongRule,
} from './part-definition.ts';
import { flagSetting, integerSetting, readPattern, textSetting } from './read-settings.ts';
import { SNOWBALL_LANGUAGES, STEMMER_LANGUAGES, type Stemmer, stemmerName, stemmerOf } from './stem.ts';
import { scandinavianFolding, scandinavianNormalization, serbianNormalization } from './scandinavian.ts';
import { synonymGraph, synonyms } from './synonym-filters.ts';
import { MOST_RUN_WORDS, SynonymRules } from './synonyms.ts';
import * as filters from './token-filters.ts';
import type { Token } from './token.ts';
import type { TokenFilter } from './token-filters.ts';
import { wordDelimiter, wordDelimiterGraph } from './word-delimiter.ts';
import { parseKinds } from './word-parts.ts';

/** Those without options. */
const PLAIN: Readonly<Record<string, () => readonly TokenFilter[]>> = {
  standard: () => [],
  flatten_graph: () => [flattenGraph],
  uppercase: () => [filters.uppercase],
  porter_stem: () => [filters.stem(stemmerOf('porter')!)],
  reverse: () => [filters.reverse],
  apostrophe: () => [filters.apostrophe],
  classic: () => [classicFilter],
  remove_duplicates: () => [filters.removeDuplicates],
  cjk_width: () => [filters.cjkWidth],
  decimal_digit: () => [filters.decimalDigit],
  arabic_normalization: () => [filters.mapTerms(arabicNormalization)],
  // Lucene's filters of Bengali and Hindi spellings alone spare marked words.
  bengali_normalization: () => [filters.stem(bengaliNormalization)],
  german_normalization: () => [filters.mapTerms(germanNormalization)],
  hindi_normalization: () => [filters.stem(hindiNormalization)],
  indic_normalization: () => [filters.mapTerms(indicNormalization)],
  keyword_repeat: () => [keywordRepeat],
  persian_normalization: () => [filters.mapTerms(persianNormalization)],
  scandinavian_folding: () => [filters.mapTerms(scandinavianFolding)],
  scandinavian_normalization: () => [filters.mapTerms(scandinavianNormalization)],
  serbian_normalization: () => [filters.mapTerms(serbianNormalization)],
  sorani_normalization: () => [filters.mapTerms(soraniNormalization)],
  kstem: () => [filters.stem(stemmerOf('light_english')!)],
  arabic_stem: () => [filters.stem(stemmerOf('arabic')!)],
  brazilian_stem: () => [filters.stem(stemmerOf('brazilian')!)],
  dutch_stem: () => [filters.stem(stemmerOf('dutch')!)],
  german_stem: () => [filters.stem(germanStem)],
  french_stem: () => [filters.stem(stemmerOf('french')!)],
  russian_stem: () => [filters.stem(stemmerOf('russian')!)],
  czech_stem: () => [filters.stem(stemmerOf('czech')!)],
};

/** `lowercase` by its `language`. */
const LOWERCASE: Readonly<Record<string, TokenFilter>> = {
  '': filters.lowercase,
  greek: filters.mapTerms(greekLowercase),
  irish: filters.mapTerms(irishLowercase),
  turkish: filters.turkishLowercase,
};

/** The token filters there are. */
export const FILTERS = [
  ...Object.keys(PLAIN).filter((name) => name !== 'standard'),
  ...(
    'lowercase trim asciifolding cjk_bigram stop stemmer snowball synonym synonym_graph ngram edge_ngram shingle unique length truncate limit ' +
    'keyword_marker keep keep_types common_grams multiplexer pattern_capture dictionary_decompounder elision word_delimiter word_delimiter_graph pattern_replace fingerprint stemmer_override delimited_payload'
  ).split(' '),
].sort();

/** Builds them; `analyze` is what stands before it in the chain, for synonyms; `chain` builds other filters by their names. */
export function buildTokenFilters(
  definition: Json,
  name: string,
  analyze: (text: string) => readonly Token[],
  limits: BuildLimits,
  chain: (names: readonly unknown[]) => TokenFilter[],
): TokenFilter[] {
  const type = asString(definition['type'], name);
  const integer = (key: string, fallback: number): number => integerSetting(definition, key, fallback);
  const flag = (key: string, fallback: boolean): boolean => flagSetting(definition, key, fallback);
  const text = (key: string, fallback: string): string => textSetting(definition, key, fallback);
  // Parts that are there by their names have usual values for what a definition has to say.
  const isPlain = name === type && Object.keys(definition).length === 1;
  const must = (key: string, reason: string): unknown =>
    isPlain ? definition[key] : required(definition, key, reason);
  if (type === 'standard' && limits.strict) throw illegalArgument('The [standard] token filter has been removed.');
  if (Object.hasOwn(PLAIN, type)) return [...PLAIN[type]!()];
  switch (type) {
    case 'lowercase': {
      const language = text('language', '').toLowerCase();
      if (!Object.hasOwn(LOWERCASE, language)) {
        throw illegalArgument(
          `language [${language}] not support for lower case${didYouMean(language, Object.keys(LOWERCASE))}`,
        );
      }
      return [LOWERCASE[language]!];
    }
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
    case 'stemmer': {
      const language = stemmerName(text('language', text('name', 'porter')));
      if (language === 'possessive_english') return [filters.englishPossessive];
      return [filters.stem(namedStemmer(language, language === 'english' ? 'porter' : language, STEMMER_LANGUAGES))];
    }
    case 'snowball': {
      const language = text('language', text('name', 'english')).toLowerCase();
      if (language === 'arabic') throw unsupported(`language [${language}] of snowball`);
      if (!SNOWBALL_LANGUAGES.includes(language)) throw unknownStemmer(language, SNOWBALL_LANGUAGES);
      // What the filter `stemmer` calls porter2.
      return [filters.stem(namedStemmer(language, language === 'english' ? 'porter2' : language, SNOWBALL_LANGUAGES))];
    }
    case 'synonym':
    case 'synonym_graph': {
      const lines = list(definition['synonyms']).map(textOf);
      if (definition['synonyms'] === undefined)
        throw illegalArgument(`synonym requires either \`synonyms\` or \`synonyms_path\` to be configured`);
      // A flag for reloading files, of which there are none.
      flag('updateable', false);
      const options = {
        expand: flag('expand', true),
        // An index that exists is opened with whatever it holds.
        lenient: flag('lenient', false) || !limits.strict,
        format: text('format', '') === 'wordnet' ? ('wordnet' as const) : ('solr' as const),
      };
      const rules = new SynonymRules(options, analyze, limits.strict ? MOST_RUN_WORDS : Infinity);
      limits.countSynonyms(lines);
      limits.run(rules.add(lines));
      return [type === 'synonym' ? synonyms(rules) : synonymGraph(rules)];
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
      const side = text('side', 'front');
      if (side !== 'front' && side !== 'back') throw illegalArgument(`invalid side: ${side}`);
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
    case 'length': {
      const [min, max] = [integer('min', 0), integer('max', 2 ** 31 - 1)];
      if (min < 0) throw illegalArgument('minimum length must be greater than or equal to zero');
      if (min > max) throw illegalArgument('maximum length must not be greater than minimum length');
      return [filters.lengthFilter(min, max)];
    }
    case 'truncate': {
      const length = integer('length', isPlain ? 10 : -1);
      if (length <= 0) throw illegalArgument('length parameter must be provided');
      return [filters.truncate(length)];
    }
    case 'limit': {
      // Whether the others are read changes nothing of those that are kept.
      flag('consume_all_tokens', false);
      const most = integer('max_token_count', 1);
      if (most <= 0) throw illegalArgument('maxTokenCount must be greater than zero');
      return [filters.limit(most)];
    }
    case 'trim':
      if (definition['update_offsets'] !== undefined)
        throw illegalArgument('update_offsets is not supported anymore. Please fix your analysis chain');
      return [filters.trim];
    case 'keep_types': {
      const mode = text('mode', 'include').toLowerCase();
      const types = list(must('types', 'keep_types requires `types` to be configured')).map(textOf);
      if (mode !== 'include' && mode !== 'exclude') {
        throw illegalArgument(`\`keep_types\` tokenfilter mode can only be [include] or [exclude] but was [${mode}].`);
      }
      return [filters.keepTypes(types, mode)];
    }
    case 'multiplexer': {
      limits.count('filters', list(definition['filters']).length);
      const chains = list(definition['filters']).map((names) =>
        chain(
          asString(names, 'filters')
            .split(',')
            .map((each) => each.trim()),
        ),
      );
      return [multiplexer(chains, flag('preserve_original', true))];
    }
    case 'pattern_capture': {
      const given = toList(must('patterns', `required setting 'patterns' is missing for token filter [${name}]`));
      limits.count('patterns', given.length);
      const patterns = given.map((each) => readPattern(textOf(each)));
      return [patternCapture(patterns, flag('preserve_original', true))];
    }
    case 'common_grams': {
      const common = words(
        must(
          'common_words',
          'missing or empty [common_words] or [common_words_path] configuration for common_grams token filter',
        ),
        '_none_',
      );
      return [commonGrams(common, flag('ignore_case', false), flag('query_mode', false))];
    }
    case 'dictionary_decompounder':
      return [
        dictionaryDecompounder({
          words: words(
            must('word_list', `word_list must be provided for [${name}], either as a path to a file, or directly`),
            '_none_',
          ),
          minWord: integer('min_word_size', 5),
          minPart: Math.max(1, integer('min_subword_size', 2)),
          maxPart: integer('max_subword_size', 15),
          longestOnly: flag('only_longest_match', false),
        }),
      ];
    case 'delimited_payload':
    case 'delimited_payload_filter': {
      const delimiter = text('delimiter', '|');
      if (delimiter.length !== 1)
        throw illegalArgument(`The [delimiter] of [${name}] is one character, not [${delimiter}]`);
      const encoding = text('encoding', 'float');
      if (encoding !== 'float' && encoding !== 'int' && encoding !== 'identity')
        throw illegalArgument(`[encoding] of [${name}] is one of [float, int, identity], not [${encoding}]`);
      return [filters.delimitedPayload(delimiter, encoding)];
    }
    case 'keyword_marker':
      if (definition['keywords_pattern'] !== undefined) {
        if (definition['keywords'] !== undefined) {
          throw illegalArgument('cannot specify both `keywords_pattern` and `keywords` or `keywords_path`');
        }
        // Patterns look at capitals, whatever it says.
        flag('ignore_case', false);
        return [filters.keywordPattern(readPattern(`^(?:${text('keywords_pattern', '')})$`))];
      }
      must(
        'keywords',
        'keyword filter requires either `keywords`, `keywords_path`, or `keywords_pattern` to be configured',
      );
      return [filters.keywordMarker(words(definition['keywords'], '_none_'), flag('ignore_case', false))];
    case 'stemmer_override': {
      const rules = new Map<string, string>();
      const given = must('rules', 'stemmer override filter requires either `rules` or `rules_path` to be configured');
      for (const line of list(given)) {
        const [from = '', to = '', ...more] = textOf(line).split('=>');
        const words = from.split(',').map((word) => word.trim());
        if (to.trim() === '' || more.length > 0 || words.includes(''))
          throw wrongRule(`Invalid Keyword override Rule:${textOf(line)}`);
        for (const word of words) rules.set(word, to.trim());
      }
      return [filters.stemmerOverride(rules)];
    }
    case 'keep':
      return [
        filters.keep(
          words(
            must('keep_words', 'keep requires either `keep_words` or `keep_words_path` to be configured'),
            '_none_',
          ),
          flag('keep_words_case', false),
        ),
      ];
    case 'elision': {
      const articles = must('articles', 'elision filter requires [articles] or [articles_path] setting');
      if (isPlain) return [filters.elision(ARTICLES['french']!)];
      return [filters.elision(words(articles, '_none_'), flag('articles_case', false))];
    }
    case 'cjk_bigram': {
      const ignored = list(definition['ignored_scripts']).map((script) => asString(script, 'ignored_scripts'));
      for (const script of ignored) {
        if (Object.hasOwn(CJK_SCRIPTS, script)) continue;
        throw illegalArgument(
          `[ignored_scripts] of cjk_bigram can hold ${Object.keys(CJK_SCRIPTS).join(', ')}, got [${script}]${didYouMean(script, Object.keys(CJK_SCRIPTS))}`,
        );
      }
      return [cjkBigram(ignored, flag('output_unigrams', false))];
    }
    case 'word_delimiter':
    case 'word_delimiter_graph': {
      const table = list(definition['type_table']);
      const options = {
        wordParts: flag('generate_word_parts', true),
        numberParts: flag('generate_number_parts', true),
        catenateWords: flag('catenate_words', false),
        catenateNumbers: flag('catenate_numbers', false),
        catenateAll: flag('catenate_all', false),
        splitOnCase: flag('split_on_case_change', true),
        splitOnNumerics: flag('split_on_numerics', true),
        preserveOriginal: flag('preserve_original', false),
        stemPossessive: flag('stem_english_possessive', true),
        protectedWords: new Set(words(definition['protected_words'], '_none_')),
        kinds: table.length === 0 ? undefined : parseKinds(table),
      };
      if (type === 'word_delimiter') return [wordDelimiter(options)];
      const adjustOffsets = flag('adjust_offsets', true);
      return [wordDelimiterGraph({ ...options, adjustOffsets, ignoreKeywords: flag('ignore_keywords', false) })];
    }
    case 'pattern_replace':
      must('pattern', `pattern is missing for [${name}] token filter of type 'pattern_replace'`);
      return [filters.patternReplaceFilter(pattern(definition, ''), text('replacement', ''), flag('all', true))];
    case 'fingerprint':
      return [filters.fingerprint(separatorOf(definition), integer('max_output_size', 255))];
    default:
      throw unknownPart('filter', type, name, FILTERS);
  }
}

/** What stands between the words of a fingerprint. */
export function separatorOf(definition: Json): string {
  const separator = textSetting(definition, 'separator', ' ');
  if (separator.length !== 1)
    throw illegalArgument(`Setting [separator] must be a single, non-null character. [${separator}] was provided.`);
  return separator;
}

function namedStemmer(language: string, algorithm: string, known: readonly string[]): Stemmer {
  const stemmer = stemmerOf(algorithm);
  if (stemmer === undefined) throw unknownStemmer(language, known);
  return stemmer;
}

function unknownStemmer(language: string, known: readonly string[]): Error {
  const named = language.charAt(0).toUpperCase() + language.slice(1);
  return illegalArgument(`Invalid stemmer class specified: ${named}${didYouMean(language, known)}`, {
    causedBy: { type: 'class_not_found_exception', reason: `org.tartarus.snowball.ext.${named}Stemmer` },
  });
}
