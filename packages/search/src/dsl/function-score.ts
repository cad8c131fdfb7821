// `function_score`: which functions change a score, how they join, and the decay curves' origins and distances.
import { asChoice, asNumber, asObject, asString, checkKeys, isObject, type Json, toList, textOf } from '../json.ts';
import { parseDateMath } from '../mapping/date-math.ts';
import { hasColumn, isNumeric } from '../mapping/field-type.ts';
import { parseDistance, parsePoint } from '../mapping/geo.ts';
import type { Query, ScoreFunction, ScoreModifier } from '../query/query.ts';
import { illegalArgument, parsingError, queryShardError, unsupported } from '../request-error.ts';
import type { QueryContext } from './context.ts';

const FUNCTIONS = ['field_value_factor', 'gauss', 'exp', 'linear', 'random_score', 'script_score', 'weight'];
const KEYS = [
  'query',
  'functions',
  'score_mode',
  'boost_mode',
  'max_boost',
  'min_score',
  'boost',
  '_name',
  ...FUNCTIONS,
];
const MODIFIERS: readonly ScoreModifier[] = [
  'none',
  'log',
  'log1p',
  'log2p',
  'ln',
  'ln1p',
  'ln2p',
  'square',
  'sqrt',
  'reciprocal',
];

/** Reads `function_score`. @param inner reads queries inside */
export function functionScore(json: unknown, context: QueryContext, inner: (query: unknown) => Query): Query {
  const body = asObject(json, 'function_score');
  checkKeys(body, 'function_score', KEYS);
  const query: Query = body['query'] === undefined ? { kind: 'match_all' } : inner(body['query']);
  const functions: ScoreFunction[] =
    body['functions'] === undefined ? [] : toList(body['functions']).map((each) => oneFunction(each, context, inner));
  const single = FUNCTIONS.filter((key) => body[key] !== undefined);
  if (single.length > 0) {
    if (functions.length > 0)
      throw parsingError(
        `failed to parse [function_score] query. already found [functions] array, now encountering [${single[0]}].`,
      );
    functions.push(readFunction(Object.fromEntries(single.map((key) => [key, body[key]])), context));
  }
  return {
    kind: 'function_score',
    query,
    functions,
    scoreMode:
      body['score_mode'] === undefined
        ? 'multiply'
        : asChoice(body['score_mode'], 'score_mode', ['multiply', 'sum', 'avg', 'first', 'max', 'min']),
    boostMode:
      body['boost_mode'] === undefined
        ? 'multiply'
        : asChoice(body['boost_mode'], 'boost_mode', ['multiply', 'replace', 'sum', 'avg', 'max', 'min']),
    ...(body['max_boost'] === undefined ? {} : { maxBoost: asNumber(body['max_boost'], 'max_boost') }),
    ...(body['min_score'] === undefined ? {} : { minScore: asNumber(body['min_score'], 'min_score') }),
  };
}

function oneFunction(json: unknown, context: QueryContext, inner: (query: unknown) => Query): ScoreFunction {
  const body = asObject(json, 'functions');
  checkKeys(body, 'functions', ['filter', ...FUNCTIONS]);
  const made = readFunction(body, context);
  return body['filter'] === undefined ? made : { ...made, filter: inner(body['filter']) };
}

