// Which analyzer a name stands for: Elasticsearch's built-in ones and those an index defines under `settings.analysis`.
// Definitions are checked when the index is created; an unknown name or option is an error that names it.
import { didYouMean } from '@lockstitch/kernel';
import { asBoolean, asInteger, asObject, asString, isObject, type Json, textOf } from '../json.ts';
import { illegalArgument } from '../request-error.ts';
import {
  type Analyzer,
  type AnalyzerParts,
  createAnalyzer,
  createWordAnalyzer,
  runParts,
  type Shingles,
} from './analyzer.ts';
import { buildCharFilter } from './build-char-filter.ts';
import { buildTokenFilters } from './build-token-filter.ts';
import { buildTokenizer } from './build-tokenizer.ts';
import { BUILT_IN, builtIn } from './built-in-analyzers.ts';
import type { CharFilter } from './char-filters.ts';
import { finish } from '../drive.ts';
import { lowerCase } from './letter-case.ts';
import {
  type BuildLimits,
  checkDefinitions,
  checkParts,
  list,
  readWhole,
  type SizeLimits,
  synonymCounter,
} from './part-definition.ts';
import type { TokenFilter } from './token-filters.ts';
import { CHAIN, weightOfChain } from './weight.ts';
import * as tokenizers from './tokenizers.ts';
import type { Tokenizer } from './tokenizers.ts';

/** Parts of an analyzer by name or definition. */
export interface NamedParts {
  readonly tokenizer: unknown;
  readonly filters: readonly unknown[];
  readonly charFilters: readonly unknown[];
}

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
    /** Whether it is a normalizer, which may not have all filters. */
    readonly normalizes?: boolean;
  }): AnalyzerParts;
  /** The parts of an analyzer or a normalizer that the index puts together, by their names, for `_analyze`; undefined: it is none. */
  partsOf(kind: 'analyzer' | 'normalizer', name: string): NamedParts | undefined;
  /** Whether filters mark words that stemmers leave alone, or ask for the mark (Lucene's KeywordAttribute). */
  marksKeywords(filters: readonly unknown[]): boolean;
  /**
   * Reads the definitions that no analyzer uses. Apart from the rest, because an index that exists is opened with whatever it holds.
   *
   * @throws RequestError for what would be refused once an analyzer used it
   */
  checkUnused(): void;
}

/** Filters that change letters of words and nothing else. */
const NORMALIZING: ReadonlySet<string> = new Set(
  (
    'arabic_normalization asciifolding bengali_normalization cjk_width decimal_digit elision german_normalization hindi_normalization ' +
    'indic_normalization lowercase persian_normalization scandinavian_folding scandinavian_normalization ' +
    'serbian_normalization sorani_normalization trim uppercase'
  ).split(' '),
);

/** Filters that mark words for stemmers, or spare marked ones. */
const KEYWORDS =
  /^(?:keyword_marker|keyword_repeat|stemmer|snowball|stemmer_override|kstem|\w+_stem|bengali_normalization|hindi_normalization|word_delimiter_graph)$/;

/** How deep filters of `multiplexer` may stand in one another. */
const MOST_INSIDE = 2;

/** The built-in analyzers and nothing else. */
export const standardAnalysis: Analysis = createAnalysis({});

/**
 * Reads `settings.analysis`; unset parts are empty.
 *
 * @param strict refuses parts that take too much, as where an index is made
 * @param run runs what takes long, at once by default
 */
