// The one node as Elasticsearch's clients and tools ask for it: `_nodes`, where clients look for addresses, and its numbers.
import { wordsOf } from '@lockstitch/kernel';
import { changes, READABLE, reads, type Endpoint, type Params, unrecognizedParams } from '../request/endpoint.ts';
import { NUMBERS_OF_FIELDS } from '../request/route-params.ts';
import { BUILD_HASH, type Identity } from './identity.ts';
import { addressOf, type Answer, type Call, flagParam, integerParam, param, portOf } from '../request/request.ts';
import { checkMetrics, stats } from '../indices/stats-handlers.ts';
import { objectBody } from '../request/object-body.ts';
import { PROCESSOR_TYPES } from '../../ingest/read-pipeline.ts';
import { readNested } from '../../settings/client-settings.ts';
import { checkFields } from '../request/unknown-field.ts';
import { NODE } from '../request/tasks.ts';
import { globMatches } from '../../text/glob.ts';
import { isObject, type Json } from '../../json/json.ts';
import { illegalArgument, unsupported } from '../../errors/request-error.ts';

import { nodeFacts, nodeNumbers } from './node-numbers.ts';

const ROLES = ['data', 'ingest', 'master'];

/** Metrics of `_nodes`. */
const METRICS = wordsOf(`
  _all aggregations http indices ingest jvm os plugins process settings thread_pool transport`);

/** Whether `/_nodes/{node_id}` names the node: by name, role or one of the words for it. In its place may stand metrics. */
function isMeant(call: Call): boolean {
  const wanted = call.path['node_id']?.split(',') ?? ['_all'];
  return wanted.some(
    (each) =>
      METRICS.includes(each) ||
      ['_local', '_master', 'master:true', 'data:true', 'ingest:true', '127.0.0.1'].includes(each) ||
      globMatches(each, NODE),
  );
}

function nodes(identity: Identity, call: Call, node: () => Json): Answer {
  const total = isMeant(call) ? 1 : 0;
  return {
    json: {
      _nodes: { total, successful: total, failed: 0 },
      cluster_name: identity.clusterName,
      nodes: total === 0 ? {} : { [NODE]: node() },
    },
  };
}

const place = { host: '127.0.0.1', ip: '127.0.0.1' };

/** `GET /_nodes[/{node_id}[/{metric}]]`. */
function nodesInfo(call: Call): Answer {
  const { identity } = call.state;
  // The address by which the caller came is one that works for them.
  const address = addressOf(call);
  // In the place of the node may stand metrics.
  const named = call.path['metric'] ?? call.path['node_id'];
  const metrics = named?.split(',').filter((each) => METRICS.includes(each)) ?? [];
  const settings = {
    'cluster.name': identity.clusterName,
    'node.name': NODE,
    'node.roles': ROLES,
    'client.type': 'node',
  };
  const parts: Json = {
    settings: flagParam(call, 'flat_settings') ? settings : readNested(Object.entries(settings)),
    ...nodeFacts(call),
    ingest: { processors: PROCESSOR_TYPES.map((type) => ({ type })) },
    transport: { bound_address: [address], publish_address: address, profiles: {} },
    http: { bound_address: [address], publish_address: address, max_content_length_in_bytes: 104_857_600 },
    plugins: [],
    modules: [],
  };
  const isWanted = (part: string): boolean =>
    (metrics.length === 0 && call.path['metric'] === undefined) ||
    metrics.includes('_all') ||
    metrics.includes(part === 'modules' ? 'plugins' : part);
  return nodes(identity, call, () => ({
    name: NODE,
    transport_address: address,
    ...place,
    version: identity.version,
    build_flavor: 'default',
    build_type: 'npm',
    build_hash: BUILD_HASH,
    roles: ROLES,
    ...Object.fromEntries(Object.entries(parts).filter(([part]) => isWanted(part))),
  }));
}

/** What `_nodes/stats` tells in Elasticsearch and not here: it would have to be counted. */
const ABSENT_METRICS = wordsOf('breaker http indexing_pressure ingest');
const METRICS_OF_STATS = wordsOf(`
  _all adaptive_selection discovery fs indices jvm os process script script_cache thread_pool transport`);

/** `GET /_nodes[/{node_id}]/stats`. */
function nodesStats(call: Call): Answer {
  const { identity } = call.state;
  const metrics = call.path['metric']?.split(',') ?? ['_all'];
  checkMetrics(call, metrics, [...METRICS_OF_STATS, ...ABSENT_METRICS]);
  const absent = metrics.find((metric) => ABSENT_METRICS.includes(metric));
  if (absent !== undefined) throw unsupported(`metric [${absent}] of nodes`);
  const unread = Object.keys(NUMBERS_OF_FIELDS).filter((name) => param(call, name) !== undefined);
  if (unread.length > 0 && !metrics.includes('_all') && !metrics.includes('indices'))
    throw unrecognizedParams(call.request, unread.sort());
  const isWanted = (part: string): boolean => metrics.includes('_all') || metrics.includes(part);
  return nodes(identity, call, () => {
    return {
      timestamp: call.now,
      name: NODE,
      transport_address: addressOf(call),
      ...place,
      ip: `${place.ip}:${portOf(call)}`,
      roles: ROLES,
      ...(isWanted('indices') ? { indices: indexNumbers(call) } : {}),
      ...Object.fromEntries(Object.entries(nodeNumbers(call)).filter(([part]) => isWanted(part))),
    };
  });
}

