// Options of aggregations that change what is answered, or are refused by name.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: {
        n: { type: 'integer' },
        place: { type: 'geo_point' },
        ip: { type: 'ip' },
        tag: { type: 'keyword' },
      },
    },
  });
  await load(ask, 't', [
    { n: 1, place: '1,1', ip: '10.0.0.1', tag: 'a' },
    { n: 51, place: '10,20', ip: '10.0.0.9', tag: 'a' },
    { n: 101, tag: 'b' },
    { n: 151, place: '-20,40' },
  ]);
  return ask;
}

async function aggregate(ask: Ask, definition: object, query: object = { match_all: {} }) {
  const reply = await ask('POST /t/_search', { size: 0, query, aggs: { x: definition } });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.json.aggregations.x;
}

test('hdr percentiles round as a histogram with that many digits does', async () => {
  const ask = await filled();
  const hdr = (digits?: number) => (digits === undefined ? {} : { number_of_significant_value_digits: digits });
  const of = async (digits?: number, query?: object) =>
    (await aggregate(ask, { percentiles: { field: 'n', percents: [25, 50, 75], hdr: hdr(digits) } }, query)).values;
  deepEqual(await of(), { '25.0': 1, '50.0': 51.0302734375, '75.0': 101.0615234375 });
  // Without the 1 the lowest octave begins at 32, and so are the steps.
  deepEqual(await of(3, { range: { n: { gt: 1 } } }), { '25.0': 51, '50.0': 101.03125, '75.0': 101.03125 });
  const ranks = await aggregate(ask, { percentile_ranks: { field: 'n', values: [0, 51, 60, 1000], hdr: {} } });
  deepEqual(ranks.values, { '0.0': 0, '51.0': 50, '60.0': 50, '1000.0': 100 });
  const both = await ask('POST /t/_search', { aggs: { x: { percentiles: { field: 'n', hdr: {}, tdigest: {} } } } });
  equal(both.status, 400);
  match(both.text, /Only one percentiles method/);
});

test('documents without a point stand where missing says', async () => {
  const ask = await filled();
  deepEqual(await aggregate(ask, { geo_bounds: { field: 'place', missing: '80,-90' } }), {
    bounds: {
      top_left: { lat: 80, lon: -90 },
      bottom_right: { lat: -20.000000023283064, lon: 39.9999999627471 },
    },
  });
  equal((await aggregate(ask, { geo_centroid: { field: 'place', missing: '80,80' } })).count, 4);
  equal((await aggregate(ask, { value_count: { field: 'place', missing: '80,80' } })).value, 4);
  const near = { geo_distance: { field: 'place', origin: '80,80', missing: '80,80', ranges: [{ to: 1 }] } };
  equal((await aggregate(ask, near)).buckets[0].doc_count, 1);
  const ips = { ip_range: { field: 'ip', missing: '10.0.0.2', ranges: [{ to: '10.0.0.5' }] } };
  equal((await aggregate(ask, ips)).buckets[0].doc_count, 3);
});

test('grids take a width for their precision and bounds for their points', async () => {
  const ask = await filled();
  const keys = async (definition: object) =>
    (await aggregate(ask, definition)).buckets.map(({ key }: { key: string }) => key).sort();
  deepEqual(await keys({ geohash_grid: { field: 'place', precision: '5000km' } }), ['ku', 's0', 's3']);
  deepEqual(
    await keys({ geohash_grid: { field: 'place', precision: 3, bounds: { top_left: '15,10', bottom_right: '5,30' } } }),
    ['s3y'],
  );
  // A box that crosses the date line holds what lies outside of its sides' gap.
  deepEqual(
    await keys({
      geotile_grid: { field: 'place', precision: 2, bounds: { top: 90, bottom: -90, left: 30, right: 5 } },
    }),
    ['2/2/1', '2/2/2'],
  );
});

