// Settings of the cluster: each does what it says, and limits hold with Elasticsearch's defaults.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi, memoryDirectory, openEngine, createMapper } from '@lockstitch/search';
import { type Ask, ids, load, startRest } from './harness.ts';

const set = (ask: Ask, transient: object) => ask('PUT /_cluster/settings', { transient });

test('settings are shown as they were set, and null takes them back', async () => {
  const ask = await startRest();
  const put = await ask('PUT /_cluster/settings?flat_settings=true', { persistent: { 'search.max_buckets': 10 } });
  deepEqual(put.json, { acknowledged: true, persistent: { 'search.max_buckets': '10' }, transient: {} });
  deepEqual((await ask('GET /_cluster/settings')).json, {
    persistent: { search: { max_buckets: '10' } },
    transient: {},
  });
  const shown = await ask('GET /_cluster/settings?include_defaults=true&flat_settings=true');
  equal(shown.json.defaults['cluster.max_shards_per_node'], '1000');
  equal(shown.json.defaults['search.max_buckets'], undefined);
  await ask('PUT /_cluster/settings', { persistent: { 'search.*': null } });
  deepEqual((await ask('GET /_cluster/settings')).json.persistent, {});
  const unknown = await set(ask, { 'search.max_bucket': 1 });
  equal(unknown.status, 400);
  match(unknown.text, /transient setting \[search.max_bucket\], not recognized did you mean \[search\.max_buckets\]\?/);
  equal((await set(ask, { 'search.max_buckets': 'many' })).status, 400);
});

test('persistent settings outlive a restart, transient ones do not', async () => {
  const directory = memoryDirectory();
  const open = async () => openEngine({ directory, mapperFactory: createMapper });
  const first = await open();
  const ask = await startRest(createRestApi(first));
  await ask('PUT /_cluster/settings', {
    persistent: { 'search.max_keep_alive': '1h' },
    transient: { 'action.auto_create_index': false },
  });
  await first.close();
  const again = await startRest(createRestApi(await open()));
  deepEqual((await again('GET /_cluster/settings?flat_settings=true')).json, {
    persistent: { 'search.max_keep_alive': '1h' },
    transient: {},
  });
});

