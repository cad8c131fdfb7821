// Pipelines that compute of the buckets around them one by one: `cumulative_sum`, `derivative`, `serial_diff` and `bucket_sort`. Those that
// scripts or windows define are in script-pipelines.ts.
import { reasonOf } from '@lockstitch/kernel';
import { readTime } from '../json/time-value.ts';
import { asInteger, asString, isObject, type Json, textOf, toList } from '../json/json.ts';
import { contentError, parsingError, reduceError, validationError } from '../errors/request-error.ts';
import { compareKeys } from '../text/compare-keys.ts';
import { type Bucket, bucketValue, checkPath, hasValue, stepsOf } from './buckets-path.ts';
import { type ParentDefinition, type ParentPipeline, type ParentRequest } from './pipeline.ts';
import { OF_BUCKETS } from './on-cluster.ts';

const cumulativeSum: ParentDefinition['read'] = ({ name, path, put, format }) => ({
  name,
  reads: stepsOf(path).slice(0, 1),
  apply(buckets, typedKeys) {
    let sum = 0;
    return buckets.map((bucket) => {
      const value = bucketValue(bucket, path, 'insert_zeros');
      if (Number.isFinite(value)) sum += value;
      return put(bucket, typedKeys, format(sum));
    });
  },
});

/** What is shown of a difference; undefined: the bucket stays as it is. */
type Answer = (difference: number, bucket: Bucket, before: Bucket) => Json | undefined;

/** The differences of the numbers of two buckets that stand so many apart. */
const differences = ({ name, path, gaps, put }: ParentRequest, lag: number, start: () => Answer): ParentPipeline => ({
  name,
  reads: stepsOf(path).slice(0, 1),
  apply(buckets, typedKeys) {
    const answer = start();
    const values = buckets.map((bucket) => bucketValue(bucket, path, gaps));
    return buckets.map((bucket, at) => {
      const before = buckets[at - lag];
      const found = before && answer((values[at] ?? NaN) - (values[at - lag] ?? NaN), bucket, before);
      return found === undefined ? bucket : put(bucket, typedKeys, found);
    });
  },
});

const serialDifference: ParentDefinition['read'] = (request) => {
  const { name, body, format } = request;
  const lag = body['lag'] === undefined ? 1 : asInteger(body['lag'], 'lag');
  if (lag < 1)
    throw parsingError(`Lag must be a positive, non-zero integer.  Value supplied was${lag} in [${name}]: [lag].`);
  return differences(request, lag, () => (difference) => (Number.isNaN(difference) ? undefined : format(difference)));
};

const derivative: ParentDefinition['read'] = (request) => {
  const { body, path, format } = request;
  const text = body['unit'] === undefined ? undefined : asString(body['unit'], 'unit');
  return differences(request, 1, () => {
    const unit = text === undefined ? undefined : unitOf(text);
    return (difference, bucket, before) => {
      // Of a pipeline that has computed nothing here, there is no derivative, which is not the same as one of a metric without a value.
      if (!hasValue(bucket, path) || !hasValue(before, path)) return undefined;
      const units = unit === undefined ? 0 : (Number(bucket['key']) - Number(before['key'])) / unit;
      if (!(units > 0)) return format(difference);
      const { value, ...texts } = format(difference / units);
      return {
        ...format(difference),
        normalized_value: value,
        ...('value_as_string' in texts ? { normalized_value_as_string: texts['value_as_string'] } : {}),
      };
    };
  });
};

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
    return readTime(text, 'DerivativePipelineAggregationBuilder.unit');
  } catch (error) {
    throw reduceError(reasonOf(error), 'illegal_argument_exception');
  }
}

const bucketSort: ParentDefinition['read'] = ({ name, body, parent, gaps }) => {
  const keys = (body['sort'] === undefined ? [] : toList(body['sort'])).map((entry) => {
    const [path, order] = isObject(entry) ? Object.entries(entry)[0]! : [asString(entry, 'sort'), 'asc'];
    const direction = isObject(order) ? (order['order'] ?? 'asc') : order;
    if (direction !== 'asc' && direction !== 'desc')
      throw contentError('[bucket_sort] failed to parse field [sort]', {
        type: 'x_content_parse_exception',
        reason: '[field_sort] failed to parse field [order]',
      });
    checkPath(path, parent.inner);
    return { path, descending: direction === 'desc' };
  });
  const from = body['from'] === undefined ? 0 : asInteger(body['from'], 'from');
  const size = body['size'] === undefined ? undefined : asInteger(body['size'], 'size');
  const refuse = (key: string, reason: string): Error =>
    contentError('failed to build [bucket_sort] after last required field arrived', {
      type: 'x_content_parse_exception',
      reason: `[bucket_sort] failed to parse field [${key}]`,
      caused_by: { type: 'illegal_argument_exception', reason },
    });
  if (from < 0) throw refuse('from', `[from] must be a non-negative integer: [${from}]`);
  if (size !== undefined && size <= 0) throw refuse('size', `[size] must be a positive integer: [${size}]`);
  if (keys.length === 0 && size === undefined && from === 0)
    throw validationError(
      `[${name}] is configured to perform nothing. Please set either of [sort, size, from] to use bucket_sort`,
    );
  return {
    name,
    reads: keys.map(({ path }) => stepsOf(path)[0]!),
    apply(buckets) {
      const end = size === undefined ? undefined : from + size;
      if (keys.length === 0) return buckets.slice(from, end);
      const rows = buckets.map((bucket) => ({
        bucket,
        values: keys.map(({ path }): string | number | undefined => {
          const { key } = bucket;
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
};

export const PARENT_PIPELINES = {
  cumulative_sum: {
    kind: 'parent',
    cluster: OF_BUCKETS,
    options: ['buckets_path', 'format'],
    needsHistogram: true,
    path: 'one',
    needs: ['buckets_path'],
    read: cumulativeSum,
  },
  derivative: {
    kind: 'parent',
    cluster: OF_BUCKETS,
    options: ['buckets_path', 'format', 'gap_policy', 'unit'],
    typeName: 'derivative',
    needsHistogram: true,
    path: 'one',
    isReadByHand: ['VALUE_STRING', 'START_ARRAY'],
    read: derivative,
  },
  serial_diff: {
    kind: 'parent',
    cluster: OF_BUCKETS,
    options: ['buckets_path', 'format', 'gap_policy', 'lag'],
    needsHistogram: true,
    path: 'one',
    isReadByHand: ['VALUE_STRING', 'START_ARRAY', 'VALUE_NUMBER'],
    read: serialDifference,
  },
  bucket_sort: {
    kind: 'parent',
    cluster: OF_BUCKETS,
    options: ['sort', 'from', 'size', 'gap_policy'],
    path: 'own',
    read: bucketSort,
  },
} as const satisfies Readonly<Record<string, ParentDefinition>>;
