// Aggregations that hold numbers against each other, or against time.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { incompleteBeta, logGamma, studentTail } from '../../src/aggs/student-t.ts';
import { type Ask, load, startRest } from '../rest/harness.ts';

async function filled(documents: readonly object[]): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: {
        a: { type: 'double' },
        b: { type: 'double' },
        tag: { type: 'keyword' },
        at: { type: 'date' },
        text: { type: 'text' },
      },
    },
  });
  await load(ask, 't', documents);
  return ask;
}

async function aggregate(ask: Ask, x: object, more: object = {}) {
  const reply = await ask('POST /t/_search', { size: 0, aggs: { x }, ...more });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.json.aggregations.x;
}

const near = (found: number, wanted: number): void =>
  ok(Math.abs(found - wanted) <= 1e-12 * Math.max(1, Math.abs(wanted)), `${found} is not ${wanted}`);

test('sums of large numbers and of their squares do not depend on the order of the documents', async () => {
  const dates = Array.from({ length: 400 }, (_, at) => 1_600_000_000_000 + at * 86_400_123_457);
  const answers: unknown[] = [];
  for (const order of [dates, dates.toReversed(), dates.toSorted((a, b) => (a % 1009) - (b % 1009))]) {
    const ask = await filled(order.map((a) => ({ a })));
    answers.push(await aggregate(ask, { extended_stats: { field: 'a' } }));
  }
  deepEqual(answers[1], answers[0]);
  deepEqual(answers[2], answers[0]);
});

test('matrix_stats tells moments of each field and how they vary together, of documents that have all of them', async () => {
  const ask = await filled([{ a: 1, b: 3 }, { a: 2, b: 7 }, { a: 4, b: 1 }, { a: 9, b: 4 }, { a: 5 }]);
  const { doc_count, fields } = await aggregate(ask, { matrix_stats: { fields: ['a', 'b'] } });
  equal(doc_count, 4);
  const [a, b] = fields;
  deepEqual([a.name, a.count, a.mean, b.mean], ['a', 4, 4, 3.75]);
  near(a.variance, 38 / 3);
  near(a.skewness, (2 * (-27 - 8 + 0 + 125)) / 38 ** 1.5);
  near(a.kurtosis, (4 * (81 + 16 + 0 + 625)) / 38 ** 2);
  const joint = (-3 * -0.75 + -2 * 3.25 + 5 * 0.25) / 3;
  near(a.covariance.b, joint);
  near(b.covariance.a, joint);
  near(a.covariance.a, 38 / 3);
  near(a.correlation.b, joint / Math.sqrt((38 / 3) * b.variance));
  equal(b.correlation.b, 1);
  equal((await aggregate(ask, { matrix_stats: { fields: ['a', 'b'], missing: { b: 0 } } })).doc_count, 5);
  // A field that nobody mapped is left out.
  equal((await aggregate(ask, { matrix_stats: { fields: ['a', 'nope'] } })).fields.length, 1);
});

test('matrix_stats takes one of several values as its mode says', async () => {
  const ask = await filled([{ a: [1, 2, 6] }, { a: 4 }]);
  for (const [mode, mean] of [
    ['avg', 3.5],
    ['min', 2.5],
    ['max', 5],
    ['sum', 6.5],
    ['median', 3],
  ])
    equal((await aggregate(ask, { matrix_stats: { fields: 'a', mode } })).fields[0].mean, mean);
});

test('the tail of Student’s distribution is that of its tables', () => {
  near(logGamma(0.5), Math.log(Math.sqrt(Math.PI)));
  near(logGamma(11), Math.log(3_628_800));
  near(incompleteBeta(2, 3, 0.4), 0.5248);
  // One degree of freedom is Cauchy's distribution; two have a closed form.
  for (const t of [0, 0.1, 1, 5, 300]) {
    near(studentTail(t, 1), 0.5 - Math.atan(t) / Math.PI);
    near(studentTail(t, 2), 0.5 - t / (2 * Math.sqrt(2 + t * t)));
  }
  near(studentTail(2.228138851964939, 10), 0.025);
});

