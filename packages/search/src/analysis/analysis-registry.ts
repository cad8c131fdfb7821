// Which analyzer a name stands for: Elasticsearch's built-in ones and those an index defines under `settings.analysis`.
// Definitions are checked when the index is created; an unknown name or option is an error that names it.
import { didYouMean } from '@lockstitch/kernel';
import { asBoolean, asInteger, asObject, asString, isObject, type Json, toList } from '../json.ts';
import { illegalArgument, unsupported } from '../request-error.ts';
import { type Analyzer, type AnalyzerParts, createAnalyzer, createWordAnalyzer, runParts } from './analyzer.ts';
import { type BoundedRegex, boundRegex } from './bounded-regex.ts';
import { type CharFilter, htmlStrip, mappingFilter, patternReplace } from './char-filters.ts';
import { STEMMER_LANGUAGES, stemmerOf } from './stem.ts';
import { stopWordList } from './stop-words.ts';
import { synonyms } from './synonyms.ts';
import * as filters from './token-filters.ts';
import type { TokenFilter } from './token-filters.ts';
import * as tokenizers from './tokenizers.ts';
import type { Tokenizer } from './tokenizers.ts';

/** The analyzers of one index. */
export interface Analysis {
  /** The analyzer of a name, or undefined. */
  analyzer(name: string): Analyzer | undefined;
  /** The normalizer of a name: what becomes of a keyword. */
  normalizer(name: string): ((text: string) => string) | undefined;
  /** An analyzer from parts given by name or definition, for `_analyze`. */
  custom(parts: {
    readonly tokenizer?: unknown;
    readonly filters?: readonly unknown[];
    readonly charFilters?: readonly unknown[];
  }): AnalyzerParts;
}

/** Languages whose analyzer is: standard words, lower case, stop words, stemmer. */
const LANGUAGES = [
  'arabic',
  'armenian',
  'basque',
  'catalan',
  'czech',
  'danish',
  'dutch',
  'finnish',
  'french',
  'german',
  'hungarian',
  'irish',
  'italian',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'spanish',
  'swedish',
  'turkish',
] as const;

const ARTICLES: Readonly<Record<string, readonly string[]>> = {
  french: ['l', 'm', 't', 'qu', 'n', 's', 'j', 'd', 'c', 'jusqu', 'quoiqu', 'lorsqu', 'puisqu'],
  italian: [
    'c',
    'l',
    'all',
    'dall',
    'dell',
    'nell',
    'sull',
    'coll',
    'pell',
    'gl',
    'agl',
    'dagl',
    'degl',
    'negl',
    'sugl',
    'un',
    'm',
    't',
    's',
    'v',
    'd',
  ],
  catalan: ['d', 'l', 'm', 'n', 's', 't'],
};

const BUILT_IN = [
  'standard',
  'simple',
  'whitespace',
  'keyword',
  'stop',
  'pattern',
  'fingerprint',
  'english',
  'thai',
  'cjk',
  'chinese',
  'japanese',
  ...LANGUAGES,
] as const;

/** The built-in analyzers and nothing else. */
export const standardAnalysis: Analysis = createAnalysis({});

