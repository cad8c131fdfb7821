// The cluster as tools look at it: its state (`_cluster/state`), its numbers (`_cluster/stats`) and what it has none of: tasks that wait, and
// other clusters. Callers learn about what they see, and nothing about each other.
import type { Index } from '../../engine/engine-api.ts';
import { analysisStats } from './analysis-stats.ts';
import { type Json, isObject } from '../../json/json.ts';
import { mappingOf } from '../../fetch/target.ts';
import { flatten } from '../../settings/client-settings.ts';
import { reads, type Endpoint, READABLE } from '../request/endpoint.ts';
import { EXPAND, LOCAL } from '../request/route-params.ts';
import { printSettings } from '../indices/index-settings.ts';
import { shownMapping } from '../indices/mapping-handlers.ts';
import { readKind } from '../indices/composable-templates.ts';
import { shownComposable } from '../indices/composable-template-handlers.ts';
import { shownTemplate } from '../indices/template-handlers.ts';
import { readTemplates } from '../indices/templates.ts';
import { illegalArgument } from '../../errors/request-error.ts';
import { notANumber } from '../../json/json.ts';
import { stats } from '../indices/stats-handlers.ts';
import { readPipelines } from '../ingest/pipelines.ts';
import { indicesOf, resolveOptions } from '../request/index-names.ts';
import { aliasesOf, resolveIndices } from '../request/resolve-indices.ts';
import { divisionOf } from '../request/shard-of-routing.ts';
import { colourOf, primariesOf, replicasOf, worstOf } from '../request/active-shards.ts';
import { blocksOf, type IndexBlock } from '../request/index-blocks.ts';
import { isClosed } from '../request/index-state.ts';
import { addressOf, type Answer, type Call, flagParam, param } from '../request/request.ts';
import { NODE } from '../request/tasks.ts';
import { CLUSTER_UUID } from './identity.ts';
import { clusterNumbers } from './node-numbers.ts';

/** A shard of an index, wherever shards are listed. */
export function shardOf(index: Index, shard = 0): Json {
  return {
    state: 'STARTED',
    primary: true,
    node: NODE,
    relocating_node: null,
    shard,
    index: index.name,
    allocation_id: { id: index.uuid },
  };
}

/** A copy of a shard that there is no node for. */
function missingShard(index: Index, shard: number): Json {
  return {
    state: 'UNASSIGNED',
    primary: false,
    node: null,
    relocating_node: null,
    shard,
    index: index.name,
    recovery_source: { type: 'PEER' },
    unassigned_info: {
      reason: 'INDEX_CREATED',
      at: new Date(index.createdAt).toISOString(),
      delayed: false,
      allocation_status: 'no_attempt',
    },
  };
}

/** The node, wherever nodes are listed. */
export function nodeEntry(call: Call): Json {
  return {
    [NODE]: {
      name: NODE,
      ephemeral_id: NODE,
      transport_address: addressOf(call),
      attributes: {},
    },
  };
}

