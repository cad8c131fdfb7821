// Which indices an expression means: names, aliases, wildcards, exclusions, `_all`. Follows Elasticsearch's IndexNameExpressionResolver: wildcards
// are expanded first, and then every name that is left is looked up.
import { searchError } from '../../errors/search-errors.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { globMatches } from '../../text/glob.ts';
import { isObject, type Json } from '../../json/json.ts';
import { illegalArgument, RequestError } from '../../errors/request-error.ts';
import { redError, redIndices } from './red-indices.ts';
import { isHidden } from './index-state.ts';

/** An index found by an expression. */
export interface Found {
  readonly index: Index;
  /** The aliases it was found by; empty when found by its own name. */
  readonly aliases: readonly string[];
  /** All aliases of it that the expression names, found by its own name or not. */
  readonly named?: readonly string[];
}

/** How names are looked up. */
export interface ResolveOptions {
  readonly ignoreUnavailable?: boolean;
  readonly allowNoIndices?: boolean;
  /** Whether a damaged index that is named is left out; refused by default. */
  readonly skipRed?: boolean;
  /** The indices that wildcards reach; all by default. */
  readonly expand?: (index: Index) => boolean;
  /** Whether wildcards reach what is hidden without beginning with a dot as it does. Default: true. */
  readonly expandHidden?: boolean;
  /** Whether wildcards are not expanded at all. */
  readonly expandsNothing?: boolean;
  /** Whether wildcards reach no aliases, and one that is named is refused, as what is deleted must be an index. */
  readonly ignoreAliases?: boolean;
}

type Aliases = Readonly<Record<string, Json>>;

interface ReadAliases {
  readonly byName: Aliases;
  readonly names: readonly string[];
}

/** What definitions say, read once: a list of a thousand names asks a thousand times. A change makes a new definition. */
const READ = new WeakMap<object, ReadAliases>();
const NONE: Aliases = Object.freeze({});

export function readAliases({ definition: { aliases = NONE } }: Index): ReadAliases {
  const known = READ.get(aliases);
  if (known !== undefined) return known;
  const byName: Record<string, Json> = {};
  for (const [name, value] of Object.entries(aliases)) byName[name] = isObject(value) ? value : {};
  const read = { byName, names: Object.keys(byName) };
  READ.set(aliases, read);
  return read;
}

/** The aliases of an index. */
export function aliasesOf(index: Index): Aliases {
  return readAliases(index).byName;
}

/** Names that the wildcards of one expression are compared with; a second of work at most. */
const MOST_COMPARED = 2_000_000;

/** Elasticsearch's refusal of a name nobody has. */
export function noSuchIndex(name: string): Error {
  return searchError('SEARCH_INDEX_NOT_FOUND', { index: name });
}

/** Elasticsearch's refusal of an expression that means no index, where one is wanted. */
export function nothingMeant(expression: string): Error {
  return new RequestError(
    'SEARCH_NOT_FOUND',
    'index_not_found_exception',
    `no such index [${expression}]${expression === '_all' ? ' and no indices exist' : ''}`,
    { fields: { ...resource('index_expression', [expression]), index_uuid: '_na_', index: expression } },
  );
}

/** The refusal of names that mean no index together. @param kind what Elasticsearch takes them for */
export function nothingFound(names: readonly string[], kind = 'index_expression'): Error {
  const isAll = kind === 'index_expression' && names.length === 1 && names[0] === '_all';
  return new RequestError(
    'SEARCH_NOT_FOUND',
    'index_not_found_exception',
    `no such index [null]${isAll ? ' and no indices exist' : ''}`,
    { fields: resource(kind, names) },
  );
}

const resource = (kind: string, names: readonly string[]): Json => ({
  'resource.type': kind,
  'resource.id': names.length === 1 ? names[0] : names,
});

/** Elasticsearch's refusal of a name that no index can have. */
function reservedName(name: string): Error {
  return new RequestError(
    'SEARCH_ILLEGAL_ARGUMENT',
    'invalid_index_name_exception',
    `Invalid index name [${name}], must not start with '_'.`,
    { fields: { index_uuid: '_na_', index: name } },
  );
}

/** The names of an expression. Java's `split` drops empty ones at the end. */
export function namesOf(expression: string | undefined): readonly string[] {
  const names = (expression ?? '').replace(/,+$/, '').split(',');
  return names.length === 1 && names[0] === '' ? ['_all'] : names;
}

/** Resolves an expression. @throws RequestError, ProductError for names that mean nothing, as the options say */
export function resolveIndices(engine: Engine, expression: string | undefined, options: ResolveOptions = {}): Found[] {
  const { ignoreUnavailable = false, allowNoIndices = true, skipRed = ignoreUnavailable } = options;
  const names = namesOf(expression);
  const isNeeded = names.length === 1 ? !allowNoIndices : !ignoreUnavailable;
  const found = new Map<string, { index: Index; own: boolean; aliases: Set<string> }>();
  const add = (index: Index, alias: string | undefined): void => {
    const entry = found.get(index.name) ?? { index, own: false, aliases: new Set<string>() };
    if (alias === undefined) entry.own = true;
    else entry.aliases.add(alias);
    found.set(index.name, entry);
  };
  const meant = options.expandsNothing === true ? new Map(asNames(names)) : expanded(engine, names, options);
  for (const [name, by] of meant) {
    const [red] = redIndices(engine, name);
    if (red !== undefined && !skipRed) throw redError(red);
    if (red?.name === name) continue;
    if (engine.has(name)) {
      const index = engine.index(name);
      if (by.own) add(index, undefined);
      for (const alias of by.aliases) add(index, alias);
      continue;
    }
    const behind = behindAlias(engine, name);
    if (behind.length === 0 && red === undefined) {
      if (isNeeded) throw nothingMeant(name);
    } else if (behind.length > 0 && options.ignoreAliases === true) {
      if (isNeeded) throw isAlias(name);
    } else for (const index of behind) add(index, name);
  }
  if (found.size === 0 && !allowNoIndices && !(skipRed && redIndices(engine, expression).length > 0))
    throw nothingFound(names);
  return [...found.values()]
    .sort((a, b) => (a.index.name < b.index.name ? -1 : 1))
    .map(({ index, own, aliases }) => ({ index, aliases: own ? [] : [...aliases], named: [...aliases] }));
}

