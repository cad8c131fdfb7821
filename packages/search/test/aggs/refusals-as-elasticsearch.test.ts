// Mistakes in aggregations, and what Elasticsearch 7.10.2 answered to them: the type of the error, and where it shows (root causes are of
// shards; what fails while answers are joined has none).
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

async function filled(): Promise<Ask> {
  const ask = await startRest();
  const properties = {
    a: { type: 'double' },
    n: { type: 'long' },
    when: { type: 'date' },
    flag: { type: 'boolean' },
    tag: { type: 'keyword' },
    place: { type: 'geo_point' },
  };
  await ask('PUT /t', { mappings: { properties } });
  await load(ask, 't', [
    { a: 1, n: 1, when: '2026-01-01', flag: true, tag: 'x', place: '0,0' },
    { a: 7, n: 7, when: '2026-03-01', flag: false, tag: 'y', place: '1,2' },
    { a: 0.1, n: 0, when: '2026-02-01', tag: 'x', place: '2,1' },
    { a: [0.2, 100], n: 100, tag: 'z' },
  ]);
  return ask;
}

async function failure(ask: Ask, aggs: object): Promise<readonly unknown[]> {
  const { json, status } = await ask('POST /t/_search', { size: 0, aggs });
  equal(status, 400);
  return [json.error.type, ...json.error.root_cause.map(({ type }: { type: string }) => type)];
}

async function reduced(ask: Ask, aggs: object): Promise<string> {
  const { json } = await ask('POST /t/_search', { size: 0, aggs });
  deepEqual([json.error.type, json.error.root_cause], ['search_phase_execution_exception', []]);
  return json.error.caused_by.type;
}

const inBuckets = (p: object): object => ({
  h: { histogram: { field: 'a', interval: 10 }, aggs: { s: { sum: { field: 'a' } }, p } },
});
const beside = (p: object): object => ({ h: { terms: { field: 'tag' }, aggs: { s: { sum: { field: 'a' } } } }, p });
const parsing = ['parsing_exception', 'parsing_exception'];
const content = ['x_content_parse_exception', 'x_content_parse_exception'];
const onShard = (type: string): readonly string[] => ['search_phase_execution_exception', type];

test('options of pipelines that cannot be are refused by their parsers', async () => {
  const ask = await filled();
  const jump = { buckets_path: 'h>s', gap_policy: 'jump' };
  deepEqual(await failure(ask, beside({ avg_bucket: jump })), parsing);
  deepEqual(await failure(ask, beside({ avg_bucket: {} })), parsing);
  deepEqual(await failure(ask, inBuckets({ derivative: {} })), parsing);
  deepEqual(await failure(ask, inBuckets({ serial_diff: { buckets_path: 's', lag: 0 } })), parsing);
  deepEqual(await failure(ask, inBuckets({ moving_fn: { buckets_path: 's', window: 0, script: '1' } })), content);
  deepEqual(await failure(ask, inBuckets({ bucket_sort: { size: 0 } })), content);
});

test('what pipelines cannot compute of buckets fails while answers are joined', async () => {
  const ask = await filled();
  equal(await reduced(ask, beside({ avg_bucket: { buckets_path: 'h' } })), 'aggregation_execution_exception');
  equal(
    await reduced(ask, inBuckets({ derivative: { buckets_path: 's', unit: 'eon' } })),
    'illegal_argument_exception',
  );
  const fine = { histogram: { field: 'a', interval: 0.001 } };
  equal(await reduced(ask, { x: fine }), 'too_many_buckets_exception');
});

