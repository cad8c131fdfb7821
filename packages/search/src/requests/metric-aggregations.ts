// Aggregations that compute numbers of documents, as people ask them, right and wrong. Those that make buckets are in
// bucket-aggregations.ts, those that compute of other aggregations' buckets in pipeline-aggregations.ts.
import type { AggregationType } from '../aggs/definitions.ts';
import { randomQuery } from './queries.ts';
import { randomSort } from './sorts.ts';
import type { Kind, Make } from './words.ts';

/** Takes a field of numbers or dates. */
function ofNumber(kind: string, more: object = {}, ...wrong: readonly Make[]): Kind {
  return {
    needs: 'number',
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

export const METRIC_AGGREGATIONS: Readonly<Partial<Record<AggregationType<'metric'>, Kind>>> = {
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
  string_stats: {
    right: [(w) => ({ string_stats: { field: w.keyword(), show_distribution: true } })],
    wrong: [(w) => ({ string_stats: { field: w.number() } }), (w) => ({ string_stats: { field: w.text() } })],
  },
  weighted_avg: {
    needs: 'number',
    right: [(w) => ({ weighted_avg: { value: { field: w.number() }, weight: { field: w.number(), missing: 2 } } })],
    risky: [(w) => ({ weighted_avg: { value: { field: w.date() }, weight: { field: w.number() } } })],
    wrong: [
      (w) => ({ weighted_avg: { value: { field: w.keyword() }, weight: { field: w.number() } } }),
      (w) => ({ weighted_avg: { value: { field: w.number() } } }),
    ],
  },
  matrix_stats: {
    needs: 'number',
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
    needs: 'number',
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
    needs: 'number',
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
