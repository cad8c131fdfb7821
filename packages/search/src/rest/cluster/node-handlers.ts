// The one node as Elasticsearch's clients and tools ask for it: `_nodes`, where clients look for addresses, and its numbers. Nothing here
// tells of memory or load: such numbers would tell callers of each other.
import type { Identity } from './identity.ts';
import type { Answer, Call } from '../request/request.ts';
import { stats } from '../indices/stats-handlers.ts';
import { NODE } from '../request/tasks.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { globMatches } from '../../glob.ts';
import { isObject, type Json } from '../../json.ts';
import { unsupported } from '../../request-error.ts';

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
export function nodesInfo(identity: Identity, call: Call): Answer {
  // The address by which the caller came is one that works for him.
  const address = call.request.headers['host'] ?? '127.0.0.1:9200';
  return nodes(identity, call, () => ({
    name: NODE,
    transport_address: address,
    ...place,
    version: identity.version,
    build_flavor: 'default',
    build_type: 'npm',
    build_hash: 'unknown',
    roles: ROLES,
    attributes: {},
    http: { bound_address: [address], publish_address: address },
    plugins: [],
    modules: [],
  }));
}

/** `GET /_nodes[/{node_id}]/stats`. */
export function nodesStats(engine: Engine, identity: Identity, call: Call): Answer {
  for (const metric of call.path['metric']?.split(',') ?? []) {
    if (metric !== 'indices' && metric !== '_all')
      throw unsupported(`metric [${metric}] of nodes, other than [indices],`);
  }
  return nodes(identity, call, () => {
    const { json } = stats(engine, { ...call, path: {} });
    const all = isObject(json) && isObject(json['_all']) ? json['_all']['total'] : {};
    return {
      timestamp: call.now,
      name: NODE,
      transport_address: call.request.headers['host'] ?? '127.0.0.1:9200',
      ...place,
      roles: ROLES,
      attributes: {},
      indices: all,
    };
  });
}
