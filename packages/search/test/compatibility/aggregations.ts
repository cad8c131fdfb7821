// Every aggregation: how far it is supported, and what each of its options does. The tests beside hold the code to this table, and
// docs/compatibility.md prints it.
import type { AggregationType } from '../../src/aggs/definitions.ts';
import type { Json } from '../../src/json/json.ts';
import { none, ONE_SHARD, type OptionCase, type OptionGroup, refused, shows, showsIn } from './option-case.ts';
import type { Row, Support } from './table.ts';

/** One aggregation. */
interface AggregationCase {
  /** `yes` by default. */
  readonly support?: Support;
  /** What is missing or different. */
  readonly note?: string;
  /** Its body in a request that is answered, and that options are added to. */
  readonly base: Json;
  /** Another such body, of the index of samples. */
  readonly sample?: Json;
  /** Every option, where it has any. */
  readonly options?: Readonly<Record<string, OptionCase>>;
  /** Puts its body into one of a search; by default at the top. */
  readonly body?: (given: Json) => Json;
}

/** A row of the page. */
interface AggregationRow extends Omit<Row, 'sample'> {
  /** Whole bodies by index. */
  readonly searches: Readonly<Record<string, Json>>;
}

const MAPPED =
  'the mapping says which type a field has, and another is refused; the type of a field that is not mapped shows in the values that `missing` gives';
const VALUE_TYPE = none('numeric', MAPPED);
const VALUE_TYPE_OF_TEXT = none('string', MAPPED);
const metricOptions = (field = 'need'): Readonly<Record<string, OptionCase>> => ({
  field: shows('f'),
  missing: shows(100, { field }),
  format: shows('000.0'),
  value_type: VALUE_TYPE,
});

const significantOptions = (pattern: string): Readonly<Record<string, OptionCase>> => ({
  size: shows(1),
  min_doc_count: shows(4),
  include: shows(pattern),
  exclude: shows(pattern),
  background_filter: shows({ term: { b: true } }),
  jlh: none({}, 'it is the default'),
  gnd: shows({}),
  chi_square: shows({}),
  percentage: shows({}),
  mutual_information: shows({ include_negatives: true }),
  script_heuristic: refused({ script: '1' }),
  shard_size: none(9, ONE_SHARD),
  shard_min_doc_count: none(1, ONE_SHARD),
});