test('writes make no more shards than the cluster may have, and only indices that are allowed', async () => {
  const ask = await startRest();
  await set(ask, { 'cluster.max_shards_per_node': 5 });
  const lines = ['a', 'b', 'c'].flatMap((_index) => [{ index: { _index, _id: '1' } }, { n: 1 }]);
  const bulk = await ask('POST /_bulk', lines);
  const statuses = bulk.json.items.map(({ index }: { index: { status: number } }) => index.status);
  // Each has a replica that is asked for.
  deepEqual(statuses, [201, 201, 400], bulk.text);
  const { error } = bulk.json.items[2].index;
  equal(error.type, 'validation_exception');
  match(
    error.reason,
    /this action would add \[2\] total shards, but this cluster currently has \[4\]\/\[5\] maximum shards open/,
  );
  equal((await ask('PUT /d', { settings: { number_of_replicas: 0 } })).status, 200);
  equal((await ask('PUT /e', { settings: { number_of_replicas: 0 } })).status, 400);

  await set(ask, { 'cluster.max_shards_per_node': null, 'action.auto_create_index': '-secret*,s*' });
  equal((await ask('PUT /some/_doc/1', { n: 1 })).status, 201);
  match((await ask('PUT /secrets/_doc/1', { n: 1 })).text, /contains \[-secret\*\] which forbids automatic creation/);
  match((await ask('PUT /other/_doc/1', { n: 1 })).text, /\[action.auto_create_index\].*doesn't match/);
  await set(ask, { 'action.auto_create_index': ['-secret*', 'logs-*'] });
  equal((await ask('PUT /logs-1/_doc/1', { n: 1 })).status, 201);
  match((await ask('PUT /secret1/_doc/1', {})).text, /contains \[-secret\*\] which forbids/);
  await set(ask, { 'action.auto_create_index': 'false' });
  const refused = await ask('PUT /some2/_doc/1', { n: 1 });
  equal(refused.status, 404);
  match(refused.text, /no such index \[some2\] and \[action.auto_create_index\] is \[false\]/);
  equal((await ask('PUT /some2')).status, 200);
});

test('indices are deleted by their names where destructive_requires_name is set', async () => {
  const ask = await startRest();
  await ask('PUT /one');
  await set(ask, { 'action.destructive_requires_name': true });
  for (const path of ['/_all', '/*', '/o*'])
    match((await ask(`DELETE ${path}`)).text, /Wildcard expressions or all indices/);
  equal((await ask('DELETE /one')).status, 200);
  await set(ask, { 'action.destructive_requires_name': null });
  equal((await ask('DELETE /nothing*')).status, 200);
  equal((await ask('DELETE /nothing*?allow_no_indices=false')).status, 404);
});

test('one caller cannot take all open searches; too many are 429', async () => {
  const rest = createRestApi(await createEngine());
  const ask = await startRest(rest);
  await load(ask, 't', [{ n: 1 }]);
  await set(ask, { 'search.max_open_scroll_context': 10 });
  const open = async (caller: string) => ask('POST /t/_pit?keep_alive=1m', undefined, { caller });
  for (let at = 0; at < 2; at++) equal((await open('a')).status, 200);
  const refused = await open('a');
  equal(refused.status, 429);
  match(refused.text, /One caller may have \[2\] of \[10\] open at once/);
  for (const caller of ['b', 'c', 'd', 'e']) for (let at = 0; at < 2; at++) equal((await open(caller)).status, 200);
  const full = await ask('POST /t/_search?scroll=1m', {}, { caller: 'f' });
  equal(full.status, 429);
  match(full.text, /Must be less than or equal to: \[10\]/);
  rest.close();
});

test('a default timeout ends searches that name none', async () => {
  const rest = createRestApi(await createEngine(), { maxTurn: Infinity });
  const ask = await startRest(rest);
  await load(
    ask,
    't',
    Array.from({ length: 2000 }, (_, n) => ({ n })),
  );
  await set(ask, { 'search.default_search_timeout': '0ms' });
  equal((await ask('POST /t/_search', { query: { range: { n: { gte: 1 } } }, sort: ['n'] })).json.timed_out, true);
  const own = await ask('POST /t/_search', { query: { range: { n: { gte: 1 } } }, sort: ['n'], timeout: '1m' });
  deepEqual([own.json.timed_out, ids(own).length], [false, 10]);
});

test('a write that meets the deletion of its index is told that there is none', async () => {
  const engine = await createEngine();
  const index = await engine.createIndex('t');
  await engine.deleteIndex('t');
  const source = new TextEncoder().encode('{}');
  const failed = await index.apply([{ kind: 'index', id: '1', source }]).catch((error: unknown) => error);
  match(String(failed), /no such index \[t\]/);
  equal((failed as { status: number }).status, 404);
});

test('settings that move shards or set loggers are kept, and checked as Elasticsearch does', async () => {
  const ask = await startRest();
  const kept = {
    'cluster.routing.allocation.awareness.attributes': ['zone', 'rack'],
    'cluster.routing.allocation.exclude._name': 'node-2',
    'cluster.metadata.owner': 'ops',
    'logger.org.a': 'debug',
    'logger.org.a.b': 'info',
  };
  equal((await set(ask, kept)).status, 200);
  deepEqual((await ask('GET /_cluster/settings?flat_settings=true')).json.transient, kept);
  // One key is the beginning of another.
  deepEqual((await ask('GET /_cluster/settings')).json.transient.logger, { org: { a: 'debug', 'a.b': 'info' } });
  await set(ask, { 'logger.*': null, 'cluster.*': null });
  deepEqual((await ask('GET /_cluster/settings')).json.transient, {});
  for (const [key, value, reason] of [
    ['logger.x', 'loud', /Unknown level constant \[LOUD\]/],
    ['cluster.routing.allocation.balance.index', -1, /must be >= 0\.0/],
    ['indices.recovery.max_concurrent_file_chunks', 9, /must be <= 5/],
    ['cluster.routing.allocation.disk.watermark.low', 'x', /as a size in bytes/],
    ['action.auto_create_index', 'a,-', /must contain an index name after \[-\]/],
    ['thread_pool.search.size', 1, /not dynamically updateable/],
    ['indices.breaker.total.limit', '70%', /indices\.breaker\.total\.limit\] is not supported/],
    ['cluster.blocks.read_only', true, /cluster\.blocks\.read_only\] is not supported/],
  ] as const) {
    const { status, text } = await set(ask, { [key]: value });
    equal(status, 400, key);
    match(text, reason);
  }
});

test('the cluster says how many shards one search asks, and whether indices are closed', async () => {
  const ask = await startRest();
  for (const index of ['a', 'b']) await ask(`PUT /${index}`);
  await set(ask, { 'action.search.shard_count.limit': 1, 'cluster.indices.close.enable': false });
  for (const path of ['/_search', '/a,b/_count', '/_search?scroll=1m'])
    match((await ask(`GET ${path}`)).text, /Trying to query 2 shards, which is over the limit of 1/);
  equal((await ask('GET /a/_search')).status, 200);
  const closing = await ask('POST /a/_close');
  equal(closing.status, 400);
  match(closing.text, /closing indices is disabled/);
  await set(ask, { 'action.search.shard_count.limit': null, 'cluster.indices.close.enable': null });
  equal((await ask('GET /_search')).status, 200);
  equal((await ask('POST /a/_close')).status, 200);
});
