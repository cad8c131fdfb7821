// The aggregations that compute numbers of one field: avg, sum, min, max, stats, percentiles, counts, bounds of points.
import { javaDouble } from '../json/java-values.ts';
import { asInteger, asNumber, asObject, asString, checkKeys, isObject, textOf, toList, tokenOf } from '../json/json.ts';
import { built, checkObject, within } from '../json/object-parser.ts';
import { onShard } from './value-type.ts';
import { parseDecimal } from '../text/number-format.ts';
import { contentError, illegalArgument, parsingError, RequestError, shardArgument } from '../errors/request-error.ts';
import {
  type AggregationRequest,
  flag,
  decimalPrinter,
  metric,
  type MetricAggregation,
  noScript,
  NUMERIC,
  ofField,
  type Reader,
  VALUES,
} from './definition.ts';
import { countAggregator, geoAggregator, statsAggregator, weightedAverageAggregator } from './metrics.ts';
import { boxplotAggregator, medianDeviationAggregator, percentilesAggregator } from './percentiles.ts';
import { cardinalityDetails } from './profile-details.ts';
import { stringStatsAggregator } from './string-stats.ts';
import { HDR_ONLY, NOT_OPEN, OF_FIELD, OF_SEVERAL_FIELDS, OF_SUMS, SKETCH } from './on-cluster.ts';
import { limited } from '../query/cluster/verdict.ts';

const ofNumbers = { kind: 'metric', cluster: OF_FIELD, values: NUMERIC, unmapped: 'double' } as const;

const STATS = ['count', 'min', 'max', 'avg', 'sum'];
const EXTENDED_STATS = [
  ...STATS,
  'sum_of_squares',
  ...['variance', 'std_deviation'].flatMap((name) => [name, `${name}_population`, `${name}_sampling`]),
  ...['std_upper', 'std_lower'].flatMap((name) => [name, `${name}_population`, `${name}_sampling`]),
];

const stats = (type: 'avg' | 'sum' | 'min' | 'max' | 'stats'): MetricAggregation => ({
  ...ofNumbers,
  cluster: type === 'min' || type === 'max' ? OF_FIELD : OF_SUMS,
  numbers: type === 'stats' ? (name) => STATS.includes(name) : 'value',
  ...ofField('format'),
  read: (request) => statsAggregator(type, metric(request)),
});

const extendedStats: Reader = (request) => {
  const options = metric(request);
  const given = request.body['sigma'];
  if (given !== undefined && (typeof given === 'object' || !Number.isFinite(Number(given))))
    throw new RequestError(
      'SEARCH_PARSING',
      'x_content_parse_exception',
      `[extended_stats] failed to parse field [sigma]: a number is expected, but got [${textOf(given)}]`,
    );
  const sigma = given === undefined ? 2 : asNumber(given, 'sigma');
  if (sigma < 0)
    throw illegalArgument(
      `[sigma] must be greater than or equal to 0. Found [${javaDouble(sigma)}] in [${request.name}]`,
    );
  return statsAggregator('extended_stats', { ...options, sigma });
};

const DEFAULT_PERCENTS = [1, 5, 25, 50, 75, 95, 99];

/** How many significant digits `hdr` asks for; undefined: `tdigest`. */
function hdrDigits({ type, body, name }: AggregationRequest): number | undefined {
  const { hdr, tdigest } = body;
  for (const [key, value] of Object.entries({ hdr, tdigest }))
    if (value !== undefined && !isObject(value))
      throw contentError(`[${type}] ${key} doesn't support values of type: ${tokenOf(value)}`);
  if (isObject(tdigest)) {
    checkKeys(tdigest, 'tdigest', ['compression']);
    const { compression } = tdigest;
    within(type, 'tdigest', () =>
      within('tdigest', 'compression', () => {
        if (compression !== undefined && asNumber(compression, 'compression') < 0)
          throw illegalArgument(
            `[compression] must be greater than or equal to 0. Found [${javaDouble(Number(compression))}]`,
          );
      }),
    );
  }
  if (hdr === undefined) return undefined;
  if (tdigest !== undefined) throw illegalArgument(`Only one percentiles method should be declared: [${name}]`);
  if (!isObject(hdr)) return 3;
  checkKeys(hdr, 'hdr', ['number_of_significant_value_digits']);
  const digits = hdr['number_of_significant_value_digits'];
  if (digits === undefined) return 3;
  return within(type, 'hdr', () =>
    within('hdr', 'number_of_significant_value_digits', () => {
      const found = asInteger(digits, 'number_of_significant_value_digits');
      if (found < 0 || found > 5) throw illegalArgument('[numberOfSignificantValueDigits] must be between 0 and 5');
      return found;
    }),
  );
}

