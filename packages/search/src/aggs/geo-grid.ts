// The geo grids, buckets of map cells: `geohash_grid` and `geotile_grid`, and the names of cells.
import type { Json } from '../json/json.ts';
import type { Point } from '../mapping/geo.ts';
import { type Aggregator, type BucketBudget, Buckets } from './aggregator.ts';
import { compareKeys } from '../text/compare-keys.ts';
import { points, unsuitable } from '../columns/values.ts';

/** The web-mercator tile of a point: column and row at a zoom. */
export function geotile(lat: number, lon: number, zoom: number): { readonly x: number; readonly y: number } {
  const tiles = 2 ** zoom;
  const radians = (Math.min(85.0511287798066, Math.max(-85.0511287798066, lat)) * Math.PI) / 180;
  const x = Math.floor(((lon + 180) / 360) * tiles);
  const y = Math.floor(((1 - Math.log(Math.tan(radians) + 1 / Math.cos(radians)) / Math.PI) / 2) * tiles);
  const clamp = (value: number): number => Math.max(0, Math.min(tiles - 1, value));
  return { x: clamp(x), y: clamp(y) };
}

/** Makes `geohash_grid` or `geotile_grid`. */
export function geoGridAggregator(
  options: {
    readonly name: string;
    readonly meta: Json | undefined;
    readonly typeName: 'geohash_grid' | 'geotile_grid';
    readonly field: string;
    readonly size: number;
    readonly missing: Point | undefined;
    /** Returns the cell of a point; undefined outside of `bounds`. */
    cell(lat: number, lon: number): string | undefined;
    readonly typedKeys: boolean;
  },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const owners: (Map<string, number> | undefined)[] = [];
  return {
    name: options.name,
    typeName: options.typeName,
    meta: options.meta,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const field = scope.mapping.field(options.field);
      if (field !== undefined && field.family !== 'geo') throw unsuitable(field, options.field, options.typeName);
      const each = points(scope, field, options.missing);
      if (each === undefined) return buckets.skip(scope);
      const inner = buckets.open(scope);
      return (doc, owner) => {
        const cells = new Set<string>();
        each(doc, (lat, lon) => {
          const cell = options.cell(lat, lon);
          if (cell !== undefined) cells.add(cell);
        });
        const map = (owners[owner] ??= new Map());
        for (const cell of cells) {
          let bucket = map.get(cell);
          if (bucket === undefined) map.set(cell, (bucket = buckets.add()));
          inner(doc, bucket);
        }
      };
    },
    result(owner) {
      const entries = [...(owners[owner] ?? [])]
        .map(([key, bucket]) => ({ key, bucket, count: buckets.counts[bucket]! }))
        .sort((a, b) => b.count - a.count || compareCells(b.key, a.key))
        .slice(0, options.size);
      return { buckets: entries.map(({ key, bucket }) => ({ key, ...buckets.print(bucket) })) };
    },
  };
}

/** Geohashes by their letters, tiles by column and row. */
function compareCells(a: string, b: string): number {
  const [x, y] = [a.split('/'), b.split('/')];
  if (x.length === 1) return compareKeys(a, b);
  return Number(x[1]) - Number(y[1]) || Number(x[2]) - Number(y[2]);
}