test('tiles are a source of a composite, in pages', async () => {
  const ask = await filled();
  const composite = { size: 2, sources: [{ tile: { geotile_grid: { field: 'place', precision: 5 } } }] };
  const first = await aggregate(ask, { composite });
  deepEqual(
    first.buckets.map(({ key }: { key: object }) => key),
    [{ tile: '5/16/15' }, { tile: '5/17/15' }],
  );
  const second = await aggregate(ask, { composite: { ...composite, after: first.after_key } });
  deepEqual(second.buckets, [{ key: { tile: '5/19/17' }, doc_count: 1 }]);
});

test('formats print the numbers of weighted averages and of statistics over buckets', async () => {
  const ask = await filled();
  const weighted = { weighted_avg: { value: { field: 'n' }, weight: { field: 'n' }, format: '0.0' } };
  equal((await aggregate(ask, weighted)).value_as_string, '117.1');
  const aggs = {
    h: { terms: { field: 'tag' }, aggs: { s: { sum: { field: 'n' } } } },
    stats: { stats_bucket: { buckets_path: 'h>s', format: '0.0' } },
    extended: { extended_stats_bucket: { buckets_path: 'h>s', sigma: 1 } },
    percentiles: { percentiles_bucket: { buckets_path: 'h>s', percents: [50], format: '0.0' } },
  };
  const { aggregations } = (await ask('POST /t/_search', { size: 0, aggs })).json;
  deepEqual([aggregations.stats.min_as_string, aggregations.stats.avg_as_string], ['52.0', '76.5']);
  equal(aggregations.extended.std_deviation, 24.5);
  deepEqual(
    [aggregations.extended.std_deviation_bounds.lower, aggregations.extended.std_deviation_bounds.upper],
    [52, 101],
  );
  deepEqual(aggregations.percentiles.values, { '50.0': 101, '50.0_as_string': '101.0' });
});

test('what an aggregation has no use for is refused', async () => {
  const ask = await filled();
  for (const [definition, word] of [
    [{ avg: { field: 'n', time_zone: '+01:00' } }, /\[avg\] unknown field \[time_zone\]/],
    [{ cardinality: { field: 'n', format: '0' } }, /\[cardinality\] unknown field \[format\]/],
    [
      { composite: { sources: [{ a: { terms: { field: 'tag', interval: 3 } } }] } },
      /\[terms\] unknown field \[interval\]/,
    ],
    [
      { terms: { field: 'tag' }, aggs: { c: { composite: { sources: [{ a: { terms: { field: 'n' } } }] } } } },
      /\[composite\] aggregation cannot be used with a parent aggregation of type: \[TermsAggregatorFactory\]/,
    ],
    [{ terms: { field: 'tag' }, aggs: { g: { global: {} } } }, /Global aggregations can only be defined as top level/],
  ] as const) {
    const reply = await ask('POST /t/_search', { aggs: { x: definition } });
    equal(reply.status, 400, reply.text);
    match(reply.text, word);
  }
});

test('documents are counted by their index, and not by what no column holds', async () => {
  const ask = await startRest();
  await load(ask, 'one', [{ n: 1 }, { n: 2 }]);
  await load(ask, 'two', [{ n: 3 }]);
  const found = await ask('POST /one,two/_search', {
    size: 0,
    aggs: {
      by: { terms: { field: '_index' }, aggs: { most: { max: { field: 'n' } } } },
      plain: { terms: { field: '_index', include: ['two'] } },
      count: { cardinality: { field: '_index' } },
      none: { missing: { field: '_index' } },
      pages: { composite: { sources: [{ i: { terms: { field: '_index' } } }] } },
    },
  });
  const { by, plain, count, none, pages } = found.json.aggregations;
  deepEqual(
    by.buckets.map((each: { key: string; doc_count: number; most: { value: number } }) => [
      each.key,
      each.doc_count,
      each.most.value,
    ]),
    [
      ['one', 2, 2],
      ['two', 1, 3],
    ],
  );
  deepEqual([plain.buckets, count.value, none.doc_count], [[{ key: 'two', doc_count: 1 }], 2, 0]);
  deepEqual(
    pages.buckets.map(({ key }: { key: object }) => key),
    [{ i: 'one' }, { i: 'two' }],
  );
  equal((await ask('POST /one/_search', { aggs: { x: { terms: { field: '_routing' } } } })).status, 400);
});

