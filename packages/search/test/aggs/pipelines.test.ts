import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

/** Sales in three of four months: 10 + 20, none, 5, 45. */
async function sales(): Promise<Ask> {
  const ask = await startRest();
  await load(ask, 's', [
    { at: '2020-01-05', n: 10, shop: 'a' },
    { at: '2020-01-20', n: 20, shop: 'b' },
    { at: '2020-03-01', n: 5, shop: 'a' },
    { at: '2020-04-01', n: 45, shop: 'b' },
  ]);
  return ask;
}

async function monthly(ask: Ask, inner: object, beside: object = {}, params = '') {
  const aggs = {
    m: { date_histogram: { field: 'at', calendar_interval: 'month' }, aggs: { s: { sum: { field: 'n' } }, ...inner } },
    ...beside,
  };
  const reply = await ask(`POST /s/_search${params}`, { size: 0, aggs });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.json.aggregations;
}

const path = { buckets_path: 's' };

test('metrics over the buckets of an aggregation beside leave out empty ones, or count them as zero', async () => {
  const ask = await sales();
  const of = (type: string, more: object = {}) => ({ x: { [type]: { buckets_path: 'm>s', ...more } } });
  const value = async (type: string, more: object = {}) => (await monthly(ask, {}, of(type, more))).x;
  deepEqual(await value('avg_bucket'), { value: 80 / 3 });
  deepEqual(await value('avg_bucket', { gap_policy: 'insert_zeros' }), { value: 20 });
  deepEqual(await value('sum_bucket', { format: '0.00' }), { value: 80, value_as_string: '80.00' });
  deepEqual(await value('max_bucket'), { value: 45, keys: ['2020-04-01T00:00:00.000Z'] });
  deepEqual(await value('min_bucket'), { value: 5, keys: ['2020-03-01T00:00:00.000Z'] });
  deepEqual(await value('stats_bucket'), { count: 3, min: 5, max: 45, avg: 80 / 3, sum: 80 });
  deepEqual(await value('percentiles_bucket', { percents: [0, 50, 100] }), {
    values: { '0.0': 5, '50.0': 30, '100.0': 45 },
  });
  deepEqual((await monthly(ask, {}, { x: { max_bucket: { buckets_path: 'm>_count' } } })).x.value, 2);
});

test('running sums and differences stand in the buckets', async () => {
  const ask = await sales();
  const inner = {
    c: { cumulative_sum: path },
    d: { derivative: { ...path, gap_policy: 'insert_zeros' } },
    l: { serial_diff: { ...path, lag: 2 } },
    dd: { derivative: { buckets_path: 'd' } },
  };
  const { buckets } = (await monthly(ask, inner)).m;
  const column = (name: string) => buckets.map((bucket: any) => bucket[name]?.value);
  deepEqual(column('c'), [30, 30, 35, 80]);
  deepEqual(column('d'), [undefined, -30, 5, 40]);
  deepEqual(column('l'), [undefined, undefined, -25, undefined]);
  equal(buckets[3].dd.value, 35);
  const perDay = (await monthly(ask, { d: { derivative: { ...path, unit: 'day' } } })).m.buckets;
  deepEqual(perDay[3].d, { value: 40, normalized_value: 40 / 31 });
  equal(perDay[1].d.value, null);
});

test('bucket_sort orders buckets, cuts them, and drops those without a value', async () => {
  const ask = await sales();
  const keys = async (body: object) =>
    (await monthly(ask, { b: { bucket_sort: body } })).m.buckets.map((bucket: any) => bucket.key_as_string.slice(5, 7));
  deepEqual(await keys({ sort: [{ s: { order: 'desc' } }] }), ['04', '01', '03']);
  deepEqual(await keys({ sort: [{ s: 'desc' }], gap_policy: 'insert_zeros' }), ['04', '01', '03', '02']);
  deepEqual(await keys({ from: 1, size: 2 }), ['02', '03']);
  deepEqual(await keys({ sort: [{ _key: 'desc' }], size: 1 }), ['04']);
});

test('typed keys name pipelines, and a path finds its way through them', async () => {
  const ask = await sales();
  const found = await monthly(
    ask,
    { d: { derivative: path }, c: { cumulative_sum: path } },
    { x: { max_bucket: { buckets_path: 'm>c' } }, y: { avg_bucket: { buckets_path: 'm.s' } } },
    '?typed_keys=true',
  );
  equal(found['bucket_metric_value#x'].value, 80);
  equal(found['simple_value#y'].value, 80 / 3);
  const [, , , last] = found['date_histogram#m'].buckets;
  deepEqual(
    Object.keys(last).filter((key) => key.includes('#')),
    ['sum#s', 'derivative#d', 'simple_value#c'],
  );
});

