// Points on the globe as requests and documents write them: object, `"lat,lon"`, `[lon, lat]`, WKT and geohash; and
// distances with units.
import { javaDouble, readJavaDouble } from '../json/java-values.ts';
import { asString, checkKeys, isObject, textOf } from '../json/json.ts';
import { haversine } from './great-circle.ts';
import { illegalArgument, NumberFormatError, parseException, parsingError } from '../errors/request-error.ts';

/** Degrees. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}

const BASE32 = '0123456789bcdefghjkmnpqrstuvwxyz';

/** Reads one point. @param field that it is a value of @throws RequestError when it is none */
export function parsePoint(value: unknown, field?: string): Point {
  const found = readPoint(value);
  const where = field === undefined ? '' : ` for ${field}`;
  if (Math.abs(found.lat) > 90) throw illegalArgument(`illegal latitude value [${javaDouble(found.lat)}]${where}`);
  if (Math.abs(found.lon) > 180) throw illegalArgument(`illegal longitude value [${javaDouble(found.lon)}]${where}`);
  return found;
}

/** Reads the point of documents that have none (`missing`): a number is taken for a geohash. */
export function missingPoint(value: unknown): Point | undefined {
  return value === undefined ? undefined : parsePoint(typeof value === 'object' ? value : textOf(value));
}

/** Reads one point, on the globe or not. @throws RequestError when it is none */
export function readPoint(value: unknown): Point {
  if (isObject(value)) {
    const keys = Object.keys(value);
    const extra = keys.find((key) => key !== 'lat' && key !== 'lon');
    if (extra === 'geohash' && keys.length === 1) return readPoint(value['geohash']);
    if (extra !== undefined) throw parseException(`field must be either [lat], [lon] or [geohash]`);
    if (value['lat'] === undefined) throw parseException('field [lat] missing');
    if (value['lon'] === undefined) throw parseException('field [lon] missing');
    const [lat, lon] = [degrees(value['lat']), degrees(value['lon'])];
    if (Number.isNaN(lat) || Number.isNaN(lon)) throw parseException('[lat] and [lon] must be valid double values');
    return point(lat, lon);
  }
  if (Array.isArray(value)) {
    if (value.length < 2 || value.length > 3)
      throw parseException('[geo_point] field type does not accept > 3 dimensions');
    return point(Number(value[1]), Number(value[0]));
  }
  if (typeof value === 'string') {
    const wkt = /^\s*POINT\s*\(\s*(\S+)\s+(\S+)\s*\)\s*$/i.exec(value);
    if (wkt !== null) return point(Number(wkt[2]), Number(wkt[1]));
    if (value.includes(',')) {
      const [lat, lon] = value.split(',');
      return point(degrees(lat), degrees(lon));
    }
    const { south: lat, west: lon } = cellOf(value);
    return { lat, lon };
  }
  throw parseException('geo_point expected');
}

const degrees = (value: unknown): number => (value === '' || value === null ? Number.NaN : Number(value));

function point(lat: number, lon: number): Point {
  if (!Number.isFinite(lat)) throw parseException('latitude must be a number');
  if (!Number.isFinite(lon)) throw parseException('longitude must be a number');
  return { lat, lon };
}

/** The same place on the globe: beyond a pole lies the other side of it (GeoUtils.normalizePoint). */
export function normalizePoint({ lat, lon }: Point): Point {
  const isBeyond = Math.abs(lat) > 90;
  const found = isBeyond ? centered(lat) : lat;
  const isOpposite = Math.abs(found) > 90;
  return {
    lat: isOpposite ? Math.sign(found) * 180 - found : found,
    lon: isBeyond || Math.abs(lon) > 180 ? centered(isOpposite ? lon + 180 : lon) : lon,
  };
}

/** Degrees from -180, which is none of them, to 180. */
function centered(degrees: number): number {
  const rest = degrees % 360;
  const found = rest <= 0 ? rest + 360 : rest;
  return found > 180 ? found - 360 : found;
}

/** The sides of a geohash cell. Its corner in the south-west is the point that it stands for. */
export function cellOf(hash: string): Readonly<Record<'south' | 'north' | 'west' | 'east', number>> {
  let south = -90;
  let north = 90;
  let west = -180;
  let east = 180;
  let isLon = true;
  if (hash === '') throw parseException('empty geohash');
  for (const character of hash) {
    const digit = BASE32.indexOf(character);
    if (digit < 0) throw parseException(`unsupported symbol [${character}] in geohash [${hash}]`);
    for (let bit = 16; bit > 0; bit >>= 1) {
      if (isLon) {
        const middle = (west + east) / 2;
        if ((digit & bit) !== 0) west = middle;
        else east = middle;
      } else {
        const middle = (south + north) / 2;
        if ((digit & bit) !== 0) south = middle;
        else north = middle;
      }
      isLon = !isLon;
    }
  }
  return { south, north, west, east };
}

const METRES: Readonly<Record<string, number>> = {
  m: 1,
  meters: 1,
  km: 1000,
  kilometers: 1000,
  mi: 1609.344,
  miles: 1609.344,
  yd: 0.9144,
  yards: 0.9144,
  ft: 0.3048,
  feet: 0.3048,
  in: 0.0254,
  inch: 0.0254,
  cm: 0.01,
  centimeters: 0.01,
  mm: 0.001,
  millimeters: 0.001,
  nmi: 1852,
  NM: 1852,
  nauticalmiles: 1852,
};

/** Longer ones first: `nmi` ends in `mi`. */
const UNITS = Object.keys(METRES).toSorted((a, b) => b.length - a.length);

