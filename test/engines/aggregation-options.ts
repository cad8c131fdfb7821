// The documented options of every aggregation that the free build of Elasticsearch 7.10 has, with typical values.
import { type Choice, fieldOf, list, COLUMN_FIELDS } from './choice.ts';

/** Values to choose from, or what makes one. */
export type Make = readonly unknown[] | ((choice: Choice) => unknown);
type Options = Readonly<Record<string, Make>>;

/** What the body of an aggregation needs, and what it takes besides. */
export interface AggregationOptions {
  readonly needs?: Options;
  readonly takes?: Options;
}

const NUMBER_PATHS = [
  's',
  's.value',
  'v',
  '_count',
  't.max',
  't.avg',
  'q.50',
  'q[50.0]',
  'q.99.0',
  'k._bucket_count',
  'f>s',
  'f._count',
  "k['x']>_count",
];
/** Where pipelines look for numbers; seldom what has many or none, which is one mistake, answered by 500 there. */
export const PATHS = [...Array.from({ length: 4 }, () => [...NUMBER_PATHS, 'nobody', 's>x']).flat(), 'k', 't'];

const NUMBERS = fieldOf('n', 'scaled', 'n', 'scaled', 'when', 'flag', 'parts.v');
const DATES = fieldOf('when', 'when', 'fine', 'n');
const COLUMNS = fieldOf(...COLUMN_FIELDS);
const WORDS = fieldOf('tag', 'text.keyword', 'poster.login', 'label');
const ANY = fieldOf('tag', 'n', 'when', 'place', 'address', 'span', 'body', 'flag');

const FORMAT = list(
  String.raw`"#.0", "000", "yyyy", "yyyy-MM-dd", "epoch_millis", "#,##0.00", "0.00%", "dd/MM||yyyy", "no {", "MM", "'x'0"`,
);
const DATE_FORMAT = list(
  String.raw`"yyyy", "yyyy-MM-dd", "epoch_millis", "epoch_second", "strict_date_time", "yyyy-MM-dd'T'HH:mm:ssZ", "e", "dd/MM||yyyy", "no {", "basic_week_date"`,
);
const MISSING = list(String.raw`0, 7, -3, 2.5, "x", "7", "2026-01-02", "now", "10.0.0.7", "1,2", true, "N/A", ""`);
const VALUE_TYPE = list(
  String.raw`"long", "double", "string", "date", "ip", "boolean", "numeric", "integer", "keyword", "geo_point", "number", "nobody"`,
);
const ZONE = list(
  String.raw`"UTC", "Europe/Berlin", "+02:00", "-01:30", "America/New_York", "CET", 5, -3, "Z", "+2", "Mars", "EST"`,
);
const FLAG = [true, false, 'true', 'false'];
const COUNT = [1, 2, 3, 5, 100, '3'];
const QUERY = list(
  String.raw`{"term":{"tag":"x"}}, {"match_all":{}}, {"range":{"n":{"gte":3}}}, {"exists":{"field":"n"}}, {"term":{"absent":"x"}}, {"nobody":{}}, {"match":{"body":"fox"}}`,
);
const OF_FIELD: Options = { missing: MISSING, value_type: VALUE_TYPE };
const OF_METRIC: Options = { ...OF_FIELD, format: FORMAT };
const ORDER =
  list(String.raw`{"_count":"asc"}, {"_key":"desc"}, {"_term":"asc"}, {"_time":"desc"}, [{"_count":"desc"},{"_key":"desc"}], {"a":"desc"}, {"a.value":"asc"}, {"a.avg":"asc"}, {"a>a":"asc"},
  {"nobody":"asc"}, {"_key":"up"}, [{"_key":"asc"},{"_count":"asc"}], {"_count":"ASC"}, "_key", {"_key":"asc","_count":"asc"}, []`);
