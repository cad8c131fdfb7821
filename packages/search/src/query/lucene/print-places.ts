// How queries on points print in Lucene, whose index keeps degrees in 32 bits.
import { javaDouble } from '../../json/java-values.ts';
import { keptLatitude, keptLongitude } from '../../mapping/geo.ts';
import type { GeoBoxQuery, GeoDistanceQuery, GeoPolygonQuery } from '../kinds/areas.ts';
import type { Printed } from './print-numbers.ts';

export function printDistance({ field, lat, lon, metres }: GeoDistanceQuery): string {
  return `${field}:${javaDouble(lat)},${javaDouble(lon)} +/- ${javaDouble(metres)} meters`;
}

export function printBox({ bottom, field, left, right, top }: GeoBoxQuery): Printed {
  const low = javaDouble(keptLatitude(bottom, true));
  const high = javaDouble(keptLatitude(top));
  const west = javaDouble(keptLongitude(left, true));
  const east = javaDouble(keptLongitude(right));
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
