// Random aggregations and orders of the search API. Whole requests are made in random-requests.ts.
import { randomQuery } from './random-queries.ts';
import type { Words } from './random-words.ts';

/** Makes an aggregation, others below it so deep. */
export function randomAggregation(words: Words, depth: number): unknown {
  const { index, random } = words;
  const keyword = words.keyword();
  const inner = depth > 0 ? { aggs: { i: randomAggregation(words, depth - 1) } } : {};
  return random.pick<unknown>([
    { terms: { field: keyword }, ...inner },
    { terms: { field: keyword, min_doc_count: 0, order: { _key: 'asc' } } },
    {
      terms: { field: keyword, size: 1 },
      aggs: { top: { top_hits: { size: 1, highlight: { fields: { '*': {} } } } } },
    },
    { terms: { field: keyword, include: '[a-m].*', missing: 'none' } },
    {
      terms: {
        field: keyword,
        order: { 'm.value': 'desc' },
        shard_size: 2,
        size: 2,
        show_term_doc_count_error: true,
      },
      aggs: { m: { max: { field: index.numbers[0] ?? 'absent' } } },
    },
    { terms: { field: keyword, include: { partition: 0, num_partitions: 2 } } },
    {
      sampler: { shard_size: 1 + random.int(2) },
      aggs: { s: { significant_terms: { field: keyword, min_doc_count: 1 } }, t: { terms: { field: keyword } } },
    },
    { nested: { path: random.pick(index.others) }, aggs: { r: { reverse_nested: {} } } },
    { top_hits: { size: 2, explain: true, version: true, sort: [randomSort(words)], _source: [words.field()] } },
    { rare_terms: { field: keyword, max_doc_count: 2 } },
    { significant_terms: { field: keyword, min_doc_count: 1 } },
    { significant_terms: { field: keyword, min_doc_count: 1, background_filter: randomQuery(words, 0), gnd: {} } },
    {
      significant_text: {
        field: words.text(),
        min_doc_count: 1,
        filter_duplicate_text: random.once(2),
        percentage: {},
      },
    },
    { string_stats: { field: keyword, show_distribution: true } },
    ...index.numbers.map((field) => ({ boxplot: { field } })),
    ...index.numbers.map((field) => ({
      top_metrics: {
        metrics: [{ field }, { field: keyword }],
        sort: { [random.pick(index.numbers)]: 'desc' },
        size: 2,
      },
    })),
    { adjacency_matrix: { filters: { a: randomQuery(words, 0), b: randomQuery(words, 0) } } },
    {
      filter: { match_all: {} },
      aggs: {
        t: { terms: { field: keyword } },
        s: { [random.pick(OF_BUCKETS)]: { buckets_path: 't>_count' } },
        p: { percentiles_bucket: { buckets_path: 't>_count', percents: [50] } },
      },
    },
    { cardinality: { field: keyword } },
    { diversified_sampler: { field: keyword, shard_size: 1 + random.int(3) }, ...inner },
    ...index.numbers.map((field) => ({ variable_width_histogram: { field, buckets: 2 }, ...inner })),
    ...index.numbers.map((field) => ({ matrix_stats: { fields: [field, random.pick(index.numbers)] } })),
    ...index.numbers.map((field) => ({
      t_test: { a: { field }, b: { field: random.pick(index.numbers) }, type: 'heteroscedastic' },
    })),
    { missing: { field: words.field() }, ...inner },
    { value_count: { field: keyword } },
    { filter: randomQuery(words, 1), ...inner },
    { global: {}, ...inner },
    { composite: { size: 2, sources: [{ k: { terms: { field: keyword, missing_bucket: true } } }] } },
    { filters: { filters: { a: randomQuery(words, 0), b: { exists: { field: words.field() } } } }, ...inner },
    {
      terms: { field: keyword },
      aggs: { i: { value_count: { field: words.keyword() } }, s: { bucket_sort: { sort: ['_count'], size: 2 } } },
    },
    ...index.numbers.map((field) => ({
      histogram: { field, interval: 1 },
      aggs: {
        c: { cumulative_sum: { buckets_path: '_count' } },
        d: { derivative: { buckets_path: 'c' } },
        l: { serial_diff: { buckets_path: '_count', lag: 1 } },
      },
    })),
    ...index.numbers.map((field) => ({
      weighted_avg: { value: { field }, weight: { field: random.pick(index.numbers), missing: 1 } },
    })),
    ...index.numbers.map((field) => ({ ip_range: { field, ranges: [{ to: '10.0.0.5' }] } })),
    ...index.dates.map((field) => ({ auto_date_histogram: { field, buckets: 2 }, ...inner })),
    ...index.dates.map((field) => ({
      date_histogram: { field, fixed_interval: '90d', min_doc_count: 0 },
      ...inner,
    })),
    ...index.numbers.map((field) => ({ percentiles: { field } })),
    ...index.numbers.map((field) => ({ percentile_ranks: { field, values: [1, 3] } })),
    ...index.numbers.map((field) => ({ [random.pick(METRICS)]: { field } })),
    ...index.numbers.map((field) => ({ range: { field, ranges: [{ to: 2 }, { from: 2 }] }, ...inner })),
    ...index.numbers.map((field) => ({ significant_terms: { field, min_doc_count: 1 } })),
    ...index.numbers.map((field) => ({
      composite: { sources: [{ h: { histogram: { field, interval: 2 } } }, { k: { terms: { field: keyword } } }] },
    })),
    ...index.dates.map((field) => ({
      date_range: { field, ranges: [{ to: '2026-06-01' }, { from: '2026-06-01' }] },
      ...inner,
    })),
    ...index.numbers.map((field) => ({ stats: { field } })),
    ...index.numbers.map((field) => ({ histogram: { field, interval: 2 } })),
    ...index.dates.map((field) => ({ date_histogram: { field, calendar_interval: 'year' } })),
  ]);
}

/** Makes a key to sort by. */
export function randomSort(words: Words): unknown {
  const { index, random } = words;
  return random.pick<unknown>([
    '_doc',
    '_score',
    { [words.keyword()]: { order: random.pick(['asc', 'desc']), unmapped_type: 'keyword' } },
    ...index.numbers.map((field) => ({ [field]: { order: 'desc', missing: '_first', unmapped_type: 'long' } })),
  ]);
}

const OF_BUCKETS: readonly string[] = [
  'stats_bucket',
  'extended_stats_bucket',
  'avg_bucket',
  'sum_bucket',
  'min_bucket',
  'max_bucket',
];

/** Of numbers. */
export const METRICS: readonly string[] = [
  'avg',
  'sum',
  'min',
  'max',
  'extended_stats',
  'median_absolute_deviation',
  'cardinality',
];
