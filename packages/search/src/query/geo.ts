// Points within a distance of a point or within a box. Distances are great circles on Lucene's sphere.
import { hasBit } from '../index/bits.ts';
import type { GeoColumn } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { PredicateScorer } from './constant.ts';
import type { Explanation } from '../index/search-request.ts';
import type { GeoBoxQuery, GeoDistanceQuery } from './query.ts';
import { type Scorer, scorerAt, Weight } from './scorer.ts';

/** Metres; SloppyMath's mean radius. */
const EARTH_RADIUS = 6_371_008.7714;
const RADIANS = Math.PI / 180;

/** Metres between two points given in degrees (haversine). */
export function geoDistance(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const x = Math.sin(((lat2 - lat1) * RADIANS) / 2);
  const y = Math.sin(((lon2 - lon1) * RADIANS) / 2);
  const h = x * x + Math.cos(lat1 * RADIANS) * Math.cos(lat2 * RADIANS) * y * y;
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(h)));
}

export class GeoWeight extends Weight {
  private readonly query: GeoDistanceQuery | GeoBoxQuery;
  private readonly value: number;

  constructor(query: GeoDistanceQuery | GeoBoxQuery, boost: number) {
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

function within(query: GeoDistanceQuery | GeoBoxQuery): (lat: number, lon: number) => boolean {
  if (query.kind === 'geo_distance') {
    return (lat, lon) => geoDistance(query.lat, query.lon, lat, lon) <= query.metres;
  }
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
