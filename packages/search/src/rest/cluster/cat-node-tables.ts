// The `_cat` tables that tools ask for and that say little of one node: its plugins, threads, waiting tasks and attributes, of which there
// are none to tell, and how indices lie on it.
import type { Index } from '../../engine/engine-api.ts';
import { isClosed } from '../request/index-state.ts';
import { primariesOf, replicasOf } from '../request/active-shards.ts';
import { globMatches } from '../../text/glob.ts';
import { fieldMemory } from '../indices/field-memory.ts';
import { indicesOf, openIndicesOf } from '../request/index-names.ts';
import { type Answer, type Call, flagParam, listParam, param } from '../request/request.ts';
import { NODE } from '../request/tasks.ts';
import { isObject } from '../../json/json.ts';
import { illegalArgument } from '../../errors/request-error.ts';

import { bytesCell, catTable, numberColumn, timeCell, wordColumn } from './cat-table.ts';
import { machineOf, percentOf } from './machine.ts';

const PLACE = [
  wordColumn('host', ['h'], 'host of node'),
  wordColumn('ip', [], 'ip of node'),
  wordColumn('node', ['n'], 'name of node'),
];
const HERE = { host: '127.0.0.1', ip: '127.0.0.1', node: NODE };

/** `GET /_cat/allocation[/{node_id}]`. */
export function catAllocation(call: Call): Answer {
  const { engine } = call;
  const wanted = call.path['node_id']?.split(',');
  const isMeant =
    wanted === undefined ||
    wanted.some((name) => ['_all', '_local', '_master', '127.0.0.1'].includes(name) || globMatches(name, NODE));
  const indices = engine.indices();
  const sum = (of: (index: Index) => number): number => indices.reduce((total, index) => total + of(index), 0);
  const bytes = sum((index) => index.stats().bytes);
  const missing = sum((index) => primariesOf(index) * replicasOf(index));
  const { disk } = machineOf(call);
  return catTable(
    call,
    [
      numberColumn('shards', ['s'], 'number of shards on node'),
      numberColumn('disk.indices', ['di', 'diskIndices'], 'disk used by ES indices'),
      numberColumn('disk.used', ['du', 'diskUsed'], 'disk used (total, not just ES)'),
      numberColumn('disk.avail', ['da', 'diskAvail'], 'disk available'),
      numberColumn('disk.total', ['dt', 'diskTotal'], 'total capacity of all volumes'),
      numberColumn('disk.percent', ['dp', 'diskPercent'], 'percent disk used'),
      ...PLACE,
    ],
    [
      ...(isMeant
        ? [
            {
              shards: String(sum(primariesOf)),
              'disk.indices': bytesCell(bytes),
              'disk.used': bytesCell(disk.total - disk.available),
              'disk.avail': bytesCell(disk.available),
              'disk.total': bytesCell(disk.total),
              'disk.percent': String(percentOf(disk.total - disk.available, disk.total)),
              ...HERE,
            },
          ]
        : []),
      ...(missing === 0 ? [] : [{ shards: String(missing), node: 'UNASSIGNED' }]),
    ],
  );
}

/** `GET /_cat/fielddata[/{fields}]`. */
export function catFielddata(call: Call): Answer {
  const patterns = call.path['fields']?.split(',') ?? listParam(call, 'fields') ?? ['*'];
  const sizes = new Map<string, number>();
  for (const { index } of openIndicesOf(call, '_all'))
    for (const [field, bytes] of fieldMemory(index).fielddata)
      if (patterns.some((pattern) => globMatches(pattern, field))) sizes.set(field, (sizes.get(field) ?? 0) + bytes);
  return catTable(
    call,
    [
      wordColumn('id', [], 'node id'),
      wordColumn('host', ['h'], 'host name'),
      wordColumn('ip', [], 'ip address'),
      wordColumn('node', ['n'], 'node name'),
      wordColumn('field', ['f'], 'field name'),
      numberColumn('size', ['s'], 'field data usage'),
    ],
    [...sizes].map(([field, bytes]) => ({ id: NODE, ...HERE, field, size: bytesCell(bytes) })),
  );
}

