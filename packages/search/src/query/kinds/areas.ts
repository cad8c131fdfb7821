// Points by where they lie, and ranges that are values by how they lie to another. All documents have one score.
import { GeoWeight } from '../geo.ts';
import { fixed } from '../lucene/lucene-query.ts';
import { printRanges } from '../lucene/print-numbers.ts';
import { printBox, printDistance, printPolygon } from '../lucene/print-places.ts';
import type { QueryNode } from '../query.ts';
import { type Caching, LEAF, type QueryKind } from '../query-kind.ts';
import { rangesWeight } from '../ranges.ts';
import { termToIp } from '../../mapping/ip.ts';
import { areExact, constantLeaf, rangeLeaf } from '../cluster/leaves.ts';
import { both } from '../cluster/on-cluster.ts';
import { limited, SAFE } from '../cluster/verdict.ts';

/** Points within `metres` of a point. Constant score. */
export interface GeoDistanceQuery extends QueryNode {
  readonly kind: 'geo_distance';
  readonly field: string;
  readonly lat: number;
  readonly lon: number;
  readonly metres: number;
}

/** Points within a box; `left` greater than `right` crosses the date line. Constant score. */
export interface GeoBoxQuery extends QueryNode {
  readonly kind: 'geo_box';
  readonly field: string;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Points in a polygon or on its edge; degrees count as in a plane. Constant score. */
export interface GeoPolygonQuery extends QueryNode {
  readonly kind: 'geo_polygon';
  readonly field: string;
  /** The corners in order; the last is joined to the first. */
  readonly points: readonly { readonly lat: number; readonly lon: number }[];
}

/** Ranges that are values, by how they lie to the one asked for. Constant score. */
export interface RangesQuery extends QueryNode {
  readonly kind: 'ranges';
  readonly field: string;
  /** Closed; addresses as terms of 32 digits. */
  readonly bounds:
    | { readonly kind: 'numbers'; readonly from: number; readonly to: number }
    | { readonly kind: 'terms'; readonly from: string; readonly to: string };
  /** The value meets the range asked for, holds all of it, or lies in it. */
  readonly relation: 'intersects' | 'contains' | 'within';
}

const AREA = { ...LEAF, mark: () => undefined, caching: (): Caching => 'costly' };

export const geoDistance: QueryKind<GeoDistanceQuery> = {
  ...AREA,
  compile: (query, { boost }) => new GeoWeight(query, boost),
  lucene: (source) => fixed(source, printDistance(source)),
  cluster: {
    ...both(SAFE),
    compile: (query, at) =>
      constantLeaf(query.field, at, () => ({
        geo_distance: {
          distance: `${query.metres}m`,
          [query.field]: { lat: query.lat, lon: query.lon },
        },
      })),
    samples: { sent: [{ kind: 'geo_distance', field: 'place', lat: 1, lon: 1, metres: 5 }] },
  },
};

export const geoBox: QueryKind<GeoBoxQuery> = {
  ...AREA,
  compile: (query, { boost }) => new GeoWeight(query, boost),
  lucene(source) {
    const { text, checkedBy } = printBox(source);
    return fixed(source, text, { checkedBy, field: source.field });
  },
  cluster: {
    ...both(SAFE),
    compile: ({ bottom, field, left, right, top }, at) =>
      constantLeaf(field, at, () => ({ geo_bounding_box: { [field]: { top, left, bottom, right } } })),
    samples: { sent: [{ kind: 'geo_box', field: 'place', top: 1, left: 0, bottom: 0, right: 1 }] },
  },
};

export const geoPolygon: QueryKind<GeoPolygonQuery> = {
  ...AREA,
  compile: (query, { boost }) => new GeoWeight(query, boost),
  lucene(source) {
    const { text, checkedBy } = printPolygon(source);
    return fixed(source, text, { checkedBy });
  },
  cluster: {
    ...both(SAFE),
    compile: ({ field, points }, at) => constantLeaf(field, at, () => ({ geo_polygon: { [field]: { points } } })),
    samples: {
      sent: [{ kind: 'geo_polygon', field: 'place', points: [0, 1, 2].map((at) => ({ lat: at, lon: at * at })) }],
    },
  },
};

export const ranges: QueryKind<RangesQuery> = {
  ...AREA,
  compile: (query, { boost }) => rangesWeight(query, boost),
  lucene(source, { types }) {
    const { text, checkedBy } = printRanges(source, types.field(source.field));
    return fixed(source, text, { checkedBy });
  },
  cluster: {
    ...both(limited('bounds below 2^53', 'greater ones are rounded here, and a cluster keeps each of them')),
    compile: (query, at) =>
      constantLeaf(query.field, at, (field) => {
        const { bounds, relation } = query;
        const ends = bounds.kind === 'numbers' ? bounds : { from: termToIp(bounds.from), to: termToIp(bounds.to) };
        if (bounds.kind === 'numbers' && !areExact(field, [bounds.from, bounds.to])) at.refuse(query);
        return rangeLeaf(field, { from: ends.from, to: ends.to, relation });
      }),
    samples: {
      sent: [{ kind: 'ranges', field: 'range', bounds: { kind: 'numbers', from: 1, to: 2 }, relation: 'within' }],
      refused: [
        { kind: 'ranges', field: 'longs', bounds: { kind: 'numbers', from: 1, to: 2 ** 53 }, relation: 'within' },
      ],
    },
  },
};
