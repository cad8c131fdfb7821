// The node and the cluster it pretends to be: `GET /`, health, cluster settings, and the `_cat` tables.
import type { SearchState } from './search-handlers.ts';
import { aliasesOf, indicesOf, openIndicesOf } from './index-names.ts';
import { isClosed } from './index-state.ts';
import { type Answer, type Call, flagParam, jsonBody, listParam, param } from './request.ts';
import { globMatches } from '../glob.ts';
import type { Engine, Index } from '../engine/engine-api.ts';
import { asInteger, asObject, checkKeys, isObject, type Json } from '../json.ts';
import { illegalArgument, RequestError, validationError } from '../request-error.ts';
import { flatten, settingsOf } from './index-settings.ts';

/** How the server introduces itself. */
export interface Identity {
  readonly version: string;
  readonly clusterName: string;
}

/** `GET /`. */
export function info(identity: Identity): Answer {
  return {
    json: {
      name: 'lockstitch',
      cluster_name: identity.clusterName,
      cluster_uuid: 'lockstitch-search-000000',
      version: {
        number: identity.version,
        build_flavor: 'default',
        build_type: 'npm',
        build_hash: 'unknown',
        build_date: '2021-01-13T00:42:12.435326Z',
        build_snapshot: false,
        lucene_version: '8.7.0',
        minimum_wire_compatibility_version: '6.8.0',
        minimum_index_compatibility_version: '6.0.0-beta1',
      },
      tagline: 'You Know, for Search',
    },
  };
}

/** `GET /_cluster/health[/{index}]`. */
export function health(engine: Engine, identity: Identity, call: Call): Answer {
  const found =
    call.path['index'] === undefined
      ? engine.indices().map((index) => ({ index }))
      : indicesOf(
          engine,
          {
            ...call,
            request: {
              ...call.request,
              query: new URLSearchParams([...call.request.query, ['ignore_unavailable', 'true']]),
            },
          },
          undefined,
          'all',
        );
  const level = param(call, 'level');
  if (level !== undefined && !['cluster', 'indices', 'shards'].includes(level))
    throw illegalArgument(`level parameter must be one of [cluster] or [indices] or [shards] but was [${level}]`);
  const numbers = found.map(({ index }) => shardsOf(index));
  const sum = (pick: (each: (typeof numbers)[number]) => number): number =>
    numbers.reduce((total, each) => total + pick(each), 0);
  const active = sum((each) => each.active);
  const unassigned = sum((each) => each.unassigned);
  const missing = call.path['index'] !== undefined && found.length === 0 && !call.path['index'].includes('*');
  const waitNodes = param(call, 'wait_for_nodes');
  const impossible = waitNodes !== undefined && !/^(?:(?:>=|ge\(|<=|=)?\s*1\)?|>0|gt\(0\))$/.test(waitNodes);
  const status = missing ? 'red' : unassigned > 0 ? 'yellow' : 'green';
  const waitShards = Number(param(call, 'wait_for_active_shards') ?? 0);
  const tooFew =
    waitShards > active || (param(call, 'wait_for_status')?.toLowerCase() === 'green' && status !== 'green');
  // Nothing that is waited for would come with time: there is one node, and its shards are started at once.
  const timedOut = missing || impossible || tooFew;
  return {
    status: timedOut ? 408 : 200,
    json: {
      cluster_name: identity.clusterName,
      status,
      timed_out: timedOut,
      number_of_nodes: 1,
      number_of_data_nodes: 1,
      active_primary_shards: active,
      active_shards: active,
      relocating_shards: 0,
      initializing_shards: 0,
      unassigned_shards: unassigned,
      delayed_unassigned_shards: 0,
      number_of_pending_tasks: 0,
      number_of_in_flight_fetch: 0,
      task_max_waiting_in_queue_millis: 0,
      active_shards_percent_as_number: unassigned === 0 ? 100 : (100 * active) / (active + unassigned),
      ...(level === 'indices' || level === 'shards'
        ? {
            indices: Object.fromEntries(
              found.map(({ index }, at) => [index.name, healthOf(numbers[at]!, level === 'shards')]),
            ),
          }
        : {}),
    },
  };
}

