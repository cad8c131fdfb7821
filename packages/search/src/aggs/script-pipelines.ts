// Pipeline aggregations whose script says what is computed of each bucket: `bucket_script`, `bucket_selector` and `moving_fn`; and
// `moving_avg`, `normalize`, which name what they compute. What scripts can say is in bucket-expression.ts.
import { asInteger, asObject, asString, checkKeys, type Json, textOf } from '../json/json.ts';
import { tick } from '../tasks/request-budget.ts';
import {
  contentError,
  illegalArgument,
  parseException,
  parsingError,
  scriptFailure,
  unsupported,
} from '../errors/request-error.ts';
import { type AnswerType, type BucketScript, parseBucketScript } from './bucket-expression.ts';
import { bucketValue, checkPath, stepsOf } from './buckets-path.ts';
import { MOVING_FUNCTIONS } from './moving-functions.ts';
import type { ParentDefinition, ParentRequest, ParentPipeline } from './pipeline.ts';
import { OF_BUCKETS } from './on-cluster.ts';

/** What a parameter of a script takes, and a value of a window, in steps. */
const PARAM_STEPS = 64;
const VALUE_STEPS = 8;

interface Script {
  readonly script: BucketScript;
  readonly params: ReadonlyMap<string, number | boolean | null>;
  readonly isExpression: boolean;
}

function readScript(given: unknown, answer: AnswerType): Script {
  if (given === undefined || given === null) throw illegalArgument('Required [script]');
  if (typeof given === 'string')
    return { script: parseBucketScript(given, 'painless', answer), params: new Map(), isExpression: false };
  const body = asObject(given, 'script');
  if (body['id'] !== undefined || body['stored'] !== undefined)
    throw unsupported('a stored [script] in a pipeline aggregation');
  checkKeys(body, 'script', ['source', 'inline', 'lang', 'params', 'options']);
  const source = asString(body['source'] ?? body['inline'], 'source');
  const params = new Map<string, number | boolean | null>();
  for (const [key, value] of Object.entries(asObject(body['params'] ?? {}, 'params'))) {
    if (typeof value !== 'number' && typeof value !== 'boolean' && value !== null)
      throw unsupported(`the parameter [${key}] of a script in a pipeline aggregation, which is no number or boolean,`);
    params.set(key, value);
  }
  const lang = body['lang'] === undefined ? 'painless' : asString(body['lang'], 'lang');
  return { script: parseBucketScript(source, lang, answer), params, isExpression: lang === 'expression' };
}

/** The paths by the names that the script knows them by. */
function readPaths(given: unknown): readonly (readonly [string, string])[] {
  if (typeof given === 'string') return [['_value', given]];
  if (Array.isArray(given)) return given.map((path, at) => [`_value${at}`, asString(path, 'buckets_path')]);
  return Object.entries(asObject(given, 'buckets_path')).map(([key, path]) => [key, asString(path, 'buckets_path')]);
}

/** What a script computes of the numbers of each bucket. */
interface BucketNumbers extends Script {
  readonly paths: readonly (readonly [string, string])[];
  readonly run: (values: readonly number[]) => number | boolean | null;
}

function readBucketScript({ body, parent }: ParentRequest, answer: AnswerType): BucketNumbers {
  const paths = readPaths(body['buckets_path']);
  // Elasticsearch compiles the script once all paths are checked.
  for (const [, path] of paths) checkPath(path, parent.inner);
  const script = readScript(body['script'], answer);
  const doubles = new Set(paths.map(([key]) => key));
  return {
    ...script,
    paths,
    run(values) {
      tick(PARAM_STEPS * (script.params.size + paths.length));
      const own = paths.map(([key], at) => [key, values[at] ?? NaN] as const);
      return script.script.run({ params: new Map([...script.params, ...own]), doubles });
    },
  };
}

