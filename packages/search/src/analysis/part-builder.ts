// Builds char filters, tokenizers and token filters from names and definitions of one index (`settings.analysis`).
import { asObject, isObject, type Json } from '../json/json.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { show } from '../json/java-values.ts';
import { runParts } from './analyzer.ts';
import type { CharFilter } from './char-filter.ts';
import { CHAR_FILTERS, type CharFilterDefinition } from './char-filters.ts';
import { type BuildLimits, CHAIN, type PartDefinition, type PartTable } from './part-definition.ts';
import { checkMembers, type NamedPart, type Options, readOptions, type Values } from './part-options.ts';
import type { TokenFilter, TokenFilterDefinition } from './token-filter.ts';
import { TOKEN_FILTERS } from './token-filters.ts';
import type { Tokenizer, TokenizerDefinition } from './tokenizer.ts';
import { keywordTokenizer, TOKENIZERS } from './tokenizers.ts';

/** Definitions of one index by kind and name. */
export type Definitions = Readonly<Record<'analyzer' | 'normalizer' | 'tokenizer' | 'filter' | 'char_filter', Json>>;

/** Kinds of parts of an analyzer, as settings call them. */
type PartKind = 'tokenizer' | 'filter' | 'char_filter';

/** A part that was built: what it does, and what its definition says of it. */
export interface Built<Definition extends PartDefinition, Part> extends NamedPart {
  readonly run: Part;
  readonly definition: Definition;
  readonly values: Values<Options>;
  /** How many times as long as a plain chain it takes. */
  readonly weight: number;
}

export type BuiltCharFilter = Built<CharFilterDefinition, CharFilter>;
export type BuiltTokenizer = Built<TokenizerDefinition, Tokenizer>;
export type BuiltFilter = Built<TokenFilterDefinition, TokenFilter>;

/** How deep filters of `multiplexer` may stand in one another. */
const MOST_INSIDE = 2;

/** What stands before filters, and what names them. */
interface FiltersBefore {
  readonly tokenizer?: Tokenizer;
  readonly charFilters?: readonly CharFilter[];
  /** The analyzer or normalizer. */
  readonly user?: string;
  /** How the error of an unknown filter begins, where it is another one than that of its user. */
  readonly missing?: string;
}

function missingIn(user: string | undefined, kind: PartKind): string | undefined {
  return user === undefined ? undefined : `Custom ${user} failed to find ${kind} under name`;
}

