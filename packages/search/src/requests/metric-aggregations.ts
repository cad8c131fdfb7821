// Aggregations that compute numbers of documents, and those that compute of other aggregations' buckets, as people ask them, right and
// wrong: whole ones, the latter in what they need around them. Those that make buckets are in bucket-aggregations.ts.
import { randomQuery } from './queries.ts';
import { randomSort } from './sorts.ts';
import type { Kind, Kinds, Make, Words } from './words.ts';

/** Takes a field of numbers or dates. */
function ofNumber(kind: string, more: object = {}, ...wrong: readonly Make[]): Kind {
  return {
    right: [(w) => ({ [kind]: { field: w.random.once(5) ? w.date() : w.number(), ...more } })],
    wrong: [
      (w) => ({ [kind]: { field: w.text(), ...more } }),
      (w) => ({ [kind]: { field: w.keyword(), ...more } }),
      (w) => ({ [kind]: { field: w.number(), ...more, missing: w.word() } }),
      (w) => ({ [kind]: { ...more, script: `doc['${w.number()}'].value` } }),
      ...wrong,
    ],
  };
}

/** Takes any column. */
function ofColumn(kind: string, more: object = {}, ...wrong: readonly Make[]): Kind {
  return {
    right: [(w) => ({ [kind]: { field: w.column(), ...more } })],
    wrong: [
      (w) => ({ [kind]: { field: w.text(), ...more } }),
      (w) => ({ [kind]: { field: w.of('geo_point') } }),
      ...wrong,
    ],
  };
}

