// What Elasticsearch 7.10.2 says of queries that fail, by the place where they stand.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/json/json.ts';
import { type Ask, startRest } from '../rest/harness.ts';

async function started(): Promise<Ask> {
  const ask = await startRest();
  const parts = { type: 'nested', properties: { v: { type: 'long' } } };
  const properties = { n: { type: 'long' }, text: { type: 'text' }, when: { type: 'date' }, parts };
  await ask('PUT /f', { mappings: { properties } });
  await ask('PUT /f/_doc/1?refresh=true', { n: 1, text: 'red', parts: [{ v: 1 }] });
  return ask;
}

/** Status, type and types of the causes of the failure on the shard. */
async function told(ask: Ask, body: Json, target = 'POST /f/_search'): Promise<readonly unknown[]> {
  const { json, status } = await ask(target, body);
  const types: unknown[] = [];
  for (let at = json.error?.failed_shards?.[0]?.reason ?? json.error; at !== undefined; at = at.caused_by)
    types.push(at.type);
  return [status, ...types];
}

const wrapper = (text: string): Json => ({ wrapper: { query: Buffer.from(text).toString('base64') } });

test('a query fails as the query of a shard, one inside of another part as its value does', async () => {
  const ask = await started();
  const query = { match: { n: 'x' } };
  const whole = [400, 'query_shard_exception', 'number_format_exception'];
  deepEqual(await told(ask, { query }), whole);
  deepEqual(await told(ask, { post_filter: query }), whole);
  const rest = [400, 'number_format_exception'];
  deepEqual(await told(ask, { aggs: { a: { filter: query } } }), rest);
  deepEqual(await told(ask, { rescore: { query: { rescore_query: query } } }), rest);
  deepEqual(await told(ask, { sort: [{ 'parts.v': { nested: { path: 'parts', filter: query } } }] }), rest);
  deepEqual(await told(ask, { highlight: { fields: { text: { highlight_query: query } } } }), rest);
});

test('a date that cannot be read is the cause of the failure, with its own causes', async () => {
  const ask = await started();
  const { json } = await ask('POST /f/_search', { query: { match: { when: 'x' } } });
  equal(json.error.root_cause[0].type, 'parse_exception');
  deepEqual(await told(ask, { query: { match: { when: 'x' } } }), [
    400,
    'query_shard_exception',
    'parse_exception',
    'illegal_argument_exception',
    'date_time_parse_exception',
  ]);
});

test('what a wrapper holds is read after everything else', async () => {
  const ask = await started();
  const query = wrapper('{');
  deepEqual(await told(ask, { query }), [400, 'json_e_o_f_exception']);
  deepEqual(await told(ask, { query: { bool: { must: [query] } } }), [400, 'json_e_o_f_exception']);
  deepEqual(await told(ask, { query: wrapper('{"nope":{}}') }), [
    400,
    'parsing_exception',
    'named_object_not_found_exception',
  ]);
  deepEqual(await told(ask, { query, timeout: 'soon' }), [400, 'illegal_argument_exception']);
  deepEqual((await ask('POST /f/_validate/query?explain=true', { query })).json._shards.total, 0);
  deepEqual((await ask('POST /f/_field_caps?fields=*', { index_filter: query })).json, { indices: [], fields: {} });
  equal((await ask('POST /f/_explain/absent', { query })).status, 404);
  deepEqual(await told(ask, { query }, 'POST /f/_explain/1'), [400, 'query_shard_exception', 'json_e_o_f_exception']);
});

test('a filter of field capabilities is read for its mistakes before indices are looked up', async () => {
  const ask = await started();
  const weight = { function_score: { functions: [{ filter: { match_all: {} }, weight: -1 }] } };
  deepEqual(await told(ask, { index_filter: weight }, 'POST /f/_field_caps?fields=*'), [
    400,
    'parsing_exception',
    'illegal_argument_exception',
  ]);
  deepEqual(await told(ask, { index_filter: { constant_score: {} } }, 'POST /none*/_field_caps?fields=*'), [
    400,
    'parsing_exception',
  ]);
});

test('elements inside of elements of the same path are an error where one matches', async () => {
  const ask = await started();
  const nested = (query: Json): Json => ({ nested: { path: 'parts', query } });
  equal((await ask('POST /f/_count', { query: nested(nested({ term: { 'parts.v': 7 } })) })).json.count, 0);
  deepEqual(await told(ask, { query: nested(nested({ term: { 'parts.v': 1 } })) }), [400, 'illegal_state_exception']);
});