function percentiles(type: 'percentiles' | 'percentile_ranks', key: 'percents' | 'values'): MetricAggregation {
  return {
    ...ofNumbers,
    cluster: HDR_ONLY,
    ...ofField('format', key, 'keyed', 'tdigest', 'hdr'),
    numbers: (name, body) => toList(body[key] ?? DEFAULT_PERCENTS).some((each) => Number(each) === Number(name)),
    profile: ({ body }) => ({
      className: `${body['hdr'] === undefined ? 'TDigest' : 'HDR'}${type === 'percentiles' ? 'Percentiles' : 'PercentileRanks'}Aggregator`,
    }),
    read(request) {
      const { body, name } = request;
      const options = metric(request);
      const digits = hdrDigits(request);
      if (key === 'values' && body['values'] === undefined)
        throw contentError('Failed to build [percentile_ranks] after last required field arrived', {
          type: 'illegal_argument_exception',
          reason: `[values] must not be null: [${name}]`,
        });
      const given = toList(body[key] ?? DEFAULT_PERCENTS);
      if (given.length === 0)
        built(type, () => {
          throw illegalArgument(`[${key}] must not be empty: [${name}]`);
        });
      const at = given.map((each) => asNumber(each, key)).sort((a, b) => a - b);
      const wrong = at.find((each) => each < 0 || each > 100);
      if (key === 'percents' && wrong !== undefined)
        built(type, () => {
          throw illegalArgument(`percent must be in [0,100], got [${javaDouble(wrong)}]: [${name}]`);
        });
      return percentilesAggregator(type, { ...options, at, keyed: flag(body, 'keyed', true), hdrDigits: digits });
    },
  };
}

const cardinality: Reader = (request) => {
  const options = metric(request);
  const threshold = request.body['precision_threshold'];
  if (threshold !== undefined && asNumber(threshold, 'precision_threshold') < 0)
    throw illegalArgument(
      `[precisionThreshold] must be greater than or equal to 0. Found [${textOf(threshold)}] in [${request.name}]`,
    );
  return countAggregator('cardinality', options);
};

const medianDeviation: Reader = (request) => {
  const options = metric(request);
  const { compression } = request.body;
  if (compression !== undefined && asNumber(compression, 'compression') <= 0)
    throw illegalArgument(
      `[compression] must be greater than 0. Found [${javaDouble(Number(compression))}] in [${request.name}]`,
    );
  return medianDeviationAggregator(options);
};

/** How values of a type are printed that are no plain numbers. */
const TYPED_PRINTERS: Readonly<Record<string, (value: number) => string | boolean>> = {
  boolean: (value) => value !== 0,
  date: (value) => new Date(Math.trunc(value)).toISOString(),
};

const FIELD_CONFIG = { field: 'string', missing: 'value', script: 'objectOrString' } as const;

/** @throws RequestError for what is no values of a weighted average */
function checkFieldConfig(value: unknown): void {
  if (!isObject(value)) return;
  checkObject(value, 'field_config', FIELD_CONFIG);
  if (value['field'] === undefined && value['script'] === undefined)
    throw illegalArgument('[field] and [script] cannot both be null.  Please specify one or the other.');
}