/** `GET /_cluster/state[/{metric}[/{index}]]`. */
export function clusterState(call: Call): Answer {
  const { identity } = call.state;
  const metrics = call.path['metric']?.split(',') ?? ['_all'];
  const isWanted = (metric: string): boolean => metrics.includes('_all') || metrics.includes(metric);
  checkVersion(param(call, 'wait_for_metadata_version'));
  const expression = call.path['index'];
  const isAll = expression === undefined || expression === '_all';
  // A state of all indices takes the options and refuses wrong ones, but follows none of them.
  resolveOptions(call, 'open', true, true);
  const found = isAll
    ? resolveIndices(call.engine, undefined, { skipRed: true })
    : indicesOf(call, expression, undefined, undefined, true, false, true);
  const indices = found.map(({ index }) => index);
  const byName = (of: (index: Index) => Json): Json =>
    Object.fromEntries(indices.map((index) => [index.name, of(index)]));
  const numbers = (index: Index): number[] => Array.from({ length: primariesOf(index) }, (_, shard) => shard);
  const missing = (index: Index, shard: number): Json[] =>
    Array.from({ length: replicasOf(index) }, () => missingShard(index, shard));
  const shards = byName((index) => ({
    shards: Object.fromEntries(
      numbers(index).map((shard) => [shard, [shardOf(index, shard), ...missing(index, shard)]]),
    ),
  }));
  return {
    json: {
      cluster_name: identity.clusterName,
      cluster_uuid: CLUSTER_UUID,
      ...(isWanted('version') ? { version: 1, state_uuid: CLUSTER_UUID } : {}),
      ...(isWanted('master_node') ? { master_node: NODE } : {}),
      ...(isWanted('blocks') ? { blocks: shownBlocks(indices) } : {}),
      ...(isWanted('nodes') ? { nodes: nodeEntry(call) } : {}),
      ...(isWanted('metadata')
        ? {
            metadata: {
              cluster_uuid: CLUSTER_UUID,
              cluster_uuid_committed: true,
              cluster_coordination: {
                term: 1,
                last_committed_config: [NODE],
                last_accepted_config: [NODE],
                voting_config_exclusions: [],
              },
              ...templatesIn(call),
              indices: byName((index) => ({
                routing_num_shards: divisionOf(index).slots,
                state: isClosed(index) ? 'close' : 'open',
                settings: flagParam(call, 'flat_settings')
                  ? Object.fromEntries(flatten(printSettings(index), 'index.'))
                  : { index: printSettings(index) },
                mappings: shownMapping(index, withTypes(call)),
                aliases: Object.keys(aliasesOf(index)),
              })),
              'index-graveyard': { tombstones: [] },
            },
          }
        : {}),
      ...(isWanted('routing_table') ? { routing_table: { indices: shards } } : {}),
      ...(isWanted('routing_nodes')
        ? {
            routing_nodes: {
              unassigned: indices.flatMap((index) => numbers(index).flatMap((shard) => missing(index, shard))),
              nodes: { [NODE]: indices.flatMap((index) => numbers(index).map((shard) => shardOf(index, shard))) },
            },
          }
        : {}),
    },
  };
}

/** @throws RequestError for what is no version; the state has that of every request before it */
function checkVersion(text: string | undefined): void {
  if (text === undefined) return;
  if (!/^[+-]?\d+$/.test(text))
    throw illegalArgument(`Failed to parse long parameter [wait_for_metadata_version] with value [${text}]`, {
      causedBy: notANumber(text),
    });
  if (Number(text) < 1)
    throw illegalArgument(`provided waitForMetadataVersion should be >= 1, but instead is [${text}]`);
}

/** The templates of each kind. */
function templatesIn(call: Call): Json {
  const { engine } = call;
  if (engine.metadataDamage !== undefined) return { templates: {} };
  const composable = (kind: 'indexTemplates' | 'componentTemplates'): Json =>
    Object.fromEntries(Object.entries(readKind(engine, kind)).map(([name, each]) => [name, shownComposable(each)]));
  const typed = withTypes(call);
  return {
    templates: Object.fromEntries(
      Object.entries(readTemplates(engine)).map(([name, each]) => [name, shownTemplate(each, typed)]),
    ),
    index_template: { index_template: composable('indexTemplates') },
    component_template: { component_template: composable('componentTemplates') },
  };
}

/** As with `include_type_name`: the state always has type names. */
function withTypes(call: Call): Call {
  const query = new URLSearchParams([...call.request.query, ['include_type_name', 'true']]);
  return { ...call, request: { ...call.request, query } };
}