/** Reads `settings.analysis`; unset parts are empty. */
export function createAnalysis(settings: Json): Analysis {
  const section = (name: string): Json => {
    const value = settings[name];
    return value === undefined ? {} : asObject(value, `analysis.${name}`);
  };
  const definitions = {
    analyzer: section('analyzer'),
    normalizer: section('normalizer'),
    tokenizer: section('tokenizer'),
    filter: section('filter'),
    char_filter: section('char_filter'),
  };
  for (const key of Object.keys(settings)) {
    if (!Object.hasOwn(definitions, key)) {
      throw illegalArgument(`unknown setting [index.analysis.${key}]${didYouMean(key, Object.keys(definitions))}`);
    }
  }
  const analyzers = new Map<string, Analyzer>();
  const normalizers = new Map<string, (text: string) => string>();

  const charFilter = (value: unknown): CharFilter => {
    const [definition, name] = resolve('char_filter', value, definitions.char_filter);
    return buildCharFilter(definition, name);
  };
  const tokenizer = (value: unknown): Tokenizer => {
    const [definition, name] = resolve('tokenizer', value, definitions.tokenizer);
    return buildTokenizer(definition, name);
  };
  const filterList = (values: readonly unknown[], cut: Tokenizer): TokenFilter[] => {
    const built: TokenFilter[] = [];
    for (const value of values) {
      const [definition, name] = resolve('filter', value, definitions.filter);
      const before = [...built];
      built.push(
        ...buildFilter(definition, name, (text) =>
          runParts({ tokenizer: cut, filters: before }, text).tokens.map((token) => token.term),
        ),
      );
    }
    return built;
  };

  const analysis: Analysis = {
    analyzer(name) {
      const known = analyzers.get(name);
      if (known !== undefined) return known;
      const definition = definitions.analyzer[name];
      const made = definition === undefined ? builtIn(name, {}) : fromDefinition(name, asObject(definition, name));
      if (made !== undefined) analyzers.set(name, made);
      return made;
    },
    normalizer(name) {
      const known = normalizers.get(name);
      if (known !== undefined) return known;
      const definition = definitions.normalizer[name];
      let made: ((text: string) => string) | undefined;
      if (definition !== undefined) {
        const parts = asObject(definition, name);
        const chain: AnalyzerParts = {
          charFilters: list(parts['char_filter']).map(charFilter),
          tokenizer: tokenizers.keywordTokenizer,
          filters: filterList(list(parts['filter']), tokenizers.keywordTokenizer),
        };
        made = (text) => runParts(chain, text).tokens[0]?.term ?? '';
      } else if (name === 'lowercase') {
        made = (text) => text.toLowerCase();
      }
      if (made !== undefined) normalizers.set(name, made);
      return made;
    },
    custom({ tokenizer: cut, filters: after = [], charFilters = [] }) {
      const base = cut === undefined ? tokenizers.keywordTokenizer : tokenizer(cut);
      return { charFilters: charFilters.map(charFilter), tokenizer: base, filters: filterList(after, base) };
    },
  };

  function fromDefinition(name: string, definition: Json): Analyzer {
    const type = definition['type'] === undefined ? 'custom' : asString(definition['type'], `${name}.type`);
    if (type !== 'custom') {
      const made = builtIn(type, definition);
      if (made === undefined)
        throw illegalArgument(`Unknown analyzer type [${type}] for [${name}]${didYouMean(type, BUILT_IN)}`);
      return made;
    }
    if (definition['tokenizer'] === undefined) {
      throw illegalArgument(`analyzer [${name}] must specify either an analyzer type, or a tokenizer`);
    }
    const cut = tokenizer(definition['tokenizer']);
    const chain = list(definition['filter']);
    const gap = definition['position_increment_gap'];
    const parts: AnalyzerParts = {
      charFilters: list(definition['char_filter']).map(charFilter),
      tokenizer: cut,
      filters: filterList(chain, cut),
      ...(gap === undefined ? {} : { positionIncrementGap: asInteger(gap, 'position_increment_gap') }),
    };
    // The most usual custom chain is the standard analyzer by another name: take its fast way.
    if (definition['tokenizer'] === 'standard' && definitions.tokenizer['standard'] === undefined) {
      const isStandard =
        chain.length === 1 && chain[0] === 'lowercase' && definitions.filter['lowercase'] === undefined;
      if (isStandard && parts.charFilters!.length === 0 && gap === undefined) return createWordAnalyzer(name);
    }
    return createAnalyzer(name, parts);
  }

  for (const name of Object.keys(definitions.analyzer)) analysis.analyzer(name);
  for (const name of Object.keys(definitions.normalizer)) analysis.normalizer(name);
  for (const value of Object.entries(definitions.filter)) {
    if (!isObject(value[1])) throw illegalArgument(`filter [${value[0]}] must be an object`);
  }
  return analysis;
}

function list(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : toList(value);
}

/** A definition by name (the index's own before the built-in ones) or as it stands. */
function resolve(kind: string, value: unknown, own: Json): readonly [Json, string] {
  if (isObject(value)) return [value, `__anonymous__${asString(value['type'] ?? '', kind)}`];
  const name = asString(value, kind);
  const definition = own[name];
  if (definition === undefined) return [{ type: name }, name];
  const object = asObject(definition, name);
  return [{ type: name, ...object }, name];
}

