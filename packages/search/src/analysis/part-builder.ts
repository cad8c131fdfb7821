// Builds char filters, tokenizers and token filters from names and definitions of one index (`settings.analysis`).
import { asObject, asString, isObject, type Json, textOf } from '../json/json.ts';
import { illegalArgument } from '../errors/request-error.ts';
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

/** Runs filters one after the other. */
function inRow(filters: readonly BuiltFilter[]): TokenFilter {
  return (tokens) => filters.reduce((current, { run }) => run(current), tokens);
}

/** Builds parts, and knows which definitions were used. */
export class PartBuilder {
  readonly #definitions: Definitions;
  readonly #limits: BuildLimits;
  readonly #used = { tokenizer: new Set<string>(), filter: new Set<string>(), char_filter: new Set<string>() };
  /** How deep the filter that is built stands in others; one that names itself, directly or not, would never end. */
  #depth = 0;

  constructor(definitions: Definitions, limits: BuildLimits) {
    this.#definitions = definitions;
    this.#limits = limits;
  }

  charFilters(given: readonly unknown[]): readonly BuiltCharFilter[] {
    this.#limits.count('char_filter', given.length);
    return given.map((each) =>
      this.#build('char_filter', each, CHAR_FILTERS, (definition, values) => definition.build(values)),
    );
  }

  tokenizer(given: unknown): BuiltTokenizer {
    return this.#build('tokenizer', given, TOKENIZERS, (definition, values) => definition.build(values, this.#limits));
  }

  /** @param tokenizer what stands before them, with char filters, for filters that read words through the chain */
  filters(
    given: readonly unknown[],
    tokenizer: Tokenizer = keywordTokenizer,
    charFilters: readonly CharFilter[] = [],
  ): readonly BuiltFilter[] {
    this.#limits.count('filter', given.length);
    const built: BuiltFilter[] = [];
    for (const each of given) {
      const before = built.map(({ run }) => run);
      const filter = this.#build('filter', each, TOKEN_FILTERS, (definition, values, part) =>
        definition.build(values, {
          ...part,
          limits: this.#limits,
          analyze: (text) => runParts({ charFilters, tokenizer, filters: before }, text).tokens,
          chain: (names) => this.#chain(names),
        }),
      );
      built.push(filter);
    }
    return built;
  }

  /**
   * Builds what no analyzer used.
   *
   * @throws RequestError for what would be refused once an analyzer used it
   */
  checkUnused(): void {
    const unused = (kind: PartKind): readonly string[] =>
      Object.keys(this.#definitions[kind]).filter((name) => !this.#used[kind].has(name));
    this.charFilters(unused('char_filter'));
    for (const name of unused('tokenizer')) this.tokenizer(name);
    for (const name of unused('filter')) this.filters([name]);
  }

  /** Builds the definitions of an index that is made, but those of filters that read their words through a chain. */
  checkAll(): void {
    const { char_filter, filter, tokenizer } = this.#definitions;
    for (const name of Object.keys(char_filter)) this.charFilters([name]);
    for (const name of Object.keys(tokenizer)) this.tokenizer(name);
    for (const [name, definition] of Object.entries(filter)) {
      const type = isObject(definition) ? textOf(definition['type'] ?? '') : '';
      if (TOKEN_FILTERS.find(type)?.needsChain !== true) this.filters([name]);
    }
  }

  /** Filters inside a filter. */
  #chain(names: readonly unknown[]): TokenFilter {
    if (this.#depth >= MOST_INSIDE) throw illegalArgument(`filters name each other deeper than [${MOST_INSIDE}]`);
    this.#depth++;
    try {
      return inRow(this.filters(names));
    } finally {
      this.#depth--;
    }
  }

  #build<Definition extends PartDefinition, Part>(
    kind: PartKind,
    given: unknown,
    table: PartTable<Definition>,
    create: (definition: Definition, values: Values<Options>, part: NamedPart) => Part,
  ): Built<Definition, Part> {
    const { json, name, isPlain } = this.#resolve(kind, given);
    this.#used[kind].add(name);
    const type = asString(json['type'], name);
    const part = { name, isPlain };
    const definition = table.get(type, part);
    const values = readOptions(definition.options, json, part);
    const run = create(definition, values, part);
    checkMembers(kind, name, json, definition.options);
    return { ...part, definition, values, run, weight: (definition.cost?.(values) ?? CHAIN) / CHAIN };
  }

  /** A definition by name (the index's own before the built-in ones) or as it stands. */
  #resolve(kind: PartKind, given: unknown): NamedPart & { readonly json: Json } {
    if (isObject(given)) {
      const { type } = given;
      if (type === undefined || type === null || isObject(type))
        throw illegalArgument(`Missing [type] setting for anonymous ${kind}: ${JSON.stringify(given)}`);
      return { json: { ...given, type: textOf(type) }, name: `__anonymous__${textOf(type)}`, isPlain: false };
    }
    const name = asString(given, kind);
    const own = this.#definitions[kind][name];
    if (own === undefined) return { json: { type: name }, name, isPlain: true };
    return { json: { type: name, ...asObject(own, name) }, name, isPlain: false };
  }
}
