// What clients and tools ask about the node: its address, its numbers, and the tables beside them.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { load, startRest } from './harness.ts';

test('the node tells the address its caller came by, and the sums of its indices', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 1 }, { a: 2 }]);
  const info = await ask('GET /_nodes/_all/http', undefined, { headers: { host: 'search.example:9200' } });
  equal(info.json.nodes.lockstitch.http.publish_address, 'search.example:9200', info.text);
  equal((await ask('GET /_nodes/lock*')).json._nodes.total, 1);
  deepEqual((await ask('GET /_nodes/other')).json.nodes, {});
  const stats = await ask('GET /_nodes/stats');
  equal(stats.json.nodes.lockstitch.indices.docs.count, 2, stats.text);
  equal((await ask('GET /_nodes/_local/stats/indices')).json.nodes.lockstitch.indices.docs.count, 2);
  const refused = await ask('GET /_nodes/stats/breaker');
  equal(refused.status, 400);
  match(refused.text, /metric \[breaker\] of nodes is not supported/);
});

test('a node without an index has all numbers, those of what cannot happen, and what it is made of', async () => {
  const ask = await startRest();
  const told = async (path: string): Promise<any> => (await ask(`GET /_nodes/${path}`)).json.nodes.lockstitch;
  const { indices } = await told('stats/indices');
  deepEqual([indices.docs, indices.search.query_total, indices.translog.operations], [{ count: 0, deleted: 0 }, 0, 0]);
  deepEqual((await told('stats/indices/store')).indices, { store: { size_in_bytes: 0, reserved_in_bytes: 0 } });
  const { discovery, thread_pool: pools, ip } = await told('stats/discovery,thread_pool');
  deepEqual([discovery.cluster_state_queue.pending, pools.write.rejected, ip], [0, 0, '127.0.0.1:9200']);
  deepEqual((await told('settings?flat_settings=true')).settings['node.name'], 'lockstitch');
  equal((await told('settings')).settings.client.type, 'node');
  deepEqual((await told('ingest')).ingest.processors[0], { type: 'append' });
  equal((await told('thread_pool')).thread_pool.get.queue_size, 1000);
  const { indices: all, nodes } = (await ask('GET /_cluster/stats')).json;
  deepEqual([all.docs.count, all.segments.count, nodes.ingest.number_of_pipelines], [0, 0, 0]);
  const wrong = await ask('POST /_nodes/reload_secure_settings', { secure_settings_password: 'x' });
  equal(wrong.json.nodes.lockstitch.reload_exception.type, 'security_exception');
});

test('the list of tasks has the request that asks for it', async () => {
  const ask = await startRest();
  const headers = { 'x-opaque-id': 'mine' };
  const [task] = (await ask('GET /_tasks?group_by=none', undefined, { headers })).json.tasks;
  deepEqual([task.action, task.headers], ['cluster:monitor/tasks/lists', { 'X-Opaque-Id': 'mine' }]);
  deepEqual((await ask('GET /_tasks?actions=*reindex')).json, { nodes: {} });
  match((await ask('GET /_cat/tasks?h=action,task_id')).text, /^cluster:monitor\/tasks\/lists lockstitch:0\n$/);
});