const BOUNDS = list(
  String.raw`{"min":0,"max":9}, {"min":2}, {"max":3}, {"min":5,"max":1}, {}, {"min":"0","max":"4"}, {"min":null,"max":4}, {"min":0,"max":4,"x":1}, [0,9], {"min":"x"}, {"min":-1,"max":100}`,
);
const DATE_BOUNDS =
  list(String.raw`{"min":"2025-12-30","max":"2026-01-05"}, {"min":"2026-01-02"}, {"max":"2026-01-02"}, {"min":"2026-01-05","max":"2026-01-01"}, {}, {"min":1767225600000},
  {"min":"2026-01-01||/M","max":"2026-01-01||+5d"}, {"min":"x"}, {"min":"2026-01-01","wrong":1}, {"min":"now/d","max":"now/d"}`);
const INCLUDE =
  list(String.raw`"x.*", "[a-y]", ["x","zed"], ["x",7], [], "(", {"partition":0,"num_partitions":2}, {"partition":3,"num_partitions":2}, {"partition":0}, {"num_partitions":2}, {"pattern":"x"}, [1,5], ["10.0.0.1"],
  ["2026-01-01"], [true], "", "x|y", ".*", "~x", "<1-3>", {"partition":"1","num_partitions":"2"}, {"partition":-1,"num_partitions":2}, [1.5], [null]`);
const RANGES =
  list(String.raw`[{"to":3},{"from":3}], [{"from":1,"to":4,"key":"mid"}], [{"key":"all"}], [{"from":5,"to":1}], [{"from":null,"to":3}], [{"from":"1","to":"3"}], [{"from":"x"}], [], [7], {"to":3}, [{"to":3,"wrong":1}],
  [{"from":1,"to":3},{"from":2,"to":5},{"to":2}], [{"from":-1.5,"to":2.5}], [{}], [{"to":3,"key":7}], [{"from":1,"to":3},{"from":1,"to":2}], [{"from":0,"to":3},{"from":0,"to":3}], [{"from":true}]`);
const DATE_RANGES =
  list(String.raw`[{"to":"2026-01-02"},{"from":"2026-01-02"}], [{"from":"2026-01-01||/M","to":"now"}], [{"key":"k","from":"2025"}], [{"from":1767225600000}], [{"from":"x"}], [], [{"from":"2026-01-03","to":"2026-01-01"}],
  [{"to":"2026-01-01T12:00:00+01:00"}], [{"from":"now-10y/d","key":"old"},{"to":"now"}], [{}], [{"from":1767225600}], [{"from":2026}], [{"to":"2026-01-02","wrong":1}], [{"from":null}], [{"from":1.5e12}], [{"from":"2026-01","to":"2026-02"}]`);
const IP_RANGES =
  list(String.raw`[{"to":"10.0.0.5"},{"from":"10.0.0.5"}], [{"mask":"10.0.0.0/24"}], [{"mask":"10.0.0.0/99"}], [{"from":"10.0.0.1","to":"10.0.0.9","key":"k"}], [{"mask":"fe80::/10","key":"link"}], [{"from":"x"}], [],
  [{"mask":"10.0.0.7/24"}], [{"mask":"10.0.0.7"}], [{"from":null,"to":"10.0.0.9"}], [{"from":7}], [{"mask":"0.0.0.0/0"}], [{"mask":"::/0"}], [{"mask":"10.0.0.0/24","from":"10.0.0.1"}], [{}], [{"to":"::1"}]`);
const ORIGIN = list(
  String.raw`"1,1", [1,1], {"lat":1,"lon":2}, "s00", "POINT (1 1)", "x", "91,2", {"lat":1}, [1,1,1], 7, {"lat":"1","lon":"2"}, "u09"`,
);
const BOX =
  list(String.raw`{"top_left":"3,0","bottom_right":"0,3"}, {"top":3,"left":0,"bottom":0,"right":2}, {"wkt":"BBOX (0, 3, 3, 0)"}, {"top_left":"0,3","bottom_right":"3,0"}, {"top":3}, {}, "x", {"top_right":[3,3],"bottom_left":[0,0]},
  {"top_left":"s00","bottom_right":"s00"}, {"top":3,"left":2,"bottom":0,"right":-1}, {"top":3,"left":0,"bottom":0,"right":2,"x":1}`);
