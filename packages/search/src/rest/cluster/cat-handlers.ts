// The rows of the `_cat` tables: what there is, for people and shell scripts. Their columns are data/cat-columns.json; how a table is
// printed is in cat-table.ts.
import { bytesCell, type Row, timeCell } from './cat-table.ts';
import { statCells } from './cat-columns.ts';
import { syncId } from '../indices/index-counters.ts';
import { statsOf } from '../indices/index-stats.ts';
import { nodeIndexNumbers, SHARD_PATH, shardNumbers } from '../indices/stats-handlers.ts';
import { colourOf, primariesOf, replicasOf, worstOf } from '../request/active-shards.ts';
import { machineOf, percentOf } from './machine.ts';
import { readKind } from '../indices/composable-templates.ts';
import { aliasMatches } from '../indices/alias-handlers.ts';
import { redIndices } from '../request/red-indices.ts';
import { checkBlocks } from '../request/index-blocks.ts';
import { indicesOf, openIndicesOf, readableIndicesOf } from '../request/index-names.ts';
import { aliasesOf } from '../request/resolve-indices.ts';
import { isClosed } from '../request/index-state.ts';
import { addressOf, type Call, flagParam, param, portOf } from '../request/request.ts';
import { NODE } from '../request/tasks.ts';
import { count } from '../search/search-handlers.ts';
import { readTemplates } from '../indices/templates.ts';
import { globMatches } from '../../text/glob.ts';
import type { Index } from '../../engine/engine-api.ts';
import { isObject, type Json } from '../../json/json.ts';
import { illegalArgument } from '../../errors/request-error.ts';

function countOf(index: Index): number {
  const searcher = index.searcher(false);
  try {
    return searcher.docCount();
  } finally {
    searcher.release();
  }
}

function momentOf({ now }: Call): { readonly epoch: string; readonly timestamp: string } {
  return { epoch: String(Math.floor(now / 1000)), timestamp: new Date(now).toISOString().slice(11, 19) };
}

/** `GET /_cat/indices[/{index}]`. */
export function catIndices(call: Call): readonly Row[] {
  const { engine } = call;
  const status = param(call, 'health');
  if (status !== undefined && !['green', 'yellow', 'red'].includes(status.toLowerCase()))
    throw illegalArgument(`unknown cluster health status [${status}]`);
  const served = checkBlocks(indicesOf(call, undefined, 'open,closed', true), 'metadata_read').map(({ index }) => ({
    health: colourOf(index),
    status: isClosed(index) ? 'close' : 'open',
    index: index.name,
    uuid: index.uuid,
    pri: primariesOf(index),
    rep: replicasOf(index),
    'creation.date': index.createdAt,
    'creation.date.string': new Date(index.createdAt).toISOString(),
    'search.throttled': false,
    ...(isClosed(index) ? {} : openCells(index, call)),
  }));
  const red = redIndices(engine, call.path['index']).map(({ name, uuid }) => ({
    health: 'red',
    status: 'open',
    index: name,
    uuid: uuid ?? '_na_',
    pri: 1,
    rep: 0,
  }));
  return [...served, ...red].filter(({ health }) => status === undefined || health === status.toLowerCase());
}

/** The cells of an index that can be read. */
function openCells(index: Index, call: Call): Row {
  const stats = index.stats();
  const size = bytesCell(stats.bytes);
  // Under a view even a number of changes would reveal hidden documents.
  const lag = call.request.view?.(index.name) === undefined ? call.request.lagOf?.(index.name) : undefined;
  const numbers = { ...statCells(statsOf(index, call)), 'memory.total': bytesCell(stats.contentBytes) };
  return {
    'docs.count': countOf(index),
    'docs.deleted': stats.deleted,
    'store.size': size,
    'pri.store.size': size,
    ...numbers,
    ...Object.fromEntries(Object.entries(numbers).map(([name, cell]) => [`pri.${name}`, cell])),
    'feed.lag': lag,
  };
}

/** `GET /_cat/health`. */
export function catHealth(call: Call): readonly Row[] {
  const { engine } = call;
  const indices = engine.indices();
  const red = engine.damaged().length;
  const sum = (of: (index: Index) => number): number => indices.reduce((total, index) => total + of(index), 0);
  const started = sum(primariesOf);
  const unassigned = sum((index) => primariesOf(index) * replicasOf(index)) + red;
  const percent = unassigned === 0 ? 100 : (100 * started) / (started + unassigned);
  return [
    {
      ...momentOf(call),
      cluster: call.state.identity.clusterName,
      status: red > 0 || engine.metadataDamage !== undefined ? 'red' : worstOf(indices.map(colourOf)),
      'node.total': 1,
      'node.data': 1,
      shards: started,
      pri: started,
      relo: 0,
      init: 0,
      unassign: unassigned,
      pending_tasks: 0,
      max_task_wait_time: '-',
      active_shards_percent: `${percent.toFixed(1)}%`,
    },
  ];
}

/** `GET /_cat/count[/{index}]`. */
export async function catCount(call: Call): Promise<readonly Row[]> {
  const isQuery = param(call, 'q') !== undefined || (call.request.body?.length ?? 0) > 0;
  const total = isQuery
    ? Number(((await count(call)).json as Json)['count'])
    : readableIndicesOf(call).reduce((sum, { index }) => sum + countOf(index), 0);
  return [{ ...momentOf(call), count: total }];
}

