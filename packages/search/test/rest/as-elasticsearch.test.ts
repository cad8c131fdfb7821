// Answers that were taken from Elasticsearch 7.10.2 side by side with ours (`npm run soak -- engines`), where the two differed once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { load, startRest } from './harness.ts';

test('an alias answers under its own name', async () => {
  const ask = await startRest();
  const label = { type: 'alias', path: 'tag' };
  await ask('PUT /t', { mappings: { properties: { tag: { type: 'keyword' }, label } } });
  await ask('PUT /t/_doc/1?refresh=true', { tag: ['x', 'zed'] });
  for (const wanted of [{ docvalue_fields: ['label'] }, { fields: ['label'] }]) {
    const { json } = await ask('POST /t/_search', wanted);
    assert.deepEqual(json.hits.hits[0].fields, { label: ['x', 'zed'] });
  }
  const { json } = await ask('POST /t/_search', { docvalue_fields: ['t*', 'l*'] });
  assert.deepEqual(json.hits.hits[0].fields, { tag: ['x', 'zed'], label: ['x', 'zed'] });
  const all = await ask('POST /t/_search', { docvalue_fields: ['*'] });
  assert.equal(
    all.json.error.root_cause[0].reason,
    'Fielddata is not supported on field [_feature] of type [_feature]',
  );
});

test('a keyword beyond ignore_above is left out without being named in _ignored', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { k: { type: 'keyword', ignore_above: 3 } } } });
  await ask('PUT /t/_doc/1?refresh=true', { k: 'long' });
  const { json } = await ask('POST /t/_search', {});
  assert.equal(json.hits.hits[0]._ignored, undefined);
  assert.equal((await ask('POST /t/_count', { query: { exists: { field: 'k' } } })).json.count, 0);
});

test('where a pattern fits no index, the best score is zero', async () => {
  const ask = await startRest();
  assert.equal((await ask('GET /absent*/_search')).json.hits.max_score, 0);
});

test('statistics of a field count documents that have a term of it', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { text: { type: 'text' } } } });
  await ask('PUT /t/_doc/1', { text: 'a first note' });
  await ask('PUT /t/_doc/2?refresh=true', { text: '' });
  const { json } = await ask('GET /t/_termvectors/1?fields=text');
  assert.deepEqual(json.term_vectors.text.field_statistics, { sum_doc_freq: 3, doc_count: 1, sum_ttf: 3 });
});

test('an index that cannot take a search is listed beside what the others answer', async () => {
  const ask = await startRest();
  await ask('PUT /a', { mappings: { properties: { n: { type: 'long' } } } });
  await ask('PUT /b', { mappings: { properties: { n: { type: 'keyword' } } } });
  await ask('PUT /b/_doc/1?refresh', { n: 'x' });
  const query = { term: { n: 'x' } };
  const failure = {
    shard: 0,
    index: 'a',
    node: 'lockstitch',
    reason: {
      type: 'query_shard_exception',
      reason: 'failed to create query: For input string: "x"',
      index: 'a',
      caused_by: { type: 'number_format_exception', reason: 'For input string: "x"' },
    },
  };
  const aggs = { all: { value_count: { field: 'n' } } };
  const { json } = await ask('POST /a,b/_search', { query, aggs });
  assert.deepEqual(json._shards, { total: 2, successful: 1, skipped: 0, failed: 1, failures: [failure] });
  assert.equal(json.aggregations.all.value, 1);
  const counted = await ask('POST /a,b/_count', { query });
  assert.deepEqual([counted.json.count, counted.json._shards.failures], [1, [failure]]);
  const all = await ask('POST /a,b/_search?allow_partial_search_results=false', { query });
  assert.equal(all.json.error.type, 'search_phase_execution_exception');
  const both = await ask('POST /a,b/_search', { sort: ['absent'] });
  assert.deepEqual(
    both.json.error.root_cause.map(({ index }: { readonly index: string }) => index),
    ['a', 'b'],
  );
});

