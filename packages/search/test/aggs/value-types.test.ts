// Fields that nobody mapped, to which an aggregation gives values: what Elasticsearch 7.10.2 answers by `value_type` and `missing`.
import { deepEqual, equal } from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Ask, startRest } from '../rest/harness.ts';

let ask: Ask;

before(async () => {
  ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { k: { type: 'keyword' }, n: { type: 'long' } } } });
  for (const id of ['1', '2']) await ask(`PUT /t/_doc/${id}`, { k: 'a', n: 1 });
  await ask('POST /t/_refresh');
});

async function answerOf(aggregation: object): Promise<Record<string, any>> {
  const { json, text } = await ask('POST /t/_search', { size: 0, aggs: { a: aggregation } });
  equal(json.aggregations !== undefined, true, text);
  return json.aggregations.a;
}

const bucketsOf = async (more: object): Promise<unknown> =>
  (await answerOf({ terms: { field: 'z', ...more } }))['buckets'];

test('terms of a field that is not mapped have the type that value_type says, or are texts', async () => {
  deepEqual(await bucketsOf({ missing: 7 }), [{ key: '7', doc_count: 2 }]);
  deepEqual(await bucketsOf({ missing: true }), [{ key: 'true', doc_count: 2 }]);
  deepEqual(await bucketsOf({ missing: '7', value_type: 'string' }), [{ key: '7', doc_count: 2 }]);
  for (const type of ['long', 'integer', 'short', 'byte', 'double', 'float', 'number', 'numeric'])
    deepEqual(await bucketsOf({ missing: '7', value_type: type }), [{ key: 7, doc_count: 2 }], type);
  deepEqual(await bucketsOf({ missing: '2026-01-01', value_type: 'date' }), [
    { key: 1_767_225_600_000, key_as_string: '2026-01-01T00:00:00.000Z', doc_count: 2 },
  ]);
  deepEqual(await bucketsOf({ missing: '10.0.0.1', value_type: 'ip' }), [{ key: '10.0.0.1', doc_count: 2 }]);
  deepEqual(await bucketsOf({ value_type: 'long' }), []);
});

test('other aggregations of such a field take the values that missing gives, too', async () => {
  const date = { field: 'z', value_type: 'date', missing: '2026-01-01' };
  deepEqual(await answerOf({ max: date }), { value: 1_767_225_600_000, value_as_string: '2026-01-01T00:00:00.000Z' });
  deepEqual(await answerOf({ avg: { field: 'z', missing: 7 } }), { value: 7 });
  deepEqual(await answerOf({ histogram: { field: 'z', interval: 1, missing: 3 } }), {
    buckets: [{ key: 3, doc_count: 2 }],
  });
  const days = await answerOf({ date_histogram: { field: 'z', fixed_interval: '1d', missing: '2026-01-01' } });
  deepEqual(days['buckets'][0].doc_count, 2);
  deepEqual((await answerOf({ range: { field: 'z', ranges: [{ to: 3 }], missing: 1 } }))['buckets'][0].doc_count, 2);
});

test('a type that does not fit, or is none, is refused as Elasticsearch refuses it', async () => {
  const refused: readonly (readonly [object, string, string])[] = [
    [{ terms: { field: 'z', value_type: 'x' } }, 'x_content_parse_exception', 'x_content_parse_exception'],
    [{ avg: { field: 'z', missing: 'x' } }, 'search_phase_execution_exception', 'number_format_exception'],
    [
      { avg: { field: 'z', value_type: 'string', missing: 'x' } },
      'search_phase_execution_exception',
      'illegal_argument_exception',
    ],
    [
      { terms: { field: 'z', value_type: 'ip', missing: '7' } },
      'search_phase_execution_exception',
      'illegal_argument_exception',
    ],
    [{ terms: { field: 'k', value_type: 'long' } }, 'search_phase_execution_exception', 'illegal_argument_exception'],
    [{ terms: { field: 'k', bogus: 1 } }, 'x_content_parse_exception', 'x_content_parse_exception'],
    [{ terms: { field: 'k', size: 'x' } }, 'x_content_parse_exception', 'x_content_parse_exception'],
  ];
  for (const [aggregation, type, cause] of refused) {
    const { error, status } = (await ask('POST /t/_search', { aggs: { a: aggregation } })).json;
    deepEqual([status, error?.type, error?.root_cause[0].type], [400, type, cause], JSON.stringify(aggregation));
  }
});

test('options of the wrong kind are told as Elasticsearch’s parser of objects tells them, and what only a shard compares by a shard', async () => {
  const content = 'x_content_parse_exception';
  const shard = 'search_phase_execution_exception';
  const refused: readonly (readonly [object, string])[] = [
    [{ terms: { field: 7 } }, content],
    [{ terms: { field: 'k', format: 7 } }, content],
    [{ terms: { field: 'k', missing: [] } }, content],
    [{ terms: { field: 'k', size: 0 } }, content],
    [{ terms: { field: 'k', shard_size: 0 } }, content],
    [{ terms: { field: 'k', min_doc_count: -1 } }, content],
    [{ cardinality: { field: 'k', precision_threshold: -1 } }, content],
    [{ extended_stats: { field: 'n', sigma: -1 } }, content],
    [{ auto_date_histogram: { field: 'n', buckets: 100_000 } }, shard],
    [{ range: { field: 'n', ranges: [] } }, shard],
    [{ avg: {} }, 'illegal_argument_exception'],
  ];
  for (const [aggregation, type] of refused) {
    const { error, status } = (await ask('POST /t/_search', { aggs: { a: aggregation } })).json;
    deepEqual([status, error?.type], [400, type], JSON.stringify(aggregation));
  }
});

test('the buckets of geo_distance begin at zero', async () => {
  const ranges = { geo_distance: { field: 'z', origin: '0,0', ranges: [{ to: 3 }] } };
  deepEqual((await answerOf(ranges))['buckets'], [{ key: '*-3.0', from: 0, to: 3, doc_count: 0 }]);
});

test('a weighted average is printed as the date or the flag that value_type says, whatever its format', async () => {
  const average = (more: object): Promise<Record<string, any>> =>
    answerOf({ weighted_avg: { value: { field: 'n' }, weight: { field: 'n' }, ...more } });
  deepEqual(await average({ value_type: 'date' }), { value: 1, value_as_string: '1970-01-01T00:00:00.001Z' });
  deepEqual(await average({ value_type: 'date', format: '0.0' }), {
    value: 1,
    value_as_string: '1970-01-01T00:00:00.001Z',
  });
  deepEqual(await average({ value_type: 'boolean' }), { value: 1, value_as_string: true });
  deepEqual(await average({ value_type: 'long' }), { value: 1 });
});