test('aggregations of fields or places that they cannot have fail on the shard', async () => {
  const ask = await filled();
  const composite = { composite: { sources: [{ a: { terms: { field: 'tag' } } }] } };
  const illegal = onShard('illegal_argument_exception');
  deepEqual(await failure(ask, { x: { filter: { match_all: {} }, aggs: { c: composite } } }), illegal);
  deepEqual(await failure(ask, { x: { reverse_nested: {} } }), illegal);
  deepEqual(
    await failure(ask, { x: { significant_terms: { field: 'a' } } }),
    onShard('unsupported_operation_exception'),
  );
  deepEqual(
    await failure(ask, { x: { terms: { field: 'tag' }, aggs: { g: { global: {} } } } }),
    onShard('aggregation_execution_exception'),
  );
  const background_filter = { term: { tag: 'y' } };
  deepEqual(
    await failure(ask, { x: { significant_terms: { field: 'tag', min_doc_count: 1, gnd: {}, background_filter } } }),
    illegal,
  );
  const after = (field: string, value: unknown): object => ({
    x: { composite: { sources: [{ a: { terms: { field } } }], after: { a: value } } },
  });
  deepEqual(await failure(ask, after('n', 'x')), onShard('number_format_exception'));
  deepEqual(await failure(ask, after('tag', 7)), illegal);
  deepEqual(await failure(ask, after('n', null)), illegal);
});

test('a pattern and a list are not mixed, and filters are not left out', async () => {
  const ask = await filled();
  deepEqual(await failure(ask, { x: { terms: { field: 'tag', include: 'x.*', exclude: ['y'] } } }), content);
  deepEqual(await failure(ask, { x: { adjacency_matrix: { filters: {} } } }), [
    'illegal_state_exception',
    'illegal_state_exception',
  ]);
  const filters = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, { match_all: {} }]));
  deepEqual(await failure(ask, { x: { adjacency_matrix: { filters } } }), onShard('illegal_argument_exception'));
});

test('partitions hold the values that those of Elasticsearch do', async () => {
  const ask = await filled();
  const of = async (field: string, partition: number, num_partitions: number) => {
    const x = { terms: { field, include: { partition, num_partitions } } };
    const { json } = await ask('POST /t/_search', { size: 0, aggs: { x } });
    return json.aggregations.x.buckets.map(({ key }: { key: unknown }) => key);
  };
  deepEqual(await of('a', 0, 2), [100]);
  deepEqual(await of('when', 1, 2), [1772323200000]);
  deepEqual([...(await of('tag', 0, 2)), ...(await of('tag', 1, 2))].sort(), ['x', 'y', 'z']);
});

test('buckets of an order that bounds no error say so, and those of equal counts of cells come by the cell, last first', async () => {
  const ask = await filled();
  const m = { max: { field: 'a' } };
  const terms = { field: 'tag', order: { m: 'desc' }, size: 1, shard_size: 1, show_term_doc_count_error: true };
  const { json } = await ask('POST /t/_search', {
    size: 0,
    aggs: { t: { terms, aggs: { m } }, g: { geohash_grid: { field: 'place', precision: 5 } } },
  });
  const { t, g } = json.aggregations;
  deepEqual([t.doc_count_error_upper_bound, t.buckets[0].doc_count_error_upper_bound], [-1, -1]);
  const cells: readonly string[] = g.buckets.map(({ key }: { key: string }) => key);
  deepEqual(cells, [...cells].sort().toReversed());
});

test('date_histogram of numbers prints no dates, and of booleans booleans', async () => {
  const ask = await filled();
  const of = async (field: string, more: object = {}) => {
    const x = { date_histogram: { field, calendar_interval: 'month', ...more } };
    const { json } = await ask('POST /t/_search', { size: 0, aggs: { x } });
    return json.aggregations.x.buckets[0].key_as_string;
  };
  equal(await of('a'), undefined);
  equal(await of('flag'), 'false');
  equal(await of('a', { format: 'yyyy' }), 'yyyy0');
});

test('an aggregation whose query stands for another one has an empty meta, and so have those around it', async () => {
  const ask = await filled();
  const query = Buffer.from('{"match_all":{}}').toString('base64');
  const { json } = await ask('POST /t/_search', {
    size: 0,
    aggs: {
      x: { filter: { match_all: {} }, aggs: { y: { filter: { wrapper: { query } } } } },
      z: { filter: { match_all: {} } },
    },
  });
  deepEqual(json.aggregations, { x: { meta: {}, doc_count: 4, y: { meta: {}, doc_count: 4 } }, z: { doc_count: 4 } });
});

