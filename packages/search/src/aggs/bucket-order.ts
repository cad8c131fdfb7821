// In which order buckets come: by count, by key, by a number of an aggregation inside; with ties by key.
import { isObject, type Json, toList, tokenOf } from '../json/json.ts';
import { aggregationError, contentError, shardArgument } from '../errors/request-error.ts';
import type { AggregationRequest, Inside } from './definition.ts';
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
  /** What stands for the number of buckets that have none; NaN by default. */
  readonly absent?: number;
}

/** Reads `order` of an aggregation. @param inside the aggregations that it may name */
export function readOrder(
  { type, body, inside }: Pick<AggregationRequest, 'type' | 'body' | 'inside'>,
  fallback: readonly OrderPart[],
): readonly OrderPart[] {
  const { order } = body;
  if (order === undefined) return fallback;
  const refuse = (reason: string, kind = 'parsing_exception'): Error =>
    contentError(`[${type}] failed to parse field [order]`, { type: kind, reason });
  if (typeof order !== 'object' || order === null)
    throw contentError(`[${type}] order doesn't support values of type: ${tokenOf(order)}`);
  const parts = toList(order).map((each) => {
    if (!isObject(each)) throw refuse(`Unexpected token [${tokenOf(each)}] for [order]`);
    // Of several members the last one counts, once all are read.
    const [last] = Object.entries(each)
      .map(([by, direction]) => {
        if (typeof direction !== 'string') throw refuse(`Unexpected token [${tokenOf(direction)}] for [order]`);
        const word = direction.toLowerCase();
        if (word !== 'asc' && word !== 'desc') throw refuse(`Unknown order direction [${direction}]`);
        return { by: by === '_term' || by === '_time' ? '_key' : by, descending: word === 'desc' };
      })
      .slice(-1);
    if (last === undefined) throw refuse('Must specify at least one field for [order]');
    return last;
  });
  if (parts.length === 0) throw refuse('Index 0 out of bounds for length 0', 'index_out_of_bounds_exception');
  return parts.map((part) => {
    if (part.by === '_count' || part.by === '_key') return part;
    const absent = checkOrderPath(part.by, inside);
    return absent === undefined ? part : { ...part, absent };
  });
}

const BUCKETS_ONLY =
  'Buckets can only be sorted on a sub-aggregator path that is built out of zero or more single-bucket aggregations within the path and a final single-bucket or a metrics aggregation at the path end.';

/** The least and the greatest of no numbers, by metrics and by members of theirs. */
const OF_NONE: Readonly<Record<string, number>> = { min: Infinity, max: -Infinity };

/**
 * Checks a path, as AggregationPath.validate does.
 *
 * @returns the number of a bucket without documents; undefined: none
 * @throws RequestError for a path that leads to no number
 */
function checkOrderPath(path: string, inside: ReadonlyMap<string, Inside>): number | undefined {
  let level = inside;
  let absent: number | undefined;
  const steps = path.split('>');
  for (const [at, step] of steps.entries()) {
    const isLast = at === steps.length - 1;
    const { name, key } = stepOf(step, level);
    const found = level.get(name);
    if (found === undefined || (found.definition.kind !== 'metric' && found.definition.kind !== 'bucket'))
      throw noOrder(
        path,
        `The provided aggregation [${name}] either does not exist, or is a pipeline aggregation and cannot be used to sort the buckets.`,
      );
    const isSingle = found.definition.kind === 'bucket' && found.definition.makes === 'one';
    if (!isLast) {
      if (!isSingle) throw noOrder(path, `${BUCKETS_ONLY} [${name}] is not single-bucket.`);
      level = found.inside;
    } else if (isSingle) {
      if (key !== undefined && key !== 'doc_count')
        throw noOrder(
          path,
          `Ordering on a single-bucket aggregation can only be done on its doc_count. Either drop the key (a la "${name}") or change it to "doc_count" (a la "${name}.doc_count") or "key".`,
        );
    } else {
      checkMetric(path, name, key, found);
      absent = OF_NONE[key === undefined || key === 'value' ? found.type : key];
    }
  }
  return absent;
}

function checkMetric(path: string, name: string, key: string | undefined, { definition, body }: Inside): void {
  const numbers = definition.kind === 'metric' ? definition.numbers : undefined;
  if (numbers === undefined) throw noOrder(path, BUCKETS_ONLY);
  if (numbers === 'value') {
    if (key !== undefined && key !== 'value')
      throw noOrder(
        path,
        `Ordering on a single-value metrics aggregation can only be done on its value. Either drop the key (a la "${name}") or change it to "value" (a la "${name}.value")`,
      );
  } else if (key === undefined)
    throw noOrder(path, 'When ordering on a multi-value metrics aggregation a metric name must be specified.');
  else if (!numbers(key, body))
    throw noOrder(path, `Unknown metric name [${key}] on multi-value metrics aggregation [${name}]`);
}

/** The name of a step, which may hold dots, and what is asked of it: `stats.avg`, `stats[avg]`. */
function stepOf(
  step: string,
  level: ReadonlyMap<string, unknown>,
): { readonly name: string; readonly key: string | undefined } {
  if (level.has(step)) return { name: step, key: undefined };
  const [, name, key] = /^(.*?)(?:\.|\[)(.*?)\]?$/.exec(step) ?? [];
  return name === undefined ? { name: step, key: undefined } : { name, key };
}

/** Makes the comparison. @param answers prints the inner aggregations of a bucket */
export function bucketComparison(
  order: readonly OrderPart[],
  answers: (bucket: number | undefined) => Json,
): (a: OrderedBucket, b: OrderedBucket) => number {
  const cache = new Map<number | undefined, Json>();
  const valueOf = (entry: OrderedBucket, path: string): number | undefined => {
    let found = cache.get(entry.bucket);
    if (found === undefined) cache.set(entry.bucket, (found = answers(entry.bucket)));
    return numberAt(found, path);
  };
  return (a, b) => {
    for (const { absent = Number.NaN, by, descending } of order) {
      let compared: number;
      if (by === '_count') compared = a.count - b.count;
      else if (by === '_key') compared = compareKeys(a.key, b.key);
      else {
        const x = valueOf(a, by) ?? absent;
        const y = valueOf(b, by) ?? absent;
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
  if (isObject(found['values'])) return found['values'][key] ?? found['values'][`${key}.0`];
  if (!Array.isArray(found['top'])) return undefined;
  const [first]: unknown[] = found['top'];
  const value = isObject(first) && isObject(first['metrics']) ? first['metrics'][key] : null;
  if (typeof value === 'number' || value === null) return value;
  throw shardArgument(`[${key}] of a top_metrics aggregation is no number here, and only numbers can be compared`);
}

function noOrder(path: string, reason: string): Error {
  return aggregationError(`Invalid aggregation order path [${path}]. ${reason}`);
}

function numberAt(answers: Json, path: string): number | undefined {
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
  });
  if (isObject(value)) value = value['value'] ?? value['doc_count'];
  return typeof value === 'number' ? value : undefined;
}