test('options of features are refused while they are read, their numbers by a shard', async () => {
  const ask = await startRest();
  const properties = { rank: { type: 'rank_feature' }, fine: { type: 'date_nanos' }, place: { type: 'geo_point' } };
  await ask('PUT /f', { mappings: { properties } });
  const feature = (options: Json) => told(ask, { query: { rank_feature: { field: 'rank', ...options } } });
  const content = 'x_content_parse_exception';
  const argument = 'illegal_argument_exception';
  deepEqual(await feature({ log: {}, saturation: {} }), [400, content, argument]);
  deepEqual(await feature({ saturation: {}, log: { scaling_factor: 4 } }), [400, content, argument]);
  deepEqual(await feature({ saturation: { nope: 1 } }), [400, content, content]);
  deepEqual(await feature({ boost: -1 }), [400, content, argument]);
  deepEqual(await feature({ log: { scaling_factor: 0.5 } }), [400, 'query_shard_exception', argument]);
  const distance = (field: string, options: Json) => told(ask, { query: { distance_feature: { field, ...options } } });
  deepEqual(await distance('place', { origin: [1, 1], pivot: 1000 }), [400, content]);
  deepEqual(await distance('place', { origin: {}, pivot: '1km' }), [400, content, 'parse_exception']);
  const shard = [400, 'query_shard_exception'];
  deepEqual(await distance('place', { origin: 'now', pivot: '1km' }), [...shard, 'parse_exception']);
  deepEqual(await distance('fine', { origin: '1960-01-01', pivot: '1h' }), [...shard, argument]);
});

test('a value before a query in a list of clauses is skipped, and one at its end is refused', async () => {
  const ask = await started();
  const count = async (query: Json): Promise<unknown> => (await ask('POST /f/_count', { query })).json.count;
  equal(await count({ bool: { must: ['x', { match_all: {} }] } }), 1);
  equal(await count({ span_or: { clauses: [1, { span_term: { text: 'red' } }] } }), 1);
  equal((await ask('POST /f/_count', { query: { bool: { must: [{ match_all: {} }, 'x'] } } })).status, 400);
  equal((await ask('POST /f/_count', { query: { bool: { must: ['x', 'y', { match_all: {} }] } } })).status, 400);
});

test('a truth is no number, and a minimum of matches in words is none either', async () => {
  const ask = await started();
  const number = [400, 'query_shard_exception', 'number_format_exception'];
  deepEqual(await told(ask, { query: { term: { n: false } } }), number);
  deepEqual(await told(ask, { query: { terms: { n: [true] } } }), number);
  deepEqual(await told(ask, { query: { match: { text: { query: 'a b', minimum_should_match: 'most' } } } }), number);
});

test('documents like one of an index that there is not are none', async () => {
  const ask = await started();
  const query = { more_like_this: { fields: ['text'], like: [{ _index: 'absent', _id: '1' }], min_doc_freq: 1 } };
  equal((await ask('POST /f/_count', { query })).json.count, 0);
});

test('a rescored hit is explained pass by pass, by those whose windows it was in', async () => {
  const ask = await started();
  await ask('PUT /f/_doc/2?refresh=true', { n: 2, text: 'red' });
  const pass = (value: number, options: Json): Json => ({
    window_size: 1,
    query: { rescore_query: { constant_score: { filter: { match: { text: 'red' } }, boost: value } }, ...options },
  });
  const query = { constant_score: { filter: { exists: { field: 'n' } } } };
  const rescore = [pass(3, { rescore_query_weight: 2 }), pass(5, { score_mode: 'max', query_weight: 0.5 })];
  const { json } = await ask('POST /f/_search', { query, rescore, explain: true });
  const [first, second] = json.hits.hits.map((hit: Json) => hit['_explanation']);
  deepEqual([first.value, first.description], [5, 'max of:']);
  deepEqual(
    first.details.map((each: Json) => [each['value'], each['description']]),
    [
      [3.5, 'product of:'],
      [5, 'product of:'],
    ],
  );
  deepEqual([second.value, second.description], [0.5, 'product of:']);
});

test('a text without a field to compare it in fails on the shard, and no other search with it', async () => {
  const ask = await started();
  const query = { more_like_this: { like: 'red' } };
  deepEqual(await told(ask, { query }), [400, 'query_shard_exception', 'illegal_argument_exception']);
  const { json } = await ask('POST /f/_msearch', [{}, { query }, {}, { query: { match_all: {} } }]);
  deepEqual(
    json.responses.map((each: Json) => each['status']),
    [400, 200],
  );
});

test('a phrase of several words on a keyword that splits them is refused, as keywords have no positions', async () => {
  const ask = await startRest();
  const k = { type: 'keyword', split_queries_on_whitespace: true };
  await ask('PUT /split', { mappings: { properties: { k } } });
  await ask('PUT /split/_doc/1?refresh=true', { k: 'red' });
  const asked = async (query: object) => (await ask('POST /split/_search', { query })).json;
  const reason = 'failed to create query: field:[k] was indexed without position data; cannot run PhraseQuery';
  for (const query of [
    { match_phrase: { k: 'red fox' } },
    { match_phrase_prefix: { k: 'red f' } },
    { multi_match: { query: 'red fox', fields: ['k'], type: 'phrase' } },
  ])
    equal((await asked(query)).error.root_cause[0].reason, reason);
  for (const query of [{ match_phrase: { k: 'red' } }, { match: { k: 'red fox' } }])
    equal((await asked(query)).hits.total.value, 1);
  equal((await asked({ query_string: { query: 'k:"red fox"' } })).hits.total.value, 0);
});