/** `GET /_cat/nodeattrs`: a node has none. */
export function catNodeAttributes(call: Call): Answer {
  return catTable(
    call,
    [
      wordColumn('node', ['name'], 'node name'),
      wordColumn('id', ['id', 'nodeId'], 'unique node id', false),
      wordColumn('pid', ['p'], 'process id', false),
      wordColumn('host', ['h'], 'host name'),
      wordColumn('ip', ['i'], 'ip address'),
      numberColumn('port', ['po'], 'bound transport port', false),
      wordColumn('attr', ['attr.name'], 'attribute description'),
      wordColumn('value', ['attr.value'], 'attribute value'),
    ],
    [],
  );
}

/** `GET /_cat/pending_tasks`: always empty. */
export function catPendingTasks(call: Call): Answer {
  return catTable(
    call,
    [
      numberColumn('insertOrder', ['o'], 'task insertion order'),
      numberColumn('timeInQueue', ['t'], 'how long task has been in queue'),
      wordColumn('priority', ['p'], 'task priority'),
      wordColumn('source', ['s'], 'task source'),
    ],
    [],
  );
}

/** `GET /_cat/plugins`: there are none. */
export function catPlugins(call: Call): Answer {
  return catTable(
    call,
    [
      wordColumn('id', [], 'unique node id', false),
      wordColumn('name', ['n'], 'node name'),
      wordColumn('component', ['c'], 'component'),
      wordColumn('version', ['v'], 'component version'),
      wordColumn('description', ['d'], 'plugin details', false),
    ],
    [],
  );
}

/** `GET /_cat/repositories`: there are none. */
export function catRepositories(call: Call): Answer {
  return catTable(
    call,
    [wordColumn('id', ['id', 'repoId'], 'unique repository id'), wordColumn('type', ['t', 'type'], 'repository type')],
    [],
  );
}

const FEW = { type: 'scaling', core: '1', max: '5', keep_alive: '5m' };
const FIXED = { type: 'fixed', size: '1' };

