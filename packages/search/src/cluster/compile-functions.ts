// Scores computed from values of a document as JSON of a search cluster: functions, distances and features.
import type { Json } from '../json/json.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Kinds } from '../query/kinds.ts';
import type { FunctionScoreQuery, ScoreFunction } from '../query/kinds/function-score.ts';
import { MATCH_NONE, type QueryCompiler } from './query-compiler.ts';

/** Modifiers whose result is a number that is not negative, whatever a field of numbers holds. */
const NEVER_NEGATIVE: ReadonlySet<string> = new Set(['square']);

export function compileFunctionScore(query: FunctionScoreQuery, compiler: QueryCompiler): Json {
  const { boostMode = 'multiply', functions, maxBoost, minScore, scoreMode = 'multiply' } = query;
  if (minScore !== undefined) compiler.refuse(query);
  return {
    function_score: {
      query: compiler.scored(query.query),
      functions: functions.map((each) => functionOf(each, query, compiler)),
      score_mode: scoreMode,
      boost_mode: boostMode,
      ...(maxBoost === undefined || !Number.isFinite(maxBoost) ? {} : { max_boost: maxBoost }),
    },
  };
}

function functionOf(
  { filter, function: definition, weight }: ScoreFunction,
  query: FunctionScoreQuery,
  compiler: QueryCompiler,
): Json {
  return {
    ...(filter === undefined ? {} : { filter: compiler.filter(filter) }),
    ...(weight === undefined ? {} : { weight }),
    ...(definition === undefined ? {} : bodyOf(definition, query, compiler)),
  };
}

function bodyOf(
  definition: NonNullable<ScoreFunction['function']>,
  query: FunctionScoreQuery,
  compiler: QueryCompiler,
): Json {
  if (definition.kind === 'random') return compiler.refuse(query);
  const { field: path } = definition;
  const field = compiler.fields.field(path);
  // A field that the view shows in some documents only would score by its value in the others.
  if (field === undefined || compiler.fields.guard(path) !== undefined) return compiler.refuse(query);
  switch (definition.kind) {
    case 'field_value_factor': {
      const { factor = 1, missing, modifier = 'none' } = definition;
      if (missing === undefined || !NEVER_NEGATIVE.has(modifier)) return compiler.refuse(query);
      return { field_value_factor: { field: path, factor, modifier, missing } };
    }
    case 'decay': {
      const { decay = 0.5, multiValueMode = 'min', offset = 0, origin, scale, shape } = definition;
      const unit = field.family === 'date' ? 'ms' : typeof origin === 'number' ? undefined : 'm';
      const distance = (value: number): number | string => (unit === undefined ? value : `${value}${unit}`);
      const body = { origin: originOf(field, origin), scale: distance(scale), offset: distance(offset), decay };
      return { [shape]: { [path]: body, multi_value_mode: multiValueMode } };
    }
  }
}

/** The origin as the field reads it. */
function originOf(field: MappedField, origin: number | { readonly lat: number; readonly lon: number }): unknown {
  return field.family === 'date' && typeof origin === 'number' ? field.format.print(origin) : origin;
}

export function compileFeature(
  query: Kinds['distance_feature'] | Kinds['rank_feature'],
  compiler: QueryCompiler,
): Json {
  const { boost } = compiler;
  const { field: path } = query;
  const field = compiler.fields.field(path);
  if (field === undefined) return MATCH_NONE;
  if (query.kind === 'distance_feature') {
    if (query.originNanos !== undefined) compiler.refuse(query);
    const unit = typeof query.origin === 'number' ? 'ms' : 'm';
    const body = { field: path, origin: originOf(field, query.origin), pivot: `${query.pivot}${unit}`, boost };
    return compiler.shown(path, { distance_feature: body });
  }
  const { shape } = query;
  switch (shape.kind) {
    case 'saturation':
      if (shape.pivot === undefined) return compiler.refuse(query);
      return compiler.shown(path, { rank_feature: { field: path, saturation: { pivot: shape.pivot }, boost } });
    case 'log':
      return compiler.shown(path, {
        rank_feature: { field: path, log: { scaling_factor: shape.scalingFactor }, boost },
      });
    case 'sigmoid': {
      const { exponent, pivot } = shape;
      return compiler.shown(path, { rank_feature: { field: path, sigmoid: { pivot, exponent }, boost } });
    }
  }
}