const SIGNIFICANCE: Options = {
  size: COUNT,
  shard_size: COUNT,
  min_doc_count: [1, 1, 1, 0, 2],
  shard_min_doc_count: [0, 1, 2],
  include: INCLUDE,
  exclude: INCLUDE,
  background_filter: QUERY,
  execution_hint: ['map', 'global_ordinals', 'x'],
  jlh: [{}, { wrong: 1 }],
  percentage: [{}],
  mutual_information: list(
    '{}, {"include_negatives":true}, {"background_is_superset":false}, {"include_negatives":"x"}, {"wrong":true}',
  ),
  chi_square: list('{}, {"include_negatives":true}, {"background_is_superset":false}'),
  gnd: list('{}, {"background_is_superset":false}, {"include_negatives":true}'),
  script_heuristic: [{}],
};
const SORTS = list(
  String.raw`[{"n":"asc"}], "n", ["_score"], [{"when":{"order":"desc"}},"_doc"], [{"tag":{"missing":"_first"}}], {"scaled":"desc"}, [{"parts.v":{"nested":{"path":"parts"}}}], ["nobody"], [{"n":"up"}], [{"_geo_distance":{"place":"1,1"}}]`,
);
const HITS: Options = {
  size: [1, 2, 5, 0, 100],
  from: [0, 1, 3],
  sort: SORTS,
  _source: list('false, true, "tag", ["n","tag"], {"includes":["n"]}, {"excludes":["n*"]}, "p*", [], {"include":"n"}'),
  explain: FLAG,
  version: FLAG,
  seq_no_primary_term: FLAG,
  track_scores: FLAG,
  stored_fields: ['_none_', 'tag', ['n'], '_source', []],
  docvalue_fields: list(
    '["n","when"], [{"field":"when","format":"yyyy"}], ["nobody"], ["text"], "n", [{"field":"n","format":"#.00"}], ["p*"]',
  ),
  highlight: list('{"fields":{"body":{}}}, {}, {"fields":{"*":{}},"highlight_query":{"match":{"body":"fox"}}}'),
  script_fields: list('{}, {"a":{"script":"1"}}'),
  fields: [['n'], ['*']],
  name: ['x'],
  timeout: ['1s'],
  track_total_hits: FLAG,
};
const WEIGHT = list(
  '{"field":"n"}, {"field":"scaled","missing":2}, {"field":"scaled"}, {"field":"tag"}, {"field":"nobody"}, {"field":"nobody","missing":3}, {}, {"field":"n","wrong":1}, {"missing":2}',
);
const PERCENTILES: Options = {
  keyed: FLAG,
  tdigest: list('{"compression":200}, {}, {"compression":"50"}, {"compression":-1}, {"x":1}'),
  hdr: list(
    '{"number_of_significant_value_digits":3}, {}, {"number_of_significant_value_digits":9}, {"x":1}, {"number_of_significant_value_digits":-1}, {"number_of_significant_value_digits":"2"}',
  ),
};