export const METRIC_AGGREGATIONS: Kinds = {
  avg: ofNumber('avg'),
  sum: ofNumber('sum'),
  min: ofNumber('min'),
  max: ofNumber('max'),
  stats: ofNumber('stats'),
  extended_stats: ofNumber('extended_stats', {}, (w) => ({ extended_stats: { field: w.number(), sigma: -1 } })),
  median_absolute_deviation: ofNumber('median_absolute_deviation', {}, (w) => ({
    median_absolute_deviation: { field: w.number(), compression: 0 },
  })),
  boxplot: ofNumber('boxplot', {}, (w) => ({ boxplot: { field: w.number(), compression: -1 } })),
  percentiles: {
    ...ofNumber(
      'percentiles',
      {},
      (w) => ({ percentiles: { field: w.number(), percents: [-1, 101] } }),
      (w) => ({ percentiles: { field: w.number(), hdr: { number_of_significant_value_digits: 9 } } }),
    ),
    risky: [
      // Which of the values are below zero is known only once they are read.
      (w) => ({ percentiles: { field: w.number(), hdr: { number_of_significant_value_digits: 2 } } }),
      (w) => ({ percentiles: { field: w.number(), hdr: {}, missing: -7 } }),
    ],
  },
  percentile_ranks: {
    ...ofNumber('percentile_ranks', { values: [1, 3] }, (w) => ({ percentile_ranks: { field: w.number() } })),
    risky: [(w) => ({ percentile_ranks: { field: w.number(), values: [1], hdr: {} } })],
  },
  cardinality: ofColumn('cardinality', {}, (w) => ({ cardinality: { field: w.keyword(), precision_threshold: -1 } })),
  value_count: ofColumn('value_count'),
  string_stats: {
    right: [(w) => ({ string_stats: { field: w.keyword(), show_distribution: true } })],
    wrong: [(w) => ({ string_stats: { field: w.number() } }), (w) => ({ string_stats: { field: w.text() } })],
  },
  weighted_avg: {
    right: [(w) => ({ weighted_avg: { value: { field: w.number() }, weight: { field: w.number(), missing: 2 } } })],
    risky: [(w) => ({ weighted_avg: { value: { field: w.date() }, weight: { field: w.number() } } })],
    wrong: [
      (w) => ({ weighted_avg: { value: { field: w.keyword() }, weight: { field: w.number() } } }),
      (w) => ({ weighted_avg: { value: { field: w.number() } } }),
    ],
  },
  matrix_stats: {
    right: [
      (w) => ({ matrix_stats: { fields: [w.number(), w.number()], mode: w.random.pick(['avg', 'sum', 'max']) } }),
      (w) => {
        const field = w.number();
        return { matrix_stats: { fields: [field, w.number()], missing: { [field]: 1 } } };
      },
    ],
    wrong: [(w) => ({ matrix_stats: { fields: [w.number(), w.keyword()] } }), () => ({ matrix_stats: { fields: [] } })],
  },
  t_test: {
    right: [
      (w) => ({ t_test: { a: { field: w.number() }, b: { field: w.number(), missing: 3 }, type: 'paired' } }),
      (w) => ({
        t_test: {
          a: { field: w.number(), filter: randomQuery(w, 0) },
          b: { field: w.number() },
          type: w.random.pick(['homoscedastic', 'heteroscedastic']),
        },
      }),
    ],
    risky: [
      // Pairs are of one value each.
      (w) => ({ t_test: { a: { field: w.number() }, b: { field: w.number() }, type: 'paired' } }),
      (w) => ({ t_test: { a: { field: w.number(), filter: randomQuery(w, 1) }, b: { field: w.number() } } }),
    ],
    wrong: [
      (w) => ({ t_test: { a: { field: w.number(), filter: randomQuery(w, 1) }, b: { field: w.number() }, tails: 3 } }),
      (w) => ({ t_test: { a: { field: w.keyword() }, b: { field: w.number() } } }),
    ],
  },
  geo_bounds: {
    needs: 'geo_point',
    right: [(w) => ({ geo_bounds: { field: w.of('geo_point') } })],
    wrong: [(w) => ({ geo_bounds: { field: w.number() } })],
  },
  geo_centroid: {
    needs: 'geo_point',
    right: [(w) => ({ geo_centroid: { field: w.of('geo_point') } })],
    wrong: [(w) => ({ geo_centroid: { field: w.keyword() } })],
  },
  top_hits: {
    right: [
      (w) => ({ top_hits: { size: 2, explain: true, version: true, sort: [randomSort(w)], _source: [w.pattern()] } }),
      (w) => ({ top_hits: { size: 1, highlight: { fields: { '*': {} } }, docvalue_fields: [w.pattern()] } }),
    ],
    wrong: [
      () => ({ top_hits: { size: 101 } }),
      (w) => ({ top_hits: { sort: [{ [w.text()]: 'asc' }] } }),
      (w) => ({ top_hits: { docvalue_fields: [{ field: w.text() }] } }),
    ],
  },
  top_metrics: {
    right: [
      (w) => ({
        top_metrics: {
          metrics: [{ field: w.number() }, { field: w.keyword() }, { field: w.date() }],
          sort: w.random.pick<unknown>([{ [w.number()]: 'desc' }, { [w.date()]: 'asc' }, '_score']),
          size: 2,
        },
      }),
    ],
    wrong: [
      (w) => ({ top_metrics: { metrics: { field: w.number() }, sort: { [w.keyword()]: 'desc' } } }),
      (w) => ({ top_metrics: { metrics: { field: w.text() }, sort: '_score' } }),
      (w) => ({ top_metrics: { metrics: { field: w.number() }, sort: '_score', size: 99 } }),
    ],
  },
  rate: {
    needs: 'date',
    right: [
      (w) => ({
        date_histogram: { field: w.date(), calendar_interval: 'month' },
        aggs: { r: { rate: { unit: 'day', field: w.number() } }, c: { rate: { unit: 'month' } } },
      }),
    ],
    wrong: [
      () => ({ rate: { unit: 'day' } }),
      (w) => ({ date_histogram: { field: w.date(), fixed_interval: '10d' }, aggs: { r: { rate: { unit: 'month' } } } }),
    ],
  },
};

/** A histogram with numbers in it, and a pipeline over them. */
function inHistogram(w: Words, pipeline: object, more: object = {}): object {
  const field = w.number();
  return {
    histogram: { field, interval: 1, min_doc_count: 0 },
    aggs: {
      s: { sum: { field: w.number() } },
      k: { terms: { field: w.keyword() } },
      m: { stats: { field: w.number() } },
      ...more,
      p: pipeline,
    },
  };
}

/** What a pipeline of one path is asked of. */
const PATHS = ['_count', 's', 's.value'] as const;
/** What leads to something that is no number. */
const NO_NUMBERS = ['k', 'k>s', 'm', 'm.t'] as const;
/** What leads nowhere. */
const NO_PATHS = ['nobody', 'k._bucket_count>x', ''] as const;

