// What one aggregation says of itself, and what the readers of several share. Which aggregations there are is in definitions.ts.
import { asBoolean, asString, type Json } from '../json/json.ts';
import { coercedInteger, within } from '../json/object-parser.ts';
import { dateFormat, type DateFormat } from '../mapping/date-format.ts';
import type { Family } from '../mapping/field-parameters.ts';
import { isMetadata } from '../mapping/metadata-fields.ts';
import { timeZone, type TimeZone, UTC } from '../mapping/time-zone.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { illegalArgument, RequestError, shardArgument, unsupported } from '../errors/request-error.ts';
import type { Aggregator, BucketBudget } from './aggregator.ts';
import type { MetricOptions } from './metrics.ts';
import { decimalFormat, parseDecimal } from '../text/number-format.ts';
import type { DateBuckets } from './histogram.ts';
import type { AnyAggregation } from './on-cluster.ts';
import type { ParentDefinition, SiblingDefinition } from './pipeline.ts';
import type { ProfileDetails } from './profile-details.ts';
import type { Mapped } from './rewritten.ts';

/** What aggregations of one request share. */
export interface AggregationSetup {
  readonly budget: BucketBudget;
  readonly typedKeys: boolean;
  /** Aggregations of one request at most. */
  readonly maxAggregations: number;
  readonly now: number;
  /** The format of the dates of a field, in the first index that has the field as a date. */
  formatOf(field: string): DateFormat | undefined;
  /** The fields and objects of the first index. */
  readonly mapped: Mapped;
  /** Makes `top_hits`, which needs the fetching of hits. */
  topHits(name: string, meta: Json | undefined, body: Json): Aggregator;
  /** Reads a query for its mistakes only; absent where the aggregations are run, which read it against each index. */
  readonly parseQuery?: (query: unknown) => void;
}

/** What a reader is given of one aggregation of a request. */
export interface AggregationRequest {
  readonly type: string;
  readonly name: string;
  readonly meta: Json | undefined;
  readonly body: Json;
  readonly children: readonly Aggregator[];
  /** What is known of the aggregations inside, by name. */
  readonly inside: ReadonlyMap<string, Inside>;
  readonly setup: AggregationSetup;
  /** The aggregations that it stands in, outermost first. */
  readonly above: readonly Ancestor[];
  /** The nearest date_histogram around it; for the aggregation that is one, its own. */
  readonly dates: DateBuckets | undefined;
}

/** An aggregation that stands in another one. */
export interface Inside {
  readonly type: string;
  readonly definition: AggregationDefinition;
  readonly body: Json;
  readonly inside: ReadonlyMap<string, Inside>;
}

/** How many buckets in each bucket above: one, as many as the request names, or as many as there are values. */
export type BucketCount = 'one' | 'named' | 'many';

/** An aggregation around another one. */
export interface Ancestor {
  readonly type: string;
  readonly body: Json;
  readonly makes: BucketCount | undefined;
}

/** Reads the body, whose members are known by then, and makes the aggregation. */
export type Reader = (request: AggregationRequest) => Aggregator;

/** What all aggregations of documents say of themselves. */
export interface OfDocuments extends AnyAggregation {
  /** The members of the body; undefined: the reader checks them. */
  readonly options?: readonly string[];
  /** Whether Elasticsearch takes a `script` for the field, which is refused by name. */
  readonly isScripted?: true;
  /** Whether Elasticsearch reads the body by hand; a parser of objects, which reads all others, words mistakes in its own way. */
  readonly isReadByHand?: true;
  /** The families of the fields that it takes, where it takes one `field`. */
  readonly values?: readonly Family[];
  /** The type of a field that is not mapped, where `missing` gives a value for it. */
  readonly unmapped?: 'double' | 'date' | 'keyword' | 'ip';
  /** Its class and details in a profile; by default the class is called as the aggregation is. */
  readonly profile?: ProfileDetails;
  /** The queries in the body. */
  readonly queries?: (body: Json) => readonly unknown[];
  readonly read: Reader;
}

/** Computes numbers or shows hits; nothing stands inside. */
export interface MetricAggregation extends OfDocuments {
  readonly kind: 'metric';
  /** By what buckets are ordered: its value, or those that it has; undefined: none. */
  readonly numbers?: 'value' | ((name: string, body: Json) => boolean);
}

/** Makes buckets. */
export interface BucketAggregation extends OfDocuments {
  readonly kind: 'bucket';
  readonly makes: BucketCount;
  /** @throws RequestError where it cannot stand. @param above the aggregations around, outermost first */
  readonly checkPlace?: (name: string, above: readonly Ancestor[]) => void;
  /** What those inside of it know of its dates. */
  readonly dates?: (body: Json) => DateBuckets;
  /** Whether no aggregation stands inside. */
  readonly isLeaf?: true;
  /** Whether its buckets are in a row, as some pipelines need them. */
  readonly isHistogram?: true;
}

/** An aggregation that Elasticsearch has and this engine refuses. */
interface RefusedAggregation {
  readonly kind: 'refused';
}

/** All that is known of one aggregation. */
export type AggregationDefinition =
  | MetricAggregation
  | BucketAggregation
  | SiblingDefinition
  | ParentDefinition
  | RefusedAggregation;