test('dates beyond those of the calendar are placed or refused in every zone, never a fault', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { n: { type: 'double' } } } });
  await load(
    ask,
    't',
    [1e308, -1e308, 8.64e15, -8.64e15, 0].map((n) => ({ n })),
  );
  for (const calendar_interval of ['minute', 'day', 'month', 'year']) {
    for (const time_zone of ['Europe/Berlin', '+01:00', 'UTC']) {
      const source = { date_histogram: { field: 'n', calendar_interval, time_zone } };
      const aggs = { x: { composite: { sources: [{ t: source }] } } };
      const reply = await ask('POST /t/_search', { size: 0, aggs });
      if (calendar_interval === 'minute') equal(reply.status, 200);
      else match(reply.json.error.root_cause[0].reason, /^A value is no date that a calendar could place/);
    }
  }
});

test('the stand-in for a missing date is written in the format, and of the zone, that the aggregation names', async () => {
  const ask = await startRest();
  await ask('PUT /d', { mappings: { properties: { d: { type: 'date', format: 'yyyy-MM-dd' } } } });
  await load(ask, 'd', [{ d: '2020-05-01' }, { other: 1 }]);
  const shared = { field: 'd', format: 'MM/yyyy', missing: '01/2019', time_zone: '+02:00' };
  const { json } = await ask('POST /d/_search', {
    size: 0,
    aggs: {
      years: { date_histogram: { ...shared, calendar_interval: 'month', min_doc_count: 1 } },
      ranges: { date_range: { ...shared, ranges: [{ to: '02/2019' }, { from: '02/2019' }] } },
    },
  });
  const { years, ranges } = json.aggregations;
  const shown = (bucket: { key: unknown; doc_count: number }): unknown[] => [bucket.key, bucket.doc_count];
  deepEqual(years.buckets.map(shown), [
    [Date.UTC(2018, 11, 31, 22), 1],
    [Date.UTC(2020, 3, 30, 22), 1],
  ]);
  deepEqual(ranges.buckets.map(shown), [
    ['*-02/2019', 1],
    ['02/2019-*', 1],
  ]);
  const wrong = { date_histogram: { ...shared, missing: '2019-01-01', calendar_interval: 'month' } };
  const refused = await ask('POST /d/_search', { aggs: { wrong } });
  match(refused.json.error.root_cause[0].reason, /failed to parse date field \[2019-01-01\] with format \[MM\/yyyy\]/);
});

test('the bounds of a date histogram are written in the format of the field', async () => {
  const ask = await startRest();
  await ask('PUT /d', { mappings: { properties: { d: { type: 'date', format: 'dd.MM.yyyy' } } } });
  const histogram = {
    field: 'd',
    calendar_interval: 'month',
    extended_bounds: { min: '01.01.2020', max: '05.03.2020' },
  };
  const keys = async (): Promise<string[]> => {
    const { json } = await ask('POST /d/_search', { size: 0, aggs: { months: { date_histogram: histogram } } });
    return json.aggregations.months.buckets.map((bucket: { key_as_string: string }) => bucket.key_as_string);
  };
  await load(ask, 'd', [{ d: '02.02.2020' }]);
  deepEqual(await keys(), ['01.01.2020', '01.02.2020', '01.03.2020']);
});

test('hard bounds drop the buckets whose keys lie outside; those of dates are rounded first, and the last is left out', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { n: { type: 'integer' }, at: { type: 'date' } } } });
  await load(ask, 't', [
    { n: 3, at: '2025-12-31T23:00:00' },
    { n: 7, at: '2026-01-01' },
    { n: 12, at: '2026-01-03' },
  ]);
  const keysOf = async (definition: object): Promise<readonly unknown[]> =>
    (await aggregate(ask, definition)).buckets.map(({ key }: { readonly key: unknown }) => key);
  const numbers = (bounds: object) =>
    keysOf({ histogram: { field: 'n', interval: 5, min_doc_count: 1, hard_bounds: bounds } });
  deepEqual(await numbers({ min: 2 }), [5, 10]);
  deepEqual(await numbers({ max: 5 }), [0, 5]);
  deepEqual(await numbers({ max: 4 }), [0]);
  const days = (bounds: object) =>
    keysOf({ date_histogram: { field: 'at', fixed_interval: '1d', min_doc_count: 1, hard_bounds: bounds } });
  const [first, second, third] = ['2025-12-31', '2026-01-01', '2026-01-03'].map((day) => Date.parse(day));
  deepEqual(await days({ min: '2025-12-31T23:59:59' }), [first, second, third]);
  deepEqual(await days({ max: '2026-01-01T12:00:00' }), [first]);
  deepEqual(await days({ max: '2026-01-02' }), [first, second]);
});

