// The `_cat` tables: indices, health, counts and aliases for people and shell scripts.
import type { Identity } from './cluster-handlers.ts';
import { type Column, catTable, printBytes } from './cat-table.ts';
import { aliasesOf, indicesOf, openIndicesOf } from './index-names.ts';
import { isClosed } from './index-state.ts';
import { type Answer, type Call, flagParam, param } from './request.ts';
import { globMatches } from '../glob.ts';
import type { Engine, Index } from '../engine/engine-api.ts';
import { isObject, type Json } from '../json.ts';
import { illegalArgument } from '../request-error.ts';

function countOf(index: Index): number {
  const searcher = index.searcher();
  try {
    return searcher.docCount();
  } finally {
    searcher.release();
  }
}

/** `GET /_cat/indices[/{index}]`. */
export function catIndices(engine: Engine, call: Call): Answer {
  const status = param(call, 'health');
  if (status !== undefined && !['green', 'yellow', 'red'].includes(status.toLowerCase()))
    throw illegalArgument(`unknown cluster health status [${status}]`);
  const rows = indicesOf(engine, call, undefined, 'all').map(({ index }) => {
    const stats = index.stats();
    const size = printBytes(stats.bytes);
    // Under a view even a number of changes would tell of documents that are hidden.
    const lag = call.request.view?.(index.name) === undefined ? call.request.lagOf?.(index.name) : undefined;
    return {
      health: 'green',
      status: isClosed(index) ? 'close' : 'open',
      index: index.name,
      uuid: index.uuid,
      pri: '1',
      rep: '0',
      'docs.count': String(countOf(index)),
      'docs.deleted': String(stats.deleted),
      'creation.date': String(index.createdAt),
      'creation.date.string': new Date(index.createdAt).toISOString(),
      'store.size': size,
      'pri.store.size': size,
      'feed.lag': lag === undefined ? null : String(lag),
    };
  });
  return catTable(
    call,
    [
      { name: 'health', aliases: ['h'], description: 'current health status' },
      { name: 'status', aliases: ['s'], description: 'open/close status' },
      { name: 'index', aliases: ['i', 'idx'], description: 'index name' },
      { name: 'uuid', aliases: ['id'], description: 'index uuid' },
      {
        name: 'pri',
        aliases: ['p', 'shards.primary', 'shardsPrimary'],
        description: 'number of primary shards',
        right: true,
      },
      {
        name: 'rep',
        aliases: ['r', 'shards.replica', 'shardsReplica'],
        description: 'number of replica shards',
        right: true,
      },
      { name: 'docs.count', aliases: ['dc', 'docsCount'], description: 'available docs', right: true },
      { name: 'docs.deleted', aliases: ['dd', 'docsDeleted'], description: 'deleted docs', right: true },
      { name: 'creation.date', aliases: ['cd'], description: 'index creation date (millisecond value)', shown: false },
      { name: 'creation.date.string', aliases: ['cds'], description: 'index creation date (as string)', shown: false },
      {
        name: 'store.size',
        aliases: ['ss', 'storeSize'],
        description: 'store size of primaries & replicas',
        right: true,
      },
      { name: 'pri.store.size', aliases: [], description: 'store size of primaries', right: true },
      {
        name: 'feed.lag',
        aliases: ['lag', 'feedLag'],
        description: 'changes of the data not searchable yet',
        right: true,
        shown: false,
      },
    ],
    status !== undefined && status.toLowerCase() !== 'green' ? [] : rows,
  );
}

