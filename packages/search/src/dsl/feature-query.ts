// Reads the queries that score by one number of the document: `distance_feature` and `rank_feature`; and `terms_set`, whose number
// says how many words must match.
import { isKeyOf } from '@lockstitch/kernel';
import { built, checkObject, checkRequired, within } from '../json/object-parser.ts';
import { asNumber, asObject, asString, isObject, type Json, textOf } from '../json/json.ts';
import { parseFineDateMath } from '../mapping/date-math.ts';
import { hasColumn, hasNanos, isNumeric, type MappedField } from '../mapping/field-type.ts';
import { parseDistance, parsePoint } from '../mapping/geo.ts';
import { javaFloat } from '../json/java-values.ts';
import { placeOfInstant } from '../mapping/nanos.ts';
import type { DistanceFeatureQuery, RankFeatureQuery } from '../query/kinds/features.ts';
import type { Query } from '../query/query.ts';
import {
  failedQuery,
  illegalArgument,
  parsingError,
  queryShardError,
  RequestError,
  unsupported,
} from '../errors/request-error.ts';
import { countClauses, type QueryContext } from './context.ts';
import { termQuery } from './field-query.ts';
import { readTime } from '../json/time-value.ts';
import { common, queryBody, type Reader } from './read-body.ts';

const DISTANCE = {
  field: 'string',
  origin: 'pointOrNumber',
  pivot: 'string',
  boost: 'number',
  _name: 'string',
} as const;

/** Reads `distance_feature`. */
export const distanceFeature: Reader = (json, context) => {
  const body = asObject(json, 'distance_feature');
  checkObject(body, 'distance_feature', DISTANCE);
  const { field: path, origin, pivot } = body;
  if (typeof origin === 'object') within('distance_feature', 'origin', () => parsePoint(origin));
  checkRequired(body, 'field', 'origin', 'pivot');
  const field = context.mapping.field(textOf(path));
  if (field === undefined)
    return common(body, { kind: 'match_none', reason: "Can't run [distance_feature] query on unmapped fields!" });
  return common(body, { kind: 'distance_feature', field: field.path, ...distanceOf(field, origin, pivot, context) });
};

/** Where distances are measured from, and the one at which half of the score is left. */
function distanceOf(
  field: MappedField,
  origin: unknown,
  pivot: unknown,
  { index, now }: QueryContext,
): Pick<DistanceFeatureQuery, 'origin' | 'originNanos' | 'pivot'> {
  if (field.family === 'geo' && typeof origin === 'number')
    throw illegalArgument(
      'Illegal type [class java.lang.Long] for [origin]! Must be of type [geo_point] or [string] for geo_point fields!',
    );
  if (field.family === 'geo')
    return { origin: asShardFailure(() => parsePoint(origin), index), pivot: positive(parseDistance(pivot)) };
  if (field.family !== 'date' || !hasColumn(field))
    throw illegalArgument(
      `Illegal data type of [${field.type}]![distance_feature] query can only be run on a date, date_nanos or geo_point field type!`,
    );
  if (typeof origin === 'object') throw illegalArgument(`Illegal type while parsing [origin]! Must be a date.`);
  const text = textOf(typeof origin === 'number' ? Math.trunc(origin) : origin);
  const from = parseFineDateMath(text, field.format, { now, roundUp: true });
  if (hasNanos(field)) placeOfInstant(from);
  const nanos = hasNanos(field) ? { originNanos: from.nanos } : {};
  return { origin: from.millis, ...nanos, pivot: positive(readTime(pivot, 'distance_feature.pivot')) };
}

/** A value that only a shard reads. */
function asShardFailure<T>(read: () => T, index: string): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw failedQuery(error.message, index, error.type);
  }
}

function positive(pivot: number): number {
  if (pivot > 0) return pivot;
  throw illegalArgument(`pivotDistance must be > 0, got ${pivot}`);
}

/** The functions of a feature and their parameters. */
const SHAPES = {
  log: { scaling_factor: 'number' },
  saturation: { pivot: 'number' },
  sigmoid: { pivot: 'number', exponent: 'number' },
} as const;
const FEATURE = {
  field: 'string',
  log: 'object',
  saturation: 'object',
  sigmoid: 'object',
  boost: 'number',
  _name: 'string',
} as const;