test('a path of a pipeline goes through the bucket of a key', async () => {
  const ask = await filled();
  const reply = await ask('POST /t/_search', {
    size: 0,
    aggs: {
      h: {
        histogram: { field: 'n', interval: 100 },
        aggs: {
          k: { terms: { field: 'tag' }, aggs: { s: { sum: { field: 'n' } } } },
          p: { derivative: { buckets_path: "k['a']>s", unit: '1d', format: '0.0' } },
        },
      },
      most: { max_bucket: { buckets_path: "h>k['a']>s" } },
      none: { max_bucket: { buckets_path: "h>k['x']>s" } },
    },
  });
  deepEqual(reply.json.aggregations.most, { value: 52, keys: ['0.0'] });
  deepEqual(reply.json.aggregations.none, { value: null, keys: [] });
});

test('other_bucket_key alone asks for the other bucket, and other_bucket can say no', async () => {
  const ask = await filled();
  const filters = { a: { term: { tag: 'a' } } };
  const namesOf = async (more: object) =>
    Object.keys((await aggregate(ask, { filters: { filters, ...more } })).buckets);
  deepEqual(await namesOf({ other_bucket_key: 'rest' }), ['a', 'rest']);
  deepEqual(await namesOf({ other_bucket_key: 'rest', other_bucket: false }), ['a']);
  deepEqual(await namesOf({ other_bucket: true }), ['a', '_other_']);
});

test('a bucket without documents shows the ranges and terms inside of it, and one between those of a histogram none', async () => {
  const ask = await filled();
  const inside = {
    i: { ip_range: { field: 'ip', ranges: [{ to: '10.0.0.5' }] } },
    t: { terms: { field: 'tag', min_doc_count: 0, include: 'a' } },
  };
  const shownIn = async (around: object): Promise<readonly unknown[]> => {
    const { a } = (await ask('POST /t/_search', { size: 0, aggs: { a: { ...around, aggs: inside } } })).json
      .aggregations;
    const buckets: readonly (typeof a)[] = Array.isArray(a.buckets) ? a.buckets : [a];
    return buckets
      .filter(({ doc_count: count }) => count === 0)
      .map(({ i, t }) => [...i.buckets, ...t.buckets].map(({ key, doc_count: count }) => [key, count]));
  };
  const both = [
    ['*-10.0.0.5', 0],
    ['a', 0],
  ];
  deepEqual(await shownIn({ missing: { field: 'n' } }), [both]);
  deepEqual(await shownIn({ filter: { match_none: {} } }), [both]);
  deepEqual(await shownIn({ range: { field: 'n', ranges: [{ from: 1000 }] } }), [both]);
  const between = { histogram: { field: 'n', interval: 20, extended_bounds: { min: 0, max: 60 } } };
  deepEqual(await shownIn({ range: { field: 'none', ranges: [{ from: 1 }] } }), [[]], 'of a field that is not mapped');
  deepEqual(await shownIn({ nested: { path: 'none' } }), [[]]);
  deepEqual((await shownIn(between)).at(-1), []);
  equal((await shownIn(between)).flat().length, 0);
  const deeper = { ...between, aggs: { f: { filter: { match_all: {} }, aggs: inside } } };
  const { buckets } = (await ask('POST /t/_search', { size: 0, aggs: { a: deeper } })).json.aggregations.a;
  const empty = buckets.filter(({ doc_count: count }: { doc_count: number }) => count === 0);
  deepEqual([empty[0].f.i.buckets, empty[0].f.t.buckets], [[], []]);
});
