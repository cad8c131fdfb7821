// Analyzers by name: Elasticsearch's built-in ones and those in the `settings.analysis` of an index.
// Definitions are checked when the index is created; an unknown name or option is an error that names it.
import { didYouMean } from '@lockstitch/kernel';
import { runToEnd } from '../tasks/scheduler.ts';
import { asInteger, asObject, isObject, type Json } from '../json/json.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { show } from '../json/java-values.ts';
import { type Analyzer, type AnalyzerParts, createAnalyzer, createWordAnalyzer, runParts } from './analyzer.ts';
import { ANALYZERS, builtIn } from './built-in-analyzers.ts';
import { lowerCase } from './letter-case.ts';
import { type BuiltCharFilter, type BuiltFilter, type Definitions, PartBuilder } from './part-builder.ts';
import {
  type BuildLimits,
  CHAIN,
  checkDefinitions,
  checkParts,
  type SizeLimits,
  synonymCounter,
} from './part-definition.ts';
import { checkMembers, list, type Option, readOptions } from './part-options.ts';
import { keywordTokenizer } from './tokenizers.ts';

/** Parts of an analyzer by name or definition. */
export interface NamedParts {
  readonly tokenizer?: unknown;
  readonly filters: readonly unknown[];
  readonly charFilters: readonly unknown[];
}

/** An analyzer from parts, for `_analyze`. */
export interface CustomParts extends AnalyzerParts {
  /** Whether filters mark words that stemmers leave alone, or ask for the mark (Lucene's KeywordAttribute). */
  readonly marksKeywords: boolean;
}

/** The analyzers of one index. */
export interface Analysis {
  /** The analyzer of a name, or undefined. */
  analyzer(name: string): Analyzer | undefined;
  /** The normalizer of a name: what becomes of a keyword. */
  normalizer(name: string): ((text: string) => string) | undefined;
  /**
   * An analyzer from parts given by name or definition, for `_analyze`.
   *
   * @param normalizes whether it is a normalizer, which may not have all filters
   */
  custom(parts: Partial<NamedParts>, normalizes?: boolean): CustomParts;
  /** The parts of an analyzer or a normalizer that the index puts together, by their names, for `_analyze`; undefined: it is none. */
  partsOf(kind: 'analyzer' | 'normalizer', name: string): NamedParts | undefined;
}

/**
 * Reads `settings.analysis`; unset parts are empty.
 *
 * @param strict refuses parts that take too much, as where an index is made
 * @param run runs long work; default: immediately
 */
export function createAnalysis(
  settings: Json,
  sizes: Partial<SizeLimits> = {},
  strict = false,
  run: BuildLimits['run'] = runToEnd,
): Analysis {
  const definitions = readSections(settings);
  if (strict) for (const [kind, all] of Object.entries(definitions)) checkDefinitions(kind, Object.keys(all).length);
  const analysis = new IndexAnalysis(definitions, (isStrict) => buildLimits(sizes, isStrict, run), strict);
  // Where an index is made, a mistake in a part is found before one in what is put together; synonyms need the parts before them.
  if (strict) analysis.parts.checkAll();
  for (const name of Object.keys(definitions.analyzer)) analysis.analyzer(name);
  for (const name of Object.keys(definitions.normalizer)) analysis.normalizer(name);
  for (const [name, definition] of Object.entries(definitions.filter))
    if (!isObject(definition)) throw illegalArgument(`filter [${name}] must be an object`);
  return analysis;
}

function readSections(settings: Json): Definitions {
  const section = (name: string): Json => {
    const value = settings[name];
    // Without what all objects have: `valueOf` is no part that was defined.
    return Object.assign(Object.create(null), value === undefined ? {} : asObject(value, `analysis.${name}`));
  };
  const definitions = {
    analyzer: section('analyzer'),
    normalizer: section('normalizer'),
    tokenizer: section('tokenizer'),
    filter: section('filter'),
    char_filter: section('char_filter'),
  };
  for (const key of Object.keys(settings)) {
    if (!Object.hasOwn(definitions, key))
      throw illegalArgument(`unknown setting [index.analysis.${key}]${didYouMean(key, Object.keys(definitions))}`);
  }
  return definitions;
}