export const METRICS: Readonly<Record<string, AggregationOptions>> = {
  avg: { needs: { field: NUMBERS }, takes: OF_METRIC },
  sum: { needs: { field: NUMBERS }, takes: OF_METRIC },
  min: { needs: { field: NUMBERS }, takes: OF_METRIC },
  max: { needs: { field: NUMBERS }, takes: OF_METRIC },
  stats: { needs: { field: NUMBERS }, takes: OF_METRIC },
  extended_stats: { needs: { field: NUMBERS }, takes: { ...OF_METRIC, sigma: [0, 1, 2.5, 3, '2'] } },
  value_count: { needs: { field: ANY }, takes: OF_METRIC },
  cardinality: {
    needs: { field: COLUMNS },
    takes: { ...OF_FIELD, precision_threshold: [0, 1, 100, 40000, 50000, '100'], rehash: FLAG, format: FORMAT },
  },
  median_absolute_deviation: {
    needs: { field: NUMBERS },
    takes: { ...OF_METRIC, compression: [100, 1, 1000, 0, -1, '200', 20.5] },
  },
  percentiles: {
    needs: { field: NUMBERS },
    takes: {
      ...OF_METRIC,
      ...PERCENTILES,
      percents: list('[50], [1,50,99], [99,1], [], [101], [-1], [50.5,"75"], [0,100], 50, "50", [null], [50,50]'),
    },
  },
  percentile_ranks: {
    needs: { field: NUMBERS, values: list('[3], [1,5], [5,1], [-1], [1e10], [2.5,"3"]') },
    takes: { ...OF_METRIC, ...PERCENTILES, values: list('[], 3, "3", [null], ["x"], [3,3]') },
  },
  weighted_avg: { needs: { value: WEIGHT, weight: WEIGHT }, takes: { format: FORMAT, value_type: VALUE_TYPE } },
  matrix_stats: {
    needs: {
      fields: list(
        '["n","scaled"], ["n"], "n", ["n","when"], ["n","tag"], ["nobody"], ["n","nobody"], ["n","n"], [], ["flag","n"], ["parts.v","n"], [7]',
      ),
    },
    takes: {
      mode: list('"avg","min","max","sum","median","MIN","x"'),
      missing: list('{"n":3}, {"n":3,"scaled":1}, {}, {"n":"3"}, {"n":"x"}, {"nobody":1}, 3'),
    },
  },
  geo_bounds: {
    needs: { field: fieldOf('place') },
    takes: { wrap_longitude: FLAG, missing: ORIGIN, value_type: VALUE_TYPE },
  },
  geo_centroid: { needs: { field: fieldOf('place') }, takes: { missing: ORIGIN, value_type: VALUE_TYPE } },
  top_hits: { takes: HITS },
  scripted_metric: { takes: { map_script: ['1'], init_script: ['1'] } },
};

const HISTOGRAM: Options = {
  ...OF_FIELD,
  offset: [0, 1, 0.5, 7, -1, '1'],
  order: ORDER,
  keyed: FLAG,
  min_doc_count: [0, 1, 2, '1'],
  format: FORMAT,
};
const GRID: Options = { size: COUNT, shard_size: COUNT, bounds: BOX, missing: ORIGIN, value_type: VALUE_TYPE };
const COMPOSITE =
  (name: string) =>
  ({ random }: Choice): unknown => {
    const terms =
      list(String.raw`{"field":"tag"}, {"field":"n","order":"desc"}, {"field":"tag","missing_bucket":true}, {"field":"address"}, {"field":"flag"}, {"field":"when"}, {"field":"when","format":"yyyy"}, {"field":"text"}, {"field":"nobody"},
    {"field":"nobody","missing_bucket":true}, {}, {"field":"tag","order":"up"}, {"field":"tag","missing":"x"}, {"field":"scaled"}, {"field":"n","wrong":1}, {"field":"parts.kind"}, {"field":"tag","value_type":"string"}, {"field":"n","missing_bucket":true,"order":"desc"}`);
    const histograms = list(
      String.raw`{"field":"n","interval":5}, {"field":"scaled","interval":0.5,"order":"desc"}, {"field":"n"}, {"field":"n","interval":0}, {"field":"n","interval":-1}, {"field":"n","interval":"2"}, {"field":"tag","interval":2}, {"field":"n","interval":2,"missing_bucket":true}, {"field":"when","interval":1000}`,
    );
    const dates =
      list(String.raw`{"field":"when","calendar_interval":"day"}, {"field":"when","fixed_interval":"12h"}, {"field":"when","interval":"1d"}, {"field":"when","calendar_interval":"1d","format":"yyyy-MM-dd"}, {"field":"when","fixed_interval":"1d","time_zone":"+05:00","order":"desc"},
    {"field":"when","fixed_interval":"1d","offset":"+6h"}, {"field":"when"}, {"field":"when","calendar_interval":"2d"}, {"field":"n","fixed_interval":"1d"}, {"field":"tag","fixed_interval":"1d"}, {"field":"when","calendar_interval":"month","missing_bucket":true}, {"field":"when","calendar_interval":"day","fixed_interval":"1d"}, {"field":"when","fixed_interval":"1d","format":"no {"}`);
    const tiles = list(
      String.raw`{"field":"place","precision":4}, {"field":"place"}, {"field":"place","precision":99}, {"field":"n","precision":3}, {"field":"place","precision":3,"bounds":{"top_left":"3,0","bottom_right":"0,3"}}, {"field":"place","missing_bucket":true}`,
    );
    const source = (): unknown =>
      random.pick(
        [
          () => ({ terms: random.pick(terms) }),
          () => ({ terms: random.pick(terms) }),
          () => ({ histogram: random.pick(histograms) }),
          () => ({ date_histogram: random.pick(dates) }),
          () => ({ geotile_grid: random.pick(tiles) }),
          () => random.pick(list('{}, {"range":{}}, {"terms":{"field":"n"},"histogram":{}}, 7')),
        ].slice(0, random.once(8) ? 6 : 5),
      )();
    const one = { [name]: source() };
    return random.pick<() => unknown>([
      () => [one],
      () => [one, { b: source() }],
      () => [one],
      () => [one, { b: source() }, { c: source() }],
      () => random.pick(list('[], {}, [{}]').concat([[one, one], one])),
    ])();
  };

