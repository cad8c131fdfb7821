// `function_score`: which functions change a score, how they join, and the decay curves' origins and distances.
import { isOneOf } from '@lockstitch/kernel';
import { readTime } from '../json/time-value.ts';
import { asChoice, asNumber, asObject, asString, isObject, type Json, knownHere, textOf } from '../json/json.ts';
import { parseDateMath } from '../mapping/date-math.ts';
import { hasColumn, hasFielddata, hasNanos, isNumeric, isWhole, type MappedField } from '../mapping/field-type.ts';
import { parseDistance, parsePoint } from '../mapping/geo.ts';
import { nanosPath } from '../mapping/nanos.ts';
import type { MultiValueMode, ScoreFunction, ScoreModifier } from '../query/kinds/function-score.ts';
import type { Query } from '../query/query.ts';
import {
  failedQuery,
  illegalArgument,
  isShardFailure,
  parsingError,
  RequestError,
  unsupported,
} from '../errors/request-error.ts';
import type { QueryContext } from './context.ts';

const FUNCTIONS = ['field_value_factor', 'gauss', 'exp', 'linear', 'random_score', 'script_score'] as const;
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
const DECAY = ['origin', 'scale', 'offset', 'decay'];
const SCORE_MODES = ['multiply', 'sum', 'avg', 'first', 'max', 'min'] as const;
const BOOST_MODES = ['multiply', 'replace', 'sum', 'avg', 'max', 'min'] as const;
const VALUE_MODES: readonly MultiValueMode[] = ['min', 'max', 'avg', 'sum', 'median'];

/** Reads `function_score`. @param inner reads queries inside */
export function functionScore(json: unknown, context: QueryContext, inner: (query: unknown) => Query): Query {
  const body = asObject(json, 'function_score');
  const given = (key: string): boolean => body[key] !== undefined && body[key] !== null;
  const known = ['query', 'functions', 'score_mode', 'boost_mode', 'max_boost', 'min_score', 'boost', '_name'];
  let functions: ScoreFunction[] | undefined;
  let single: string | undefined;
  for (const [key, value] of Object.entries(body)) {
    if (value === null) continue;
    if (key !== 'functions' && Array.isArray(value))
      throw parsingError(`failed to parse [function_score] query. array [${key}] is not supported`);
    if (key === 'query' && !isObject(value))
      throw parsingError('failed to parse [function_score] query. field [query] is not supported');
    if (key !== 'functions' && known.includes(key)) continue;
    if (key === 'functions') {
      if (single !== undefined) throw twoFunctions(single, key);
      if (!Array.isArray(value)) throw parsingError('failed to parse [function_score] query. [functions] is a list');
      functions = readAll(value, (each) => oneFunction(each, context, inner));
      continue;
    }
    if (key !== 'weight' && (!isOneOf(FUNCTIONS, key) || !isObject(value)))
      throw notSupported(key, [...known, ...FUNCTIONS, 'weight']);
    if (single !== undefined) throw twoFunctions(single, key);
    if (functions !== undefined)
      throw parsingError(
        `failed to parse [function_score] query. [you can either define [functions] array or a single function, not both. already found [functions] array, now encountering [${key}].]`,
      );
    functions = [readFunction({ [key]: value }, context)];
    single = key;
  }
  return {
    kind: 'function_score',
    query: given('query') ? inner(body['query']) : { kind: 'match_all' },
    functions: functions ?? [],
    scoreMode: given('score_mode')
      ? javaEnum(body['score_mode'], 'FunctionScoreQuery.ScoreMode', SCORE_MODES)
      : 'multiply',
    boostMode: given('boost_mode') ? javaEnum(body['boost_mode'], 'CombineFunction', BOOST_MODES) : 'multiply',
    ...(given('max_boost') ? { maxBoost: asFloat(body['max_boost']) } : {}),
    ...(given('min_score') ? { minScore: asFloat(body['min_score']) } : {}),
  };
}

/** Reads each element. What an index refuses is told after what no index makes right. */
function readAll<T>(values: readonly unknown[], read: (value: unknown) => T): T[] {
  const found: T[] = [];
  let refusal: unknown;
  for (const value of values)
    try {
      found.push(read(value));
    } catch (error) {
      if (!isShardFailure(error)) throw error;
      refusal ??= error;
    }
  if (refusal !== undefined) throw refusal;
  return found;
}