/** `bucket_script`. */
const bucketScript: ParentDefinition['read'] = (request) => {
  const { name, gaps, put, format } = request;
  const { paths, run } = readBucketScript(request, 'Number');
  return {
    name,
    reads: paths.flatMap(([, path]) => stepsOf(path).slice(0, 1)),
    apply: (buckets, typedKeys) =>
      buckets.map((bucket) => {
        const values = paths.map(([, path]) => bucketValue(bucket, path, gaps));
        if (gaps === 'skip' && values.some((value) => Number.isNaN(value))) return bucket;
        const found = run(values);
        if (typeof found === 'boolean')
          throw scriptFailure(`the script of [${name}] answers a boolean, which is no number`);
        return found === null ? bucket : put(bucket, typedKeys, format(found));
      }),
  };
};

/** `bucket_selector`. */
const bucketSelector: ParentDefinition['read'] = (request) => {
  const { name, gaps, body } = request;
  for (const key of ['buckets_path', 'script'])
    if (body[key] === undefined)
      throw parsingError(`Missing required field [${key}] for bucket_selector aggregation [${name}]`);
  const { paths, run, isExpression } = readBucketScript(request, 'boolean');
  return {
    name,
    reads: paths.flatMap(([, path]) => stepsOf(path).slice(0, 1)),
    apply: (buckets) =>
      buckets.filter((bucket) => {
        const kept = run(paths.map(([, path]) => bucketValue(bucket, path, gaps)));
        if (typeof kept === 'number' && isExpression) return kept === 1;
        if (typeof kept !== 'boolean') throw scriptFailure(`the script of [${name}] answers no boolean`);
        return kept;
      }),
  };
};

/** What `moving_fn` is built of: the last one in a body builds it. */
const isRequired = (key: string): boolean => ['buckets_path', 'window', 'script'].includes(key);

/** `moving_fn`. */
function movingFunction({ name, body, gaps, put, format }: ParentRequest): ParentPipeline {
  const path = asString(body['buckets_path'], 'buckets_path');
  const window = asInteger(body['window'], 'window');
  if (window <= 0)
    throw contentError(`[moving_fn] failed to parse field [${Object.keys(body).findLast(isRequired)}]`, {
      type: 'x_content_parse_exception',
      reason: 'Failed to build [moving_fn] after last required field arrived',
      caused_by: {
        type: 'illegal_argument_exception',
        reason: '[window] must be a positive, non-zero integer.',
      },
    });
  const shift = body['shift'] === undefined ? 0 : asInteger(body['shift'], 'shift');
  const { script, params } = readScript(body['script'], 'double');
  const doubles = new Set<string>();
  return {
    name,
    reads: stepsOf(path).slice(0, 1),
    apply(buckets, typedKeys) {
      const values = buckets.map((bucket) => bucketValue(bucket, path, gaps));
      const real = values.filter((value) => !Number.isNaN(value));
      const within = (at: number): number => Math.max(0, Math.min(at, real.length));
      let place = 0;
      return buckets.map((bucket, at) => {
        if (Number.isNaN(values[at]!)) return bucket;
        const seen = real.slice(within(place - window + shift), within(place + shift));
        tick(seen.length);
        place++;
        const found = script.run({ params, doubles, values: seen });
        if (typeof found !== 'number') throw scriptFailure(`the script of [${name}] answers no number`);
        return put(bucket, typedKeys, format(found));
      });
    },
  };
}

const MODELS = ['simple', 'linear', 'ewma', 'holt', 'holt_winters'] as const;