test('orders lead to one number of each bucket, and hints are those that there are', async () => {
  const ask = await filled();
  const execution = onShard('aggregation_execution_exception');
  const ordered = (order: object, x: object): object => ({ t: { terms: { field: 'tag', order }, aggs: { x } } });
  deepEqual(await failure(ask, ordered({ x: 'asc' }, { terms: { field: 'tag' } })), execution);
  deepEqual(await failure(ask, ordered({ x: 'asc' }, { stats: { field: 'a' } })), execution);
  deepEqual(await failure(ask, ordered({ 'x.nope': 'asc' }, { stats: { field: 'a' } })), execution);
  const of = (more: object): object => ({ x: { terms: { field: 'tag', ...more } } });
  deepEqual(await failure(ask, of({ execution_hint: 'x' })), onShard('illegal_argument_exception'));
  deepEqual(await failure(ask, { x: { terms: { field: 'a', include: 'x.*' } } }), execution);
  deepEqual(await failure(ask, { x: { terms: { field: 'a', include: ['x'] } } }), onShard('number_format_exception'));
});

test('intervals, zones, bounds and origins fail as those of Elasticsearch', async () => {
  const ask = await filled();
  const dates = (more: object): object => ({ x: { date_histogram: { field: 'when', ...more } } });
  deepEqual(await failure(ask, dates({ fixed_interval: '1d', time_zone: 'Mars' })), content);
  deepEqual(await failure(ask, dates({ calendar_interval: '2d' })), content);
  deepEqual(await failure(ask, dates({})), onShard('illegal_argument_exception'));
  deepEqual(await failure(ask, dates({ fixed_interval: '0d' })), onShard('illegal_argument_exception'));
  deepEqual(
    await failure(ask, { x: { range: { field: 'a', ranges: [{ from: 'a' }] } } }),
    onShard('number_format_exception'),
  );
  const illegal = ['illegal_argument_exception', 'illegal_argument_exception'];
  deepEqual(await failure(ask, { x: { geo_distance: { field: 'place', ranges: [{ to: 1 }] } } }), illegal);
  const widths = { variable_width_histogram: { field: 'a' } };
  deepEqual(
    await failure(ask, { x: { terms: { field: 'tag' }, aggs: { v: widths } } }),
    onShard('illegal_argument_exception'),
  );
  deepEqual(
    await failure(ask, { x: { weighted_avg: { value: { field: 'a' } } } }),
    onShard('illegal_argument_exception'),
  );
  const { json } = await ask('POST /t/_search', { sort: [{ a: 'sideways' }] });
  equal(json.error.root_cause[0].reason, 'No enum constant org.elasticsearch.search.sort.SortOrder.SIDEWAYS');
});

test('top_hits in the usual order know the highest score', async () => {
  const ask = await filled();
  const x = { top_hits: { sort: ['_score'] } };
  const { json } = await ask('POST /t/_search', { size: 0, query: { match_all: {} }, aggs: { x } });
  equal(json.aggregations.x.hits.max_score, 1);
});