/** Reads the function. @throws RequestError, also for parameters that only a shard looks at */
function readShape(body: Json, { index }: QueryContext): RankFeatureQuery['shape'] {
  const given = Object.keys(SHAPES)
    .filter((name) => isKeyOf(SHAPES, name))
    .filter((name) => body[name] !== undefined);
  for (const kind of given)
    within('feature', kind, () => {
      const shape = asObject(body[kind], kind);
      checkObject(shape, kind, SHAPES[kind]);
      if (kind !== 'saturation') checkRequired(shape, ...Object.keys(SHAPES[kind]));
    });
  const [kind = 'saturation', ...more] = given;
  if (more.length > 0)
    built('feature', () => {
      throw illegalArgument('Can only specify one of [log], [saturation] and [sigmoid]');
    });
  const shape = asObject(body[kind] ?? {}, kind);
  const number = (key: string, name: string, isGood: (value: number) => boolean, rule = '> 0'): number => {
    const value = Math.fround(asNumber(shape[key], key));
    if (isGood(value) && Number.isFinite(value)) return value;
    throw failedQuery(`${name} must be ${rule}, got: ${javaFloat(value)}`, index);
  };
  const isPositive = (value: number): boolean => value > 0;
  switch (kind) {
    case 'saturation':
      return { kind, ...(shape['pivot'] === undefined ? {} : { pivot: number('pivot', 'pivot', isPositive) }) };
    case 'log':
      return { kind, scalingFactor: number('scaling_factor', 'scalingFactor', (value) => value >= 1, '>= 1') };
    case 'sigmoid':
      return { kind, pivot: number('pivot', 'pivot', isPositive), exponent: number('exponent', 'exp', isPositive) };
  }
}

/** Reads `rank_feature`. */
export const rankFeature: Reader = (json, context) => {
  const body = asObject(json, 'rank_feature');
  checkObject(body, 'feature', FEATURE);
  const { field: name, ...options } = body;
  checkRequired(body, 'field');
  const shape = readShape(options, context);
  const path = textOf(name);
  const field = context.mapping.field(path);
  if (field === undefined) return built('feature', () => common(body, featureOf(path, shape, context)));
  if (field.type !== 'rank_feature')
    throw illegalArgument(
      `[rank_feature] query only works on [rank_feature] fields and features of [rank_features] fields, not [${field.type}]`,
    );
  const inverse = textOf(field.definition['positive_score_impact']) === 'false';
  if (inverse && shape.kind === 'log')
    throw illegalArgument(
      'Cannot use the [log] function with a field that has a negative score impact as it would trigger negative scores',
    );
  return built('feature', () => common(body, { kind: 'rank_feature', field: field.path, inverse, shape }));
};

/** The query for a feature of a `rank_features` field: the last name of the path. */
function featureOf(path: string, shape: RankFeatureQuery['shape'], { mapping }: QueryContext): Query {
  const dot = path.lastIndexOf('.');
  const above = path.slice(0, Math.max(dot, 0));
  const parent = mapping.field(above);
  // An alias has no features.
  if (parent?.type !== 'rank_features' || parent.path !== above) return { kind: 'match_none', reason: '' };
  return { kind: 'rank_feature', field: parent.path, feature: path.slice(dot + 1), inverse: false, shape };
}

/** Terms of one query at most (`index.max_terms_count`). */
const MOST_TERMS = 65_536;

/** Reads `terms_set`. */
export const termsSet: Reader = (json, context) => {
  const members = asObject(json, 'terms_set');
  const names = Object.keys(members);
  if (names.length !== 1)
    throw parsingError(
      names.length === 0
        ? '[terms_set] unknown token [END_OBJECT] after [terms_set]'
        : `[terms_set] query doesn't support multiple fields, found [${names[0]}] and [${names[1]}]`,
    );
  const name = names[0]!;
  const body = queryBody(members[name], 'terms_set', {
    members: { terms: 'list', minimum_should_match_field: 'text', minimum_should_match_script: 'anything' },
  });
  const values = body['terms'];
  if (!Array.isArray(values)) throw parsingError('[terms_set] requires [terms] as an array');
  if (body['minimum_should_match_script'] !== undefined) throw unsupported('[minimum_should_match_script]');
  if (body['minimum_should_match_field'] === undefined)
    throw failedQuery('No minimum should match has been specified', context.index, 'illegal_state_exception');
  if (values.length > MOST_TERMS)
    throw illegalArgument(
      `The number of terms [${values.length}] used in the Terms Set Query request has exceeded the allowed maximum of [${MOST_TERMS}]. This maximum can be set by changing the [index.max_terms_count] index level setting.`,
    );
  if (values.some((value) => isObject(value) || Array.isArray(value) || value === null))
    throw parsingError(
      `[terms_set] terms are texts, numbers or booleans, not [${textOf(values.find((value) => typeof value === 'object'))}]`,
    );
  countClauses(context, values.length);
  return common(
    body,
    covering(name, values, asString(body['minimum_should_match_field'], 'minimum_should_match_field'), context),
  );
};

function covering(name: string, values: readonly unknown[], numberName: string, context: QueryContext): Query {
  if (values.length === 0 || context.mapping.field(name) === undefined) return { kind: 'match_none' };
  const field = context.mapping.field(numberName);
  if (field === undefined)
    throw queryShardError(`failed to find minimum_should_match field [${numberName}]`, context.index);
  if (!isNumeric(field) || !hasColumn(field))
    throw queryShardError(
      `minimum_should_match field [${numberName}] of type [${field.type}] holds no numbers`,
      context.index,
    );
  return { kind: 'covering', queries: values.map((value) => termQuery(name, value, context)), field: field.path };
}
