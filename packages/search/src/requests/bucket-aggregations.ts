// Aggregations that make buckets, as people ask them, right and wrong: whole ones, with what stands inside of them. Numbers of
// buckets are in metric-aggregations.ts.
import type { AggregationType } from '../aggs/definitions.ts';
import { randomQuery } from './queries.ts';
import type { Kind, Make } from './words.ts';

/** One that others may stand in. */
const around =
  (kind: string, body: Make): Make =>
  (w, inner) => ({ [kind]: body(w, inner), ...(w.random.once(2) ? { aggs: { i: inner() } } : {}) });

/** One that needs others in it: without any it is the same mistake, whatever else is asked. */
const filledWith =
  (kind: string, body: Make): Make =>
  (w, inner) => ({ [kind]: body(w, inner), aggs: { i: inner() } });

const MEASURES = ['jlh', 'chi_square', 'gnd', 'percentage', 'mutual_information'] as const;

export const BUCKET_AGGREGATIONS: Readonly<Partial<Record<AggregationType<'bucket'>, Kind>>> = {
  terms: {
    right: [
      around('terms', (w) => ({ field: w.column() })),
      (w) => ({ terms: { field: w.keyword(), min_doc_count: 0, order: { _key: 'asc' } } }),
      (w) => ({
        terms: { field: w.keyword(), size: 1 },
        aggs: {
          top: { top_hits: { size: 2, highlight: { fields: { '*': {} } } } },
          n: { stats: { field: w.number() } },
        },
      }),
      (w) => ({
        terms: {
          field: w.keyword(),
          order: [{ 'm.value': 'desc' }, { _key: 'asc' }],
          size: 2,
          shard_size: 2,
          show_term_doc_count_error: true,
          missing: 'none',
        },
        aggs: { m: { max: { field: w.number() } } },
      }),
      (w) => ({ terms: { field: w.keyword(), include: '[a-r].*', exclude: 're.' } }),
      (w) => ({ terms: { field: w.keyword(), include: { partition: 0, num_partitions: 2 } } }),
    ],
    risky: [
      // An order by what may be a text, and by its name, which may hold dots.
      (w) => {
        const field = w.random.pick(w.index.fields.keyword.filter((path) => !path.includes('.')).concat(w.keyword()));
        return {
          terms: { field: w.random.once(2) ? w.keyword() : w.number(), order: { [`m.${field}`]: 'desc' } },
          aggs: { m: { top_metrics: { metrics: [{ field }], sort: { [w.number()]: 'desc' } } } },
        };
      },
    ],
    wrong: [
      (w) => ({ terms: { field: w.text() } }),
      (w) => ({ terms: { field: w.of('geo_point') } }),
      (w) => ({ terms: { field: w.number(), include: 'a.*' } }),
      (w) => ({ terms: { field: w.of('ip'), include: '10.*' } }),
      (w) => ({ terms: { field: w.keyword(), include: '(' } }),
      (w) => ({ terms: { field: w.keyword(), include: '[a-r].*', exclude: ['red'] } }),
      (w) => ({ terms: { field: w.number(), missing: w.word() } }),
      (w) => ({ terms: { field: w.date(), missing: w.word() } }),
      (w) => ({ terms: { field: w.keyword(), size: w.noNumber() } }),
      (w) => ({ terms: { field: w.keyword(), order: { 'nobody.value': 'asc' } } }),
    ],
  },
  rare_terms: {
    right: [around('rare_terms', (w) => ({ field: w.keyword(), max_doc_count: 2 }))],
    wrong: [
      (w) => ({ rare_terms: { field: w.column(), max_doc_count: w.noNumber() } }),
      (w) => ({ rare_terms: { field: w.text() } }),
    ],
  },
  significant_terms: {
    right: [
      around('significant_terms', (w) => ({ field: w.keyword(), min_doc_count: 1 })),
      (w) => ({ significant_terms: { field: w.number(), min_doc_count: 1, [w.random.pick(MEASURES)]: {} } }),
      (w) => ({
        significant_terms: { field: w.keyword(), min_doc_count: 1, background_filter: randomQuery(w, 0), gnd: {} },
      }),
    ],
    wrong: [
      (w) => ({ significant_terms: { field: w.text(), min_doc_count: 1 } }),
      (w) => ({ significant_terms: { field: w.keyword(), jlh: {}, gnd: {} } }),
      (w) => ({ significant_terms: { field: w.keyword(), script_heuristic: { script: '1' } } }),
      (w) => ({ significant_terms: { field: w.number(), include: 'a.*' } }),
    ],
  },
  significant_text: {
    right: [
      (w) => ({
        significant_text: {
          field: w.text(),
          min_doc_count: 1,
          filter_duplicate_text: w.random.once(2),
          source_fields: [w.text(), w.field()],
          ...(w.random.once(2) ? { background_filter: randomQuery(w, 0) } : { percentage: {} }),
        },
      }),
    ],
    risky: [(w) => ({ significant_text: { field: w.text(), min_doc_count: 1, background_filter: randomQuery(w, 1) } })],
    wrong: [
      (w) => ({ significant_text: { field: w.number() } }),
      (w) => ({ significant_text: { field: w.text(), size: 0 } }),
    ],
  },
  filter: {
    right: [around('filter', (w) => randomQuery(w, 1))],
    risky: [around('filter', (w) => randomQuery(w, 1))],
    wrong: [() => ({ filter: 7 })],
  },
  filters: {
    right: [
      around('filters', (w) => ({ filters: { a: randomQuery(w, 1), b: { exists: { field: w.field() } } } })),
      around('filters', (w) => ({ filters: [randomQuery(w, 0)], other_bucket: true })),
    ],
    risky: [around('filters', (w) => ({ filters: { a: randomQuery(w, 1), b: randomQuery(w, 1) } }))],
    wrong: [() => ({ filters: {} })],
  },
  adjacency_matrix: {
    right: [around('adjacency_matrix', (w) => ({ filters: { a: randomQuery(w, 0), b: randomQuery(w, 0) } }))],
    wrong: [
      (w) => ({
        adjacency_matrix: {
          filters: Object.fromEntries(
            Array.from({ length: 101 }, (_, at) => [`f${at}`, { term: { [w.keyword()]: 'x' } }]),
          ),
        },
      }),
      (w) => ({ adjacency_matrix: { filters: { a: randomQuery(w, 1) }, separator: 7 } }),
    ],
    risky: [(w) => ({ adjacency_matrix: { filters: { a: randomQuery(w, 1), b: randomQuery(w, 0) } } })],
  },
  global: {
    right: [around('global', () => ({}))],
    wrong: [(w) => ({ terms: { field: w.keyword() }, aggs: { g: { global: {} } } })],
  },
  missing: {
    right: [around('missing', (w) => ({ field: w.field() }))],
    wrong: [(w) => ({ missing: { field: w.of('completion') } }), () => ({ missing: {} })],
  },
  nested: {
    needs: 'nested',
    right: [
      around('nested', (w) => ({ path: w.of('nested') })),
      (w) => ({ nested: { path: w.of('nested') }, aggs: { k: { terms: { field: w.keyword() } } } }),
    ],
    wrong: [around('nested', (w) => ({ path: w.field() })), () => ({ nested: {} })],
  },
  reverse_nested: {
    needs: 'nested',
    right: [
      (w) => ({
        nested: { path: w.of('nested') },
        aggs: { r: { reverse_nested: {}, aggs: { t: { terms: { field: w.keyword() } } } } },
      }),
    ],
    wrong: [
      () => ({ reverse_nested: {} }),
      (w) => ({ nested: { path: w.of('nested') }, aggs: { r: { reverse_nested: { path: w.field() } } } }),
    ],
  },
  histogram: {
    needs: 'number',
    right: [
      around('histogram', (w) => ({ field: w.random.once(4) ? w.of('range') : w.number(), interval: 2 })),
      around('histogram', (w) => ({
        field: w.number(),
        interval: 1,
        min_doc_count: 0,
        extended_bounds: { min: 0, max: 5 },
      })),
    ],
    risky: [
      // More buckets than one answer may have, by what the documents hold.
      (w) => ({ histogram: { field: w.number(), interval: 1e-5, min_doc_count: 0 } }),
      (w) => ({ histogram: { field: w.of('range'), interval: 1e-5 } }),
      (w) => ({ histogram: { field: w.number(), interval: 0.5, min_doc_count: 0, missing: 1e9 } }),
    ],
    wrong: [
      (w) => ({ histogram: { field: w.number(), interval: w.noNumber() } }),
      (w) => ({ histogram: { field: w.keyword(), interval: 1 } }),
      (w) => ({ histogram: { field: w.of('range'), interval: 1, missing: 1 } }),
      (w) => ({ histogram: { field: w.number(), interval: 1, hard_bounds: { min: 5, max: 1 } } }),
      (w) => ({ histogram: { field: w.number(), interval: 1, missing: w.word() } }),
    ],
  },
  date_histogram: {
    needs: 'date',
    right: [
      around('date_histogram', (w) => ({
        field: w.date(),
        calendar_interval: w.random.pick(['day', 'month', 'year']),
      })),
      around('date_histogram', (w) => ({ field: w.date(), fixed_interval: '90d', min_doc_count: 0 })),
    ],
    risky: [
      (w) => ({ date_histogram: { field: w.date(), fixed_interval: '1ms', min_doc_count: 0 } }),
      // Not every number is a date.
      (w) => ({ date_histogram: { field: w.number(), calendar_interval: 'month', min_doc_count: 1 } }),
      (w) => ({ date_histogram: { field: w.date(), fixed_interval: '1s', min_doc_count: 0 } }),
    ],
    wrong: [
      (w) => ({ date_histogram: { field: w.date(), calendar_interval: '2d' } }),
      (w) => ({ date_histogram: { field: w.keyword(), fixed_interval: '1d' } }),
      (w) => ({ date_histogram: { field: w.date(), fixed_interval: '1d', time_zone: 'Mars' } }),
      (w) => ({ date_histogram: { field: w.date(), fixed_interval: '1d', missing: w.word() } }),
      (w) => ({ date_histogram: { field: w.date(), fixed_interval: '1d', format: 'no format {' } }),
    ],
  },
  auto_date_histogram: {
    needs: 'date',
    right: [around('auto_date_histogram', (w) => ({ field: w.date(), buckets: 2 }))],
    wrong: [
      (w) => ({ auto_date_histogram: { field: w.date(), buckets: w.noNumber() } }),
      (w) => ({ auto_date_histogram: { field: w.number(), minimum_interval: 'eon' } }),
      (w) => ({ auto_date_histogram: { field: w.keyword() } }),
    ],
  },
  variable_width_histogram: {
    needs: 'number',
    right: [
      around('variable_width_histogram', (w) => ({ field: w.random.once(3) ? w.date() : w.number(), buckets: 2 })),
    ],
    wrong: [
      (w) => ({ variable_width_histogram: { field: w.number(), buckets: w.noNumber() } }),
      (w) => ({ variable_width_histogram: { field: w.keyword(), buckets: 2 } }),
      (w) => ({
        terms: { field: w.keyword() },
        aggs: { v: { variable_width_histogram: { field: w.number(), buckets: 2, shard_size: 1 } } },
      }),
    ],
  },
  range: {
    needs: 'number',
    right: [around('range', (w) => ({ field: w.number(), ranges: [{ to: 2 }, { from: 2 }] }))],
    wrong: [
      (w) => ({ range: { field: w.keyword(), ranges: [{ to: 2 }] } }),
      (w) => ({ range: { field: w.number(), ranges: [{ from: 'a' }] } }),
      (w) => ({ range: { field: w.number(), ranges: [] } }),
    ],
  },
  date_range: {
    needs: 'date',
    right: [around('date_range', (w) => ({ field: w.date(), ranges: [{ to: '2026-01-02' }, { from: '2026-01-02' }] }))],
    wrong: [
      (w) => ({ date_range: { field: w.date(), ranges: [{ to: w.word() }] } }),
      (w) => ({ date_range: { field: w.keyword(), ranges: [{ to: '2026-01-02' }] } }),
    ],
  },
  ip_range: {
    needs: 'ip',
    right: [
      around('ip_range', (w) => ({ field: w.of('ip'), ranges: [{ mask: '10.0.0.0/30' }, { from: '10.0.0.5' }] })),
    ],
    wrong: [
      (w) => ({ ip_range: { field: w.number(), ranges: [{ to: '10.0.0.5' }] } }),
      (w) => ({ ip_range: { field: w.of('ip'), ranges: [{ mask: '10.0.0.0/99' }] } }),
    ],
  },
  geo_distance: {
    needs: 'geo_point',
    right: [
      around('geo_distance', (w) => ({
        field: w.of('geo_point'),
        origin: [0, 0],
        unit: 'km',
        ranges: [{ to: 200 }, { from: 200 }],
      })),
    ],
    wrong: [
      (w) => ({ geo_distance: { field: w.number(), origin: [0, 0], ranges: [{ to: 200 }] } }),
      (w) => ({ geo_distance: { field: w.of('geo_point'), ranges: [{ to: 200 }] } }),
    ],
  },
  geohash_grid: {
    needs: 'geo_point',
    right: [around('geohash_grid', (w) => ({ field: w.of('geo_point'), precision: 3 }))],
    wrong: [
      (w) => ({ geohash_grid: { field: w.of('geo_point'), precision: 13 } }),
      (w) => ({ geohash_grid: { field: w.text() } }),
    ],
  },
  geotile_grid: {
    needs: 'geo_point',
    right: [around('geotile_grid', (w) => ({ field: w.of('geo_point'), precision: 6 }))],
    wrong: [
      (w) => ({ geotile_grid: { field: w.of('geo_point'), precision: 30 } }),
      (w) => ({ geotile_grid: { field: w.number() } }),
    ],
  },
  sampler: {
    right: [
      filledWith('sampler', (w) => ({ shard_size: 1 + w.random.int(3) })),
      (w) => ({
        sampler: { shard_size: 2 },
        aggs: { s: { significant_terms: { field: w.keyword(), min_doc_count: 1 } } },
      }),
    ],
    wrong: [(w) => ({ sampler: { shard_size: w.noNumber() } }), () => ({ sampler: {} })],
  },
  diversified_sampler: {
    right: [
      filledWith('diversified_sampler', (w) => ({
        field: w.keyword(),
        shard_size: 1 + w.random.int(3),
        max_docs_per_value: 2,
      })),
    ],
    risky: [
      // Of several values of one document, none is the one by which it is sampled.
      filledWith('diversified_sampler', (w) => ({ field: w.random.once(2) ? w.keyword() : w.number(), shard_size: 5 })),
    ],
    wrong: [
      (w) => ({ diversified_sampler: { field: w.number(), max_docs_per_value: -1 } }),
      (w) => ({ diversified_sampler: { field: w.of('geo_point') } }),
    ],
  },
  composite: {
    right: [
      (w) => ({ composite: { size: 2, sources: [{ a: { terms: { field: w.keyword() } } }] } }),
      (w) => ({
        composite: {
          size: 2,
          sources: [
            { a: { terms: { field: w.keyword() } } },
            { b: { terms: { field: w.keyword(), missing_bucket: true } } },
          ],
        },
      }),
      (w) => ({
        composite: {
          size: 3,
          sources: [
            { h: { histogram: { field: w.number(), interval: 2, order: 'desc' } } },
            { d: { date_histogram: { field: w.date(), calendar_interval: 'day', missing_bucket: true } } },
            { k: { terms: { field: w.keyword() } } },
          ],
        },
      }),
      (w) => ({ composite: { sources: [{ g: { geotile_grid: { field: w.of('geo_point'), precision: 4 } } }] } }),
    ],
    wrong: [
      (w) => ({ composite: { sources: [{ a: { terms: { field: w.text() } } }] } }),
      (w) => ({ composite: { sources: [{ a: { histogram: { field: w.keyword(), interval: 1 } } }] } }),
      (w) => ({ composite: { sources: [{ a: { date_histogram: { field: w.keyword(), fixed_interval: '1d' } } }] } }),
      (w) => ({ composite: { sources: [{ a: { terms: { field: w.number() } } }], after: { a: w.word() } } }),
      (w) => ({ composite: { sources: [{ a: { terms: { field: w.date() } } }], after: { a: w.word() } } }),
      (w) => ({ composite: { size: 0, sources: [{ a: { terms: { field: w.keyword() } } }] } }),
      (w) => ({
        terms: { field: w.keyword() },
        aggs: { c: { composite: { sources: [{ a: { terms: { field: w.keyword() } } }] } } },
      }),
    ],
  },
};
