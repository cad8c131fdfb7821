// `rate`: how many documents, or how much of a field, there are in each bucket of a date_histogram in a unit of time. How long the bucket is
// is known when it is printed.
import type { CalendarUnit } from '@lockstitch/kernel';
import { asString, type Json } from '../json/json.ts';
import { illegalArgument } from '../errors/request-error.ts';
import type { Aggregator } from './aggregator.ts';
import { type DateBuckets, dateRounding } from './histogram.ts';
import { numericField } from './metrics.ts';
import { type MetricAggregation, decimalPrinter, ofField, type Reader } from './definition.ts';
import { CALENDAR } from './read-histograms.ts';
import { Stats } from './stats.ts';
import { numbers } from '../columns/values.ts';
import { NOT_OPEN } from './on-cluster.ts';

const MILLIS: Readonly<Partial<Record<CalendarUnit, number>>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const MONTHS: Readonly<Partial<Record<CalendarUnit, number>>> = { M: 1, q: 3, y: 12 };
const NAMES: Readonly<Record<CalendarUnit, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  M: 'month',
  q: 'quarter',
  y: 'year',
};

/** How many units the bucket of a key is long (Rounding.roundingSize). @throws RequestError for months of days, which have no one length */
function lengthIn(unit: CalendarUnit, { interval, zone, current }: DateBuckets): number {
  const millis = MILLIS[unit];
  const only = 'only week, day, hour, minute and second are supported for this histogram';
  if (typeof interval === 'number') {
    if (millis !== undefined) return interval / millis;
    throw illegalArgument(
      `Cannot use month-based rate unit [${NAMES[unit]}] with fixed interval based histogram, ${only}`,
    );
  }
  const own = MILLIS[interval];
  if (millis !== undefined) return (own ?? dateRounding(interval, zone, 0).next(current) - current) / millis;
  if (own === undefined) return MONTHS[interval]! / MONTHS[unit]!;
  throw illegalArgument(
    `Cannot use month-based rate unit [${NAMES[unit]}] with non-month based calendar interval histogram [${NAMES[interval]}] ${only}`,
  );
}

const read: Reader = ({ name, meta, body, dates }): Aggregator => {
  if (dates === undefined) throw illegalArgument('The rate aggregation can only be used inside a date histogram');
  const field = body['field'] === undefined ? undefined : asString(body['field'], 'field');
  const missing = body['missing'] ?? undefined;
  const unit = body['unit'] === undefined ? undefined : unitOf(asString(body['unit'], 'unit'));
  const print = decimalPrinter(body);
  // Incompatible units are an error even without documents.
  if (unit !== undefined) lengthIn(unit, dates);
  const sums: (Stats | undefined)[] = [];
  return {
    name,
    typeName: 'rate',
    meta,
    needsScores: false,
    open(scope) {
      if (field === undefined) return (_, bucket) => (sums[bucket] ??= new Stats()).add(1);
      const mapped = numericField({ name, meta, field, missing }, scope, 'rate');
      const each = mapped === undefined ? undefined : numbers(scope, mapped, missing);
      return each && ((doc, bucket) => each(doc, (value) => (sums[bucket] ??= new Stats()).add(value)));
    },
    result(bucket): Json {
      const value = (sums[bucket]?.sum ?? 0) / (unit === undefined ? 1 : lengthIn(unit, dates));
      return { value, ...(print === undefined ? {} : { value_as_string: print(value) }) };
    },
  };
};

function unitOf(text: string): CalendarUnit {
  const unit = Object.hasOwn(CALENDAR, text) ? CALENDAR[text] : undefined;
  if (unit === undefined) throw illegalArgument(`Unsupported unit ${text}`);
  return unit;
}

export const rate: MetricAggregation = {
  kind: 'metric',
  cluster: NOT_OPEN,
  numbers: 'value',
  ...ofField('format', 'unit'),
  read,
};