test('a pipeline inside of terms works on each of them', async () => {
  const ask = await sales();
  const reply = await ask('POST /s/_search', {
    size: 0,
    aggs: {
      shops: {
        terms: { field: 'shop.keyword' },
        aggs: {
          h: { histogram: { field: 'n', interval: 10 }, aggs: { st: { stats: { field: 'n' } } } },
          top: { max_bucket: { buckets_path: 'h>st.max' } },
        },
      },
    },
  });
  const tops = reply.json.aggregations.shops.buckets.map((bucket: any) => [bucket.key, bucket.top]);
  deepEqual(tops, [
    ['a', { value: 10, keys: ['10.0'] }],
    ['b', { value: 45, keys: ['40.0'] }],
  ]);
});

test('a pipeline that cannot work is refused by name', async () => {
  const ask = await sales();
  const refusal = async (aggs: object) => {
    const reply = await ask('POST /s/_search', { size: 0, aggs });
    equal(reply.status, 400, reply.text);
    return reply.text;
  };
  const m = { date_histogram: { field: 'at', calendar_interval: 'month' }, aggs: { s: { sum: { field: 'n' } } } };
  match(
    await refusal({ m, x: { avg_bucket: { buckets_path: 'm>z' } } }),
    /No aggregation \[z\] found for path \[m>z\]/,
  );
  match(await refusal({ m, x: { avg_bucket: { buckets_path: 'm' } } }), /must reference either a number value/);
  match(await refusal({ x: { derivative: path } }), /must be declared inside of another aggregation/);
  const inside = (name: string, body: object) => ({ m: { ...m, aggs: { ...m.aggs, [name]: body } } });
  match(await refusal(inside('x', { derivative: { buckets_path: 'x' } })), /Cyclical dependency/);
  match(await refusal(inside('x', { bucket_sort: {} })), /configured to perform nothing/);
  match(
    await refusal({
      t: { terms: { field: 'shop.keyword' }, aggs: { c: { cumulative_sum: { buckets_path: '_count' } } } },
    }),
    /must have a histogram/,
  );
  match(
    await refusal({ m, x: { avg_bucket: { buckets_path: 'm>s', gap: 1 } } }),
    /Unexpected token VALUE_NUMBER \[gap\] in \[x\]/,
  );
  match(await refusal(inside('x', { bucket_script: {} })), /Required \[buckets_path, script\]/);
  match(await refusal(inside('x', { inference: {} })), /\[inference\] is not supported/);
});

test('what a pipeline cannot compute of the buckets is an error of no shard, as in Elasticsearch', async () => {
  const ask = await sales();
  const refusal = async (inner: object) => {
    const aggs = {
      m: { histogram: { field: 'n', interval: 50 }, aggs: { k: { terms: { field: 'shop.keyword' } }, ...inner } },
    };
    const { error } = (await ask('POST /s/_search', { size: 0, aggs })).json;
    equal(error.type, 'search_phase_execution_exception');
    deepEqual([error.root_cause, error.reason, error.phase, error.failed_shards], [[], '', 'fetch', []]);
    return error.caused_by.type;
  };
  const script = (source: string, type = 'bucket_script') => ({
    x: { [type]: { buckets_path: { n: '_count' }, script: source } },
  });
  equal(await refusal({ x: { derivative: { buckets_path: 'k' } } }), 'aggregation_execution_exception');
  equal(await refusal(script('params.n > 1')), 'script_exception');
  equal(await refusal(script('params.n +')), 'script_exception');
  equal(await refusal(script('params.n < 0 ? 1 : MovingFunctions.sum(params.n)')), 'script_exception');
  equal(await refusal(script('params.n + 1', 'bucket_selector')), 'script_exception');
  equal(await refusal({ x: { moving_fn: { buckets_path: '_count', window: 2, script: 'null' } } }), 'script_exception');
});

test('a derivative of a derivative begins where that one does', async () => {
  const { m } = await monthly(await sales(), {
    d: { derivative: { ...path, unit: 'day' } },
    e: { derivative: { buckets_path: 'd' } },
    f: { derivative: { buckets_path: 'd.normalized_value' } },
  });
  const { buckets } = m as { buckets: Record<string, object | undefined>[] };
  deepEqual(
    buckets.map(({ d, e, f }) => [d !== undefined, e !== undefined, f !== undefined]),
    [
      [false, false, false],
      [true, false, false],
      [true, true, true],
      [true, true, true],
    ],
  );
});
