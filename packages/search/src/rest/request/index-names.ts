// The indices of a request: its expression with its parameters, as targets of a search, and the one that a write goes to.
import { countGet } from '../indices/index-counters.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { isObject, textOf, toList } from '../../json/json.ts';
import { illegalArgument, shardArgument, unsupported } from '../../errors/request-error.ts';
import { hasNanos, isNumeric } from '../../mapping/field-type.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import { isMetadata } from '../../mapping/metadata-fields.ts';
import type { SearchBody } from '../../search/search-body.ts';
import { type Target, mappingOf } from '../../fetch/target.ts';
import { bodyIndex, type Call, checkPreference, flagParam, param } from './request.ts';
import { settingsOf } from '../../settings/client-settings.ts';
import { shardOf } from '../../index/shard-hash.ts';
import type { StoredDocument } from '../../index/operation.ts';
import { storedIn } from '../../collect/stored-in.ts';
import type { PartQuery } from '../../query/kinds/part.ts';
import { allShardsFailed, failedShard, type FailedShard, redError, redIndices } from './red-indices.ts';
import { divisionOf, isSharded } from './shard-of-routing.ts';
import { indexLimits } from '../../settings/index-limits.ts';
import { checkBlocks } from './index-blocks.ts';
import { checkIsOpen, hasType, isClosed, typeNameOf } from './index-state.ts';
import {
  aliasesOf,
  type Found,
  namesOf,
  nothingFound,
  readAliases,
  type ResolveOptions,
  resolveIndices,
} from './resolve-indices.ts';

/** A flag that says which indices are meant: without a value it says nothing. */
function indexFlag(call: Call, name: string, fallback = false): boolean {
  return param(call, name) === '' ? fallback : flagParam(call, name, fallback);
}

/**
 * Resolves with the request's `ignore_unavailable`, `allow_no_indices`, `expand_wildcards`. Closed indices are found by
 * their names, and by wildcards that ask for them.
 *
 * @param expandByDefault what wildcards reach when the request does not say: open indices, closed ones, both, or hidden ones, too
 * @param skipRed leaves damaged indices out that are named, which are refused otherwise
 * @param allowsNone whether a wildcard may find nothing when the request does not say
 * @param isLenient whether names that are not there are left out when the request does not say
 */
export function indicesOf(
  call: Call,
  expression: string | undefined = call.path['index'],
  expandByDefault: ExpandedByDefault = 'open',
  skipRed = indexFlag(call, 'ignore_unavailable'),
  allowsNone = true,
  ignoreAliases = false,
  isLenient = false,
): Found[] {
  const options = resolveOptions(call, expandByDefault, allowsNone, isLenient);
  return resolveIndices(call.engine, expression, { ...options, skipRed, ignoreAliases });
}

type ExpandedByDefault = 'open' | 'closed' | 'open,closed' | 'open,hidden' | 'all';

/**
 * How a request wants its names resolved; the parameters are those of `indicesOf`. For what takes these options without a name, too.
 *
 * @throws RequestError for a word of `expand_wildcards` that says nothing
 */
export function resolveOptions(
  call: Call,
  expandByDefault: ExpandedByDefault,
  allowsNone: boolean,
  isLenient: boolean,
): ResolveOptions {
  const wanted = new Set<string>((param(call, 'expand_wildcards') ?? expandByDefault).split(','));
  for (const word of wanted) {
    if (word !== '' && !['open', 'closed', 'hidden', 'all', 'none'].includes(word))
      throw illegalArgument(`No valid expand wildcard value [${word}]`);
  }
  return {
    ignoreUnavailable: indexFlag(call, 'ignore_unavailable', isLenient),
    allowNoIndices: indexFlag(call, 'allow_no_indices', allowsNone),
    expand: (index) => wanted.has('all') || wanted.has(isClosed(index) ? 'closed' : 'open'),
    expandHidden: wanted.has('all') || wanted.has('hidden'),
    expandsNothing: !['all', 'open', 'closed'].some((word) => wanted.has(word)),
  };
}

/** As `indicesOf`, for what needs the documents: a closed index is refused, or left out with `ignore_unavailable`. */
export function openIndicesOf(call: Call, expression?: string, skipRed?: boolean): Found[] {
  const found = undamagedIndicesOf(call, expression, skipRed);
  if (indexFlag(call, 'ignore_unavailable')) {
    const open = found.filter(({ index }) => !isClosed(index));
    if (open.length === 0 && found.length > 0 && !indexFlag(call, 'allow_no_indices', true))
      throw nothingFound(namesOf(expression ?? call.path['index']));
    return open;
  }
  for (const { index } of found) checkIsOpen(index);
  return found;
}

