// Ranges as values: how they are read, found and counted, against a plain comparison of bounds.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ids, load, startRest } from '../rest/harness.ts';

const MAPPING = {
  mappings: {
    properties: {
      whole: { type: 'integer_range' },
      long: { type: 'long_range' },
      real: { type: 'double_range' },
      single: { type: 'float_range' },
      time: { type: 'date_range', format: 'yyyy-MM-dd||epoch_millis' },
      net: { type: 'ip_range' },
    },
  },
};

const relation = fc.constantFrom('intersects', 'contains', 'within');
const bounds = fc
  .tuple(fc.integer({ min: -4, max: 8 }), fc.nat(5), fc.boolean(), fc.boolean())
  .map(([from, width, openLow, openHigh]) => ({
    low: openLow ? from + 1 : from,
    high: openHigh ? from + width + 1 : from + width + 2,
    json: { [openLow ? 'gt' : 'gte']: from, [openHigh ? 'lt' : 'lte']: from + width + 2 },
  }));
type Range = typeof bounds extends fc.Arbitrary<infer T> ? T : never;

function matches(value: Range, asked: Range, how: string): boolean {
  if (how === 'contains') return value.low <= asked.low && value.high >= asked.high;
  if (how === 'within') return value.low >= asked.low && value.high <= asked.high;
  return value.low <= asked.high && value.high >= asked.low;
}

/** A number as an address or a day. */
const address = (n: number): string => `10.0.0.${n + 20}`;
const day = (n: number): string => new Date((n + 20) * 86_400_000).toISOString().slice(0, 10);
const spelled = (range: Range, spell: (n: number) => unknown): object =>
  Object.fromEntries(Object.entries(range.json).map(([key, n]) => [key, spell(n)]));

test('ranges are found by how they lie to the one asked for, whatever their type', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(bounds, { maxLength: 2 }), { minLength: 1, maxLength: 6 }),
      bounds,
      relation,
      async (values, asked, how) => {
        const ask = await startRest();
        await ask('PUT /r', MAPPING);
        await load(
          ask,
          'r',
          values.map((ranges) => ({
            whole: ranges.map(({ json }) => json),
            net: ranges.map((range) => spelled(range, address)),
            time: ranges.map((range) => spelled(range, day)),
          })),
        );
        const expected = values.flatMap((ranges, at) =>
          ranges.some((range) => matches(range, asked, how)) ? [String(at + 1)] : [],
        );
        for (const [field, query] of [
          ['whole', asked.json],
          ['net', spelled(asked, address)],
        ] as const) {
          const reply = await ask('POST /r/_search', {
            query: { range: { [field]: { ...query, relation: how } } },
            sort: ['_doc'],
          });
          deepEqual(ids(reply).sort(), expected, `${field} ${JSON.stringify(query)} ${how}`);
        }
        // Days: an open bound lies beside the whole day, as the value's does.
        const inclusive = { gte: day(asked.low), lte: day(asked.high) };
        const reply = await ask('POST /r/_search', {
          query: { range: { time: { ...inclusive, relation: 'intersects' } } },
        });
        const byDays = values.flatMap((ranges, at) =>
          ranges.some(
            ({ json }) => (json['gte'] ?? json['gt']!) <= asked.high && (json['lte'] ?? json['lt']! - 1) >= asked.low,
          )
            ? [String(at + 1)]
            : [],
        );
        deepEqual(ids(reply).sort(), byDays);
      },
    ),
    { numRuns: 40 },
  );
});

test('a term finds the ranges that hold it, and exists those that are there', async () => {
  const ask = await startRest();
  await ask('PUT /r', MAPPING);
  await load(ask, 'r', [
    { whole: { gte: 1, lt: 5 }, real: { gt: 0.5 }, net: '10.0.0.0/8', single: { lt: 0.1 } },
    { whole: { gte: 5 }, real: { lte: 0.5 }, net: { gte: '::1', lte: '::f' } },
    { whole: null },
  ]);
  const found = async (query: object): Promise<string[]> => ids(await ask('POST /r/_search', { query })).sort();
  deepEqual(await found({ term: { whole: 4 } }), ['1']);
  deepEqual(await found({ term: { whole: 5 } }), ['2']);
  deepEqual(await found({ terms: { whole: [1, 2_000_000_000] } }), ['1', '2']);
  deepEqual(await found({ match: { real: 0.5 } }), ['2']);
  deepEqual(await found({ term: { net: '10.1.2.3' } }), ['1']);
  deepEqual(await found({ term: { net: '::a' } }), ['2']);
  deepEqual(await found({ term: { single: 0.1 } }), []);
  deepEqual(await found({ exists: { field: 'whole' } }), ['1', '2']);
  deepEqual(await found({ query_string: { query: 'whole:[2 TO 3]' } }), ['1']);
  deepEqual(await found({ range: { time: { gte: 0 } } }), []);
});