test('orders that are none are refused by their parser, and paths that lead to no number on a shard', async () => {
  const ask = await filled();
  const terms = (order: unknown, inner?: object): object => ({
    x: { terms: { field: 'tag', order }, ...(inner === undefined ? {} : { aggs: { m: inner } }) },
  });
  const worded = ['x_content_parse_exception', 'parsing_exception'];
  for (const order of [{ _count: 'up' }, { _count: 1 }, {}, [7]]) deepEqual(await failure(ask, terms(order)), worded);
  for (const order of ['_count', []]) deepEqual(await failure(ask, terms(order)), content);
  const numbers = { avg: { field: 'n' } };
  const paths: readonly (readonly [string, object?])[] = [
    ['nobody'],
    ['nobody>m'],
    ['m', { stats: { field: 'n' } }],
    ['m.foo', { stats: { field: 'n' } }],
    ['m.foo', numbers],
    ['m._count', { filter: { match_all: {} } }],
    ['m>k', { terms: { field: 'n' }, aggs: { k: numbers } }],
    ['m', { top_hits: {} }],
    ['m.51', { percentiles: { field: 'n' } }],
  ];
  for (const [path, inner] of paths)
    deepEqual(await failure(ask, terms({ [path]: 'asc' }, inner)), onShard('aggregation_execution_exception'), path);
});

test('of several members of an order the last counts, and percentiles order by their percents', async () => {
  const ask = await filled();
  const keys = async (order: object, aggs: object = {}): Promise<string> => {
    const { json } = await ask('POST /t/_search', { size: 0, aggs: { x: { terms: { field: 'tag', order }, aggs } } });
    return json.aggregations.x.buckets.map(({ key }: { key: string }) => key).join('');
  };
  equal(await keys({ _count: 'asc', _key: 'DESC' }), 'zyx');
  equal(await keys({ 'p.50': 'desc' }, { p: { percentiles: { field: 'n' } } }), 'zyx');
});

test('includes, hints and bounds that cannot be are refused as Elasticsearch refuses them', async () => {
  const ask = await filled();
  const of = (body: object): Promise<readonly unknown[]> => failure(ask, { x: { terms: { field: 'tag', ...body } } });
  const wrong = [
    { include: 7 },
    { exclude: {} },
    { execution_hint: 7 },
    { missing: {} },
    { include: { partition: 0 } },
  ];
  for (const body of wrong) deepEqual(await of(body), content, JSON.stringify(body));
  deepEqual(await of({ include: { pattern: 'a.*' } }), ['x_content_parse_exception', 'parse_exception']);
  const outside = { field: 'n', interval: 2, hard_bounds: { min: 2, max: 3 }, extended_bounds: { min: 0, max: 8 } };
  for (const x of [{ histogram: outside }, { histogram: { field: 'n' } }, { rare_terms: { field: 'a' } }])
    deepEqual(await failure(ask, { x }), onShard('illegal_argument_exception'), JSON.stringify(x));
});

test('scripts whose types cannot fit are refused before they are computed', async () => {
  const ask = await filled();
  const scripts = {
    bucket_script: [
      'params.a > 1',
      'params.a > 1 ? null : true',
      '1 + (params.a > 0 ? null : 1)',
      'true + 1',
      '1 == true',
    ],
    bucket_selector: ['1', 'null', 'params.a > 1 ? 1 : true', '!1'],
  };
  for (const [type, list] of Object.entries(scripts))
    for (const script of list)
      equal(
        await reduced(ask, inBuckets({ [type]: { buckets_path: { a: 's' }, script } })),
        'script_exception',
        script,
      );
  // A script that returns nothing answers the default of its type.
  const { json } = await ask('POST /t/_search', {
    size: 0,
    aggs: inBuckets({ bucket_selector: { buckets_path: { a: 's' }, script: 'if (params.a > 105) return true' } }),
  });
  equal(json.aggregations.h.buckets.length, 1);
});