/** As `indicesOf`. @throws ProductError for a damaged index, found by a wildcard, too: what is left out in silence looks deleted */
export function undamagedIndicesOf(call: Call, expression?: string, skipRed?: boolean): Found[] {
  const found = indicesOf(call, expression, undefined, skipRed);
  if (skipRed !== true && !indexFlag(call, 'ignore_unavailable')) {
    const [red] = redIndices(call.engine, expression ?? call.path['index']);
    if (red !== undefined) throw redError(red);
  }
  return found;
}

/** As `openIndicesOf`, for what reads documents. @throws RequestError where a block forbids that */
export function readableIndicesOf(call: Call, expression?: string): Found[] {
  const found = openIndicesOf(call, expression);
  for (const each of found) checkBlocks([each], 'read');
  return found;
}

/**
 * As `readableIndicesOf`, with what cannot be searched beside what can.
 *
 * @throws RequestError `SEARCH_NOT_ENOUGH_SHARDS` where nothing can, or the request wants all or nothing
 */
export function searchableIndicesOf(
  call: Call,
  expression: string | undefined = call.path['index'],
): { readonly found: Found[]; readonly failures: readonly FailedShard[] } {
  const red = redIndices(call.engine, expression);
  const found = openIndicesOf(call, expression, true);
  for (const each of found) checkBlocks([each], 'read');
  if (
    red.length > 0 &&
    (found.length === 0 || !flagParam(call, 'allow_partial_search_results', call.state.settings.allowsPartialResults))
  )
    throw allShardsFailed(red[0]!);
  return { found, failures: red.map(failedShard) };
}

/** @throws RequestError for more shards than the settings of the cluster let one search ask */
export function checkShardCount(call: Call, found: readonly Found[]): void {
  const most = call.state.settings.maxSearchedShards;
  const count = found.reduce((sum, { index }) => sum + divisionOf(index).shards, 0);
  if (count <= most) return;
  throw illegalArgument(
    `Trying to query ${count} shards, which is over the limit of ${most}. This limit exists because querying many shards at the same time can make the job of the coordinating node very CPU and/or memory intensive. It is usually a better idea to have a smaller number of larger shards. Update [action.search.shard_count.limit] to a greater value if you really want to query that many shards at the same time.`,
  );
}

/** The indices that have a shard that `preference` names: `_shards:1` asks none of an index with one. @throws RequestError where it is none */
export function preferredOf<T extends Found>(call: Call, found: readonly T[]): readonly T[] {
  // Of shards that are not asked none is preferred.
  const shards = found.length === 0 ? undefined : checkPreference(call);
  if (shards === undefined) return found;
  return found.filter(({ index }) => shards.some((shard) => shard >= 0 && shard < divisionOf(index).shards));
}

/** The write index of an alias is not looked at before its blocks are. @throws RequestError where it is closed */
export function checkNoClosedAlias(engine: Engine, name: string): void {
  const index = writeIndex(engine, name);
  if (index !== undefined && index.name !== name && isClosed(index)) checkBlocks([{ index }], 'read');
}

/**
 * Whether one of the types of the path, `/{index}/{type},{type}/_search`, is that of the index. One that was given no type is
 * searched by any: `/photos/photo/_search` finds what a schema or a client without types wrote, where Elasticsearch finds nothing.
 */
function isOfType(index: Index, { path }: Call): boolean {
  const types = path['type'];
  if (types === undefined || typeNameOf(index) === undefined) return true;
  return types.split(',').some((type) => hasType(index, type));
}

/** The shards that the request asks of an index; undefined: all. */
function shardsOf(found: Found, call: Call): readonly number[] | undefined {
  if (!isSharded(found.index)) return undefined;
  const routed = routedShardsOf(found, call);
  const preferred = checkPreference(call);
  return preferred === undefined ? routed : preferred.filter((shard) => routed?.includes(shard) !== false);
}

/** The shards that the routings of the request and of its aliases lead to; undefined: all. */
export function routedShardsOf({ index, aliases }: Found, call: Call): readonly number[] | undefined {
  const division = divisionOf(index);
  const shards = (routings: unknown): readonly number[] | undefined =>
    typeof routings === 'string' ? routings.split(',').map((each) => shardOf(each, division)) : undefined;
  const asked = shards(param(call, 'routing'));
  const all = aliasesOf(index);
  const own = aliases.map((alias) => shards(all[alias]?.['search_routing']));
  // An alias without a routing opens all shards.
  if (own.length === 0 || own.includes(undefined)) return asked;
  const reached = own.flatMap((each) => each!);
  return asked === undefined ? reached : asked.filter((shard) => reached.includes(shard));
}

