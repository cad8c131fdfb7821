// Numbers about indices (`_stats`), and what is done to each of several: refresh, flush, forcemerge.
import { changes, reads, type Endpoint, READABLE } from '../request/endpoint.ts';
import { EXPAND, NUMBERS_OF_FIELDS } from '../request/route-params.ts';
import { checkAdmin } from '../request/check-admin.ts';
import { nearestOfUrl } from '../request/unknown-field.ts';
import { fieldMemory } from './field-memory.ts';
import { flushIndex, idleFlushes, searchGroups, syncId } from './index-counters.ts';
import { indicesOf, openIndicesOf } from '../request/index-names.ts';
import { isClosed, typeNameOf } from '../request/index-state.ts';
import { primariesOf, replicasOf } from '../request/active-shards.ts';
import { NODE } from '../request/tasks.ts';
import { type Answer, type Call, flagParam, integerParam, listParam, param } from '../request/request.ts';
import type { Index, IndexStats } from '../../engine/engine-api.ts';
import { globMatches } from '../../text/glob.ts';
import { isObject, type Json } from '../../json/json.ts';
import { viewOfIndex } from '../../view/filtered-index.ts';
import { illegalArgument, validationError } from '../../errors/request-error.ts';

/** Runs something on each index and answers shard counts. */
function forEachIndex(run: (index: Index, call: Call) => Promise<void>): (call: Call) => Promise<Answer> {
  return async (call) => {
    const found = openIndicesOf(call);
    for (const { index } of found) await run(index, call);
    return { json: { _shards: shardCounts(found) } };
  };
}

/** `GET|POST [/{index}]/_flush[/synced]`. */
async function flush(call: Call): Promise<Answer> {
  if (flagParam(call, 'force') && !flagParam(call, 'wait_if_ongoing', true))
    throw validationError('wait_if_ongoing must be true for a force flush');
  const isSynced = call.request.path.endsWith('/synced');
  if (isSynced)
    call.warn(
      'Synced flush is deprecated and will be removed in 8.0. Use flush at _/flush or /{index}/_flush instead.',
    );
  const indices: Record<string, unknown> = {};
  const { json } = await forEachIndex(async (index) => {
    await flushIndex(index, isSynced);
    if (isSynced) indices[index.name] = shardCounts([{ index }]);
  })(call);
  return { json: { ...(json as Json), ...indices } };
}

async function forceMerge(index: Index, call: Call): Promise<void> {
  checkAdmin(index, call);
  const maxSegments = integerParam(call, 'max_num_segments');
  const onlyExpungeDeletes = flagParam(call, 'only_expunge_deletes');
  if (maxSegments !== undefined && onlyExpungeDeletes)
    call.warn(
      'setting only_expunge_deletes and max_num_segments at the same time is deprecated and will be rejected in a future version',
    );
  await index.forceMerge({ ...(maxSegments === undefined ? {} : { maxSegments }), onlyExpungeDeletes });
  if (flagParam(call, 'flush', true)) await index.commit();
}

const STAT_GROUPS = [
  'docs',
  'store',
  'indexing',
  'get',
  'search',
  'merge',
  'refresh',
  'flush',
  'warmer',
  'query_cache',
  'fielddata',
  'completion',
  'segments',
  'translog',
  'suggest',
  'request_cache',
  'recovery',
];

/** @throws RequestError for metrics of a path that there are not, and for others beside `_all` */
export function checkMetrics(call: Call, asked: readonly string[], known: readonly string[], what = 'metric'): void {
  if (asked.length > 1 && asked.includes('_all'))
    throw illegalArgument(
      `request [${call.request.path}] contains _all and individual ${what}s [${call.path['metric']}]`,
    );
  const unknown = asked.filter((metric) => metric !== '_all' && !known.includes(metric)).sort();
  if (unknown.length > 0)
    throw illegalArgument(
      `request [${call.request.path}] contains unrecognized ${what}${unknown.length === 1 ? '' : 's'}: ${unknown.map((metric) => `[${metric}]${nearestOfUrl(metric, known)}`).join(', ')}`,
    );
}