/** Metres in one unit. */
export function metresIn(unit: string): number {
  const found = Object.hasOwn(METRES, unit) ? METRES[unit] : undefined;
  if (found === undefined) throw illegalArgument(`No distance unit match [${unit}]`);
  return found;
}

/** Reads `12km`, or a number of `unit`, in metres. */
export function parseDistance(value: unknown, unit = 'm'): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value * metresIn(unit);
  const text = textOf(value);
  const named = UNITS.find((each) => text.endsWith(each));
  const given = named === undefined ? text : text.slice(0, -named.length).trim();
  const number = readJavaDouble(given);
  if (number === undefined) throw new NumberFormatError(given === '' ? 'empty String' : `For input string: "${given}"`);
  if (!Number.isFinite(number)) throw illegalArgument(`failed to parse distance [${text}]`);
  return number * metresIn(named ?? unit);
}

const LATITUDE_STEP = 1 / (2 ** 32 / 180);
const LONGITUDE_STEP = 1 / (2 ** 32 / 360);

/** A latitude in the 32 bits that Lucene keeps (GeoEncodingUtils), rounded down or up. */
export function keptLatitude(degrees: number, up = false): number {
  return kept(degrees, LATITUDE_STEP, up);
}

/** A longitude in the 32 bits that Lucene keeps (GeoEncodingUtils), rounded down or up. */
export function keptLongitude(degrees: number, up = false): number {
  return kept(degrees, LONGITUDE_STEP, up);
}

function kept(degrees: number, step: number, up: boolean): number {
  const steps = degrees / step;
  return Math.min(up ? Math.ceil(steps) : Math.floor(steps), 2 ** 31 - 1) * step;
}

/** A point as it is kept: each coordinate rounded down, as in Lucene's LatLonDocValuesField. */
export function storedPoint({ lat, lon }: Point): Point {
  return { lat: keptLatitude(lat), lon: keptLongitude(lon) };
}

/** Metres along the globe between two points. */
export function distanceBetween(a: Point, b: Point): number {
  return haversine(a.lat, a.lon, b.lat, b.lon);
}

/** Metres between two points as if the globe were flat there: `distance_type` `plane`, as Elasticsearch computes it. */
export function planeDistance(a: Point, b: Point): number {
  const toRadians = Math.PI / 180;
  const x = (b.lon - a.lon) * toRadians * Math.cos(((a.lat + b.lat) / 2) * toRadians);
  const y = (b.lat - a.lat) * toRadians;
  return Math.sqrt(x * x + y * y) * 6_371_008.7714;
}

/** Degrees; where the left side is east of the right one, the box crosses the date line. */
export interface Box {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Reads a box by its corners, its sides or as WKT. @throws RequestError when it is none */
export function parseBox(box: unknown, where: string, read: (corner: unknown) => Point = parsePoint): Box {
  if (!isObject(box)) throw parsingError(`[${where}] a box is expected as an object`);
  checkKeys(box, where, [
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
  const corner = (key: string): Point | undefined => {
    const value = box[key];
    if (typeof value !== 'string' || /[,(]/.test(value)) return value === undefined ? undefined : read(value);
    const { south, north, west, east } = cellOf(value);
    return { lat: key.includes('top') ? north : south, lon: key.includes('right') ? east : west };
  };
  const topLeft = corner('top_left');
  const bottomRight = corner('bottom_right');
  const topRight = corner('top_right');
  const bottomLeft = corner('bottom_left');
  const pick = (what: string, ...values: unknown[]): number => {
    const number = Number(values.find((value) => value !== undefined));
    if (!Number.isFinite(number)) throw illegalArgument(`${what} is invalid: ${number}`);
    return number;
  };
  const sides = {
    top: pick('top latitude', top, topLeft?.lat, topRight?.lat),
    left: pick('left longitude', left, topLeft?.lon, bottomLeft?.lon),
    bottom: pick('bottom latitude', bottom, bottomRight?.lat, bottomLeft?.lat),
    right: pick('right longitude', right, bottomRight?.lon, topRight?.lon),
  };
  if (sides.top < sides.bottom) throw illegalArgument(`top is below bottom corner: ${sides.top} vs. ${sides.bottom}`);
  return sides;
}

/** A box with its corners on the globe; one around all of it stays one (GeoBoundingBoxQueryBuilder). */
export function normalizeBox({ top, left, bottom, right }: Box): Box {
  const first = normalizePoint({ lat: top, lon: left });
  const last = normalizePoint({ lat: bottom, lon: right });
  const isAround = right > left && (right - left) % 360 === 0;
  return { top: first.lat, bottom: last.lat, left: isAround ? -180 : first.lon, right: isAround ? 180 : last.lon };
}

/** Whether a point lies in a box, edges included. */
export function isInBox({ top, left, bottom, right }: Box, lat: number, lon: number): boolean {
  // A side that is no number has nothing on either side of it.
  if (!(lat <= top && lat >= bottom)) return false;
  return left <= right ? lon >= left && lon <= right : lon >= left || lon <= right;
}

/** What becomes of a point beyond the globe. */
const VALIDATIONS = ['COERCE', 'IGNORE_MALFORMED', 'STRICT'] as const;
export type Validation = (typeof VALIDATIONS)[number];

/** Reads `validation_method`: `STRICT` where it is not given. @throws RequestError for an unknown one */
export function readValidation(given: unknown): Validation {
  if (given === undefined || given === null) return 'STRICT';
  const found = VALIDATIONS.find((each) => each === textOf(given).toUpperCase());
  if (found === undefined)
    throw illegalArgument(`operator needs to be either [${VALIDATIONS.join(', ')}], but not [${textOf(given)}]`);
  return found;
}