test('equally significant values come as the heap of Elasticsearch leaves them, elements of nested fields among the background', async () => {
  const ask = await startRest();
  const properties = {
    n: { type: 'integer' },
    k: { type: 'keyword' },
    parts: { type: 'nested', properties: { kind: { type: 'keyword' } } },
  };
  await ask('PUT /s', { mappings: { properties } });
  const parts = [{ kind: 'x' }, { kind: 'y' }];
  await load(
    ask,
    's',
    [1, 2, 3, 4, 5].map((n) => ({ n, k: [`a${n}`, 'b'], parts })),
  );
  const found = async (field: string, more: object = {}, query: object = { match_all: {} }): Promise<unknown> => {
    const s = { significant_terms: { field, min_doc_count: 1, ...more } };
    const { json } = await ask('POST /s/_search', { size: 0, query, aggs: { s } });
    const { bg_count, buckets } = json.aggregations.s;
    return [bg_count, ...buckets.map(({ key }: { key: unknown }) => key)];
  };
  const few = (lt: number): object => ({ range: { n: { lt } } });
  deepEqual(await found('k', { min_doc_count: 0 }), [15, 'b', 'a5', 'a3', 'a4', 'a2', 'a1']);
  deepEqual(await found('n', { percentage: {} }, few(4)), [15, 2, 3, 1]);
  deepEqual(await found('k', { background_filter: { match_all: {} } }, few(3)), [15, 'a2', 'a1', 'b']);
  deepEqual(await found('k', { background_filter: few(5) }, few(3)), [4, 'a2', 'a1']);
  // Of several measures the last one counts.
  deepEqual(await found('k', { jlh: {}, percentage: {} }, few(3)), await found('k', { percentage: {} }, few(3)));
});

test('ranges of numbers as dates, intervals and zones are read as Elasticsearch reads them', async () => {
  const ask = await filled();
  const buckets = async (x: object): Promise<readonly { readonly key: unknown; readonly key_as_string?: string }[]> =>
    (await ask('POST /t/_search', { size: 0, aggs: { x } })).json.aggregations.x.buckets;
  deepEqual(await buckets({ date_range: { field: 'n', ranges: [{ from: '1' }] } }), [
    { key: '1.0-*', from: 1, doc_count: 3 },
  ]);
  equal((await buckets({ range: { field: 'n', ranges: { from: 1 } } })).length, 1);
  const zoned = await buckets({ date_histogram: { field: 'when', calendar_interval: 'month', time_zone: 7 } });
  equal(zoned[0]?.key_as_string, '2026-01-01T00:00:00.000+07:00');
  const dates = (interval: unknown): object => ({ x: { date_histogram: { field: 'when', interval } } });
  deepEqual(await failure(ask, dates('2x')), onShard('illegal_argument_exception'));
  deepEqual(await failure(ask, dates(0)), content);
});

test('sources of composites, percentiles and paths are read by the parsers that Elasticsearch has for them', async () => {
  const ask = await filled();
  const sources = (...list: readonly object[]): object => ({ x: { composite: { sources: list } } });
  const worded = ['x_content_parse_exception', 'parsing_exception'];
  const two = { a: { terms: { field: 'tag' } }, b: { terms: { field: 'n' } } };
  for (const source of [{ a: { foo: {} } }, { a: {} }, {}, two])
    deepEqual(await failure(ask, sources(source)), worded, JSON.stringify(source));
  deepEqual(await failure(ask, sources()), content);
  deepEqual(await failure(ask, sources({ a: { terms: {} } })), onShard('illegal_state_exception'));
  const many = { composite: { size: 100_000, sources: [{ a: { terms: { field: 'tag' } } }] } };
  deepEqual(await failure(ask, { x: many }), onShard('too_many_buckets_exception'));
  const none = { composite: { size: -1, sources: [{ a: { terms: { field: 'tag' } } }] } };
  equal((await failure(ask, { x: none }))[0], 'search_phase_execution_exception');
  deepEqual(await failure(ask, { x: { percentiles: { field: 'n', tdigest: 7 } } }), content);
  const one = await ask('POST /t/_search', { size: 0, aggs: { x: { percentiles: { field: 'n', percents: 50 } } } });
  deepEqual(Object.keys(one.json.aggregations.x.values), ['50.0']);
  deepEqual(await failure(ask, inBuckets({ moving_fn: { buckets_path: ['s'], window: 1, script: '1' } })), content);
  deepEqual(await failure(ask, inBuckets({ moving_avg: { buckets_path: 's', model: 'foo' } })), parsing);
  deepEqual(await failure(ask, inBuckets({ bucket_sort: { sort: [{ s: 'up' }] } })), content);
  const paths = await ask('POST /t/_search', {
    size: 0,
    aggs: inBuckets({ derivative: { buckets_path: ['s', 's'] } }),
  });
  equal(paths.status, 200, paths.text);
});