test('indices that fail do not make the others search again and again', async () => {
  // A search of both good indices visits 60 terms: two searches of them are within the limit, three are not.
  const ask = await startRest(createRestApi(await createEngine(), { maxVisitedTerms: 150 }));
  const words = Array.from({ length: 30 }, (_, at) => ({ word: `w${at}`, rank: at }));
  const properties = { word: { type: 'keyword' }, rank: { type: 'long' } };
  for (const index of ['a1', 'a2']) {
    await ask(`PUT /${index}`, { mappings: { properties } });
    await load(ask, index, words);
  }
  for (let at = 0; at < 8; at++) {
    await ask(`PUT /b${at}`, { mappings: { properties: { word: { type: 'keyword' }, rank: { type: 'text' } } } });
    await load(ask, `b${at}`, [{ word: 'w1' }]);
  }
  const query = { wildcard: { word: '*' } };
  const aggs = { all: { cardinality: { field: 'word' } }, best: { max: { field: 'rank' } } };
  for (const body of [
    { query, aggs },
    { query, sort: ['rank'], aggs: { all: aggs.all } },
    { query, highlight: { fields: { word: {} } }, aggs },
  ]) {
    const { json, text } = await ask('POST /a*,b*/_search', body);
    assert.deepEqual([json._shards?.successful, json._shards?.failed, json.hits?.total.value], [2, 8, 60], text);
    assert.equal(json.aggregations.all.value, 30);
  }
  const none = await ask('POST /b*/_search', { query, sort: ['rank'] });
  assert.equal(none.json.error.failed_shards.length, 8);
});

test('an index that fails in a group of a collapsed hit leaves the group to the others', async () => {
  const ask = await startRest();
  await ask('PUT /a', { mappings: { properties: { k: { type: 'keyword' }, n: { type: 'long' } } } });
  await ask('PUT /b', { mappings: { properties: { k: { type: 'keyword' } } } });
  await ask('PUT /a/_doc/1?refresh', { k: 'x', n: 1 });
  await ask('PUT /b/_doc/2?refresh', { k: 'x' });
  const { json } = await ask('POST /a,b/_search', {
    collapse: { field: 'k', inner_hits: { name: 'group', sort: ['n'] } },
  });
  assert.deepEqual([json._shards.failed, json.hits.total.value, json.hits.hits.length], [0, 2, 1]);
  assert.deepEqual(json.hits.hits[0].inner_hits.group.hits.total.value, 1);
});

test('dates before 1970 sorted as nanoseconds fail their index alone, on whichever page they are', async () => {
  const ask = await startRest();
  for (const [index, dates] of [
    ['a', ['2020-01-01', '1960-01-01']],
    ['b', ['2000-01-01']],
  ] as const) {
    await ask(`PUT /${index}`, { mappings: { properties: { w: { type: 'date' } } } });
    await load(
      ask,
      index,
      dates.map((w) => ({ w })),
    );
  }
  const sort = { w: { order: 'desc', numeric_type: 'date_nanos' } };
  const { json } = await ask('POST /a,b/_search', { sort, size: 1 });
  assert.deepEqual([json._shards.failed, json.hits.total.value, json.hits.hits[0]._index], [1, 1, 'b']);
  const best = await ask('POST /a,b/_search', { size: 0, aggs: { best: { top_hits: { sort, size: 1 } } } });
  assert.deepEqual([best.json._shards.failed, best.json.aggregations.best.hits.total.value], [1, 1]);
});

test('a refused document gives an index no type', async () => {
  const ask = await startRest();
  await ask('PUT /j', {});
  assert.equal((await ask('POST /j/ty/1/_update', { upsert: { '': 'x' }, doc: {} })).status, 400);
  assert.equal((await ask('PUT /j/ty/1', { '': 'x' })).status, 400);
  assert.equal((await ask('POST /j/other/2/_update', { upsert: { a: 1 }, doc: {} })).status, 201);
  assert.equal((await ask('PUT /j/ty/1', { a: 1 })).status, 400);
  assert.equal((await ask('PUT /j/other/1', { a: 1 })).status, 201);
});