function buildLimits(sizes: Partial<SizeLimits>, strict: boolean, run: BuildLimits['run']): BuildLimits {
  return {
    ngramDiff: sizes.ngramDiff ?? 1,
    shingleDiff: sizes.shingleDiff ?? 3,
    strict,
    run,
    count: strict ? checkParts : () => undefined,
    countSynonyms: strict ? synonymCounter() : () => undefined,
  };
}

const GIVEN: Option<unknown> = { kind: 'text', read: (definition, key) => definition[key] };

/** The members of a chain that an index defines. */
const CHAIN_OPTIONS = { tokenizer: GIVEN, filter: list, char_filter: list, position_increment_gap: GIVEN };
const { char_filter, filter } = CHAIN_OPTIONS;
const NORMALIZER_OPTIONS = { char_filter, filter };

class IndexAnalysis implements Analysis {
  readonly parts: PartBuilder;
  readonly #definitions: Definitions;
  readonly #limits: (strict: boolean) => BuildLimits;
  readonly #strict: boolean;
  readonly #analyzers = new Map<string, Analyzer>();
  readonly #normalizers = new Map<string, (text: string) => string>();

  constructor(definitions: Definitions, limits: (strict: boolean) => BuildLimits, strict: boolean) {
    this.#definitions = definitions;
    this.#limits = limits;
    this.#strict = strict;
    this.parts = new PartBuilder(definitions, limits(strict));
  }

  analyzer(name: string): Analyzer | undefined {
    const known = this.#analyzers.get(name);
    if (known !== undefined) return known;
    const definition = this.#definitions.analyzer[name];
    const made = definition === undefined ? builtIn(name) : this.#defined(name, asObject(definition, name));
    if (made !== undefined) this.#analyzers.set(name, made);
    return made;
  }

