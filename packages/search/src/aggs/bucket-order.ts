// In which order buckets come: by count, by key, by a number of an aggregation inside; with ties by key.
import { asChoice, isObject, type Json, onlyMember, toList } from '../json/json.ts';
import { aggregationError, shardArgument } from '../errors/request-error.ts';
import { compareKeys } from '../text/compare-keys.ts';

/** A bucket about to be printed. */
export interface OrderedBucket {
  readonly key: string | number;
  readonly count: number;
  readonly bucket: number | undefined;
}

/** One part of an order. */
export interface OrderPart {
  readonly by: string;
  readonly descending: boolean;
}

/** Reads `order`. */
export function readOrder(value: unknown, fallback: readonly OrderPart[]): readonly OrderPart[] {
  if (value === undefined) return fallback;
  return toList(value).map((each) => {
    const [by, direction] = onlyMember(isObject(each) ? each : {}, 'order');
    return {
      by: by === '_term' || by === '_time' ? '_key' : by,
      descending: asChoice(direction, 'order', ['asc', 'desc']) === 'desc',
    };
  });
}

/** Makes the comparison. @param answers prints the inner aggregations of a bucket */
export function bucketComparison(
  order: readonly OrderPart[],
  answers: (bucket: number | undefined) => Json,
): (a: OrderedBucket, b: OrderedBucket) => number {
  const cache = new Map<number | undefined, Json>();
  const valueOf = (entry: OrderedBucket, path: string): number => {
    let found = cache.get(entry.bucket);
    if (found === undefined) cache.set(entry.bucket, (found = answers(entry.bucket)));
    return numberAt(found, path);
  };
  return (a, b) => {
    for (const { by, descending } of order) {
      let compared: number;
      if (by === '_count') compared = a.count - b.count;
      else if (by === '_key') compared = compareKeys(a.key, b.key);
      else {
        const x = valueOf(a, by);
        const y = valueOf(b, by);
        // Buckets without a number come last either way.
        if (Number.isNaN(x) || Number.isNaN(y)) {
          if (Number.isNaN(x) && Number.isNaN(y)) continue;
          return Number.isNaN(x) ? 1 : -1;
        }
        compared = compareKeys(x, y);
      }
      if (compared !== 0) return descending ? -compared : compared;
    }
    return compareKeys(a.key, b.key);
  };
}

/** A value among those of percentiles, or of the first document of `top_metrics`. */
export function memberOfMetric(found: Json, key: string): unknown {
  if (isObject(found['values'])) return found['values'][key];
  if (!Array.isArray(found['top'])) return undefined;
  const [first]: unknown[] = found['top'];
  const value = isObject(first) && isObject(first['metrics']) ? first['metrics'][key] : null;
  if (typeof value === 'number' || value === null) return value;
  throw shardArgument(`[${key}] of a top_metrics aggregation is no number here, and only numbers can be compared`);
}

function noOrder(path: string, reason: string): Error {
  return aggregationError(`Invalid aggregation order path [${path}]. ${reason}`);
}

function numberAt(answers: Json, path: string): number {
  let value: unknown = answers;
  const steps = path.split('>');
  steps.forEach((step, at) => {
    if (!isObject(value)) return;
    const object: Json = value;
    if (at < steps.length - 1 || Object.hasOwn(object, step)) {
      value = object[step];
      return;
    }
    const dot = /^(.*)[.[]([^\]]+)\]?$/.exec(step);
    const inner = dot === null ? undefined : object[dot[1]!];
    value = isObject(inner) && dot !== null ? (inner[dot[2]!] ?? memberOfMetric(inner, dot[2]!)) : undefined;
    if (inner === undefined) throw noOrder(path, `Cannot find an aggregation named [${dot?.[1] ?? step}].`);
    if (dot !== null && value === undefined && isObject(inner) && inner['count'] !== undefined)
      throw noOrder(path, `Unknown metric name [${dot[2]!}] on multi-value metrics aggregation [${dot[1]!}]`);
  });
  if (isObject(value)) {
    if (value['buckets'] !== undefined)
      throw noOrder(
        path,
        'Buckets can only be sorted on a sub-aggregator path that is built out of zero or more single-bucket aggregations within the path and a final single-bucket or a metrics aggregation at the path end.',
      );
    if (value['value'] === undefined && value['doc_count'] === undefined && value['count'] !== undefined)
      throw noOrder(path, 'When ordering on a multi-value metrics aggregation a metric name must be specified.');
    value = value['value'] ?? value['doc_count'];
  }
  return typeof value === 'number' ? value : Number.NaN;
}