/** `moving_avg`, which Elasticsearch advises to replace by `moving_fn`. */
export function movingAverage({ name, body, gaps, put, format }: ParentRequest): ParentPipeline {
  const path = asString(body['buckets_path'], 'buckets_path');
  const window = body['window'] === undefined ? 5 : asInteger(body['window'], 'window');
  if (window <= 0)
    throw parsingError(`[window] value must be a positive, non-zero integer.  Value supplied was [null] in [${name}].`);
  if (body['predict'] !== undefined && Number(body['predict']) <= 0)
    throw parsingError(
      `[predict] value must be a positive integer.  Value supplied was [${textOf(body['predict'])}] in [${name}].`,
    );
  if (body['predict'] !== undefined) throw unsupported('[predict] in a [moving_avg] aggregation');
  const model = body['model'] === undefined ? 'simple' : MODELS.find((each) => each === body['model']);
  if (model === undefined) throw parsingError(`no [moving_avg_model] registered for [${textOf(body['model'])}]`);
  if (body['minimize'] === true || (model === 'holt_winters' && body['minimize'] !== false))
    throw unsupported('[minimize] [true] in a [moving_avg] aggregation');
  // Settings are those of a model that is named.
  const settings = body['model'] === undefined ? {} : asObject(body['settings'] ?? {}, 'settings');
  const of = modelOf(model, settings, window);
  return {
    name,
    reads: stepsOf(path).slice(0, 1),
    apply(buckets, typedKeys) {
      const seen: number[] = [];
      return buckets.map((bucket) => {
        const value = bucketValue(bucket, path, gaps);
        if (Number.isNaN(value)) return bucket;
        const average = seen.length < of.least ? undefined : of.next(seen.slice(-window));
        seen.push(value);
        return average === undefined ? bucket : put(bucket, typedKeys, format(average));
      });
    },
  };
}

/** The settings of each model. */
const SETTINGS: Readonly<Record<(typeof MODELS)[number], readonly string[]>> = {
  simple: [],
  linear: [],
  ewma: ['alpha'],
  holt: ['alpha', 'beta'],
  holt_winters: ['alpha', 'beta', 'gamma', 'period', 'type', 'pad'],
};

/** What a model computes of the values before a bucket, and how many it needs. */
function modelOf(
  model: (typeof MODELS)[number],
  settings: Json,
  window: number,
): { readonly least: number; next(values: readonly number[]): number } {
  const wrong = (reason: string): Error =>
    parsingError(`Could not parse settings for model [${model}].`, { hint: reason });
  const [unknown] = Object.keys(settings).filter((key) => !SETTINGS[model].includes(key));
  if (unknown !== undefined) throw wrong(`Unrecognized parameter [${unknown}]`);
  const share = (key: string, fallback: number): number => {
    const value = settings[key] ?? fallback;
    if (typeof value !== 'number') throw wrong(`Parameter [${key}] must be a double, type is [${textOf(value)}]`);
    if (value < 0 || value > 1)
      throw wrong(`Parameter [${key}] must be between 0-1 inclusive.  Provided value was [${value}]`);
    return value;
  };
  const by = (
    name: string,
    ...more: readonly number[]
  ): { least: number; next(values: readonly number[]): number } => ({
    least: 1,
    next(values) {
      tick(VALUE_STEPS * values.length);
      return MOVING_FUNCTIONS[name]!.of(values, ...more);
    },
  });
  switch (model) {
    case 'simple':
      return by('unweightedAvg');
    case 'linear':
      return by('linearWeightedAvg');
    case 'ewma':
      return by('ewma', share('alpha', 0.3));
    case 'holt':
      return by('holt', share('alpha', 0.3), share('beta', 0.1));
    case 'holt_winters': {
      const period = settings['period'] === undefined ? 1 : asInteger(settings['period'], 'period');
      if (period < 1) throw illegalArgument(`Parameter [period] must be positive.  Provided value was [${period}]`);
      const { type = 'add' } = settings;
      if (type !== 'add' && type !== 'mult')
        throw parseException(`failed to parse seasonality type [${textOf(type)}]. accepted values are [[add, mult]]`);
      if (settings['pad'] !== undefined && settings['pad'] !== (type === 'mult'))
        throw unsupported(`[pad] [${textOf(settings['pad'])}] with [type] [${type}] in a [moving_avg] aggregation`);
      if (window < 2 * period)
        throw illegalArgument(
          `Field [window] must be at least twice as large as the period when using Holt-Winters.  Value provided was [${window}], which is less than (2*period) == ${2 * period}`,
        );
      const shares = [share('alpha', 0.3), share('beta', 0.1), share('gamma', 0.3)];
      return { ...by('holtWinters', ...shares, period, type === 'mult' ? 1 : 0), least: 2 * period };
    }
  }
}

