// Aggregations for a search cluster: which are refused, what becomes of a field that a view withholds, and how an answer is read. What
// clusters answer to them is compared in test/engines/cluster.peer.ts.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { clusterVerdicts } from '../../src/aggs/definitions.ts';
import { compileAggregations, type CompiledAggregations } from '../../src/cluster/compile-aggregations.ts';
import { filtersOf } from '../../src/cluster/compile-query.ts';
import type { Json } from '../../src/json/json.ts';
import { createMapper } from '../../src/mapping/create-mapper.ts';
import type { Query } from '../../src/query/query.ts';

const MAPPINGS = {
  properties: {
    tag: { type: 'keyword' },
    n: { type: 'long' },
    place: { type: 'geo_point' },
    price: { type: 'double' },
    owner: { type: 'keyword' },
  },
};
const OPEN: Query = { kind: 'term', field: 'owner', term: 'ann' };
const OPEN_JSON = { term: { owner: { value: 'ann', boost: 1 } } };
const ROWS = { term: { owner: { value: 'all', boost: 1 } } };

/** Compiles under a view that hides the owner, and numbers of documents of others. */
function compile(aggregations: Json): CompiledAggregations {
  const compiler = filtersOf({
    fields: createMapper({ mappings: MAPPINGS }),
    mode: 'exact',
    similarity: { k1: 1.2, b: 0.75, scaleByK1: true },
    view: { hidden: ['owner'], guarded: [{ path: 'n', when: OPEN }] },
  });
  return compileAggregations(aggregations, { compiler, rows: ROWS, parseQuery: () => ({ kind: 'match_all' }) });
}

const REFUSAL = { code: 'SEARCH_NOT_ON_CLUSTER' };
/** Bodies of those that need more than a field. */
const BODIES: Readonly<Record<string, Json>> = {
  filters: { filters: { a: { match_all: {} } } },
  adjacency_matrix: { filters: { a: { match_all: {} } } },
  percentiles: { field: 'tag', hdr: {} },
  percentile_ranks: { field: 'tag', hdr: {}, values: [1] },
};

test('every kind of aggregation is sent or refused as its verdict says', () => {
  for (const [type, verdict] of Object.entries(clusterVerdicts())) {
    const asked = { a: { [type]: BODIES[type] ?? { field: 'tag' } } };
    if (verdict.kind === 'refused') throws(() => compile(asked), REFUSAL, type);
    else equal(Object.keys(compile(asked).json).length, 1, type);
  }
  throws(() => compile({ a: { scripted_metric: {} } }), /there is none of this name/);
});

test('what would show terms or orders of all documents is refused inside of others too', () => {
  for (const inner of [
    { terms: { field: 'tag', min_doc_count: 0 } },
    { terms: { field: 'tag', order: { 'm.value': 'asc' } } },
    { percentiles: { field: 'tag' } },
    { percentiles: { field: 'n', hdr: {}, percents: Array.from({ length: 101 }, (_, at) => at % 100) } },
    { percentile_ranks: { field: 'n', hdr: {}, values: Array.from({ length: 101 }, (_, at) => at) } },
    { max: { field: 'n', missing: 5 } },
    { max: { field: 'owner', missing: 5 } },
    { max: { script: 'secret' } },
    { geo_bounds: { field: 'place' } },
    { adjacency_matrix: { filters: { a: { match_all: {} } } }, aggs: { m: { max: { field: 'tag' } } } },
  ])
    throws(() => compile({ a: { filter: {}, aggs: { inner } } }), REFUSAL, JSON.stringify(inner));
});

test('a hidden field is none, and one that is withheld from some documents is read in the others', () => {
  deepEqual(compile({ a: { max: { field: 'owner' } } }).json, { a: { max: { field: '_absent' } } });
  const { json, read } = compile({
    a: { histogram: { field: 'n', interval: 5 }, aggs: { t: { terms: { field: 'tag' } } } },
  });
  const around = { bool: { filter: [{ match_all: {} }, OPEN_JSON] } };
  const terms = { field: 'tag', size: 10, min_doc_count: 1, shard_size: 10_000 };
  const inside = { histogram: { field: 'n', interval: 5 }, aggs: { t: { terms } } };
  deepEqual(json, { a: { filter: around, aggs: { inside } } });
  const buckets = [{ key: 0, doc_count: 2, t: { buckets: [] } }];
  deepEqual(read({ a: { doc_count: 9, inside: { buckets } } }), { a: { buckets } });
});

test('missing counts the documents that do not show the field', () => {
  const present = { bool: { filter: [{ exists: { field: 'n' } }, OPEN_JSON] } };
  deepEqual(compile({ a: { missing: { field: 'n' } } }).json, { a: { filter: { bool: { must_not: [present] } } } });
});

test('global counts what the view shows', () => {
  const { json, read } = compile({ a: { global: {}, aggs: { m: { max: { field: 'tag' } } } } });
  deepEqual(json, { a: { global: {}, aggs: { inside: { filter: ROWS, aggs: { m: { max: { field: 'tag' } } } } } } });
  deepEqual(read({ a: { doc_count: 99, inside: { doc_count: 3, m: { value: 1 } } } }), {
    a: { doc_count: 3, m: { value: 1 } },
  });
});

test('a meta is that of the request, not what the rewriting makes the cluster say', () => {
  const { read } = compile({ a: { filter: {} }, b: { filter: {}, meta: { own: 1 } } });
  deepEqual(read({ a: { meta: {}, doc_count: 1 }, b: { doc_count: 2 } }), {
    a: { doc_count: 1 },
    b: { meta: { own: 1 }, doc_count: 2 },
  });
});

test('sums of fractions show the digits that do not depend on the order of documents', () => {
  const read = (type: string, field: string, answer: Json, more: Json = {}): unknown =>
    compile({ a: { [type]: { field, ...more } } }).read({ a: answer })['a'];
  deepEqual(read('sum', 'price', { value: 0.1 + 0.2 }), { value: 0.3 });
  const stats = { count: 3, min: 0.1 + 0.2, max: 1 / 3, avg: 1 / 3, sum: 1 };
  deepEqual(read('stats', 'price', stats), { ...stats, avg: 0.333333333333 });
  const format = '0.00000000000000000';
  deepEqual(read('sum', 'price', { value: 0.1 + 0.2, value_as_string: '0.30000000000000004' }, { format }), {
    value: 0.3,
    value_as_string: '0.30000000000000000',
  });
  const bounds = { upper: 0.1 + 0.2, lower: null };
  const texts = { upper: '0.30000000000000004', lower: 'NaN' };
  deepEqual(
    read(
      'extended_stats',
      'price',
      { std_deviation_bounds: bounds, std_deviation_bounds_as_string: texts },
      { format },
    ),
    {
      std_deviation_bounds: { upper: 0.3, lower: null },
      std_deviation_bounds_as_string: { upper: '0.30000000000000000', lower: 'NaN' },
    },
  );
  deepEqual(read('avg', 'n', { inside: { value: 1 / 3 } }), { value: 1 / 3 });
  deepEqual(read('geo_centroid', 'place', { location: { lat: 1 / 3, lon: 2 }, count: 3 }), {
    location: { lat: 0.333333333333, lon: 2 },
    count: 3,
  });
});
