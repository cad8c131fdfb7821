// What a profile tells of aggregations: names, counts of documents and of buckets, and nothing of what the caller may not see.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, type Reply, startRest } from '../rest/harness.ts';

const MAPPINGS = {
  properties: {
    tag: { type: 'keyword' },
    n: { type: 'long' },
    f: { type: 'double' },
    at: { type: 'date' },
    span: { type: 'integer_range' },
    place: { type: 'geo_point' },
    items: { type: 'nested', properties: { k: { type: 'keyword' } } },
  },
};

const DOCUMENTS = [
  { tag: 'a', n: 1, f: 0.5, at: '2016-01-01', items: [{ k: 'x' }, { k: 'y' }] },
  { tag: 'a', n: 2, f: 1.5, at: '2016-01-02' },
  { tag: ['a', 'b'], n: 10, f: 2.5, at: '2016-02-01' },
  { n: 17, at: '2016-03-01', items: [{ k: 'x' }] },
];

async function start(indices: Readonly<Record<string, readonly unknown[]>> = { t: DOCUMENTS }): Promise<Ask> {
  const ask = await startRest();
  for (const [index, documents] of Object.entries(indices)) {
    await ask(`PUT /${index}`, { mappings: MAPPINGS });
    await load(ask, index, documents);
  }
  return ask;
}

interface Profiled {
  readonly type: string;
  readonly description: string;
  readonly time_in_nanos: number;
  readonly breakdown: Readonly<Record<string, number>>;
  readonly debug?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Profiled[];
}

const profiles = (reply: Reply, shard = 0): readonly Profiled[] => {
  equal(reply.status, 200, reply.text);
  return reply.json.profile.shards[shard].aggregations;
};

test('an aggregation is told by the name of its class in Elasticsearch, with its documents and buckets', async () => {
  const ask = await start();
  const aggs = {
    histo: { histogram: { field: 'n', interval: 5 } },
    months: { date_histogram: { field: 'at', calendar_interval: 'month' } },
    tags: { terms: { field: 'tag' }, aggs: { numbers: { terms: { field: 'n' } }, mean: { avg: { field: 'f' } } } },
    mapped: { terms: { field: 'tag', execution_hint: 'map', include: 'a' } },
    fractions: { terms: { field: 'f' } },
    distinct: { cardinality: { field: 'tag' } },
    nobody: { terms: { field: 'nope' } },
    spans: { histogram: { field: 'span', interval: 1 } },
    auto: { auto_date_histogram: { field: 'at', buckets: 3 } },
    all: { global: {}, aggs: { items: { nested: { path: 'items' }, aggs: { k: { terms: { field: 'items.k' } } } } } },
  };
  const found = profiles(await ask('POST /t/_search', { size: 0, profile: true, query: { match_all: {} }, aggs }));
  const shown = (each: Profiled): unknown[] => [
    each.type,
    each.description,
    each.breakdown['collect_count'],
    each.debug,
    ...(each.children ?? []).map(shown),
  ];
  const words = { collection_strategy: 'dense', result_strategy: 'terms', has_filter: false };
  deepEqual(found.map(shown), [
    ['NumericHistogramAggregator', 'histo', 4, { total_buckets: 3 }],
    ['DateHistogramAggregator', 'months', 4, { total_buckets: 3 }],
    [
      'GlobalOrdinalsStringTermsAggregator',
      'tags',
      4,
      { ...words, total_buckets: 2 },
      ['NumericTermsAggregator', 'numbers', 4, { result_strategy: 'long_terms', total_buckets: 4 }],
      ['AvgAggregator', 'mean', 4, undefined],
    ],
    [
      'MapStringTermsAggregator',
      'mapped',
      4,
      { collection_strategy: 'from Field [tag]', result_strategy: 'terms', total_buckets: 1 },
    ],
    ['NumericTermsAggregator', 'fractions', 4, { result_strategy: 'double_terms', total_buckets: 3 }],
    [
      'CardinalityAggregator',
      'distinct',
      4,
      {
        empty_collectors_used: 0,
        numeric_collectors_used: 0,
        ordinals_collectors_used: 1,
        ordinals_collectors_overhead_too_high: 0,
        string_hashing_collectors_used: 0,
      },
    ],
    ['NonCollectingAggregator', 'nobody', 4, undefined],
    ['RangeHistogramAggregator', 'spans', 4, { total_buckets: 0 }],
    ['FromSingle', 'auto', 4, { surviving_buckets: 3 }],
    [
      'GlobalAggregator',
      'all',
      4,
      undefined,
      [
        'NestedAggregator',
        'items',
        4,
        undefined,
        ['GlobalOrdinalsStringTermsAggregator', 'k', 3, { ...words, collection_strategy: 'remap', total_buckets: 2 }],
      ],
    ],
  ]);
});