/** The blocks of each index that has some. */
function shownBlocks(indices: readonly Index[]): Json {
  const found = indices
    .map((index) => [index.name, blocksOf(index)] as const)
    .filter(([, blocks]) => blocks.length > 0);
  const shown = ({ id, description, levels }: IndexBlock): readonly [string, Json] => [
    String(id),
    { description, retryable: false, levels },
  ];
  return found.length === 0
    ? {}
    : { indices: Object.fromEntries(found.map(([name, blocks]) => [name, Object.fromEntries(blocks.map(shown))])) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function spread(values: readonly number[]): Json {
  return { min: Math.min(...values), max: Math.max(...values), avg: sum(values) / values.length };
}

/** `GET /_cluster/stats[/nodes/{node_id}]`. */
function clusterStats(call: Call): Answer {
  const {
    engine,
    state: { identity },
  } = call;
  const { json } = stats({ ...call, path: {} }, 'cluster', true);
  const all = isObject(json) && isObject(json['_all']) && isObject(json['_all']['total']) ? json['_all']['total'] : {};
  const indices = engine.indices();
  const kinds = new Map<string, { count: number; indices: Set<string> }>();
  for (const index of indices)
    for (const { type } of mappingOf(index).fields.values()) {
      const kind = kinds.get(type) ?? { count: 0, indices: new Set() };
      kind.count++;
      kind.indices.add(index.name);
      kinds.set(type, kind);
    }
  const primaries = indices.map(primariesOf);
  const pipelines = engine.metadataDamage === undefined ? Object.keys(readPipelines(engine) ?? {}).length : 0;
  const counted =
    indices.length === 0
      ? {}
      : {
          total: sum(primaries),
          primaries: sum(primaries),
          replication: 0,
          index: { shards: spread(primaries), primaries: spread(primaries), replication: spread([0]) },
        };
  const pick = (...names: readonly string[]): Json =>
    Object.fromEntries(names.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]));
  const roles = {
    data: 1,
    ingest: 1,
    master: 1,
    coordinating_only: 0,
    remote_cluster_client: 0,
    ml: 0,
    transform: 0,
    voting_only: 0,
  };
  return {
    json: {
      _nodes: { total: 1, successful: 1, failed: 0 },
      cluster_name: identity.clusterName,
      cluster_uuid: CLUSTER_UUID,
      timestamp: call.now,
      status: worstOf(indices.map(colourOf)),
      indices: {
        count: indices.length,
        shards: { ...(indices.length === 0 ? {} : { total: indices.length }), ...counted },
        ...pick('docs', 'store', 'fielddata', 'query_cache', 'completion', 'segments'),
        mappings: {
          field_types: [...kinds]
            .map(([name, kind]) => ({ name, count: kind.count, index_count: kind.indices.size }))
            .sort((a, b) => (a.name < b.name ? -1 : 1)),
        },
        analysis: analysisStats(indices),
      },
      nodes: {
        count: { total: 1, ...roles },
        versions: [identity.version],
        ...clusterNumbers(call),
        plugins: [],
        network_types: { transport_types: { node: 1 }, http_types: { node: 1 } },
        discovery_types: { 'single-node': 1 },
        packaging_types: [{ flavor: 'default', type: 'npm', count: 1 }],
        ingest: { number_of_pipelines: pipelines, processor_stats: {} },
      },
    },
  };
}

/** `GET /_cluster/pending_tasks`: always empty. */
function pendingTasks(): Answer {
  return { json: { tasks: [] } };
}

/** `GET /_remote/info`: there are no other clusters. */
function remoteInfo(): Answer {
  return { json: {} };
}

/** The state of the cluster, and parts that this engine does not have. */
export const CLUSTER_STATE_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET',
    '/_cluster/state /_cluster/state/{metric} /_cluster/state/{metric}/{index}',
    { ...LOCAL, ...EXPAND, flat_settings: 'flag', wait_for_metadata_version: 'text', wait_for_timeout: 'time' },
    clusterState,
  ),
  reads('GET', '/_cluster/stats /_cluster/stats/nodes/{node_id}', { timeout: 'time' }, clusterStats, READABLE),
  reads('GET', '/_cluster/pending_tasks', LOCAL, pendingTasks),
  reads('GET', '/_remote/info', {}, remoteInfo),
];
