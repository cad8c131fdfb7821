import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromPlace, toPlace } from '../../src/mapping/nanos.ts';
import { type Ask, ids, load, startRest } from '../rest/harness.ts';

const FORMAT = "uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSSX";

async function filled(): Promise<Ask> {
  const ask = await startRest();
  equal((await ask('PUT /fine', { mappings: { properties: { at: { type: 'date_nanos' } } } })).status, 200);
  await load(ask, 'fine', [
    { at: '2018-10-29T12:12:12.987654321Z' },
    { at: '2018-10-29T12:12:12.987654322Z' },
    { at: '2018-10-29T12:12:12.987Z' },
    { at: ['2019-01-01T00:00:00.000000001Z', '2018-01-01'] },
    {},
  ]);
  return ask;
}

test('places of nanoseconds are in the order of the nanoseconds, and lose none', () => {
  const nanos = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    fc.bigInt({ min: 6_374_182_018_427_387_900n, max: 6_374_182_018_427_387_908n }),
    fc.constantFrom(0n, 2n ** 63n - 1n),
  );
  fc.assert(
    fc.property(nanos, nanos, (a, b) => {
      equal(fromPlace(toPlace(a)), a);
      equal(Number.isFinite(toPlace(a)), true);
      equal(Math.sign(toPlace(a) - toPlace(b)), Number(a > b) - Number(a < b));
      equal(toPlace(a) < toPlace(b), a < b);
    }),
  );
});

test('dates to the nanosecond come in their order, are told by all their digits, and pages go on after them', async () => {
  const ask = await filled();
  const first = await ask('POST /fine/_search', { sort: [{ at: 'asc' }], size: 3 });
  deepEqual(ids(first), ['4', '3', '1']);
  match(first.text, /"sort":\[1514764800000000000\].*"sort":\[1540815132987000000\].*"sort":\[1540815132987654321\]/);
  const last = '{"sort":[{"at":"asc"}],"size":3,"search_after":[1540815132987654321]}';
  deepEqual(ids(await ask('POST /fine/_search', last)), ['2', '5']);
  const text = { sort: [{ at: 'desc' }], search_after: ['2018-10-29T12:12:12.987654322Z'] };
  deepEqual(ids(await ask('POST /fine/_search', text)), ['1', '3', '5']);
  match((await ask('POST /fine/_search?pretty', { sort: [{ at: 'desc' }], size: 1 })).text, /1546300800000000001\b/);
  const cut = await ask('POST /fine/_search?filter_path=hits.hits.sort', { sort: [{ at: 'desc' }], size: 1 });
  equal(cut.text, '{"hits":{"hits":[{"sort":[1546300800000000001]}]}}');
  const shown = await ask('POST /fine/_search', { sort: [{ at: { order: 'desc', format: FORMAT } }], size: 1 });
  deepEqual(shown.json.hits.hits[0].sort, ['2019-01-01T00:00:00.000000001Z']);
  const page = { sort: [{ at: { order: 'asc', missing: '1540815132987654321' } }], size: 9 };
  deepEqual(ids(await ask('POST /fine/_search', page)), ['4', '3', '1', '5', '2']);
});

test('ranges and terms tell nanoseconds apart, and bounds that say less stand for all they name', async () => {
  const ask = await filled();
  const found = async (query: object): Promise<string[]> => ids(await ask('POST /fine/_search', { query })).sort();
  const range = (bounds: object): Promise<string[]> => found({ range: { at: bounds } });
  deepEqual(await range({ gte: '2018-10-29T12:12:12.987654322Z' }), ['2', '4']);
  deepEqual(await range({ gt: '2018-10-29T12:12:12.987654321Z', lt: '2019' }), ['2']);
  deepEqual(await range({ gte: '2018-10-29T12:12:12', lte: '2018-10-29T12:12:12' }), ['1', '2', '3']);
  deepEqual(await range({ gte: '2018-10-29T12:12:12.987', lte: '2018-10-29T12:12:12.987' }), ['3']);
  deepEqual(await range({ gte: 1540815132987, lte: 1540815132987 }), ['1', '2', '3']);
  deepEqual(await range({ gt: '2018-10-29T12:12:12.987654321Z||/s' }), ['4']);
  deepEqual(await range({ lt: '1960', gte: '1950' }), []);
  deepEqual(await range({ gte: '1960' }), ['1', '2', '3', '4']);
  deepEqual(await found({ term: { at: '2018-10-29T12:12:12.987654322Z' } }), ['2']);
  deepEqual(await found({ terms: { at: ['2018-10-29T12:12:12.987654322Z', '2019-01-01'] } }), ['2', '4']);
  deepEqual(await found({ exists: { field: 'at' } }), ['1', '2', '3', '4']);
});