/** Those that Elasticsearch has, with the width of their queues where it is limited. */
const POOLS: Readonly<Record<string, { readonly queue?: number } & Readonly<Record<string, string | number>>>> = {
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
export function catThreadPool(call: Call): Answer {
  const wanted = call.path['thread_pools']?.split(',') ?? ['*'];
  const address = addressOf(call);
  const zero = { active: '0', pool_size: '0', queue: '0', rejected: '0', largest: '0', completed: '0' };
  return catTable(
    call,
    [
      wordColumn('node_name', ['nn'], 'node name'),
      wordColumn('node_id', ['id'], 'persistent node id', false),
      wordColumn('ephemeral_node_id', ['eid'], 'ephemeral node id', false),
      wordColumn('pid', ['p'], 'process id', false),
      wordColumn('host', ['h'], 'host name', false),
      wordColumn('ip', ['i'], 'ip address', false),
      wordColumn('port', ['po'], 'bound transport port', false),
      wordColumn('name', ['n'], 'thread pool name'),
      wordColumn('type', ['t'], 'thread pool type', false),
      numberColumn('active', ['a'], 'number of active threads'),
      numberColumn('pool_size', ['psz'], 'number of threads', false),
      numberColumn('queue', ['q'], 'number of tasks currently in queue'),
      numberColumn('queue_size', ['qs'], 'maximum number of tasks permitted in queue', false),
      numberColumn('rejected', ['r'], 'number of rejected tasks'),
      numberColumn('largest', ['l'], 'highest number of seen active threads', false),
      numberColumn('completed', ['c'], 'number of completed tasks', false),
      numberColumn('core', ['cr'], 'core number of threads in a scaling thread pool', false),
      numberColumn('max', ['mx'], 'maximum number of threads in a scaling thread pool', false),
      numberColumn('size', ['sz'], 'number of threads in a fixed thread pool', false),
      numberColumn('keep_alive', ['ka'], 'thread keep alive time', false),
    ],
    Object.entries(POOLS)
      .filter(([name]) => wanted.some((pattern) => globMatches(pattern, name)))
      .map(([name, { queue = -1, ...pool }]) => ({
        node_name: NODE,
        node_id: NODE,
        ephemeral_node_id: NODE,
        pid: String(process.pid),
        host: '127.0.0.1',
        ip: '127.0.0.1',
        port: portOf(address),
        name,
        ...Object.fromEntries(Object.entries(pool).map(([key, value]) => [key, String(value)])),
        ...zero,
        queue_size: String(queue),
      })),
  );
}

/** Where the caller reached the node. */
function addressOf(call: Call): string {
  return call.request.headers['host'] ?? '127.0.0.1:9200';
}

function portOf(address: string): string {
  return address.slice(address.lastIndexOf(':') + 1);
}

/** `GET /_cat/tasks`: this request, and those that go on after they were answered. */
export async function catTasks(call: Call): Promise<Answer> {
  const {
    state: { identity, tasks },
  } = call;
  const { json } = await tasks.list({ ...call, request: { ...call.request, query: withoutGroups(call) } });
  const running: readonly unknown[] = isObject(json) && Array.isArray(json['tasks']) ? json['tasks'] : [];
  const own = {
    id: 0,
    type: 'transport',
    action: 'cluster:monitor/tasks/lists',
    start_time_in_millis: call.now,
    running_time_in_nanos: 0,
  };
  const actions = listParam(call, 'actions') ?? ['*'];
  const all = actions.some((pattern) => globMatches(pattern, own.action)) ? [own, ...running] : running;
  return catTable(
    call,
    [
      wordColumn('id', [], 'id of the task with the node', false),
      wordColumn('action', ['ac'], 'task action'),
      wordColumn('task_id', ['ti'], 'unique task id'),
      wordColumn('parent_task_id', ['pti'], 'parent task id'),
      wordColumn('type', ['ty'], 'task type'),
      wordColumn('start_time', ['start'], 'start time in ms'),
      wordColumn('timestamp', ['ts', 'hms', 'hhmmss'], 'start time in HH:MM:SS'),
      wordColumn('running_time_ns', ['time'], 'running time ns', false),
      wordColumn('running_time', ['time'], 'running time'),
      wordColumn('node_id', ['ni'], 'unique node id', false),
      wordColumn('ip', ['i'], 'ip address'),
      wordColumn('port', ['po'], 'bound transport port', false),
      wordColumn('node', ['n'], 'node name'),
      wordColumn('version', ['v'], 'es version', false),
      wordColumn('x_opaque_id', ['x'], 'X-Opaque-ID header', false),
      ...(flagParam(call, 'detailed') ? [wordColumn('description', ['desc'], 'task action')] : []),
    ],
    all.filter(isObject).map((task) => {
      const started = Number(task['start_time_in_millis']);
      const nanos = Number(task['running_time_in_nanos']);
      return {
        id: String(task['id']),
        action: String(task['action']),
        task_id: `${NODE}:${String(task['id'])}`,
        parent_task_id: '-',
        type: String(task['type']),
        start_time: String(started),
        timestamp: new Date(started).toISOString().slice(11, 19),
        running_time_ns: String(Math.round(nanos)),
        running_time: timeCell(nanos / 1e6),
        node_id: NODE,
        ip: '127.0.0.1',
        port: portOf(addressOf(call)),
        node: NODE,
        version: identity.version,
        description: typeof task['description'] === 'string' ? task['description'] : '',
      };
    }),
  );
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

const SHARD = [wordColumn('index', ['i', 'idx'], 'index name'), wordColumn('shard', ['s', 'sh'], 'shard name')];

/** `GET /_cat/segments[/{index}]`: told as one an index, for their number would reveal hidden documents. */
export function catSegments(call: Call): Answer {
  const rows = openIndicesOf(call)
    .map(({ index }) => ({ index: index.name, stats: index.stats() }))
    .filter(({ stats }) => stats.docs + stats.deleted > 0)
    .map(({ index, stats }) => ({
      index,
      shard: '0',
      prirep: 'p',
      ip: '127.0.0.1',
      id: NODE,
      segment: '_0',
      generation: '0',
      'docs.count': String(stats.docs),
      'docs.deleted': String(stats.deleted),
      size: bytesCell(stats.bytes),
      'size.memory': bytesCell(stats.contentBytes),
      committed: String(stats.translogOperations === 0),
      searchable: 'true',
      version: '8.7.0',
      compound: 'true',
    }));
  return catTable(
    call,
    [
      ...SHARD,
      wordColumn('prirep', ['p', 'pr', 'primaryOrReplica'], 'primary or replica'),
      wordColumn('ip', [], 'ip of node where it lives'),
      wordColumn('id', [], 'unique id of node where it lives', false),
      wordColumn('segment', ['seg'], 'segment name'),
      numberColumn('generation', ['g', 'gen'], 'segment generation'),
      numberColumn('docs.count', ['dc', 'docsCount'], 'number of docs in segment'),
      numberColumn('docs.deleted', ['dd', 'docsDeleted'], 'number of deleted docs in segment'),
      numberColumn('size', ['si'], 'segment size in bytes'),
      numberColumn('size.memory', ['sm', 'sizeMemory'], 'segment memory in bytes'),
      wordColumn('committed', ['ic', 'isCommitted'], 'is segment committed'),
      wordColumn('searchable', ['is', 'isSearchable'], 'is segment searched'),
      wordColumn('version', ['v', 'ver'], 'version'),
      wordColumn('compound', ['ico', 'isCompound'], 'is segment compound'),
    ],
    rows,
  );
}

/** `GET /_cat/recovery[/{index}]`: a shard is opened where it lies. */
export function catRecovery(call: Call): Answer {
  const wanted = listParam(call, 'index')?.join(',');
  const found = indicesOf(call, call.path['index'] ?? wanted, 'all').flatMap(({ index }) =>
    Array.from({ length: primariesOf(index) }, (_, shard) => ({ index, shard })),
  );
  const rows = param(call, 'active_only') === 'true' ? [] : found;
  return catTable(
    call,
    [
      ...SHARD,
      wordColumn('start_time', ['start'], 'recovery start time', false),
      wordColumn('start_time_millis', ['start_millis'], 'recovery start time in epoch milliseconds', false),
      wordColumn('stop_time', ['stop'], 'recovery stop time', false),
      wordColumn('stop_time_millis', ['stop_millis'], 'recovery stop time in epoch milliseconds', false),
      wordColumn('time', ['t', 'ti'], 'recovery time'),
      wordColumn('type', ['ty'], 'recovery type'),
      wordColumn('stage', ['st'], 'recovery stage'),
      wordColumn('source_host', ['shost'], 'source host'),
      wordColumn('source_node', ['snode'], 'source node name'),
      wordColumn('target_host', ['thost'], 'target host'),
      wordColumn('target_node', ['tnode'], 'target node name'),
      wordColumn('repository', ['rep'], 'repository'),
      wordColumn('snapshot', ['snap'], 'snapshot'),
      wordColumn('files', ['f'], 'number of files to recover'),
      wordColumn('files_recovered', ['fr'], 'files recovered'),
      wordColumn('files_percent', ['fp'], 'percent of files recovered'),
      wordColumn('files_total', ['tf'], 'total number of files'),
      wordColumn('bytes', ['b'], 'number of bytes to recover'),
      wordColumn('bytes_recovered', ['br'], 'bytes recovered'),
      wordColumn('bytes_percent', ['bp'], 'percent of bytes recovered'),
      wordColumn('bytes_total', ['tb'], 'total number of bytes'),
      wordColumn('translog_ops', ['to'], 'number of translog ops to recover'),
      wordColumn('translog_ops_recovered', ['tor'], 'translog ops recovered'),
      wordColumn('translog_ops_percent', ['top'], 'percent of translog ops recovered'),
    ],
    rows.map(({ index, shard }) => ({
      index: index.name,
      shard: String(shard),
      start_time: new Date(index.createdAt).toISOString(),
      start_time_millis: String(index.createdAt),
      stop_time: new Date(index.createdAt).toISOString(),
      stop_time_millis: String(index.createdAt),
      time: timeCell(0),
      type: isClosed(index) ? 'existing_store' : 'empty_store',
      stage: 'done',
      source_host: 'n/a',
      source_node: 'n/a',
      target_host: '127.0.0.1',
      target_node: NODE,
      repository: 'n/a',
      snapshot: 'n/a',
      files: '0',
      files_recovered: '0',
      files_percent: '0.0%',
      files_total: '0',
      bytes: '0',
      bytes_recovered: '0',
      bytes_percent: '0.0%',
      bytes_total: '0',
      translog_ops: '0',
      translog_ops_recovered: '0',
      translog_ops_percent: '100.0%',
    })),
  );
}

/** `GET /_cat`: the paths of the tables. @param paths those there are */
export function catHelp(paths: readonly string[]): Answer {
  if (paths.length === 0) throw illegalArgument('there are no tables');
  return { text: `=^.^=\n${paths.map((path) => `${path}\n`).join('')}` };
}
