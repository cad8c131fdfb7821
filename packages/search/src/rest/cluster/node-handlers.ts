// The one node as Elasticsearch's clients and tools ask for it: `_nodes`, where clients look for addresses, and its numbers.
import { changes, READABLE, reads, type Endpoint } from '../request/endpoint.ts';
import { NUMBERS_OF_FIELDS } from '../request/route-params.ts';
import { nearestOfUrl } from '../request/unknown-field.ts';
import { BUILD_HASH, type Identity } from './identity.ts';
import { type Answer, type Call, param } from '../request/request.ts';
import { stats } from '../indices/stats-handlers.ts';
import { NODE } from '../request/tasks.ts';
import { globMatches } from '../../text/glob.ts';
import { isObject, type Json } from '../../json/json.ts';
import { illegalArgument, unsupported } from '../../errors/request-error.ts';

import { nodeFacts, nodeNumbers } from './node-numbers.ts';

const ROLES = ['data', 'ingest', 'master'];

/** What `_nodes` tells in Elasticsearch, each a part of its own: here all is told at once. */
const METRICS = [
  '_all',
  'aggregations',
  'http',
  'indices',
  'ingest',
  'jvm',
  'os',
  'plugins',
  'process',
  'settings',
  'thread_pool',
  'transport',
];

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
  const address = call.request.headers['host'] ?? '127.0.0.1:9200';
  // In the place of the node may stand metrics.
  const named = call.path['metric'] ?? call.path['node_id'];
  const metrics = named?.split(',').filter((each) => METRICS.includes(each)) ?? [];
  const parts: Json = {
    ...nodeFacts(call),
    transport: { bound_address: [address], publish_address: address, profiles: {} },
    http: { bound_address: [address], publish_address: address, max_content_length_in_bytes: 104_857_600 },
    plugins: [],
    modules: [],
  };
  const isWanted = (part: string): boolean =>
    metrics.length === 0 || metrics.includes('_all') || metrics.includes(part === 'modules' ? 'plugins' : part);
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

/** What `_nodes/stats` tells in Elasticsearch and not here. */
const UNTOLD = [
  'adaptive_selection',
  'breaker',
  'discovery',
  'http',
  'indexing_pressure',
  'ingest',
  'script',
  'script_cache',
  'thread_pool',
];
const TOLD = ['_all', 'fs', 'indices', 'jvm', 'os', 'process', 'transport'];

/** `GET /_nodes[/{node_id}]/stats`. */
function nodesStats(call: Call): Answer {
  const { identity } = call.state;
  const metrics = call.path['metric']?.split(',') ?? ['_all'];
  for (const metric of metrics) {
    if (UNTOLD.includes(metric)) throw unsupported(`metric [${metric}] of nodes`);
    if (TOLD.includes(metric)) continue;
    throw illegalArgument(
      `request [${call.request.path}] contains unrecognized metric: [${metric}]${nearestOfUrl(metric, [...TOLD, ...UNTOLD])}`,
    );
  }
  const isWanted = (part: string): boolean => metrics.includes('_all') || metrics.includes(part);
  return nodes(identity, call, () => {
    return {
      timestamp: call.now,
      name: NODE,
      transport_address: call.request.headers['host'] ?? '127.0.0.1:9200',
      ...place,
      roles: ROLES,
      ...(isWanted('indices') ? { indices: indexNumbers(call) } : {}),
      ...Object.fromEntries(Object.entries(nodeNumbers(call)).filter(([part]) => isWanted(part))),
    };
  });
}

/** Parts of the statistics of indices, by the groups that `_nodes/stats/indices/{index_metric}` names. */
function indexNumbers(call: Call): Json {
  const { index_metric: metric } = call.path;
  const { json } = stats({ ...call, path: metric === undefined ? {} : { metric } });
  const { _all: all, indices = {} } = isObject(json) ? json : {};
  const level = param(call, 'level') ?? 'node';
  if (!['node', 'indices', 'shards'].includes(level))
    throw illegalArgument(`level parameter must be one of [indices] or [node] or [shards] but was [${level}]`);
  const byIndex = Object.entries(indices as Json).map(([name, each]) => [
    name,
    (each as Json)[level === 'shards' ? 'shards' : 'total'],
  ]);
  return {
    ...(isObject(all) ? (all['total'] as Json) : {}),
    ...(level === 'node' ? {} : { [level]: Object.fromEntries(byIndex) }),
  };
}

/** `GET /_nodes[/{node_id}]/usage[/{metric}]`: requests are not counted by their kind. */
function nodesUsage(call: Call): Answer {
  return nodes(call.state.identity, call, () => ({
    timestamp: call.now,
    since: call.now - Math.round(performance.now()),
    rest_actions: {},
    aggregations: {},
  }));
}

/** `POST /_nodes[/{node_id}]/reload_secure_settings`: there are none. */
function reloadSecureSettings(call: Call): Answer {
  return nodes(call.state.identity, call, () => ({ name: NODE }));
}

/** `GET /_nodes[/{node_id}]/hot_threads`: the threads are not looked into. */
function hotThreads(call: Call): Answer {
  if (!isMeant(call)) return { text: '' };
  const at = new Date(call.now).toISOString();
  return {
    text: `::: {${NODE}}{${NODE}}{127.0.0.1}{dim}\n   Hot threads at ${at}, interval=500ms, busiestThreads=3, ignoreIdleThreads=true:\n\n`,
  };
}

/** The one node. */
export const NODE_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET',
    [
      '/_nodes/stats',
      '/_nodes/{node_id}/stats',
      '/_nodes/stats/{metric}',
      '/_nodes/{node_id}/stats/{metric}',
      '/_nodes/stats/{metric}/{index_metric}',
      '/_nodes/{node_id}/stats/{metric}/{index_metric}',
    ],
    { timeout: 'time', level: 'text', ...NUMBERS_OF_FIELDS },
    nodesStats,
    READABLE,
  ),
  reads(
    'GET',
    ['/_nodes/usage', '/_nodes/{node_id}/usage', '/_nodes/usage/{metric}', '/_nodes/{node_id}/usage/{metric}'],
    { timeout: 'time' },
    nodesUsage,
  ),
  reads('GET', ['/_nodes/hot_threads', '/_nodes/{node_id}/hot_threads'], { timeout: 'time' }, hotThreads),
  changes(
    'POST',
    ['/_nodes/reload_secure_settings', '/_nodes/{node_id}/reload_secure_settings'],
    { timeout: 'time' },
    reloadSecureSettings,
  ),
  reads(
    'GET',
    ['/_nodes', '/_nodes/{node_id}', '/_nodes/{node_id}/{metric}'],
    { flat_settings: 'flag', timeout: 'time' },
    nodesInfo,
  ),
];