test('columns and fields print dates to the nanosecond in the format asked for', async () => {
  const ask = await filled();
  const shown = async (format: string | undefined, kind: string, id = '1'): Promise<unknown> => {
    const entry = { field: 'at', ...(format === undefined ? {} : { format }) };
    const reply = await ask('POST /fine/_search', { query: { ids: { values: [id] } }, [kind]: [entry] });
    return reply.json.hits.hits[0].fields.at;
  };
  for (const kind of ['docvalue_fields', 'fields']) {
    // Elasticsearch prints more than milliseconds where the format asks for them.
    deepEqual(await shown(undefined, kind), ['2018-10-29T12:12:12.987Z']);
    deepEqual(await shown('strict_date_optional_time_nanos', kind), ['2018-10-29T12:12:12.987654321Z']);
    deepEqual(await shown('strict_date_optional_time', kind, '3'), ['2018-10-29T12:12:12.987Z']);
    deepEqual(await shown('epoch_millis', kind), ['1540815132987.654321']);
    deepEqual(await shown('epoch_second', kind), ['1540815132.987654321']);
    deepEqual(await shown(FORMAT, kind, '3'), ['2018-10-29T12:12:12.987000000Z']);
    deepEqual(await shown('HH:mm:ss.SSSSSSS', kind), ['12:12:12.9876543']);
  }
  deepEqual(await shown('strict_date_optional_time_nanos', 'docvalue_fields', '4'), [
    '2018-01-01T00:00:00.000Z',
    '2019-01-01T00:00:00.000000001Z',
  ]);
});

test('numeric_type sorts dates to the millisecond and to the nanosecond of several indices together', async () => {
  const ask = await filled();
  await ask('PUT /plain', { mappings: { properties: { at: { type: 'date' } } } });
  await load(ask, 'plain', [{ at: '2018-10-29T12:12:12.988Z' }, { at: '2018-01-02' }]);
  const sorted = async (sort: object, more: object = {}): Promise<string> => {
    const query = { bool: { filter: { exists: { field: 'at' } } } };
    const reply = await ask('POST /fine,plain/_search', { query, sort: [{ at: sort }], ...more });
    return reply.text
      .replaceAll(/.*?"_index":"(.)[a-z]+".*?"_id":"(\d)".*?"sort":\[(\d+)\]/g, '$1$2 $3,')
      .replace(/\}.*/, '');
  };
  equal(
    await sorted({ order: 'asc', numeric_type: 'date_nanos' }),
    'f4 1514764800000000000,p2 1514851200000000000,f3 1540815132987000000,f1 1540815132987654321,f2 1540815132987654322,p1 1540815132988000000,',
  );
  const after = { search_after: ['2018-10-29T12:12:12.987654322Z'] };
  equal(await sorted({ order: 'asc', numeric_type: 'date_nanos' }, after), 'p1 1540815132988000000,');
  equal(await sorted({ order: 'desc', numeric_type: 'date' }, { size: 2 }), 'f4 1546300800000,p1 1540815132988,');
});

test('aggregations see milliseconds', async () => {
  const ask = await filled();
  const { json } = await ask('POST /fine/_search', {
    size: 0,
    aggs: {
      days: { date_histogram: { field: 'at', calendar_interval: 'day', min_doc_count: 1 } },
      last: { max: { field: 'at' } },
      top: { top_metrics: { metrics: { field: 'at' }, sort: { at: 'desc' } } },
      hits: { top_hits: { sort: [{ at: 'desc' }], size: 1, _source: false } },
    },
  });
  deepEqual(
    json.aggregations.days.buckets.map((bucket: { doc_count: number }) => bucket.doc_count),
    [1, 3, 1],
  );
  equal(json.aggregations.last.value, 1546300800000);
  equal(json.aggregations.hits.hits.hits[0]._id, '4');
});

test('dates that 63 bits of nanoseconds do not reach, and means of nanoseconds, are refused', async () => {
  const ask = await filled();
  const early = await ask('PUT /fine/_doc/9', { at: '1969-12-31T23:59:59Z' });
  equal(early.status, 400);
  match(early.text, /before the epoch in 1970 and cannot be stored in nanosecond resolution/);
  match((await ask('PUT /fine/_doc/9', { at: '2262-04-12' })).text, /is after 2262-04-11T23:47:16\.854775807/);
  const mean = await ask('POST /fine/_search', { sort: [{ at: { mode: 'avg' } }] });
  equal(mean.status, 400);
  match(mean.text, /\[mode\] \[avg\] of nanoseconds in a sort/);
  await ask('PUT /old', { mappings: { properties: { at: { type: 'date' } } } });
  await load(ask, 'old', [{ at: '1960-01-01' }]);
  const old = await ask('POST /old/_search', { sort: [{ at: { numeric_type: 'date_nanos' } }] });
  match(old.text, /before the epoch in 1970 and cannot be converted to nanoseconds/);
  equal(old.status, 400);
});
