// Allocation of shards: `_cluster/allocation/explain`, `_cluster/reroute` and voting exclusions. There is one node, which has all primaries;
// replicas stay unassigned.
import { changes, type Endpoint, reads } from '../request/endpoint.ts';
import { objectBody } from '../request/object-body.ts';
import { primariesOf, replicasOf } from '../request/active-shards.ts';
import { isClosed } from '../request/index-state.ts';
import { addressOf, type Answer, bodyIndex, type Call, flagParam, listParam, param } from '../request/request.ts';
import { TIMEOUTS } from '../request/route-params.ts';
import { NODE } from '../request/tasks.ts';
import { globMatches } from '../../text/glob.ts';
import { FLAG, INTEGER, parseObject, TEXT } from '../../json/object-parser.ts';
import { isObject, type Json, tokenOf, toList } from '../../json/json.ts';
import {
  contentError,
  illegalArgument,
  RequestError,
  unsupported,
  validationError,
} from '../../errors/request-error.ts';
import type { Index } from '../../engine/engine-api.ts';
import { clusterState } from './cluster-state.ts';

/** The error for a missing index in a body. */
const missingIndex = (name: string): Error =>
  new RequestError('SEARCH_NOT_FOUND', 'index_not_found_exception', `no such index [${name}]`, {
    fields: { index_uuid: '_na_', index: name },
  });

function indexNamed(call: Call, given: string): Index {
  const name = bodyIndex(call, given);
  if (!call.engine.has(name)) throw missingIndex(name);
  return call.engine.index(name);
}

interface Copy {
  readonly index: Index;
  readonly shard: number;
  readonly primary: boolean;
}

/** The shard to explain: the given one, else the first unassigned one. */
function askedCopy(call: Call): Copy {
  const where = 'cluster/allocation/explain';
  const body = parseObject(objectBody(call, where) ?? {}, where, {
    index: TEXT,
    shard: INTEGER,
    primary: FLAG,
    current_node: TEXT,
  });
  if (Object.keys(body).length === 0) {
    const index = call.engine.indices().find((each) => replicasOf(each) > 0 && !isClosed(each));
    if (index !== undefined) return { index, shard: 0, primary: false };
    throw illegalArgument(
      'unable to find any unassigned shards to explain [ClusterAllocationExplainRequest[useAnyUnassignedShard=true,includeYesDecisions?=false]',
    );
  }
  const problems = (['index', 'shard', 'primary'] as const)
    .filter((name) => body[name] === undefined)
    .map((name) => `${name} must be specified`);
  if (problems.length > 0) throw validationError(...problems);
  const { index: name = '', shard = 0, primary = false } = body;
  const index = indexNamed(call, name);
  if (shard < 0 || shard >= primariesOf(index))
    throw new RequestError('SEARCH_NOT_FOUND', 'shard_not_found_exception', 'no such shard', {
      fields: { index_uuid: index.uuid, shard: String(shard), index: index.name },
    });
  if (!primary && replicasOf(index) === 0)
    throw illegalArgument(`No replica shard found for [${index.name}][${shard}]`);
  return { index, shard, primary };
}

/** `GET|POST /_cluster/allocation/explain`. */
function explainAllocation(call: Call): Answer {
  const { index, shard, primary } = askedCopy(call);
  const head = { index: index.name, shard, primary };
  const info = flagParam(call, 'include_disk_info')
    ? { cluster_info: { nodes: {}, shard_sizes: {}, shard_paths: {}, reserved_sizes: [] } }
    : {};
  return { json: primary ? { ...head, ...started(call, info) } : { ...head, ...unassigned(call, index, shard, info) } };
}

function started(call: Call, info: Json): Json {
  const isWhole = call.engine.indices().every((index) => isClosed(index) || replicasOf(index) === 0);
  return {
    current_state: 'started',
    current_node: { id: NODE, name: NODE, transport_address: addressOf(call), weight_ranking: 1 },
    ...info,
    can_remain_on_current_node: 'yes',
    can_rebalance_cluster: isWhole ? 'yes' : 'no',
    ...(isWhole
      ? {}
      : {
          can_rebalance_cluster_decisions: [
            {
              decider: 'rebalance_only_when_active',
              decision: 'NO',
              explanation: 'rebalancing is not allowed until all replicas in the cluster are active',
            },
            {
              decider: 'cluster_rebalance',
              decision: 'NO',
              explanation:
                'the cluster has unassigned shards and cluster setting [cluster.routing.allocation.allow_rebalance] is set to [indices_all_active]',
            },
          ],
        }),
    can_rebalance_to_other_node: 'no',
    rebalance_explanation: isWhole
      ? 'cannot rebalance as no target node exists that can both allocate this shard and improve the cluster balance'
      : 'rebalancing is not allowed',
  };
}

function unassigned(call: Call, index: Index, shard: number, info: Json): Json {
  const here = `[${index.name}][${shard}], node[${NODE}], [P], s[STARTED], a[id=${index.uuid}]`;
  return {
    current_state: 'unassigned',
    unassigned_info: {
      reason: 'INDEX_CREATED',
      at: new Date(index.createdAt).toISOString(),
      last_allocation_status: 'no_attempt',
    },
    ...info,
    can_allocate: 'no',
    allocate_explanation: 'cannot allocate because allocation is not permitted to any of the nodes',
    node_allocation_decisions: [
      {
        node_id: NODE,
        node_name: NODE,
        transport_address: addressOf(call),
        node_decision: 'no',
        weight_ranking: 1,
        deciders: [
          {
            decider: 'same_shard',
            decision: 'NO',
            explanation: `a copy of this shard is already allocated to this node [${here}]`,
          },
        ],
      },
    ],
  };
}

