// The numbers that `_stats` tells of an index.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { load, startRest } from './harness.ts';

test('searches are counted under the names they give themselves', async () => {
  const ask = await startRest();
  await load(ask, 'notes', [{ text: 'a' }]);
  await ask('POST /notes/_search', { stats: ['daily', 'api'] });
  await ask('GET /notes/_search?stats=daily');
  const groups = async (params: string) =>
    (await ask(`GET /notes/_stats/search?${params}`)).json._all.total.search.groups;
  equal(await groups(''), undefined);
  const all = await groups('groups=_all');
  deepEqual([all.daily.query_total, all.api.query_total], [2, 1]);
  deepEqual(Object.keys(await groups('groups=d*')), ['daily']);
});

test('the memory of fielddata and of completions is told by field', async () => {
  const ask = await startRest();
  const text = { type: 'text', fielddata: true, fields: { typed: { type: 'completion' } } };
  await ask('PUT /t', { mappings: { properties: { a: text, b: text, plain: { type: 'text' } } } });
  await load(ask, 't', [{ a: 'one two', b: 'three', plain: 'four' }]);
  const total = async (params: string) => (await ask(`GET /t/_stats?${params}`)).json._all.total;
  const { fielddata, completion } = await total('fields=*');
  deepEqual(Object.keys(fielddata.fields).sort(), ['a', 'b']);
  deepEqual(Object.keys(completion.fields).sort(), ['a.typed', 'b.typed']);
  ok(fielddata.fields.a.memory_size_in_bytes > 0);
  equal(
    fielddata.memory_size_in_bytes,
    fielddata.fields.a.memory_size_in_bytes + fielddata.fields.b.memory_size_in_bytes,
  );
  const some = await total('fielddata_fields=a');
  deepEqual([Object.keys(some.fielddata.fields), some.completion.fields], [['a'], undefined]);
  const none = await total('');
  deepEqual([none.fielddata.fields, none.completion.size_in_bytes], [undefined, completion.size_in_bytes]);
});

test('flushes are counted, and a synced one leaves a mark until the next write', async () => {
  const ask = await startRest();
  await ask('PUT /t');
  const flushes = async () => (await ask('GET /t/_stats/flush')).json.indices.t.primaries.flush.total;
  const mark = async () =>
    (await ask('GET /t/_stats?level=shards')).json.indices.t.shards['0'][0].commit.user_data.sync_id;
  const before = await flushes();
  await ask('POST /t/_flush');
  equal(await flushes(), before + 1);
  await ask('POST /t/_flush/synced');
  const left = await mark();
  ok(typeof left === 'string');
  await ask('PUT /t/_doc/1', { a: 1 });
  equal(await mark(), undefined);
});

test('writes are told by type, and a closed index where it is asked for', async () => {
  const ask = await startRest();
  await ask('PUT /t/photo/1?refresh=true', { a: 1 });
  const { types } = (await ask('GET /t/_stats/indexing?types=_all')).json._all.total.indexing;
  deepEqual([Object.keys(types), types.photo.index_total], [['photo'], 1]);
  await ask('POST /t/_close');
  equal((await ask('GET /t/_stats')).status, 400);
  const segments = async (params: string) =>
    (await ask(`GET /t/_stats/segments?forbid_closed_indices=false${params}`)).json.indices.t.total.segments.count;
  equal(await segments(''), 0);
  equal(await segments('&include_unloaded_segments=true'), 1);
});

test('_count ends after terminate_after, and says so', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 1 }, { a: 2 }, { a: 3 }]);
  const counted = await ask('GET /t/_count?terminate_after=2');
  deepEqual([counted.json.count, counted.json.terminated_early], [2, true], counted.text);
  equal((await ask('GET /t/_count?terminate_after=9')).json.terminated_early, false);
  // What only other endpoints know is refused.
  for (const path of ['GET /t/_search?min_score=5', 'GET /t/_mget?version=3', 'GET /t/_count?parent=2'])
    equal((await ask(path)).status, 400, path);
});

test('searches are not counted by names so long that they would fill the memory', async () => {
  const ask = await startRest();
  await ask('PUT /notes');
  await ask('POST /notes/_search', { stats: ['short', 'x'.repeat(1001)] });
  const { groups } = (await ask('GET /notes/_stats/search?groups=*')).json._all.total.search;
  deepEqual(Object.keys(groups), ['short']);
});

test('looking at figures, lists and documents is not counted as searching', async () => {
  const ask = await startRest();
  await load(ask, 'i', [{ name: 'x' }]);
  const searches = async (): Promise<number> =>
    (await ask('GET /i/_stats')).json._all.primaries.search.query_total as number;
  await ask('GET /_cat/indices');
  await ask('GET /_cat/count');
  await ask('GET /i/_doc/1?realtime=false');
  equal(await searches(), 0);
  await ask('GET /i/_search');
  await ask('GET /i/_count');
  equal(await searches(), await searches());
  equal(await searches(), 2);
});

test('documents that are read by their ids are counted, and none of them for a term vector', async () => {
  const ask = await startRest();
  await load(ask, 'notes', [{ text: 'a' }]);
  await load(ask, 'others', [{ text: 'a' }]);
  const [id] = (await ask('GET /notes/_search')).json.hits.hits.map(({ _id }: { _id: string }) => _id);
  for (const target of [
    `GET /notes/_doc/${id}`,
    'GET /notes/_doc/none',
    'HEAD /notes/_doc/none',
    `GET /notes/_source/${id}`,
  ])
    await ask(target);
  await ask(`POST /notes/_update/${id}`, { doc: { n: 1 } });
  await ask('POST /notes/_mget', { ids: [id, 'none'] });
  await ask(`GET /notes/_termvectors/${id}`);
  await ask('POST /others/_search', { query: { terms: { text: { index: 'notes', id, path: 'text' } } } });
  const { get } = (await ask('GET /notes/_stats/get')).json.indices.notes.total;
  deepEqual([get.total, get.exists_total, get.missing_total], [8, 5, 3]);
});