export const BUCKETS: Readonly<Record<string, AggregationOptions>> = {
  terms: {
    needs: { field: COLUMNS },
    takes: {
      ...OF_METRIC,
      size: COUNT,
      shard_size: COUNT,
      min_doc_count: [0, 1, 2, 3, '1'],
      shard_min_doc_count: [0, 1, 2],
      order: ORDER,
      include: INCLUDE,
      exclude: INCLUDE,
      collect_mode: ['breadth_first', 'depth_first', 'x'],
      execution_hint: ['map', 'global_ordinals', 'x'],
      show_term_doc_count_error: FLAG,
    },
  },
  rare_terms: {
    needs: { field: COLUMNS },
    takes: {
      ...OF_METRIC,
      max_doc_count: [1, 2, 5, 100, 101, '2'],
      precision: [0.001, 0.01, 0.00001, 1, '0.01', 1e-6],
      include: INCLUDE,
      exclude: INCLUDE,
    },
  },
  significant_terms: {
    needs: { field: COLUMNS },
    takes: { ...SIGNIFICANCE, format: FORMAT, missing: MISSING, value_type: VALUE_TYPE },
  },
  significant_text: {
    needs: { field: fieldOf('body', 'text') },
    takes: {
      ...SIGNIFICANCE,
      filter_duplicate_text: FLAG,
      source_fields: list('["body"], ["text","body"], "body", []'),
    },
  },
  filter: {
    needs: {},
    takes: {
      term: [{ tag: 'x' }],
      match_all: [{}],
      bool: list('{}, {"must_not":{"term":{"tag":"x"}}}'),
      exists: [{ field: 'n' }],
    },
  },
  filters: {
    needs: {
      filters: list(
        String.raw`{"a":{"term":{"tag":"x"}},"b":{"match_all":{}}}, [{"term":{"tag":"x"}},{"match":{"body":"fox"}}], {}, [], {"a":{}}, {"a":{"nobody":{}}}, {"a":7}, 7, [{"match_all":{}}]`,
      ),
    },
    takes: { other_bucket: FLAG, other_bucket_key: ['rest', '', 7] },
  },
  adjacency_matrix: {
    needs: {
      filters: list(
        String.raw`{"a":{"term":{"tag":"x"}},"b":{"match_all":{}}}, {"b":{"term":{"tag":"x"}},"a":{"term":{"tag":"zed"}},"c":{"match":{"body":"fox"}}}, {}, {"a&b":{"match_all":{}},"a":{"match_all":{}}}, [{"match_all":{}}], {"a":{"nobody":{}}}`,
      ),
    },
    takes: { separator: ['|', '', '&&', 7] },
  },
  global: {},
  missing: { needs: { field: ANY }, takes: OF_FIELD },
  nested: { needs: { path: ['parts', 'parts', 'parts', 'parts', 'nobody'] } },
  reverse_nested: { takes: { path: ['parts', 'nobody', 'poster'] } },
  sampler: { takes: { shard_size: [1, 2, 5, 100, '3', 1e6] } },
  diversified_sampler: {
    needs: { field: WORDS },
    takes: {
      shard_size: COUNT,
      max_docs_per_value: COUNT,
      execution_hint: ['map', 'global_ordinals', 'bytes_hash', 'x'],
      missing: MISSING,
      value_type: VALUE_TYPE,
    },
  },
  histogram: {
    needs: { field: fieldOf('n', 'scaled', 'n', 'span', 'when'), interval: [1, 2, 10, 0.5, '5', 2.5, 1000] },
    takes: { ...HISTOGRAM, extended_bounds: BOUNDS, hard_bounds: BOUNDS },
  },
  date_histogram: {
    needs: {
      field: DATES,
      calendar_interval: list(
        '"day", "1d", "month", "1M", "quarter", "1q", "year", "week", "hour", "1m", "2d", "d", "second"',
      ),
    },
    takes: {
      ...HISTOGRAM,
      format: DATE_FORMAT,
      offset: list('"+6h", "-1d", "1h", 3600000, "x", "+1M", "0", "6h"'),
      time_zone: ZONE,
      extended_bounds: DATE_BOUNDS,
      hard_bounds: DATE_BOUNDS,
      fixed_interval: ['1d'],
      interval: ['1d'],
    },
  },
  auto_date_histogram: {
    needs: { field: DATES, buckets: COUNT },
    takes: {
      ...OF_FIELD,
      format: DATE_FORMAT,
      time_zone: ZONE,
      minimum_interval: list('"minute","day","month","year","week","second","hour","x"'),
    },
  },
  variable_width_histogram: {
    needs: { field: NUMBERS, buckets: [1, 2, 3, 10] },
    takes: { ...OF_METRIC, shard_size: [1, 10, 100, 1000], initial_buffer: [1, 10, 1000] },
  },
  range: { needs: { field: NUMBERS, ranges: RANGES }, takes: { ...OF_METRIC, keyed: FLAG } },
  date_range: {
    needs: { field: DATES, ranges: DATE_RANGES },
    takes: { ...OF_FIELD, format: DATE_FORMAT, time_zone: ZONE, keyed: FLAG },
  },
  ip_range: {
    needs: { field: fieldOf('address'), ranges: IP_RANGES },
    takes: { ...OF_FIELD, keyed: FLAG, format: FORMAT },
  },
  geo_distance: {
    needs: {
      field: fieldOf('place'),
      origin: ORIGIN,
      ranges: list(
        '[{"to":200},{"from":200}], [{"from":100,"to":300,"key":"k"}], [{"to":200000}], [], [{"from":"100"}], [{"from":"x"}], [{}], [{"from":5,"to":1}]',
      ),
    },
    takes: {
      unit: list('"km","mi","m","cm","in","yd","ft","nmi","NM","x"'),
      distance_type: ['arc', 'plane', 'sloppy_arc'],
      keyed: FLAG,
      missing: ORIGIN,
      value_type: VALUE_TYPE,
    },
  },
  geohash_grid: {
    needs: { field: fieldOf('place') },
    takes: { ...GRID, precision: list('1, 3, 5, 12, 13, 0, "3", "100km", "1m", "x", 2.7') },
  },
  geotile_grid: {
    needs: { field: fieldOf('place') },
    takes: { ...GRID, precision: list('0, 3, 6, 29, 30, "7", "100km", "x"') },
  },
  composite: {
    needs: { sources: COMPOSITE('a') },
    takes: {
      size: COUNT,
      after: list(
        '{"a":"x"}, {"a":3}, {"a":"x","b":1}, {"a":null}, {"b":1}, {}, {"a":"2026-01-01"}, {"a":1767225600000}, {"a":"4/8/7"}, {"a":1,"b":"x","c":2}, 7, {"a":{}}',
      ),
    },
  },
};

