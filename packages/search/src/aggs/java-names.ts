// Names of the classes of Elasticsearch that errors show.

/** Names that do not follow from the name of the type. */
const NAMES: Readonly<Record<string, string>> = {
  diversified_sampler: 'Diversified',
  geo_distance: 'GeoDistanceRange',
  geohash_grid: 'GeoHashGrid',
  geotile_grid: 'GeoTileGrid',
  ip_range: 'BinaryRange',
};

/** The packages of the aggregations of buckets whose class errors show. */
const PACKAGES: Readonly<Record<string, string>> = {
  composite: 'bucket.composite',
  diversified_sampler: 'bucket.sampler',
  filter: 'bucket.filter',
  global: 'bucket.global',
  matrix_stats: 'matrix.stats',
  missing: 'bucket.missing',
  nested: 'bucket.nested',
  reverse_nested: 'bucket.nested',
  sampler: 'bucket.sampler',
};

const nameOf = (type: string): string =>
  NAMES[type] ?? type.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The class that reads an aggregation. */
export function builderClass(type: string): string {
  return `org.elasticsearch.search.aggregations.${PACKAGES[type] ?? 'metrics'}.${nameOf(type)}AggregationBuilder`;
}

/** The class that makes the aggregation of a shard. */
export function factoryClass(type: string): string {
  return type === 'composite' ? 'CompositeAggregationFactory' : `${nameOf(type)}AggregatorFactory`;
}