/** A pipeline of buckets of a histogram. */
function ofHistogram(kind: string, more: object, ...wrong: readonly Make[]): Kind {
  return {
    right: [(w) => inHistogram(w, { [kind]: { buckets_path: w.random.pick(PATHS), ...more } })],
    risky: [(w) => inHistogram(w, { [kind]: { buckets_path: w.random.pick(NO_NUMBERS), ...more } })],
    wrong: [
      (w) => inHistogram(w, { [kind]: { buckets_path: w.random.pick(NO_PATHS), ...more } }),
      (w) => ({ terms: { field: w.keyword() }, aggs: { p: { [kind]: { buckets_path: '_count', ...more } } } }),
      ...wrong,
    ],
  };
}

/** A pipeline beside the buckets that it joins. */
function besideBuckets(kind: string, more: object = {}, ...wrong: readonly Make[]): Kind {
  const beside = (w: Words, path: string, options: object = more): object => ({
    filter: { match_all: {} },
    aggs: {
      h: { terms: { field: w.keyword() }, aggs: { s: { sum: { field: w.number() } }, k: { top_hits: { size: 1 } } } },
      p: { [kind]: { buckets_path: path, ...options } },
    },
  });
  return {
    right: [(w) => beside(w, w.random.pick(['h>s', 'h>_count']))],
    risky: [(w) => beside(w, w.random.pick(['h', 'h>k']))],
    wrong: [
      (w) => beside(w, w.random.pick(['nobody>s', 'h>nobody', ''])),
      (w) => beside(w, 'h>s', { gap_policy: 'jump' }),
      ...wrong,
    ],
  };
}

/** Scripts that compute what is none where it is asked for, by what the buckets hold. */
const RISKY_SCRIPTS: readonly string[] = [
  'params.a > 1',
  'params.a > 1 ? null : true',
  '10 / Math.round(params.a)',
  '10 % Math.round(params.a - 1)',
  'Math.round(params.a) * 9007199254740991 * 3',
  '1 + (params.a >= 0 ? null : 1)',
  '(params.a >= 0 ? 7 : true) ? 1 : 2',
  'params.a < 0 ? 1 : MovingFunctions.sum(params.a)',
  'Math.sqrt(-params.a)',
];

/** Scripts that are none. */
const BAD_SCRIPTS: readonly unknown[] = [
  'params.a +',
  'doc["n"].value',
  '',
  { source: '_value', lang: 'expression' },
  { source: 'a', lang: 'java' },
  { id: 'stored' },
];

const MOVING_SCRIPTS: readonly string[] = [
  'MovingFunctions.holtWinters(values, 0.5, 0.5, 0.5, 4, false)',
  'values.length > 1 ? null : 1',
  'values',
  'values.length > 2',
  'MovingFunctions.nobody(values)',
  'null',
  'values[0]',
];