function words(value: unknown, fallback: string): readonly string[] {
  return list(value ?? fallback).flatMap((word) => {
    const text = asString(word, 'stopwords');
    if (!/^_.*_$/.test(text)) return [text];
    const named = stopWordList(text);
    if (named === undefined) throw illegalArgument(`Unknown stop word list [${text}]`);
    return named;
  });
}

/** Patterns are JavaScript's; Java's possessive quantifiers and `\p{…}` scripts work as far as JavaScript has them. */
function pattern(value: unknown, fallback: string, flags?: unknown): BoundedRegex {
  const text = value === undefined ? fallback : asString(value, 'pattern');
  return boundRegex(text, typeof flags === 'string' && flags.includes('CASE_INSENSITIVE'), 'pattern');
}

function builtIn(name: string, options: Json): Analyzer | undefined {
  const maxLength =
    options['max_token_length'] === undefined ? 255 : asInteger(options['max_token_length'], 'max_token_length');
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
      const lower = options['lowercase'] === undefined || asBoolean(options['lowercase'], 'lowercase');
      const stop = words(options['stopwords'], '_none_');
      return createAnalyzer(name, {
        tokenizer: tokenizers.patternTokenizer(pattern(options['pattern'], '\\W+', options['flags']), -1),
        filters: [...(lower ? [filters.lowercase] : []), ...(stop.length > 0 ? [filters.stop(stop, false)] : [])],
      });
    }
    case 'fingerprint': {
      const separator = options['separator'] === undefined ? ' ' : asString(options['separator'], 'separator');
      return createAnalyzer(name, {
        tokenizer: tokenizers.standardTokenizer(),
        filters: [filters.lowercase, filters.asciiFolding(false), fingerprint(separator)],
      });
    }
    case 'english': {
      const stem = stemmerOf('porter')!;
      const stop = stopWords('_english_');
      return createWordAnalyzer(name, {
        maxLength,
        before: (word) => (/['’＇]s$/.test(word) ? word.slice(0, -2) : word),
        after: stem,
        ...(stop === undefined ? {} : { stopWords: stop }),
      });
    }
    case 'thai':
      return createAnalyzer(name, {
        tokenizer: tokenizers.segmenterTokenizer('th'),
        filters: [filters.lowercase, filters.stop(words(options['stopwords'], '_thai_'), false)],
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
          filters.cjkBigram,
          filters.stop(words(options['stopwords'], '_english_'), false),
        ],
      });
    default: {
      if (!(LANGUAGES as readonly string[]).includes(name)) return undefined;
      const stem = stemmerOf(name)!;
      const stop = stopWords(`_${name}_`);
      const articles = ARTICLES[name];
      const elide = articles === undefined ? undefined : new RegExp(`^(?:${articles.join('|')})['’]`);
      return createWordAnalyzer(name, {
        maxLength,
        after: stem,
        ...(elide === undefined ? {} : { before: (word: string) => word.replace(elide, '') }),
        ...(stop === undefined ? {} : { stopWords: stop }),
      });
    }
  }
}

function fingerprint(separator: string): TokenFilter {
  return (tokens) => {
    if (tokens.length === 0) return tokens;
    const term = [...new Set(tokens.map((token) => token.term))].sort().join(separator);
    return [{ term, position: 0, start: 0, end: tokens.at(-1)!.end, type: 'fingerprint' }];
  };
}

function buildCharFilter(definition: Json, name: string): CharFilter {
  const type = asString(definition['type'], name);
  switch (type) {
    case 'html_strip':
      return htmlStrip(list(definition['escaped_tags']).map((tag) => asString(tag, 'escaped_tags')));
    case 'mapping': {
      const rules = new Map<string, string>();
      for (const rule of list(definition['mappings'])) {
        const [from, to, ...rest] = asString(rule, 'mappings').split('=>');
        if (from === undefined || to === undefined || rest.length > 0) {
          throw illegalArgument(`Invalid Mapping Rule : [${String(rule)}]`);
        }
        rules.set(unescape(from.trim()), unescape(to.trim()));
      }
      if (rules.size === 0)
        throw illegalArgument('mapping requires either `mappings` or `mappings_path` to be configured');
      return mappingFilter(rules);
    }
    case 'pattern_replace':
      return patternReplace(
        pattern(required(definition, 'pattern', name), '', definition['flags']),
        definition['replacement'] === undefined ? '' : asString(definition['replacement'], 'replacement'),
      );
    default:
      throw unknownPart('char_filter', type, name, ['html_strip', 'mapping', 'pattern_replace']);
  }
}

