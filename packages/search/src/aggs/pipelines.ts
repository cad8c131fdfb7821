// Pipeline aggregations: numbers computed from printed buckets, beside the aggregation that made them (`avg_bucket` and its like)
// or inside of each of them (`derivative`, `cumulative_sum`, …). Those that scripts or windows define are in script-pipelines.ts.
import {
  asBoolean,
  asInteger,
  asNumber,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  textOf,
  toList,
} from '../json/json.ts';
import { duration } from '../dsl/function-score.ts';
import { contentError, illegalArgument, parsingError, reduceError, validationError } from '../errors/request-error.ts';
import {
  type Bucket,
  bucketsOf,
  bucketValue,
  checkPath,
  hasValue,
  memberOf,
  readGapPolicy,
  stepsOf,
} from './buckets-path.ts';
import { compareKeys } from '../text/compare-keys.ts';
import { printStats, Stats } from './stats.ts';
import { printer } from './read-definition.ts';
import { cumulativeCardinality, movingPercentiles } from './joining-pipelines.ts';
import type { ParentOf, ParentPipeline, PipelineOutput } from './pipeline.ts';
import { bucketScript, movingAverage, movingFunction, normalize } from './script-pipelines.ts';

/** Computed from the buckets of an aggregation beside it. */
export interface SiblingPipeline {
  readonly typeName: string;
  /** @param printed the aggregations beside it, as they are printed */
  compute(printed: Bucket): Json;
}

const SIBLINGS = [
  'avg_bucket',
  'sum_bucket',
  'min_bucket',
  'max_bucket',
  'stats_bucket',
  'extended_stats_bucket',
  'percentiles_bucket',
] as const;
const PARENTS = [
  'cumulative_sum',
  'derivative',
  'serial_diff',
  'bucket_sort',
  'bucket_script',
  'bucket_selector',
  'moving_fn',
  'moving_avg',
  'moving_percentiles',
  'cumulative_cardinality',
  'normalize',
] as const;
/** Those that need buckets in a row. */
const OF_HISTOGRAMS = [
  'cumulative_sum',
  'cumulative_cardinality',
  'derivative',
  'serial_diff',
  'moving_fn',
  'moving_avg',
  'moving_percentiles',
];
const HISTOGRAMS = ['histogram', 'date_histogram', 'auto_date_histogram'];

/** Those that are read by a parser of objects. */
const OF_OBJECTS: readonly string[] = [
  'cumulative_sum',
  'moving_fn',
  'normalize',
  'moving_percentiles',
  'cumulative_cardinality',
];

/** Aggregations that make buckets in a row. */
const MULTI_BUCKET: readonly string[] = [
  'adjacency_matrix',
  'auto_date_histogram',
  'composite',
  'date_histogram',
  'date_range',
  'filters',
  'geo_distance',
  'geohash_grid',
  'geotile_grid',
  'histogram',
  'ip_range',
  'range',
  'rare_terms',
  'significant_terms',
  'significant_text',
  'terms',
  'variable_width_histogram',
];

/** What `typed_keys` calls their answers, where it is no `simple_value`. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  derivative: 'derivative',
  cumulative_cardinality: 'simple_long_value',
  moving_percentiles: 'tdigest_percentiles',
};

/** The pipeline aggregations that are understood. */
export const PIPELINES: readonly string[] = [...SIBLINGS, ...PARENTS];

export function isSibling(type: string): type is (typeof SIBLINGS)[number] {
  return (SIBLINGS as readonly string[]).includes(type);
}

export function isParent(type: string): type is (typeof PARENTS)[number] {
  return (PARENTS as readonly string[]).includes(type);
}

/** @param kind said where a path is missing; empty or with a blank after it */
function pathOf(name: string, body: Json, kind: string): string {
  const given = body['buckets_path'];
  if (given === undefined) throw parsingError(`Missing required field [buckets_path] for ${kind}aggregation [${name}]`);
  // Of several, those that stand beside their buckets take the first.
  const [path, ...more] = toList(given);
  if (path === undefined || isObject(path) || (more.length > 0 && kind !== ''))
    throw illegalArgument(`Required one buckets_path, a text, for aggregation [${name}]`);
  return asString(path, 'buckets_path');
}

const shown = (value: number): number | null => (Number.isFinite(value) ? value : null);

function formatOf(body: Json): (value: number) => Json {
  const print = body['format'] === undefined ? undefined : printer(asString(body['format'], 'format'));
  return (value) => ({
    value: shown(value),
    ...(print === undefined || !Number.isFinite(value) ? {} : { value_as_string: print(value) }),
  });
}

