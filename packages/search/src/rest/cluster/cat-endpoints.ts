// The endpoints of the `_cat` tables, and `_cat` itself, which lists them.
import { type Endpoint, type Params, reads } from '../request/endpoint.ts';
import { type Call, flagParam } from '../request/request.ts';
import { CAT, EXPAND, LOCAL, QUERY } from '../request/route-params.ts';
import { columnsOf, type TableName } from './cat-columns.ts';
import { catTable, type Column, type Row } from './cat-table.ts';
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
  catRecovery,
  catSegments,
  catSnapshots,
  catTasks,
  catThreadPool,
} from './cat-node-tables.ts';

/**
 * Defines a table.
 *
 * @param names its paths after `/_cat/`, such as `count count/{index}`
 * @param rows computed unless the request asks for help
 * @param columns changes those of data/cat-columns.json for a request
 */
function table(
  names: string,
  params: Params,
  rows: (call: Call) => readonly Row[] | Promise<readonly Row[]>,
  columns: (all: readonly Column[], call: Call) => readonly Column[] = (all) => all,
): Endpoint {
  const all = columnsOf(names.split(/[ /]/)[0] as TableName);
  return reads('GET', names.replace(/^|(?<= )/g, '/_cat/'), { ...CAT, ...params }, (call) =>
    catTable(call, columns(all, call), rows),
  );
}

/** The rows of tables about what one node does not have. */
const none = (): readonly Row[] => [];

const SNAPSHOT_PARAMS = { ignore_unavailable: 'flag', master_timeout: 'time' } as const;

/** In the order in which `_cat` lists them. */
const LISTED: readonly Endpoint[] = [
  table('allocation', LOCAL, catAllocation),
  table('shards shards/{index}', LOCAL, catShards),
  table('master', LOCAL, catMaster),
  table('nodes', { ...LOCAL, full_id: 'flag' }, catNodes),
  table('tasks', { actions: 'text', detailed: 'flag', nodes: 'text', parent_task_id: 'text' }, catTasks, (all, call) =>
    all.filter(({ name }) => name !== 'description' || flagParam(call, 'detailed')),
  ),
  table(
    'indices indices/{index}',
    { ...LOCAL, ...EXPAND, health: 'text', include_unloaded_segments: 'flag' },
    catIndices,
  ),
  table('segments segments/{index}', {}, catSegments),
  table('count count/{index}', QUERY, catCount),
  table('recovery recovery/{index}', { ...EXPAND, active_only: 'flag', detailed: 'flag', index: 'text' }, catRecovery),
  table('health', {}, catHealth, (all, call) =>
    flagParam(call, 'ts', true) ? all : all.filter(({ name }) => name !== 'epoch' && name !== 'timestamp'),
  ),
  table('pending_tasks', LOCAL, none),
  table('aliases aliases/{alias}', { local: 'flag', ...EXPAND }, catAliases),
  table('thread_pool thread_pool/{thread_pools}', LOCAL, catThreadPool),
  table('plugins', LOCAL, none),
  table('fielddata fielddata/{fields}', { fields: 'text' }, catFielddata),
  table('nodeattrs', LOCAL, none),
  table('repositories', LOCAL, none),
  table('snapshots/{repository}', SNAPSHOT_PARAMS, catSnapshots),
  table('templates', LOCAL, catTemplates),
];

/** The tables. */
export const CAT_ENDPOINTS: readonly Endpoint[] = [
  ...LISTED,
  table('allocation/{node_id}', LOCAL, catAllocation),
  table('snapshots', SNAPSHOT_PARAMS, catSnapshots),
  table('templates/{name}', LOCAL, catTemplates),
  reads('GET', '/_cat', {}, () => catHelp(LISTED.flatMap(({ paths }) => paths))),
];