/** `GET [/{index}]/_stats[/{metric}]`. */
export function stats(call: Call, level = param(call, 'level') ?? 'indices'): Answer {
  const asked = call.path['metric']?.split(',') ?? [];
  checkMetrics(call, asked, STAT_GROUPS, call.path['index_metric'] === undefined ? 'metric' : 'index metric');
  const metrics = asked.filter((metric) => metric !== '_all');
  const wanted = (group: string): boolean =>
    metrics.length === 0 || metrics.includes(group) || (group === 'merges' && metrics.includes('merge'));
  if (!['cluster', 'indices', 'shards'].includes(level))
    throw illegalArgument('level parameter must be one of [cluster] or [indices] or [shards] but was [' + level + ']');
  const indices: Record<string, unknown> = {};
  const all = flagParam(call, 'forbid_closed_indices', true) ? openIndicesOf(call) : indicesOf(call);
  const parts: Json[] = [];
  for (const { index } of all) {
    const part = statsOf(index, wanted, call);
    parts.push(part);
    indices[index.name] = {
      uuid: index.uuid,
      primaries: part,
      total: part,
      ...(level === 'shards' ? { shards: { 0: [shardOf(index, part)] } } : {}),
    };
  }
  const sum = parts.reduce(add, {});
  return {
    json: {
      _shards: shardCounts(all),
      _all: { primaries: sum, total: sum },
      ...(level === 'cluster' ? {} : { indices }),
    },
  };
}

/** Replaces the folder of a shard, which is not revealed. */
export const SHARD_PATH = 'data';

/** The one shard, as `level=shards` shows it. */
function shardOf(index: Index, numbers: Json): Json {
  const id = syncId(index);
  const { docs, flushTotal, maxSeqNo } = index.stats();
  return {
    routing: { state: 'STARTED', primary: true, node: NODE, relocating_node: null },
    ...numbers,
    commit: {
      id: index.uuid,
      generation: flushTotal,
      user_data: {
        ...(id === undefined ? {} : { sync_id: id }),
        translog_uuid: index.uuid,
        history_uuid: index.uuid,
        local_checkpoint: String(maxSeqNo),
        max_seq_no: String(maxSeqNo),
        max_unsafe_auto_id_timestamp: '-1',
      },
      num_docs: docs,
    },
    seq_no: checkpointsOf(index),
    retention_leases: {
      primary_term: 1,
      version: 1,
      leases: [
        {
          id: `peer_recovery/${NODE}`,
          retaining_seq_no: maxSeqNo + 1,
          timestamp: index.createdAt,
          source: 'peer recovery',
        },
      ],
    },
    shard_path: { state_path: SHARD_PATH, data_path: SHARD_PATH, is_custom_data_path: false },
  };
}

/** There is one copy: what it has written is what all have written. */
function checkpointsOf(index: Index): Json {
  const { maxSeqNo } = index.stats();
  return { max_seq_no: maxSeqNo, local_checkpoint: maxSeqNo, global_checkpoint: maxSeqNo };
}

/** The numbers of an index, by group. */
export function indexNumbers(index: Index, call: Call): Json {
  return statsOf(index, () => true, call);
}

/** The numbers of its one shard, by group. */
export function shardNumbers(index: Index, call: Call): Json {
  return { ...indexNumbers(index, call), seq_no: checkpointsOf(index) };
}

/** The numbers of all indices together, by group. */
export function nodeIndexNumbers(call: Call): Json {
  return call.engine
    .indices()
    .map((index) => indexNumbers(index, call))
    .reduce(add, {});
}

/** How many shards are asked, with their replicas, and how many of them answer: those that are no replicas. */
export function shardCounts(found: readonly { readonly index: Index }[]): Json {
  const sum = (of: (index: Index) => number): number => found.reduce((total, { index }) => total + of(index), 0);
  return { total: sum(copiesOf), successful: sum(primariesOf), failed: 0 };
}

/** Shards with their replicas, as the settings wish them; there is one. */
function copiesOf(index: Index): number {
  return primariesOf(index) * (1 + replicasOf(index));
}