const weightedAverage: Reader = ({ name, meta, body }) => {
  for (const key of Object.keys(body).filter((each) => each === 'value' || each === 'weight'))
    within('weighted_avg', key, () => checkFieldConfig(body[key]));
  within('weighted_avg', 'value_type', () => {
    const type = body['value_type'];
    if (['string', 'ip'].includes(textOf(type)))
      throw parsingError(
        `Aggregation [weighted_avg] was configured with an incompatible value type [${textOf(type)}].  It can only work on value off type [numeric]`,
      );
  });
  if (body['weight'] === undefined) throw shardArgument('Could not find field name [weight] in multiValuesSource');
  const part = (key: string): { field: string; missing: unknown } => {
    const value = asObject(body[key], key);
    noScript(value);
    checkKeys(value, key, ['field', 'missing']);
    const { format } = body;
    return {
      field: asString(value['field'], `${key}.field`),
      // Read where a shard is asked.
      get missing() {
        const missing = value['missing'] ?? undefined;
        return missing === undefined || typeof format !== 'string'
          ? missing
          : onShard(() => parseDecimal(format, textOf(missing)));
      },
    };
  };
  const print = TYPED_PRINTERS[textOf(body['value_type'])] ?? decimalPrinter(body);
  return weightedAverageAggregator(name, meta, part('value'), part('weight'), print);
};

export const METRICS = {
  avg: stats('avg'),
  sum: stats('sum'),
  min: stats('min'),
  max: stats('max'),
  stats: stats('stats'),
  extended_stats: {
    ...ofNumbers,
    cluster: OF_SUMS,
    numbers: (name) => EXTENDED_STATS.includes(name),
    ...ofField('format', 'sigma'),
    read: extendedStats,
  },
  percentiles: percentiles('percentiles', 'percents'),
  percentile_ranks: percentiles('percentile_ranks', 'values'),
  median_absolute_deviation: {
    ...ofNumbers,
    cluster: SKETCH,
    numbers: 'value',
    values: ['number'],
    ...ofField('format', 'compression'),
    read: medianDeviation,
  },
  boxplot: {
    kind: 'metric',
    cluster: NOT_OPEN,
    numbers: (name) => ['min', 'max', 'q1', 'q2', 'q3'].includes(name),
    values: ['number'],
    ...ofField('format', 'compression'),
    read: (request) => boxplotAggregator(metric(request)),
  },
  string_stats: {
    kind: 'metric',
    cluster: NOT_OPEN,
    numbers: (name) => ['count', 'min_length', 'max_length', 'avg_length', 'entropy'].includes(name),
    values: ['keyword'],
    ...ofField('format', 'show_distribution'),
    read: (request) =>
      stringStatsAggregator({
        ...metric(request),
        showsDistribution: flag(request.body, 'show_distribution', false),
      }),
  },
  value_count: {
    kind: 'metric',
    cluster: OF_FIELD,
    numbers: 'value',
    values: VALUES,
    ...ofField('format'),
    read: (request) => countAggregator('value_count', metric(request)),
  },
  cardinality: {
    kind: 'metric',
    cluster: OF_FIELD,
    numbers: 'value',
    values: VALUES,
    ...ofField('precision_threshold', 'rehash'),
    profile: cardinalityDetails,
    read: cardinality,
  },
  weighted_avg: {
    kind: 'metric',
    cluster: OF_SEVERAL_FIELDS,
    numbers: 'value',
    options: ['value', 'weight', 'format', 'value_type'],
    sample: { value: { field: 'n' }, weight: { field: 'n' } },
    read: weightedAverage,
  },
  geo_bounds: {
    kind: 'metric',
    cluster: limited('the top of a request', 'in buckets Elasticsearch 7.10 ends with an error of its own'),
    values: ['geo'],
    ...ofField('wrap_longitude'),
    read: (request) =>
      geoAggregator('geo_bounds', { ...metric(request), wraps: flag(request.body, 'wrap_longitude', true) }),
  },
  geo_centroid: {
    kind: 'metric',
    cluster: OF_SUMS,
    values: ['geo'],
    ...ofField(),
    read: (request) => geoAggregator('geo_centroid', metric(request)),
  },
} as const satisfies Readonly<Record<string, MetricAggregation>>;
