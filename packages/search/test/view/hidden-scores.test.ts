// A caller under a view asks by every door for scores that cannot be computed of a document they do not see.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexView } from '@lockstitch/search';
import { type Ask, startRest } from '../rest/harness.ts';
import type { Asked } from './requests.ts';

const MAPPING = {
  properties: {
    name: { type: 'keyword' },
    text: { type: 'text' },
    price: { type: 'long' },
    topics: { type: 'rank_features' },
    need: { type: 'long' },
    parts: { type: 'nested', properties: { price: { type: 'long' }, name: { type: 'keyword' } } },
  },
};
const SHOWN = {
  name: 'shown',
  text: 'red fox',
  price: 0,
  topics: { sport: 3 },
  need: 1,
  parts: [{ price: 0, name: 'p' }],
};
const HIDDEN = {
  name: 'hidden',
  text: 'red dog',
  price: 42,
  topics: { sport: 90, art: 7 },
  parts: [{ price: 42, name: 's' }, { name: 'none' }],
};
const VIEW: IndexView = { rows: { kind: 'term', field: 'name', term: 'shown' } };
const SEARCH = 'POST /t/_search';

const scored = (...functions: readonly unknown[]): object => ({
  function_score: { query: { match_all: {} }, functions, boost_mode: 'replace' },
});
const secret = { term: { name: 'hidden' } };

/** Each raises on the hidden document alone. */
const none = { field_value_factor: { field: 'price', factor: -1, modifier: 'sqrt' } };
const RAISING: readonly object[] = [
  scored({ field_value_factor: { field: 'price', factor: -1 } }),
  scored({ field_value_factor: { field: 'need' } }),
  scored({
    field_value_factor: { field: 'price', factor: -1, modifier: 'ln' },
    filter: { range: { price: { gt: 40 } } },
    weight: 2,
  }),
  scored({ ...none, filter: { prefix: { name: 'h' } } }),
  scored({ ...none, filter: { bool: { filter: [{ wildcard: { name: 'hi*' } }] } } }),
  scored({ field_value_factor: { field: 'price', factor: -1 }, filter: secret }),
  scored({ ...none, weight: 3, filter: { range: { price: { gte: 42 } } } }),
  { function_score: { query: secret, functions: [none] } },
  {
    function_score: {
      query: { ids: { values: ['2'] } },
      field_value_factor: { field: 'price', factor: -1 },
      boost_mode: 'sum',
    },
  },
  { function_score: { query: secret, functions: [none], score_mode: 'avg' } },
  { function_score: { query: secret, functions: [none], min_score: 0 } },
  { nested: { path: 'parts', query: scored({ field_value_factor: { field: 'parts.price', factor: -1 } }) } },
  { nested: { path: 'parts', query: scored({ field_value_factor: { field: 'parts.price' } }), score_mode: 'max' } },
];

const within = (query: object): readonly object[] => [
  query,
  { bool: { filter: [query] } },
  { bool: { must: [{ match_all: {} }], should: [query] } },
  { bool: { must_not: [query] } },
  { bool: { should: [query, { match: { text: 'red' } }], minimum_should_match: 2 } },
  { dis_max: { queries: [query, { match: { text: 'red' } }], tie_breaker: 0.5 } },
  { boosting: { positive: query, negative: { match: { text: 'fox' } }, negative_boost: 0.2 } },
  { boosting: { positive: { match_all: {} }, negative: query, negative_boost: 0.2 } },
  { constant_score: { filter: query } },
  { function_score: { query, functions: [{ filter: query, weight: 2 }], min_score: 0 } },
  { pinned: { ids: ['1', '2'], organic: query } },
];

const asked = (query: object): readonly Asked[] => [
  { target: SEARCH, body: { query, explain: true } },
  { target: SEARCH, body: { query, min_score: 0.1 } },
  {
    target: SEARCH,
    body: { query, size: 0, track_total_hits: true, aggs: { n: { value_count: { field: 'price' } } } },
  },
  { target: SEARCH, body: { query, sort: [{ price: 'asc' }, '_score'], track_scores: true } },
  { target: SEARCH, body: { query: { match_all: {} }, post_filter: query } },
  { target: SEARCH, body: { query, collapse: { field: 'name', inner_hits: { name: 'in' } } } },
  { target: SEARCH, body: { query: { match_all: {} }, rescore: { query: { rescore_query: query } } } },
  {
    target: SEARCH,
    body: {
      query: { match_all: {} },
      sort: [{ 'parts.price': { nested: { path: 'parts', filter: { exists: { field: 'parts.price' } } } } }],
    },
  },
  {
    target: SEARCH,
    body: {
      query: { match_all: {} },
      aggs: {
        one: { filter: query, aggs: { top: { top_hits: {} } } },
        more: { filters: { filters: { a: query, b: { match_all: {} } }, other_bucket_key: 'rest' } },
        pairs: { adjacency_matrix: { filters: { a: query, b: { match_all: {} } } } },
        telling: { significant_terms: { field: 'name', background_filter: query, min_doc_count: 1 } },
        best: { sampler: {}, aggs: { names: { terms: { field: 'name' } } } },
      },
    },
  },
  { target: 'POST /t/_count', body: { query } },
  { target: 'POST /_msearch', body: [{ index: 't' }, { query }, { index: 't' }, { query, size: 0 }] },
  { target: 'POST /t/_search?scroll=1m', body: { query, size: 1 } },
  { target: 'POST /t/_explain/1', body: { query } },
  { target: 'POST /t/_explain/2', body: { query } },
  { target: 'POST /t/_validate/query?explain=true', body: { query } },
];

