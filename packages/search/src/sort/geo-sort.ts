// `_geo_distance`: hits by their distance from points. Its members are read in their order, as Elasticsearch's parser of it does.
import type { SortKey } from '../collect/search-request.ts';
import type { QueryContext } from '../dsl/context.ts';
import { illegalArgument, parseException, parsingError, shardArgument } from '../errors/request-error.ts';
import { javaDouble } from '../json/java-values.ts';
import { asBoolean, isObject, type Json, textOf } from '../json/json.ts';
import { metresIn, normalizePoint, type Point, readPoint, readValidation, type Validation } from '../mapping/geo.ts';
import { readNestedSort } from './nested-sort.ts';
import { plainSort, type ResolvedSort } from './resolved-sort.ts';
import { checkNested, direction, nestedFilter, sortMode } from './sort-members.ts';

type GeoKey = Extract<SortKey, { kind: 'geo_distance' }>;

/** What its members say. */
interface Given {
  field?: string;
  readonly points: Point[];
  order: 'asc' | 'desc';
  unit: number;
  plane: boolean;
  validation: Validation;
  mode?: GeoKey['mode'];
  ignoresUnmapped: boolean;
}

/** Readers of members that are no points. */
const MEMBERS: Readonly<Record<string, (value: unknown, given: Given) => void>> = {
  order: (value, given) => void (given.order = direction(textOf(value)).toLowerCase() === 'desc' ? 'desc' : 'asc'),
  unit: (value, given) => void (given.unit = metresIn(textOf(value))),
  distance_type(value, given) {
    const text = textOf(value).toLowerCase();
    if (text !== 'arc' && text !== 'plane') throw illegalArgument(`No geo distance for [${textOf(value)}]`);
    given.plane = text === 'plane';
  },
  validation_method: (value, given) => void (given.validation = readValidation(textOf(value))),
  mode(value, given) {
    const mode = sortMode(value);
    if (mode === 'sum') throw illegalArgument(`sort_mode [sum] isn't supported for sorting by geo distance`);
    given.mode = mode;
  },
  ignore_unmapped: (value, given) => void (given.ignoresUnmapped = asBoolean(value, 'ignore_unmapped')),
};

/** Reads its body. */
export function geoSort(body: Json, context: QueryContext): ResolvedSort {
  const { field, points, order, unit, plane, validation, mode, ignoresUnmapped } = readMembers(body, context);
  if (field === undefined || points.length === 0)
    throw illegalArgument('Geo distance sorting needs at least one point.');
  if (validation !== 'IGNORE_MALFORMED') for (const each of points) checkPlace(each, field, validation, context);
  const mapped = context.mapping.field(field);
  if (mapped?.family !== 'geo' && !(mapped === undefined && ignoresUnmapped))
    throw shardArgument(`failed to find mapper for [${field}] for geo distance based sort`);
  const [first = { lat: 0 }, ...others] = points;
  const isNearest = order === 'asc' && unit === 1 && (mode ?? 'min') === 'min' && body['nested'] === undefined;
  // Lucene's own sort, which is taken for one point, checks it.
  if (isNearest && others.length === 0 && validation === 'IGNORE_MALFORMED' && Math.abs(first.lat) > 90)
    throw shardArgument(`invalid latitude ${javaDouble(first.lat)}; must be between -90.0 and 90.0`);
  const nested = readNestedSort(body, context);
  if (nested !== undefined && mode === 'median') throw shardArgument('Unsupported sort mode: MEDIAN');
  return plainSort({
    kind: 'geo_distance',
    field: mapped?.path ?? field,
    points: validation === 'COERCE' ? points.map(normalizePoint) : points,
    order,
    unit,
    ...(plane ? { plane } : {}),
    ...(mode === undefined ? {} : { mode }),
    ...(nested === undefined ? {} : { nested }),
  });
}

function readMembers(body: Json, context: QueryContext): Given {
  const given: Given = {
    points: [],
    order: 'asc',
    unit: 1,
    plane: false,
    validation: 'STRICT',
    ignoresUnmapped: false,
  };
  for (const [key, value] of Object.entries(body)) {
    if (Array.isArray(value)) {
      given.points.push(...pointsIn(value));
      given.field = key;
    } else if (isObject(value)) {
      if (key === 'nested') checkNested(value, context);
      else if (key === 'nested_filter') nestedFilter(value, context);
      else addPoint(given, key, value);
    } else if (Object.hasOwn(MEMBERS, key)) {
      if (value !== null) MEMBERS[key]?.(value, given);
    } else if (key !== 'nested_path' && value !== null) {
      if (typeof value !== 'string')
        throw parsingError(
          given.field === key
            ? `Only geohashes of type string supported for field [${key}]`
            : `[_geo_distance] does not support [${key}]`,
        );
      addPoint(given, key, value);
    }
  }
  return given;
}

function addPoint(given: Given, key: string, value: unknown): void {
  if (given.field !== undefined && given.field !== key)
    throw parsingError(`Trying to reset fieldName to [${key}], already set to [${given.field}].`);
  given.field = key;
  given.points.push(readPoint(value));
}

/** The points of an array, in which pairs of numbers need no array of their own. */
function pointsIn(values: readonly unknown[]): readonly Point[] {
  const found: Point[] = [];
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (typeof value === 'number') found.push(readPoint([value, values[++at]]));
    else found.push(readPoint(value));
  }
  return found;
}

/** @throws RequestError for a point beyond the globe */
function checkPlace({ lat, lon }: Point, field: string, validation: Given['validation'], context: QueryContext): void {
  if (validation === 'COERCE' || context.parsesOnly === true) return;
  const refuse = (what: string, value: number): Error =>
    parseException(`illegal ${what} value [${javaDouble(value)}] for [GeoDistanceSort] for field [${field}].`, {
      phase: true,
    });
  if (Math.abs(lat) > 90) throw refuse('latitude', lat);
  if (Math.abs(lon) > 180) throw refuse('longitude', lon);
}
