// Every error of a search whose occurrence or words depend on what a document holds: where it is thrown, how it is told, and a request that
// provokes it. A document that is hidden, withheld or deleted provokes none of them (value-errors.test.ts).
import type { Asked } from './requests.ts';

/** A place that throws for what a document holds. */
export interface ValueErrorSite {
  /** File below `packages/search/src`, and what is wrong there. Unique. */
  readonly site: string;
  /** Matches the answer, and that of no other site. */
  readonly pattern: RegExp;
  /** The `properties` of the index `t`. */
  readonly mapping: Readonly<Record<string, unknown>>;
  /** The `settings` of the index `t`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What is written to `_cluster/settings` before. */
  readonly cluster?: Readonly<Record<string, unknown>>;
  /** Documents of the index that provoke nothing. */
  readonly harmless: readonly Readonly<Record<string, unknown>>[];
  /** The document with the id `bad` that provokes the error. */
  readonly offending: Readonly<Record<string, unknown>>;
  /** The field that does; undefined: whether the document is there decides, whatever it holds. */
  readonly field?: string;
  /** Terms are counted: without a view those of documents that were deleted and not yet merged, too, as in Lucene. */
  readonly countsTerms?: true;
  readonly request: Asked;
}

const NUMBER = { n: { type: 'long' }, d: { type: 'double' }, k: { type: 'keyword' } };
const SEARCH = 'POST /t/_search';
const functions = (body: unknown): Asked => ({ target: SEARCH, body: { query: { function_score: body } } });
const aggs = (each: unknown): Asked => ({ target: SEARCH, body: { size: 0, aggs: { a: each } } });

/** Buckets of one document each, in the order of `d`, with a metric of `n`, and something computed of it. */
const pipeline = (inner: Readonly<Record<string, unknown>>, metric: unknown = { sum: { field: 'n' } }): Asked =>
  aggs({ histogram: { field: 'd', interval: 1, min_doc_count: 0 }, aggs: { m: metric, p: inner } });
const script = (source: string, type = 'bucket_script'): Asked =>
  pipeline({ [type]: { buckets_path: { m: 'm' }, script: source } });
const BUCKETS = {
  mapping: NUMBER,
  harmless: [
    { d: 1, n: 1 },
    { d: 2, n: 2 },
  ],
  offending: { d: 3, n: 0 },
} as const;
const DATES = { mapping: { when: { type: 'date' } }, harmless: [{ when: '2020-01-01' }] } as const;
const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(' ');