interface Shards {
  readonly primaries: number;
  readonly replicas: number;
  readonly active: number;
  readonly unassigned: number;
}

/** The shards an index was asked to have. Replicas have no node to be on; those that nobody asked for are not missed. */
function shardsOf(index: Index): Shards {
  const settings = settingsOf(index.definition);
  const primaries = Number(settings['number_of_shards'] ?? 1);
  const replicas = settings['auto_expand_replicas'] === undefined ? Number(settings['number_of_replicas'] ?? 0) : 0;
  return { primaries, replicas, active: primaries, unassigned: primaries * replicas };
}

function healthOf({ primaries, replicas, active, unassigned }: Shards, withShards: boolean): Json {
  const status = unassigned > 0 ? 'yellow' : 'green';
  const counts = { relocating_shards: 0, initializing_shards: 0 };
  const shard = { status, primary_active: true, active_shards: 1, ...counts, unassigned_shards: replicas };
  return {
    status,
    number_of_shards: primaries,
    number_of_replicas: replicas,
    active_primary_shards: active,
    active_shards: active,
    ...counts,
    unassigned_shards: unassigned,
    ...(withShards
      ? { shards: Object.fromEntries(Array.from({ length: primaries }, (_, at) => [String(at), shard])) }
      : {}),
  };
}

const CLUSTER_SETTINGS = [
  'search.max_buckets',
  'action.auto_create_index',
  'action.destructive_requires_name',
  'cluster.routing.allocation.enable',
  'search.max_keep_alive',
  'search.default_search_timeout',
  'search.allow_expensive_queries',
];

/** `PUT /_cluster/settings`: only the limit of buckets does something. */
export function putClusterSettings(state: SearchState, call: Call): Answer {
  // They hold for everybody: who keeps indexes to himself keeps them, too.
  if (call.request.readOnly !== undefined) {
    throw new RequestError(
      'SEARCH_FORBIDDEN',
      'security_exception',
      'The settings of the cluster are those of the server and cannot be changed by requests.',
    );
  }
  const body = asObject(jsonBody(call) ?? {}, 'cluster_settings');
  checkKeys(body, 'cluster_settings', ['persistent', 'transient']);
  const applied: Record<string, unknown> = { persistent: {}, transient: {} };
  if (Object.keys(body).length === 0) throw validationError('no settings to update');
  for (const [group, value] of Object.entries(body)) {
    const flat = flatten(asObject(value, group));
    for (const [key, setting] of flat) {
      if (!CLUSTER_SETTINGS.includes(key)) throw illegalArgument(`${group} setting [${key}], not recognized`);
      if (key === 'search.max_buckets')
        state.maxBuckets = setting === null ? DEFAULT_MAX_BUCKETS : asInteger(setting, key);
    }
    applied[group] = Object.fromEntries(
      flat.filter(([, setting]) => setting !== null).map(([key, setting]) => [key, String(setting)]),
    );
  }
  return { json: { acknowledged: true, ...applied } };
}

/** Elasticsearch's `search.max_buckets`. */
export const DEFAULT_MAX_BUCKETS = 65_535;

/** `GET /_cluster/settings`. */
export function getClusterSettings(state: SearchState): Answer {
  return {
    json: {
      persistent: {},
      transient: state.maxBuckets === DEFAULT_MAX_BUCKETS ? {} : { search: { max_buckets: String(state.maxBuckets) } },
    },
  };
}

interface Column {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly right?: boolean;
  /** Shown without being asked for; true by default. */
  readonly shown?: boolean;
}