/** `GET /_cat/health`. */
export function catHealth(engine: Engine, identity: Identity, call: Call): Answer {
  const date = new Date(call.now);
  const shards = String(engine.indices().length);
  const row: Record<string, string> = {
    epoch: String(Math.floor(call.now / 1000)),
    timestamp: date.toISOString().slice(11, 19),
    cluster: identity.clusterName,
    status: 'green',
    'node.total': '1',
    'node.data': '1',
    shards,
    pri: shards,
    relo: '0',
    init: '0',
    unassign: '0',
    pending_tasks: '0',
    max_task_wait_time: '-',
    active_shards_percent: '100.0%',
  };
  const ts = flagParam(call, 'ts', true);
  const columns: Column[] = [
    { name: 'epoch', aliases: ['t', 'time'], description: 'seconds since 1970-01-01 00:00:00', shown: ts },
    { name: 'timestamp', aliases: ['ts', 'hms', 'hhmmss'], description: 'time in HH:MM:SS', shown: ts },
    { name: 'cluster', aliases: ['cl'], description: 'cluster name' },
    { name: 'status', aliases: ['st'], description: 'health status' },
    { name: 'node.total', aliases: ['nt', 'nodeTotal'], description: 'total number of nodes', right: true },
    { name: 'node.data', aliases: ['nd', 'nodeData'], description: 'number of nodes that can store data', right: true },
    {
      name: 'shards',
      aliases: ['t', 'sh', 'shards.total', 'shardsTotal'],
      description: 'total number of shards',
      right: true,
    },
    {
      name: 'pri',
      aliases: ['p', 'shards.primary', 'shardsPrimary'],
      description: 'number of primary shards',
      right: true,
    },
    {
      name: 'relo',
      aliases: ['r', 'shards.relocating', 'shardsRelocating'],
      description: 'number of relocating nodes',
      right: true,
    },
    {
      name: 'init',
      aliases: ['i', 'shards.initializing', 'shardsInitializing'],
      description: 'number of initializing nodes',
      right: true,
    },
    {
      name: 'unassign',
      aliases: ['u', 'shards.unassigned', 'shardsUnassigned'],
      description: 'number of unassigned shards',
      right: true,
    },
    { name: 'pending_tasks', aliases: ['pt', 'pendingTasks'], description: 'number of pending tasks', right: true },
    {
      name: 'max_task_wait_time',
      aliases: ['mtwt', 'maxTaskWaitTime'],
      description: 'wait time of longest task pending',
      right: true,
    },
    {
      name: 'active_shards_percent',
      aliases: ['asp', 'activeShardsPercent'],
      description: 'active number of shards in percent',
      right: true,
    },
  ];
  return catTable(call, columns, [row]);
}

/** `GET /_cat/count[/{index}]`. */
export function catCount(engine: Engine, call: Call): Answer {
  const total = openIndicesOf(engine, call).reduce((sum, { index }) => sum + countOf(index), 0);
  return catTable(
    call,
    [
      { name: 'epoch', aliases: ['t', 'time'], description: 'seconds since 1970-01-01 00:00:00' },
      { name: 'timestamp', aliases: ['ts', 'hms', 'hhmmss'], description: 'time in HH:MM:SS' },
      { name: 'count', aliases: ['dc', 'docs.count', 'docsCount'], description: 'the document count' },
    ],
    [
      {
        epoch: String(Math.floor(call.now / 1000)),
        timestamp: new Date(call.now).toISOString().slice(11, 19),
        count: String(total),
      },
    ],
  );
}

/** `GET /_cat/aliases[/{name}]`. */
export function catAliases(engine: Engine, call: Call): Answer {
  const patterns = call.path['name']?.split(',');
  const rows = engine.indices().flatMap((index) =>
    Object.entries(aliasesOf(index))
      .filter(([name]) => patterns === undefined || patterns.some((pattern) => globMatches(pattern, name)))
      .map(([alias, body]: [string, Json]) => ({
        alias,
        index: index.name,
        filter: isObject(body['filter']) ? '*' : '-',
        'routing.index': typeof body['index_routing'] === 'string' ? body['index_routing'] : '-',
        'routing.search': typeof body['search_routing'] === 'string' ? body['search_routing'] : '-',
        is_write_index: body['is_write_index'] === undefined ? '-' : String(body['is_write_index'] === true),
      })),
  );
  return catTable(
    call,
    [
      { name: 'alias', aliases: ['a'], description: 'alias name' },
      { name: 'index', aliases: ['i', 'idx'], description: 'index alias points to' },
      { name: 'filter', aliases: ['f', 'fi'], description: 'filter' },
      { name: 'routing.index', aliases: ['ri', 'routingIndex'], description: 'index routing' },
      { name: 'routing.search', aliases: ['rs', 'routingSearch'], description: 'search routing' },
      { name: 'is_write_index', aliases: ['w', 'isWriteIndex'], description: 'write index' },
    ],
    rows,
  );
}