function unescape(text: string): string {
  return text.replace(/\\u([0-9a-fA-F]{4})|\\(.)/g, (_, hex: string | undefined, character: string | undefined) =>
    hex === undefined
      ? ({ n: '\n', t: '\t', r: '\r' }[character!] ?? character!)
      : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function required(definition: Json, key: string, name: string): unknown {
  const value = definition[key];
  if (value === undefined) throw illegalArgument(`[${name}] requires a [${key}]`);
  return value;
}

/** Parts that Elasticsearch has and this engine does not: naming another that is spelled alike would help nobody. */
const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  tokenizer: ['icu_tokenizer', 'kuromoji_tokenizer', 'nori_tokenizer', 'smartcn_tokenizer'],
  filter: (
    'kstem common_grams pattern_capture classic min_hash hunspell phonetic multiplexer condition predicate_token_filter ' +
    'arabic_normalization german_normalization persian_normalization scandinavian_folding scandinavian_normalization ' +
    'serbian_normalization sorani_normalization hindi_normalization indic_normalization bengali_normalization keep_types ' +
    'keyword_repeat delimited_payload dictionary_decompounder hyphenation_decompounder icu_folding icu_normalizer dutch_stem ' +
    'french_stem russian_stem german_stem arabic_stem brazilian_stem czech_stem'
  ).split(' '),
  char_filter: ['icu_normalizer', 'kuromoji_iteration_mark'],
};

function unknownPart(kind: string, type: string, name: string, known: readonly string[]): Error {
  if (UNSUPPORTED[kind]?.includes(type) === true) return unsupported(`${kind} [${type}]`);
  return illegalArgument(
    type === name
      ? `failed to find global ${kind} under [${name}]${didYouMean(type, known)}`
      : `Unknown ${kind} type [${type}] for [${name}]${didYouMean(type, known)}`,
  );
}

const TOKENIZERS = [
  'standard',
  'letter',
  'lowercase',
  'whitespace',
  'keyword',
  'ngram',
  'edge_ngram',
  'pattern',
  'simple_pattern',
  'simple_pattern_split',
  'char_group',
  'path_hierarchy',
  'uax_url_email',
  'classic',
  'thai',
];

function buildTokenizer(definition: Json, name: string): Tokenizer {
  const type = asString(definition['type'], name);
  const integer = (key: string, fallback: number): number =>
    definition[key] === undefined ? fallback : asInteger(definition[key], key);
  switch (type) {
    case 'standard':
    case 'classic':
      return tokenizers.standardTokenizer(integer('max_token_length', 255));
    case 'uax_url_email':
      return tokenizers.urlEmailTokenizer(integer('max_token_length', 255));
    case 'letter':
      return tokenizers.letterTokenizer(false);
    case 'lowercase':
      return tokenizers.letterTokenizer(true);
    case 'whitespace':
      return tokenizers.whitespaceTokenizer(integer('max_token_length', 255));
    case 'keyword':
      return tokenizers.keywordTokenizer;
    case 'thai':
      return tokenizers.segmenterTokenizer('th');
    case 'ngram':
    case 'nGram':
    case 'edge_ngram':
    case 'edgeNGram': {
      const min = integer('min_gram', 1);
      const max = integer('max_gram', 2);
      checkGrams(min, max, type, 1);
      const keep = gramClasses(definition);
      return type.startsWith('n')
        ? tokenizers.ngramTokenizer(min, max, keep)
        : tokenizers.edgeNgramTokenizer(min, max, keep);
    }
    case 'pattern':
      return tokenizers.patternTokenizer(
        pattern(definition['pattern'], '\\W+', definition['flags']),
        integer('group', -1),
      );
    case 'simple_pattern':
      return tokenizers.patternTokenizer(pattern(definition['pattern'], '(?!)'), 0);
    case 'simple_pattern_split':
      return tokenizers.patternTokenizer(pattern(definition['pattern'], '(?!)'), -1);
    case 'char_group': {
      const classes: Readonly<Record<string, string>> = {
        whitespace: '\\s',
        letter: '\\p{L}',
        digit: '\\p{Nd}',
        punctuation: '\\p{P}',
        symbol: '\\p{S}',
      };
      const members = list(definition['tokenize_on_chars']).map((value) => {
        const text = asString(value, 'tokenize_on_chars');
        return classes[text] ?? unescape(text).replace(/[\\\]^-]/g, '\\$&');
      });
      return tokenizers.patternTokenizer(boundRegex(`[${members.join('')}]`, false, 'tokenize_on_chars'), -1);
    }
    case 'path_hierarchy':
    case 'PathHierarchy': {
      const delimiter = definition['delimiter'] === undefined ? '/' : asString(definition['delimiter'], 'delimiter');
      return tokenizers.pathTokenizer({
        delimiter,
        replacement:
          definition['replacement'] === undefined ? delimiter : asString(definition['replacement'], 'replacement'),
        skip: integer('skip', 0),
        reverse: definition['reverse'] !== undefined && asBoolean(definition['reverse'], 'reverse'),
      });
    }
    default:
      throw unknownPart('tokenizer', type, name, TOKENIZERS);
  }
}

