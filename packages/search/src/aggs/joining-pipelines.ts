// Pipelines that join what metrics hold in several buckets: `cumulative_cardinality` and `moving_percentiles`. Numbers that are printed
// already could not be joined.
import { asInteger, asString, isObject } from '../json/json.ts';
import { tick } from '../tasks/request-budget.ts';
import { illegalArgument, parsingError, shardArgument } from '../errors/request-error.ts';
import { type Bucket, memberOf, stepsOf } from './buckets-path.ts';
import { type Held, heldBy } from './held-values.ts';
import type { ParentDefinition, ParentPipeline, ParentRequest } from './pipeline.ts';
import { OF_SKETCHES } from './on-cluster.ts';

/** What the metric at a path holds in a bucket; undefined where there is none. */
function heldAt(bucket: Bucket, path: string): Held | undefined {
  let found: unknown = bucket;
  for (const step of stepsOf(path)) {
    if (!isObject(found)) return undefined;
    found = memberOf(found, step);
  }
  return heldBy(found);
}

/** `cumulative_cardinality`: how many distinct values there are up to each bucket. */
function cumulativeCardinality({ name, body, put, format }: ParentRequest): ParentPipeline {
  const path = asString(body['buckets_path'], 'buckets_path');
  return {
    name,
    reads: stepsOf(path).slice(0, 1),
    apply(buckets, typedKeys) {
      const all = new Set<string | number>();
      return buckets.map((bucket) => {
        const held = heldAt(bucket, path);
        if (held?.kind !== 'distinct')
          throw shardArgument(`buckets_path must reference a cardinality aggregation, got: [${path}] in [${name}]`);
        tick(64 * held.values.size);
        for (const value of held.values) all.add(value);
        return put(bucket, typedKeys, format(all.size));
      });
    },
  };
}

/** `moving_percentiles`: the percentiles of the values of several buckets in a row, by default those before each. */
function movingPercentiles({ name, body, put }: ParentRequest): ParentPipeline {
  const path = asString(body['buckets_path'], 'buckets_path');
  if (body['window'] === undefined)
    throw parsingError(`Required [window] in the moving_percentiles aggregation [${name}]`);
  const window = asInteger(body['window'], 'window');
  if (window <= 0) throw illegalArgument('[window] must be a positive, non-zero integer.');
  const shift = body['shift'] === undefined ? 0 : asInteger(body['shift'], 'shift');
  return {
    name,
    reads: stepsOf(path).slice(0, 1),
    apply(buckets, typedKeys) {
      const held = buckets.map((bucket) => {
        const found = heldAt(bucket, path);
        if (found?.kind !== 'sorted')
          throw shardArgument(`buckets_path must reference a percentiles aggregation, got: [${path}] in [${name}]`);
        return found;
      });
      const within = (at: number): number => Math.max(0, Math.min(at, held.length));
      return buckets.map((bucket, at) => {
        const seen = held.slice(within(at - window + shift), within(at + shift));
        if (seen.length === 0) return bucket;
        const values = new Float64Array(seen.reduce((sum, each) => sum + each.values.length, 0));
        let length = 0;
        for (const each of seen) {
          values.set(each.values, length);
          length += each.values.length;
        }
        tick(64 * length);
        return put(bucket, typedKeys, held[at]!.print(values.sort()));
      });
    },
  };
}

export const JOINING_PIPELINES = {
  cumulative_cardinality: {
    kind: 'parent',
    cluster: OF_SKETCHES,
    options: ['buckets_path', 'format'],
    typeName: 'simple_long_value',
    needsHistogram: true,
    path: 'one',
    needs: ['buckets_path'],
    read: cumulativeCardinality,
  },
  moving_percentiles: {
    kind: 'parent',
    cluster: OF_SKETCHES,
    options: ['buckets_path', 'window', 'shift'],
    typeName: 'tdigest_percentiles',
    needsHistogram: true,
    path: 'one',
    needs: ['buckets_path'],
    read: movingPercentiles,
  },
} as const satisfies Readonly<Record<string, ParentDefinition>>;