test('nodes, shards and templates have their tables', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 1 }]);
  await ask('PUT /closed');
  await ask('POST /closed/_close');
  await ask('PUT /_template/old', { index_patterns: ['a*', 'b*'], order: 2 });
  await ask('PUT /_index_template/new', { index_patterns: 'c*', priority: 5, version: 7 });
  const rows = async (path: string): Promise<unknown> => (await ask(`GET ${path}`)).json;
  deepEqual(await rows('/_cat/nodes?format=json&h=ip,node.role,master,name'), [
    { ip: '127.0.0.1', 'node.role': 'dim', master: '*', name: 'lockstitch' },
  ]);
  deepEqual(await rows('/_cat/shards?format=json&h=index,prirep,state,docs&s=index'), [
    { index: 'closed', prirep: 'p', state: 'STARTED', docs: null },
    { index: 'closed', prirep: 'r', state: 'UNASSIGNED', docs: null },
    { index: 't', prirep: 'p', state: 'STARTED', docs: '1' },
    { index: 't', prirep: 'r', state: 'UNASSIGNED', docs: null },
  ]);
  deepEqual(await rows('/_cat/templates?format=json&s=name'), [
    { name: 'new', index_patterns: '[c*]', order: '5', version: '7', composed_of: '[]' },
    { name: 'old', index_patterns: '[a*, b*]', order: '2', version: null, composed_of: '' },
  ]);
  equal((await ask('GET /_cat/templates/o*?h=n')).text, 'old\n');
  match((await ask('GET /_cat/master?v')).text, /^id +host +ip +node/);
});

test('whether an index has a type is answered with a bare status', async () => {
  const ask = await startRest();
  await ask('PUT /t?include_type_name=true', { mappings: { photo: { properties: { a: { type: 'long' } } } } });
  await load(ask, 'u', [{ a: 1 }]);
  deepEqual(
    await Promise.all(
      ['/t/_mapping/photo', '/t/_mapping/other', '/u/_mapping/_doc', '/absent/_mapping/x'].map(
        async (path) => (await ask(`HEAD ${path}`)).status,
      ),
    ),
    [200, 404, 200, 404],
  );
});

test('memory, load and disk are told in the shape that monitoring reads', async () => {
  const ask = await startRest();
  const [row] = (await ask('GET /_cat/nodes?format=json')).json;
  deepEqual(
    Object.keys(row),
    'ip heap.percent ram.percent cpu load_1m load_5m load_15m node.role master name'.split(' '),
  );
  const [asked] = (
    await ask('GET /_cat/nodes?format=json&bytes=b&h=heap.current,heap.max,ram.max,disk.avail,disk.total')
  ).json;
  for (const value of Object.values(asked)) equal(Number(value) > 0, true, JSON.stringify(asked));
  const { jvm, os, fs } = (await ask('GET /_nodes/stats/jvm,os,fs')).json.nodes.lockstitch;
  equal(jvm.mem.heap_used_in_bytes < jvm.mem.heap_max_in_bytes, true);
  deepEqual(Object.keys(jvm.mem.pools), ['young', 'old', 'survivor']);
  equal(os.mem.used_in_bytes + os.mem.free_in_bytes, os.mem.total_in_bytes);
  deepEqual(Object.keys(os.cpu.load_average), ['1m', '5m', '15m']);
  equal(fs.total.available_in_bytes <= fs.total.total_in_bytes, true);
  const { nodes } = (await ask('GET /_cluster/stats')).json;
  equal(nodes.jvm.mem.heap_max_in_bytes, jvm.mem.heap_max_in_bytes);
  match((await ask('GET /_nodes/stats/jmv')).json.error.reason, /unrecognized metric: \[jmv\]/);
});

test('a caller who sees a part of an index is not told how busy the node is', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 1 }, { a: 2 }]);
  const view = () => ({ rows: { kind: 'term', field: 'a', term: '1' } }) as const;
  const of = async (target: string): Promise<any> => (await ask(target, undefined, { view })).json;
  const { jvm, os, fs } = (await of('GET /_nodes/stats')).nodes.lockstitch;
  deepEqual(
    [jvm.mem.heap_used_in_bytes, jvm.uptime_in_millis, os.cpu.percent, os.mem.free_in_bytes, fs.total.free_in_bytes],
    [0, 0, 0, 0, 0],
  );
  const [row] = await of('GET /_cat/nodes?format=json&h=heap.percent,cpu,load_1m,disk.used_percent,uptime');
  deepEqual(Object.values(row), ['0', '0', '0.00', '0', '0s']);
  equal((await of('GET /_cluster/stats')).nodes.jvm.mem.heap_used_in_bytes, 0);
});
