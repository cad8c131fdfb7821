// Reads the geo grids: geohash_grid and geotile_grid.
import type { Json } from '../json/json.ts';
import { within } from '../json/object-parser.ts';
import { type Box, isInBox, missingPoint } from '../mapping/geo.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { readBounds } from './geo-bounds.ts';
import { geoGridAggregator, geotile } from './geo-grid.ts';
import { geohash, hashLength } from '../mapping/geohash.ts';
import { type BucketAggregation, integer, ofField, sharedOfField } from './definition.ts';
import { OF_FIELD } from './on-cluster.ts';

type Cell = (lat: number, lon: number) => string;

const hashCell =
  (precision: number): Cell =>
  (lat, lon) =>
    geohash(lat, lon, precision);

const tileCell =
  (zoom: number): Cell =>
  (lat, lon) => {
    const { x, y } = geotile(lat, lon, zoom);
    return `${zoom}/${x}/${y}`;
  };

function inBox(box: Box | undefined, cell: Cell): (lat: number, lon: number) => string | undefined {
  return box === undefined ? cell : (lat, lon) => (isInBox(box, lat, lon) ? cell(lat, lon) : undefined);
}

/** The zoom of a geotile_grid, or of a source of a composite. */
export function tilePrecision(body: Json): number {
  const zoom = integer(body, 'precision', 7);
  if (zoom < 0 || zoom > 29)
    throw illegalArgument(`Invalid geotile_grid precision of ${zoom}. Must be between 0 and 29.`);
  return zoom;
}

function geoGrid(type: 'geohash_grid' | 'geotile_grid', className: string): BucketAggregation {
  return {
    kind: 'bucket',
    cluster: OF_FIELD,
    makes: 'many',
    values: ['geo'],
    ...ofField('precision', 'size', 'shard_size', 'bounds'),
    profile: () => ({ className }),
    read(request) {
      const { body, name, children, setup } = request;
      const options = sharedOfField(request);
      const precision = type === 'geohash_grid' ? hashLength(body['precision'], 5, 'aggregation') : tilePrecision(body);
      const size = integer(body, 'size', 10_000);
      if (size <= 0) throw illegalArgument(`[size] must be greater than 0. Found [${size}] in [${name}]`);
      const box = body['bounds'] === undefined ? undefined : within(type, 'bounds', () => readBounds(body['bounds']));
      return geoGridAggregator(
        {
          ...options,
          typeName: type,
          size,
          get missing() {
            return missingPoint(body['missing']);
          },
          cell: inBox(box, type === 'geohash_grid' ? hashCell(precision) : tileCell(precision)),
        },
        children,
        setup.budget,
      );
    },
  };
}

export const GEO_GRIDS = {
  geohash_grid: geoGrid('geohash_grid', 'GeoHashGridAggregator'),
  geotile_grid: geoGrid('geotile_grid', 'GeoTileGridAggregator'),
} as const satisfies Readonly<Record<string, BucketAggregation>>;