function checkGrams(min: number, max: number, type: string, allowed: number): void {
  if (min < 1) throw illegalArgument('minGram must be greater than zero');
  if (min > max) throw illegalArgument('minGram must not be greater than maxGram');
  if (type.toLowerCase() === 'ngram' && max - min > allowed) {
    throw illegalArgument(
      `The difference between max_gram and min_gram in NGram Tokenizer must be less than or equal to: [${allowed}] but was [${max - min}]. This limit can be set by changing the [index.max_ngram_diff] index level setting.`,
    );
  }
}

function gramClasses(definition: Json): RegExp | undefined {
  const classes: Readonly<Record<string, string>> = {
    letter: '\\p{L}',
    digit: '\\p{Nd}',
    whitespace: '\\s',
    punctuation: '\\p{P}',
    symbol: '\\p{S}',
    custom: asString(definition['custom_token_chars'] ?? '', 'custom_token_chars').replace(/[\\\]^-]/g, '\\$&'),
  };
  const members = list(definition['token_chars']).map((value) => {
    const text = asString(value, 'token_chars').toLowerCase();
    const found = classes[text];
    if (found === undefined)
      throw illegalArgument(`Unknown token type: '${text}', must be one of ${Object.keys(classes).join(', ')}`);
    return found;
  });
  return members.length === 0 ? undefined : new RegExp(`[${members.join('')}]+`, 'gu');
}

const FILTERS = [
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
  'stemmer_override',
];

function buildFilter(definition: Json, name: string, analyze: (text: string) => string[]): TokenFilter[] {
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
      const language = text(
        type === 'stemmer' ? 'language' : 'language',
        text('name', type === 'stemmer' ? 'porter' : 'english'),
      ).toLowerCase();
      if (language === 'possessive_english') return [filters.englishPossessive];
      const usual =
        type === 'stemmer' && language === 'english' ? 'porter' : language.replace(/^(?:light|minimal)_/, '');
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
      checkGrams(min, max, type, 1);
      return [filters.ngramFilter(min, max, flag('preserve_original', false))];
    }
    case 'edge_ngram':
    case 'edgeNGram': {
      const min = integer('min_gram', 1);
      const max = integer('max_gram', 2);
      checkGrams(min, max, type, 1);
      const side = text('side', 'front') === 'back' ? 'back' : 'front';
      return [filters.edgeNgramFilter(min, max, flag('preserve_original', false), side)];
    }
    case 'shingle':
      return [
        filters.shingle({
          min: integer('min_shingle_size', 2),
          max: integer('max_shingle_size', 2),
          unigrams: flag('output_unigrams', true),
          unigramsIfNone: flag('output_unigrams_if_no_shingles', false),
          separator: text('token_separator', ' '),
          filler: text('filler_token', '_'),
        }),
      ];
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
      return [fingerprint(text('separator', ' '))];
    case 'decimal_digit':
      return [
        filters.mapTerms((term) =>
          term.replace(/\p{Nd}/gu, (digit) => {
            // Decimal digits come in runs of ten that start at a code point whose value is 0 (Unicode §4.6).
            let zero = digit.codePointAt(0)!;
            while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && digit.codePointAt(0)! - zero < 9) zero--;
            return String(digit.codePointAt(0)! - zero);
          }),
        ),
      ];
    default:
      throw unknownPart('filter', type, name, FILTERS);
  }
}
