// Values of the first documents of an order, lengths and characters of texts, quartiles; and orders by distances and modes in top_hits.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Ask, load, startRest } from '../rest/harness.ts';

const MAPPINGS = {
  properties: {
    n: { type: 'integer' },
    f: { type: 'double' },
    at: { type: 'date' },
    ok: { type: 'boolean' },
    tag: { type: 'keyword' },
    ip: { type: 'ip' },
    place: { type: 'geo_point' },
    many: { type: 'integer' },
    text: { type: 'text' },
  },
};

const DOCUMENTS = [
  { n: 1, f: 0.5, at: '2020-01-01', ok: true, tag: 'a', ip: '10.0.0.1', place: '0,0', many: [1, 9], text: 'fox' },
  { n: 3, f: 1.5, at: '2020-01-03', ok: false, tag: 'b', place: ['0,5', '0,1'], many: [4, 5], text: 'fox fox' },
  { n: 2, f: 2.5, at: '2020-01-02', tag: 'b', place: '0,9', many: [2, 3, 30] },
  { tag: 'c', f: 9 },
];

async function start(documents: readonly object[] = DOCUMENTS): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', { mappings: MAPPINGS });
  await load(ask, 't', documents);
  return ask;
}

// eslint-disable-next-line typescript/no-explicit-any -- answers of every shape
async function aggregate(ask: Ask, aggs: object, query: object = { match_all: {} }): Promise<any> {
  const reply = await ask('POST /t/_search', { size: 0, query, aggs });
  equal(reply.status, 200, reply.text);
  return reply.json.aggregations;
}

test('the values of the first documents are told, as their fields print them', async () => {
  const ask = await start();
  const metrics = ['f', 'at', 'ok', 'tag', 'ip', 'many', 'absent'].map((field) => ({ field }));
  const found = await aggregate(ask, { x: { top_metrics: { metrics, sort: { n: 'desc' }, size: 4 } } });
  deepEqual(found.x.top, [
    {
      sort: [3],
      metrics: { f: 1.5, at: '2020-01-03T00:00:00.000Z', ok: false, tag: 'b', ip: null, many: 4, absent: null },
    },
    {
      sort: [2],
      metrics: { f: 2.5, at: '2020-01-02T00:00:00.000Z', ok: null, tag: 'b', ip: null, many: 2, absent: null },
    },
    {
      sort: [1],
      metrics: { f: 0.5, at: '2020-01-01T00:00:00.000Z', ok: true, tag: 'a', ip: '10.0.0.1', many: 1, absent: null },
    },
    { sort: [-(2 ** 63)], metrics: { f: 9, at: null, ok: null, tag: 'c', ip: null, many: null, absent: null } },
  ]);
});

test('one document is told of where no number is given, by dates, distances and scores too', async () => {
  const ask = await start();
  const first = async (sort: unknown, query?: object): Promise<unknown> =>
    (await aggregate(ask, { x: { top_metrics: { metrics: { field: 'f', missing: -1 }, sort } } }, query)).x.top;
  deepEqual(await first({ at: 'asc' }), [{ sort: ['2020-01-01T00:00:00.000Z'], metrics: { f: 0.5 } }]);
  deepEqual(await first([{ n: { order: 'asc', missing: 7 } }]), [{ sort: [1], metrics: { f: 0.5 } }]);
  const near = await aggregate(ask, {
    x: { top_metrics: { metrics: { field: 'n' }, sort: { _geo_distance: { place: '0,8', unit: 'km' } } } },
  });
  equal(near.x.top[0].metrics.n, 2);
  ok(Math.abs(near.x.top[0].sort[0] - 111.2) < 0.1);
  const scored = await aggregate(
    ask,
    { x: { top_metrics: { metrics: { field: 'n' }, sort: '_score' } } },
    { match: { text: 'fox' } },
  );
  equal(scored.x.top[0].metrics.n, 3);
  deepEqual(await first({ n: 'asc' }, { term: { tag: 'nobody' } }), []);
});

test('buckets are ordered, and pipelines fed, by the numbers of a top_metrics', async () => {
  const ask = await start();
  const inner = { m: { top_metrics: { metrics: [{ field: 'f' }, { field: 'at' }], sort: { n: 'asc' } } } };
  const found = await aggregate(ask, {
    tags: { terms: { field: 'tag', order: { 'm.f': 'desc' } }, aggs: inner },
    most: { max_bucket: { buckets_path: 'tags>m[f]' } },
  });
  deepEqual(
    found.tags.buckets.map((each: { key: string }) => each.key),
    ['c', 'b', 'a'],
  );
  deepEqual(found.most, { value: 9, keys: ['c'] });
  const refused = await ask('POST /t/_search', {
    aggs: { tags: { terms: { field: 'tag', order: { 'm.at': 'desc' } }, aggs: inner } },
  });
  equal(refused.status, 400);
  match(refused.text, /only numbers can be compared/);
});