async function open(documents: readonly (readonly [string, object])[]): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', { mappings: MAPPING });
  for (const [id, source] of documents) await ask(`PUT /t/_doc/${id}`, source);
  await ask('POST /t/_refresh');
  return ask;
}

const comparable = (text: string): string => text.replaceAll(/"took":\d+/g, '').replaceAll(/"_scroll_id":"[^"]*"/g, '');

test('1.1 scores that cannot be computed of a hidden document are asked of nobody, by whatever door', async () => {
  const view = { view: () => VIEW };
  const whole = await open([
    ['2', HIDDEN],
    ['1', SHOWN],
  ]);
  const cut = await open([['1', SHOWN]]);
  for (const [at, raising] of RAISING.entries()) {
    const bare = await whole(SEARCH, { query: raising });
    assert.equal(bare.status, 400, `${at}: ${bare.text}`);
    for (const [place, query] of within(raising).entries()) {
      for (const [door, { target, body }] of asked(query).entries()) {
        // Alone by every door, and within others by every fourth one.
        if (place > 0 && (at + place + door) % 4 !== 0) continue;
        const found = await whole(target, body, view);
        const expected = await cut(target, body, view);
        assert.deepEqual(
          [found.status, comparable(found.text)],
          [expected.status, comparable(expected.text)],
          `${target} ${JSON.stringify(body)}`,
        );
      }
    }
  }
});

test('1.1 a refusal for a score names no value', async () => {
  const ask = await open([['2', HIDDEN]]);
  for (const query of RAISING) {
    const { text } = await ask(SEARCH, { query });
    assert.doesNotMatch(text, /42/);
  }
});

test('1.1 scores are computed for what a search collects alone', async () => {
  const ask = await open([
    ['1', SHOWN],
    ['2', HIDDEN],
  ]);
  const query = scored({ field_value_factor: { field: 'price', factor: -1 } });
  const others = { ids: { values: ['1'] } };
  for (const body of [
    { query, size: 0 },
    { query, sort: [{ price: 'asc' }] },
    { query: { bool: { filter: [query] } } },
    { query: { bool: { must: [query], filter: [others] } } },
    { query: { bool: { must: [query], must_not: [{ ids: { values: ['2'] } }] } } },
    { query, post_filter: others },
    { query: others, rescore: { query: { rescore_query: query } } },
  ]) {
    const reply = await ask(SEARCH, body);
    assert.equal(reply.status, 200, JSON.stringify(body) + reply.text);
  }
  assert.equal((await ask('POST /t/_count', { query })).json.count, 2);
  assert.equal((await ask('POST /t/_explain/1', { query })).status, 200);
  assert.equal((await ask('POST /t/_explain/2', { query })).status, 400);
});

test('1.1 averages and lists of values of a document end in no fault', async () => {
  const ask = await open([['1', { ...SHOWN, name: Array.from({ length: 130_000 }, () => 'a') }]]);
  await ask('PUT /dates', { mappings: { properties: { when: { type: 'date' } } } });
  await ask('PUT /dates/_doc/1?refresh=true', { when: [1, 2] });
  const found = await ask('POST /dates/_search', { sort: [{ when: { numeric_type: 'date_nanos', mode: 'avg' } }] });
  assert.match(found.text, /"sort":\[1500000\]/);
  assert.equal((await ask('GET /t/_termvectors/1?fields=name&filter_path=found')).status, 200);
});

test('1.1 a feature is scored by documents that the caller sees, and by none where its field is hidden', async () => {
  const hidden: readonly (readonly [string, object])[] = [['2', HIDDEN]];
  const shown: readonly (readonly [string, object])[] = [['1', SHOWN]];
  const [whole, cut] = [await open([...hidden, ...shown]), await open(shown)];
  for (const field of ['topics.sport', 'topics.art'])
    for (const { target, body } of asked({ rank_feature: { field } })) {
      const [found, expected] = [
        await whole(target, body, { view: () => VIEW }),
        await cut(target, body, { view: () => VIEW }),
      ];
      assert.deepEqual([found.status, comparable(found.text)], [expected.status, comparable(expected.text)], field);
    }
  const view = (): IndexView => ({ hidden: ['topics'] });
  const { json } = await whole(SEARCH, { query: { rank_feature: { field: 'topics.sport' } } }, { view });
  assert.deepEqual(json.hits.hits, []);
  // Without a view the hidden document is half of the mean.
  const bare = await whole(SEARCH, { query: { rank_feature: { field: 'topics.sport' } } });
  assert.notEqual(bare.json.hits.hits[1]._score, 0.5);
});