function twoFunctions(first: string, second: string): Error {
  return parsingError(
    `failed to parse [function_score] query. already found function [${first}], now encountering [${second}]. use [functions] array if you want to define several functions.`,
  );
}

/** A mistake that shows before any index is asked. */
function unreadable(reason: string, type = 'illegal_argument_exception', hint?: string): Error {
  return new RequestError('SEARCH_ILLEGAL_ARGUMENT', type, reason, {
    phase: false,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** A number of 32 bits. */
function asFloat(value: unknown): number {
  if (typeof value === 'number') return Math.fround(value);
  if (typeof value === 'string') {
    const number = value.trim() === '' ? Number.NaN : Number(value);
    if (!Number.isNaN(number)) return Math.fround(number);
    throw unreadable(value === '' ? 'empty String' : `For input string: "${value}"`, 'number_format_exception');
  }
  throw unreadable(`Current token (${textOf(value)}) not numeric`, 'json_parse_exception');
}

function choice<Choice extends string>(value: unknown, where: string, choices: readonly Choice[]): Choice {
  try {
    return asChoice(value, where, choices);
  } catch (error) {
    throw error instanceof RequestError ? unreadable(error.message) : error;
  }
}

/** One of the words of an enum of Java. @param name of the enum in the package of functions */
function javaEnum<Choice extends string>(value: unknown, name: string, choices: readonly Choice[]): Choice {
  const text = textOf(value);
  const found = choices.find((each) => each === text.toLowerCase());
  if (found !== undefined) return found;
  throw unreadable(
    `No enum constant org.elasticsearch.common.lucene.search.function.${name}.${text.toUpperCase()}`,
    undefined,
    knownHere(text, choices).hint,
  );
}

function oneFunction(json: unknown, context: QueryContext, inner: (query: unknown) => Query): ScoreFunction {
  if (!isObject(json)) throw parsingError('failed to parse [function_score]. an entry in functions list is no object');
  const { filter, ...body } = json;
  const isAll = filter === undefined || filter === null || (isObject(filter) && filter['match_all'] !== undefined);
  // What is wrong with a weight is told once the rest is read.
  const made = filter === undefined || filter === null ? undefined : inner(filter);
  const read = isAll || made === undefined ? {} : { filter: made };
  return { ...readFunction(body, context), ...read };
}

function notSupported(key: string, known: readonly string[]): Error {
  return parsingError(`failed to parse [function_score] query. field [${key}] is not supported`, knownHere(key, known));
}

function readFunction(body: Json, context: QueryContext): ScoreFunction {
  let kind: (typeof FUNCTIONS)[number] | undefined;
  let options: Json = {};
  for (const [key, value] of Object.entries(body)) {
    if (value === null || key === 'weight') continue;
    if (!isOneOf(FUNCTIONS, key) || !isObject(value)) throw notSupported(key, ['filter', ...FUNCTIONS, 'weight']);
    if (kind !== undefined)
      throw parsingError(
        `failed to parse function_score functions. already found [${kind}], now encountering [${key}].`,
      );
    kind = key;
    options = value;
  }
  const given = body['weight'];
  const weight = given === undefined || given === null ? {} : { weight: asFloat(given) };
  let made: Pick<ScoreFunction, 'function'> = {};
  let refusal: unknown;
  try {
    if (kind !== undefined) made = { function: functionOf(kind, options, context) };
  } catch (error) {
    // What an index refuses is told after what no index makes right.
    if (!isShardFailure(error)) throw error;
    refusal = error;
  }
  if (weight.weight !== undefined && weight.weight < 0)
    throw unreadable('[weight] cannot be negative for a filtering function');
  if (kind === undefined && weight.weight === undefined)
    throw parsingError('failed to parse [function_score] query. an entry in functions list is missing a function.');
  if (refusal !== undefined) throw refusal;
  return { ...weight, ...made };
}

function functionOf(kind: (typeof FUNCTIONS)[number], options: Json, context: QueryContext): Function {
  switch (kind) {
    case 'script_score':
      throw unsupported('function [script_score]');
    case 'field_value_factor':
      return fieldValueFactor(options, context);
    case 'random_score':
      return randomScore(options, context);
    default:
      return decay(kind, options, context);
  }
}

type Function = NonNullable<ScoreFunction['function']>;

function checkMembers(value: Json, kind: string, known: readonly string[]): void {
  for (const key of Object.keys(value))
    if (!known.includes(key)) throw parsingError(`${kind} query does not support [${key}]`, knownHere(key, known));
}

function fieldValueFactor(body: Json, context: QueryContext): Function {
  const kind = 'field_value_factor';
  checkMembers(body, kind, ['field', 'factor', 'modifier', 'missing']);
  const { factor } = body;
  if (typeof factor === 'object' && factor !== null)
    throw parsingError(`[${kind}] field 'factor' does not support lists or objects`);
  if (body['field'] === undefined || body['field'] === null)
    throw parsingError(`[${kind}] required field 'field' missing`);
  const path = asString(body['field'], 'field_value_factor.field');
  const given = body['missing'];
  const missing = given === undefined || given === null ? undefined : asNumber(given, 'missing');
  const modifier = javaEnum(body['modifier'] ?? 'none', 'FieldValueFactorFunction.Modifier', MODIFIERS);
  const field = context.mapping.field(path);
  if (field === undefined && missing === undefined)
    throw failedQuery(
      `Unable to find a field mapper for field [${path}]. No 'missing' value defined.`,
      context.index,
      'exception',
    );
  if (field !== undefined && (!isNumeric(field) || !hasColumn(field)))
    throw failedQuery(
      `[${kind}] takes numbers, and the field [${path}] is of type [${field.type}]`,
      context.index,
      'class_cast_exception',
    );
  return {
    kind,
    field: field?.path ?? path,
    factor: asFloat(factor ?? 1),
    modifier,
    ...(missing === undefined ? {} : { missing }),
  };
}

function randomScore(body: Json, context: QueryContext): Function {
  checkMembers(body, 'random_score', ['seed', 'field']);
  const { seed } = body;
  if (seed === undefined || seed === null) return { kind: 'random', seed: hashOfLong(context.now) };
  if (typeof seed !== 'string' && (typeof seed !== 'number' || !Number.isSafeInteger(seed)))
    throw parsingError(`random_score seed must be an int, long or string, not [${textOf(seed)}]`);
  const own = typeof seed === 'string' ? hash(seed) : hashOfLong(seed);
  const salted = mix(own ^ (hash(context.index) << 10));
  const path = body['field'] === undefined || body['field'] === null ? '_id' : asString(body['field'], 'field');
  // Sequence numbers count writes that the caller may not see: ids decide instead.
  if (path === '_id' || path === '_seq_no') return { kind: 'random', seed: salted };
  const field = context.mapping.field(path);
  if (field === undefined)
    throw failedQuery(
      `Field [${path}] is not mapped on [${context.index}] and cannot be used as a source of random numbers.`,
      context.index,
    );
  if (field.family === 'text' && !hasFielddata(field))
    throw failedQuery(
      `Text fields are not optimised for operations that require per-document field data: [${path}]`,
      context.index,
    );
  if (!isNumeric(field)) return { kind: 'random', seed: salted, field: { path: field.path, as: 'term' } };
  if (hasNanos(field)) return { kind: 'random', seed: salted, field: { path: nanosPath(field.path), as: 'nanos' } };
  return { kind: 'random', seed: salted, field: { path: field.path, as: isWhole(field) ? 'whole' : 'double' } };
}

/** Java's hash of a string. */
function hash(text: string): number {
  let value = 0;
  for (let at = 0; at < text.length; at++) value = (Math.imul(31, value) + text.charCodeAt(at)) | 0;
  return value;
}

/** Hash of a long: an int itself; a greater number by its halves. */
function hashOfLong(value: number): number {
  return (value | 0) === value ? value : Number(BigInt.asIntN(32, BigInt(value) ^ (BigInt(value) >> 32n)));
}

/** MurmurHash3's last steps, which seed and index are mixed with. */
function mix(key: number): number {
  const once = Math.imul(key ^ (key >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

function decay(shape: 'gauss' | 'exp' | 'linear', value: Json, context: QueryContext): Function {
  let mode: MultiValueMode = 'min';
  let name: string | undefined;
  let body: Json = {};
  for (const [key, each] of Object.entries(value)) {
    // Of several fields the last one counts, as in Elasticsearch.
    if (isObject(each)) {
      name = key;
      body = each;
    } else if (key === 'multi_value_mode') mode = choice(each, 'multi_value_mode', VALUE_MODES);
    else throw parsingError('malformed score function score parameters.');
  }
  if (name === undefined) throw parsingError('malformed score function score parameters.');
  const field = context.mapping.field(name);
  if (field === undefined) throw parsingError(`unknown field [${name}]`, { phase: true });
  const isDecimal = field.type === 'scaled_float' || field.type === 'boolean';
  if (field.family !== 'geo' && (!isNumeric(field) || !hasColumn(field) || isDecimal))
    throw parsingError(`field [${name}] is of type [${field.type}], but only numeric types are supported.`, {
      phase: true,
    });
  for (const key of Object.keys(body))
    if (!DECAY.includes(key)) throw malformed(`parameter [${key}] not supported!`, knownHere(key, DECAY).hint);
  const needs = (reason: string, ...keys: readonly string[]): void => {
    if (keys.some((key) => body[key] === undefined || body[key] === null)) throw malformed(reason);
  };
  const shared = {
    kind: 'decay' as const,
    shape,
    field: field.path,
    decay: body['decay'] === undefined ? 0.5 : asNumber(body['decay'], 'decay'),
    multiValueMode: mode,
  };
  if (field.family === 'geo') {
    needs('[origin] and [scale] must be set for geo fields.', 'scale');
    return checked({
      ...shared,
      origin: body['origin'] === undefined ? { lat: 0, lon: 0 } : parsePoint(body['origin']),
      scale: parseDistance(body['scale']),
      offset: body['offset'] === undefined ? 0 : parseDistance(body['offset']),
    });
  }
  if (field.family === 'date') {
    const origin = body['origin'] ?? 'now';
    needs('[scale] must be set for date fields.', 'scale');
    return checked({
      ...shared,
      // 7.10 compares the nanoseconds of the origin with milliseconds of the documents.
      origin: originOf(origin, field, context) * (hasNanos(field) ? 1e6 : 1),
      scale: readTime(body['scale'], 'DecayFunctionParser.scale'),
      offset: body['offset'] === undefined ? 0 : readTime(body['offset'], 'DecayFunctionParser.offset'),
    });
  }
  needs('both [scale] and [origin] must be set for numeric fields.', 'scale', 'origin');
  return checked({
    ...shared,
    origin: decayNumber(body, 'origin', context),
    scale: decayNumber(body, 'scale', context),
    offset: body['offset'] === undefined ? 0 : decayNumber(body, 'offset', context),
  });
}

/** A number that only a shard reads, as what stands there depends on the field. */
function decayNumber(body: Json, key: string, { index }: QueryContext): number {
  try {
    return asNumber(body[key], key);
  } catch (error) {
    throw error instanceof RequestError ? failedQuery(error.message, index, error.type) : error;
  }
}

function originOf(origin: unknown, field: MappedField, context: QueryContext): number {
  if (typeof origin === 'number') return origin;
  try {
    return parseDateMath(textOf(origin), field.format, { now: context.now });
  } catch (error) {
    throw error instanceof RequestError ? malformed(error.message) : error;
  }
}

/** What cannot be read of the parameters of a decay, whose form depends on the field's type. */
function malformed(reason: string, hint?: string): Error {
  return new RequestError('SEARCH_SHARD_FAILURE', 'parse_exception', reason, {
    phase: true,
    ...(hint === undefined ? {} : { hint }),
  });
}

function checked(definition: Extract<Function, { readonly kind: 'decay' }>): Function {
  const { scale, decay: share = 0.5, offset = 0 } = definition;
  if (scale <= 0) throw illegalArgument('function_score : scale must be > 0.0.');
  if (share <= 0 || share >= 1) throw illegalArgument('function_score : decay must be in the range [0..1].');
  if (offset < 0) throw illegalArgument('function_score : offset must be > 0.0');
  return definition;
}