function add(a: Json, b: Json): Json {
  const sum: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = sum[key];
    sum[key] = isObject(value)
      ? add(isObject(before) ? before : {}, value)
      : typeof value === 'number'
        ? (typeof before === 'number' ? before : 0) + value
        : value;
  }
  return sum;
}

function statsOf(index: Index, wanted: (group: string) => boolean, call: Call): Json {
  const whole = index.stats();
  // A closed index has nothing in memory.
  const isLoaded = !isClosed(index) || flagParam(call, 'include_unloaded_segments');
  const own = isLoaded ? whole : { ...whole, docs: 0, deleted: 0, segments: 0, contentBytes: 0 };
  const memory = fieldMemory(index);
  const docs = { count: own.docs, deleted: own.deleted };
  const groups: Record<string, Json> = {
    docs,
    store: { size_in_bytes: own.bytes, reserved_in_bytes: 0 },
    indexing: { ...writesOf(own), ...typesOf(index, own, call) },
    get: {
      total: 0,
      time_in_millis: 0,
      exists_total: 0,
      exists_time_in_millis: 0,
      missing_total: 0,
      missing_time_in_millis: 0,
      current: 0,
    },
    search: {
      open_contexts: 0,
      query_total: own.searchTotal,
      query_time_in_millis: 0,
      query_current: 0,
      fetch_total: own.searchTotal,
      fetch_time_in_millis: 0,
      fetch_current: 0,
      scroll_total: 0,
      scroll_time_in_millis: 0,
      scroll_current: 0,
      suggest_total: 0,
      suggest_time_in_millis: 0,
      suggest_current: 0,
      ...groupsOf(index, call),
    },
    merges: {
      current: 0,
      current_docs: 0,
      current_size_in_bytes: 0,
      total: own.mergeTotal,
      total_time_in_millis: 0,
      total_docs: 0,
      total_size_in_bytes: 0,
      total_stopped_time_in_millis: 0,
      total_throttled_time_in_millis: 0,
      total_auto_throttle_in_bytes: 20 * 2 ** 20,
    },
    refresh: {
      total: own.refreshTotal,
      total_time_in_millis: 0,
      external_total: own.refreshTotal,
      external_total_time_in_millis: 0,
      listeners: 0,
    },
    flush: { total: own.flushTotal + idleFlushes(index), periodic: 0, total_time_in_millis: 0 },
    warmer: { current: 0, total: 0, total_time_in_millis: 0 },
    query_cache: {
      memory_size_in_bytes: 0,
      total_count: 0,
      hit_count: 0,
      miss_count: 0,
      cache_size: 0,
      cache_count: 0,
      evictions: 0,
    },
    fielddata: {
      memory_size_in_bytes: total(memory.fielddata),
      evictions: 0,
      ...byField(memory.fielddata, 'memory_size_in_bytes', call, 'fielddata_fields'),
    },
    completion: {
      size_in_bytes: total(memory.completion),
      ...byField(memory.completion, 'size_in_bytes', call, 'completion_fields'),
    },
    segments: {
      count: own.segments,
      memory_in_bytes: own.contentBytes,
      terms_memory_in_bytes: 0,
      stored_fields_memory_in_bytes: 0,
      term_vectors_memory_in_bytes: 0,
      norms_memory_in_bytes: 0,
      points_memory_in_bytes: 0,
      doc_values_memory_in_bytes: 0,
      index_writer_memory_in_bytes: 0,
      version_map_memory_in_bytes: 0,
      fixed_bit_set_memory_in_bytes: 0,
      max_unsafe_auto_id_timestamp: -1,
      file_sizes: {},
    },
    translog: {
      operations: own.translogOperations,
      size_in_bytes: own.translogBytes,
      uncommitted_operations: own.translogOperations,
      uncommitted_size_in_bytes: own.translogBytes,
      earliest_last_modified_age: 0,
    },
    request_cache: { memory_size_in_bytes: 0, evictions: 0, hit_count: 0, miss_count: 0 },
    recovery: { current_as_source: 0, current_as_target: 0, throttle_time_in_millis: 0 },
  };
  return Object.fromEntries(Object.entries(groups).filter(([name]) => wanted(name)));
}

