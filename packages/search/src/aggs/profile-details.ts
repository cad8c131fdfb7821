// What an aggregation is called in a profile, and which details of it are shown there: Elasticsearch's names of its classes, so that tools
// made for its profiles know them.
import { textOf } from '../json/json.ts';
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

/** The class and its details. @param buckets those that documents of the index fell into */
export type ProfileDetails = (
  shape: AggregationShape,
  buckets: number,
) => { readonly className: string; readonly debug?: Json };

/** By its own name, without details. */
export const plainDetails: ProfileDetails = ({ type }) => ({
  className: `${type.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Aggregator`,
});

const isOfNumbers = (field: MappedField | undefined): boolean => field !== undefined && isNumeric(field);

/** Elasticsearch refuses to collect from a field that nobody mapped. */
const isUnmapped = ({ field, body }: AggregationShape): boolean => field === undefined && body['field'] !== '_index';
const NON_COLLECTING = { className: 'NonCollectingAggregator' } as const;

/** `terms` and `significant_terms`. @param strategy how results are made; undefined: by the field */
export const termsDetails =
  (strategy?: string): ProfileDetails =>
  (shape, buckets) => {
    const { body, field, isTop } = shape;
    if (isUnmapped(shape)) return NON_COLLECTING;
    if (isOfNumbers(field)) {
      const byType = isFraction(field) ? 'double_terms' : 'long_terms';
      return {
        className: 'NumericTermsAggregator',
        debug: { result_strategy: strategy ?? byType, total_buckets: buckets },
      };
    }
    if (body['execution_hint'] === 'map')
      return mapDetails(`from Field [${textOf(body['field'])}]`, strategy ?? 'terms', buckets);
    return {
      className: 'GlobalOrdinalsStringTermsAggregator',
      debug: {
        collection_strategy: isTop ? 'dense' : 'remap',
        result_strategy: strategy ?? 'terms',
        has_filter: body['include'] !== undefined || body['exclude'] !== undefined,
        total_buckets: buckets,
      },
    };
  };

/** `significant_text`. */
export const significantTextDetails: ProfileDetails = ({ body }, buckets) =>
  mapDetails(`analyze ${textOf(body['field'])} from _source`, 'significant_terms', buckets);

const mapDetails = (collection: string, result: string, buckets: number): ReturnType<ProfileDetails> => ({
  className: 'MapStringTermsAggregator',
  debug: { collection_strategy: collection, result_strategy: result, total_buckets: buckets },
});

/** `rare_terms`. */
export const rareTermsDetails: ProfileDetails = (shape) => {
  if (isUnmapped(shape)) return NON_COLLECTING;
  return { className: isOfNumbers(shape.field) ? 'LongRareTermsAggregator' : 'StringRareTermsAggregator' };
};

/** `cardinality`. */
export const cardinalityDetails: ProfileDetails = ({ field }) => ({
  className: 'CardinalityAggregator',
  debug: {
    empty_collectors_used: field === undefined ? 1 : 0,
    numeric_collectors_used: isOfNumbers(field) ? 1 : 0,
    ordinals_collectors_used: field === undefined || isOfNumbers(field) ? 0 : 1,
    ordinals_collectors_overhead_too_high: 0,
    string_hashing_collectors_used: 0,
  },
});

function isFraction(field: MappedField | undefined): boolean {
  return field?.family === 'number' && ['double', 'float', 'half_float', 'scaled_float'].includes(field.type);
}
