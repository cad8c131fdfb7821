// Reads pipeline aggregations: their path, gap policy and format, which all of them have, and the rest as each defines it. Applies those that
// stand inside of an aggregation to its buckets.
import { asObject, asString, isObject, type Json, textOf, toList } from '../json/json.ts';
import {
  illegalArgument,
  isShardFailure,
  parsingError,
  reduceError,
  validationError,
} from '../errors/request-error.ts';
import type { Aggregator } from './aggregator.ts';
import { type Bucket, bucketsOf, bucketValue, checkPath, memberOf, readGapPolicy, stepsOf } from './buckets-path.ts';
import { decimalPrinter } from './definition.ts';
import { checkParsedPipeline, checkPipelineByHand } from './members.ts';
import { bucketCountOf, definitionOf } from './definitions.ts';
import { builderClass } from './java-names.ts';
import {
  type BucketNumber,
  type ParentDefinition,
  type ParentOf,
  type ParentPipeline,
  shown,
  type SiblingDefinition,
} from './pipeline.ts';

/** @param kind said where a path is missing; empty or with a blank after it */
function pathOf(name: string, body: Json, kind: string): string {
  const given = body['buckets_path'];
  if (given === undefined) throw parsingError(`Missing required field [buckets_path] for ${kind}aggregation [${name}]`);
  // Of several the first one is taken.
  const [path] = toList(given);
  if (path === undefined || isObject(path))
    throw illegalArgument(`Required one buckets_path, a text, for aggregation [${name}]`);
  return asString(path, 'buckets_path');
}

const formatBy =
  (print: ((value: number) => string) | undefined) =>
  (value: number): Json => ({
    value: shown(value),
    ...(print === undefined || !Number.isFinite(value) ? {} : { value_as_string: print(value) }),
  });

/** What of one request a sibling pipeline is read from. */
interface Sibling {
  readonly type: string;
  readonly name: string;
  readonly meta: Json | undefined;
  readonly body: Json;
  /** The definitions beside it. */
  readonly level: Json;
}

/** Reads a pipeline that stands beside the aggregation it works on. */
export function readSibling(definition: SiblingDefinition, { type, name, meta, body, level }: Sibling): Aggregator {
  checkPipelineByHand(
    { type, name, body, options: definition.options },
    (token, key) => `Unexpected token ${token} [${key}] in [${name}]`,
  );
  const path = pathOf(name, body, '');
  const gaps = readGapPolicy(body, name);
  const print = decimalPrinter(body);
  const compute = definition.read({ name, body, print, format: formatBy(print) });
  const [first, ...rest] = separated(path, level);
  // References to other aggregations are checked after all are parsed.
  // What follows the dot of a path of one step is the key of a bucket, which need not be there.
  checkPath(path.includes('>') ? [first, ...rest].join('>') : first, level);
  const around = level[first];
  if (!isObject(around))
    throw validationError(`buckets_path aggregation does not exist for aggregation [${name}]: ${path}`);
  checkMultiBucket(name, around, path);
  const doubles = around['histogram'] !== undefined;
  const numbersOf = (printed: Bucket): readonly BucketNumber[] => {
    const source = asObject(memberOf(printed, first), first);
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
    name,
    typeName: definition.typeName,
    meta,
    needsScores: false,
    open: () => undefined,
    fromSiblings: (printed) => compute(numbersOf(printed)),
    result: () => ({}),
  };
}

/** @throws RequestError for a first step with one bucket, or without any */
function checkMultiBucket(name: string, around: Json, path: string): void {
  const type = Object.keys(around).find((key) => definitionOf(key) !== undefined) ?? '';
  // Elasticsearch counts the buckets of `composite` as one.
  if (type !== 'composite' && ['named', 'many'].includes(bucketCountOf(type) ?? '')) return;
  throw validationError(
    `The first aggregation in buckets_path must be a multi-bucket aggregation for aggregation [${name}] found :${builderClass(type)} for buckets path: ${path}`,
  );
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
export function readParent(
  definition: ParentDefinition,
  type: string,
  name: string,
  body: Json,
  parent: ParentOf,
): ParentPipeline {
  checkParent(definition, { type, name, body, options: definition.options });
  const { needs = [] } = definition;
  const lacking = needs.filter((each) => body[each] === undefined);
  if (lacking.length > 0) throw illegalArgument(`Required [${lacking.join(', ')}]`);
  const path = definition.path === 'own' ? '' : pathOf(name, body, `${type === 'moving_avg' ? 'movingAvg' : type} `);
  // References to other aggregations are checked after all are parsed, and scripts are compiled once all shards have answered.
  const check = (): void => {
    if (definition.needsHistogram === true) checkHistogram(type, name, parent);
    if (definition.path !== 'own') checkPath(path, parent.inner);
  };
  const pipeline = readOr(check, () =>
    definition.read({
      type,
      name,
      body,
      path,
      gaps: readGapPolicy(body, name),
      parent,
      put: (bucket, typedKeys, value) => ({
        ...bucket,
        [typedKeys ? `${definition.typeName ?? 'simple_value'}#${name}` : name]:
          parent.meta === undefined ? value : { meta: parent.meta, ...value },
      }),
      format: formatBy(decimalPrinter(body)),
    }),
  );
  check();
  return pipeline;
}

/** Reads; what only fails once shards are asked is reported after what the check finds. */
function readOr<T>(check: () => void, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isShardFailure(error)) check();
    throw error;
  }
}

function checkParent(definition: ParentDefinition, pipeline: Parameters<typeof checkParsedPipeline>[0]): void {
  if (definition.isReadByHand === undefined) return checkParsedPipeline(pipeline);
  const tokens: readonly string[] = definition.isReadByHand;
  checkPipelineByHand(pipeline, (token, key) =>
    tokens.includes(token)
      ? `Unknown key for a ${token} in [${pipeline.name}]: [${key}].`
      : `Unexpected token ${token} in [${pipeline.name}].`,
  );
}

/** @throws RequestError where a pipeline has no buckets in a row around it */
function checkHistogram(type: string, name: string, parent: ParentOf): void {
  const around = definitionOf(parent.type);
  if (around?.kind !== 'bucket' || around.isHistogram !== true)
    throw validationError(
      `${type} aggregation [${name}] must have a histogram, date_histogram or auto_date_histogram as parent`,
    );
  const { min_doc_count: least } = parent.body;
  if (least !== undefined && Number(least) !== 0)
    throw validationError(`parent histogram of ${type} aggregation [${name}] must have min_doc_count of 0`);
}

/** The result of an aggregation with the pipelines inside of it applied, those first that others read. */
export function applyParents(result: Json, pipelines: readonly ParentPipeline[], typedKeys: boolean): Json {
  const { buckets } = result;
  if (pipelines.length === 0 || (!Array.isArray(buckets) && !isObject(buckets))) return result;
  const keyed = !Array.isArray(buckets);
  let rows: readonly Bucket[] = keyed
    ? Object.entries(buckets).map(([key, bucket]) => ({ ...asObject(bucket, 'bucket'), [LABEL]: key }))
    : buckets;
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
    if (ready.length === 0)
      throw illegalArgument(`Cyclical dependency found with pipeline aggregator [${left[0]!.name}]`);
    done.push(...ready);
    left = left.filter((each) => !ready.includes(each));
  }
  return done;
}