export function createAnalysis(
  settings: Json,
  limits: Partial<SizeLimits> = {},
  strict = false,
  run: BuildLimits['run'] = finish,
): Analysis {
  let isStrict = strict;
  let countSynonyms = synonymCounter();
  const sizes: BuildLimits = {
    ngramDiff: limits.ngramDiff ?? 1,
    shingleDiff: limits.shingleDiff ?? 3,
    get strict() {
      return isStrict;
    },
    run,
    count(what, size) {
      if (isStrict) checkParts(what, size);
    },
    countSynonyms(lines) {
      if (isStrict) countSynonyms(lines);
    },
  };
  const section = (name: string): Json => {
    const value = settings[name];
    // Without what all objects have: `valueOf` is no part that was defined.
    return Object.assign(Object.create(null) as Json, value === undefined ? {} : asObject(value, `analysis.${name}`));
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
  if (strict) for (const [kind, all] of Object.entries(definitions)) checkDefinitions(kind, Object.keys(all).length);
  const analyzers = new Map<string, Analyzer>();
  const normalizers = new Map<string, (text: string) => string>();

  const used = { tokenizer: new Set<string>(), filter: new Set<string>(), char_filter: new Set<string>() };

  const charFilter = (value: unknown): CharFilter => {
    const [definition, name] = resolve('char_filter', value, definitions.char_filter);
    used.char_filter.add(name);
    return readWhole('char_filter', name, definition, (read) => buildCharFilter(read, name));
  };
  const charFilterList = (value: unknown): CharFilter[] => {
    sizes.count('char_filter', list(value).length);
    return list(value).map(charFilter);
  };
  const tokenizer = (value: unknown): Tokenizer => {
    const [definition, name] = resolve('tokenizer', value, definitions.tokenizer);
    used.tokenizer.add(name);
    return readWhole('tokenizer', name, definition, (read) => buildTokenizer(read, name, sizes));
  };
  // Filters inside a filter; one that names itself, directly or not, would never end.
  let depth = 0;
  const chain = (names: readonly unknown[]): TokenFilter[] => {
    if (depth >= MOST_INSIDE) throw illegalArgument(`filters name each other deeper than [${MOST_INSIDE}]`);
    depth++;
    try {
      return filterList(names, tokenizers.keywordTokenizer);
    } finally {
      depth--;
    }
  };
  const filterList = (
    values: readonly unknown[],
    cut: Tokenizer,
    charFilters: readonly CharFilter[] = [],
  ): TokenFilter[] => {
    const built: TokenFilter[] = [];
    sizes.count('filter', values.length);
    for (const value of values) {
      const [definition, name] = resolve('filter', value, definitions.filter);
      used.filter.add(name);
      const before = [...built];
      built.push(
        ...readWhole('filter', name, definition, (read) =>
          buildTokenFilters(
            read,
            name,
            (text) => runParts({ charFilters, tokenizer: cut, filters: before }, text).tokens,
            sizes,
            (names) => chain(names),
          ),
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
      const made =
        definition === undefined
          ? builtIn(name, {})
          : readWhole('analyzer', name, asObject(definition, name), (read) => fromDefinition(name, read));
      if (made !== undefined) analyzers.set(name, made);
      return made;
    },
    normalizer(name) {
      const known = normalizers.get(name);
      if (known !== undefined) return known;
      const definition = definitions.normalizer[name];
      let made: ((text: string) => string) | undefined;
      if (definition !== undefined) {
        const chain = readWhole('normalizer', name, asObject(definition, name), (parts): AnalyzerParts => ({
          charFilters: charFilterList(parts['char_filter']),
          tokenizer: tokenizers.keywordTokenizer,
          filters: filterList(list(parts['filter']), tokenizers.keywordTokenizer),
        }));
        if (isStrict) checkNormalizer(name, asObject(definition, name));
        made = (text) => runParts(chain, text).tokens[0]?.term ?? '';
      } else if (name === 'lowercase') {
        made = lowerCase;
      }
      if (made !== undefined) normalizers.set(name, made);
      return made;
    },
    custom({ tokenizer: cut, filters: after = [], charFilters = [], normalizes = false }) {
      // A request names them, whatever the index is allowed to have.
      isStrict = true;
      countSynonyms = synonymCounter();
      try {
        const base = cut === undefined ? tokenizers.keywordTokenizer : tokenizer(cut);
        const before = charFilterList(charFilters);
        const made = { charFilters: before, tokenizer: base, filters: filterList(after, base, before) };
        if (normalizes) checkNormalizer(undefined, { filter: after });
        return made;
      } finally {
        isStrict = strict;
      }
    },
    partsOf(kind, name) {
      const given = definitions[kind][name];
      if (given === undefined) return undefined;
      const definition = asObject(given, name);
      if ((definition['type'] ?? 'custom') !== 'custom') return undefined;
      return {
        tokenizer: kind === 'normalizer' ? 'keyword' : definition['tokenizer'],
        filters: list(definition['filter']),
        charFilters: list(definition['char_filter']),
      };
    },
    marksKeywords: (filters) =>
      filters.some((part) => KEYWORDS.test(String(resolve('filter', part, definitions.filter)[0]['type']))),
    checkUnused() {
      const unused = (kind: keyof typeof used): readonly string[] =>
        Object.keys(definitions[kind]).filter((name) => !used[kind].has(name));
      for (const name of unused('char_filter')) charFilter(name);
      for (const name of unused('tokenizer')) tokenizer(name);
      for (const name of unused('filter')) filterList([name], tokenizers.keywordTokenizer);
    },
  };

  /** @throws RequestError for parts of a normalizer that do more than change letters */
  function checkNormalizer(name: string | undefined, definition: Json): void {
    const whose = name === undefined ? '' : ` [${name}]`;
    for (const part of list(definition['char_filter'])) {
      const [{ type }, filter] = resolve('char_filter', part, definitions.char_filter);
      if (type === 'html_strip') throw illegalArgument(`Custom normalizer${whose} may not use char filter [${filter}]`);
    }
    for (const part of list(definition['filter'])) {
      const [{ type }, filter] = resolve('filter', part, definitions.filter);
      if (!NORMALIZING.has(String(type)))
        throw illegalArgument(`Custom normalizer${whose} may not use filter [${filter}]`);
    }
  }

  /** The part of a chain that changes letters, for patterns (Lucene's Analyzer.normalize). */
  function normalizeBy(
    all: readonly CharFilter[],
    definition: Json,
    chain: readonly unknown[],
  ): (text: string) => string {
    const charFilters = all.filter((_, at) => {
      const [{ type }] = resolve('char_filter', list(definition['char_filter'])[at], definitions.char_filter);
      return type !== 'html_strip';
    });
    const changing = chain.filter((part) =>
      NORMALIZING.has(String(resolve('filter', part, definitions.filter)[0]['type'])),
    );
    const parts = {
      charFilters,
      tokenizer: tokenizers.keywordTokenizer,
      filters: filterList(changing, tokenizers.keywordTokenizer),
    };
    return (text) => (text === '' ? text : (runParts(parts, text).tokens[0]?.term ?? text));
  }

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
    const weight =
      weightOfChain([definition['tokenizer']], (part) => resolve('tokenizer', part, definitions.tokenizer)[0]) *
      (weightOfChain(chain, (part) => resolve('filter', part, definitions.filter)[0]) / CHAIN);
    const charFilters = charFilterList(definition['char_filter']);
    const parts: AnalyzerParts = {
      charFilters,
      tokenizer: cut,
      filters: filterList(chain, cut, charFilters),
      shingles: shinglesOf(chain.map((part) => resolve('filter', part, definitions.filter)[0])),
      normalize: normalizeBy(charFilters, definition, chain),
      flat: chain.some((part) => joinsWords(resolve('filter', part, definitions.filter)[0])),
      weight,
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

  // Where an index is made, a mistake in a part is found before one in what is put together; synonyms need the parts before them.
  if (strict) {
    for (const name of Object.keys(definitions.char_filter)) charFilter(name);
    for (const name of Object.keys(definitions.tokenizer)) tokenizer(name);
    for (const [name, definition] of Object.entries(definitions.filter))
      if (!isObject(definition) || !String(definition['type']).startsWith('synonym'))
        filterList([name], tokenizers.keywordTokenizer);
  }
  for (const name of Object.keys(definitions.analyzer)) analysis.analyzer(name);
  for (const name of Object.keys(definitions.normalizer)) analysis.normalizer(name);
  for (const value of Object.entries(definitions.filter)) {
    if (!isObject(value[1])) throw illegalArgument(`filter [${value[0]}] must be an object`);
  }
  return analysis;
}

function shinglesOf(filters: readonly Json[]): Shingles | undefined {
  const filter = filters.find(({ type }) => type === 'shingle');
  if (filter === undefined) return undefined;
  return {
    max: asInteger(filter['max_shingle_size'] ?? 2, 'max_shingle_size'),
    unigrams: asBoolean(filter['output_unigrams'] ?? true, 'output_unigrams'),
  };
}

/** Whether a filter joins words in different numbers: its graph would have too many paths (ShingleTokenFilterFactory, CJKBigramFilterFactory). */
function joinsWords(filter: Json): boolean {
  if (filter['type'] === 'cjk_bigram') return asBoolean(filter['output_unigrams'] ?? false, 'output_unigrams');
  if (filter['type'] !== 'shingle') return false;
  return (
    asBoolean(filter['output_unigrams'] ?? true, 'output_unigrams') ||
    Number(filter['min_shingle_size'] ?? 2) !== Number(filter['max_shingle_size'] ?? 2)
  );
}

/** A definition by name (the index's own before the built-in ones) or as it stands. */
function resolve(kind: string, value: unknown, own: Json): readonly [Json, string] {
  if (isObject(value)) {
    const { type } = value;
    if (type === undefined || type === null || isObject(type))
      throw illegalArgument(`Missing [type] setting for anonymous ${kind}: ${JSON.stringify(value)}`);
    return [{ ...value, type: textOf(type) }, `__anonymous__${textOf(type)}`];
  }
  const name = asString(value, kind);
  const definition = own[name];
  if (definition === undefined) return [{ type: name }, name];
  const object = asObject(definition, name);
  return [{ type: name, ...object }, name];
}