/** The commands of a reroute, with the node parameters of each. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  allocate_empty_primary: ['node'],
  allocate_replica: ['node'],
  allocate_stale_primary: ['node'],
  cancel: ['node'],
  move: ['from_node', 'to_node'],
};

/** `POST /_cluster/reroute`: shards stay where they are, and a command says why it does nothing. */
function reroute(call: Call): Answer {
  const body = parseObject(objectBody(call, 'cluster_reroute') ?? {}, 'cluster_reroute', {
    commands: { kind: 'objects', read: (value) => toList(value) },
    dry_run: FLAG,
  });
  const explanations = (body.commands ?? []).map((command) => explained(call, command));
  const metric = listParam(call, 'metric') ?? [
    'nodes',
    'routing_table',
    'routing_nodes',
    'version',
    'master_node',
    'blocks',
  ];
  const { json } = clusterState({ ...call, path: { metric: metric.join(',') } });
  const { cluster_name: _, ...state } = isObject(json) ? json : {};
  return {
    json: { acknowledged: true, state, ...(flagParam(call, 'explain') ? { explanations } : {}) },
  };
}

function explained(call: Call, command: unknown): Json {
  const [name, given] = isObject(command) ? (Object.entries(command)[0] ?? []) : [];
  if (name === undefined || !Object.hasOwn(COMMANDS, name))
    throw contentError('[cluster_reroute] failed to parse field [commands]', {
      type: 'named_object_not_found_exception',
      reason: `unknown field [${name ?? tokenOf(command)}]`,
    });
  const {
    index = '',
    shard = 0,
    ...nodes
  } = parseObject(isObject(given) ? given : {}, name, {
    index: TEXT,
    shard: INTEGER,
    node: TEXT,
    from_node: TEXT,
    to_node: TEXT,
    allow_primary: FLAG,
    accept_data_loss: FLAG,
  });
  for (const each of COMMANDS[name]!) {
    const node = nodes[each as 'node'];
    if (node !== NODE) throw illegalArgument(`failed to resolve [${node}], no matching nodes`);
  }
  const { allow_primary: mayCancel, accept_data_loss: accepts = false, ...named } = nodes;
  const own = indexNamed(call, index);
  const reason = whyNot(name, own, shard, mayCancel === true);
  // Elasticsearch refuses the command, unless `explain` is set.
  if (!flagParam(call, 'explain'))
    throw illegalArgument(`[${name.startsWith('allocate') ? name : `${name}_allocation`}] ${reason}`);
  return {
    command: name,
    parameters: {
      index: own.name,
      shard,
      ...named,
      ...(name === 'cancel' ? { allow_primary: mayCancel === true } : {}),
      ...(name.endsWith('_primary') ? { accept_data_loss: accepts } : {}),
    },
    decisions: [
      {
        decider: name.startsWith('allocate') ? `${name} (allocation command)` : `${name}_allocation_command`,
        decision: 'NO',
        explanation: reason,
      },
    ],
  };
}

/** Why a command does nothing. */
function whyNot(command: string, index: Index, shard: number, mayCancel: boolean): string {
  const place = `[${index.name}][${shard}]`;
  const node = `{${NODE}}{${NODE}}{${NODE}}{127.0.0.1}{127.0.0.1}{dim}`;
  if (command.endsWith('_primary')) return `primary ${place} is already assigned`;
  if (command === 'cancel' && shard >= primariesOf(index))
    return `can't cancel ${shard}, failed to find it on node ${node}`;
  if (command === 'cancel' && !mayCancel) return `can't cancel ${shard} on node ${node}, shard is primary and started`;
  if (command === 'allocate_replica' && replicasOf(index) === 0)
    return `all copies of ${place} are already assigned. Use the move allocation command instead`;
  return `${place} stays on the one node`;
}

/** `POST /_cluster/voting_config_exclusions[/{node_name}]`: the one node is the master, and cannot be left out. */
function excludeFromVoting(call: Call): Answer {
  const described = call.path['node_name'];
  if (described !== undefined) {
    call.warn('nodeDescription is deprecated and will be removed, use nodeIds or nodeNames instead');
    if (!globMatches(described, NODE))
      throw illegalArgument(`add voting config exclusions request for [${described}] matched no master-eligible nodes`);
    throw onlyNode();
  }
  const given = ['node_ids', 'node_names'].filter((name) => (param(call, name) ?? '') !== '');
  if (given.length !== 1)
    throw illegalArgument(
      'Please set node identifiers correctly. One and only one of [node_name], [node_names] and [node_ids] has to be set',
    );
  if (listParam(call, given[0]!)!.includes(NODE)) throw onlyNode();
  return { text: '' };
}

const onlyNode = (): Error => unsupported(`[${NODE}] in voting exclusions: it is the one node, which`);

/** Allocation endpoints. */
export const ALLOCATION_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET POST',
    '/_cluster/allocation/explain',
    { include_disk_info: 'flag', include_yes_decisions: 'flag' },
    explainAllocation,
  ),
  changes(
    'POST',
    '/_cluster/reroute',
    { dry_run: 'flag', explain: 'flag', retry_failed: 'flag', metric: 'text', ...TIMEOUTS },
    reroute,
  ),
  changes(
    'POST',
    '/_cluster/voting_config_exclusions /_cluster/voting_config_exclusions/{node_name}',
    { node_ids: 'text', node_names: 'text', ...TIMEOUTS },
    excludeFromVoting,
  ),
  changes('DELETE', '/_cluster/voting_config_exclusions', { wait_for_removal: 'flag', ...TIMEOUTS }, () => ({
    text: '',
  })),
];
