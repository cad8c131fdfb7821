// How queries on points print in Lucene, whose index keeps degrees in 32 bits.
import type { GeoBoxQuery, GeoDistanceQuery, GeoPolygonQuery } from '../query/query.ts';
import { javaDouble } from './lucene-query.ts';
import type { Printed } from './print-numbers.ts';

const LATITUDE_STEP = 180 / 2 ** 32;
const LONGITUDE_STEP = 360 / 2 ** 32;

/** Degrees as the index has them (GeoEncodingUtils): rounded down, or up. */
function kept(degrees: number, step: number, up: boolean): number {
  const most = 2 ** 31 - 1;
  const steps = up ? Math.ceil(degrees / step) : Math.floor(degrees / step);
  return Math.min(most, steps) * step;
}

/** A latitude as the index has it. */
export function keptLatitude(degrees: number): number {
  return kept(degrees, LATITUDE_STEP, false);
}

/** A longitude as the index has it. */
export function keptLongitude(degrees: number): number {
  return kept(degrees, LONGITUDE_STEP, false);
}

export function printDistance({ field, lat, lon, metres }: GeoDistanceQuery): string {
  return `${field}:${javaDouble(lat)},${javaDouble(lon)} +/- ${javaDouble(metres)} meters`;
}

export function printBox({ bottom, field, left, right, top }: GeoBoxQuery): Printed {
  const low = javaDouble(kept(bottom, LATITUDE_STEP, true));
  const high = javaDouble(kept(top, LATITUDE_STEP, false));
  const west = javaDouble(kept(left, LONGITUDE_STEP, true));
  const east = javaDouble(kept(right, LONGITUDE_STEP, false));
  return {
    text: `${field}:[${low} TO ${high}],[${west} TO ${east}]`,
    checkedBy: `${field}:box(minLat=${low}, maxLat=${high}, minLon=${west}, maxLon=${east})`,
  };
}

export function printPolygon({ field, points }: GeoPolygonQuery): Printed {
  const first = points[0]!;
  const last = points.at(-1)!;
  const closed = first.lat === last.lat && first.lon === last.lon ? points : [...points, first];
  const corners = `[${closed.map(({ lat, lon }) => `[${javaDouble(lat)}, ${javaDouble(lon)}] `).join('')}]`;
  return {
    text: `LatLonPointInPolygonQuery: field=${field}:${corners}`,
    checkedBy: `${field}:polygons(${corners})`,
  };
}