/** Reads a pipeline that stands beside the aggregation it works on. @param level the definitions beside it */
export function readSibling(type: (typeof SIBLINGS)[number], name: string, body: Json, level: Json): SiblingPipeline {
  const own = type === 'percentiles_bucket' ? ['percents', 'keyed'] : type === 'extended_stats_bucket' ? ['sigma'] : [];
  checkKeys(body, type, ['buckets_path', 'gap_policy', 'format', ...own]);
  const path = pathOf(name, body, '');
  const gaps = readGapPolicy(body, name);
  const [first, ...rest] = separated(path, level);
  checkPath([first, ...rest].join('>'), level);
  const around = level[first];
  const isMulti = isObject(around) && Object.keys(around).some((kind) => MULTI_BUCKET.includes(kind));
  if (rest.length === 0 && !isMulti) {
    throw validationError(
      `Unable to find unqualified multi-bucket aggregation in buckets_path. Path must include a multi-bucket aggregation for aggregation [${name}] found :${path}`,
    );
  }
  const doubles = isObject(around) && around['histogram'] !== undefined;
  const format = formatOf(body);
  const print = body['format'] === undefined ? undefined : printer(asString(body['format'], 'format'));
  const sigma = body['sigma'] === undefined ? 2 : asNumber(body['sigma'], 'sigma');
  if (sigma < 0) throw illegalArgument('sigma must be a non-negative double');
  const percents = (body['percents'] === undefined ? [1, 5, 25, 50, 75, 95, 99] : toList(body['percents'])).map(
    (each) => asNumber(each, 'percents'),
  );
  const wrong = percents.find((each) => each < 0 || each > 100);
  if (wrong !== undefined)
    throw illegalArgument(`percents must only contain non-null doubles from 0.0-100.0 inclusive`);
  const keyed = body['keyed'] === undefined || asBoolean(body['keyed'], 'keyed');
  const valuesOf = (printed: Bucket): { readonly key: string; readonly value: number }[] => {
    const source = memberOf(printed, first);
    if (!isObject(source) || source['buckets'] === undefined) {
      throw validationError(
        `The first aggregation in buckets_path must be a multi-bucket aggregation for aggregation [${name}] found for buckets path: ${path}`,
      );
    }
    const buckets = bucketsOf(source);
    if (rest.length === 0 && buckets.length > 0)
      throw reduceError(
        `buckets_path must reference either a number value or a single value numeric metric aggregation, got: [Bucket] at aggregation [${first}]`,
      );
    return buckets
      .map((bucket) => ({ key: keyOf(bucket, doubles), value: bucketValue(bucket, rest.join('>'), gaps) }))
      .filter(({ value }) => !Number.isNaN(value));
  };
  return {
    typeName:
      type === 'min_bucket' || type === 'max_bucket'
        ? 'bucket_metric_value'
        : type === 'stats_bucket' || type === 'extended_stats_bucket' || type === 'percentiles_bucket'
          ? type
          : 'simple_value',
    compute(printed) {
      const found = valuesOf(printed);
      const values = found.map(({ value }) => value);
      const sum = values.reduce((total, value) => total + value, 0);
      const least = values.reduce((best, value) => Math.min(best, value), Infinity);
      const most = values.reduce((best, value) => Math.max(best, value), -Infinity);
      switch (type) {
        case 'avg_bucket':
          return format(sum / values.length);
        case 'sum_bucket':
          return format(sum);
        case 'min_bucket':
        case 'max_bucket': {
          const best = type === 'min_bucket' ? least : most;
          return { ...format(best), keys: found.filter(({ value }) => value === best).map(({ key }) => key) };
        }
        case 'stats_bucket':
        case 'extended_stats_bucket': {
          const stats = new Stats(true);
          for (const value of values) stats.add(value);
          return printStats(stats, type === 'stats_bucket' ? undefined : sigma, print);
        }
        case 'percentiles_bucket': {
          const sorted = values.toSorted((a, b) => a - b);
          // The nearest of the values, never one between (PercentilesBucketPipelineAggregator).
          const at = (percent: number): number | null =>
            sorted.length === 0 ? null : sorted[Math.round((percent / 100) * (sorted.length - 1))]!;
          const text = (percent: number, key: string): Json => {
            const value = at(percent);
            return print === undefined || value === null ? {} : { [key]: print(value) };
          };
          if (!keyed)
            return { values: percents.map((key) => ({ key, value: at(key), ...text(key, 'value_as_string') })) };
          const label = (percent: number): string => (Number.isInteger(percent) ? `${percent}.0` : String(percent));
          const entries = percents.map((percent) => ({
            [label(percent)]: at(percent),
            ...text(percent, `${label(percent)}_as_string`),
          }));
          return { values: Object.assign({}, ...entries) as Json };
        }
      }
    },
  };
}

