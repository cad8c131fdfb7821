// What an aggregation is called in a profile, and which details of it are shown there: Elasticsearch's names of its classes, so that tools
// made for its profiles know them.
import type { Json } from '../json/json.ts';
import { isNumeric, type MappedField } from '../mapping/field-type.ts';

/** What names depend on. */
export interface AggregationShape {
  readonly type: string;
  readonly body: Json;
  /** Whether it stands in no other one. */
  readonly isTop: boolean;
  /** The field in the index at hand. */
  readonly field: MappedField | undefined;
}

/** Those not called by their own name, or by several. */
const CLASSES: Readonly<Record<string, (shape: AggregationShape) => string>> = {
  terms: termsClass,
  significant_terms: termsClass,
  significant_text: () => 'MapStringTermsAggregator',
  rare_terms: ({ field }) => (isOfNumbers(field) ? 'LongRareTermsAggregator' : 'StringRareTermsAggregator'),
  histogram: ({ field }) => (field?.family === 'range' ? 'RangeHistogramAggregator' : 'NumericHistogramAggregator'),
  date_histogram: ({ field }) =>
    field?.family === 'range' ? 'DateRangeHistogramAggregator' : 'DateHistogramAggregator',
  auto_date_histogram: ({ isTop }) => (isTop ? 'FromSingle' : 'FromMany'),
  date_range: () => 'RangeAggregator',
  geo_distance: () => 'RangeAggregator',
  ip_range: () => 'BinaryRangeAggregator',
  geohash_grid: () => 'GeoHashGridAggregator',
  geotile_grid: () => 'GeoTileGridAggregator',
  percentiles: ({ body }) => `${body['hdr'] === undefined ? 'TDigest' : 'HDR'}PercentilesAggregator`,
  percentile_ranks: ({ body }) => `${body['hdr'] === undefined ? 'TDigest' : 'HDR'}PercentileRanksAggregator`,
};

/** The fields that Elasticsearch refuses to collect from where nobody mapped them. */
const OF_FIELDS = ['terms', 'significant_terms', 'rare_terms'];

/** The name of the class. */
export function aggregatorClass(shape: AggregationShape): string {
  if (shape.field === undefined && shape.body['field'] !== '_index' && OF_FIELDS.includes(shape.type))
    return 'NonCollectingAggregator';
  return (
    CLASSES[shape.type]?.(shape) ??
    `${shape.type.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Aggregator`
  );
}

function isOfNumbers(field: MappedField | undefined): boolean {
  return field !== undefined && isNumeric(field);
}

function termsClass({ field, body }: AggregationShape): string {
  if (isOfNumbers(field)) return 'NumericTermsAggregator';
  return body['execution_hint'] === 'map' ? 'MapStringTermsAggregator' : 'GlobalOrdinalsStringTermsAggregator';
}

/** The details. @param buckets those that documents of the index fell into */
export function debugOf(shape: AggregationShape, buckets: number): Json {
  const { type, body, field, isTop } = shape;
  const name = aggregatorClass(shape);
  const strategy = type.startsWith('significant') ? 'significant_terms' : undefined;
  switch (name) {
    case 'NumericHistogramAggregator':
    case 'RangeHistogramAggregator':
    case 'DateHistogramAggregator':
    case 'DateRangeHistogramAggregator':
      return { total_buckets: buckets };
    case 'FromSingle':
    case 'FromMany':
      return { surviving_buckets: buckets };
    case 'NumericTermsAggregator':
      return {
        result_strategy: strategy ?? (isFraction(field) ? 'double_terms' : 'long_terms'),
        total_buckets: buckets,
      };
    case 'GlobalOrdinalsStringTermsAggregator':
      return {
        collection_strategy: isTop ? 'dense' : 'remap',
        result_strategy: strategy ?? 'terms',
        has_filter: body['include'] !== undefined || body['exclude'] !== undefined,
        total_buckets: buckets,
      };
    case 'MapStringTermsAggregator':
      return {
        collection_strategy:
          type === 'significant_text'
            ? `analyze ${String(body['field'])} from _source`
            : `from Field [${String(body['field'])}]`,
        result_strategy: strategy ?? 'terms',
        total_buckets: buckets,
      };
    case 'CardinalityAggregator':
      return {
        empty_collectors_used: field === undefined ? 1 : 0,
        numeric_collectors_used: isOfNumbers(field) ? 1 : 0,
        ordinals_collectors_used: field === undefined || isOfNumbers(field) ? 0 : 1,
        ordinals_collectors_overhead_too_high: 0,
        string_hashing_collectors_used: 0,
      };
    default:
      return {};
  }
}

function isFraction(field: MappedField | undefined): boolean {
  return field?.family === 'number' && ['double', 'float', 'half_float', 'scaled_float'].includes(field.type);
}