const PATH: Options = { buckets_path: PATHS };
const GAPS: Options = { gap_policy: ['skip', 'insert_zeros', 'SKIP', 'jump'], format: FORMAT };
const SCRIPTS = list(
  String.raw`"params.a + 1", "params.a > 1", {"source":"params.a / params.b"}, {"source":"params.a * params.x","params":{"x":2}}, "params.nobody", "", {"lang":"expression","source":"a + 1"}, "params.a >", "Math.max(params.a, 3)"`,
);
const BUCKETS_PATHS = list(
  String.raw`{"a":"s"}, {"a":"s","b":"_count"}, "s", {"a":"nobody"}, {"a":"t.max","b":"v"}, ["s","v"], {"a":"k._bucket_count"}, {}, {"a":7}, {"a":"q.50","b":"s"}`,
);

export const PARENTS: Readonly<Record<string, AggregationOptions>> = {
  derivative: { needs: PATH, takes: { ...GAPS, unit: ['day', '1h', '2d', 'x', 'month'] } },
  cumulative_sum: { needs: PATH, takes: { format: FORMAT, gap_policy: ['skip'] } },
  serial_diff: { needs: PATH, takes: { ...GAPS, lag: [1, 2, 7, 0, -1, '2'] } },
  moving_avg: {
    needs: PATH,
    takes: {
      ...GAPS,
      window: [1, 2, 5, 0, '3'],
      model: list('"simple","linear","ewma","holt","holt_winters","x"'),
      predict: [0, -1],
      minimize: [false],
      settings: list(
        '{"alpha":0.5}, {"alpha":0.3,"beta":0.2}, {"type":"mult","period":1,"pad":true}, {"alpha":2}, {"x":1}, {"alpha":"0.5"}, {}, {"period":2,"type":"add","alpha":0.5,"beta":0.5,"gamma":0.5}',
      ),
    },
  },
  moving_fn: {
    needs: {
      ...PATH,
      window: [1, 2, 5, 10],
      script: list(
        String.raw`"MovingFunctions.sum(values)", "MovingFunctions.max(values)", "MovingFunctions.stdDev(values, MovingFunctions.unweightedAvg(values))", "MovingFunctions.ewma(values, 0.3)", "MovingFunctions.holt(values, 0.3, 0.1)", "MovingFunctions.linearWeightedAvg(values)", "values.length", {"source":"MovingFunctions.min(values)"}, "x", ""`,
      ),
    },
    takes: { ...GAPS, shift: [0, 1, -1, 5, 'x'] },
  },
  bucket_script: { needs: { buckets_path: BUCKETS_PATHS, script: SCRIPTS }, takes: GAPS },
  bucket_selector: {
    needs: { buckets_path: BUCKETS_PATHS, script: SCRIPTS },
    takes: { gap_policy: ['skip', 'insert_zeros', 'x'] },
  },
  bucket_sort: {
    takes: {
      sort: list(
        '["s"], [{"s":{"order":"desc"}}], [{"_key":"desc"}], ["_count"], "s", [{"nobody":"asc"}], [{"s":"up"}], [], [{"s":"desc"},{"_key":"asc"}], {"s":"asc"}, [{"k":"asc"}]',
      ),
      from: [0, 1, 100, -1],
      size: [1, 2, 0, -1, '2'],
      gap_policy: ['skip', 'insert_zeros', 'x'],
    },
  },
};

export const SIBLINGS: Readonly<Record<string, AggregationOptions>> = {
  avg_bucket: { takes: GAPS },
  sum_bucket: { takes: GAPS },
  min_bucket: { takes: GAPS },
  max_bucket: { takes: GAPS },
  stats_bucket: { takes: GAPS },
  extended_stats_bucket: { takes: { ...GAPS, sigma: [0, 1, 2.5, -1, '2'] } },
  percentiles_bucket: {
    takes: { ...GAPS, percents: list('[50], [1,99.9], [], [101], ["50"], 50, [null], [50,50]'), keyed: FLAG },
  },
};