/** The steps of a path, where the first may be joined to the second by a dot. */
function separated(path: string, level: Json): readonly [string, ...string[]] {
  const [first = '', ...rest] = stepsOf(path);
  const dot = first.indexOf('.');
  if (Object.hasOwn(level, first) || dot < 0) return [first, ...rest];
  return [first.slice(0, dot), first.slice(dot + 1), ...rest];
}

/** A bucket's key as a text. The keys of a histogram are doubles and spelled so. */
function keyOf(bucket: Bucket, doubles: boolean): string {
  const key = bucket['key_as_string'] ?? bucket['key'];
  return doubles && Number.isInteger(key) ? `${textOf(key)}.0` : textOf(key);
}

/** Reads a pipeline that changes the buckets of the aggregation it stands in. */
export function readParent(type: (typeof PARENTS)[number], name: string, body: Json, parent: ParentOf): ParentPipeline {
  if (type === 'bucket_sort') return bucketSort(name, body, parent);
  if (OF_HISTOGRAMS.includes(type) && !HISTOGRAMS.includes(parent.type)) {
    throw validationError(
      `${type} aggregation [${name}] must have a histogram, date_histogram or auto_date_histogram as parent`,
    );
  }
  if (
    OF_HISTOGRAMS.includes(type) &&
    parent.body['min_doc_count'] !== undefined &&
    Number(parent.body['min_doc_count']) !== 0
  ) {
    throw validationError(`parent histogram of ${type} aggregation [${name}] must have min_doc_count of 0`);
  }
  const output: PipelineOutput = {
    put: (bucket, typedKeys, value) => ({
      ...bucket,
      [typedKeys ? `${TYPE_NAMES[type] ?? 'simple_value'}#${name}` : name]:
        parent.meta === undefined ? value : { meta: parent.meta, ...value },
    }),
    format: formatOf(body),
  };
  if (type === 'bucket_script' || type === 'bucket_selector') return bucketScript(type, name, body, parent, output);
  if (OF_OBJECTS.includes(type) && body['buckets_path'] === undefined) throw illegalArgument('Required [buckets_path]');
  checkPath(pathOf(name, body, `${type} `), parent.inner);
  if (type === 'moving_fn') return movingFunction(name, body, output);
  if (type === 'moving_avg') return movingAverage(name, body, output);
  if (type === 'normalize') return normalize(name, body, output);
  if (type === 'cumulative_cardinality') return cumulativeCardinality(name, body, output);
  if (type === 'moving_percentiles') return movingPercentiles(name, body, output);
  const own = { cumulative_sum: [], derivative: ['gap_policy', 'unit'], serial_diff: ['gap_policy', 'lag'] }[type];
  checkKeys(body, type, ['buckets_path', 'format', ...own]);
  const path = pathOf(name, body, `${type} `);
  const gaps = readGapPolicy(body, name);
  const { put, format } = output;
  const reads = [stepsOf(path)[0]!];
  const lag = body['lag'] === undefined ? 1 : asInteger(body['lag'], 'lag');
  if (lag < 1)
    throw parsingError(`Lag must be a positive, non-zero integer.  Value supplied was${lag} in [${name}]: [lag].`);
  const unitText = body['unit'] === undefined ? undefined : asString(body['unit'], 'unit');
  return {
    name,
    reads,
    apply(buckets, typedKeys) {
      if (type === 'cumulative_sum') {
        let sum = 0;
        return buckets.map((bucket) =>
          put(bucket, typedKeys, format((sum += bucketValue(bucket, path, 'insert_zeros')))),
        );
      }
      const unit = unitText === undefined ? undefined : unitOf(unitText);
      const values = buckets.map((bucket) => bucketValue(bucket, path, gaps));
      return buckets.map((bucket, at) => {
        const before = values[at - lag];
        if (before === undefined) return bucket;
        const difference = values[at]! - before;
        if (type === 'serial_diff')
          return Number.isNaN(difference) ? bucket : put(bucket, typedKeys, format(difference));
        // Of a pipeline that has computed nothing here, there is no derivative, which is not the same as one of a metric without a value.
        if (!hasValue(bucket, path) || !hasValue(buckets[at - 1]!, path)) return bucket;
        const units = unit === undefined ? 0 : (Number(bucket['key']) - Number(buckets[at - 1]!['key'])) / unit;
        const normalized = units > 0 ? { normalized_value: shown(difference / units) } : {};
        return put(bucket, typedKeys, { ...format(difference), ...normalized });
      });
    },
  };
}

const SECOND = 1000;
const YEAR = 31_556_952 * SECOND;
/** ChronoUnit's durations, which `unit` of a derivative counts in. */
const UNITS: Readonly<Record<string, number>> = {
  second: SECOND,
  minute: 60 * SECOND,
  hour: 3600 * SECOND,
  day: 86_400 * SECOND,
  week: 7 * 86_400 * SECOND,
  month: YEAR / 12,
  quarter: YEAR / 4,
  year: YEAR,
};

