// What Elasticsearch 7.10.2 answers about shards that lie on one node, and about snapshots and scripts where there are none.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from './harness.ts';

test('allocation of a shard is explained: a started one, one without a node, and one that is not there', async () => {
  const ask = await startRest();
  const path = 'GET /_cluster/allocation/explain';
  match((await ask(path)).json.error.reason, /^unable to find any unassigned shards to explain/);
  await ask('PUT /a', { settings: { number_of_replicas: 1 } });
  const started = (await ask(path, { index: 'a', shard: 0, primary: true })).json;
  deepEqual(
    [started.current_state, started.can_rebalance_cluster, started.can_remain_on_current_node],
    ['started', 'no', 'yes'],
  );
  for (const body of [undefined, { index: 'a', shard: 0, primary: false }]) {
    const { json } = await ask(path, body);
    deepEqual([json.index, json.primary, json.current_state, json.can_allocate], ['a', false, 'unassigned', 'no']);
    equal(json.node_allocation_decisions[0].deciders[0].decider, 'same_shard');
  }
  const types = [
    { index: 'a' },
    { index: 'b', shard: 0, primary: true },
    { index: 'a', shard: 9, primary: true },
    { foo: 1 },
  ].map(async (body) => (await ask(path, body)).json.error.type);
  deepEqual(await Promise.all(types), [
    'action_request_validation_exception',
    'index_not_found_exception',
    'shard_not_found_exception',
    'x_content_parse_exception',
  ]);
});

test('a reroute moves nothing, answers the state that is asked for and says why a command does nothing', async () => {
  const ask = await startRest();
  await ask('PUT /a');
  const { json } = await ask('POST /_cluster/reroute?metric=metadata&explain=true');
  deepEqual([json.acknowledged, Object.keys(json.state.metadata.indices), json.explanations], [true, ['a'], []]);
  const command = (node: string, index = 'a') => ({ commands: [{ cancel: { index, shard: 0, node } }] });
  const explained = await ask('POST /_cluster/reroute?explain=true&dry_run=true', command('lockstitch'));
  deepEqual(explained.json.explanations[0].parameters, {
    index: 'a',
    shard: 0,
    node: 'lockstitch',
    allow_primary: false,
  });
  equal(explained.json.explanations[0].decisions[0].decision, 'NO');
  equal(
    (await ask('POST /_cluster/reroute', command('X'))).json.error.reason,
    'failed to resolve [X], no matching nodes',
  );
  equal((await ask('POST /_cluster/reroute', command('lockstitch', 'b'))).status, 404);
  match(
    (await ask('POST /_cluster/reroute', command('lockstitch'))).json.error.reason,
    /^\[cancel_allocation\] can't cancel 0 on node .*, shard is primary and started$/,
  );
  equal(
    (await ask('POST /_cluster/reroute', { commands: [{ foo: {} }] })).json.error.caused_by.reason,
    'unknown field [foo]',
  );
});

test('voting exclusions want one way to name nodes', async () => {
  const ask = await startRest();
  equal((await ask('POST /_cluster/voting_config_exclusions?node_ids=a')).status, 200);
  equal((await ask('POST /_cluster/voting_config_exclusions')).status, 400);
  equal((await ask('POST /_cluster/voting_config_exclusions?node_ids=a&node_names=b')).status, 400);
  equal((await ask('DELETE /_cluster/voting_config_exclusions?wait_for_removal=false')).text, '');
});

