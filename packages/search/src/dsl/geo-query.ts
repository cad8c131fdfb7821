// `geo_distance`, `geo_bounding_box` and `geo_polygon`: where the field's name, the point and the options stand in their bodies.
import { javaDouble } from '../json/java-values.ts';
import { asChoice, asObject, asString, checkKeys, type Json } from '../json/json.ts';
import {
  metresIn,
  normalizeBox,
  normalizePoint,
  parseBox,
  parseDistance,
  type Point,
  readPoint,
  readValidation,
  type Validation,
} from '../mapping/geo.ts';
import type { Query } from '../query/query.ts';
import { illegalArgument, parsingError, queryShardError } from '../errors/request-error.ts';
import type { QueryContext } from './context.ts';

const SHARED = ['boost', '_name', 'validation_method', 'ignore_unmapped'];

function geoField(name: string, body: Json, context: QueryContext): string | undefined {
  const field = context.mapping.field(name);
  if (field === undefined) {
    if (body['ignore_unmapped'] === true) return undefined;
    throw queryShardError(`failed to find geo_point field [${name}]`, context.index);
  }
  if (field.family !== 'geo') throw queryShardError(`field [${name}] is not a geo_point field`, context.index);
  return field.path;
}

function fieldName(body: Json, known: readonly string[], type: string): string {
  const names = Object.keys(body).filter((key) => !known.includes(key));
  if (names.length !== 1)
    throw parsingError(
      names.length === 0
        ? `[${type}] no field given`
        : type === 'geo_polygon'
          ? `[geo_polygon] query does not support [${names[1]}]`
          : `failed to parse [${type}] query. unexpected field [${names[1]}]`,
    );
  return names[0]!;
}

/**
 * `COERCE` brings a point beyond the globe back. Elasticsearch looks at points once it knows the field.
 *
 * @throws RequestError for a point beyond the globe: Lucene takes none, whatever is ignored
 */
function onGlobe(point: Point, validation: Validation, refuse: (point: Point) => Error): Point {
  if (validation === 'COERCE') return normalizePoint(point);
  const { lat, lon } = point;
  if (Math.abs(lat) <= 90 && Math.abs(lon) <= 180) return point;
  if (validation === 'STRICT') throw refuse(point);
  throw Math.abs(lat) > 90
    ? illegalArgument(`invalid latitude ${javaDouble(lat)}; must be between -90.0 and 90.0`)
    : illegalArgument(`invalid longitude ${javaDouble(lon)}; must be between -180.0 and 180.0`);
}

const notValid = ({ index }: QueryContext): Error =>
  queryShardError("couldn't validate latitude/ longitude values", index);

/** Reads `geo_distance`. */
export function geoDistance(json: unknown, context: QueryContext): Query {
  const body = asObject(json, 'geo_distance');
  const validation = readValidation(body['validation_method']);
  const known = [...SHARED, 'distance', 'distance_type', 'unit'];
  const name = fieldName(body, known, 'geo_distance');
  if (body['distance'] === undefined) throw parsingError("geo_distance requires 'distance' to be specified");
  const unit = body['unit'] === undefined ? 'm' : asString(body['unit'], 'unit');
  metresIn(unit);
  if (body['distance'] === '') throw illegalArgument('distance must not be null or empty');
  const metres = parseDistance(body['distance'], unit);
  if (metres <= 0) throw illegalArgument('distance must be greater than zero');
  if (body['distance_type'] !== undefined) asChoice(body['distance_type'], 'distance_type', ['arc', 'plane']);
  const given = readPoint(body[name]);
  const field = geoField(name, body, context);
  if (field === undefined) return { kind: 'match_none', reason: '' };
  return { kind: 'geo_distance', field, ...onGlobe(given, validation, () => notValid(context)), metres };
}

/** Reads `geo_bounding_box`: corners, sides or WKT. */
export function geoBox(json: unknown, context: QueryContext): Query {
  const body = asObject(json, 'geo_bounding_box');
  const validation = readValidation(body['validation_method']);
  const name = fieldName(body, [...SHARED, 'type'], 'geo_bounding_box');
  if (body['type'] !== undefined) asChoice(body['type'], 'type', ['memory', 'indexed']);
  const given = parseBox(body[name], 'geo_bounding_box', readPoint);
  const field = geoField(name, body, context);
  if (field === undefined) return { kind: 'match_none', reason: '' };
  if (validation === 'COERCE') return { kind: 'geo_box', field, ...normalizeBox(given) };
  const { bottom, left, right, top } = given;
  for (const corner of [
    { lat: top, lon: left },
    { lat: bottom, lon: right },
  ])
    onGlobe(corner, validation, () => notValid(context));
  return { kind: 'geo_box', field, ...given };
}

/** Corners of one polygon at most: each is looked at for each point. */
const MOST_CORNERS = 10_000;

/** Reads `geo_polygon`. */
export function geoPolygon(json: unknown, context: QueryContext): Query {
  const body = asObject(json, 'geo_polygon');
  const validation = readValidation(body['validation_method']);
  const name = fieldName(body, SHARED, 'geo_polygon');
  const shape = asObject(body[name], name);
  checkKeys(shape, 'geo_polygon', ['points']);
  const given = shape['points'] ?? [];
  if (!Array.isArray(given)) throw parsingError('[geo_polygon] query requires [points] as an array');
  if (given.length === 0) throw illegalArgument('polygon must not be null or empty');
  if (given.length > MOST_CORNERS)
    throw illegalArgument(`[geo_polygon] has at most [${MOST_CORNERS}] points, and [${given.length}] were given`);
  const read = given.map(readPoint);
  const [first] = read;
  const last = read.at(-1);
  const isClosed = first !== last && first?.lat === last?.lat && first?.lon === last?.lon;
  const corners = isClosed ? read.slice(0, -1) : read;
  if (corners.length < 3) throw illegalArgument('too few points defined for geo_polygon query');
  const field = geoField(name, body, context);
  if (field === undefined) return { kind: 'match_none', reason: '' };
  const refuse = ({ lat, lon }: Point): Error => {
    const what = Math.abs(lat) > 90 ? `latitude value [${javaDouble(lat)}]` : `longitude value [${javaDouble(lon)}]`;
    return queryShardError(`illegal ${what} for [geo_polygon]`, context.index);
  };
  return { kind: 'geo_polygon', field, points: corners.map((each) => onGlobe(each, validation, refuse)) };
}
