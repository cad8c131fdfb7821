// The one node as Elasticsearch's clients and tools ask for it: `_nodes`, where clients look for addresses; its numbers; and the `_cat`
// tables of nodes, shards and templates. Nothing here tells of memory or load: such numbers would tell callers of each other.
import { type Column, catTable, printBytes } from './cat-table.ts';
import type { Identity } from './cluster-handlers.ts';
import { readKind } from './composable-templates.ts';
import { indicesOf } from './index-names.ts';
import { isClosed } from './index-state.ts';
import type { Answer, Call } from './request.ts';
import { stats } from './stats-handlers.ts';
import { NODE } from './tasks.ts';
import { readTemplates } from './templates.ts';
import type { Engine } from '../engine/engine-api.ts';
import { globMatches } from '../glob.ts';
import { isObject, type Json } from '../json.ts';
import { unsupported } from '../request-error.ts';

const ROLES = ['data', 'ingest', 'master'];

/** Whether `/_nodes/{node_id}` names the node: by name, role or one of the words for it. */
function isMeant(call: Call): boolean {
  const wanted = call.path['node_id']?.split(',') ?? ['_all'];
  return wanted.some(
    (each) =>
      ['_all', '_local', '_master', 'master:true', 'data:true', 'ingest:true', '127.0.0.1'].includes(each) ||
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
    if (metric !== 'indices' && metric !== '_all') throw unsupported(`metric [${metric}] of nodes`);
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

const column = (name: string, aliases: readonly string[], description: string, right = false): Column => ({
  name,
  aliases,
  description,
  right,
});

/** `GET /_cat/nodes`. */
export function catNodes(identity: Identity, call: Call): Answer {
  return catTable(
    call,
    [
      column('ip', ['i'], 'ip address'),
      column('node.role', ['r', 'role', 'nodeRole'], 'm:master eligible node, d:data node, i:ingest node'),
      column('master', ['m'], '*:current master'),
      column('name', ['n'], 'node name'),
      { ...column('id', ['nodeId'], 'unique node id'), shown: false },
      { ...column('version', ['v'], 'es version'), shown: false },
    ],
    [{ ip: '127.0.0.1', 'node.role': 'dim', master: '*', name: NODE, id: NODE, version: identity.version }],
  );
}

/** `GET /_cat/master`. */
export function catMaster(call: Call): Answer {
  return catTable(
    call,
    [
      column('id', [], 'node id'),
      column('host', ['h'], 'host name'),
      column('ip', [], 'ip address'),
      column('node', ['n'], 'node name'),
    ],
    [{ id: NODE, host: '127.0.0.1', ip: '127.0.0.1', node: NODE }],
  );
}

/** `GET /_cat/shards[/{index}]`: one an index. */
export function catShards(engine: Engine, call: Call): Answer {
  const rows = indicesOf(engine, call, undefined, 'all').map(({ index }) => {
    const { docs, bytes } = index.stats();
    const closed = isClosed(index);
    return {
      index: index.name,
      shard: '0',
      prirep: 'p',
      state: 'STARTED',
      docs: closed ? null : String(docs),
      store: closed ? null : printBytes(bytes),
      ip: '127.0.0.1',
      node: NODE,
    };
  });
  return catTable(
    call,
    [
      column('index', ['i', 'idx'], 'index name'),
      column('shard', ['s', 'sh'], 'shard name', true),
      column('prirep', ['p', 'pr', 'primaryOrReplica'], 'primary or replica'),
      column('state', ['st'], 'shard state'),
      column('docs', ['d', 'dc'], 'number of docs in shard', true),
      column('store', ['sto'], 'store size of shard (how much disk it uses)', true),
      column('ip', [], 'ip of node where it lives'),
      column('node', ['n'], 'name of node where it lives'),
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
      column('name', ['n'], 'template name'),
      column('index_patterns', ['t'], 'template index patterns'),
      column('order', ['o', 'p'], 'template application order/priority number'),
      column('version', ['v'], 'version'),
      column('composed_of', ['c'], 'component templates comprising index template'),
    ],
    rows,
  );
}
