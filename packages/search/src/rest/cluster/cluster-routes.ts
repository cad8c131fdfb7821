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
import { nodesInfo, nodesStats } from './node-handlers.ts';
import { getClusterSettings, health, type Identity, putClusterSettings } from './cluster-handlers.ts';
import type { Add } from '../request/route.ts';
import { ACKNOWLEDGED, CAT, EXPAND, LOCAL } from '../request/route-params.ts';

/** Adds them. */
export function addClusterRoutes(add: Add, identity: Identity): void {
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
  add(
    'GET',
    ['/_cat/indices', '/_cat/indices/{index}'],
    [...CAT, ...LOCAL, ...EXPAND, 'health', 'bytes', 'time', 'pri', 'include_unloaded_segments'],
    (call) => catIndices(call.engine, call),
  );
  add('GET', '/_cat/health', [...CAT, ...LOCAL, 'ts', 'time'], (call) => catHealth(call.engine, identity, call));
  add('GET', ['/_cat/count', '/_cat/count/{index}'], [...CAT, ...EXPAND, ...LOCAL], (call) =>
    catCount(call.engine, call),
  );
  add('GET', ['/_cat/aliases', '/_cat/aliases/{name}'], [...CAT, 'local', 'expand_wildcards'], (call) =>
    catAliases(call.engine, call),
  );

  add('GET', '/_cat/nodes', [...CAT, ...LOCAL, 'bytes', 'time', 'full_id'], (call) => catNodes(identity, call));
  add('GET', '/_cat/master', [...CAT, ...LOCAL], (call) => catMaster(call));
  add('GET', ['/_cat/shards', '/_cat/shards/{index}'], [...CAT, ...LOCAL, ...EXPAND, 'bytes', 'time'], (call) =>
    catShards(call.engine, call),
  );
  add('GET', ['/_cat/templates', '/_cat/templates/{name}'], [...CAT, ...LOCAL], (call) =>
    catTemplates(call.engine, call),
  );
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