test('a zone of time is named as Java names it', async () => {
  const ask = await startRest();
  await ask('PUT /zones', { mappings: { properties: { d: { type: 'date' } } } });
  const status = async (time_zone: string): Promise<number> =>
    (
      await ask('POST /zones/_search', {
        aggs: { a: { date_histogram: { field: 'd', calendar_interval: 'day', time_zone } } },
      })
    ).status;
  for (const zone of ['UTC+2', 'GMT+02:00', '+1', 'US/Pacific', 'EST5EDT', 'CET']) equal(await status(zone), 200, zone);
  for (const zone of ['EST', 'PST', 'europe/berlin', 'Europe/Foo', '+19:00', '']) equal(await status(zone), 400, zone);
});

test('bounds of a geo grid are any numbers, and a box that lacks a side bounds nothing', async () => {
  const ask = await startRest();
  await ask('PUT /g', { mappings: { properties: { g: { type: 'geo_point' } } } });
  await ask('PUT /g/_doc/1?refresh', { g: '1,1' });
  const grid = async (bounds: unknown): Promise<unknown> => {
    const { json } = await ask('POST /g/_search', {
      aggs: { a: { geotile_grid: { field: 'g', precision: 1, bounds } } },
    });
    return json.aggregations?.a.buckets.length ?? json.error.root_cause[0].reason;
  };
  equal(await grid({}), 1);
  equal(await grid({ top_left: '3,0', bottom_right: '0,3' }), 1);
  equal(await grid({ top_left: '0,0', bottom_right: '3,3' }), 0);
  equal(await grid({ top: -2, left: 0 }), 1);
  equal(await grid({ wkt: 'BBOX (0, 2, 2, 0)' }), 1);
  equal(await grid({ wkt: 'POINT (1 2)' }), 'failed to parse WKT bounding box. [POINT] found. expected [ENVELOPE]');
  equal(await grid({ top: 1, x: 2 }), 'failed to parse bounding box. unexpected field [x]');
});

test('values of another kind are refused by the parser that reads them', async () => {
  const ask = await filled();
  const sources = (...each: readonly unknown[]): object => ({ x: { composite: { sources: each } } });
  const inSources = ['x_content_parse_exception', 'parsing_exception'];
  deepEqual(await failure(ask, sources(1)), inSources);
  deepEqual(await failure(ask, sources({ s: 1 })), inSources);
  deepEqual(await failure(ask, sources({ s: { terms: null } })), inSources);
  deepEqual(await failure(ask, sources({ s: { terms: { field: 1 } } })), content);
  const weight = { field: 'n' };
  deepEqual(await failure(ask, { x: { weighted_avg: { value: { field: 'a', wrong: 1 } } } }), content);
  deepEqual(await failure(ask, { x: { weighted_avg: { value: { missing: 2 }, weight } } }), content);
  deepEqual(await failure(ask, { x: { weighted_avg: { value: { field: 'a', missing: [3] }, weight } } }), content);
  deepEqual(await failure(ask, { x: { avg: { value_type: 'keyword' } } }), content);
  const json = ['json_parse_exception', 'json_parse_exception'];
  deepEqual(await failure(ask, beside({ percentiles_bucket: { buckets_path: 'h>s', percents: [null] } })), json);
  for (const aggregation of ['max', 'terms', 'date_histogram'])
    deepEqual(
      await failure(ask, {
        x: {
          [aggregation]: {
            field: 'when',
            format: '',
            ...(aggregation === 'date_histogram' && { calendar_interval: 'month' }),
          },
        },
      }),
      onShard('illegal_argument_exception'),
    );
});
