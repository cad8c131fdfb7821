// The endpoints about the cluster and its one node, and the `_cat` tables.
import {
  catAliases,
  catCount,
  catHealth,
  catIndices,
  catMaster,
  catNodes,
  catShards,
  catTemplates,
} from './cat-handlers.ts';
import {
  catAllocation,
  catFielddata,
  catHelp,
  catNodeAttributes,
  catPendingTasks,
  catPlugins,
  catRecovery,
  catRepositories,
  catSegments,
  catTasks,
  catThreadPool,
} from './cat-node-tables.ts';
import { clusterState, clusterStats, pendingTasks, remoteInfo } from './cluster-state.ts';
import { nodesInfo, nodesStats } from './node-handlers.ts';
import { getClusterSettings, health, putClusterSettings } from './cluster-handlers.ts';
import type { Identity } from './identity.ts';
import type { Add, Handler } from '../request/route.ts';
import type { Tasks } from '../request/tasks.ts';
import { ACKNOWLEDGED, CAT, EXPAND, LOCAL } from '../request/route-params.ts';

/** Adds them. */
export function addClusterRoutes(add: Add, identity: Identity, tasks: Tasks): void {
  const tables: string[] = [];
  const addTable = (paths: string | readonly string[], params: readonly string[], handler: Handler): void => {
    tables.push(...(typeof paths === 'string' ? [paths] : paths));
    add('GET', paths, [...CAT, ...params], handler);
  };
  add(
    'GET',
    ['/_cluster/health', '/_cluster/health/{index}'],
    [
      'level',
      'wait_for_status',
      'wait_for_nodes',
      'wait_for_no_relocating_shards',
      'wait_for_no_initializing_shards',
      'wait_for_events',
      'wait_for_active_shards',
      ...ACKNOWLEDGED,
      'local',
      ...EXPAND,
    ],
    (call) => health(call.engine, identity, call),
  );
  add('GET', '/_cluster/settings', ['flat_settings', 'include_defaults', ...ACKNOWLEDGED, 'local'], (call) =>
    getClusterSettings(call),
  );
  add('PUT', '/_cluster/settings', ['flat_settings', ...ACKNOWLEDGED], (call) => putClusterSettings(call));
  // In the order in which `_cat` lists them.
  addTable('/_cat/allocation', LOCAL, (call) => catAllocation(call.engine, call));
  add('GET', '/_cat/allocation/{node_id}', [...CAT, ...LOCAL], (call) => catAllocation(call.engine, call));
  addTable(['/_cat/shards', '/_cat/shards/{index}'], [...LOCAL, ...EXPAND], (call) => catShards(call.engine, call));
  addTable('/_cat/master', LOCAL, (call) => catMaster(call));
  addTable('/_cat/nodes', [...LOCAL, 'full_id'], (call) => catNodes(call.engine, identity, call));
  addTable('/_cat/tasks', ['actions', 'detailed', 'nodes', 'parent_task_id'], (call) =>
    catTasks(identity, tasks, call),
  );
  addTable(
    ['/_cat/indices', '/_cat/indices/{index}'],
    [...LOCAL, ...EXPAND, 'health', 'include_unloaded_segments'],
    (call) => catIndices(call.engine, call),
  );
  addTable(['/_cat/segments', '/_cat/segments/{index}'], EXPAND, (call) => catSegments(call.engine, call));
  addTable(['/_cat/count', '/_cat/count/{index}'], [...EXPAND, ...LOCAL], (call) => catCount(call.engine, call));
  addTable(['/_cat/recovery', '/_cat/recovery/{index}'], ['active_only', 'detailed', 'index'], (call) =>
    catRecovery(call.engine, call),
  );
  addTable('/_cat/health', LOCAL, (call) => catHealth(call.engine, identity, call));
  addTable('/_cat/pending_tasks', LOCAL, (call) => catPendingTasks(call));
  addTable(['/_cat/aliases', '/_cat/aliases/{alias}'], ['local', 'expand_wildcards'], (call) =>
    catAliases(call.engine, call),
  );
  addTable(['/_cat/thread_pool', '/_cat/thread_pool/{thread_pools}'], LOCAL, (call) => catThreadPool(call));
  addTable('/_cat/plugins', LOCAL, (call) => catPlugins(call));
  addTable(['/_cat/fielddata', '/_cat/fielddata/{fields}'], ['fields'], (call) => catFielddata(call.engine, call));
  addTable('/_cat/nodeattrs', LOCAL, (call) => catNodeAttributes(call));
  addTable('/_cat/repositories', LOCAL, (call) => catRepositories(call));
  addTable('/_cat/templates', LOCAL, (call) => catTemplates(call.engine, call));
  add('GET', '/_cat/templates/{name}', [...CAT, ...LOCAL], (call) => catTemplates(call.engine, call));
  add('GET', '/_cat', [], () => catHelp(tables));

  add(
    'GET',
    ['/_cluster/state', '/_cluster/state/{metric}', '/_cluster/state/{metric}/{index}'],
    [...LOCAL, ...EXPAND, 'flat_settings', 'wait_for_metadata_version', 'wait_for_timeout'],
    (call) => clusterState(call.engine, identity, call),
  );
  add('GET', ['/_cluster/stats', '/_cluster/stats/nodes/{node_id}'], ['flat_settings', 'timeout'], (call) =>
    clusterStats(call.engine, identity, call),
  );
  add('GET', '/_cluster/pending_tasks', LOCAL, () => pendingTasks());
  // There are no pipelines: none is found, and none is left where one is deleted.
  add('GET', ['/_ingest/pipeline', '/_ingest/pipeline/{name}'], ['master_timeout'], () => ({ status: 404, json: {} }));
  add('DELETE', '/_ingest/pipeline/{name}', ACKNOWLEDGED, () => ({ json: { acknowledged: true } }));
  add('GET', '/_remote/info', [], () => remoteInfo());
  add(
    'GET',
    ['/_nodes/stats', '/_nodes/{node_id}/stats', '/_nodes/stats/{metric}', '/_nodes/{node_id}/stats/{metric}'],
    ['timeout'],
    (call) => nodesStats(call.engine, identity, call),
  );
  add('GET', ['/_nodes', '/_nodes/{node_id}', '/_nodes/{node_id}/{metric}'], ['flat_settings', 'timeout'], (call) =>
    nodesInfo(identity, call),
  );
}