test('what a top_metrics cannot do is refused by name', async () => {
  const ask = await start();
  const refuses = async (definition: object, reason: RegExp): Promise<void> => {
    const reply = await ask('POST /t/_search', { aggs: { x: { top_metrics: definition } } });
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  };
  const metrics = { field: 'f' };
  await refuses({ metrics }, /Required \[sort\]/);
  await refuses({ metrics, sort: null }, /Required \[sort\]/);
  await refuses({ sort: 'n' }, /Required \[metrics\]/);
  await refuses({ metrics, sort: ['n', 'f'] }, /exactly one sort/);
  await refuses({ metrics, sort: 'n', size: 11 }, /must not be more than \[10\] but was \[11\]/);
  await refuses({ metrics, sort: 'n', size: 0 }, /must be more than 0/);
  await refuses({ metrics, sort: 'tag' }, /cannot be sorted by \[tag\]/);
  await refuses({ metrics, sort: '_doc' }, /cannot be sorted by \[_doc\]/);
  await refuses({ metrics: { field: 'place' }, sort: 'n' }, /\[place\] of type \[geo_point\]/);
  await refuses({ metrics: { field: 'text' }, sort: 'n' }, /Text fields are not optimised/);
});

test('lengths and characters of texts are counted as by hand', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), maxLength: 5 }), { maxLength: 8 }),
      async (tags) => {
        const ask = await start([{ n: 1 }, ...tags.map((tag) => ({ tag }))]);
        const { x } = await aggregate(ask, { x: { string_stats: { field: 'tag', show_distribution: true } } });
        const total = tags.join('').length;
        equal(x.count, tags.length);
        if (tags.length === 0) {
          deepEqual(x, {
            count: 0,
            min_length: null,
            max_length: null,
            avg_length: null,
            entropy: 0,
            distribution: null,
          });
          return;
        }
        equal(x.min_length, Math.min(...tags.map((tag) => tag.length)));
        equal(x.max_length, Math.max(...tags.map((tag) => tag.length)));
        equal(x.avg_length, total / tags.length);
        const counts = new Map<string, number>();
        for (const unit of tags.join('').split('')) counts.set(unit, (counts.get(unit) ?? 0) + 1);
        deepEqual(x.distribution, Object.fromEntries([...counts].map(([unit, count]) => [unit, count / total])));
        const entropy = [...counts.values()].reduce(
          (sum, count) => sum - (count / total) * Math.log2(count / total),
          0,
        );
        ok(Math.abs(x.entropy - entropy) < 1e-9);
      },
    ),
    { numRuns: 25 },
  );
});

test('formats print lengths; other fields than texts are refused', async () => {
  const ask = await start([{ tag: 'ab' }, { tag: 'abcd' }, {}]);
  const { x } = await aggregate(ask, { x: { string_stats: { field: 'tag', format: '0.00', missing: 'zzz' } } });
  deepEqual([x.count, x.min_length_as_string, x.max_as_string, x.avg_length_as_string], [3, '2.00', '4.00', '3.00']);
  const refused = await ask('POST /t/_search', { aggs: { x: { string_stats: { field: 'n' } } } });
  equal(refused.status, 400);
  match(refused.text, /\[n\] of type \[integer\] is not supported for aggregation \[string_stats\]/);
});

test('a boxplot tells extremes and quartiles as percentiles do', async () => {
  const ask = await start(Array.from({ length: 11 }, (_, n) => ({ n: n * n, tag: n < 2 ? 'few' : 'many' })));
  const found = await aggregate(ask, {
    x: { boxplot: { field: 'n', format: '0.0' } },
    p: { percentiles: { field: 'n', percents: [25, 50, 75], keyed: false } },
    none: { filter: { term: { tag: 'nobody' } }, aggs: { x: { boxplot: { field: 'n' } } } },
  });
  const { min, max, q1, q2, q3, q2_as_string } = found.x;
  deepEqual([min, max], [0, 100]);
  deepEqual(
    [q1, q2, q3],
    found.p.values.map((each: { value: number }) => each.value),
  );
  equal(q2_as_string, '25.0');
  deepEqual(found.none.x, { min: 'Infinity', max: '-Infinity', q1: 'NaN', q2: 'NaN', q3: 'NaN' });
  const refused = await ask('POST /t/_search', { aggs: { x: { boxplot: { field: 'at' } } } });
  match(refused.text, /\[at\] of type \[date\] is not supported for aggregation \[boxplot\]/);
});

test('top_hits are ordered by distances and by modes of several values as hits are', async () => {
  const ask = await start();
  const sorts = [
    ...['min', 'max', 'avg', 'median'].map((mode) => [{ _geo_distance: { place: '0,2', mode, unit: 'km' } }]),
    [{ _geo_distance: { place: ['0,2', '0,8'], order: 'desc', distance_type: 'plane' } }],
    ...['min', 'max', 'avg', 'median', 'sum'].map((mode) => [{ many: { mode, order: 'desc' } }]),
  ];
  for (const sort of sorts) {
    const reply = await ask('POST /t/_search', { sort, aggs: { x: { top_hits: { size: 4, sort } } } });
    const told = (hits: readonly { _id: string; sort: unknown }[]): unknown => hits.map((hit) => [hit._id, hit.sort]);
    deepEqual(told(reply.json.aggregations.x.hits.hits), told(reply.json.hits.hits), JSON.stringify(sort));
  }
});