const METHODS: Readonly<Record<string, (values: readonly number[]) => (value: number) => number>> = {
  rescale_0_1: rescaled(1),
  rescale_0_100: rescaled(100),
  percent_of_sum: (values) => {
    const total = sum(values);
    return (value) => value / total;
  },
  mean: (values) => {
    const [mean, range] = [sum(values) / values.length, highest(values) - lowest(values)];
    return (value) => (value - mean) / range;
  },
  'z-score': (values) => {
    const mean = sum(values) / values.length;
    const deviation = Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / values.length);
    return (value) => (value - mean) / deviation;
  },
  softmax: (values) => {
    const total = sum(values.map(Math.exp));
    return (value) => Math.exp(value) / total;
  },
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const lowest = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);
const highest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity);

function rescaled(to: number): (values: readonly number[]) => (value: number) => number {
  return (values) => {
    const [low, range] = [lowest(values), highest(values) - lowest(values)];
    return (value) => (to * (value - low)) / range;
  };
}

/** `normalize`. */
function normalize({ name, body, put, format }: ParentRequest): ParentPipeline {
  const path = asString(body['buckets_path'], 'buckets_path');
  const method = asString(body['method'], 'method');
  const of = Object.hasOwn(METHODS, method) ? METHODS[method]! : undefined;
  if (of === undefined)
    throw illegalArgument(`invalid method [${method}]; it is one of [${Object.keys(METHODS).join(', ')}]`);
  return {
    name,
    reads: stepsOf(path).slice(0, 1),
    apply(buckets, typedKeys) {
      const values = buckets.map((bucket) => bucketValue(bucket, path, 'skip'));
      const normalized = of(values.filter((value) => !Number.isNaN(value)));
      return buckets.map((bucket, at) => put(bucket, typedKeys, format(normalized(values[at]!))));
    },
  };
}

export const SCRIPT_PIPELINES = {
  bucket_script: {
    kind: 'parent',
    cluster: OF_BUCKETS,
    options: ['buckets_path', 'script', 'gap_policy', 'format'],
    path: 'own',
    needs: ['buckets_path', 'script'],
    read: bucketScript,
  },
  bucket_selector: {
    kind: 'parent',
    cluster: OF_BUCKETS,
    options: ['buckets_path', 'script', 'gap_policy'],
    path: 'own',
    isReadByHand: ['VALUE_STRING', 'START_ARRAY', 'START_OBJECT'],
    read: bucketSelector,
  },
  moving_fn: {
    kind: 'parent',
    cluster: OF_BUCKETS,
    options: ['buckets_path', 'window', 'script', 'shift', 'gap_policy', 'format'],
    needsHistogram: true,
    path: 'one',
    needs: ['buckets_path', 'script', 'window'],
    read: movingFunction,
  },
  moving_avg: {
    kind: 'parent',
    cluster: OF_BUCKETS,
    options: ['buckets_path', 'window', 'model', 'settings', 'predict', 'minimize', 'gap_policy', 'format'],
    needsHistogram: true,
    path: 'one',
    isReadByHand: ['VALUE_NUMBER', 'VALUE_STRING', 'START_OBJECT', 'START_ARRAY', 'VALUE_BOOLEAN'],
    read: movingAverage,
  },
  normalize: {
    kind: 'parent',
    cluster: OF_BUCKETS,
    options: ['buckets_path', 'method', 'format'],
    sample: { method: 'mean' },
    path: 'one',
    needs: ['buckets_path', 'method'],
    read: normalize,
  },
} as const satisfies Readonly<Record<string, ParentDefinition>>;