function partOf(found: Found, call: Call, slice: SearchBody['slice']): PartQuery | undefined {
  const wanted = shardsOf(found, call);
  if (slice === undefined)
    return wanted === undefined ? undefined : { kind: 'part', ...divisionOf(found.index), wanted };
  const { field, ...numbers } = slice;
  const by = field === undefined ? {} : { by: sliceField(field, mappingOf(found.index)) };
  return { kind: 'part', ...divisionOf(found.index), wanted, slice: { ...numbers, ...by } };
}

/** The field that slices are made by. @throws RequestError for one without numbers */
function sliceField(name: string, mapping: Mapping): { readonly field: string; readonly isWhole: boolean } {
  const field = mapping.field(name);
  if (field === undefined) throw shardArgument(`field ${name} not found`);
  if (!isNumeric(field) || !field.docValues) throw shardArgument(`cannot load numeric doc values on ${name}`);
  if (isMetadata(field) || hasNanos(field) || ['float', 'half_float', 'scaled_float'].includes(field.type))
    throw unsupported(`[field] [${name}] of type [${field.type}] of a [slice]`);
  return { field: field.path, isWhole: field.type !== 'double' };
}

/** An index as a target of a request. @param slice the one of several parts that is meant */
export function targetOf(found: Found, call: Call, slice?: SearchBody['slice']): Target {
  const { index, aliases } = found;
  const { byName, names } = readAliases(index);
  const filters = aliases.map((alias) => byName[alias]?.['filter']);
  const mapping = mappingOf(index);
  const query = settingsOf(index.definition)['query'];
  const given = isObject(query) ? query['default_field'] : undefined;
  return {
    index,
    mapping,
    typeName: typeNameOf(index) ?? '_doc',
    filters: isOfType(index, call)
      ? // An alias without a filter opens the whole index.
        filters.some((filter) => filter === undefined)
        ? []
        : filters
      : [{ match_none: {} }],
    part: partOf(found, call, slice),
    context: {
      index: index.name,
      mapping,
      now: call.now,
      defaultField: given === undefined ? ['*'] : toList(given).map(textOf),
      aliases: names,
      maxClauses: index.maxClauses,
      maxRegexLength: indexLimits(index.definition).regexLength,
      queryStringLenient: indexLimits(index.definition).queryStringLenient,
      allowsExpensive: call.state.settings.allowsExpensive,
      lookup: (name, id) => {
        const [other] = resolveIndices(call.engine, bodyIndex(call, name));
        const stored = other === undefined ? undefined : storedAtOnce(other.index, id);
        if (other !== undefined) void countGet(other.index, stored);
        // Where the mapping turns sources off there is nothing to look up.
        if (stored === undefined || stored.source.length === 0) return undefined;
        return JSON.parse(new TextDecoder().decode(stored.source));
      },
    },
  };
}

/** A document without waiting: as of the last refresh where its latest write may still be refused. */
function storedAtOnce(index: Index, id: string): StoredDocument | undefined {
  const stored = index.get(id);
  if (!(stored instanceof Promise)) return stored;
  stored.catch(() => undefined);
  return storedIn(index.searcher(false), id);
}

/** The one index that a write to a name goes to; undefined when there is none yet. */
export function writeIndex(engine: Engine, name: string): Index | undefined {
  const [red] = redIndices(engine, name);
  if (red !== undefined) throw redError(red);
  if (engine.has(name)) return engine.index(name);
  const behind = engine.indices().filter((index) => Object.hasOwn(aliasesOf(index), name));
  if (behind.length <= 1) {
    const only = behind[0];
    if (only !== undefined && aliasesOf(only)[name]!['is_write_index'] === false) throw noWriteIndex(name);
    return only;
  }
  const writers = behind.filter((index) => aliasesOf(index)[name]!['is_write_index'] === true);
  if (writers.length !== 1) throw noWriteIndex(name);
  return writers[0];
}

function noWriteIndex(name: string): Error {
  return illegalArgument(
    `no write index is defined for alias [${name}]. The write index may be explicitly disabled using is_write_index=false or the alias points to multiple indices without one being designated as a write index`,
  );
}
