// Points within a distance, a box or a polygon. Distances are great circles on Lucene's sphere.
import { hasBit } from '../index/bits.ts';
import type { GeoColumn } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { PredicateScorer } from './constant.ts';
import type { Explanation } from './explanation.ts';
import { haversine } from '../mapping/great-circle.ts';
import { tick } from '../tasks/request-budget.ts';
import type { GeoBoxQuery, GeoDistanceQuery, GeoPolygonQuery } from './kinds/areas.ts';
import { type Scorer, scorerAt, Weight } from './scorer.ts';

type AreaQuery = GeoDistanceQuery | GeoBoxQuery | GeoPolygonQuery;

export class GeoWeight extends Weight {
  private readonly query: AreaQuery;
  private readonly value: number;

  constructor(query: AreaQuery, boost: number) {
    super();
    this.query = query;
    this.value = boost;
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const column = segment.geo(this.query.field);
    if (column === undefined) return undefined;
    return new PredicateScorer(segment.docCount, this.value, anyPoint(column, within(this.query)));
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    if (scorerAt(this, segment, doc) === undefined) return undefined;
    return { value: this.value, description: `ConstantScore(${this.query.kind} on ${this.query.field})`, details: [] };
  }
}

function withinPolygon({ points }: GeoPolygonQuery): (lat: number, lon: number) => boolean {
  const lats = Float64Array.from(points, ({ lat }) => lat);
  const lons = Float64Array.from(points, ({ lon }) => lon);
  const [bottom, top] = [lats.reduce((a, b) => Math.min(a, b)), lats.reduce((a, b) => Math.max(a, b))];
  const [left, right] = [lons.reduce((a, b) => Math.min(a, b)), lons.reduce((a, b) => Math.max(a, b))];
  return (lat, lon) => {
    if (lat < bottom || lat > top || lon < left || lon > right) return false;
    tick(4 * lats.length);
    let isInside = false;
    for (let at = 0, before = lats.length - 1; at < lats.length; before = at++) {
      const [y1, x1, y2, x2] = [lats[before]!, lons[before]!, lats[at]!, lons[at]!];
      const cross = (x2 - x1) * (lat - y1) - (y2 - y1) * (lon - x1);
      const isOnEdge =
        cross === 0 &&
        lat >= Math.min(y1, y2) &&
        lat <= Math.max(y1, y2) &&
        lon >= Math.min(x1, x2) &&
        lon <= Math.max(x1, x2);
      if (isOnEdge) return true;
      if (y1 > lat !== y2 > lat && lon < ((x2 - x1) * (lat - y1)) / (y2 - y1) + x1) isInside = !isInside;
    }
    return isInside;
  };
}

function within(query: AreaQuery): (lat: number, lon: number) => boolean {
  if (query.kind === 'geo_polygon') return withinPolygon(query);
  if (query.kind === 'geo_distance') return (lat, lon) => haversine(query.lat, query.lon, lat, lon) <= query.metres;
  const { top, bottom, left, right } = query;
  return (lat, lon) =>
    lat <= top && lat >= bottom && (left <= right ? lon >= left && lon <= right : lon >= left || lon <= right);
}

function anyPoint(column: GeoColumn, test: (lat: number, lon: number) => boolean): (doc: number) => boolean {
  const { lat, lon, starts, exists } = column;
  if (starts === undefined) return (doc) => (exists === undefined || hasBit(exists, doc)) && test(lat[doc]!, lon[doc]!);
  return (doc) => {
    for (let i = starts[doc]!; i < starts[doc + 1]!; i++) if (test(lat[i]!, lon[i]!)) return true;
    return false;
  };
}