test('where there are no snapshots, scripts and lost indices, none is found, and none is made', async () => {
  const ask = await startRest();
  const told: unknown[] = [];
  for (const target of [
    'GET /_snapshot',
    'GET /_snapshot/r',
    'GET /_snapshot/r*',
    'GET /_snapshot/r/s',
    'PUT /_snapshot/r/s',
    'GET /_snapshot/_status',
    'DELETE /_snapshot/r',
    'GET /_cat/snapshots',
    'GET /_cat/snapshots/r',
    'GET /_scripts/s',
    'DELETE /_scripts/s',
    'GET /_dangling?filter_path=dangling_indices',
    'POST /_dangling/u?accept_data_loss=true',
  ]) {
    const { status, json, text } = await ask(target);
    told.push([status, json?.error?.reason ?? text]);
  }
  const missing = '[r] missing';
  deepEqual(told, [
    [200, '{}'],
    [404, missing],
    [404, '[r*] missing'],
    [404, missing],
    [404, missing],
    [200, '{"snapshots":[]}'],
    [404, missing],
    [400, 'Validation Failed: 1: repository is missing;'],
    [404, missing],
    [404, '{"_id":"s","found":false}'],
    [404, 'stored script [s] does not exist and cannot be deleted'],
    [200, '{"dangling_indices":[]}'],
    [400, 'No dangling index found for UUID [u]'],
  ]);
  const languages = (await ask('GET /_script_language')).json.language_contexts;
  deepEqual(languages[0], { language: 'mustache', contexts: ['template'] });
  const names = (await ask('GET /_script_context')).json.contexts.map(({ name }: any) => name);
  deepEqual(languages[1].contexts.concat('template').sort(), names.sort());
  for (const [target, body] of [
    ['PUT /_snapshot/r', { type: 'fs' }],
    ['PUT /_ingest/pipeline/p', { processors: [{ grok: { field: 'a', patterns: [] } }] }],
    ['POST /_scripts/s', { script: { lang: 'painless', source: '1' } }],
  ] as const) {
    const { status, text } = await ask(target, body);
    equal(status, 400, target);
    match(text, /is not supported/, target);
  }
});

test('human adds readable sizes, times, dates and versions to numbers about indices and nodes, and to nothing else', async () => {
  const ask = await startRest();
  await ask('PUT /a/_doc/1?refresh=true', { size_in_bytes: 2048 });
  const { index } = (await ask('GET /a/_settings?human')).json.a.settings;
  deepEqual(
    [index.creation_date_string, index.version.created_string],
    [new Date(Number(index.creation_date)).toISOString(), '7.10.2'],
  );
  const stats = (await ask('GET /a/_stats?human')).json._all.primaries;
  match(stats.store.size, /^\d+(\.\d)?k?b$/);
  equal(stats.get.getTime, '0s');
  const health = (await ask('GET /_cluster/health?human')).json;
  deepEqual([health.task_max_waiting_in_queue, health.active_shards_percent], ['0s', '50.0%']);
  deepEqual((await ask('GET /a/_source/1?human')).json, { size_in_bytes: 2048 });
  equal((await ask('GET /a/_stats')).json._all.primaries.store.size, undefined);
});

test('numbers of nodes are told by group of the numbers of indices, and by index', async () => {
  const ask = await startRest();
  await ask('PUT /a/_doc/1?refresh=true', {});
  const numbers = async (path: string): Promise<any> =>
    (await ask(`GET /_nodes/stats/${path}`)).json.nodes.lockstitch.indices;
  deepEqual(Object.keys(await numbers('indices/docs,store')).sort(), ['docs', 'store']);
  equal((await numbers('indices?level=indices')).indices.a.docs.count, 1);
  equal((await numbers('indices?level=shards')).shards.a['0'][0].docs.count, 1);
  equal((await ask('GET /_nodes/stats/indices?level=wrong')).status, 400);
  deepEqual((await ask('POST /_nodes/reload_secure_settings')).json.nodes, { lockstitch: { name: 'lockstitch' } });
  const { _shards: shards, upgraded_indices: upgraded } = (await ask('POST /a/_upgrade')).json;
  deepEqual([shards.failed, upgraded.a.upgrade_version], [0, '7.10.2']);
  equal((await ask('GET /_upgrade')).json.indices.a.size_to_upgrade_in_bytes, 0);
});
