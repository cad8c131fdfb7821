// Numbers about indices (`_stats`), and what is done to each of several: refresh, flush, forcemerge.
import { wordsOf } from '@lockstitch/kernel';
import { changes, reads, type Endpoint, READABLE, unrecognizedParams } from '../request/endpoint.ts';
import { EXPAND, NUMBERS_OF_FIELDS } from '../request/route-params.ts';
import type { Found } from '../request/resolve-indices.ts';
import { checkBlocks, checkChangeable } from '../request/index-blocks.ts';
import { nearestOfUrl } from '../request/unknown-field.ts';
import { flushIndex, syncId } from './index-counters.ts';
import { noNumbers, statsOf } from './index-stats.ts';
import { indicesOf, openIndicesOf } from '../request/index-names.ts';
import { primariesOf, replicasOf } from '../request/active-shards.ts';
import { NODE } from '../request/tasks.ts';
import { type Answer, type Call, flagParam, integerParam, param } from '../request/request.ts';
import type { Index } from '../../engine/engine-api.ts';
import { isObject, type Json } from '../../json/json.ts';
import { illegalArgument, validationError } from '../../errors/request-error.ts';

/** Runs something on each index and answers shard counts. @param check is asked before the first of them */
function forEachIndex(
  run: (index: Index, call: Call) => Promise<void>,
  check: (found: readonly Found[], call: Call) => void = () => undefined,
): (call: Call) => Promise<Answer> {
  return async (call) => {
    const found = openIndicesOf(call);
    check(found, call);
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
  })(isSynced ? leniently(call) : call);
  return { json: { ...(json as Json), ...indices } };
}

/** A request that leaves out names which are not there. */
function leniently(call: Call): Call {
  const given = call.request.query;
  const query = new URLSearchParams();
  for (const name of given.keys()) query.set(name, name === 'ignore_unavailable' ? 'true' : (given.get(name) ?? ''));
  query.set('ignore_unavailable', 'true');
  return { ...call, request: { ...call.request, query } };
}

async function forceMerge(index: Index, call: Call): Promise<void> {
  const maxSegments = integerParam(call, 'max_num_segments');
  const onlyExpungeDeletes = flagParam(call, 'only_expunge_deletes');
  if (maxSegments !== undefined && onlyExpungeDeletes)
    call.warn(
      'setting only_expunge_deletes and max_num_segments at the same time is deprecated and will be rejected in a future version',
    );
  await index.forceMerge({ ...(maxSegments === undefined ? {} : { maxSegments }), onlyExpungeDeletes });
  if (flagParam(call, 'flush', true)) await index.commit();
}

const STAT_GROUPS = wordsOf(`
  docs store indexing get search merge refresh flush warmer query_cache fielddata completion segments translog
  request_cache recovery`);

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

/** Parameters that are unknown where none of some groups is asked for; some only of a node. */
const OF_GROUPS: Readonly<Record<string, { readonly groups: readonly string[]; readonly ofNodes?: true }>> = {
  completion_fields: { groups: ['completion'] },
  fielddata_fields: { groups: ['fielddata'] },
  fields: { groups: ['completion', 'fielddata'] },
  groups: { groups: ['search'], ofNodes: true },
  include_segment_file_sizes: { groups: ['segments'] },
  types: { groups: ['indexing'], ofNodes: true },
};

/** `GET [/{index}]/_stats[/{metric}]`. @param ofNone whether no index at all has numbers, as a node has */
export function stats(call: Call, level = param(call, 'level') ?? 'indices', ofNone = false): Answer {
  const asked = call.path['metric']?.split(',') ?? [];
  checkMetrics(call, asked, STAT_GROUPS, call.path['index_metric'] === undefined ? 'metric' : 'index metric');
  const metrics = asked.filter((metric) => metric !== '_all');
  const wanted = (group: string): boolean =>
    metrics.length === 0 || metrics.includes(group) || (group === 'merges' && metrics.includes('merge'));
  const unread = Object.entries(OF_GROUPS).filter(
    ([name, { groups, ofNodes }]) =>
      param(call, name) !== undefined &&
      (ofNodes !== true || call.path['index_metric'] !== undefined) &&
      !groups.some(wanted),
  );
  if (unread.length > 0) throw unrecognizedParams(call.request, unread.map(([name]) => name).sort());
  const indices: Record<string, unknown> = {};
  const all = checkBlocks(
    flagParam(call, 'forbid_closed_indices', true) ? openIndicesOf(call) : indicesOf(call),
    'metadata_read',
  );
  if (!['cluster', 'indices', 'shards'].includes(level))
    throw illegalArgument(`level parameter must be one of [cluster] or [indices] or [shards] but was [${level}]`);
  const parts: Json[] = [];
  for (const { index } of all) {
    const part = statsOf(index, call, wanted);
    parts.push(part);
    indices[index.name] = {
      uuid: index.uuid,
      primaries: part,
      total: part,
      ...(level === 'shards' ? { shards: { 0: [shardOf(index, part)] } } : {}),
    };
  }
  const sum = parts.reduce(add, ofNone ? noNumbers(call, wanted) : {});
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

/** The numbers of its one shard, by group. */
export function shardNumbers(index: Index, call: Call): Json {
  return { ...statsOf(index, call), seq_no: checkpointsOf(index) };
}

/** The numbers of all indices together, by group. */
export function nodeIndexNumbers(call: Call): Json {
  return call.engine
    .indices()
    .map((index) => statsOf(index, call))
    .reduce(add, noNumbers(call));
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

/** Numbers, and what is done to each of several indices. */
export const STATS_ENDPOINTS: readonly Endpoint[] = [
  changes(
    'GET POST',
    '/_refresh /{index}/_refresh',
    EXPAND,
    forEachIndex((index) => index.refresh()),
  ),
  changes(
    'GET POST',
    '/_flush /{index}/_flush /_flush/synced /{index}/_flush/synced',
    { force: 'flag', wait_if_ongoing: 'flag', ...EXPAND },
    flush,
  ),
  changes(
    'POST',
    '/_cache/clear /{index}/_cache/clear',
    { fielddata: 'flag', fields: 'text', query: 'flag', request: 'flag', ...EXPAND },
    forEachIndex(
      () => Promise.resolve(),
      (found) => void checkBlocks(found, 'metadata_write'),
    ),
  ),
  changes(
    'POST',
    '/_forcemerge /{index}/_forcemerge',
    { max_num_segments: 'integer', only_expunge_deletes: 'flag', flush: 'flag', ...EXPAND },
    forEachIndex(forceMerge, checkChangeable),
  ),
  reads(
    'GET',
    '/_stats /_stats/{metric} /{index}/_stats /{index}/_stats/{metric}',
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