const AGGREGATIONS: Readonly<Record<AggregationType<'metric' | 'bucket'>, AggregationCase>> = {
  terms: {
    base: { field: 'str' },
    options: {
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
  },
  rare_terms: {
    base: { field: 'str', max_doc_count: 2 },
    options: {
      field: shows('n'),
      missing: shows('zz'),
      format: shows('000', { field: 'n' }),
      max_doc_count: shows(9),
      include: shows('a.*'),
      exclude: shows('a.*'),
      precision: none(0.1, 'counted exactly, whatever the precision'),
      value_type: VALUE_TYPE_OF_TEXT,
    },
  },
  significant_terms: {
    support: 'partly',
    note: 'no script_heuristic; counted exactly',
    base: { field: 'str', min_doc_count: 1 },
    body: (given) => ({ size: 0, query: { range: { n: { lte: 6 } } }, aggs: { x: { significant_terms: given } } }),
    options: {
      field: shows('need', { field: 'str', min_doc_count: 1 }),
      ...significantOptions('a.*'),
      missing: showsIn((given) => ({ size: 0, aggs: { x: { significant_terms: given } } }), '3', {
        field: 'need',
        min_doc_count: 1,
        percentage: {},
      }),
      format: shows('000', { field: 'n', min_doc_count: 1 }),
      execution_hint: none('map', 'the answer is the same; here one way is taken for all'),
      value_type: VALUE_TYPE_OF_TEXT,
    },
  },
  significant_text: {
    support: 'partly',
    note: 'no script_heuristic; counted exactly; of fields of type text',
    sample: { field: 'text', min_doc_count: 1, filter_duplicate_text: true },
    base: { field: 't', min_doc_count: 1 },
    body: (given) => ({ size: 0, query: { range: { n: { lte: 6 } } }, aggs: { x: { significant_text: given } } }),
    options: {
      field: shows('u', { field: 't', min_doc_count: 1 }),
      ...significantOptions('f.*'),
      shard_size: shows(1),
      source_fields: shows(['u']),
      filter_duplicate_text: shows(true, { field: 'long', min_doc_count: 1, percentage: {} }),
    },
  },
  histogram: {
    base: { field: 'n', interval: 5 },
    options: {
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
  },
  date_histogram: {
    base: { field: 'd', fixed_interval: '5d' },
    options: {
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
      value_type: none('date', MAPPED),
    },
  },
  range: {
    base: { field: 'n', ranges: [{ from: 3, to: 9 }, { from: 9 }] },
    options: {
      field: shows('need'),
      ranges: shows([{ to: 4 }]),
      missing: shows(100, { field: 'need', ranges: [{ from: 50 }] }),
      format: shows('000'),
      keyed: shows(true),
      value_type: VALUE_TYPE,
    },
  },
  date_range: {
    base: { field: 'd', ranges: [{ from: '2020-01-03', to: '2020-01-09' }] },
    options: {
      field: shows('d2'),
      ranges: shows([{ to: '2020-01-04' }]),
      missing: shows('2020-01-04', { field: 'd2', ranges: [{ to: '2020-01-05' }] }),
      format: shows('yyyy-MM-dd'),
      time_zone: shows('+05:00'),
      keyed: shows(true),
      value_type: none('date', MAPPED),
    },
  },
  ip_range: {
    sample: { field: 'ip', ranges: [{ mask: '10.0.0.0/8' }] },
    base: { field: 'ip', ranges: [{ to: '10.0.0.5' }] },
    options: {
      field: shows('ip2'),
      ranges: shows([{ mask: '10.0.0.0/30' }]),
      missing: shows('10.0.0.1', { field: 'ip2', ranges: [{ to: '10.0.0.5' }] }),
      keyed: shows(true),
      value_type: none('ip', MAPPED),
    },
  },
  geo_distance: {
    base: { field: 'g', origin: '0,0', ranges: [{ to: 1000 }], unit: 'km' },
    options: {
      field: shows('g2'),
      origin: shows('9,9'),
      ranges: shows([{ from: 100 }]),
      unit: shows('m'),
      distance_type: shows('plane', { field: 'g', origin: '0,170', ranges: [{ to: 20_050_000 }] }),
      keyed: shows(true),
      missing: shows('0,0', { field: 'g2', origin: '0,0', ranges: [{ to: 1 }] }),
      value_type: refused('string', { field: 'absent', origin: [0, 0], ranges: [{ to: 1 }] }),
    },
  },
  geohash_grid: {
    sample: { field: 'place', precision: '10km' },
    base: { field: 'g' },
    options: {
      field: shows('g2'),
      precision: shows(2),
      size: shows(2),
      bounds: shows({ top_left: '10,-20', bottom_right: '0,0' }),
      missing: shows('80,80', { field: 'g2' }),
      shard_size: none(2, ONE_SHARD),
      value_type: refused('string', { field: 'absent' }),
    },
  },
  geotile_grid: {
    sample: { field: 'place', bounds: { top_left: '2,1', bottom_right: '0,3' } },
    base: { field: 'g' },
    options: {
      field: shows('g2'),
      precision: shows(2),
      size: shows(2),
      bounds: shows({ top_left: '10,-20', bottom_right: '0,0' }),
      missing: shows('80,80', { field: 'g2' }),
      shard_size: none(2, ONE_SHARD),
      value_type: refused('string', { field: 'absent' }),
    },
  },
  auto_date_histogram: {
    base: { field: 'd', buckets: 4 },
    options: {
      field: shows('d2'),
      buckets: shows(20),
      minimum_interval: shows('month', { field: 'd', buckets: 40 }),
      missing: shows('2021-01-01', { field: 'd2' }),
      format: shows('yyyy'),
      time_zone: shows('+05:00'),
      value_type: none('date', MAPPED),
    },
  },
  sampler: {
    base: { shard_size: 3 },
    options: { shard_size: shows(2) },
    body: (given) => ({ size: 0, aggs: { x: { sampler: given, aggs: { n: { terms: { field: 'n' } } } } } }),
  },
  diversified_sampler: {
    base: { field: 'b' },
    options: {
      field: shows('n'),
      max_docs_per_value: shows(3),
      shard_size: shows(1),
      missing: shows('s1', { field: 'ip2' }),
      execution_hint: none('map', 'the answer is the same; here one way is taken for all'),
      value_type: VALUE_TYPE_OF_TEXT,
    },
    body: (given) => ({ size: 0, aggs: { x: { diversified_sampler: given, aggs: { n: { terms: { field: 'n' } } } } } }),
  },
  variable_width_histogram: {
    support: 'partly',
    note: 'all values are clustered at once, not as they come',
    base: { field: 'n', buckets: 3 },
    options: {
      field: shows('f'),
      buckets: shows(4),
      shard_size: shows(3, { field: 'gaps', buckets: 2 }),
      initial_buffer: none(20, 'all values are kept until they are joined'),
      missing: shows(100, { field: 'need', buckets: 3 }),
      format: shows('000'),
      value_type: VALUE_TYPE,
    },
  },
  matrix_stats: {
    base: { fields: ['n', 'many'] },
    options: {
      fields: shows(['n', 'f']),
      mode: shows('max'),
      missing: shows({ many: 3 }),
      format: none('0.0', 'no number is printed as a text'),
    },
  },
  t_test: {
    sample: { a: { field: 'n' }, b: { field: 'n' }, type: 'paired' },
    base: { a: { field: 'n' }, b: { field: 'f' } },
    options: {
      a: shows({ field: 'n', filter: { term: { b: true } } }),
      b: shows({ field: 'need', missing: 5 }),
      type: shows('paired'),
      tails: shows(1),
      format: shows('0.0'),
      value_type: VALUE_TYPE,
    },
  },
  filter: { base: { term: { b: true } } },
  filters: {
    base: { filters: { a: { term: { b: true } } } },
    options: {
      filters: shows({ z: { term: { b: true } } }),
      other_bucket: shows(true),
      other_bucket_key: shows('o'),
    },
  },
  adjacency_matrix: {
    base: { filters: { a: { term: { b: true } }, c: { range: { n: { gt: 5 } } } } },
    options: {
      filters: shows({ z: { term: { b: true } } }),
      separator: shows('|'),
    },
  },
  missing: {
    base: { field: 'str' },
    options: {
      field: shows('n'),
      missing: shows('a'),
      format: none('000', 'the bucket has no key to print', { field: 'n' }),
      value_type: VALUE_TYPE_OF_TEXT,
    },
  },
  global: { base: {} },
  nested: { base: { path: 'items' }, options: { path: shows('nope') } },
  reverse_nested: {
    base: {},
    body: (given) => ({
      size: 0,
      aggs: { items: { nested: { path: 'items' }, aggs: { x: { reverse_nested: given } } } },
    }),
  },
  composite: {
    sample: { sources: [{ t: { geotile_grid: { field: 'place', precision: 3 } } }] },
    base: { sources: [{ a: { terms: { field: 'str' } } }] },
    options: {
      sources: shows([{ a: { terms: { field: 'n' } } }]),
      size: shows(1),
      after: shows({ a: 'a2' }),
    },
  },
  avg: { base: { field: 'n' }, options: metricOptions() },
  sum: { base: { field: 'n' }, options: metricOptions() },
  min: { base: { field: 'n' }, options: { ...metricOptions(), missing: shows(-5, { field: 'need' }) } },
  max: { base: { field: 'n' }, options: metricOptions() },
  stats: { base: { field: 'n' }, options: metricOptions() },
  extended_stats: { base: { field: 'n' }, options: { ...metricOptions(), sigma: shows(3) } },
  value_count: {
    base: { field: 'n' },
    options: {
      ...metricOptions(),
      field: shows('need'),
      format: none('000', 'a count is no value of the field, which the format is for'),
    },
  },
  cardinality: {
    note: 'exact',
    base: { field: 'n' },
    options: {
      field: shows('b'),
      missing: shows(100, { field: 'need' }),
      precision_threshold: none(1, 'counted exactly, whatever the threshold'),
      rehash: none(1, 'Elasticsearch ignores it since 2.0'),
      value_type: VALUE_TYPE,
    },
  },
  percentiles: {
    support: 'partly',
    note: 'exact where tdigest estimates',
    base: { field: 'n' },
    options: {
      ...metricOptions(),
      percents: shows([3]),
      keyed: shows(false),
      hdr: shows({ number_of_significant_value_digits: 1 }),
      tdigest: none({ compression: 10 }, 'computed exactly, whatever the compression'),
    },
  },
  percentile_ranks: {
    support: 'partly',
    note: 'exact where tdigest estimates',
    sample: { field: 'n', values: [1], hdr: {} },
    base: { field: 'n', values: [3] },
    options: {
      ...metricOptions(),
      missing: shows(9, { field: 'need', values: [3] }),
      values: shows([5]),
      keyed: shows(false),
      hdr: shows({ number_of_significant_value_digits: 1 }, { field: 'big', values: [1500] }),
      tdigest: none({ compression: 10 }, 'computed exactly, whatever the compression'),
    },
  },
  median_absolute_deviation: {
    support: 'partly',
    note: 'exact instead of estimated',
    base: { field: 'n' },
    options: {
      ...metricOptions(),
      compression: none(10, 'computed exactly, whatever the compression'),
    },
  },
  boxplot: {
    support: 'partly',
    note: 'exact where tdigest estimates',
    base: { field: 'n' },
    options: { ...metricOptions(), compression: none(10, 'computed exactly, whatever the compression') },
  },
  string_stats: {
    sample: { field: 'tag', show_distribution: true },
    base: { field: 'str' },
    options: {
      field: shows('st'),
      missing: shows('zzz'),
      format: shows('000.0'),
      show_distribution: shows(true),
      value_type: VALUE_TYPE_OF_TEXT,
    },
  },
  top_metrics: {
    support: 'partly',
    note: 'ordered by numbers, dates, distances and scores; buckets by numbers of it',
    sample: { metrics: [{ field: 'n' }, { field: 'tag' }], sort: { at: 'desc' }, size: 2 },
    base: { metrics: { field: 'f' }, sort: { n: 'desc' } },
    options: { metrics: shows([{ field: 'b' }]), sort: shows({ n: 'asc' }), size: shows(2) },
  },
  weighted_avg: {
    base: { value: { field: 'n' }, weight: { field: 'f' } },
    options: {
      value: shows({ field: 'f' }),
      weight: shows({ field: 'n' }),
      format: shows('000.0'),
      value_type: VALUE_TYPE,
    },
  },
  geo_bounds: {
    base: { field: 'g' },
    options: {
      field: shows('g2'),
      missing: shows('80,80', { field: 'g2' }),
      wrap_longitude: shows(false, { field: 'far' }),
      value_type: refused('string', { field: 'absent' }),
    },
  },
  geo_centroid: {
    base: { field: 'g' },
    options: {
      field: shows('g2'),
      missing: shows('80,80', { field: 'g2' }),
      value_type: refused('string', { field: 'absent' }),
    },
  },
  top_hits: {
    support: 'partly',
    note: 'no script_fields',
    sample: { size: 1, sort: [{ _geo_distance: { place: [1, 2] } }], highlight: { fields: {} } },
    base: { size: 2 },
    options: {
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
    body: (given) => ({ size: 0, query: { match: { t: 'fox' } }, aggs: { x: { top_hits: given } } }),
  },
  rate: {
    base: { field: 'n' },
    body: (given) => ({
      size: 0,
      aggs: { h: { date_histogram: { field: 'd', calendar_interval: 'month' }, aggs: { x: { rate: given } } } },
    }),
    options: {
      field: shows('f'),
      missing: shows(100, { field: 'need' }),
      unit: shows('day'),
      format: shows('000.0'),
      value_type: VALUE_TYPE,
    },
  },
};

const beside = { h: { histogram: { field: 'gaps', interval: 5 }, aggs: { s: { avg: { field: 'gaps' } } } } };
const sibling = (name: string, options: Readonly<Record<string, OptionCase>> = {}): AggregationCase => ({
  body: (given) => ({ size: 0, aggs: { ...beside, x: { [name]: given } } }),
  base: { buckets_path: 'h>s' },
  options: { buckets_path: shows('h>_count'), gap_policy: shows('insert_zeros'), format: shows('000.0'), ...options },
});
const inside = (name: string, base: Json, options: Readonly<Record<string, OptionCase>>): AggregationCase => ({
  body: (given) => ({ size: 0, aggs: { h: { ...beside.h, aggs: { ...beside.h.aggs, x: { [name]: given } } } } }),
  base,
  options,
});
const joining = (name: string, base: Json, options: Readonly<Record<string, OptionCase>>): AggregationCase => ({
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
});

const SCRIPTS =
  'scripts are expressions of numbers: params, arithmetic, comparisons, ? :, if, return, Math, MovingFunctions';

const PIPELINES: Readonly<Record<AggregationType<'sibling' | 'parent'>, AggregationCase>> = {
  avg_bucket: sibling('avg_bucket'),
  sum_bucket: sibling('sum_bucket', { gap_policy: none('insert_zeros', 'a sum and zero more is the same sum') }),
  min_bucket: sibling('min_bucket'),
  max_bucket: sibling('max_bucket', {
    gap_policy: none('insert_zeros', 'zeros are no greatest value unless all values are below zero'),
  }),
  stats_bucket: sibling('stats_bucket'),
  extended_stats_bucket: sibling('extended_stats_bucket', { sigma: shows(3) }),
  percentiles_bucket: sibling('percentiles_bucket', { percents: shows([1]), keyed: shows(false) }),
  cumulative_sum: inside(
    'cumulative_sum',
    { buckets_path: 's' },
    { buckets_path: shows('_count'), format: shows('000.0') },
  ),
  derivative: {
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
  serial_diff: inside(
    'serial_diff',
    { buckets_path: 's' },
    {
      buckets_path: shows('_count'),
      gap_policy: shows('insert_zeros'),
      format: shows('000.0'),
      lag: shows(2),
    },
  ),
  bucket_script: {
    ...inside(
      'bucket_script',
      { buckets_path: { v: 's' }, script: 'params.v * 2' },
      {
        buckets_path: shows({ v: '_count' }),
        script: shows('params.v + 1'),
        gap_policy: shows('insert_zeros'),
        format: shows('000.0'),
      },
    ),
    support: 'partly',
    note: SCRIPTS,
  },
  bucket_selector: {
    ...inside(
      'bucket_selector',
      { buckets_path: { v: 's' }, script: 'params.v > 3' },
      {
        buckets_path: shows({ v: '_count' }),
        script: shows('params.v < 3'),
        gap_policy: shows('insert_zeros', { buckets_path: { v: 's' }, script: 'params.v < 3' }),
      },
    ),
    support: 'partly',
    note: SCRIPTS,
  },
  moving_fn: {
    ...inside(
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
    support: 'partly',
    note: SCRIPTS,
  },
  moving_avg: {
    ...inside(
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
    support: 'partly',
    note: 'no predict, no minimize',
  },
  normalize: inside(
    'normalize',
    { buckets_path: 's', method: 'mean' },
    { buckets_path: shows('_count'), method: shows('z-score'), format: shows('000.0') },
  ),
  bucket_sort: inside(
    'bucket_sort',
    { sort: [{ s: { order: 'desc' } }] },
    {
      sort: shows([{ s: 'asc' }]),
      from: shows(1),
      size: shows(1),
      gap_policy: shows('insert_zeros'),
    },
  ),
  cumulative_cardinality: joining(
    'cumulative_cardinality',
    { buckets_path: 'c' },
    { buckets_path: shows('d'), format: shows('000') },
  ),
  moving_percentiles: joining(
    'moving_percentiles',
    { buckets_path: 'p', window: 2 },
    { buckets_path: shows('q'), window: shows(1), shift: shows(1) },
  ),
};

const CASES: Readonly<Record<AggregationType, AggregationCase>> = { ...AGGREGATIONS, ...PIPELINES };

/** Puts the body of an aggregation into one of a search. */
const bodyOf =
  (name: string, { body }: AggregationCase) =>
  (given: Json): Json =>
    body?.(given) ?? { size: 0, aggs: { x: { [name]: given } } };

/** How far aggregations are supported, each with searches of the index of options and that of samples. */
export const AGGREGATION_ROWS: readonly AggregationRow[] = Object.entries(CASES).map(([name, one]) => ({
  name,
  support: one.support ?? 'yes',
  ...(one.note === undefined ? {} : { note: one.note }),
  searches: {
    o: bodyOf(name, one)(one.base),
    ...(one.sample === undefined ? {} : { sample: bodyOf(name, one)(one.sample) }),
  },
}));

const source = (name: string, base: Json, options: Readonly<Record<string, OptionCase>>): OptionGroup => ({
  where: `composite source \`${name}\``,
  body: (given) => ({ size: 0, aggs: { x: { composite: { sources: [{ a: { [name]: given } }] } } } }),
  base,
  options: { order: shows('desc'), value_type: VALUE_TYPE, ...options },
});

/** Sources of composite aggregations. */
const SOURCE_GROUPS: readonly OptionGroup[] = [
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
      bounds: shows({ top_left: '10,-20', bottom_right: '0,0' }),
    },
  ),
];

/** The options of aggregations and of what stands in them. */
export const AGGREGATION_GROUPS: readonly OptionGroup[] = [
  ...Object.entries(CASES).flatMap(([name, one]): readonly OptionGroup[] => {
    if (one.options === undefined) return [];
    const where = `${name in PIPELINES ? 'pipeline aggregation' : 'aggregation'} \`${name}\``;
    return [{ where, body: bodyOf(name, one), base: one.base, options: one.options }];
  }),
  {
    where: '`metrics` of top_metrics',
    body: (given) => ({ size: 0, aggs: { x: { top_metrics: { metrics: given, sort: { n: 'desc' } } } } }),
    base: { field: 'need' },
    options: { field: shows('f'), missing: shows(7) },
  },
  {
    where: 'population `a` of t_test',
    body: (given) => ({ size: 0, aggs: { x: { t_test: { a: given, b: { field: 'f' } } } } }),
    base: { field: 'need' },
    options: { field: shows('n'), missing: shows(9), filter: shows({ range: { n: { gt: 1 } } }) },
  },
  ...SOURCE_GROUPS,
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
];
