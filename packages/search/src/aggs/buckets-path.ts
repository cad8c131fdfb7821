// `buckets_path`: the number in a printed bucket that a pipeline aggregation reads, and the replacement for a missing one.
import { isObject, type Json, textOf, tokenOf, asObject } from '../json/json.ts';
import { memberOfMetric } from './bucket-order.ts';
import { tick } from '../tasks/request-budget.ts';
import { parsingError, reduceError, validationError } from '../errors/request-error.ts';

/** A printed bucket. */
export type Bucket = Readonly<Record<string, unknown>>;

export type GapPolicy = 'skip' | 'insert_zeros';

/** Reads `gap_policy`; `skip` by default. @param isExact whether capitals are refused */
export function readGapPolicy(body: Json, name: string, isExact = false): GapPolicy {
  const given = body['gap_policy'];
  if (given === undefined) return 'skip';
  if (typeof given !== 'string') throw parsingError(`Unexpected token ${tokenOf(given)} [gap_policy] in [${name}]`);
  const policy = (['skip', 'insert_zeros'] as const).find((each) => each === (isExact ? given : given.toLowerCase()));
  if (policy === undefined) throw parsingError(`Invalid gap policy: [${given}], accepted values: [insert_zeros, skip]`);
  return policy;
}

/** The steps of a path: aggregations, and at the end perhaps a property of a metric. */
export function stepsOf(path: string): readonly string[] {
  return path.split('>').map((step) => step.trim());
}

/** The name of a step, and the property after it: `stats.avg`, `ranks[50]`. */
function partsOf(step: string, names: (name: string) => boolean): readonly [string, string | undefined] {
  if (names(step)) return [step, undefined];
  const bracket = /^(.*)\[(.*)\]$/.exec(step);
  if (bracket !== null) return [bracket[1]!, bracket[2]!.replace(/^['"]|['"]$/g, '')];
  const dot = step.lastIndexOf('.');
  return dot < 0 ? [step, undefined] : [step.slice(0, dot), step.slice(dot + 1)];
}

/**
 * Checks that the aggregations of a path are there.
 *
 * @param level the definitions beside which the path starts
 * @throws RequestError naming the path
 */
export function checkPath(path: string, level: Json): void {
  if (path === '') throw validationError('Invalid path []');
  let here: unknown = level;
  for (const [at, step] of stepsOf(path).entries()) {
    if (at > 0 && (step === '_count' || step === '_key' || step === '_bucket_count')) return;
    if (at === 0 && (step === '_count' || step === '_key')) return;
    const [aggregation] = partsOf(step, (each) => isObject(here) && Object.hasOwn(here, each));
    const found = isObject(here) && Object.hasOwn(here, aggregation) ? here[aggregation] : undefined;
    if (!isObject(found)) {
      const which = at === 0 ? 'aggregation' : `aggregation [${aggregation}]`;
      throw validationError(`No ${which} found for path [${path}]`);
    }
    here = found['aggs'] ?? found['aggregations'];
    // `terms.v` is as good as `terms>v`.
    const [, property] = partsOf(step, (each) => each === aggregation);
    if (property !== undefined && isObject(here) && Object.hasOwn(here, property)) here = undefined;
  }
}

/** A member of printed aggregations by its name, with `typed_keys` or without. */
export function memberOf(printed: Bucket, name: string): unknown {
  if (Object.hasOwn(printed, name)) return printed[name];
  const key = Object.keys(printed).find((each) => each.slice(each.indexOf('#') + 1) === name);
  return key === undefined ? undefined : printed[key];
}

/** The number a path leads to in a bucket; NaN where there is none. */
export function bucketValue(bucket: Bucket, path: string, gaps: GapPolicy): number {
  tick(256);
  const value = find(bucket, stepsOf(path), path);
  // What is not there has no value in place of it either.
  if (value === undefined) return Number.NaN;
  const empty = bucket['doc_count'] === 0 && path !== '_count';
  if (Number.isFinite(value) && !empty) return value;
  return gaps === 'insert_zeros' ? 0 : Number.NaN;
}

/** Whether there is what a path leads to in a bucket; it may have no value. */
export function hasValue(bucket: Bucket, path: string): boolean {
  return find(bucket, stepsOf(path), path) !== undefined;
}

/** The number a path leads to; undefined where there is no such aggregation or bucket. */
function find(bucket: Bucket, steps: readonly string[], path: string): number | undefined {
  const [step = '', ...rest] = steps;
  if (step === '_count') return Number(bucket['doc_count']);
  if (step === '_key') return typeof bucket['key'] === 'number' ? bucket['key'] : Number.NaN;
  const [name, property] = partsOf(step, (each) => memberOf(bucket, each) !== undefined);
  const whole = memberOf(bucket, name);
  if (!isObject(whole)) return undefined;
  const found = rest.length > 0 && property !== undefined ? bucketOf(whole, property) : whole;
  if (found === undefined) return undefined;
  if (rest.length > 0) return rest[0] === '_bucket_count' ? bucketsOf(found).length : find(found, rest, path);
  if (property === '_count') return Number(found['doc_count']);
  if (property === '_bucket_count') return bucketsOf(found).length;
  const value = valueOf(found, property);
  if (value === null) return Number.NaN;
  if (typeof value !== 'number')
    throw reduceError(
      `buckets_path must reference either a number value or a single value numeric metric aggregation, got: [${path}]`,
    );
  return value;
}

/** The bucket with a key of a printed aggregation: `sales['hat']>sum`. */
function bucketOf(printed: Bucket, key: string): Bucket | undefined {
  return bucketsOf(printed).find((each) => textOf(each['key_as_string'] ?? each['key']) === key);
}

/** The value of a printed metric, or a property of it. */
function valueOf(found: Bucket, property: string | undefined): unknown {
  if (property === undefined) return found['value'];
  const { values } = found;
  if (isObject(values)) return values[property] ?? values[`${property}.0`] ?? null;
  if (Object.hasOwn(found, property)) return found[property];
  if (Array.isArray(found['top'])) return memberOfMetric(found, property);
  // `filter.sum` is as good as `filter>sum`.
  const inner = memberOf(found, property);
  return isObject(inner) ? inner['value'] : undefined;
}

/** The buckets of a printed aggregation; keyed ones get their key. */
export function bucketsOf(printed: Bucket): readonly Bucket[] {
  const { buckets } = printed;
  if (Array.isArray(buckets)) return buckets;
  if (!isObject(buckets)) return [];
  return Object.entries(buckets).map(([key, bucket]) => ({ key, ...asObject(bucket, key) }));
}