/** Prints a `_cat` table: text with aligned columns, or JSON rows. */
function table(
  call: Call,
  columns: readonly Column[],
  rows: readonly Readonly<Record<string, string | null>>[],
): Answer {
  if (flagParam(call, 'help')) {
    const width = Math.max(...columns.map((column) => column.name.length));
    const aliasWidth = Math.max(...columns.map((column) => column.aliases.join(',').length));
    const lines = columns.map(
      (column) =>
        `${column.name.padEnd(width)} | ${(column.aliases.join(',') || '').padEnd(aliasWidth)} | ${column.description} `,
    );
    return { text: `${lines.join('\n')}\n` };
  }
  const wanted = listParam(call, 'h');
  const chosen =
    wanted === undefined
      ? columns.filter((column) => column.shown !== false)
      : wanted.flatMap((name) =>
          columns.filter(
            (column) =>
              column.name === name ||
              column.aliases.includes(name) ||
              (name.includes('*') && globMatches(name, column.name)),
          ),
        );
  const sort = listParam(call, 's') ?? [];
  const sorted = rows.toSorted((a, b) => {
    for (const key of sort) {
      const [name, direction] = key.split(':');
      const column = columns.find((each) => each.name === name || each.aliases.includes(name!));
      if (column === undefined) throw illegalArgument(`Unable to sort by unknown sort key \`${name}\``);
      const x = a[column.name] ?? '';
      const y = b[column.name] ?? '';
      const compared = /^\d+$/.test(x) && /^\d+$/.test(y) ? Number(x) - Number(y) : x < y ? -1 : x > y ? 1 : 0;
      if (compared !== 0) return direction === 'desc' ? -compared : compared;
    }
    return 0;
  });
  const asJson = param(call, 'format') === 'json';
  if (asJson)
    return {
      json: sorted.map((row) => Object.fromEntries(chosen.map((column) => [column.name, row[column.name] ?? null]))),
    };
  const lines = sorted.map((row) => chosen.map((column) => row[column.name] ?? ''));
  if (flagParam(call, 'v')) {
    lines.unshift(
      chosen.map((column) =>
        wanted === undefined
          ? column.name
          : (wanted.find((name) => name === column.name || column.aliases.includes(name)) ?? column.name),
      ),
    );
  }
  if (lines.length === 0) return { text: '' };
  const widths = chosen.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  const text = lines.map((line) =>
    line
      .map((cell, at) => (chosen[at]!.right === true ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join(' '),
  );
  return { text: `${text.join('\n')}\n` };
}

function bytes(value: number): string {
  const units = ['b', 'kb', 'mb', 'gb', 'tb'];
  let amount = value;
  let unit = 0;
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${unit === 0 ? amount : Math.floor(amount * 10) / 10}${units[unit]}`;
}

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
    const size = bytes(stats.bytes);
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
  return table(
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
  return table(call, columns, [row]);
}

/** `GET /_cat/count[/{index}]`. */
export function catCount(engine: Engine, call: Call): Answer {
  const total = openIndicesOf(engine, call).reduce((sum, { index }) => sum + countOf(index), 0);
  return table(
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
  return table(
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

/** `GET /_resolve/index/{name}`. */
export function resolveIndex(engine: Engine, call: Call): Answer {
  const patterns = call.path['name']!.split(',');
  const matches = (name: string): boolean => patterns.some((pattern) => globMatches(pattern, name));
  const wanted = (param(call, 'expand_wildcards') ?? 'open').split(',');
  const reaches = (name: string, closed: boolean): boolean =>
    patterns.includes(name) || wanted.includes('all') || wanted.includes(closed ? 'closed' : 'open');
  const aliases = new Map<string, string[]>();
  const indices = engine.indices().map((index) => {
    const own = Object.keys(aliasesOf(index)).sort();
    for (const alias of own) aliases.set(alias, [...(aliases.get(alias) ?? []), index.name]);
    return { name: index.name, own, closed: isClosed(index) };
  });
  return {
    json: {
      indices: indices
        .filter(({ name, closed }) => matches(name) && reaches(name, closed))
        .map(({ name, own, closed }) => ({
          name,
          ...(own.length === 0 ? {} : { aliases: own }),
          attributes: [closed ? 'closed' : 'open'],
        })),
      aliases: [...aliases]
        .filter(([name]) => matches(name))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, found]) => ({ name, indices: found })),
      data_streams: [],
    },
  };
}
