// Numbers of aggregations to the last digit, and which fields each takes: what Elasticsearch 7.10.2 answered to the same requests.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

async function filled(): Promise<Ask> {
  const ask = await startRest();
  const properties = {
    a: { type: 'double' },
    b: { type: 'double' },
    when: { type: 'date' },
    flag: { type: 'boolean' },
    tag: { type: 'keyword' },
    span: { type: 'integer_range' },
  };
  await ask('PUT /t', { mappings: { properties } });
  const span = { gte: 1, lt: 5 };
  await load(ask, 't', [
    { a: 1, b: 2.5, when: '2026-01-01', flag: true, tag: 'x', span },
    { a: 7, b: 1.1, when: '2026-03-01', flag: false, tag: 'y', span: [span, { gte: 2, lt: 3 }] },
    { a: 0.1, b: 3.3, when: '2026-02-01', tag: 'x' },
    { a: [0.2, 100], b: 4.7, tag: 'z' },
  ]);
  return ask;
}

async function aggregate(ask: Ask, x: object) {
  const reply = await ask('POST /t/_search', { size: 0, aggs: { x } });
  return reply.status === 200 ? reply.json.aggregations.x : reply.json.error.root_cause[0];
}

test('percentiles and their ranks lie between values as those of a t-digest of single values do', async () => {
  const ask = await filled();
  deepEqual((await aggregate(ask, { percentiles: { field: 'a', percents: [0, 10, 33.3, 90, 100] } })).values, {
    '0.0': 0.1,
    '10.0': 0.1,
    '33.3': 0.33199999999999985,
    '90.0': 100,
    '100.0': 100,
  });
  deepEqual(
    (await aggregate(ask, { percentile_ranks: { field: 'a', values: [0.05, 0.15, 3, 50, 60, 12345678] } })).values,
    {
      '0.05': 0,
      '0.15': 19.999999999999996,
      '3.0': 54.117647058823536,
      '50.0': 78.58585858585857,
      '60.0': 100,
      '1.2345678E7': 100,
    },
  );
});

test('weighted_avg and matrix_stats agree with Elasticsearch to the last digit', async () => {
  const ask = await filled();
  const weighted = await aggregate(ask, { weighted_avg: { value: { field: 'a' }, weight: { field: 'b' } } });
  equal(weighted.value, 29.538036809815953);
  const covariance = 25.739999999999995;
  const correlation = 0.7154347660834088;
  deepEqual(await aggregate(ask, { matrix_stats: { fields: ['b', 'a', 'nope'], format: '0.0' } }), {
    doc_count: 4,
    fields: [
      {
        name: 'a',
        count: 4,
        mean: 14.55,
        variance: 571.0699999999999,
        skewness: 1.0997615120952864,
        kurtosis: 2.2864787943278153,
        covariance: { a: 571.0699999999999, b: covariance },
        correlation: { a: 1, b: correlation },
      },
      {
        name: 'b',
        count: 4,
        mean: 2.9,
        variance: 2.266666666666667,
        skewness: 2.8800809357490766e-16,
        kurtosis: 1.8206228373702424,
        covariance: { a: covariance, b: 2.266666666666667 },
        correlation: { a: correlation, b: 1 },
      },
    ],
  });
  deepEqual(await aggregate(ask, { matrix_stats: { fields: [] } }), { doc_count: 0 });
  equal((await aggregate(ask, { matrix_stats: { fields: ['a', 'tag'] } })).type, 'aggregation_execution_exception');
  equal(
    (await aggregate(ask, { matrix_stats: { fields: ['a', 7] } })).reason,
    'Unexpected token VALUE_NUMBER [fields] in [x].',
  );
});

test('numbers of dates and booleans print as their fields do', async () => {
  const ask = await filled();
  const of = async (field: string) => aggregate(ask, { extended_stats: { field } });
  const { min_as_string, variance_as_string, std_deviation_as_string } = await of('flag');
  deepEqual([min_as_string, variance_as_string, std_deviation_as_string], [false, true, 'true']);
  const dates = await of('when');
  equal(dates.sum_of_squares_as_string, '+292278994-08-17T07:12:55.807Z');
  equal(dates.variance_as_string, '+137361669-05-16T06:15:03.936Z');
  const { buckets } = await aggregate(ask, { histogram: { field: 'when', interval: 5184000000 } });
  equal(buckets[0].key_as_string, '2025-11-08T00:00:00.000Z');
  const ranges = await aggregate(ask, { range: { field: 'when', ranges: [{ from: 1769904000000 }] } });
  deepEqual(ranges.buckets, [
    {
      key: '2026-02-01T00:00:00.000Z-*',
      from: 1769904000000,
      from_as_string: '2026-02-01T00:00:00.000Z',
      doc_count: 2,
    },
  ]);
  equal(
    (await aggregate(ask, { median_absolute_deviation: { field: 'when' } })).reason,
    'Field [when] of type [date] is not supported for aggregation [median_absolute_deviation]',
  );
  equal(
    (await aggregate(ask, { variable_width_histogram: { field: 'flag' } })).reason,
    'Field [flag] of type [boolean] is not supported for aggregation [variable_width_histogram]',
  );
});

test('ranges are counted, all of one document as one value', async () => {
  const ask = await filled();
  equal((await aggregate(ask, { value_count: { field: 'span' } })).value, 2);
  equal((await aggregate(ask, { cardinality: { field: 'span' } })).value, 2);
  equal((await aggregate(ask, { missing: { field: 'span' } })).doc_count, 2);
});

test('aggregations of a field that nobody mapped say so by what they leave out', async () => {
  const ask = await filled();
  deepEqual(await aggregate(ask, { significant_terms: { field: 'nope' } }), { buckets: [] });
  deepEqual(await aggregate(ask, { diversified_sampler: { field: 'nope' } }), { doc_count: 0 });
});

test('what stands for missing numbers is not rounded to the type of the field', async () => {
  const ask = await startRest();
  const properties = { h: { type: 'half_float' }, s: { type: 'scaled_float', scaling_factor: 10 } };
  await ask('PUT /t', { mappings: { properties } });
  await load(ask, 't', [{ h: 1, s: 2.2 }, {}]);
  deepEqual(await aggregate(ask, { sum: { field: 'h', missing: 1e10 } }), { value: 10_000_000_001 });
  deepEqual(await aggregate(ask, { max: { field: 's', missing: '3.14159' } }), { value: 3.14159 });
  const { buckets } = await aggregate(ask, { terms: { field: 'h', missing: 1.23456789 } });
  deepEqual(
    buckets.map(({ key }: { key: number }) => key),
    [1, 1.23456789],
  );
});

test('distances keep the order of the request, and those from zero are named as open', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { place: { type: 'geo_point' } } } });
  await load(ask, 't', [{ place: '1,2' }]);
  const ranges = [{ from: 0 }, { from: 0, to: 5 }, { to: 0 }, { from: -1, to: 3 }];
  const { buckets } = await aggregate(ask, { geo_distance: { field: 'place', origin: '1,1', ranges } });
  deepEqual(
    buckets.map(({ key }: { key: string }) => key),
    ['*-*', '*-5.0', '*-0.0', '-1.0-3.0'],
  );
});
