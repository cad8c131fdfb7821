// Numbers about indices (`_stats`), and what is done to each of several: refresh, flush, forcemerge.
import { suggest } from '@lockstitch/kernel';
import { openIndicesOf } from './index-names.ts';
import { settingsOf } from '../client-settings.ts';
import { type Answer, type Call, param } from './request.ts';
import type { Engine, Index } from '../engine/engine-api.ts';
import { isObject, type Json } from '../json.ts';
import { illegalArgument } from '../request-error.ts';

/** Runs something on each index and answers shard counts. */
export function forEachIndex(
  run: (index: Index, call: Call) => Promise<void>,
): (engine: Engine, call: Call) => Promise<Answer> {
  return async (engine, call) => {
    const found = openIndicesOf(engine, call);
    for (const { index } of found) await run(index, call);
    const total = found.length;
    return { json: { _shards: { total: total * 2, successful: total, failed: 0 } } };
  };
}

const STAT_GROUPS = [
  'docs',
  'store',
  'indexing',
  'get',
  'search',
  'merges',
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

/** `GET [/{index}]/_stats[/{metric}]`. */
export function stats(engine: Engine, call: Call): Answer {
  const metrics = call.path['metric']?.split(',').filter((metric) => metric !== '_all') ?? [];
  for (const metric of metrics) {
    if (!STAT_GROUPS.includes(metric)) {
      const near = suggest(metric, STAT_GROUPS);
      throw illegalArgument(
        `request [${call.request.path}] contains unrecognized metric: [${metric}]${near === undefined ? '' : ` -> did you mean [${near}]?`}`,
      );
    }
  }
  const wanted = (group: string): boolean =>
    metrics.length === 0 || metrics.includes(group) || (group === 'merges' && metrics.includes('merge'));
  const level = param(call, 'level') ?? 'indices';
  if (!['cluster', 'indices', 'shards'].includes(level))
    throw illegalArgument('level parameter must be one of [cluster] or [indices] or [shards] but was [' + level + ']');
  const indices: Record<string, unknown> = {};
  const all = openIndicesOf(engine, call);
  const parts: Json[] = [];
  for (const { index } of all) {
    const part = statsOf(index, wanted);
    parts.push(part);
    indices[index.name] = {
      uuid: index.uuid,
      primaries: part,
      total: part,
      ...(level === 'shards' ? { shards: { 0: [shardOf(index, part)] } } : {}),
    };
  }
  const sum = parts.reduce(add, {});
  const copies = all.reduce((total, { index }) => total + copiesOf(index), 0);
  return {
    json: {
      _shards: { total: copies, successful: all.length, failed: 0 },
      _all: { primaries: sum, total: sum },
      ...(level === 'cluster' ? {} : { indices }),
    },
  };
}

/** The one shard, as `level=shards` shows it. */
function shardOf(index: Index, numbers: Json): Json {
  return {
    routing: { state: 'STARTED', primary: true, node: 'lockstitch', relocating_node: null },
    ...numbers,
    commit: { id: index.uuid, generation: index.stats().flushTotal, user_data: {}, num_docs: index.stats().docs },
  };
}

/** Shards with their replicas, as the settings wish them; there is one. */
function copiesOf(index: Index): number {
  const settings = settingsOf(index.definition);
  return Number(settings['number_of_shards'] ?? 1) * (1 + Number(settings['number_of_replicas'] ?? 1));
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

function statsOf(index: Index, wanted: (group: string) => boolean): Json {
  const own = index.stats();
  const docs = { count: own.docs, deleted: own.deleted };
  const groups: Record<string, Json> = {
    docs,
    store: { size_in_bytes: own.bytes, reserved_in_bytes: 0 },
    indexing: {
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
    },
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
    },
    merges: {
      current: 0,
      current_docs: 0,
      current_size_in_bytes: 0,
      total: own.mergeTotal,
      total_time_in_millis: 0,
      total_docs: 0,
      total_size_in_bytes: 0,
    },
    refresh: {
      total: own.refreshTotal,
      total_time_in_millis: 0,
      external_total: own.refreshTotal,
      external_total_time_in_millis: 0,
      listeners: 0,
    },
    flush: { total: own.flushTotal, periodic: 0, total_time_in_millis: 0 },
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
    fielddata: { memory_size_in_bytes: 0, evictions: 0 },
    completion: { size_in_bytes: 0 },
    segments: {
      count: own.segments,
      memory_in_bytes: own.memoryBytes,
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
