// The `_cat` tables: what there is, for people and shell scripts. How a table is printed is in cat-table.ts.
import { bytesCell, catTable, numberColumn, type Row, timeCell, wordColumn } from './cat-table.ts';
import { statCells, statColumns } from './cat-number-columns.ts';
import { syncId } from '../indices/index-counters.ts';
import { statsOf } from '../indices/index-stats.ts';
import { nodeIndexNumbers, SHARD_PATH, shardNumbers } from '../indices/stats-handlers.ts';
import { colourOf, primariesOf, replicasOf, worstOf } from '../request/active-shards.ts';
import { machineOf, percentOf } from './machine.ts';
import { readKind } from '../indices/composable-templates.ts';
import { redIndices } from '../request/red-indices.ts';
import { indicesOf, openIndicesOf } from '../request/index-names.ts';
import { aliasesOf } from '../request/resolve-indices.ts';
import { checkIsOpen, isClosed } from '../request/index-state.ts';
import { type Answer, type Call, flagParam, param } from '../request/request.ts';
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
export function catIndices(call: Call): Answer {
  const { engine } = call;
  const status = param(call, 'health');
  if (status !== undefined && !['green', 'yellow', 'red'].includes(status.toLowerCase()))
    throw illegalArgument(`unknown cluster health status [${status}]`);
  const served = indicesOf(call, undefined, 'open,closed', true).map(({ index }) => ({
    health: colourOf(index),
    status: isClosed(index) ? 'close' : 'open',
    index: index.name,
    uuid: index.uuid,
    pri: String(primariesOf(index)),
    rep: String(replicasOf(index)),
    'creation.date': String(index.createdAt),
    'creation.date.string': new Date(index.createdAt).toISOString(),
    'search.throttled': 'false',
    ...(isClosed(index) ? {} : openCells(index, call)),
  }));
  const red = redIndices(engine, call.path['index']).map(({ name, uuid }) => ({
    health: 'red',
    status: 'open',
    index: name,
    uuid: uuid ?? '_na_',
    pri: '1',
    rep: '0',
  }));
  const rows = [...served, ...red].filter(({ health }) => status === undefined || health === status.toLowerCase());
  return catTable(call, INDEX_COLUMNS, rows);
}

/** The cells of an index that can be read. */
function openCells(index: Index, call: Call): Row {
  const stats = index.stats();
  const size = bytesCell(stats.bytes);
  // Under a view even a number of changes would reveal hidden documents.
  const lag = call.request.view?.(index.name) === undefined ? call.request.lagOf?.(index.name) : undefined;
  const numbers = { ...statCells(statsOf(index, call)), 'memory.total': bytesCell(stats.contentBytes) };
  return {
    'docs.count': String(countOf(index)),
    'docs.deleted': String(stats.deleted),
    'store.size': size,
    'pri.store.size': size,
    ...numbers,
    ...Object.fromEntries(Object.entries(numbers).map(([name, cell]) => [`pri.${name}`, cell])),
    'feed.lag': lag === undefined ? null : String(lag),
  };
}

const INDEX_COLUMNS = [
  wordColumn('health', ['h'], 'current health status'),
  wordColumn('status', ['s'], 'open/close status'),
  wordColumn('index', ['i', 'idx'], 'index name'),
  wordColumn('uuid', ['id', 'uuid'], 'index uuid'),
  numberColumn('pri', ['p', 'shards.primary', 'shardsPrimary'], 'number of primary shards'),
  numberColumn('rep', ['r', 'shards.replica', 'shardsReplica'], 'number of replica shards'),
  numberColumn('docs.count', ['dc', 'docsCount'], 'available docs'),
  numberColumn('docs.deleted', ['dd', 'docsDeleted'], 'deleted docs'),
  wordColumn('creation.date', ['cd'], 'index creation date (millisecond value)', false),
  wordColumn('creation.date.string', ['cds'], 'index creation date (as string)', false),
  numberColumn('store.size', ['ss', 'storeSize'], 'store size of primaries & replicas'),
  numberColumn('pri.store.size', [], 'store size of primaries'),
  // Each of the whole index, and of its first copies.
  ...[...statColumns('i'), numberColumn('memory.total', ['tm', 'memoryTotal'], 'total used memory', false)].flatMap(
    (column) => [column, { ...column, name: `pri.${column.name}`, aliases: [] }],
  ),
  wordColumn('search.throttled', ['sth'], 'indicates if the index is search throttled', false),
  numberColumn('feed.lag', ['lag', 'feedLag'], 'changes of the data not searchable yet', false),
];

