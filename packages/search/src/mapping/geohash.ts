// Geohashes: the cell of a point by name, the cells around one, and how long a name is for a distance.
import { asInteger } from '../json/json.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { parseDistance } from './geo.ts';

const BASE32 = '0123456789bcdefghjkmnpqrstuvwxyz';

/** The geohash cell of a point. */
export function geohash(lat: number, lon: number, precision: number): string {
  let south = -90;
  let north = 90;
  let west = -180;
  let east = 180;
  let hash = '';
  for (let bit = 0, digit = 0; hash.length < precision; bit++) {
    digit <<= 1;
    if (bit % 2 === 0) {
      const middle = (west + east) / 2;
      if (lon >= middle) {
        digit |= 1;
        west = middle;
      } else east = middle;
    } else {
      const middle = (south + north) / 2;
      if (lat >= middle) {
        digit |= 1;
        south = middle;
      } else north = middle;
    }
    if (bit % 5 === 4) {
      hash += BASE32[digit];
      digit = 0;
    }
  }
  return hash;
}

/** Metres around the globe, and from pole to pole. */
const EQUATOR = 2 * Math.PI * 6_378_137;
const MERIDIAN = Math.PI * 6_356_752.314245;

/** The letters of cells that are at most so wide and high; more than a geohash has for no width. */
function lettersFor(metres: number): number {
  if (metres === 0) return 24;
  const parts = Math.ceil(EQUATOR / (Math.abs(metres) / (1 + MERIDIAN / EQUATOR)));
  if (parts === 1) return 1;
  const bits = Math.ceil(Math.log(parts) / Math.log(2));
  const left = bits % 5;
  return 2 * Math.floor(bits / 5) + (left > 0 ? 1 : 0) + (left > 3 ? 1 : 0);
}

/** Letters of a geohash, or about how wide a cell should be (Elasticsearch's GeoUtils.geoHashLevelsForPrecision). */
export function hashLength(given: unknown, fallback: number, where: string): number {
  let letters = fallback;
  if (typeof given === 'string' && !/^\d+$/.test(given)) {
    letters = lettersFor(parseDistance(given));
  } else if (given !== undefined && given !== null) letters = asInteger(given, 'precision');
  if (letters < 1 || letters > 12)
    throw illegalArgument(`Invalid geohash ${where} precision of ${letters}. Must be between 1 and 12.`);
  return letters;
}

/** The cells around the one of a point, itself among them; none beyond the poles. */
export function cellsAround(lat: number, lon: number, letters: number): Set<string> {
  const bits = 5 * letters;
  const high = 180 / 2 ** Math.floor(bits / 2);
  const wide = 360 / 2 ** Math.ceil(bits / 2);
  const found = new Set<string>();
  for (const up of [-1, 0, 1])
    for (const right of [-1, 0, 1]) {
      const y = lat + up * high;
      if (y < -90 || y > 90) continue;
      const x = lon + right * wide;
      found.add(geohash(y, x < -180 ? x + 360 : x >= 180 ? x - 360 : x, letters));
    }
  return found;
}
