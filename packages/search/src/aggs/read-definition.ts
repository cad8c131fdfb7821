// What readers of aggregations share: the definition they are given and the members that many of them have.
import { asBoolean, asInteger, asString, checkKeys, type Json } from '../json/json.ts';
import { dateFormat, type DateFormat } from '../mapping/date-format.ts';
import { timeZone, UTC } from '../mapping/time-zone.ts';
import { illegalArgument, unsupported } from '../errors/request-error.ts';
import type { Aggregator, BucketBudget } from './aggregator.ts';
import type { MetricOptions } from './metrics.ts';
import { decimalFormat } from '../text/number-format.ts';
import type { DateBuckets } from './histogram.ts';

/** What aggregations of one request share. */
export interface AggregationSetup {
  readonly budget: BucketBudget;
  readonly typedKeys: boolean;
  /** Aggregations of one request at most. */
  readonly maxAggregations: number;
  readonly now: number;
  /** The format of the dates of a field, in the first index that has the field as a date. */
  formatOf(field: string): DateFormat | undefined;
  /** Makes `top_hits`, which needs the fetching of hits. */
  topHits(name: string, meta: Json | undefined, body: Json): Aggregator;
  /** Reads a query for its mistakes only; absent where the aggregations are run, which read it against each index. */
  readonly parseQuery?: (query: unknown) => void;
}

interface Definition {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly body: Json;
  readonly children: readonly Aggregator[];
  readonly setup: AggregationSetup;
  /** The types of the aggregations that it stands in, outermost first. */
  readonly above: readonly string[];
  /** The nearest date_histogram around it; for the aggregation that is one, its own. */
  readonly dates: DateBuckets | undefined;
}

export type Reader = (definition: Definition) => Aggregator;

export function noScript(body: Json): void {
  if (body['script'] !== undefined) throw unsupported('[script] in aggregations');
}

/** Aggregations of a field that print no numbers of it, and so know no `format`. */
const WITHOUT_FORMAT = [
  'cardinality',
  'diversified_sampler',
  'geo_bounds',
  'geo_centroid',
  'geo_distance',
  'geohash_grid',
  'geotile_grid',
  'ip_range',
];
/** Aggregations that ask which day it is somewhere. */
const WITH_ZONE = ['auto_date_histogram', 'date_histogram', 'date_range'];

/** Checks the members and finds the field. */
export function fieldOf({ name, body }: Definition, type: string, known: readonly string[]): string {
  noScript(body);
  const format = WITHOUT_FORMAT.includes(type) ? [] : ['format'];
  const zone = WITH_ZONE.includes(type) ? ['time_zone'] : [];
  checkKeys(body, type, ['field', 'missing', 'value_type', ...format, ...zone, ...known]);
  if (body['field'] === undefined) {
    throw illegalArgument(
      `Required one of fields [field, script], but none were specified. [${type}] aggregation [${name}] needs a field.`,
    );
  }
  return asString(body['field'], 'field');
}

export function metric(definition: Definition, type: string, known: readonly string[]): MetricOptions {
  const field = fieldOf(definition, type, known);
  const format = definition.body['format'];
  return {
    name: definition.name,
    meta: definition.meta,
    field,
    missing: definition.body['missing'] ?? undefined,
    print: format === undefined ? undefined : printer(asString(format, 'format')),
  };
}

/** A format of numbers or of dates: patterns of `#` and `0` are numbers'. */
export function printer(format: string, zone?: string): (value: number) => string {
  if (/[#0]/.test(format)) return decimalFormat(format);
  const dates = dateFormat(format);
  return (value) => dates.print(value, zone === undefined ? UTC : timeZone(zone));
}

export function flag(body: Json, key: string, fallback: boolean): boolean {
  return body[key] === undefined ? fallback : asBoolean(body[key], key);
}

export function integer(body: Json, key: string, fallback: number): number {
  return body[key] === undefined ? fallback : asInteger(body[key], key);
}

export const KEY_ASCENDING = [{ by: '_key', descending: false }];

export const shared = ({
  name,
  meta,
  setup,
}: Definition): { name: string; meta: Json | undefined; typedKeys: boolean } => ({
  name,
  meta,
  typedKeys: setup.typedKeys,
});