test('the time of an aggregation is the sum of its parts', async () => {
  const ask = await start();
  const [found] = profiles(
    await ask('POST /t/_search', { size: 0, profile: true, aggs: { x: { terms: { field: 'tag' } } } }),
  );
  const parts = ['initialize', 'build_leaf_collector', 'collect', 'build_aggregation', 'reduce'];
  deepEqual(
    Object.keys(found!.breakdown),
    parts.flatMap((part) => [part, `${part}_count`]),
  );
  const sum = parts.reduce((total, part) => total + found!.breakdown[part]!, 0);
  ok(Math.abs(found!.time_in_nanos - sum) <= parts.length);
});

test('each index of a search has counts of its own', async () => {
  const ask = await start({ t: DOCUMENTS, u: [{ tag: 'a' }, { tag: 'c' }, { tag: 'c' }, {}, {}] });
  const reply = await ask('POST /t,u/_search', { size: 0, profile: true, aggs: { x: { terms: { field: 'tag' } } } });
  const counts = [0, 1].map((shard) => {
    const [found] = profiles(reply, shard);
    return [found!.breakdown['collect_count'], found!.debug!['total_buckets']];
  });
  deepEqual(counts, [
    [4, 2],
    [5, 2],
  ]);
});

test('under a view a profile counts what the caller may see, whatever else there is', async () => {
  const aggs = {
    tags: { terms: { field: 'tag' }, aggs: { n: { histogram: { field: 'n', interval: 1 } } } },
    places: { geo_bounds: { field: 'place' } },
  };
  const seen = { kind: 'term', field: 'tag', term: 'a' } as const;
  const more = { view: () => ({ rows: seen }) };
  const told = async (documents: readonly unknown[]): Promise<string> => {
    const ask = await start({ t: documents });
    const reply = await ask('POST /t/_search', { size: 0, profile: true, aggs }, more);
    equal(reply.status, 200, reply.text);
    return JSON.stringify(reply.json.profile).replaceAll(
      /"(?:time_in_nanos|initialize|build_leaf_collector|collect|build_aggregation)":\d+/g,
      '',
    );
  };
  const visible = DOCUMENTS.slice(0, 3);
  const hidden = [{ tag: 'h', n: 3, place: '1,2' }, { n: 4 }];
  equal(await told([...hidden, ...visible, ...hidden]), await told(visible));
});

test('a profile changes no answer', async () => {
  const ask = await start();
  for (const aggs of [
    { x: { terms: { field: 'tag', size: 1 } } },
    { x: { terms: { field: 'n', min_doc_count: 0 }, aggs: { t: { top_hits: { size: 1, _source: false } } } } },
    { x: { sampler: { shard_size: 2 }, aggs: { s: { significant_terms: { field: 'tag', min_doc_count: 1 } } } } },
    { h: { histogram: { field: 'n', interval: 5 }, aggs: { c: { cumulative_sum: { buckets_path: '_count' } } } } },
    { c: { composite: { size: 2, sources: [{ a: { terms: { field: 'tag' } } }] } } },
    { h: { terms: { field: 'tag' } }, s: { sum_bucket: { buckets_path: 'h>_count' } } },
  ]) {
    const query = { range: { n: { lte: 10 } } };
    const plain = await ask('POST /t/_search?typed_keys=true', { size: 0, query, aggs });
    const timed = await ask('POST /t/_search?typed_keys=true', { size: 0, query, aggs, profile: true });
    deepEqual(timed.json.aggregations, plain.json.aggregations);
  }
});
