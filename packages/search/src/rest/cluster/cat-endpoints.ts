// The endpoints of the `_cat` tables, and `_cat` itself, which lists them.
import { type Endpoint, type Params, reads } from '../request/endpoint.ts';
import { CAT, EXPAND, LOCAL, QUERY } from '../request/route-params.ts';
import { catSnapshots } from './cat-snapshots.ts';
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

const table = (paths: string | readonly string[], params: Params, answer: Endpoint['answer']): Endpoint =>
  reads('GET', paths, { ...CAT, ...params }, answer);

/** In the order in which `_cat` lists them. */
const LISTED: readonly Endpoint[] = [
  table('/_cat/allocation', LOCAL, catAllocation),
  table(['/_cat/shards', '/_cat/shards/{index}'], LOCAL, catShards),
  table('/_cat/master', LOCAL, catMaster),
  table('/_cat/nodes', { ...LOCAL, full_id: 'flag' }, catNodes),
  table('/_cat/tasks', { actions: 'text', detailed: 'flag', nodes: 'text', parent_task_id: 'text' }, catTasks),
  table(
    ['/_cat/indices', '/_cat/indices/{index}'],
    { ...LOCAL, ...EXPAND, health: 'text', include_unloaded_segments: 'flag' },
    catIndices,
  ),
  table(['/_cat/segments', '/_cat/segments/{index}'], {}, catSegments),
  table(['/_cat/count', '/_cat/count/{index}'], QUERY, catCount),
  table(
    ['/_cat/recovery', '/_cat/recovery/{index}'],
    { ...EXPAND, active_only: 'flag', detailed: 'flag', index: 'text' },
    catRecovery,
  ),
  table('/_cat/health', {}, catHealth),
  table('/_cat/pending_tasks', LOCAL, catPendingTasks),
  table(['/_cat/aliases', '/_cat/aliases/{alias}'], { local: 'flag', expand_wildcards: 'wildcards' }, catAliases),
  table(['/_cat/thread_pool', '/_cat/thread_pool/{thread_pools}'], LOCAL, catThreadPool),
  table('/_cat/plugins', LOCAL, catPlugins),
  table(['/_cat/fielddata', '/_cat/fielddata/{fields}'], { fields: 'text' }, catFielddata),
  table('/_cat/nodeattrs', LOCAL, catNodeAttributes),
  table('/_cat/repositories', LOCAL, catRepositories),
  table('/_cat/snapshots/{repository}', { ignore_unavailable: 'flag', master_timeout: 'time' }, catSnapshots),
  table('/_cat/templates', LOCAL, catTemplates),
];

/** The tables. */
export const CAT_ENDPOINTS: readonly Endpoint[] = [
  ...LISTED,
  table('/_cat/allocation/{node_id}', LOCAL, catAllocation),
  table('/_cat/snapshots', { ignore_unavailable: 'flag', master_timeout: 'time' }, catSnapshots),
  table('/_cat/templates/{name}', LOCAL, catTemplates),
  reads('GET', '/_cat', {}, () => catHelp(LISTED.flatMap(({ paths }) => paths))),
];