export const PIPELINE_AGGREGATIONS: Kinds = {
  avg_bucket: besideBuckets('avg_bucket'),
  sum_bucket: besideBuckets('sum_bucket'),
  min_bucket: besideBuckets('min_bucket'),
  max_bucket: besideBuckets('max_bucket'),
  stats_bucket: besideBuckets('stats_bucket'),
  extended_stats_bucket: besideBuckets('extended_stats_bucket', { sigma: 2 }, (w) => ({
    filter: { match_all: {} },
    aggs: {
      h: { terms: { field: w.keyword() } },
      p: { extended_stats_bucket: { buckets_path: 'h>_count', sigma: -1 } },
    },
  })),
  percentiles_bucket: besideBuckets('percentiles_bucket', { percents: [25, 50] }, (w) => ({
    filter: { match_all: {} },
    aggs: {
      h: { terms: { field: w.keyword() } },
      p: { percentiles_bucket: { buckets_path: 'h>_count', percents: [101] } },
    },
  })),
  cumulative_sum: ofHistogram('cumulative_sum', {}),
  derivative: ofHistogram('derivative', {}, (w) =>
    inHistogram(w, { derivative: { buckets_path: '_count', unit: 'eon' } }),
  ),
  serial_diff: ofHistogram('serial_diff', { lag: 1 }, (w) =>
    inHistogram(w, { serial_diff: { buckets_path: '_count', lag: 0 } }),
  ),
  moving_avg: ofHistogram('moving_avg', { window: 2 }, (w) =>
    inHistogram(w, {
      moving_avg: { buckets_path: '_count', window: 2, model: 'holt_winters', settings: { period: 4 } },
    }),
  ),
  moving_fn: {
    right: [
      (w) =>
        inHistogram(w, {
          moving_fn: { buckets_path: w.random.pick(PATHS), window: 2, script: 'MovingFunctions.unweightedAvg(values)' },
        }),
    ],
    risky: [
      (w) =>
        inHistogram(w, { moving_fn: { buckets_path: '_count', window: 3, script: w.random.pick(MOVING_SCRIPTS) } }),
      (w) => inHistogram(w, { moving_fn: { buckets_path: 's', window: 3, script: w.random.pick(MOVING_SCRIPTS) } }),
    ],
    wrong: [(w) => inHistogram(w, { moving_fn: { buckets_path: 's', window: 0, script: 'values[0]' } })],
  },
  moving_percentiles: {
    right: [
      (w) =>
        inHistogram(
          w,
          { moving_percentiles: { buckets_path: 'q', window: 2 } },
          { q: { percentiles: { field: w.number(), percents: [50] } } },
        ),
    ],
    risky: [(w) => inHistogram(w, { moving_percentiles: { buckets_path: 's', window: 2 } })],
    wrong: [(w) => inHistogram(w, { moving_percentiles: { buckets_path: 's', window: 0 } })],
  },
  normalize: ofHistogram('normalize', { method: 'percent_of_sum' }, (w) =>
    inHistogram(w, { normalize: { buckets_path: 's', method: 'none' } }),
  ),
  cumulative_cardinality: {
    right: [
      (w) =>
        inHistogram(
          w,
          { cumulative_cardinality: { buckets_path: 'c' } },
          { c: { cardinality: { field: w.keyword() } } },
        ),
    ],
    risky: [(w) => inHistogram(w, { cumulative_cardinality: { buckets_path: 's' } })],
    wrong: [(w) => inHistogram(w, { cumulative_cardinality: {} })],
  },
  bucket_script: {
    right: [
      (w) =>
        inHistogram(w, { bucket_script: { buckets_path: { a: 's', b: '_count' }, script: 'params.a / params.b' } }),
    ],
    risky: [
      ...RISKY_SCRIPTS.map(
        (script): Make =>
          (w) =>
            inHistogram(w, {
              bucket_script: { buckets_path: { a: w.random.pick(PATHS) }, script, gap_policy: 'insert_zeros' },
            }),
      ),
      // Of texts, there is nothing to compute.
      (w) => {
        const field = w.keyword();
        return inHistogram(
          w,
          { bucket_script: { buckets_path: { a: `t.${field}` }, script: 'params.a' } },
          { t: { top_metrics: { metrics: { field }, sort: { [w.number()]: 'asc' } } } },
        );
      },
    ],
    wrong: [
      (w) => inHistogram(w, { bucket_script: { buckets_path: { a: 's' }, script: w.random.pick(BAD_SCRIPTS) } }),
      (w) => inHistogram(w, { bucket_script: { buckets_path: { a: w.random.pick(NO_PATHS) }, script: 'params.a' } }),
    ],
  },
  bucket_selector: {
    right: [(w) => inHistogram(w, { bucket_selector: { buckets_path: { a: 's' }, script: 'params.a > 1' } })],
    risky: [
      (w) =>
        inHistogram(w, {
          bucket_selector: { buckets_path: { a: w.random.pick(PATHS) }, script: w.random.pick(RISKY_SCRIPTS) },
        }),
    ],
    wrong: [
      (w) => inHistogram(w, { bucket_selector: { buckets_path: { a: '_count' }, script: w.random.pick(BAD_SCRIPTS) } }),
    ],
  },
  bucket_sort: {
    right: [
      (w) => ({
        terms: { field: w.keyword() },
        aggs: {
          s: { sum: { field: w.number() } },
          b: { bucket_sort: { sort: [w.random.pick(['s', '_count'])], size: 2 } },
        },
      }),
    ],
    risky: [
      (w) => ({
        terms: { field: w.keyword() },
        aggs: { k: { terms: { field: w.keyword() } }, b: { bucket_sort: { sort: ['k'] } } },
      }),
    ],
    wrong: [
      (w) => ({ terms: { field: w.keyword() }, aggs: { b: { bucket_sort: { sort: ['nobody'] } } } }),
      (w) => ({ terms: { field: w.keyword() }, aggs: { b: { bucket_sort: { size: w.noNumber() } } } }),
    ],
  },
};
