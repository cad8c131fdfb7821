// `geo_distance` and `geo_bounding_box`: where the field's name, the point and the options stand in their bodies.
import { asChoice, asObject, asString, checkKeys, isObject, type Json } from '../json.ts';
import { parseDistance, parsePoint, metresIn } from '../mapping/geo.ts';
import type { Query } from '../query/query.ts';
import { illegalArgument, parsingError, queryShardError } from '../request-error.ts';
import type { QueryContext } from './context.ts';

const SHARED = ['boost', '_name', 'validation_method', 'ignore_unmapped'];

function geoField(name: string, body: Json, context: QueryContext): string | undefined {
  const field = context.mapping.field(name);
  if (field === undefined) {
    if (body['ignore_unmapped'] === true) return undefined;
    throw queryShardError(`failed to find geo field [${name}]`, context.index);
  }
  if (field.family !== 'geo') throw queryShardError(`field [${name}] is not a geo_point field`, context.index);
  return field.path;
}

function fieldName(body: Json, known: readonly string[], type: string): string {
  const names = Object.keys(body).filter((key) => !known.includes(key));
  if (names.length !== 1) {
    throw parsingError(
      names.length === 0
        ? `[${type}] no field given`
        : `[${type}] query doesn't support multiple fields, found [${names[0]}] and [${names[1]}]`,
    );
  }
  return names[0]!;
}

/** Reads `geo_distance`. */
export function geoDistance(json: unknown, context: QueryContext): Query {
  const body = asObject(json, 'geo_distance');
  const known = [...SHARED, 'distance', 'distance_type', 'unit'];
  const name = fieldName(body, known, 'geo_distance');
  if (body['distance'] === undefined) throw parsingError("geo_distance requires 'distance' to be specified");
  const unit = body['unit'] === undefined ? 1 : metresIn(asString(body['unit'], 'unit'));
  const given = body['distance'];
  const metres = typeof given === 'number' ? given * unit : parseDistance(given);
  if (metres <= 0) throw illegalArgument('distance must be greater than zero');
  if (body['distance_type'] !== undefined) asChoice(body['distance_type'], 'distance_type', ['arc', 'plane']);
  const point = parsePoint(body[name]);
  const field = geoField(name, body, context);
  return field === undefined ? { kind: 'match_none' } : { kind: 'geo_distance', field, ...point, metres };
}

/** Reads `geo_bounding_box`: corners, sides or WKT. */
export function geoBox(json: unknown, context: QueryContext): Query {
  const body = asObject(json, 'geo_bounding_box');
  const name = fieldName(body, [...SHARED, 'type'], 'geo_bounding_box');
  const box = body[name];
  if (!isObject(box)) throw parsingError('[geo_bounding_box] a box is expected as an object');
  checkKeys(box, 'geo_bounding_box', [
    'top_left',
    'bottom_right',
    'top_right',
    'bottom_left',
    'top',
    'left',
    'bottom',
    'right',
    'wkt',
  ]);
  let { top, left, bottom, right } = box as Record<string, unknown>;
  if (box['wkt'] !== undefined) {
    const match = /^\s*BBOX\s*\(([^,]+),([^,]+),([^,]+),([^,)]+)\)\s*$/i.exec(asString(box['wkt'], 'wkt'));
    if (match === null) throw parsingError('failed to parse WKT bounding box');
    [left, right, top, bottom] = match.slice(1).map(Number);
  }
  const corner = (key: string): { readonly lat: number; readonly lon: number } | undefined =>
    box[key] === undefined ? undefined : parsePoint(box[key]);
  const topLeft = corner('top_left');
  const bottomRight = corner('bottom_right');
  const topRight = corner('top_right');
  const bottomLeft = corner('bottom_left');
  const pick = (...values: unknown[]): number => {
    const found = values.find((value) => value !== undefined);
    const number = Number(found);
    if (found === undefined || !Number.isFinite(number))
      throw parsingError('failed to parse bounding box: all four sides are needed');
    return number;
  };
  const sides = {
    top: pick(top, topLeft?.lat, topRight?.lat),
    left: pick(left, topLeft?.lon, bottomLeft?.lon),
    bottom: pick(bottom, bottomRight?.lat, bottomLeft?.lat),
    right: pick(right, bottomRight?.lon, topRight?.lon),
  };
  if (sides.top < sides.bottom) throw illegalArgument(`top is below bottom corner: ${sides.top} vs. ${sides.bottom}`);
  const field = geoField(name, body, context);
  return field === undefined ? { kind: 'match_none' } : { kind: 'geo_box', field, ...sides };
}
