// Reads the queries that score by one number of the document: `distance_feature` and `rank_feature`; and `terms_set`, whose number
// says how many words must match.
import { checkObject } from '../json/object-parser.ts';
import { asNumber, asObject, asString, checkKeys, isObject, textOf } from '../json/json.ts';
import { parseDateMath } from '../mapping/date-math.ts';
import { hasColumn, isNumeric } from '../mapping/field-type.ts';
import { parseDistance, parsePoint } from '../mapping/geo.ts';
import type { RankFeatureQuery } from '../query/kinds/features.ts';
import type { Query } from '../query/query.ts';
import { failedQuery, illegalArgument, parsingError, queryShardError, unsupported } from '../errors/request-error.ts';
import { countClauses, type QueryContext } from './context.ts';
import { termQuery } from './field-query.ts';
import { duration } from './function-score.ts';
import { common, queryBody, type Reader } from './read-body.ts';

/** Reads `distance_feature`. */
export const distanceFeature: Reader = (json, context) => {
  const body = asObject(json, 'distance_feature');
  checkObject(body, 'distance_feature', { field: 'any', origin: 'any', pivot: 'any', boost: 'any', _name: 'any' });
  for (const key of ['field', 'origin', 'pivot']) {
    if (body[key] === undefined || body[key] === null) throw illegalArgument(`Required [${key}]`);
  }
  const name = asString(body['field'], 'field');
  const field = context.mapping.field(name);
  if (field === undefined)
    return { kind: 'match_none', reason: "Can't run [distance_feature] query on unmapped fields!" };
  if (field.family === 'geo') {
    return common(body, {
      kind: 'distance_feature',
      field: field.path,
      origin: parsePoint(body['origin']),
      pivot: positive(parseDistance(body['pivot'])),
    });
  }
  if (field.family !== 'date' || !hasColumn(field)) {
    throw illegalArgument(
      `Illegal data type of [${field.type}]![distance_feature] query can only be run on a date, date_nanos or geo_point field type!`,
    );
  }
  const origin = body['origin'];
  return common(body, {
    kind: 'distance_feature',
    field: field.path,
    origin:
      typeof origin === 'number'
        ? origin
        : parseDateMath(asString(origin, 'origin'), field.format, { now: context.now, roundUp: true }),
    pivot: positive(duration(body['pivot'])),
  });
};

function positive(pivot: number): number {
  if (pivot > 0) return pivot;
  throw illegalArgument(`pivotDistance must be > 0, got ${pivot}`);
}

const SHAPES = ['saturation', 'log', 'sigmoid'] as const;

/** Reads `rank_feature`. */
export const rankFeature: Reader = (json, context) => {
  const body = asObject(json, 'rank_feature');
  checkObject(body, 'feature', {
    field: 'any',
    saturation: 'any',
    log: 'any',
    sigmoid: 'any',
    boost: 'any',
    _name: 'any',
  });
  const name = asString(body['field'], 'field');
  const shapes = SHAPES.filter((shape) => body[shape] !== undefined);
  if (shapes.length > 1) throw illegalArgument('Can only specify one of [log], [saturation] and [sigmoid]');
  const [kind = 'saturation'] = shapes;
  const given = body[kind] === undefined ? {} : asObject(body[kind], kind);
  const number = (key: string): number => {
    if (given[key] === undefined) throw illegalArgument(`Required [${key}]`);
    const value = asNumber(given[key], key);
    if (value <= 0) throw illegalArgument(`${key} must be > 0, got: ${value}`);
    return value;
  };
  let shape: RankFeatureQuery['shape'];
  switch (kind) {
    case 'saturation':
      checkKeys(given, kind, ['pivot']);
      shape = { kind, ...(given['pivot'] === undefined ? {} : { pivot: number('pivot') }) };
      break;
    case 'log':
      checkKeys(given, kind, ['scaling_factor']);
      shape = { kind, scalingFactor: number('scaling_factor') };
      break;
    case 'sigmoid':
      checkKeys(given, kind, ['pivot', 'exponent']);
      shape = { kind, pivot: number('pivot'), exponent: number('exponent') };
      break;
  }
  const field = context.mapping.field(name);
  if (field === undefined) return { kind: 'match_none', reason: '' };
  if (field.type !== 'rank_feature') {
    throw illegalArgument(
      `[rank_feature] query only works on [rank_feature] fields and features of [rank_features] fields, not [${field.type}]`,
    );
  }
  const inverse = String(field.definition['positive_score_impact']) === 'false';
  if (inverse && kind === 'log') {
    throw illegalArgument(
      'Cannot use the [log] function with a field that has a negative score impact as it would trigger negative scores',
    );
  }
  return common(body, { kind: 'rank_feature', field: field.path, inverse, shape });
};

/** Terms of one query at most (`index.max_terms_count`). */
const MOST_TERMS = 65_536;

/** Reads `terms_set`. */
export const termsSet: Reader = (json, context) => {
  const names = Object.keys(asObject(json, 'terms_set'));
  if (names.length !== 1) {
    throw parsingError(
      names.length === 0
        ? '[terms_set] unknown token [END_OBJECT] after [terms_set]'
        : `[terms_set] query doesn't support multiple fields, found [${names[0]}] and [${names[1]}]`,
    );
  }
  const name = names[0]!;
  const body = queryBody((json as Record<string, unknown>)[name], 'terms_set', [
    'terms',
    'minimum_should_match_field',
    'minimum_should_match_script',
    'boost',
    '_name',
  ]);
  const values = body['terms'];
  if (!Array.isArray(values)) throw parsingError('[terms_set] requires [terms] as an array');
  if (body['minimum_should_match_script'] !== undefined) throw unsupported('[minimum_should_match_script]');
  if (body['minimum_should_match_field'] === undefined)
    throw failedQuery('No minimum should match has been specified', context.index, 'illegal_state_exception');
  if (values.length > MOST_TERMS) {
    throw illegalArgument(
      `The number of terms [${values.length}] used in the Terms Set Query request has exceeded the allowed maximum of [${MOST_TERMS}]. This maximum can be set by changing the [index.max_terms_count] index level setting.`,
    );
  }
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
  if (!isNumeric(field) || !hasColumn(field)) {
    throw queryShardError(
      `minimum_should_match field [${numberName}] of type [${field.type}] holds no numbers`,
      context.index,
    );
  }
  return { kind: 'covering', queries: values.map((value) => termQuery(name, value, context)), field: field.path };
}