test('what is no range, or one that ends before it begins, is refused by name', async () => {
  const ask = await startRest();
  await ask('PUT /r', MAPPING);
  for (const [body, reason] of [
    [{ whole: { gte: 5, lte: 4 } }, /min value \(5\) is greater than max value \(4\)/],
    [{ whole: { gte: 1, upto: 4 } }, /unknown parameter \[upto\]/],
    [{ whole: 3 }, /expected an object but got whole/],
    [{ net: '10.0.0.1' }, /Expected \[ip\/prefix\]/],
    [{ whole: { gte: 'x' } }, /For input string: "x"/],
    [{ whole: { gte: 3e9 } }, /Numeric value \(3000000000\) out of range of int/],
  ] as const) {
    const reply = await ask('PUT /r/_doc/1', body);
    equal(reply.status, 400, reply.text);
    match(reply.text.replaceAll('\\"', '"'), reason);
  }
  for (const [query, reason] of [
    [{ range: { whole: { gte: 3, lte: 1 } } }, /`from` value \(3\) is greater than `to` value \(1\)/],
    [{ range: { whole: { gte: 1.5 } } }, /decimal part/],
    [{ range: { whole: { gte: 1, relation: 'disjoint' } } }, /does not support relation \[disjoint\]/],
    [{ prefix: { whole: '1' } }, /Can only use prefix queries/],
  ] as const) {
    const reply = await ask('POST /r/_search', { query });
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
  const sorted = await ask('POST /r/_search', { sort: ['whole'] });
  equal(sorted.status, 400, sorted.text);
});

test('a histogram counts a range in every bucket it meets, and ends where there would be too many', async () => {
  const ask = await startRest();
  await ask('PUT /r', MAPPING);
  await load(ask, 'r', [
    {
      whole: [
        { gte: 1, lte: 12 },
        { gte: 11, lte: 13 },
      ],
      time: { gte: '2026-01-30', lte: '2026-03-01' },
    },
    { whole: { gte: 12 }, long: { gte: 9e18 }, real: { lte: 3 }, time: { gte: '2026-02-01', lt: '2026-02-02' } },
  ]);
  const buckets = async (aggregation: object): Promise<unknown> =>
    (await ask('POST /r/_search', { size: 0, aggs: { h: aggregation } })).json.aggregations.h.buckets.map(
      (bucket: { key: number; key_as_string?: string; doc_count: number }) => [
        bucket.key_as_string ?? bucket.key,
        bucket.doc_count,
      ],
    );
  deepEqual(await buckets({ histogram: { field: 'whole', interval: 5, hard_bounds: { min: 0, max: 16 } } }), [
    [0, 1],
    [5, 1],
    [10, 2],
    [15, 1],
  ]);
  deepEqual(await buckets({ date_histogram: { field: 'time', calendar_interval: 'month', format: 'yyyy-MM' } }), [
    ['2026-01', 1],
    ['2026-02', 2],
    ['2026-03', 1],
  ]);
  for (const field of ['long', 'real', 'whole']) {
    const reply = await ask('POST /r/_search', { aggs: { h: { histogram: { field, interval: 1 } } } });
    equal(reply.status, 400, reply.text);
    match(reply.text, /too_many_buckets/);
  }
  for (const body of [
    { terms: { field: 'whole' } },
    { date_histogram: { field: 'whole', fixed_interval: '1d' } },
    { histogram: { field: 'net', interval: 1 } },
  ]) {
    const reply = await ask('POST /r/_search', { aggs: { h: body } });
    equal(reply.status, 400, reply.text);
  }
});

test('1.1 an address is a point and no word: documents that hold it score a constant', async () => {
  const ask = await startRest();
  await ask('PUT /a', { mappings: { properties: { ip: { type: 'ip' } } } });
  await load(ask, 'a', [{ ip: '10.0.0.1' }, { ip: ['10.0.0.1', '::1'] }, { ip: '10.0.0.2' }]);
  const { json } = await ask('POST /a/_search', { query: { term: { ip: '10.0.0.1' } } });
  deepEqual(
    json.hits.hits.map(({ _score }: { _score: number }) => _score),
    [1, 1],
  );
});
