// How queries read values that are written in another way than usual, as Elasticsearch 7.10.2 does.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

const PROPERTIES = {
  body: { type: 'text', analyzer: 'stop' },
  n: { type: 'long' },
  place: { type: 'geo_point' },
  rank: { type: 'rank_feature' },
  parts: { type: 'nested', properties: { kind: { type: 'keyword' } } },
};

async function open(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: PROPERTIES } });
  await load(ask, 't', [{ body: 'red fox', n: 3, place: '1,1', rank: 3, parts: [{ kind: 'x' }] }]);
  return ask;
}

const ALL = { match_all: {} };

test('a query whose parser skips the beginning of a list reads each of its values, and the last one counts', async () => {
  const ask = await open();
  const boosting = { positive: ALL, negative: ALL, negative_boost: 0.5 };
  const scoreOf = async (query: object): Promise<number> => {
    const { json, text } = await ask('POST /t/_search', { query });
    equal(json.hits?.hits.length, 1, text);
    return json.hits.hits[0]._score;
  };
  equal(await scoreOf({ boosting: { ...boosting, negative_boost: [1, null, 0.25] } }), 0.25);
  equal(await scoreOf({ boosting: { ...boosting, positive: [{ match_none: {} }, ALL] } }), 0.5);
  equal(await scoreOf({ nested: { path: ['nobody', 'parts'], query: [ALL] } }), 1);
  await scoreOf({ common: { body: { query: ['blue', 'fox'] } } });
  const { text } = await ask('POST /t/_search', { query: { nested: { path: [], query: ALL } } });
  match(text, /requires 'path' field/);
});

test('a distance is a number with a unit of Elasticsearch, and cells of a geohash are at most as wide as it', async () => {
  const ask = await open();
  const cells = async (precision: string): Promise<string> => {
    const grid = { geohash_grid: { field: 'place', precision } };
    return (await ask('POST /t/_search', { size: 0, aggs: { grid } })).json.aggregations.grid.buckets[0].key;
  };
  const widths = ['1000km', '100km', '5km', '2km', '1km', '200m', '50m', '1m'];
  deepEqual(await Promise.all(widths.map(cells)), [
    's00',
    's00t',
    's00twy',
    's00twy',
    's00twy0',
    's00twy01',
    's00twy01m',
    's00twy01mtw',
  ]);
  const near = (distance: unknown) => ask('POST /t/_search', { query: { geo_distance: { distance, place: '1,1' } } });
  for (const distance of ['500 km', '500nmi', '5centimeters', '1e3m', '500fkm', '5millimeters'])
    equal((await near(distance)).json.hits.hits.length, 1, distance);
  for (const [distance, type] of [
    ['x', 'number_format_exception'],
    ['500KM', 'number_format_exception'],
    ['km', 'number_format_exception'],
    ['', 'illegal_argument_exception'],
  ] as const)
    equal((await near(distance)).json.error.type, type, distance);
});

test('mistakes of a request are told before that its index is missing', async () => {
  const ask = await open();
  for (const [target, body, reason] of [
    ['POST /absent/_analyze', { text: true }, /text doesn't support values of type: VALUE_BOOLEAN/],
    ['POST /absent/_analyze', { wrong: 5 }, /unknown field \[wrong\]/],
    ['POST /absent/_analyze', {}, /text is missing/],
    [
      'POST /absent/_search',
      { query: { function_score: { functions: [{ field_value_factor: { field: 'n' } }, { weight: -1 }] } } },
      /cannot be negative for a filtering function/,
    ],
  ] as const) {
    const reply = await ask(target, body);
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
  equal((await ask('POST /absent/_analyze', { text: 'a', normalizer: 'lowercase' })).status, 404);
});

test('whole numbers of aggregations and highlighters have 32 bits', async () => {
  const ask = await open();
  for (const body of [
    { aggs: { a: { sampler: { shard_size: 1e10 } } } },
    { aggs: { a: { top_hits: { size: 1e10 } } } },
    { query: { match: { body: 'fox' } }, highlight: { fields: { body: { fragment_size: 1e10 } } } },
  ])
    equal((await ask('POST /t/_search', body)).status, 400, JSON.stringify(body));
});

test('each word for a feature is refused on its own where a query is lenient', async () => {
  const ask = await open();
  const query = { multi_match: { query: 'red fox', fields: ['rank'], lenient: true } };
  const { json } = await ask('POST /t/_validate/query?explain=true', { query });
  equal(
    json.explanations[0].explanation.match(/failed to create query|failed \[rank\]/g)?.length,
    2,
    json.explanations[0].explanation,
  );
});

test('a word that is left alone in a rule of intervals keeps no place of stop words before it', async () => {
  const ask = await open();
  const rules = [{ match: { query: 'red' } }, { match: { query: 'the fox' } }];
  const intervals = { body: { all_of: { ordered: true, max_gaps: 0, intervals: rules } } };
  const { json, text } = await ask('POST /t/_search', { query: { intervals } });
  equal(json.hits?.hits.length, 1, text);
});
