// `geo_distance`, `geo_bounding_box` and `geo_polygon`: where the field's name, the point and the options stand in their bodies.
import { javaDouble } from '../json/java-values.ts';
import { asChoice, asObject, asString, checkKeys, type Json, tokenOf } from '../json/json.ts';
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
import { illegalArgument, parseException, parsingError, queryShardError } from '../errors/request-error.ts';
import type { QueryContext } from './context.ts';
import { readMembers, type ValueKind } from './query-members.ts';
import { common, type Reader } from './read-body.ts';

/** How a parser of a geo query takes what its body holds. */
interface GeoMembers {
  /** Its options besides those that all have. */
  readonly members: Readonly<Record<string, ValueKind>>;
  /** What is said of a value that no option takes. */
  readonly refuse: (name: string) => Error;
  /** What is said of a body without a shape. */
  readonly noShape: () => Error;
  /** Whether a list is a shape, or is read value by value as if its brackets were not there, or is refused. */
  readonly lists: 'shape' | 'flat' | 'refused';
  /** Whether a value that no option takes is a shape, where there is none yet. */
  readonly takesValues?: true;
  /** What is said of a second shape, which replaces the first by default. */
  readonly refuseSecond?: (first: string, second: string) => Error;
}

/** The body of a geo query: its field, the shape that stands there, and its options. */
interface GeoBody {
  readonly name: string;
  readonly shape: unknown;
  readonly validation: Validation;
  readonly ignoresUnmapped: boolean;
  readonly options: Json;
}

const SHARED = { boost: 'number', _name: 'text', validation_method: 'any', ignore_unmapped: 'flag' } as const;

/** Reads a body token by token: what stands for the shape may have any name. */
function geoBody(json: unknown, type: string, taken: GeoMembers): GeoBody {
  const given: Record<string, unknown> = {};
  const members: Readonly<Record<string, ValueKind>> = { ...SHARED, ...taken.members };
  let name: string | undefined;
  let shape: unknown;
  const take = (key: string, value: unknown): void => {
    if (Array.isArray(value) && taken.lists === 'flat') {
      for (const each of value) take(key, each);
      return;
    }
    if (value === null || (Array.isArray(value) && taken.lists === 'refused')) {
      if (taken.lists === 'refused') throw parsingError(`[${type}] unexpected token type [${tokenOf(value)}]`);
      return;
    }
    const isShape =
      typeof value === 'object' || (taken.takesValues === true && !(key in members) && name === undefined);
    if (!isShape) {
      if (!Object.hasOwn(members, key)) throw taken.refuse(key);
      given[key] = value;
      return;
    }
    if (name !== undefined && !Array.isArray(value) && taken.refuseSecond !== undefined)
      throw taken.refuseSecond(name, key);
    name = key;
    shape = value;
  };
  for (const [key, value] of Object.entries(asObject(json, type))) take(key, value);
  const options = readMembers(given, type, { members });
  if (name === undefined) throw taken.noShape();
  return {
    name,
    shape,
    validation: readValidation(options['validation_method']),
    ignoresUnmapped: options['ignore_unmapped'] === true,
    options,
  };
}

function geoField({ ignoresUnmapped, name }: GeoBody, context: QueryContext): string | undefined {
  const field = context.mapping.field(name);
  if (field === undefined) {
    if (ignoresUnmapped) return undefined;
    throw queryShardError(`failed to find geo_point field [${name}]`, context.index);
  }
  if (field.family !== 'geo') throw queryShardError(`field [${name}] is not a geo_point field`, context.index);
  return field.path;
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
export const geoDistance: Reader = (json, context) => {
  const read = geoBody(json, 'geo_distance', {
    members: { distance: 'any', distance_type: 'any', unit: 'text' },
    refuse: (key) => parsingError(`failed to parse [geo_distance] query. unexpected field [${key}]`),
    noShape: () => illegalArgument('fieldName must not be null or empty'),
    lists: 'shape',
    takesValues: true,
    refuseSecond: (first, second) =>
      parsingError(`[geo_distance] query doesn't support multiple fields, found [${first}] and [${second}]`),
  });
  const { options: body, validation } = read;
  if (body['distance'] === undefined) throw parsingError("geo_distance requires 'distance' to be specified");
  const unit = body['unit'] === undefined ? 'm' : asString(body['unit'], 'unit');
  metresIn(unit);
  if (body['distance'] === '') throw illegalArgument('distance must not be null or empty');
  const metres = parseDistance(body['distance'], unit);
  if (metres <= 0) throw illegalArgument('distance must be greater than zero');
  if (body['distance_type'] !== undefined) asChoice(body['distance_type'], 'distance_type', ['arc', 'plane']);
  const given = readPoint(read.shape);
  const field = geoField(read, context);
  if (field === undefined) return common(body, { kind: 'match_none', reason: '' });
  const point = onGlobe(given, validation, () => notValid(context));
  return common(body, { kind: 'geo_distance', field, ...point, metres });
};

/** Reads `geo_bounding_box`: corners, sides or WKT. */
export const geoBox: Reader = (json, context) => {
  const read = geoBody(json, 'geo_bounding_box', {
    members: { type: 'any' },
    refuse: (key) => parsingError(`failed to parse [geo_bounding_box] query. unexpected field [${key}]`),
    noShape: () => parseException('failed to parse [geo_bounding_box] query. bounding box not provided'),
    lists: 'flat',
  });
  const { options: body, validation } = read;
  if (body['type'] !== undefined) asChoice(body['type'], 'type', ['memory', 'indexed']);
  const given = parseBox(read.shape, 'geo_bounding_box', readPoint);
  const field = geoField(read, context);
  if (field === undefined) return common(body, { kind: 'match_none', reason: '' });
  if (validation === 'COERCE') return common(body, { kind: 'geo_box', field, ...normalizeBox(given) });
  const { bottom, left, right, top } = given;
  for (const corner of [
    { lat: top, lon: left },
    { lat: bottom, lon: right },
  ])
    onGlobe(corner, validation, () => notValid(context));
  return common(body, { kind: 'geo_box', field, ...given });
};

/** Corners of one polygon at most: each is looked at for each point. */
const MOST_CORNERS = 10_000;

/** Reads `geo_polygon`. */
export const geoPolygon: Reader = (json, context) => {
  const body = geoBody(json, 'geo_polygon', {
    members: {},
    refuse: (key) => parsingError(`[geo_polygon] query does not support [${key}]`),
    noShape: () => illegalArgument('fieldName must not be null'),
    lists: 'refused',
  });
  const shape = asObject(body.shape, body.name);
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
  const field = geoField(body, context);
  if (field === undefined) return common(body.options, { kind: 'match_none', reason: '' });
  const refuse = ({ lat, lon }: Point): Error => {
    const what = Math.abs(lat) > 90 ? `latitude value [${javaDouble(lat)}]` : `longitude value [${javaDouble(lon)}]`;
    return queryShardError(`illegal ${what} for [geo_polygon]`, context.index);
  };
  const points = corners.map((each) => onGlobe(each, body.validation, refuse));
  return common(body.options, { kind: 'geo_polygon', field, points });
};
