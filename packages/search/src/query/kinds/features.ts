// Scores by the nearness to an origin, and by the number of a feature.
import { javaDouble, javaFloat } from '../../json/java-values.ts';
import { DistanceFeatureWeight, RankFeatureWeight } from '../feature.ts';
import { typicalValue } from '../feature-values.ts';
import { scored } from '../lucene/lucene-query.ts';
import type { QueryNode } from '../query.ts';
import { type Caching, LEAF, type QueryKind } from '../query-kind.ts';
import type { Json } from '../../json/json.ts';
import type { ClusterCompiler } from '../cluster/cluster-compiler.ts';
import { leafOf, originOf } from '../cluster/leaves.ts';
import { both } from '../cluster/on-cluster.ts';
import { limited } from '../cluster/verdict.ts';

/** Scores the documents that have the field by their nearness to an origin. */
export interface DistanceFeatureQuery extends QueryNode {
  readonly kind: 'distance_feature';
  readonly field: string;
  /** Milliseconds, or a point. */
  readonly origin: number | { readonly lat: number; readonly lon: number };
  /** Nanoseconds after the milliseconds, of a field that has them. */
  readonly originNanos?: number;
  /** The distance at which the score is half; milliseconds or metres. */
  readonly pivot: number;
}

/** Scores the documents that have the field by a function of its number. */
export interface RankFeatureQuery extends QueryNode {
  readonly kind: 'rank_feature';
  readonly field: string;
  /** A feature of a `rank_features` field; absent for a `rank_feature` field. */
  readonly feature?: string;
  /** Small numbers are the good ones. */
  readonly inverse: boolean;
  readonly shape:
    | { readonly kind: 'saturation'; readonly pivot?: number }
    | { readonly kind: 'log'; readonly scalingFactor: number }
    | { readonly kind: 'sigmoid'; readonly pivot: number; readonly exponent: number };
}

const FEATURE = { ...LEAF, mark: () => undefined, caching: (): Caching => 'none' };

export const distanceFeature: QueryKind<DistanceFeatureQuery> = {
  ...FEATURE,
  compile: (query, { boost, statistics }) => new DistanceFeatureWeight(statistics, query, boost),
  lucene(source) {
    const { origin, originNanos, pivot } = source;
    const nanos = originNanos === undefined ? '' : String(originNanos).padStart(6, '0');
    return scored(
      source,
      typeof origin === 'number'
        ? `LongDistanceFeatureQuery(field=,origin=${origin}${nanos},pivotDistance=${pivot}${nanos === '' ? '' : '000000'})`
        : `LatLonPointDistanceFeatureQuery(field=,originLat=${javaDouble(origin.lat)},originLon=${javaDouble(origin.lon)},pivotDistance=${javaDouble(pivot)})`,
      'no matching value',
    );
  },
  cluster: {
    ...both(
      limited('points, and dates to the millisecond that the format of the field can say', 'others are not sent'),
    ),
    compile: (query, at) =>
      leafOf(query.field, at, (field) => {
        if (query.originNanos !== undefined) at.refuse(query);
        const unit = typeof query.origin === 'number' ? 'ms' : 'm';
        const origin = originOf(field, query.origin);
        if (origin === undefined || (unit === 'ms' && !Number.isInteger(query.pivot))) at.refuse(query);
        return { distance_feature: { field: query.field, origin, pivot: `${query.pivot}${unit}`, boost: at.boost } };
      }),
    samples: {
      sent: [{ kind: 'distance_feature', field: 'at', origin: 0, pivot: 1000 }],
      refused: [
        { kind: 'distance_feature', field: 'at', origin: 0, originNanos: 1, pivot: 1000 },
        { kind: 'distance_feature', field: 'at', origin: 64_800_000, pivot: 1000 },
        { kind: 'distance_feature', field: 'at', origin: 0, pivot: 0.5 },
      ],
    },
  },
};

export const rankFeature: QueryKind<RankFeatureQuery> = {
  ...FEATURE,
  expand: ({ shape, ...query }, statistics) =>
    shape.kind === 'saturation' && shape.pivot === undefined
      ? { ...query, shape: { ...shape, pivot: typicalValue(statistics, query) } }
      : undefined,
  compile: (query, { boost, statistics }) => new RankFeatureWeight(statistics, query, boost),
  lucene: (source) =>
    scored(
      source,
      source.feature === undefined
        ? `FeatureQuery(field=_feature, feature=${source.field}, function=${printShape(source)})`
        : `FeatureQuery(field=${source.field}, feature=${source.feature}, function=${printShape(source)})`,
      `Feature ${source.feature ?? source.field} isn't set`,
    ),
  cluster: {
    ...both(limited('log, sigmoid, and saturation with a pivot', 'the usual pivot is the mean of all documents')),
    compile: (query, at) =>
      leafOf(query.field, at, () => ({
        rank_feature: { field: query.field, ...shapeOnCluster(query, at), boost: at.boost },
      })),
    samples: {
      sent: [{ kind: 'rank_feature', field: 'rank', inverse: false, shape: { kind: 'saturation', pivot: 2 } }],
      refused: [{ kind: 'rank_feature', field: 'rank', inverse: false, shape: { kind: 'saturation' } }],
    },
  },
};

function printShape({ shape }: RankFeatureQuery): string {
  switch (shape.kind) {
    case 'saturation':
      return `SaturationFunction(pivot=${shape.pivot === undefined ? 'null' : javaFloat(shape.pivot)})`;
    case 'log':
      return `LogFunction(scalingFactor=${javaFloat(shape.scalingFactor)})`;
    case 'sigmoid':
      return `SigmoidFunction(pivot=${javaFloat(shape.pivot)}, a=${javaFloat(shape.exponent)})`;
  }
}

function shapeOnCluster(query: RankFeatureQuery, at: ClusterCompiler): Json {
  const { shape } = query;
  switch (shape.kind) {
    case 'saturation':
      return shape.pivot === undefined ? at.refuse(query) : { saturation: { pivot: shape.pivot } };
    case 'log':
      return { log: { scaling_factor: shape.scalingFactor } };
    case 'sigmoid':
      return { sigmoid: { pivot: shape.pivot, exponent: shape.exponent } };
  }
}