test('t_test compares means of two fields, paired and not, and of documents that filters tell apart', async () => {
  const before = [99, 87, 95, 88, 102, 91];
  const after = [94, 82, 96, 80, 99, 90];
  const ask = await filled(before.map((a, at) => ({ a, b: after[at], tag: at % 2 === 0 ? 'even' : 'odd' })));
  const value = async (definition: object): Promise<number> => (await aggregate(ask, { t_test: definition })).value;
  const pair = { a: { field: 'a' }, b: { field: 'b' } };
  // The differences have a mean of 3.5 and a variance of 10.3.
  near(await value({ ...pair, type: 'paired' }), 2 * studentTail(3.5 / Math.sqrt(10.3 / 6), 5));
  const equalVariance = await value({ ...pair, type: 'homoscedastic' });
  const ownVariance = await value(pair);
  const means = [before, after].map((list) => list.reduce((x, y) => x + y) / 6);
  const squares = [before, after].map((list, at) => list.reduce((sum, x) => sum + (x - means[at]!) ** 2, 0) / 5);
  const t = (means[0]! - means[1]!) / Math.sqrt((squares[0]! + squares[1]!) / 6);
  near(equalVariance, 2 * studentTail(t, 10));
  const degrees = (squares[0]! + squares[1]!) ** 2 / ((squares[0]! ** 2 + squares[1]! ** 2) / 5);
  near(ownVariance, 2 * studentTail(t, degrees));
  near(await value({ ...pair, tails: 1 }), ownVariance / 2);
  const apart = {
    a: { field: 'a', filter: { term: { tag: 'even' } } },
    b: { field: 'a', filter: { term: { tag: 'odd' } } },
  };
  ok((await value(apart)) < 0.1);
  equal((await aggregate(ask, { t_test: { ...pair, format: '0.0' } })).value_as_string, ownVariance.toFixed(1));
  equal(await value({ a: { field: 'a' }, b: { field: 'nope' } }), null);
  const wrong = { aggs: { x: { t_test: { ...apart, type: 'paired' } } } };
  match((await ask('POST /t/_search', wrong)).text, /Paired t-test doesn't support filters/);
});

test('rate counts in a unit of time, whatever the length of the month, and through aggregations between', async () => {
  const ask = await filled([
    { at: '2021-02-01', a: 10, tag: 'x' },
    { at: '2021-02-28', a: 18, tag: 'y' },
    { at: '2021-03-15', a: 31, tag: 'x' },
  ]);
  const months = async (rate: object) =>
    (
      await aggregate(ask, {
        date_histogram: { field: 'at', calendar_interval: 'month' },
        aggs: { r: { rate }, t: { terms: { field: 'tag', order: { r: 'asc' } }, aggs: { r: { rate } } } },
      })
    ).buckets;
  const [february, march] = await months({ unit: 'day', field: 'a' });
  deepEqual([february.r.value, march.r.value], [1, 1]);
  deepEqual(
    february.t.buckets.map((bucket: { key: string; r: { value: number } }) => [bucket.key, bucket.r.value]),
    [
      ['x', 10 / 28],
      ['y', 18 / 28],
    ],
  );
  equal((await months({ unit: 'year' }))[0].r.value, 24);
  equal((await months({ unit: 'quarter', format: '0.00' }))[0].r.value_as_string, '6.00');
  const fixed = { date_histogram: { field: 'at', fixed_interval: '30d' }, aggs: { r: { rate: { unit: 'week' } } } };
  near((await aggregate(ask, fixed)).buckets[0].r.value, 1 / (30 / 7));
  const error = async (aggs: object): Promise<string> => (await ask('POST /t/_search', { aggs })).text;
  match(await error({ r: { rate: { unit: 'day' } } }), /can only be used inside a date histogram/);
  const days = { date_histogram: { field: 'at', calendar_interval: 'day' }, aggs: { r: { rate: { unit: 'month' } } } };
  match(await error({ days }), /Cannot use month-based rate unit \[month\] with non-month based calendar interval/);
});

test('a variable_width_histogram joins near numbers, and shows what is inside of each bucket', async () => {
  const ask = await filled([1, 2, 2, 3, 50, 51, 100].map((a, at) => ({ a, b: at })));
  const { buckets } = await aggregate(ask, {
    variable_width_histogram: { field: 'a', buckets: 3 },
    aggs: { most: { max: { field: 'b' } } },
  });
  deepEqual(
    buckets.map(({ min, key, max, doc_count, most }: Record<string, never>) => [min, key, max, doc_count, most]),
    [
      [1, 2, 3, 4, { value: 3 }],
      [50, 50.5, 51, 2, { value: 5 }],
      [100, 100, 100, 1, { value: 6 }],
    ],
  );
  const all = await aggregate(ask, { variable_width_histogram: { field: 'a', format: '000' } });
  deepEqual(all.buckets[1], {
    min: 2,
    min_as_string: '002',
    key: 2,
    key_as_string: '002',
    max: 2,
    max_as_string: '002',
    doc_count: 2,
  });
  const coarse = { field: 'a', buckets: 3, shard_size: 4 };
  equal((await aggregate(ask, { variable_width_histogram: coarse })).buckets.length, 3);
  deepEqual(await aggregate(ask, { variable_width_histogram: { field: 'nope' } }), { buckets: [] });
  for (const [more, reason] of [
    [{ buckets: 0 }, /buckets must be greater than \[0\] for \[x\]/],
    [{ shard_size: 1 }, /shard_size must be greater than \[1\] for \[x\]/],
    [{ initial_buffer: 5 }, /initial_buffer must be at least buckets but was \[5<10\]/],
    [{ shard_size: 4 }, /3\/4 of shard_size must be at least buckets but was \[3<10\]/],
  ] as const)
    match(
      (await ask('POST /t/_search', { aggs: { x: { variable_width_histogram: { field: 'a', ...more } } } })).text,
      reason,
    );
});

test('a diversified_sampler shows the best documents of each value', async () => {
  const ask = await filled([
    { text: 'fox fox fox', tag: 'x', a: 1 },
    { text: 'fox fox', tag: 'x', a: 2 },
    { text: 'fox and a dog', tag: 'y', a: 3 },
    { text: 'fox and many more words than that', a: 4 },
    { text: 'fox and many more words than that and more', a: 5 },
  ]);
  const query = { match: { text: 'fox' } };
  const sampled = async (definition: object): Promise<number[]> => {
    const found = await aggregate(
      ask,
      { diversified_sampler: definition, aggs: { n: { terms: { field: 'a', order: { _key: 'asc' } } } } },
      { query },
    );
    return found.n.buckets.map((bucket: { key: number }) => bucket.key);
  };
  deepEqual(await sampled({ field: 'tag' }), [1, 3, 4]);
  deepEqual(await sampled({ field: 'tag', max_docs_per_value: 2 }), [1, 2, 3, 4, 5]);
  deepEqual(await sampled({ field: 'tag', shard_size: 2 }), [1, 3]);
  deepEqual(await sampled({ field: 'tag', missing: 'y', max_docs_per_value: 1 }), [1, 3]);
  deepEqual(await sampled({ field: 'a', shard_size: 9 }), [1, 2, 3, 4, 5]);
  const many = await filled([{ tag: ['x', 'y'] }]);
  const inner = { n: { value_count: { field: 'tag' } } };
  const sample = (aggs: object) =>
    many('POST /t/_search', { aggs: { x: { diversified_sampler: { field: 'tag' }, aggs } } });
  match((await sample({})).text, /Sampler aggregation must be used with child aggregations/);
  const reply = await sample(inner);
  match(reply.text, /Sample diversifying key must be a single valued-field/);
});
