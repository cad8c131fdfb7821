// The rows of the `_cat` tables about the one node: its disk, thread pools and tasks, and how indices lie on it.
import type { Index } from '../../engine/engine-api.ts';
import { isClosed } from '../request/index-state.ts';
import { primariesOf, replicasOf } from '../request/active-shards.ts';
import { globMatches } from '../../text/glob.ts';
import { fieldMemory } from '../indices/field-memory.ts';
import { checkBlocks } from '../request/index-blocks.ts';
import { indicesOf, openIndicesOf } from '../request/index-names.ts';
import { type Answer, type Call, listParam, param, portOf } from '../request/request.ts';
import { NODE } from '../request/tasks.ts';
import { isObject, textOf } from '../../json/json.ts';
import { illegalArgument, RequestError, validationError } from '../../errors/request-error.ts';

import { bytesCell, type Row, timeCell } from './cat-table.ts';
import { machineOf, percentOf } from './machine.ts';

const HERE = { host: '127.0.0.1', ip: '127.0.0.1', node: NODE };

/** `GET /_cat/allocation[/{node_id}]`. */
export function catAllocation(call: Call): readonly Row[] {
  const wanted = call.path['node_id']?.split(',');
  const isMeant =
    wanted === undefined ||
    wanted.some((name) => ['_all', '_local', '_master', '127.0.0.1'].includes(name) || globMatches(name, NODE));
  const indices = call.engine.indices();
  const sum = (of: (index: Index) => number): number => indices.reduce((total, index) => total + of(index), 0);
  const missing = sum((index) => primariesOf(index) * replicasOf(index));
  const { disk } = machineOf(call);
  const own = {
    shards: sum(primariesOf),
    'disk.indices': bytesCell(sum((index) => index.stats().bytes)),
    'disk.used': bytesCell(disk.total - disk.available),
    'disk.avail': bytesCell(disk.available),
    'disk.total': bytesCell(disk.total),
    'disk.percent': percentOf(disk.total - disk.available, disk.total),
    ...HERE,
  };
  return [...(isMeant ? [own] : []), ...(missing === 0 ? [] : [{ shards: missing, node: 'UNASSIGNED' }])];
}

/** `GET /_cat/fielddata[/{fields}]`. */
export function catFielddata(call: Call): readonly Row[] {
  const patterns = call.path['fields']?.split(',') ?? listParam(call, 'fields') ?? ['*'];
  const sizes = new Map<string, number>();
  for (const { index } of openIndicesOf(call, '_all'))
    for (const [field, bytes] of fieldMemory(index).fielddata)
      if (patterns.some((pattern) => globMatches(pattern, field))) sizes.set(field, (sizes.get(field) ?? 0) + bytes);
  return [...sizes].map(([field, bytes]) => ({ id: NODE, ...HERE, field, size: bytesCell(bytes) }));
}

interface Pool {
  readonly type: string;
  readonly queue?: number;
  readonly size?: number;
  readonly core?: number;
  readonly max?: number;
  readonly keep_alive?: string;
}

const FEW = { type: 'scaling', core: 1, max: 5, keep_alive: '5m' };
const IDLE = { active: 0, pool_size: 0, queue: 0, rejected: 0, largest: 0, completed: 0 };
const FIXED = { type: 'fixed', size: 1 };

/** Elasticsearch's thread pools, with the length of their queues where it is limited. */
export const POOLS: Readonly<Record<string, Pool>> = {
  analyze: { ...FIXED, queue: 16 },
  fetch_shard_started: FEW,
  fetch_shard_store: FEW,
  flush: FEW,
  force_merge: FIXED,
  generic: { ...FEW, keep_alive: '30s' },
  get: { ...FIXED, queue: 1000 },
  listener: FIXED,
  management: FEW,
  refresh: FEW,
  search: { ...FIXED, type: 'fixed_auto_queue_size', queue: 1000 },
  search_throttled: { ...FIXED, type: 'fixed_auto_queue_size', queue: 100 },
  snapshot: FEW,
  system_read: { ...FIXED, queue: 2000 },
  system_write: { ...FIXED, queue: 1000 },
  warmer: FEW,
  write: { ...FIXED, queue: 10_000 },
};

/** `GET /_cat/thread_pool[/{thread_pools}]`: nothing waits in them, and active threads are not reported. */
export function catThreadPool(call: Call): readonly Row[] {
  const wanted = call.path['thread_pools']?.split(',') ?? ['*'];
  return Object.entries(POOLS)
    .filter(([name]) => wanted.some((pattern) => globMatches(pattern, name)))
    .map(([name, { queue = -1, ...pool }]) => ({
      node_name: NODE,
      node_id: NODE,
      ephemeral_node_id: NODE,
      pid: process.pid,
      host: '127.0.0.1',
      ip: '127.0.0.1',
      port: portOf(call),
      name,
      ...pool,
      ...IDLE,
      queue_size: queue,
    }));
}

