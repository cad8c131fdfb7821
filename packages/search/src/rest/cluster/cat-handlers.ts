// The `_cat` tables: what there is, for people and shell scripts. How a table is printed is in cat-table.ts.
import type { Identity } from './identity.ts';
import { catTable, numberColumn, printBytes, wordColumn } from './cat-table.ts';
import { machineOf, percentOf } from './machine.ts';
import { readKind } from '../indices/composable-templates.ts';
import { redIndices } from '../request/red-indices.ts';
import { aliasesOf, indicesOf, openIndicesOf } from '../request/index-names.ts';
import { isClosed } from '../request/index-state.ts';
import { type Answer, type Call, flagParam, param } from '../request/request.ts';
import { NODE } from '../request/tasks.ts';
import { readTemplates } from '../indices/templates.ts';
import { globMatches } from '../../glob.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { isObject, type Json } from '../../json.ts';
import { illegalArgument } from '../../request-error.ts';

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
export function catIndices(engine: Engine, call: Call): Answer {
  const status = param(call, 'health');
  if (status !== undefined && !['green', 'yellow', 'red'].includes(status.toLowerCase()))
    throw illegalArgument(`unknown cluster health status [${status}]`);
  const served = indicesOf(engine, call, undefined, 'all', true).map(({ index }) => {
    const stats = index.stats();
    const size = printBytes(stats.bytes, call);
    // Under a view even a number of changes would reveal hidden documents.
    const lag = call.request.view?.(index.name) === undefined ? call.request.lagOf?.(index.name) : undefined;
    return {
      health: index.damage === undefined ? 'green' : 'red',
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
  const red = redIndices(engine, call.path['index']).map(({ name, uuid }) => ({
    health: 'red',
    status: 'open',
    index: name,
    uuid: uuid ?? '_na_',
    pri: '1',
    rep: '0',
  }));
  const rows = [...served, ...red].filter(({ health }) => status === undefined || health === status.toLowerCase());
  return catTable(
    call,
    [
      wordColumn('health', ['h'], 'current health status'),
      wordColumn('status', ['s'], 'open/close status'),
      wordColumn('index', ['i', 'idx'], 'index name'),
      wordColumn('uuid', ['id'], 'index uuid'),
      numberColumn('pri', ['p', 'shards.primary', 'shardsPrimary'], 'number of primary shards'),
      numberColumn('rep', ['r', 'shards.replica', 'shardsReplica'], 'number of replica shards'),
      numberColumn('docs.count', ['dc', 'docsCount'], 'available docs'),
      numberColumn('docs.deleted', ['dd', 'docsDeleted'], 'deleted docs'),
      wordColumn('creation.date', ['cd'], 'index creation date (millisecond value)', false),
      wordColumn('creation.date.string', ['cds'], 'index creation date (as string)', false),
      numberColumn('store.size', ['ss', 'storeSize'], 'store size of primaries & replicas'),
      numberColumn('pri.store.size', [], 'store size of primaries'),
      numberColumn('feed.lag', ['lag', 'feedLag'], 'changes of the data not searchable yet', false),
    ],
    rows,
  );
}

/** `GET /_cat/health`. */
export function catHealth(engine: Engine, identity: Identity, call: Call): Answer {
  const shards = String(engine.indices().length);
  const red = engine.damaged().length;
  const percent = red === 0 ? 100 : (100 * engine.indices().length) / (engine.indices().length + red);
  const row: Record<string, string> = {
    ...momentOf(call),
    cluster: identity.clusterName,
    status:
      red > 0 || engine.metadataDamage !== undefined || engine.indices().some((index) => index.damage !== undefined)
        ? 'red'
        : 'green',
    'node.total': '1',
    'node.data': '1',
    shards,
    pri: shards,
    relo: '0',
    init: '0',
    unassign: String(red),
    pending_tasks: '0',
    max_task_wait_time: '-',
    active_shards_percent: `${percent.toFixed(1)}%`,
  };
  const ts = flagParam(call, 'ts', true);
  const columns = [
    wordColumn('epoch', ['t', 'time'], 'seconds since 1970-01-01 00:00:00', ts),
    wordColumn('timestamp', ['ts', 'hms', 'hhmmss'], 'time in HH:MM:SS', ts),
    wordColumn('cluster', ['cl'], 'cluster name'),
    wordColumn('status', ['st'], 'health status'),
    numberColumn('node.total', ['nt', 'nodeTotal'], 'total number of nodes'),
    numberColumn('node.data', ['nd', 'nodeData'], 'number of nodes that can store data'),
    numberColumn('shards', ['t', 'sh', 'shards.total', 'shardsTotal'], 'total number of shards'),
    numberColumn('pri', ['p', 'shards.primary', 'shardsPrimary'], 'number of primary shards'),
    numberColumn('relo', ['r', 'shards.relocating', 'shardsRelocating'], 'number of relocating nodes'),
    numberColumn('init', ['i', 'shards.initializing', 'shardsInitializing'], 'number of initializing nodes'),
    numberColumn('unassign', ['u', 'shards.unassigned', 'shardsUnassigned'], 'number of unassigned shards'),
    numberColumn('pending_tasks', ['pt', 'pendingTasks'], 'number of pending tasks'),
    numberColumn('max_task_wait_time', ['mtwt', 'maxTaskWaitTime'], 'wait time of longest task pending'),
    numberColumn('active_shards_percent', ['asp', 'activeShardsPercent'], 'active number of shards in percent'),
  ];
  return catTable(call, columns, [row]);
}

/** `GET /_cat/count[/{index}]`. */
export function catCount(engine: Engine, call: Call): Answer {
  const total = openIndicesOf(engine, call).reduce((sum, { index }) => sum + countOf(index), 0);
  return catTable(
    call,
    [
      wordColumn('epoch', ['t', 'time'], 'seconds since 1970-01-01 00:00:00'),
      wordColumn('timestamp', ['ts', 'hms', 'hhmmss'], 'time in HH:MM:SS'),
      wordColumn('count', ['dc', 'docs.count', 'docsCount'], 'the document count'),
    ],
    [
      {
        ...momentOf(call),
        count: String(total),
      },
    ],
  );
}

/** `GET /_cat/aliases[/{name}]`. */
export function catAliases(engine: Engine, call: Call): Answer {
  const patterns = call.path['name']?.split(',');
  const expand = param(call, 'expand_wildcards')?.split(',') ?? ['all'];
  const showsHidden = expand.includes('all') || expand.includes('hidden');
  const rows = engine.indices().flatMap((index) =>
    Object.entries(aliasesOf(index))
      .filter(([name, body]) => showsHidden || body['is_hidden'] !== true || patterns?.includes(name) === true)
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
      wordColumn('alias', ['a'], 'alias name'),
      wordColumn('index', ['i', 'idx'], 'index alias points to'),
      wordColumn('filter', ['f', 'fi'], 'filter'),
      wordColumn('routing.index', ['ri', 'routingIndex'], 'index routing'),
      wordColumn('routing.search', ['rs', 'routingSearch'], 'search routing'),
      wordColumn('is_write_index', ['w', 'isWriteIndex'], 'write index'),
    ],
    rows,
  );
}

/** `GET /_cat/nodes`. */
export function catNodes(identity: Identity, call: Call): Answer {
  const machine = machineOf(call);
  const { heap, memory, disk, load } = machine;
  const bytes = (value: number): string => printBytes(value, call);
  const usedMemory = memory.total - memory.free;
  const usedDisk = disk.total - disk.free;
  return catTable(
    call,
    [
      wordColumn('id', ['id', 'nodeId'], 'unique node id', false),
      numberColumn('pid', ['p'], 'process id', false),
      wordColumn('ip', ['i'], 'ip address'),
      wordColumn('version', ['v'], 'es version', false),
      wordColumn('jdk', ['j'], 'jdk version', false),
      numberColumn('disk.total', ['dt', 'diskTotal'], 'total disk space', false),
      numberColumn('disk.used', ['du', 'diskUsed'], 'used disk space', false),
      numberColumn('disk.avail', ['d', 'da', 'disk', 'diskAvail'], 'available disk space', false),
      numberColumn('disk.used_percent', ['dup', 'diskUsedPercent'], 'used disk space percentage', false),
      numberColumn('heap.current', ['hc', 'heapCurrent'], 'used heap', false),
      numberColumn('heap.percent', ['hp', 'heapPercent'], 'used heap ratio'),
      numberColumn('heap.max', ['hm', 'heapMax'], 'max configured heap', false),
      numberColumn('ram.current', ['rc', 'ramCurrent'], 'used machine memory', false),
      numberColumn('ram.percent', ['rp', 'ramPercent'], 'used machine memory ratio'),
      numberColumn('ram.max', ['rm', 'ramMax'], 'total machine memory', false),
      numberColumn('cpu', ['cpu'], 'recent cpu usage'),
      numberColumn('load_1m', ['l'], '1m load avg'),
      numberColumn('load_5m', ['l'], '5m load avg'),
      numberColumn('load_15m', ['l'], '15m load avg'),
      numberColumn('uptime', ['u'], 'node uptime', false),
      wordColumn('node.role', ['r', 'role', 'nodeRole'], 'm:master eligible node, d:data node, i:ingest node'),
      wordColumn('master', ['m'], '*:current master'),
      wordColumn('name', ['n'], 'node name'),
    ],
    [
      {
        id: NODE,
        pid: String(process.pid),
        ip: '127.0.0.1',
        version: identity.version,
        jdk: process.versions.node,
        'disk.total': bytes(disk.total),
        'disk.used': bytes(usedDisk),
        'disk.avail': bytes(disk.available),
        'disk.used_percent': disk.total === 0 ? '0' : ((100 * usedDisk) / disk.total).toFixed(2),
        'heap.current': bytes(heap.used),
        'heap.percent': String(percentOf(heap.used, heap.max)),
        'heap.max': bytes(heap.max),
        'ram.current': bytes(usedMemory),
        'ram.percent': String(percentOf(usedMemory, memory.total)),
        'ram.max': bytes(memory.total),
        cpu: String(machine.cpu),
        load_1m: load[0].toFixed(2),
        load_5m: load[1].toFixed(2),
        load_15m: load[2].toFixed(2),
        uptime: `${Math.floor(machine.uptime / 1000)}s`,
        'node.role': 'dim',
        master: '*',
        name: NODE,
      },
    ],
  );
}

/** `GET /_cat/master`. */
export function catMaster(call: Call): Answer {
  return catTable(
    call,
    [
      wordColumn('id', [], 'node id'),
      wordColumn('host', ['h'], 'host name'),
      wordColumn('ip', [], 'ip address'),
      wordColumn('node', ['n'], 'node name'),
    ],
    [{ id: NODE, host: '127.0.0.1', ip: '127.0.0.1', node: NODE }],
  );
}

/** `GET /_cat/shards[/{index}]`: one an index. */
export function catShards(engine: Engine, call: Call): Answer {
  const served = indicesOf(engine, call, undefined, 'all', true).map(({ index }) => {
    const { docs, bytes } = index.stats();
    const closed = isClosed(index);
    return {
      index: index.name,
      shard: '0',
      prirep: 'p',
      state: 'STARTED',
      docs: closed ? null : String(docs),
      store: closed ? null : printBytes(bytes, call),
      ip: '127.0.0.1',
      node: NODE,
    };
  });
  const red = redIndices(engine, call.path['index']).map(({ name }) => ({
    index: name,
    shard: '0',
    prirep: 'p',
    state: 'UNASSIGNED',
  }));
  const rows = [...served, ...red];
  return catTable(
    call,
    [
      wordColumn('index', ['i', 'idx'], 'index name'),
      numberColumn('shard', ['s', 'sh'], 'shard name'),
      wordColumn('prirep', ['p', 'pr', 'primaryOrReplica'], 'primary or replica'),
      wordColumn('state', ['st'], 'shard state'),
      numberColumn('docs', ['d', 'dc'], 'number of docs in shard'),
      numberColumn('store', ['sto'], 'store size of shard (how much disk it uses)'),
      wordColumn('ip', [], 'ip of node where it lives'),
      wordColumn('node', ['n'], 'name of node where it lives'),
    ],
    rows,
  );
}

/** `GET /_cat/templates[/{name}]`. */
export function catTemplates(engine: Engine, call: Call): Answer {
  const wanted = call.path['name']?.split(',') ?? ['*'];
  const list = (patterns: readonly string[]): string => `[${patterns.join(', ')}]`;
  const rows = [
    ...Object.entries(readTemplates(engine)).map(([name, { patterns, order, version }]) => ({
      name,
      index_patterns: list(patterns),
      order: String(order),
      version: version === undefined ? null : String(version),
      composed_of: '',
    })),
    ...Object.entries(readKind(engine, 'indexTemplates')).map(([name, template]) => ({
      name,
      index_patterns: list(template.index_patterns),
      order: String(template.priority ?? 0),
      version: template.version === undefined ? null : String(template.version),
      composed_of: list(template.composed_of),
    })),
  ].filter(({ name }) => wanted.some((pattern) => globMatches(pattern, name)));
  return catTable(
    call,
    [
      wordColumn('name', ['n'], 'template name'),
      wordColumn('index_patterns', ['t'], 'template index patterns'),
      wordColumn('order', ['o', 'p'], 'template application order/priority number'),
      wordColumn('version', ['v'], 'version'),
      wordColumn('composed_of', ['c'], 'component templates comprising index template'),
    ],
    rows,
  );
}