/** What is a number or is kept as one. */
export const NUMERIC = ['number', 'date', 'boolean'] as const satisfies readonly Family[];
/** What has one value or several to count. */
export const VALUES = [...NUMERIC, 'keyword', 'ip', 'range', 'geo'] as const satisfies readonly Family[];
/** What has one term or number to make a bucket of. */
export const TERMS = [...NUMERIC, 'keyword', 'ip'] as const satisfies readonly Family[];

/** Refuses a `script`. */
export function noScript(body: Json): void {
  if (body['script'] !== undefined) throw unsupported('[script] in aggregations');
}

/** The options of an aggregation of one field. */
export const ofField = (
  ...own: readonly string[]
): { readonly options: readonly string[]; readonly isScripted: true } => ({
  options: ['field', 'missing', 'value_type', ...own],
  isScripted: true,
});

/** The field, which must be there. */
export function fieldOf({ type, name, body }: AggregationRequest): string {
  if (body['field'] === undefined)
    throw illegalArgument(
      `Required one of fields [field, script], but none were specified. [${type}] aggregation [${name}] needs a field.`,
    );
  return asString(body['field'], 'field');
}

/** What most readers read. */
export const shared = ({
  name,
  meta,
  setup,
}: AggregationRequest): { name: string; meta: Json | undefined; typedKeys: boolean } => ({
  name,
  meta,
  typedKeys: setup.typedKeys,
});

/** What aggregations of one field read, all but the format. */
export const sharedOfField = (
  request: AggregationRequest,
): { name: string; meta: Json | undefined; typedKeys: boolean; field: string; missing: unknown } => ({
  ...shared(request),
  field: fieldOf(request),
  missing: missingOf(request.body),
});

/** The value of documents that have none; a number is written as `format` says. */
function missingOf(body: Json): unknown {
  const { missing, format } = body;
  if (typeof format !== 'string' || typeof missing !== 'string') return missing ?? undefined;
  try {
    return parseDecimal(format, missing);
  } catch (error) {
    // Of a date, which the field reads.
    if (error instanceof RequestError) return missing;
    throw error;
  }
}

/** What metrics of one field read. */
export const metric = (request: AggregationRequest): MetricOptions => ({
  ...sharedOfField(request),
  print: givenPrinter(request.body),
});

/** Prints a number of a field; without one, as a plain number. */
export type Print = (value: number, field?: MappedField) => string;

/** The printer that `format` asks for: a pattern of dates where the field holds them, else one of numbers. */
export function givenPrinter(body: Json): Print | undefined {
  if (body['format'] === undefined) return undefined;
  const format = asString(body['format'], 'format');
  let dates: DateFormat | undefined;
  let decimals: ((value: number) => string) | undefined;
  return (value, field) =>
    field?.family === 'date'
      ? printDate((dates ??= dateFormat(format, field.format.locale)), value)
      : (decimals ??= decimalFormat(format))(value);
}

/** Prints a number as a date. What is no number is the beginning of time, as in Java. */
export function printDate(format: DateFormat, value: number): string {
  return format.print(Number.isNaN(value) ? 0 : value, UTC);
}

/** The printer that `format` asks for where no field says what is printed. @throws RequestError for what is no pattern */
export function decimalPrinter(body: Json): ((value: number) => string) | undefined {
  return body['format'] === undefined ? undefined : decimalFormat(asString(body['format'], 'format'));
}

/** The format of dates that `format` asks for; none where it is one of numbers. Which it has to be, the field says (`checkFormat`). */
export function dateFormatOf(body: Json): DateFormat | undefined {
  if (body['format'] === undefined) return undefined;
  try {
    return dateFormat(asString(body['format'], 'format'));
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

/** @throws RequestError for a `format` that values of a field cannot be printed in */
export function checkFormat(body: Json, path: string, field: MappedField): void {
  if (body['format'] === undefined) return;
  const format = asString(body['format'], 'format');
  if (field.family === 'date' || field.type === 'date_range') dateFormat(format);
  else if (field.family === 'number' && !isMetadata(field)) decimalFormat(format);
  else if (['number', 'keyword', 'ip', 'boolean', 'geo'].includes(field.family))
    throw shardArgument(`Field [${path}] of type [${field.type}] does not support custom formats`);
}

/** `time_zone`; UTC by default. */
export function zoneOf(body: Json, type: string): TimeZone {
  const given = body['time_zone'];
  if (given === undefined) return UTC;
  // A number counts hours.
  if (typeof given === 'number')
    return timeZone(`${given < 0 ? '-' : '+'}${String(Math.abs(given)).padStart(2, '0')}:00`);
  return within(type, 'time_zone', () => timeZone(asString(given, 'time_zone')));
}

export function flag(body: Json, key: string, fallback: boolean): boolean {
  if (body[key] === '') return false;
  return body[key] === undefined ? fallback : asBoolean(body[key], key);
}

export function integer(body: Json, key: string, fallback: number): number {
  return body[key] === undefined ? fallback : coercedInteger(body[key], key);
}

export const KEY_ASCENDING = [{ by: '_key', descending: false }];
