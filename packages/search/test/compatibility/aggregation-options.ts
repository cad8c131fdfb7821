// The options of each kind of aggregation, of the sources of composite ones, and of pipelines: a part of the table of option-cases.ts.
import type { Json } from '../../src/json/json.ts';
import { none, ONE_SHARD, type OptionCase, type OptionGroup, refused, shows, showsIn } from './option-case.ts';

const agg = (name: string, base: Json, options: Readonly<Record<string, OptionCase>>): OptionGroup => ({
  where: `aggregation \`${name}\``,
  body: (given) => ({ size: 0, aggs: { x: { [name]: given } } }),
  base,
  options,
});

const VALUE_TYPE = none(
  'string',
  'the mapping says which type a field has; the type of a field that is not mapped shows in the values that `missing` gives',
);
const metricOptions = (field = 'need'): Readonly<Record<string, OptionCase>> => ({
  field: shows('f'),
  missing: shows(100, { field }),
  format: shows('000.0'),
  value_type: VALUE_TYPE,
});

/** Aggregations. */
export const AGG_GROUPS: readonly OptionGroup[] = [
  ...['avg', 'sum', 'min', 'max', 'stats'].map((name) =>
    agg(name, { field: 'n' }, { ...metricOptions(), missing: shows(name === 'min' ? -5 : 100, { field: 'need' }) }),
  ),
  agg('extended_stats', { field: 'n' }, { ...metricOptions(), sigma: shows(3) }),
  agg(
    'value_count',
    { field: 'n' },
    {
      ...metricOptions(),
      field: shows('need'),
      format: none('000', 'a count is no value of the field, which the format is for'),
    },
  ),
  agg(
    'cardinality',
    { field: 'n' },
    {
      field: shows('b'),
      missing: shows(100, { field: 'need' }),
      precision_threshold: none(1, 'counted exactly, whatever the threshold'),
      rehash: none(true, 'Elasticsearch ignores it since 2.0'),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'percentiles',
    { field: 'n' },
    {
      ...metricOptions(),
      percents: shows([3]),
      keyed: shows(false),
      hdr: shows({ number_of_significant_value_digits: 1 }),
      tdigest: none({ compression: 10 }, 'computed exactly, whatever the compression'),
    },
  ),
  agg(
    'percentile_ranks',
    { field: 'n', values: [3] },
    {
      ...metricOptions(),
      missing: shows(9, { field: 'need', values: [3] }),
      values: shows([5]),
      keyed: shows(false),
      hdr: shows({ number_of_significant_value_digits: 1 }, { field: 'big', values: [1500] }),
      tdigest: none({ compression: 10 }, 'computed exactly, whatever the compression'),
    },
  ),
  agg(
    'median_absolute_deviation',
    { field: 'n' },
    {
      ...metricOptions(),
      compression: none(10, 'computed exactly, whatever the compression'),
    },
  ),
  agg(
    'boxplot',
    { field: 'n' },
    { ...metricOptions(), compression: none(10, 'computed exactly, whatever the compression') },
  ),
  agg(
    'string_stats',
    { field: 'str' },
    {
      field: shows('st'),
      missing: shows('zzz'),
      format: shows('000.0'),
      show_distribution: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'top_metrics',
    { metrics: { field: 'f' }, sort: { n: 'desc' } },
    { metrics: shows([{ field: 'b' }]), sort: shows({ n: 'asc' }), size: shows(2) },
  ),
  {
    where: '`metrics` of top_metrics',
    body: (given) => ({ size: 0, aggs: { x: { top_metrics: { metrics: given, sort: { n: 'desc' } } } } }),
    base: { field: 'need' },
    options: { field: shows('f'), missing: shows(7) },
  },
  agg(
    'weighted_avg',
    { value: { field: 'n' }, weight: { field: 'f' } },
    {
      value: shows({ field: 'f' }),
      weight: shows({ field: 'n' }),
      format: shows('000.0'),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'missing',
    { field: 'str' },
    {
      field: shows('n'),
      missing: shows('a'),
      format: none('000', 'the bucket has no key to print'),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'terms',
    { field: 'str' },
    {
      field: shows('n'),
      missing: shows('zz'),
      format: shows('000', { field: 'n' }),
      size: shows(1),
      min_doc_count: shows(4),
      order: shows({ _key: 'desc' }),
      include: shows('a.*'),
      exclude: shows(['a1']),
      show_term_doc_count_error: shows(true),
      shard_size: none(9, ONE_SHARD),
      shard_min_doc_count: none(1, ONE_SHARD),
      collect_mode: none('breadth_first', 'the answer is the same; here one way is taken for all'),
      execution_hint: none('map', 'the answer is the same; here one way is taken for all'),
      value_type: shows('long', { field: 'absent', missing: '7' }),
    },
  ),
  agg(
    'rare_terms',
    { field: 'str', max_doc_count: 2 },
    {
      field: shows('n'),
      missing: shows('zz'),
      format: shows('000', { field: 'n' }),
      max_doc_count: shows(9),
      include: shows('a.*'),
      exclude: shows('a.*'),
      precision: none(0.1, 'counted exactly, whatever the precision'),
      value_type: VALUE_TYPE,
    },
  ),
  ...(['significant_terms', 'significant_text'] as const).map((name): OptionGroup => {
    const ofText = name === 'significant_text';
    const base = { field: ofText ? 't' : 'str', min_doc_count: 1 };
    return {
      ...agg(name, base, {
        field: shows(ofText ? 'u' : 'need', base),
        size: shows(1),
        min_doc_count: shows(4),
        include: shows(ofText ? 'f.*' : 'a.*'),
        exclude: shows(ofText ? 'f.*' : 'a.*'),
        background_filter: shows({ term: { b: true } }),
        jlh: none({}, 'it is the default'),
        gnd: shows({}),
        chi_square: shows({}),
        percentage: shows({}),
        mutual_information: shows({ include_negatives: true }),
        script_heuristic: refused({ script: '1' }),
        shard_size: none(9, ONE_SHARD),
        shard_min_doc_count: none(1, ONE_SHARD),
        ...(ofText
          ? {
              source_fields: shows(['u']),
              filter_duplicate_text: shows(true, { field: 'long', min_doc_count: 1, percentage: {} }),
            }
          : {
              missing: refused('zz'),
              format: refused('000'),
              execution_hint: none('map', 'the answer is the same; here one way is taken for all'),
              value_type: VALUE_TYPE,
            }),
      }),
      body: (given) => ({ size: 0, query: { range: { n: { lte: 6 } } }, aggs: { x: { [name]: given } } }),
    };
  }),
  agg(
    'histogram',
    { field: 'n', interval: 5 },
    {
      field: shows('f'),
      interval: shows(2),
      missing: shows(100, { field: 'need', interval: 5 }),
      format: shows('000'),
      offset: shows(2),
      min_doc_count: shows(5),
      extended_bounds: shows({ min: -10, max: 50 }),
      hard_bounds: shows({ min: 5, max: 9 }),
      order: shows({ _count: 'desc' }),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'date_histogram',
    { field: 'd', fixed_interval: '5d' },
    {
      field: shows('d2'),
      fixed_interval: shows('2d'),
      calendar_interval: shows('month', { field: 'd' }),
      interval: shows('month', { field: 'd' }),
      missing: shows('2021-01-01', { field: 'd2', fixed_interval: '50d' }),
      format: shows('yyyy'),
      time_zone: shows('+05:00'),
      offset: shows('1h'),
      min_doc_count: shows(5),
      extended_bounds: shows({ min: '2019-12-01', max: '2020-03-01' }),
      hard_bounds: shows({ min: '2020-01-05', max: '2020-01-08' }),
      order: shows({ _count: 'asc' }, { field: 'd', fixed_interval: '7d' }),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'auto_date_histogram',
    { field: 'd', buckets: 4 },
    {
      field: shows('d2'),
      buckets: shows(20),
      minimum_interval: shows('month', { field: 'd', buckets: 40 }),
      missing: shows('2021-01-01', { field: 'd2' }),
      format: shows('yyyy'),
      time_zone: shows('+05:00'),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'range',
    { field: 'n', ranges: [{ from: 3, to: 9 }, { from: 9 }] },
    {
      field: shows('need'),
      ranges: shows([{ to: 4 }]),
      missing: shows(100, { field: 'need', ranges: [{ from: 50 }] }),
      format: shows('000'),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'date_range',
    { field: 'd', ranges: [{ from: '2020-01-03', to: '2020-01-09' }] },
    {
      field: shows('d2'),
      ranges: shows([{ to: '2020-01-04' }]),
      missing: shows('2020-01-04', { field: 'd2', ranges: [{ to: '2020-01-05' }] }),
      format: shows('yyyy-MM-dd'),
      time_zone: shows('+05:00'),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'ip_range',
    { field: 'ip', ranges: [{ to: '10.0.0.5' }] },
    {
      field: shows('ip2'),
      ranges: shows([{ mask: '10.0.0.0/30' }]),
      missing: shows('10.0.0.1', { field: 'ip2', ranges: [{ to: '10.0.0.5' }] }),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'geo_distance',
    { field: 'g', origin: '0,0', ranges: [{ to: 1000 }], unit: 'km' },
    {
      field: shows('g2'),
      origin: shows('9,9'),
      ranges: shows([{ from: 100 }]),
      unit: shows('m'),
      distance_type: shows('plane', { field: 'g', origin: '0,170', ranges: [{ to: 20_050_000 }] }),
      keyed: shows(true),
      missing: shows('0,0', { field: 'g2', origin: '0,0', ranges: [{ to: 1 }] }),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'geohash_grid',
    { field: 'g' },
    {
      field: shows('g2'),
      precision: shows(2),
      size: shows(2),
      bounds: shows({ top_left: '10,-20', bottom_right: '0,0' }),
      missing: shows('80,80', { field: 'g2' }),
      shard_size: none(2, ONE_SHARD),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'geotile_grid',
    { field: 'g' },
    {
      field: shows('g2'),
      precision: shows(2),
      size: shows(2),
      bounds: shows({ top_left: '10,-20', bottom_right: '0,0' }),
      missing: shows('80,80', { field: 'g2' }),
      shard_size: none(2, ONE_SHARD),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'variable_width_histogram',
    { field: 'n', buckets: 3 },
    {
      field: shows('f'),
      buckets: shows(4),
      shard_size: shows(3, { field: 'gaps', buckets: 2 }),
      initial_buffer: none(20, 'all values are kept until they are joined'),
      missing: shows(100, { field: 'need', buckets: 3 }),
      format: shows('000'),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'matrix_stats',
    { fields: ['n', 'many'] },
    {
      fields: shows(['n', 'f']),
      mode: shows('max'),
      missing: shows({ many: 3 }),
      format: none('0.0', 'no number is printed as a text'),
    },
  ),
  agg(
    't_test',
    { a: { field: 'n' }, b: { field: 'f' } },
    {
      a: shows({ field: 'n', filter: { term: { b: true } } }),
      b: shows({ field: 'need', missing: 5 }),
      type: shows('paired'),
      tails: shows(1),
      format: shows('0.0'),
      value_type: VALUE_TYPE,
    },
  ),
  {
    where: 'population `a` of t_test',
    body: (given) => ({ size: 0, aggs: { x: { t_test: { a: given, b: { field: 'f' } } } } }),
    base: { field: 'need' },
    options: { field: shows('n'), missing: shows(9), filter: shows({ range: { n: { gt: 1 } } }) },
  },
  {
    where: 'aggregation `rate`',
    body: (given) => ({
      size: 0,
      aggs: { h: { date_histogram: { field: 'd', calendar_interval: 'month' }, aggs: { x: { rate: given } } } },
    }),
    base: { field: 'n' },
    options: {
      field: shows('f'),
      missing: shows(100, { field: 'need' }),
      unit: shows('day'),
      format: shows('000.0'),
      value_type: VALUE_TYPE,
    },
  },
  {
    ...agg('sampler', { shard_size: 3 }, { shard_size: shows(2) }),
    body: (given) => ({ size: 0, aggs: { x: { sampler: given, aggs: { n: { terms: { field: 'n' } } } } } }),
  },
  ...[{ field: 'b' }].map((base) => ({
    ...agg('diversified_sampler', base, {
      field: shows('n'),
      max_docs_per_value: shows(3),
      shard_size: shows(1),
      missing: shows('s1', { field: 'ip2' }),
      execution_hint: none('map', 'the answer is the same; here one way is taken for all'),
      value_type: VALUE_TYPE,
    }),
    body: (given: Json) => ({
      size: 0,
      aggs: { x: { diversified_sampler: given, aggs: { n: { terms: { field: 'n' } } } } },
    }),
  })),
  agg(
    'filters',
    { filters: { a: { term: { b: true } } } },
    {
      filters: shows({ z: { term: { b: true } } }),
      other_bucket: shows(true),
      other_bucket_key: shows('o'),
    },
  ),
  agg(
    'adjacency_matrix',
    { filters: { a: { term: { b: true } }, c: { range: { n: { gt: 5 } } } } },
    {
      filters: shows({ z: { term: { b: true } } }),
      separator: shows('|'),
    },
  ),
  agg('nested', { path: 'items' }, { path: shows('nope') }),
  agg(
    'composite',
    { sources: [{ a: { terms: { field: 'str' } } }] },
    {
      sources: shows([{ a: { terms: { field: 'n' } } }]),
      size: shows(1),
      after: shows({ a: 'a2' }),
    },
  ),
  agg(
    'geo_bounds',
    { field: 'g' },
    {
      field: shows('g2'),
      missing: shows('80,80', { field: 'g2' }),
      wrap_longitude: shows(false, { field: 'far' }),
      value_type: VALUE_TYPE,
    },
  ),
  agg(
    'geo_centroid',
    { field: 'g' },
    { field: shows('g2'), missing: shows('80,80', { field: 'g2' }), value_type: VALUE_TYPE },
  ),
  {
    ...agg(
      'top_hits',
      { size: 2 },
      {
        from: shows(1),
        size: shows(1),
        sort: shows([{ n: 'desc' }]),
        _source: shows(false),
        stored_fields: shows(['st']),
        docvalue_fields: shows(['n']),
        fields: shows(['n']),
        version: shows(true),
        seq_no_primary_term: shows(true),
        explain: shows(true),
        track_scores: shows(true, { size: 2, sort: ['n'] }),
        highlight: shows({ fields: { t: {} } }),
      },
    ),
    body: (given) => ({ size: 0, query: { match: { t: 'fox' } }, aggs: { x: { top_hits: given } } }),
  },
];

const source = (name: string, base: Json, options: Readonly<Record<string, OptionCase>>): OptionGroup => ({
  where: `composite source \`${name}\``,
  body: (given) => ({ size: 0, aggs: { x: { composite: { sources: [{ a: { [name]: given } }] } } } }),
  base,
  options: { order: shows('desc'), value_type: VALUE_TYPE, ...options },
});

/** Sources of composite aggregations. */
export const SOURCE_GROUPS: readonly OptionGroup[] = [
  source(
    'terms',
    { field: 'str' },
    {
      field: shows('n'),
      missing_bucket: shows(true),
      format: shows('yyyy', { field: 'd' }),
    },
  ),
  source(
    'histogram',
    { field: 'n', interval: 2 },
    {
      field: shows('f'),
      interval: shows(3),
      missing_bucket: shows(true, { field: 'need', interval: 1 }),
      format: shows('000'),
    },
  ),
  source(
    'date_histogram',
    { field: 'd', fixed_interval: '1d' },
    {
      field: shows('d2'),
      fixed_interval: shows('2d'),
      calendar_interval: shows('week', { field: 'd' }),
      interval: shows('week', { field: 'd' }),
      missing_bucket: shows(true, { field: 'd2', fixed_interval: '1d' }),
      format: shows('yyyy'),
      time_zone: shows('+01:00'),
      offset: shows('1h'),
    },
  ),
  source(
    'geotile_grid',
    { field: 'g' },
    {
      field: shows('g2'),
      precision: shows(2),
      missing_bucket: shows(true, { field: 'g2' }),
      bounds: refused({ top_left: '10,-20', bottom_right: '0,0' }),
    },
  ),
];

const beside = { h: { histogram: { field: 'gaps', interval: 5 }, aggs: { s: { avg: { field: 'gaps' } } } } };
const sibling = (name: string, options: Readonly<Record<string, OptionCase>> = {}): OptionGroup => ({
  where: `pipeline aggregation \`${name}\``,
  body: (given) => ({ size: 0, aggs: { ...beside, x: { [name]: given } } }),
  base: { buckets_path: 'h>s' },
  options: { buckets_path: shows('h>_count'), gap_policy: shows('insert_zeros'), format: shows('000.0'), ...options },
});
const inside = (name: string, base: Json, options: Readonly<Record<string, OptionCase>>): OptionGroup => ({
  where: `pipeline aggregation \`${name}\``,
  body: (given) => ({ size: 0, aggs: { h: { ...beside.h, aggs: { ...beside.h.aggs, x: { [name]: given } } } } }),
  base,
  options,
});

/** Pipeline aggregations. */
export const PIPELINE_GROUPS: readonly OptionGroup[] = [
  sibling('avg_bucket'),
  sibling('sum_bucket', { gap_policy: none('insert_zeros', 'a sum and zero more is the same sum') }),
  sibling('min_bucket'),
  sibling('max_bucket', {
    gap_policy: none('insert_zeros', 'zeros are no greatest value unless all values are below zero'),
  }),
  sibling('stats_bucket'),
  sibling('extended_stats_bucket', { sigma: shows(3) }),
  sibling('percentiles_bucket', { percents: shows([1]), keyed: shows(false) }),
  inside('cumulative_sum', { buckets_path: 's' }, { buckets_path: shows('_count'), format: shows('000.0') }),
  {
    where: 'pipeline aggregation `derivative`',
    body: (given) => ({
      size: 0,
      aggs: {
        h: {
          date_histogram: { field: 'd', fixed_interval: '1d' },
          aggs: { s: { avg: { field: 'need' } }, x: { derivative: given } },
        },
      },
    }),
    base: { buckets_path: 's' },
    options: {
      buckets_path: shows('_count'),
      gap_policy: shows('insert_zeros'),
      format: shows('000.0'),
      unit: shows('1d'),
    },
  },
  inside(
    'serial_diff',
    { buckets_path: 's' },
    {
      buckets_path: shows('_count'),
      gap_policy: shows('insert_zeros'),
      format: shows('000.0'),
      lag: shows(2),
    },
  ),
  inside(
    'bucket_script',
    { buckets_path: { v: 's' }, script: 'params.v * 2' },
    {
      buckets_path: shows({ v: '_count' }),
      script: shows('params.v + 1'),
      gap_policy: shows('insert_zeros'),
      format: shows('000.0'),
    },
  ),
  {
    where: '`script` of pipeline aggregations',
    body: (given) => ({
      size: 0,
      aggs: {
        h: { ...beside.h, aggs: { ...beside.h.aggs, x: { bucket_script: { buckets_path: 's', script: given } } } },
      },
    }),
    base: { source: '7 / 2 + params._value' },
    options: {
      source: shows('params._value'),
      inline: showsIn(
        (given) => ({
          size: 0,
          aggs: {
            h: { ...beside.h, aggs: { ...beside.h.aggs, x: { bucket_script: { buckets_path: 's', script: given } } } },
          },
        }),
        'params._value',
        {},
      ),
      lang: shows('expression'),
      params: shows({ v: 3 }, { source: 'params.v == null ? 1 : 2' }),
      options: none({}, 'they are for other scripts'),
    },
  },
  inside(
    'bucket_selector',
    { buckets_path: { v: 's' }, script: 'params.v > 3' },
    {
      buckets_path: shows({ v: '_count' }),
      script: shows('params.v < 3'),
      gap_policy: shows('insert_zeros', { buckets_path: { v: 's' }, script: 'params.v < 3' }),
    },
  ),
  inside(
    'moving_fn',
    { buckets_path: 's', window: 2, script: 'MovingFunctions.max(values)' },
    {
      buckets_path: shows('_count'),
      window: shows(1, { buckets_path: 's', script: 'MovingFunctions.sum(values)', window: 2 }),
      script: shows('MovingFunctions.min(values)'),
      shift: shows(1),
      gap_policy: shows('insert_zeros'),
      format: shows('000.0'),
    },
  ),
  inside(
    'moving_avg',
    { buckets_path: 's', window: 2 },
    {
      buckets_path: shows('_count'),
      window: shows(1),
      model: shows('linear'),
      settings: shows({ alpha: 0.9 }, { buckets_path: 's', model: 'ewma' }),
      predict: refused(2),
      minimize: refused(true),
      gap_policy: shows('insert_zeros'),
      format: shows('000.0'),
    },
  ),
  ...[
    {
      name: 'cumulative_cardinality',
      base: { buckets_path: 'c' },
      options: { buckets_path: shows('d'), format: shows('000') },
    },
    {
      name: 'moving_percentiles',
      base: { buckets_path: 'p', window: 2 },
      options: { buckets_path: shows('q'), window: shows(1), shift: shows(1) },
    },
  ].map(({ name, base, options }): OptionGroup => ({
    where: `pipeline aggregation \`${name}\``,
    body: (given) => ({
      size: 0,
      aggs: {
        h: {
          histogram: { field: 'n', interval: 3 },
          aggs: {
            c: { cardinality: { field: 'n' } },
            d: { cardinality: { field: 'b' } },
            p: { percentiles: { field: 'n' } },
            q: { percentiles: { field: 'f' } },
            x: { [name]: given },
          },
        },
      },
    }),
    base,
    options,
  })),
  inside(
    'normalize',
    { buckets_path: 's', method: 'mean' },
    { buckets_path: shows('_count'), method: shows('z-score'), format: shows('000.0') },
  ),
  inside(
    'bucket_sort',
    { sort: [{ s: { order: 'desc' } }] },
    {
      sort: shows([{ s: 'asc' }]),
      from: shows(1),
      size: shows(1),
      gap_policy: shows('insert_zeros'),
    },
  ),
];
