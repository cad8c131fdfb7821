// The one node as Elasticsearch's clients and tools ask for it: `_nodes`, where clients look for addresses, and its numbers.
import { reads, type Endpoint } from '../request/endpoint.ts';
import { nearestOfUrl } from '../request/unknown-field.ts';
import type { Identity } from './identity.ts';
import type { Answer, Call } from '../request/request.ts';
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
    build_hash: 'unknown',
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
    const { json } = stats({ ...call, path: {} });
    const all = isObject(json) && isObject(json['_all']) ? json['_all']['total'] : {};
    return {
      timestamp: call.now,
      name: NODE,
      transport_address: call.request.headers['host'] ?? '127.0.0.1:9200',
      ...place,
      roles: ROLES,
      ...(isWanted('indices') ? { indices: all } : {}),
      ...Object.fromEntries(Object.entries(nodeNumbers(call)).filter(([part]) => isWanted(part))),
    };
  });
}

/** The one node. */
export const NODE_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET',
    ['/_nodes/stats', '/_nodes/{node_id}/stats', '/_nodes/stats/{metric}', '/_nodes/{node_id}/stats/{metric}'],
    { timeout: 'time' },
    nodesStats,
  ),
  reads(
    'GET',
    ['/_nodes', '/_nodes/{node_id}', '/_nodes/{node_id}/{metric}'],
    { flat_settings: 'flag', timeout: 'time' },
    nodesInfo,
  ),
];