/** Parts of the statistics of indices, by the groups that `_nodes/stats/indices/{index_metric}` names. */
function indexNumbers(call: Call): Json {
  const { index_metric: metric } = call.path;
  const level = param(call, 'level') ?? 'node';
  if (!['node', 'indices', 'shards'].includes(level))
    throw illegalArgument(`level parameter must be one of [indices] or [node] or [shards] but was [${level}]`);
  const path = metric === undefined ? {} : { metric, index_metric: metric };
  const { json } = stats({ ...call, path }, level === 'node' ? 'cluster' : level, true);
  const { _all: all, indices = {} } = isObject(json) ? json : {};
  const byIndex = Object.entries(
    indices as Readonly<Record<string, { readonly shards?: Json; readonly total: Json }>>,
  ).map(([name, { shards, total }]) => [
    name,
    shards === undefined
      ? total
      : Object.entries(shards).map(([shard, copies]) => ({ [shard]: (copies as readonly Json[])[0] })),
  ]);
  return {
    ...(isObject(all) ? (all['total'] as Json) : {}),
    ...(level === 'node' ? {} : { [level]: Object.fromEntries(byIndex) }),
  };
}

/** `GET /_nodes[/{node_id}]/usage[/{metric}]`: requests are not counted by their kind. */
function nodesUsage(call: Call): Answer {
  const metrics = call.path['metric']?.split(',') ?? ['_all'];
  const counts = ['rest_actions', 'aggregations'].filter((name) => metrics.includes('_all') || metrics.includes(name));
  return nodes(call.state.identity, call, () => ({
    timestamp: call.now,
    since: call.now - Math.round(performance.now()),
    ...Object.fromEntries(counts.map((name) => [name, {}])),
  }));
}

/** `POST /_nodes[/{node_id}]/reload_secure_settings`: there are none, and no password opens them. */
function reloadSecureSettings(call: Call): Answer {
  const body = objectBody(call, 'reload_secure_settings') ?? {};
  checkFields(body, 'reload_secure_settings', ['secure_settings_password'], call.request.body);
  const exception = { type: 'security_exception', reason: 'Provided keystore password was incorrect' };
  const isWrong = (body['secure_settings_password'] ?? '') !== '';
  return nodes(call.state.identity, call, () => ({
    name: NODE,
    ...(isWrong ? { reload_exception: exception } : {}),
  }));
}

/** `GET /_nodes[/{node_id}]/hot_threads`: the threads are not looked into. */
function hotThreads(call: Call): Answer {
  if (!isMeant(call)) return { text: '' };
  const at = new Date(call.now).toISOString();
  const interval = param(call, 'interval') ?? '500ms';
  const threads = integerParam(call, 'threads') ?? 3;
  const ignoresIdle = flagParam(call, 'ignore_idle_threads', true);
  return {
    text: `::: {${NODE}}{${NODE}}{127.0.0.1}{dim}\n   Hot threads at ${at}, interval=${interval}, busiestThreads=${threads}, ignoreIdleThreads=${ignoresIdle}:\n\n`,
  };
}

const HOT_THREADS: Params = {
  ignore_idle_threads: 'flag',
  interval: 'time',
  snapshots: 'integer',
  threads: 'integer',
  timeout: 'time',
  type: 'text',
};

/** The paths of earlier versions. */
const OLD_HOT_THREADS: readonly Endpoint[] = [
  ['/_cluster/nodes', 'hotthreads'],
  ['/_cluster/nodes', 'hot_threads'],
  ['/_nodes', 'hotthreads'],
].flatMap(([place, name]) =>
  ['', '/{node_id}'].map((node) => {
    const words = node.replace('node_id', 'nodeId');
    return reads('GET', `${place}${node}/${name}`, HOT_THREADS, hotThreads, {
      warns: {
        always: `[${place}${words}/${name}] is a deprecated endpoint. Please use [/_nodes${words}/hot_threads] instead.`,
      },
    });
  }),
);

/** The one node. */
export const NODE_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET',
    '/_nodes/stats /_nodes/stats/{metric} /_nodes/stats/{metric}/{index_metric} ' +
      '/_nodes/{node_id}/stats /_nodes/{node_id}/stats/{metric} /_nodes/{node_id}/stats/{metric}/{index_metric}',
    { timeout: 'time', level: 'text', ...NUMBERS_OF_FIELDS },
    nodesStats,
    READABLE,
  ),
  reads(
    'GET',
    '/_nodes/usage /_nodes/{node_id}/usage /_nodes/usage/{metric} /_nodes/{node_id}/usage/{metric}',
    { timeout: 'time' },
    nodesUsage,
  ),
  reads('GET', '/_nodes/hot_threads /_nodes/{node_id}/hot_threads', HOT_THREADS, hotThreads),
  ...OLD_HOT_THREADS,
  changes(
    'POST',
    '/_nodes/reload_secure_settings /_nodes/{node_id}/reload_secure_settings',
    { timeout: 'time' },
    reloadSecureSettings,
  ),
  reads(
    'GET',
    '/_nodes /_nodes/{node_id} /_nodes/{node_id}/{metric}',
    { flat_settings: 'flag', timeout: 'time' },
    nodesInfo,
  ),
];