function unitOf(text: string): number {
  if (Object.hasOwn(UNITS, text)) return UNITS[text]!;
  try {
    return duration(text);
  } catch {
    throw reduceError(
      `failed to parse setting [DerivativePipelineAggregationBuilder.unit] with value [${text}] as a time value: unit is missing or unrecognized`,
      'illegal_argument_exception',
    );
  }
}

function bucketSort(name: string, body: Json, parent: ParentOf): ParentPipeline {
  checkKeys(body, 'bucket_sort', ['sort', 'from', 'size', 'gap_policy']);
  const keys = (body['sort'] === undefined ? [] : toList(body['sort'])).map((entry) => {
    const [path, order] = isObject(entry) ? Object.entries(entry)[0]! : [asString(entry, 'sort'), 'asc'];
    const direction = isObject(order) ? (order['order'] ?? 'asc') : order;
    if (direction !== 'asc' && direction !== 'desc') {
      throw illegalArgument(`[bucket_sort] the order of [${path}] is [asc] or [desc], not [${textOf(direction)}]`);
    }
    checkPath(path, parent.inner);
    return { path, descending: direction === 'desc' };
  });
  const from = body['from'] === undefined ? 0 : asInteger(body['from'], 'from');
  const size = body['size'] === undefined ? undefined : asInteger(body['size'], 'size');
  const refuse = (key: string, reason: string): Error =>
    contentError(`[bucket_sort] failed to parse field [${key}]`, { type: 'illegal_argument_exception', reason });
  if (from < 0) throw refuse('from', `[from] must be a non-negative integer: [${from}]`);
  if (size !== undefined && size <= 0) throw refuse('size', `[size] must be a positive integer: [${size}]`);
  if (keys.length === 0 && size === undefined && from === 0) {
    throw validationError(
      `[${name}] is configured to perform nothing. Please set either of [sort, size, from] to use bucket_sort`,
    );
  }
  const gaps = readGapPolicy(body, name);
  return {
    name,
    reads: keys.map(({ path }) => stepsOf(path)[0]!),
    apply(buckets) {
      const end = size === undefined ? undefined : from + size;
      if (keys.length === 0) return buckets.slice(from, end);
      const rows = buckets.map((bucket) => ({
        bucket,
        values: keys.map(({ path }): string | number | undefined => {
          const { key } = bucket as { key?: unknown };
          if (path === '_key') return typeof key === 'string' || typeof key === 'number' ? key : textOf(key);
          const value = bucketValue(bucket, path, gaps);
          return Number.isNaN(value) ? undefined : value;
        }),
      }));
      return rows
        .filter(({ values }) => values.some((value) => value !== undefined))
        .sort((a, b) => {
          for (const [at, { descending }] of keys.entries()) {
            const [x, y] = [a.values[at], b.values[at]];
            if (x === undefined || y === undefined) {
              if (x !== y) return x === undefined ? 1 : -1;
              continue;
            }
            const compared = compareKeys(x, y);
            if (compared !== 0) return descending ? -compared : compared;
          }
          return 0;
        })
        .slice(from, end)
        .map(({ bucket }) => bucket);
    },
  };
}

/** The result of an aggregation with the pipelines inside of it applied, those first that others read. */
export function applyParents(result: Json, pipelines: readonly ParentPipeline[], typedKeys: boolean): Json {
  const { buckets } = result as { buckets?: unknown };
  if (pipelines.length === 0 || (!Array.isArray(buckets) && !isObject(buckets))) return result;
  const keyed = !Array.isArray(buckets);
  let rows: readonly Bucket[] = keyed
    ? Object.entries(buckets).map(([key, bucket]) => ({ ...asObject(bucket, 'bucket'), [LABEL]: key }))
    : (buckets as readonly Bucket[]);
  for (const pipeline of inOrder(pipelines)) rows = pipeline.apply(rows, typedKeys);
  if (!keyed) return { ...result, buckets: rows };
  const named = rows.map(({ [LABEL]: key, ...bucket }) => [textOf(key), bucket] as const);
  return { ...result, buckets: Object.fromEntries(named) };
}

/** Where a keyed bucket's key waits; no aggregation can have this name. */
const LABEL = '[key]';

/** @throws RequestError when pipelines read each other in a circle */
export function inOrder(pipelines: readonly ParentPipeline[]): readonly ParentPipeline[] {
  const done: ParentPipeline[] = [];
  let left = pipelines;
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const ready = left.filter(({ reads }) => !reads.some((each) => waiting.has(each)));
    if (ready.length === 0) {
      throw illegalArgument(`Cyclical dependency found with pipeline aggregator [${left[0]!.name}]`);
    }
    done.push(...ready);
    left = left.filter((each) => !ready.includes(each));
  }
  return done;
}