/** `GET /_cat/aliases[/{alias}]`. */
export function catAliases(call: Call): readonly Row[] {
  const patterns = call.path['alias']?.split(',');
  const expand = param(call, 'expand_wildcards')?.split(',') ?? ['all'];
  const showsHidden = expand.includes('all') || expand.includes('hidden');
  return checkBlocks(indicesOf(call, undefined, 'all'), 'metadata_read').flatMap(({ index }) =>
    Object.entries(aliasesOf(index))
      .filter(([name, body]) => showsHidden || body['is_hidden'] !== true || patterns?.includes(name) === true)
      .filter(([name]) => patterns === undefined || aliasMatches(patterns, name))
      .map(([alias, body]: [string, Json]) => ({
        alias,
        index: index.name,
        filter: isObject(body['filter']) ? '*' : '-',
        'routing.index': typeof body['index_routing'] === 'string' ? body['index_routing'] : '-',
        'routing.search': typeof body['search_routing'] === 'string' ? body['search_routing'] : '-',
        is_write_index: body['is_write_index'] === undefined ? '-' : body['is_write_index'] === true,
      })),
  );
}

/** `GET /_cat/nodes`. */
export function catNodes(call: Call): readonly Row[] {
  if (param(call, 'local') !== undefined)
    call.warn(
      'Deprecated parameter [local] used. This parameter does not cause this API to act locally, and should not be used. It will be unsupported in version 8.0.',
    );
  const machine = machineOf(call);
  const { heap, memory, disk, load } = machine;
  const usedMemory = memory.total - memory.free;
  const usedDisk = disk.total - disk.available;
  return [
    {
      ...statCells(nodeIndexNumbers(call)),
      'script.compilations': 0,
      'script.cache_evictions': 0,
      'script.compilation_limit_triggered': 0,
      id: flagParam(call, 'full_id') ? NODE : NODE.slice(0, 4),
      pid: process.pid,
      ip: '127.0.0.1',
      port: portOf(call),
      http_address: addressOf(call),
      flavor: 'default',
      type: 'npm',
      build: 'unknown',
      'file_desc.current': -1,
      'file_desc.percent': 0,
      'file_desc.max': -1,
      version: call.state.identity.version,
      jdk: process.versions.node,
      'disk.total': bytesCell(disk.total),
      'disk.used': bytesCell(usedDisk),
      'disk.avail': bytesCell(disk.available),
      'disk.used_percent': disk.total === 0 ? 0 : ((100 * usedDisk) / disk.total).toFixed(2),
      'heap.current': bytesCell(heap.used),
      'heap.percent': percentOf(heap.used, heap.max),
      'heap.max': bytesCell(heap.max),
      'ram.current': bytesCell(usedMemory),
      'ram.percent': percentOf(usedMemory, memory.total),
      'ram.max': bytesCell(memory.total),
      cpu: machine.cpu,
      load_1m: load[0].toFixed(2),
      load_5m: load[1].toFixed(2),
      load_15m: load[2].toFixed(2),
      uptime: timeCell(Math.floor(machine.uptime)),
      'node.role': 'dim',
      master: '*',
      name: NODE,
    },
  ];
}

/** `GET /_cat/master`. */
export function catMaster(): readonly Row[] {
  return [{ id: NODE, host: '127.0.0.1', ip: '127.0.0.1', node: NODE }];
}

/** `GET /_cat/shards[/{index}]`: the shards that the settings ask for, and their replicas, which have no node. */
export function catShards(call: Call): readonly Row[] {
  const { engine } = call;
  // Closed indices are listed only where the request names nothing.
  const found =
    call.path['index'] === undefined ? indicesOf(call, undefined, 'all', true) : openIndicesOf(call, undefined, true);
  checkBlocks(found, 'metadata_read');
  const served = found.flatMap(({ index }) => {
    const { docs, bytes } = index.stats();
    const shard = {
      index: index.name,
      shard: 0,
      prirep: 'p',
      state: 'STARTED',
      ...(isClosed(index)
        ? {}
        : { docs, store: bytesCell(bytes), ...statCells(shardNumbers(index, call)), sync_id: syncId(index) }),
      ip: '127.0.0.1',
      id: NODE,
      node: NODE,
      'path.data': SHARD_PATH,
      'path.state': SHARD_PATH,
    };
    const missing = {
      index: index.name,
      prirep: 'r',
      state: 'UNASSIGNED',
      'unassigned.reason': 'INDEX_CREATED',
      'unassigned.at': new Date(index.createdAt).toISOString(),
      'unassigned.for': timeCell(Math.max(0, call.now - index.createdAt)),
      'recoverysource.type': 'peer',
    };
    return Array.from({ length: primariesOf(index) }, (_, number) => [
      number === 0 ? shard : { ...shard, ...EMPTY, shard: number },
      ...Array.from({ length: replicasOf(index) }, () => ({ ...missing, shard: number })),
    ]).flat();
  });
  const red = redIndices(engine, call.path['index']).map(({ name }) => ({
    index: name,
    shard: 0,
    prirep: 'p',
    state: 'UNASSIGNED',
  }));
  return [...served, ...red];
}

/** Cells of all shards but the first, which has all documents. */
const EMPTY: Row = { docs: 0, store: bytesCell(0), ...statCells({}) };

/** `GET /_cat/templates[/{name}]`. */
export function catTemplates(call: Call): readonly Row[] {
  const { engine } = call;
  const wanted = call.path['name']?.split(',') ?? ['*'];
  const list = (patterns: readonly string[]): string => `[${patterns.join(', ')}]`;
  return [
    ...Object.entries(readTemplates(engine)).map(([name, { patterns, order, version }]) => ({
      name,
      index_patterns: list(patterns),
      order,
      version,
      composed_of: '',
    })),
    ...Object.entries(readKind(engine, 'indexTemplates')).map(([name, template]) => ({
      name,
      index_patterns: list(template.index_patterns),
      order: template.priority ?? 0,
      version: template.version,
      composed_of: list(template.composed_of ?? []),
    })),
  ].filter(({ name }) => wanted.some((pattern) => globMatches(pattern, name)));
}