export const VALUE_ERRORS: readonly ValueErrorSite[] = [
  {
    site: 'query/function-score.ts: a field_value_factor below zero',
    pattern: /field value function must not produce negative scores/,
    mapping: NUMBER,
    harmless: [{ n: -1 }],
    offending: { n: 42 },
    field: 'n',
    request: functions({ functions: [{ field_value_factor: { field: 'n', factor: -1 } }], boost_mode: 'replace' }),
  },
  {
    site: 'query/function-score.ts: a field_value_factor that is no number',
    pattern: /function score query returned an invalid score/,
    mapping: NUMBER,
    harmless: [{ n: 9 }],
    offending: { n: -9 },
    field: 'n',
    request: functions({ field_value_factor: { field: 'n', modifier: 'sqrt' } }),
  },
  {
    site: 'query/function-score.ts: a value that is missing',
    pattern: /Missing value for field \[/,
    mapping: NUMBER,
    harmless: [{ n: 1, k: 'a' }],
    offending: { k: 'b' },
    request: functions({ field_value_factor: { field: 'n' } }),
  },
  {
    site: 'query/function-score.ts: a score that min_score asks for',
    pattern: /function score query returned an invalid score/,
    mapping: NUMBER,
    harmless: [{ n: 9 }],
    offending: { n: 1 },
    field: 'n',
    request: {
      target: 'POST /t/_count',
      body: {
        query: {
          function_score: {
            functions: [
              { filter: { term: { n: 1 } }, field_value_factor: { field: 'n', factor: -1, modifier: 'sqrt' } },
            ],
            min_score: 0.5,
            boost_mode: 'replace',
          },
        },
      },
    },
  },
  {
    site: 'aggs/aggregator.ts: too many buckets',
    pattern: /too_many_buckets_exception/,
    cluster: { 'search.max_buckets': 3 },
    mapping: NUMBER,
    harmless: [{ k: ['a', 'b'] }, { k: 'c' }],
    offending: { k: 'd' },
    field: 'k',
    request: aggs({ terms: { field: 'k' } }),
  },
  {
    site: 'aggs/histogram.ts: gaps that make too many buckets',
    pattern: /too_many_buckets_exception/,
    mapping: NUMBER,
    harmless: [{ n: 1 }],
    offending: { n: 1_000_000 },
    field: 'n',
    request: aggs({ histogram: { field: 'n', interval: 1 } }),
  },
  {
    site: 'aggs/histogram.ts: a range that makes too many buckets',
    pattern: /too_many_buckets_exception/,
    mapping: { span: { type: 'long_range' } },
    harmless: [{ span: { gte: 1, lte: 2 } }],
    offending: { span: { gte: 1 } },
    field: 'span',
    request: aggs({ histogram: { field: 'span', interval: 1 } }),
  },
  {
    site: 'mapping/date-math.ts: a number that is no date of the calendar',
    pattern: /no date that a calendar could place/,
    mapping: NUMBER,
    harmless: [{ n: 1 }],
    offending: { n: 9_000_000_000_000_000 },
    field: 'n',
    request: aggs({ date_histogram: { field: 'n', calendar_interval: 'month', min_doc_count: 1 } }),
  },
  {
    site: 'aggs/hdr-scale.ts: a negative value among percentiles',
    pattern: /\[hdr\] cannot hold negative values/,
    mapping: NUMBER,
    harmless: [{ d: 1 }],
    offending: { d: -42 },
    field: 'd',
    request: aggs({ percentiles: { field: 'd', hdr: {} } }),
  },
  {
    site: 'aggs/hdr-scale.ts: a negative value among percentile ranks',
    pattern: /\[hdr\] cannot hold negative values/,
    mapping: NUMBER,
    harmless: [{ d: 1 }],
    offending: { d: -42 },
    field: 'd',
    request: aggs({ percentile_ranks: { field: 'd', values: [1], hdr: {} } }),
  },
  {
    site: 'aggs/t-test.ts: several values of a document',
    pattern: /Encountered more than one value for a single document/,
    mapping: NUMBER,
    harmless: [
      { n: 1, d: 2 },
      { n: 3, d: 3 },
    ],
    offending: { n: [1, 2], d: 3 },
    field: 'n',
    request: aggs({ t_test: { a: { field: 'n' }, b: { field: 'd' }, type: 'paired' } }),
  },
  {
    site: 'aggs/metrics.ts: several weights of a document',
    pattern: /Encountered more than one weight for a single document/,
    mapping: NUMBER,
    harmless: [{ n: 1, d: 2 }],
    offending: { n: [1, 2], d: 3 },
    field: 'n',
    request: aggs({ weighted_avg: { value: { field: 'd' }, weight: { field: 'n' } } }),
  },
  {
    site: 'aggs/sampler.ts: several keys of a document',
    pattern: /Sample diversifying key must be a single valued-field/,
    mapping: NUMBER,
    harmless: [{ k: 'a' }],
    offending: { k: ['a', 'b'] },
    field: 'k',
    request: aggs({ diversified_sampler: { field: 'k' }, aggs: { v: { sum: { field: 'n' } } } }),
  },
  {
    site: 'aggs/bucket-order.ts: a text that a pipeline computes with',
    pattern: /of a top_metrics aggregation is no number here/,
    mapping: NUMBER,
    harmless: [{ d: 1 }, { d: 2 }],
    offending: { d: 3, k: 'secret' },
    field: 'k',
    request: pipeline(
      { bucket_script: { buckets_path: { m: 'm.k' }, script: 'params.m' } },
      { top_metrics: { metrics: { field: 'k' }, sort: { d: 'asc' } } },
    ),
  },
  {
    site: 'aggs/bucket-order.ts: a text that buckets are ordered by',
    pattern: /of a top_metrics aggregation is no number here/,
    mapping: NUMBER,
    harmless: [
      { n: 1, d: 1 },
      { n: 2, d: 1 },
    ],
    offending: { n: 3, d: 1, k: 'secret' },
    field: 'k',
    request: aggs({
      terms: { field: 'n', order: { 'm.k': 'asc' } },
      aggs: { m: { top_metrics: { metrics: { field: 'k' }, sort: { d: 'asc' } } } },
    }),
  },
  {
    site: 'aggs/script-values.ts: a script divides by zero',
    pattern: /a script divides by zero/,
    ...BUCKETS,
    field: 'n',
    request: script('10 / Math.round(params.m)'),
  },
  {
    site: 'aggs/script-values.ts: a script leaves the whole numbers',
    pattern: /a script computes a whole number beyond 2\^53/,
    ...BUCKETS,
    offending: { d: 3, n: 1000 },
    field: 'n',
    request: script('Math.round(params.m) * 90071992547409'),
  },
  {
    site: 'aggs/script-values.ts: a script computes with what is no number',
    pattern: /a script computes with \[.*\], which is no number/,
    ...BUCKETS,
    field: 'n',
    request: script('1 + (params.m > 0 ? params.m : null)'),
  },
  {
    site: 'aggs/script-values.ts: a script asks whether a number is true',
    pattern: /a script asks whether \[.*\] is true/,
    ...BUCKETS,
    field: 'n',
    request: script('(params.m > 0 ? true : params.m) ? 1 : 2'),
  },
  {
    site: 'aggs/script-pipelines.ts: the script of bucket_script answers a boolean',
    pattern: /the script of \[p\] answers a boolean/,
    ...BUCKETS,
    field: 'n',
    request: script('params.m > 0 ? params.m : true'),
  },
  {
    site: 'aggs/script-pipelines.ts: the script of bucket_selector answers no boolean',
    pattern: /the script of \[p\] answers no boolean/,
    ...BUCKETS,
    field: 'n',
    request: script('params.m > 0 ? true : params.m', 'bucket_selector'),
  },
  {
    site: 'aggs/script-pipelines.ts: the script of moving_fn answers no number',
    pattern: /the script of \[p\] answers no number/,
    ...BUCKETS,
    request: pipeline({
      moving_fn: {
        buckets_path: 'm',
        window: 5,
        script: { source: 'MovingFunctions.sum(values) > 2 ? null : params.x', params: { x: 1 } },
      },
    }),
  },
  {
    site: 'aggs/moving-functions.ts: too few values for two seasons',
    pattern: /Holt-Winters aggregation requires at least/,
    mapping: NUMBER,
    harmless: [{ d: 1, n: 1 }],
    offending: { d: 2, n: 0 },
    request: pipeline({
      moving_fn: {
        buckets_path: 'm',
        window: 5,
        script: 'MovingFunctions.holtWinters(values, 0.5, 0.5, 0.5, 2, false)',
      },
    }),
  },
  {
    site: 'aggs/joining-pipelines.ts: a bucket without a cardinality',
    pattern: /buckets_path must reference a cardinality aggregation/,
    mapping: NUMBER,
    harmless: [],
    offending: { d: 3, n: 1 },
    request: pipeline({ cumulative_cardinality: { buckets_path: 'm' } }),
  },
  {
    site: 'aggs/joining-pipelines.ts: a bucket without percentiles',
    pattern: /buckets_path must reference a percentiles aggregation/,
    mapping: NUMBER,
    harmless: [],
    offending: { d: 3, n: 1 },
    request: pipeline({ moving_percentiles: { buckets_path: 'm', window: 2 } }),
  },
  {
    site: 'aggs/buckets-path.ts: a bucket without a single number',
    pattern: /buckets_path must reference either a number value or a single value numeric metric/,
    mapping: NUMBER,
    harmless: [],
    offending: { d: 3, n: 1 },
    request: pipeline({ cumulative_sum: { buckets_path: 'm' } }, { stats: { field: 'n' } }),
  },
  {
    site: 'sort/sort.ts: milliseconds before 1970 shown as nanoseconds',
    pattern: /before the epoch in 1970 and cannot be converted to nanoseconds/,
    ...DATES,
    offending: { when: '1960-02-03' },
    field: 'when',
    request: { target: SEARCH, body: { sort: [{ when: { numeric_type: 'date_nanos' } }] } },
  },
  {
    site: 'highlight/highlight.ts: a text too long to be marked',
    pattern: /maximum allowed to be analyzed for highlighting/,
    settings: { 'highlight.max_analyzed_offset': 20 },
    mapping: { text: { type: 'text' }, k: { type: 'keyword' } },
    harmless: [{ text: 'short words' }],
    offending: { text: 'words that are longer than the limit of the index' },
    field: 'text',
    request: {
      target: SEARCH,
      body: {
        query: { match_all: {} },
        highlight: { fields: { text: { highlight_query: { match: { text: 'words' } } } } },
      },
    },
  },
  {
    site: 'dsl/read-term-query.ts: a looked-up value of another kind',
    pattern: /number_format_exception|For input string/,
    mapping: NUMBER,
    harmless: [{ n: 1 }],
    offending: { k: 'secret' },
    field: 'k',
    request: { target: SEARCH, body: { query: { terms: { n: { index: 't', id: 'bad', path: 'k' } } } } },
  },
  {
    site: 'query/compile.ts: too many looked-up terms',
    pattern: /exceeded the allowed maximum of \[3\]/,
    settings: { max_terms_count: 3 },
    mapping: NUMBER,
    harmless: [{ k: 'a' }],
    offending: { k: ['a', 'b', 'c', 'd'] },
    field: 'k',
    request: { target: SEARCH, body: { query: { terms: { k: { index: 't', id: 'bad', path: 'k' } } } } },
  },
  {
    site: 'query/spans.ts: a pattern that stands for too many terms',
    pattern: /\[span_multi\] stands for more than/,
    mapping: { text: { type: 'text' } },
    harmless: [{ text: words(500) }],
    offending: { text: Array.from({ length: 600 }, (_, at) => `words${at}`).join(' ') },
    countsTerms: true,
    field: 'text',
    request: { target: SEARCH, body: { query: { span_multi: { match: { prefix: { text: 'word' } } } } } },
  },
  {
    site: 'query/intervals.ts: a pattern that stands for too many terms',
    pattern: /expanded to too many terms/,
    mapping: { text: { type: 'text' } },
    harmless: [{ text: words(100) }],
    offending: { text: Array.from({ length: 100 }, (_, at) => `words${at}`).join(' ') },
    countsTerms: true,
    field: 'text',
    request: { target: SEARCH, body: { query: { intervals: { text: { prefix: { prefix: 'word' } } } } } },
  },
  {
    site: 'query/statistics.ts: a pattern that is rewritten to too many clauses',
    pattern: /maxClauseCount is set to/,
    mapping: { text: { type: 'text' } },
    harmless: [{ text: words(500) }],
    offending: { text: Array.from({ length: 600 }, (_, at) => `words${at}`).join(' ') },
    countsTerms: true,
    field: 'text',
    request: { target: SEARCH, body: { query: { prefix: { text: { value: 'word', rewrite: 'scoring_boolean' } } } } },
  },
];
