// Aggregations that compute of other aggregations' buckets, as people ask them, right and wrong: each in what it needs around it. What
// is computed of documents is in metric-aggregations.ts.
import type { AggregationType } from '../aggs/definitions.ts';
import type { Kind, Make, Words } from './words.ts';

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
export function ofHistogram(kind: string, more: object, ...wrong: readonly Make[]): Kind {
  return {
    needs: 'number',
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
export function besideBuckets(kind: string, more: object = {}, ...wrong: readonly Make[]): Kind {
  const beside = (w: Words, path: string, options: object = more): object => ({
    filter: { match_all: {} },
    aggs: {
      h: { terms: { field: w.keyword() }, aggs: { s: { sum: { field: w.number() } }, k: { top_hits: { size: 1 } } } },
      p: { [kind]: { buckets_path: path, ...options } },
    },
  });
  return {
    needs: 'number',
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
  'params.a > 1 ? params.a : true',
  '10 / Math.round(params.a)',
  '10 % Math.round(params.a - 1)',
  'Math.round(params.a) * 9007199254740991 * 3',
  '1 + (params.a >= 0 ? null : params.a)',
  '(params.a >= 0 ? params.a : true) ? 1 : 2',
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

const RISKY_MOVES: readonly unknown[] = [
  'MovingFunctions.holtWinters(values, 0.5, 0.5, 0.5, 4, false)',
  { source: 'MovingFunctions.sum(values) >= 0 ? null : params.x', params: { x: 1 } },
];

const BAD_MOVES: readonly string[] = ['values', 'MovingFunctions.nobody(values)', 'values[0'];

export const PIPELINE_AGGREGATIONS: Readonly<Partial<Record<AggregationType<'sibling' | 'parent'>, Kind>>> = {
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
    needs: 'number',
    right: [
      (w) =>
        inHistogram(w, {
          moving_fn: { buckets_path: w.random.pick(PATHS), window: 2, script: 'MovingFunctions.unweightedAvg(values)' },
        }),
    ],
    risky: RISKY_MOVES.map(
      (script): Make =>
        (w) =>
          inHistogram(w, { moving_fn: { buckets_path: w.random.pick(PATHS), window: 3, script } }),
    ),
    wrong: [
      (w) => inHistogram(w, { moving_fn: { buckets_path: 's', window: 3, script: w.random.pick(BAD_MOVES) } }),
      (w) => inHistogram(w, { moving_fn: { buckets_path: 's', window: 0, script: '1' } }),
    ],
  },
  moving_percentiles: {
    needs: 'number',
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
    needs: 'number',
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
    needs: 'number',
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
    needs: 'number',
    right: [(w) => inHistogram(w, { bucket_selector: { buckets_path: { a: 's' }, script: 'params.a > 1' } })],
    risky: ['params.a >= 0 ? params.a : true', 'params.a > 1 ? params.a : true'].map(
      (script): Make =>
        (w) =>
          inHistogram(w, { bucket_selector: { buckets_path: { a: w.random.pick(PATHS) }, script } }),
    ),
    wrong: [
      (w) => inHistogram(w, { bucket_selector: { buckets_path: { a: '_count' }, script: w.random.pick(BAD_SCRIPTS) } }),
    ],
  },
  bucket_sort: {
    needs: 'number',
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

/** Those whose mistakes are all different. */
export const PIPELINES_THAT_COMPUTE: readonly string[] = [
  'bucket_script',
  'bucket_selector',
  'moving_fn',
  'moving_percentiles',
  'cumulative_cardinality',
];