  normalizer(name: string): ((text: string) => string) | undefined {
    const known = this.#normalizers.get(name);
    if (known !== undefined) return known;
    const definition = this.#definitions.normalizer[name];
    if (definition === undefined) return name === 'lowercase' ? lowerCase : undefined;
    const json = asObject(definition, name);
    const type = show(json['type'] ?? 'custom');
    if (type !== 'custom') throw illegalArgument(`Unknown normalizer type [${type}] for [${name}]`);
    const values = readOptions(NORMALIZER_OPTIONS, json, { name, isPlain: false });
    const charFilters = this.parts.charFilters(values.char_filter, `normalizer [${name}]`);
    // Elasticsearch calls it so where it looks for filters.
    const filters = this.parts.filters(values.filter, { user: `Analyzer [${name}]` });
    checkMembers('normalizer', name, json, NORMALIZER_OPTIONS);
    if (this.#strict) checkNormalizer(` [${name}]`, charFilters, filters);
    const chain = normalizing(charFilters, filters);
    const made = (text: string): string => runParts(chain, text).tokens[0]?.term ?? '';
    this.#normalizers.set(name, made);
    return made;
  }

  custom({ charFilters = [], filters = [], tokenizer: given }: Partial<NamedParts>, normalizes = false): CustomParts {
    // A request names them, whatever the index is allowed to have.
    const parts = new PartBuilder(this.#definitions, this.#limits(true), true);
    const tokenizer = given === undefined ? keywordTokenizer : parts.tokenizer(given).run;
    const before = parts.charFilters(charFilters);
    const after = parts.filters(filters, { tokenizer, charFilters: runsOf(before) });
    if (normalizes) checkNormalizer('', [], after);
    return {
      charFilters: runsOf(before),
      tokenizer,
      filters: runsOf(after),
      marksKeywords: after.some(({ definition }) => definition.marksKeywords === true),
    };
  }

  partsOf(kind: 'analyzer' | 'normalizer', name: string): NamedParts | undefined {
    const given = this.#definitions[kind][name];
    if (given === undefined) return undefined;
    const json = asObject(given, name);
    if ((json['type'] ?? 'custom') !== 'custom') return undefined;
    const values = readOptions(CHAIN_OPTIONS, json, { name, isPlain: false });
    return {
      tokenizer: kind === 'normalizer' ? 'keyword' : values.tokenizer,
      filters: values.filter,
      charFilters: values.char_filter,
    };
  }

  #defined(name: string, json: Json): Analyzer {
    const type = json['type'] === undefined ? 'custom' : show(json['type']);
    const part = { name, isPlain: false };
    if (type === 'custom') {
      const analyzer = this.#chain(name, json);
      checkMembers('analyzer', name, json, CHAIN_OPTIONS);
      return analyzer;
    }
    const definition = ANALYZERS.find(type);
    if (definition === undefined)
      throw illegalArgument(`Unknown analyzer type [${type}] for [${name}]${didYouMean(type, ANALYZERS.names)}`);
    const analyzer = definition.build(readOptions(definition.options, json, part), type);
    // An index that exists is opened with whatever it holds.
    if (this.#strict) checkMembers('analyzer', name, json, definition.options);
    return analyzer;
  }

  /** An analyzer of a tokenizer, char filters and filters. */
  #chain(name: string, json: Json): Analyzer {
    const { position_increment_gap: gap, ...given } = readOptions(CHAIN_OPTIONS, json, { name, isPlain: false });
    if (given.tokenizer === undefined)
      throw illegalArgument(
        json['type'] === undefined
          ? `analyzer [${name}] must specify either an analyzer type, or a tokenizer`
          : `Custom Analyzer [${name}] must be configured with a tokenizer`,
      );
    const user = `Analyzer [${name}]`;
    const tokenizer = this.parts.tokenizer(given.tokenizer, user);
    const charFilters = this.parts.charFilters(given.char_filter, user);
    const before = { tokenizer: tokenizer.run, charFilters: runsOf(charFilters), user };
    const filters = this.parts.filters(given.filter, before);
    // A tokenizer may refuse its options where it is first used.
    if (this.#strict) tokenizer.run('');
    const gaps = gap === undefined ? {} : { positionIncrementGap: asInteger(gap, 'position_increment_gap') };
    // The most usual custom chain is the standard analyzer by another name: take its fast way.
    const isStandard =
      tokenizer.isPlain &&
      tokenizer.name === 'standard' &&
      filters.length === 1 &&
      filters.every((filter) => filter.isPlain && filter.name === 'lowercase');
    if (isStandard && charFilters.length === 0 && gap === undefined) return createWordAnalyzer(name);
    return createAnalyzer(name, {
      ...gaps,
      charFilters: runsOf(charFilters),
      tokenizer: tokenizer.run,
      filters: runsOf(filters),
      // The one that is there by its name tells nothing of itself (PhraseSuggestionBuilder.getShingleFilterFactory).
      shingles: filters.flatMap(({ definition, isPlain, values }) =>
        isPlain ? [] : (definition.shingles?.(values) ?? []),
      )[0],
      normalize: normalizeBy(charFilters, filters),
      flat: filters.some(({ definition, values }) => definition.isFlat?.(values) === true),
      // Each part takes what those before it made.
      weight: filters.reduce((weight, filter) => weight * filter.weight, CHAIN * tokenizer.weight),
    });
  }
}

function runsOf<Part>(parts: readonly { readonly run: Part }[]): readonly Part[] {
  return parts.map(({ run }) => run);
}

function normalizing(charFilters: readonly BuiltCharFilter[], filters: readonly BuiltFilter[]): AnalyzerParts {
  return { charFilters: runsOf(charFilters), tokenizer: keywordTokenizer, filters: runsOf(filters) };
}

/** @throws RequestError for parts of a normalizer that do more than change letters */
function checkNormalizer(
  whose: string,
  charFilters: readonly BuiltCharFilter[],
  filters: readonly BuiltFilter[],
): void {
  const wrongChar = charFilters.find(({ definition }) => !definition.normalizes);
  if (wrongChar !== undefined)
    throw illegalArgument(`Custom normalizer${whose} may not use char filter [${wrongChar.name}]`);
  const wrong = filters.find(({ definition }) => definition.normalizes !== true);
  if (wrong !== undefined) throw illegalArgument(`Custom normalizer${whose} may not use filter [${wrong.name}]`);
}

/** The part of a chain that changes letters, for patterns (Lucene's Analyzer.normalize). */
function normalizeBy(
  charFilters: readonly BuiltCharFilter[],
  filters: readonly BuiltFilter[],
): (text: string) => string {
  const chain = normalizing(
    charFilters.filter(({ definition }) => definition.normalizes),
    filters.filter(({ definition }) => definition.normalizes === true),
  );
  return (text) => (text === '' ? text : (runParts(chain, text).tokens[0]?.term ?? text));
}

/** The built-in analyzers and nothing else. */
export const standardAnalysis: Analysis = createAnalysis({});