function total(bytes: ReadonlyMap<string, number>): number {
  return [...bytes.values()].reduce((sum, each) => sum + each, 0);
}

/** The fields that the request names, by `fields` or by the parameter for this kind. */
function byField(bytes: ReadonlyMap<string, number>, name: string, call: Call, parameter: string): Json {
  const patterns = listParam(call, parameter) ?? listParam(call, 'fields') ?? [];
  const chosen = [...bytes].filter(([field]) => patterns.some((pattern) => globMatches(pattern, field)));
  if (chosen.length === 0) return {};
  return { fields: Object.fromEntries(chosen.map(([field, size]) => [field, { [name]: size }])) };
}

/** Searches by the groups that the request names. */
function groupsOf(index: Index, call: Call): Json {
  const patterns = listParam(call, 'groups') ?? [];
  // Who sees a part only learns nothing of others' searches.
  if (patterns.length === 0 || viewOfIndex(index) !== undefined) return {};
  const chosen = [...searchGroups(index)].filter(([group]) =>
    patterns.some((pattern) => pattern === '_all' || globMatches(pattern, group)),
  );
  if (chosen.length === 0) return {};
  const numbers = (count: number): Json => ({
    query_total: count,
    query_time_in_millis: 0,
    query_current: 0,
    fetch_total: count,
    fetch_time_in_millis: 0,
    fetch_current: 0,
    scroll_total: 0,
    scroll_time_in_millis: 0,
    scroll_current: 0,
    suggest_total: 0,
    suggest_time_in_millis: 0,
    suggest_current: 0,
  });
  return { groups: Object.fromEntries(chosen.map(([group, count]) => [group, numbers(count)])) };
}

/** What was written: the engine counts no times and nothing under way. */
function writesOf(own: IndexStats): Json {
  return {
    index_total: own.indexTotal,
    index_time_in_millis: 0,
    index_current: 0,
    index_failed: 0,
    delete_total: own.deleteTotal,
    delete_time_in_millis: 0,
    delete_current: 0,
    noop_update_total: 0,
    is_throttled: false,
    throttle_time_in_millis: 0,
  };
}

/** Writes by type: there is one. */
function typesOf(index: Index, own: IndexStats, call: Call): Json {
  const patterns = listParam(call, 'types') ?? [];
  const type = typeNameOf(index) ?? '_doc';
  if (!patterns.some((pattern) => pattern === '_all' || globMatches(pattern, type))) return {};
  return { types: { [type]: writesOf(own) } };
}

/** Numbers, and what is done to each of several indices. */
export const STATS_ENDPOINTS: readonly Endpoint[] = [
  changes(
    'GET POST',
    ['/_refresh', '/{index}/_refresh'],
    EXPAND,
    forEachIndex((index) => index.refresh()),
  ),
  changes(
    'GET POST',
    ['/_flush', '/{index}/_flush', '/_flush/synced', '/{index}/_flush/synced'],
    { force: 'flag', wait_if_ongoing: 'flag', ...EXPAND },
    flush,
  ),
  changes(
    'POST',
    ['/_cache/clear', '/{index}/_cache/clear'],
    { fielddata: 'flag', fields: 'text', query: 'flag', request: 'flag', ...EXPAND },
    forEachIndex(() => Promise.resolve()),
  ),
  changes(
    'POST',
    ['/_forcemerge', '/{index}/_forcemerge'],
    { max_num_segments: 'integer', only_expunge_deletes: 'flag', flush: 'flag', ...EXPAND },
    forEachIndex(forceMerge),
  ),
  reads(
    'GET',
    ['/_stats', '/_stats/{metric}', '/{index}/_stats', '/{index}/_stats/{metric}'],
    {
      level: 'text',
      ...NUMBERS_OF_FIELDS,
      include_unloaded_segments: 'flag',
      forbid_closed_indices: 'flag',
      ...EXPAND,
    },
    stats,
    READABLE,
  ),
];