/** How an index was reached: by its own name, and by aliases that a wildcard matched. */
interface By {
  own: boolean;
  readonly aliases: Set<string>;
}

const asNames = (names: readonly string[]): (readonly [string, By])[] =>
  names.map((name) => [name, { own: true, aliases: new Set() }]);

/** The names of an expression, with the indices that its wildcards match in their place. */
function expanded(engine: Engine, names: readonly string[], options: ResolveOptions): ReadonlyMap<string, By> {
  const { ignoreUnavailable = false, allowNoIndices = true, skipRed = ignoreUnavailable } = options;
  const result = new Map<string, By>();
  const wildcards = new Wildcards(engine, options);
  // All indices, and none by an alias.
  if (names.length === 1 && (names[0] === '_all' || names[0] === '*')) {
    wildcards.expand('*', result, false);
    return result;
  }
  let isWild = false;
  let isChanged = false;
  for (const given of names) {
    if (given === '') throw noSuchIndex(given);
    if (given.startsWith('_')) throw reservedName(given);
    const behind = engine.has(given) ? [] : behindAlias(engine, given);
    const isThere = engine.has(given) || (behind.length > 0 && options.ignoreAliases !== true);
    if (isThere || redIndices(engine, given).some(({ name }) => name === given)) {
      addName(result, given);
      continue;
    }
    isChanged = true;
    const isExcluded = given.startsWith('-') && isWild;
    const name = isExcluded ? given.slice(1) : given;
    if (!name.includes('*')) {
      if (!ignoreUnavailable) checkExists(engine, name, options);
      if (isExcluded) result.delete(name);
      else addName(result, name);
      continue;
    }
    isWild = true;
    const matched = new Map<string, By>();
    const isMatched = wildcards.expand(name, matched, true);
    if (!isMatched && !allowNoIndices && !(skipRed && redIndices(engine, name).length > 0)) throw noSuchIndex(name);
    for (const [index, by] of matched)
      if (isExcluded) result.delete(index);
      else addName(result, index, by);
  }
  if (isChanged && result.size === 0 && !allowNoIndices && !(skipRed && redIndices(engine, names.join()).length > 0))
    throw nothingFound(names, 'index_or_alias');
  return result;
}

function addName(
  result: Map<string, By>,
  name: string,
  { own, aliases }: By = { own: true, aliases: new Set() },
): void {
  const known = result.get(name);
  if (known === undefined) result.set(name, { own, aliases });
  else {
    known.own ||= own;
    for (const alias of aliases) known.aliases.add(alias);
  }
}

/** @throws what refuses a name that is none of an index, nor of an alias where aliases count */
function checkExists(engine: Engine, name: string, { ignoreAliases }: ResolveOptions): void {
  if (engine.has(name) || redIndices(engine, name).length > 0) return;
  if (behindAlias(engine, name).length === 0) throw noSuchIndex(name);
  if (ignoreAliases === true) throw isAlias(name);
}

const isAlias = (name: string): Error =>
  illegalArgument(
    `The provided expression [${name}] matches an alias, specify the corresponding concrete indices instead.`,
  );

function behindAlias(engine: Engine, alias: string): readonly Index[] {
  return engine.indices().filter((index) => Object.hasOwn(aliasesOf(index), alias));
}

/** The wildcards of one expression, which compare so many names together at most. */
class Wildcards {
  readonly #engine: Engine;
  readonly #options: ResolveOptions;
  #compared = 0;

  constructor(engine: Engine, options: ResolveOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Adds the indices that a pattern reaches. Returns whether it matches a name, reached or not. */
  expand(pattern: string, result: Map<string, By>, withAliases: boolean): boolean {
    const { expand = () => true, ignoreAliases } = this.#options;
    let isMatched = false;
    for (const index of this.#engine.indices()) {
      const isOwn = globMatches(pattern, index.name);
      const aliases = withAliases && ignoreAliases !== true ? this.#aliasesLike(pattern, index) : [];
      isMatched ||= isOwn || aliases.length > 0;
      if (!expand(index)) continue;
      const own = isOwn && this.#reaches(pattern, index.name, isHidden(index));
      const { byName } = readAliases(index);
      const reached = aliases.filter((alias) => this.#reaches(pattern, alias, byName[alias]!['is_hidden'] === true));
      if (own || reached.length > 0) addName(result, index.name, { own, aliases: new Set(reached) });
    }
    return isMatched;
  }

  #aliasesLike(pattern: string, index: Index): readonly string[] {
    const { names } = readAliases(index);
    this.#compared += 1 + names.length;
    if (this.#compared > MOST_COMPARED)
      throw illegalArgument(
        `Too many wildcards for so many names: they would be compared more than [${MOST_COMPARED}] times. Name fewer in one request.`,
      );
    return names.filter((alias) => globMatches(pattern, alias));
  }

  /** Whether a pattern reaches a name that it matches. */
  #reaches(pattern: string, name: string, isHidden: boolean): boolean {
    const { expandHidden = true } = this.#options;
    return !isHidden || expandHidden || (pattern.startsWith('.') && name.startsWith('.'));
  }
}
