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

test('groups of collapsed hits leave out what a post_filter leaves out', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ tag: 'x', n: 1 }, { tag: 'x', n: 2 }, { n: 3 }, { n: 4 }]);
  const { json } = await ask('POST /t/_search', {
    post_filter: { range: { n: { gte: 2 } } },
    collapse: { field: 'tag.keyword', inner_hits: { name: 'i', sort: ['n'] } },
    sort: ['n'],
  });
  assert.deepEqual(
    json.hits.hits.map((hit: { inner_hits: { i: { hits: { hits: { _id: string }[] } } } }) =>
      hit.inner_hits.i.hits.hits.map(({ _id }) => _id),
    ),
    [['2'], ['3', '4']],
  );
});

test('of a parameter that is given twice the last value counts, and what is no format is ignored', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 1, b: 2 }]);
  const { json } = await ask('GET /t/_search?_source_excludes=a&_source_excludes=b&format=nobody');
  assert.deepEqual(json.hits.hits[0]._source, { a: 1 });
});

test('a header of a multi search is read before any search runs', async () => {
  const ask = await startRest();
  await ask('PUT /t');
  for (const [header, reason] of [
    ['{"request_cache":"x"}', 'Could not convert [request_cache] to boolean'],
    ['{"ccs_minimize_roundtrips":"x"}', 'Failed to parse value [x] as only [true] or [false] are allowed.'],
    ['{"search_type":"x"}', 'No search type for [x]'],
    ['{"expand_wildcards":"x"}', 'No valid expand wildcard value [x]'],
  ] as const) {
    const { json, status } = await ask('POST /t/_msearch', `{}\n{}\n${header}\n{}\n`);
    assert.deepEqual([status, json.error.reason], [400, reason]);
  }
});

test('mistakes are told in the order in which they are read', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { place: { type: 'geo_point' }, n: { type: 'long' } } } });
  for (const [body, type, reason] of [
    [
      { query: { function_score: { functions: [{ weight: -1, filter: { nobody: {} } }] } } },
      'parsing_exception',
      /unknown query \[nobody\]/,
    ],
    [
      { query: { function_score: { functions: [{ gauss: { nobody: { origin: 1, scale: 2 } }, weight: -1 }] } } },
      'illegal_argument_exception',
      /\[weight\] cannot be negative for a filtering function/,
    ],
    [
      { highlight: { pre_tags: ['<b>'], fields: { a: { type: {} } } } },
      'x_content_parse_exception',
      /type doesn't support values/,
    ],
    [{ query: { geo_bounding_box: { place: { top: 3 } } } }, 'illegal_argument_exception', /left longitude is invalid/],
    [{ query: { geo_polygon: { place: {} } } }, 'illegal_argument_exception', /polygon must not be null or empty/],
    [{ query: { more_like_this: { like: [] } } }, 'parsing_exception', /requires 'like' to be specified/],
    [{ query: { wrapper: { query: 'eyJ9x' } } }, 'json_parse_exception', /as base64/],
  ] as const) {
    const { json, status } = await ask('POST /t/_search', body);
    assert.equal(status, 400);
    assert.equal(json.error.root_cause[0].type, type, json.error.root_cause[0].reason);
    assert.match(json.error.root_cause[0].reason, reason);
  }
  const grid = { size: 0, aggs: { g: { geotile_grid: { field: 'place', bounds: { top: 3 } } } } };
  assert.equal((await ask('POST /t/_search', grid)).status, 200);
});

test('words in many documents only weigh, unless all are in many', async () => {
  const ask = await startRest();
  await load(ask, 't', [
    { a: 'the dog the', b: 'red fox' },
    { a: 'red', b: 'the fox' },
    { a: 'fox red dog', b: 'red fox' },
    { a: 'red', b: 'the dog' },
  ]);
  const words = { query: 'the dog red', cutoff_frequency: 2 };
  const crossed = { query: 'the red', fields: ['a', 'b'], type: 'cross_fields', cutoff_frequency: 2 };
  for (const [query, hits] of [
    [{ common: { a: words } }, { 1: 2.0268073, 3: 0.8715504 }],
    [{ common: { a: { ...words, low_freq_operator: 'and' } } }, { 1: 2.0268073 }],
    [{ common: { a: { query: 'red dog', cutoff_frequency: 1 } } }, { 3: 0.8715504 }],
    [{ match: { a: { ...words, minimum_should_match: 2 } } }, { 1: 2.0268073 }],
    [{ multi_match: crossed }, { 1: 0.5353248, 2: 0.6931471, 3: 0.40146798, 4: 0.6931471 }],
  ] as const) {
    const { json } = await ask('POST /t/_search', { query });
    const found = json.hits.hits.map(({ _id, _score }: { _id: string; _score: number }) => [_id, _score]);
    assert.deepEqual(Object.fromEntries(found), hits);
  }
});
