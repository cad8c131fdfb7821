// Queries by values as JSON of a search cluster: sets, patterns and ranges, all of which score a constant.
import type { Json } from '../json/json.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { termToIp } from '../mapping/ip.ts';
import type { Kinds } from '../query/kinds.ts';
import { MATCH_NONE, type QueryCompiler } from './query-compiler.ts';

type SetQuery = Kinds['numbers' | 'terms' | 'ids' | 'exists' | 'prefix' | 'wildcard' | 'regexp' | 'fuzzy'];

/** Sets of values and of terms. */
export function compileSet(query: SetQuery, compiler: QueryCompiler): Json {
  const { boost } = compiler;
  if (query.kind === 'ids') return { ids: { values: query.ids, boost } };
  const { field: path } = query;
  // An object exists where one of its fields does; the query asks for each of them.
  const field = compiler.fields.field(path);
  if (field === undefined) return MATCH_NONE;
  return compiler.shown(path, leafOf(query, field, compiler));
}

function leafOf(query: Exclude<SetQuery, { kind: 'ids' }>, field: MappedField, compiler: QueryCompiler): Json {
  const { boost } = compiler;
  const { field: path } = query;
  switch (query.kind) {
    case 'exists':
      return { exists: { field: path, boost } };
    case 'terms':
      return { terms: { [path]: query.terms.map((term) => asValue(field, term)), boost } };
    case 'numbers':
      return numbersLeaf(query.values, field, boost);
    case 'prefix':
    case 'wildcard':
    case 'regexp':
      return patternLeaf(query, field, compiler);
    case 'fuzzy': {
      if (query.rewrite !== 'constant_score') compiler.refuse(query);
      const { maxEdits, prefixLength = 0, term, transpositions = true } = query;
      const body = { value: term, fuzziness: maxEdits, prefix_length: prefixLength, transpositions };
      // With this rewrite every term within the distance counts, whatever `max_expansions` says.
      return { fuzzy: { [path]: { ...body, rewrite: 'constant_score', boost } } };
    }
  }
}

function numbersLeaf(values: readonly number[], field: MappedField, boost: number): Json {
  switch (field.family) {
    case 'boolean':
      return { terms: { [field.path]: values.map((value) => value !== 0), boost } };
    case 'date': {
      // A term would be read by the format of the field.
      const days = values.map((value) => ({
        range: { [field.path]: { gte: value, lte: value, format: 'epoch_millis' } },
      }));
      return { constant_score: { filter: { bool: { should: days, minimum_should_match: 1 } }, boost } };
    }
    default:
      return { terms: { [field.path]: values, boost } };
  }
}

function patternLeaf(
  query: Kinds['prefix' | 'wildcard' | 'regexp'],
  field: MappedField,
  compiler: QueryCompiler,
): Json {
  const { caseInsensitive = false, rewrite = 'constant_score' } = query;
  if (rewrite !== 'constant_score' || field.family === 'ip') compiler.refuse(query);
  const common = {
    rewrite,
    boost: compiler.boost,
    ...(caseInsensitive ? { case_insensitive: true } : {}),
  };
  switch (query.kind) {
    case 'prefix':
      return { prefix: { [field.path]: { value: query.prefix, ...common } } };
    case 'wildcard':
      return { wildcard: { [field.path]: { value: query.pattern, ...common } } };
    case 'regexp': {
      const { flags = 'ALL', maxDeterminizedStates = 10_000, pattern } = query;
      const body = { value: pattern, flags, max_determinized_states: maxDeterminizedStates };
      return { regexp: { [field.path]: { ...body, ...common } } };
    }
  }
}

type RangeQuery = Kinds['number_range' | 'term_range' | 'ranges' | 'geo_box' | 'geo_distance' | 'geo_polygon'];

/** Ranges of numbers, terms and ranges, and areas. */
export function compileRange(query: RangeQuery, compiler: QueryCompiler): Json {
  const field = compiler.fields.field(query.field);
  return field === undefined ? MATCH_NONE : compiler.shown(query.field, rangeLeaf(query, field, compiler.boost));
}

function rangeLeaf(query: RangeQuery, field: MappedField, boost: number): Json {
  const { field: path } = query;
  switch (query.kind) {
    case 'number_range': {
      const { from, includeFrom = true, includeTo = true, to } = query;
      if (field.family === 'boolean') {
        const held = [0, 1].filter(
          (value) =>
            (from === undefined || value > from || (includeFrom && value === from)) &&
            (to === undefined || value < to || (includeTo && value === to)),
        );
        return numbersLeaf(held, field, boost);
      }
      return range(field, { from, to, includeFrom, includeTo }, boost);
    }
    case 'term_range': {
      const { from, includeFrom = true, includeTo = true, to } = query;
      const value = (term: string | undefined): string | undefined => term && asValue(field, term);
      return range(field, { from: value(from), to: value(to), includeFrom, includeTo }, boost);
    }
    case 'ranges': {
      const { bounds, relation } = query;
      const ends = bounds.kind === 'numbers' ? bounds : { from: termToIp(bounds.from), to: termToIp(bounds.to) };
      return range(field, { ...ends, includeFrom: true, includeTo: true, relation }, boost);
    }
    case 'geo_box': {
      const { bottom, left, right, top } = query;
      return { geo_bounding_box: { [path]: { top, left, bottom, right }, boost } };
    }
    case 'geo_distance':
      return { geo_distance: { distance: `${query.metres}m`, [path]: { lat: query.lat, lon: query.lon }, boost } };
    case 'geo_polygon':
      return { geo_polygon: { [path]: { points: query.points }, boost } };
  }
}

interface Bounds {
  readonly from: number | string | undefined;
  readonly to: number | string | undefined;
  readonly includeFrom: boolean;
  readonly includeTo: boolean;
  readonly relation?: string;
}

function range(field: MappedField, { from, includeFrom, includeTo, relation, to }: Bounds, boost: number): Json {
  const isOpen = (bound: number | string | undefined): boolean =>
    bound === undefined || (typeof bound === 'number' && !Number.isFinite(bound));
  const body = {
    ...(isOpen(from) ? {} : { [includeFrom ? 'gte' : 'gt']: from }),
    ...(isOpen(to) ? {} : { [includeTo ? 'lte' : 'lt']: to }),
    ...(field.family === 'date' || field.type === 'date_range' ? { format: 'epoch_millis' } : {}),
    ...(relation === undefined ? {} : { relation }),
    boost,
  };
  return { range: { [field.path]: body } };
}

function asValue(field: MappedField, term: string): string {
  return field.family === 'ip' ? termToIp(term) : term;
}