function readFunction(body: Json, context: QueryContext): ScoreFunction {
  if (body['script_score'] !== undefined) throw unsupported('function [script_score]');
  const kinds = FUNCTIONS.filter((key) => key !== 'weight' && body[key] !== undefined);
  if (kinds.length > 1)
    throw parsingError(
      `failed to parse function_score functions. already found [${kinds[0]}], now encountering [${kinds[1]}].`,
    );
  const weight = body['weight'] === undefined ? {} : { weight: asNumber(body['weight'], 'weight') };
  const kind = kinds[0];
  if (kind === undefined) {
    if (body['weight'] === undefined) throw parsingError('an entry in functions list is missing a function.');
    return weight;
  }
  const value = asObject(body[kind], kind);
  switch (kind) {
    case 'field_value_factor': {
      checkKeys(value, kind, ['field', 'factor', 'modifier', 'missing']);
      const field = asString(value['field'], 'field_value_factor.field');
      const missing = value['missing'] === undefined ? undefined : asNumber(value['missing'], 'missing');
      const mapped = context.mapping.field(field);
      if (mapped === undefined && missing === undefined)
        throw queryShardError(`Unable to find a field mapper for field [${field}]`, context.index);
      return {
        ...weight,
        function: {
          kind,
          field: mapped?.path ?? field,
          factor: value['factor'] === undefined ? 1 : asNumber(value['factor'], 'factor'),
          modifier: value['modifier'] === undefined ? 'none' : asChoice(value['modifier'], 'modifier', MODIFIERS),
          ...(missing === undefined ? {} : { missing }),
        },
      };
    }
    case 'random_score': {
      checkKeys(value, kind, ['seed', 'field']);
      const seed = value['seed'];
      return {
        ...weight,
        function: {
          kind: 'random',
          seed: seed === undefined ? context.now : typeof seed === 'number' ? seed : hash(textOf(seed)),
          ...(value['field'] === undefined || value['field'] === '_seq_no'
            ? {}
            : { field: asString(value['field'], 'field') }),
        },
      };
    }
    default:
      return { ...weight, function: decay(kind as 'gauss' | 'exp' | 'linear', value, context) };
  }
}

function hash(text: string): number {
  let value = 0;
  for (let at = 0; at < text.length; at++) value = (Math.imul(31, value) + text.charCodeAt(at)) | 0;
  return value;
}

function decay(
  shape: 'gauss' | 'exp' | 'linear',
  value: Json,
  context: QueryContext,
): NonNullable<ScoreFunction['function']> {
  const { multi_value_mode: mode, ...rest } = value;
  const [name, ...others] = Object.keys(rest);
  if (name === undefined || others.length > 0)
    throw parsingError(`malformed score function score parameters, [${shape}] needs exactly one field`);
  const body = rest[name];
  if (!isObject(body)) throw parsingError(`malformed score function score parameters of [${shape}]`);
  checkKeys(body, shape, ['origin', 'scale', 'offset', 'decay']);
  const field = context.mapping.field(name);
  if (field === undefined) throw queryShardError(`unknown field [${name}]`, context.index);
  if (body['scale'] === undefined) throw parsingError('both [scale] and [origin] must be set for this function.');
  const shared = {
    kind: 'decay' as const,
    shape,
    field: field.path,
    decay: body['decay'] === undefined ? 0.5 : asNumber(body['decay'], 'decay'),
    multiValueMode:
      mode === undefined ? ('min' as const) : asChoice(mode, 'multi_value_mode', ['min', 'max', 'avg', 'sum']),
  };
  if (shared.decay <= 0 || shared.decay >= 1) throw illegalArgument(`decay must be in the range [0..1].`);
  if (field.family === 'geo') {
    return {
      ...shared,
      origin: parsePoint(body['origin']),
      scale: parseDistance(body['scale']),
      offset: body['offset'] === undefined ? 0 : parseDistance(body['offset']),
    };
  }
  if (field.family === 'date') {
    const origin = body['origin'] ?? 'now';
    return {
      ...shared,
      origin: typeof origin === 'number' ? origin : parseDateMath(textOf(origin), field.format, { now: context.now }),
      scale: duration(body['scale']),
      offset: body['offset'] === undefined ? 0 : duration(body['offset']),
    };
  }
  if (!isNumeric(field) || !hasColumn(field)) {
    throw queryShardError(
      `field [${name}] is of type [${field.type}], but only numeric types are supported.`,
      context.index,
    );
  }
  return {
    ...shared,
    origin: asNumber(body['origin'], 'origin'),
    scale: asNumber(body['scale'], 'scale'),
    offset: body['offset'] === undefined ? 0 : asNumber(body['offset'], 'offset'),
  };
}

const UNITS: Readonly<Record<string, number>> = {
  nanos: 1e-6,
  micros: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Reads `10d`, `1.5h`: milliseconds. */
export function duration(value: unknown): number {
  if (value === -1 || value === '-1') return -1;
  if (value === 0 || value === '0') return 0;
  const match = /^(-?\d+(?:\.\d+)?)\s*(nanos|micros|ms|s|m|h|d|w)$/i.exec(String(value));
  if (match === null) {
    throw illegalArgument(`failed to parse [${String(value)}] as a time value: unit is missing or unrecognized`);
  }
  return Number(match[1]) * UNITS[match[2]!.toLowerCase()]!;
}