/** `GET /_cat/health`. */
export function catHealth(call: Call): Answer {
  const {
    engine,
    state: { identity },
  } = call;
  const indices = engine.indices();
  const red = engine.damaged().length;
  const sum = (of: (index: Index) => number): number => indices.reduce((total, index) => total + of(index), 0);
  const started = sum(primariesOf);
  const unassigned = sum((index) => primariesOf(index) * replicasOf(index)) + red;
  const percent = unassigned === 0 ? 100 : (100 * started) / (started + unassigned);
  const row: Record<string, string> = {
    ...momentOf(call),
    cluster: identity.clusterName,
    status: red > 0 || engine.metadataDamage !== undefined ? 'red' : worstOf(indices.map(colourOf)),
    'node.total': '1',
    'node.data': '1',
    shards: String(started),
    pri: String(started),
    relo: '0',
    init: '0',
    unassign: String(unassigned),
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
export async function catCount(call: Call): Promise<Answer> {
  const isQuery = param(call, 'q') !== undefined || (call.request.body?.length ?? 0) > 0;
  const total = isQuery
    ? Number(((await count(call)).json as Json)['count'])
    : openIndicesOf(call).reduce((sum, { index }) => sum + countOf(index), 0);
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

/** `GET /_cat/aliases[/{alias}]`. */
export function catAliases(call: Call): Answer {
  const patterns = call.path['alias']?.split(',');
  const expand = param(call, 'expand_wildcards')?.split(',') ?? ['all'];
  const showsHidden = expand.includes('all') || expand.includes('hidden');
  const rows = indicesOf(call, undefined, 'all').flatMap(({ index }) =>
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

/** Groups of numbers behind those of scripts. */
const LAST_OF_NODES = ['search', 'segments', 'suggest'];

/** `GET /_cat/nodes`. */
export function catNodes(call: Call): Answer {
  const { identity } = call.state;
  const machine = machineOf(call);
  const { heap, memory, disk, load } = machine;
  const address = call.request.headers['host'] ?? '127.0.0.1:9200';
  const usedMemory = memory.total - memory.free;
  const usedDisk = disk.total - disk.available;
  return catTable(
    call,
    [
      wordColumn('id', ['id', 'nodeId'], 'unique node id', false),
      wordColumn('pid', ['p'], 'process id', false),
      wordColumn('ip', ['i'], 'ip address'),
      wordColumn('port', ['po'], 'bound transport port', false),
      wordColumn('http_address', ['http'], 'bound http address', false),
      wordColumn('version', ['v'], 'es version', false),
      wordColumn('flavor', ['f'], 'es distribution flavor', false),
      wordColumn('type', ['t'], 'es distribution type', false),
      wordColumn('build', ['b'], 'es build hash', false),
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
      numberColumn('file_desc.current', ['fdc', 'fileDescriptorCurrent'], 'used file descriptors', false),
      numberColumn('file_desc.percent', ['fdp', 'fileDescriptorPercent'], 'used file descriptor ratio', false),
      numberColumn('file_desc.max', ['fdm', 'fileDescriptorMax'], 'max file descriptors', false),
      numberColumn('cpu', ['cpu'], 'recent cpu usage'),
      numberColumn('load_1m', ['l'], '1m load avg'),
      numberColumn('load_5m', ['l'], '5m load avg'),
      numberColumn('load_15m', ['l'], '15m load avg'),
      numberColumn('uptime', ['u'], 'node uptime', false),
      wordColumn(
        'node.role',
        ['r', 'role', 'nodeRole'],
        'm:master eligible node, d:data node, i:ingest node, -:coordinating node only',
      ),
      wordColumn('master', ['m'], '*:current master'),
      wordColumn('name', ['n'], 'node name'),
      ...statColumns('n', (group) => !LAST_OF_NODES.includes(group)),
      numberColumn('script.compilations', ['scrcc', 'scriptCompilations'], 'script compilations', false),
      numberColumn('script.cache_evictions', ['scrce', 'scriptCacheEvictions'], 'script cache evictions', false),
      numberColumn(
        'script.compilation_limit_triggered',
        ['scrclt', 'scriptCacheCompilationLimitTriggered'],
        'script cache compilation limit triggered',
        false,
      ),
      ...statColumns('n', (group) => LAST_OF_NODES.includes(group)),
    ],
    [
      {
        ...statCells(nodeIndexNumbers(call)),
        'script.compilations': '0',
        'script.cache_evictions': '0',
        'script.compilation_limit_triggered': '0',
        id: NODE,
        pid: String(process.pid),
        ip: '127.0.0.1',
        port: address.slice(address.lastIndexOf(':') + 1),
        http_address: address,
        flavor: 'default',
        type: 'npm',
        build: 'unknown',
        'file_desc.current': '-1',
        'file_desc.percent': '0',
        'file_desc.max': '-1',
        version: identity.version,
        jdk: process.versions.node,
        'disk.total': bytesCell(disk.total),
        'disk.used': bytesCell(usedDisk),
        'disk.avail': bytesCell(disk.available),
        'disk.used_percent': disk.total === 0 ? '0' : ((100 * usedDisk) / disk.total).toFixed(2),
        'heap.current': bytesCell(heap.used),
        'heap.percent': String(percentOf(heap.used, heap.max)),
        'heap.max': bytesCell(heap.max),
        'ram.current': bytesCell(usedMemory),
        'ram.percent': String(percentOf(usedMemory, memory.total)),
        'ram.max': bytesCell(memory.total),
        cpu: String(machine.cpu),
        load_1m: load[0].toFixed(2),
        load_5m: load[1].toFixed(2),
        load_15m: load[2].toFixed(2),
        uptime: timeCell(Math.floor(machine.uptime)),
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
      wordColumn('ip', [], 'ip address '),
      wordColumn('node', ['n'], 'node name'),
    ],
    [{ id: NODE, host: '127.0.0.1', ip: '127.0.0.1', node: NODE }],
  );
}

/** `GET /_cat/shards[/{index}]`: those that an index was asked to have, and the copies of them that there is no node for. */
export function catShards(call: Call): Answer {
  const { engine } = call;
  const served = indicesOf(call, undefined, 'all', true).flatMap(({ index }) => {
    // By a wildcard closed indices are listed, too; a caller who names one wants to read it.
    if (isClosed(index) && call.path['index']?.split(',').includes(index.name) === true) checkIsOpen(index);
    const { docs, bytes } = index.stats();
    const shard = {
      index: index.name,
      shard: '0',
      prirep: 'p',
      state: 'STARTED',
      ...(isClosed(index)
        ? {}
        : { docs: String(docs), store: bytesCell(bytes), ...statCells(shardNumbers(index, call)), ...syncOf(index) }),
      ip: '127.0.0.1',
      id: NODE,
      node: NODE,
      'path.data': SHARD_PATH,
      'path.state': SHARD_PATH,
    };
    const missing = {
      index: index.name,
      shard: '0',
      prirep: 'r',
      state: 'UNASSIGNED',
      'unassigned.reason': 'INDEX_CREATED',
      'unassigned.at': new Date(index.createdAt).toISOString(),
      'unassigned.for': timeCell(Math.max(0, call.now - index.createdAt)),
      'recoverysource.type': 'peer',
    };
    return Array.from({ length: primariesOf(index) }, (_, number) => [
      number === 0 ? shard : { ...shard, ...EMPTY, shard: String(number) },
      ...Array.from({ length: replicasOf(index) }, () => ({ ...missing, shard: String(number) })),
    ]).flat();
  });
  const red = redIndices(engine, call.path['index']).map(({ name }) => ({
    index: name,
    shard: '0',
    prirep: 'p',
    state: 'UNASSIGNED',
  }));
  return catTable(call, SHARD_COLUMNS, [...served, ...red]);
}

/** Of the shards besides the first one, which has all documents. */
const EMPTY: Row = { docs: '0', store: bytesCell(0), ...statCells({}) };

function syncOf(index: Index): Row {
  return { sync_id: syncId(index) };
}

const SHARD_COLUMNS = [
  wordColumn('index', ['i', 'idx'], 'index name'),
  wordColumn('shard', ['s', 'sh'], 'shard name'),
  wordColumn('prirep', ['p', 'pr', 'primaryOrReplica'], 'primary or replica'),
  wordColumn('state', ['st'], 'shard state'),
  numberColumn('docs', ['d', 'dc'], 'number of docs in shard'),
  numberColumn('store', ['sto'], 'store size of shard (how much disk it uses)'),
  wordColumn('ip', [], 'ip of node where it lives'),
  wordColumn('id', [], 'unique id of node where it lives', false),
  wordColumn('node', ['n'], 'name of node where it lives'),
  wordColumn('sync_id', ['sync_id'], 'sync id', false),
  wordColumn('unassigned.reason', ['ur'], 'reason shard is unassigned', false),
  wordColumn('unassigned.at', ['ua'], 'time shard became unassigned (UTC)', false),
  numberColumn('unassigned.for', ['uf'], 'time has been unassigned', false),
  wordColumn('unassigned.details', ['ud'], 'additional details as to why the shard became unassigned', false),
  wordColumn('recoverysource.type', ['rs'], 'recovery source type', false),
  ...statColumns('s'),
  wordColumn('path.data', ['pd', 'dataPath'], 'shard data path', false),
  wordColumn('path.state', ['ps', 'statsPath'], 'shard state path', false),
];

/** `GET /_cat/templates[/{name}]`. */
export function catTemplates(call: Call): Answer {
  const { engine } = call;
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
      composed_of: list(template.composed_of ?? []),
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