/** Members as settings: those of objects by dotted names, and values as texts. */
function settingsOf(given: Json, prefix = ''): (readonly [string, unknown])[] {
  return Object.entries(given)
    .flatMap(([name, value]): (readonly [string, unknown])[] => {
      if (isObject(value)) return settingsOf(value, `${prefix}${name}.`);
      return [[prefix + name, Array.isArray(value) ? value.map(show) : value === null ? null : show(value)]];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Settings without members are none. */
function isEmpty(definition: unknown): boolean {
  return isObject(definition) && Object.keys(definition).length === 0;
}

/** @throws RequestError for a filter that no rules of synonyms can be read through */
function forSynonyms({ definition, name, run, values }: BuiltFilter): TokenFilter {
  const filter = definition.forSynonyms === undefined ? run : definition.forSynonyms(values);
  if (filter === undefined) throw illegalArgument(`Token filter [${name}] cannot be used to parse synonyms`);
  return filter;
}

/** Runs filters one after the other. */
function inRow(filters: readonly BuiltFilter[]): TokenFilter {
  return (tokens) => filters.reduce((current, { run }) => run(current), tokens);
}

/** Builds parts. */
export class PartBuilder {
  readonly #definitions: Definitions;
  readonly #limits: BuildLimits;
  readonly #areInPlace: boolean;
  /** How deep the filter that is built stands in others; one that names itself, directly or not, would never end. */
  #depth = 0;

  /** @param areInPlace whether a request names them: then a name is a definition of that type without options (AnalysisRegistry.getComponentFactory) */
  constructor(definitions: Definitions, limits: BuildLimits, areInPlace = false) {
    this.#definitions = definitions;
    this.#limits = limits;
    this.#areInPlace = areInPlace;
  }

  /** @param user the analyzer or normalizer that names them */
  charFilters(given: readonly unknown[], user?: string): readonly BuiltCharFilter[] {
    this.#limits.count('char_filter', given.length);
    const missing = missingIn(user, 'char_filter');
    return given.map((each) =>
      this.#build('char_filter', each, CHAR_FILTERS, missing, (definition, values) => definition.build(values)),
    );
  }

  tokenizer(given: unknown, user?: string): BuiltTokenizer {
    return this.#build('tokenizer', given, TOKENIZERS, missingIn(user, 'tokenizer'), (definition, values) =>
      definition.build(values, this.#limits),
    );
  }

  /** @param before the filters before them, for filters that parse words with the chain */
  filters(given: readonly unknown[], before: FiltersBefore = {}): readonly BuiltFilter[] {
    const { charFilters = [], missing, tokenizer = keywordTokenizer, user } = before;
    this.#limits.count('filter', given.length);
    const built: BuiltFilter[] = [];
    for (const each of given) {
      const filtersBefore = [...built];
      const unknown = missing ?? missingIn(user, 'filter');
      const filter = this.#build('filter', each, TOKEN_FILTERS, unknown, (definition, values, part) =>
        definition.build(values, {
          ...part,
          limits: this.#limits,
          analyzer: () => {
            const filters = filtersBefore.map(forSynonyms);
            return (text) => runParts({ charFilters, tokenizer, filters }, text).tokens;
          },
          chain: (names, missingHere) => this.#chain(names, missingHere),
        }),
      );
      built.push(filter);
    }
    return built;
  }

  /** Checks the definitions of a new index by building them. Filters that need their chain only get their options checked: an analyzer builds them. */
  checkAll(): void {
    const names = (kind: PartKind): readonly string[] =>
      Object.keys(this.#definitions[kind]).filter((name) => !isEmpty(this.#definitions[kind][name]));
    for (const name of names('char_filter')) this.charFilters([name]);
    for (const name of names('tokenizer')) this.tokenizer(name);
    for (const name of names('filter')) {
      const { definition, json } = this.#read('filter', name, TOKEN_FILTERS, undefined);
      if (definition.needsChain === true) checkMembers('filter', name, json, definition.options);
      else this.filters([name]);
    }
  }

  /** Filters inside a filter. */
  #chain(names: readonly unknown[], missing: string): TokenFilter {
    if (this.#depth >= MOST_INSIDE) throw illegalArgument(`filters name each other deeper than [${MOST_INSIDE}]`);
    this.#depth++;
    try {
      return inRow(this.filters(names, { missing }));
    } finally {
      this.#depth--;
    }
  }

  #build<Definition extends PartDefinition, Part>(
    kind: PartKind,
    given: unknown,
    table: PartTable<Definition>,
    missing: string | undefined,
    create: (definition: Definition, values: Values<Options>, part: NamedPart) => Part,
  ): Built<Definition, Part> {
    const { definition, json, part, values } = this.#read(kind, given, table, missing);
    const run = create(definition, values, part);
    checkMembers(kind, part.name, json, definition.options);
    return { ...part, definition, values, run, weight: (definition.cost?.(values) ?? CHAIN) / CHAIN };
  }

  #read<Definition extends PartDefinition>(
    kind: PartKind,
    given: unknown,
    table: PartTable<Definition>,
    missing: string | undefined,
  ): {
    readonly definition: Definition;
    readonly json: Json;
    readonly part: NamedPart;
    readonly values: Values<Options>;
  } {
    const { json, name, isPlain } = this.#resolve(kind, given);
    const type = show(json['type']);
    const part = { name, missing, isPlain: isPlain && !(this.#areInPlace && table.find(type)?.isNamedOnly !== true) };
    const definition = table.get(type, part, this.#limits.strict);
    return { definition, json, part, values: readOptions(definition.options, json, part) };
  }

  /** Resolves a definition by name (the index's own before the built-in ones) or given in place. */
  #resolve(kind: PartKind, given: unknown): NamedPart & { readonly json: Json } {
    if (isObject(given)) {
      const { type } = given;
      if (type === undefined || type === null || isObject(type))
        throw illegalArgument(
          `Missing [type] setting for anonymous ${kind}: ${JSON.stringify(Object.fromEntries(settingsOf(given)))}`,
        );
      return { json: { ...given, type: show(type) }, name: `__anonymous__${show(type)}`, isPlain: false };
    }
    const name = show(given);
    const own = this.#definitions[kind][name];
    if (own === undefined) return { json: { type: name }, name, isPlain: true };
    const json = asObject(own, name);
    if (json['type'] === undefined || json['type'] === null || isObject(json['type']))
      throw illegalArgument(`${kind} [${name}] must specify either an analyzer type, or a tokenizer`);
    return { json, name, isPlain: false };
  }
}