/** `GET /_cat/tasks`: what `_tasks` lists, as a table. */
export async function catTasks(call: Call): Promise<readonly Row[]> {
  const {
    state: { identity, tasks },
  } = call;
  const { json } = await tasks.list({ ...call, request: { ...call.request, query: withoutGroups(call) } });
  const running: readonly unknown[] = isObject(json) && Array.isArray(json['tasks']) ? json['tasks'] : [];
  return running.filter(isObject).map((task) => {
    const started = Number(task['start_time_in_millis']);
    const nanos = Number(task['running_time_in_nanos']);
    return {
      id: textOf(task['id']),
      action: textOf(task['action']),
      task_id: `${NODE}:${textOf(task['id'])}`,
      parent_task_id: '-',
      type: textOf(task['type']),
      start_time: started,
      timestamp: new Date(started).toISOString().slice(11, 19),
      running_time_ns: Math.round(nanos),
      running_time: timeCell(nanos / 1e6),
      node_id: NODE,
      ip: '127.0.0.1',
      port: portOf(call),
      node: NODE,
      version: identity.version,
      description: typeof task['description'] === 'string' ? task['description'] : '',
    };
  });
}

/** Tasks in one list, with what they do. */
function withoutGroups({ request: { query } }: Call): URLSearchParams {
  const asked = new URLSearchParams({ group_by: 'none' });
  for (const name of ['actions', 'nodes', 'parent_task_id', 'detailed']) {
    const value = query.get(name);
    if (value !== null) asked.set(name, value);
  }
  return asked;
}

/** `GET /_cat/segments[/{index}]`: one row per index, since the number of segments would reveal hidden documents. */
export function catSegments(call: Call): readonly Row[] {
  return checkBlocks(openIndicesOf(call), 'metadata_read')
    .map(({ index }) => ({ index: index.name, stats: index.stats() }))
    .filter(({ stats }) => stats.docs + stats.deleted > 0)
    .map(({ index, stats }) => ({
      index,
      shard: 0,
      prirep: 'p',
      ip: '127.0.0.1',
      id: NODE,
      segment: '_0',
      generation: 0,
      'docs.count': stats.docs,
      'docs.deleted': stats.deleted,
      size: bytesCell(stats.bytes),
      'size.memory': stats.contentBytes,
      committed: stats.translogOperations === 0,
      searchable: true,
      version: '8.7.0',
      compound: true,
    }));
}

/** `GET /_cat/recovery[/{index}]`: nothing is copied, as a shard is opened where it is stored. */
export function catRecovery(call: Call): readonly Row[] {
  const wanted = listParam(call, 'index')?.join(',');
  const indices = checkBlocks(indicesOf(call, call.path['index'] ?? wanted, 'all'), 'metadata_read');
  if (param(call, 'active_only') === 'true') return [];
  return indices.flatMap(({ index }) => {
    const opened = new Date(index.createdAt).toISOString();
    return Array.from({ length: primariesOf(index) }, (_, shard) => ({
      ...RECOVERED,
      index: index.name,
      shard,
      start_time: opened,
      start_time_millis: index.createdAt,
      stop_time: opened,
      stop_time_millis: index.createdAt,
      type: isClosed(index) ? 'existing_store' : 'empty_store',
    }));
  });
}

const NOTHING_COPIED = { files: 0, files_recovered: 0, files_total: 0, bytes: 0, bytes_recovered: 0, bytes_total: 0 };
const RECOVERED: Row = {
  ...NOTHING_COPIED,
  time: timeCell(0),
  stage: 'done',
  source_host: 'n/a',
  source_node: 'n/a',
  target_host: '127.0.0.1',
  target_node: NODE,
  repository: 'n/a',
  snapshot: 'n/a',
  files_percent: '0.0%',
  bytes_percent: '0.0%',
  translog_ops: 0,
  translog_ops_recovered: 0,
  translog_ops_percent: '100.0%',
};

/** `GET /_cat/snapshots[/{repository}]`. @throws RequestError, as there are no repositories */
export function catSnapshots({ path: { repository } }: Call): never {
  if (repository === undefined) throw validationError('repository is missing');
  throw new RequestError('SEARCH_NOT_FOUND', 'repository_missing_exception', `[${repository}] missing`);
}

/** `GET /_cat`: the paths of the tables. @param paths those there are */
export function catHelp(paths: readonly string[]): Answer {
  if (paths.length === 0) throw illegalArgument('there are no tables');
  return { text: `=^.^=\n${paths.map((path) => `${path}\n`).join('')}` };
}
