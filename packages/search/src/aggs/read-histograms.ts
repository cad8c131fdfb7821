// Reads the aggregations that make buckets of equal width: histogram, date_histogram, geo grids.
import { byWord, isOneOf } from '@lockstitch/kernel';
import type { CalendarUnit } from '@lockstitch/kernel';
import { readTime } from '../json/time-value.ts';
import { asNumber, asObject, type Json, textOf } from '../json/json.ts';
import { checkToken, unknownMember, within } from '../json/object-parser.ts';
import { DEFAULT_DATE_FORMAT, dateFormat, type DateFormat } from '../mapping/date-format.ts';
import { javaDouble } from '../json/java-values.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { parseDateMath } from '../mapping/date-math.ts';
import type { TimeZone } from '../mapping/time-zone.ts';
import { contentError, illegalArgument, shardArgument } from '../errors/request-error.ts';
import { readOrder } from './bucket-order.ts';
import {
  type DateBuckets,
  dateRounding,
  fixedRounding,
  histogramAggregator,
  type HistogramOptions,
} from './histogram.ts';
import { decimalFormat } from '../text/number-format.ts';
import {
  type AggregationRequest,
  type BucketAggregation,
  dateFormatOf,
  flag,
  givenPrinter,
  integer,
  KEY_ASCENDING,
  NUMERIC,
  ofField,
  type Reader,
  sharedOfField,
  zoneOf,
} from './definition.ts';
import type { ProfileDetails } from './profile-details.ts';
import { readIn } from '../columns/values.ts';
import { OF_LENGTH } from './on-cluster.ts';

type Bounds = { readonly min: number | undefined; readonly max: number | undefined } | undefined;

/** @param of the parser of the bounds, and what they are called */
function bounds(value: unknown, of: readonly [parser: string, name: string], read: (value: unknown) => number): Bounds {
  if (value === undefined) return undefined;
  const [parser, name] = of;
  const object = asObject(value, name);
  for (const [key, bound] of Object.entries(object)) {
    if (key !== 'min' && key !== 'max') throw unknownMember(parser, key, ['min', 'max']);
    checkToken(parser, key, bound, 'numberOrNull');
  }
  const part = (key: string): number | undefined =>
    object[key] === undefined || object[key] === null ? undefined : read(object[key]);
  const min = part('min');
  const max = part('max');
  if (min !== undefined && max !== undefined && min > max) {
    if (parser === 'double_bounds')
      throw contentError('Failed to build [double_bounds] after last required field arrived', {
        type: 'illegal_argument_exception',
        reason: `max bound [${max}] must be greater than min bound [${min}]`,
      });
    throw shardArgument(`[${name}.min][${min}] cannot be greater than [${name}.max][${max}]`);
  }
  return { min, max };
}

type BoundsName = 'hard_bounds' | 'extended_bounds';

/** The bounds of a histogram of numbers. */
export function numberBounds(body: Json, name: BoundsName): Bounds {
  return bounds(body[name], ['double_bounds', name], (value) => asNumber(value, 'extended_bounds'));
}

/** The bounds of a histogram of dates, in milliseconds. @param ofField the format of its field */
export function dateBounds(body: Json, name: BoundsName, ofField: DateFormat | undefined, now: number): Bounds {
  const format = dateFormatOf(body) ?? ofField ?? dateFormat(DEFAULT_DATE_FORMAT);
  const zone = zoneOf(body, 'date_histogram');
  return bounds(body[name], ['bounds', name], (value) =>
    typeof value === 'number' ? value : parseDateMath(textOf(value), format, { now, zone }),
  );
}

/** Which buckets the two show, and how. */
const rowOptions = (request: AggregationRequest): Pick<HistogramOptions, 'minDocCount' | 'order' | 'keyed'> => ({
  minDocCount: integer(request.body, 'min_doc_count', 0),
  order: readOrder(request, KEY_ASCENDING),
  keyed: flag(request.body, 'keyed', false),
});

const histogram: Reader = (request) => {
  const { body, name, children, setup } = request;
  const options = sharedOfField(request);
  if (body['interval'] === undefined) throw shardArgument('interval must be positive, got: 0.0');
  const interval = asNumber(body['interval'], 'interval');
  if (interval <= 0) throw illegalArgument(`[interval] must be >0 for histogram aggregation [${name}]`);
  const format = givenPrinter(body);
  const offset = body['offset'] === undefined ? 0 : asNumber(body['offset'], 'offset');
  const [hard, extended] = [numberBounds(body, 'hard_bounds'), numberBounds(body, 'extended_bounds')];
  checkBounds(hard, extended, javaDouble);
  return histogramAggregator(
    {
      ...options,
      typeName: 'histogram',
      rounding: fixedRounding(interval, ((offset % interval) + interval) % interval),
      ...rowOptions(request),
      bounds: extended,
      hardBounds: hard,
      print: format,
    },
    children,
    setup.budget,
  );
};

/** @throws RequestError where there would be buckets beyond the hard bounds */
function checkBounds(hard: Bounds, extended: Bounds, print: (bound: number) => string): void {
  if (hard === undefined || extended === undefined) return;
  const isBeyond =
    (extended.max ?? -Infinity) > (hard.max ?? Infinity) || (extended.min ?? Infinity) < (hard.min ?? -Infinity);
  if (!isBeyond) return;
  const shown = ({ min, max }: NonNullable<Bounds>): string =>
    [min, max].map((bound) => (bound === undefined ? '' : print(bound))).join('--');
  throw shardArgument(
    `Extended bounds have to be inside hard bounds, hard bounds: [${shown(hard)}], extended bounds: [${shown(extended)}]`,
  );
}

/** The units of the calendar by their names. */
export const CALENDAR: Readonly<Record<string, CalendarUnit>> = byWord({
  s: 'second 1s',
  m: 'minute 1m',
  h: 'hour 1h',
  d: 'day 1d',
  w: 'week 1w',
  M: 'month 1M',
  q: 'quarter 1q',
  y: 'year 1y',
});

function calendarUnit(value: unknown): CalendarUnit | undefined {
  const text = textOf(value);
  return Object.hasOwn(CALENDAR, text) ? CALENDAR[text] : undefined;
}

/** Of which a date_histogram takes one. */
const INTERVALS = ['interval', 'calendar_interval', 'fixed_interval'];

export function dateInterval(body: Json): CalendarUnit | number {
  const calendar = body['calendar_interval'];
  const fixed = body['fixed_interval'];
  const legacy = body['interval'];
  const [first, second] = Object.keys(body).filter((key) => isOneOf(INTERVALS, key) && body[key] !== undefined);
  if (first !== undefined && second !== undefined)
    within('date_histogram', second, () => {
      const others = second === 'interval' ? '[fixed_interval] or [calendar_interval]' : `[${first}]`;
      const options = second === 'interval' ? 'options' : 'option';
      throw illegalArgument(`Cannot use [${second}] with ${others} configuration ${options}.`);
    });
  if (calendar !== undefined)
    return within('date_histogram', 'calendar_interval', () => {
      const unit = calendarUnit(calendar);
      if (unit !== undefined) return unit;
      throw illegalArgument(`The supplied interval [${textOf(calendar)}] could not be parsed as a calendar interval.`);
    });
  if (fixed !== undefined) return within('date_histogram', 'fixed_interval', () => fixedLength(fixed));
  if (typeof legacy === 'number' && legacy < 1)
    throw contentError('[date_histogram] failed to parse field [interval]', {
      type: 'illegal_argument_exception',
      reason: '[interval] must be 1 or greater for aggregation [date_histogram]',
    });
  if (typeof legacy === 'number') return legacy;
  if (legacy !== undefined) {
    const unit = calendarUnit(legacy);
    if (unit !== undefined) return unit;
    if (!FIXED.test(textOf(legacy))) throw shardArgument(`Unable to parse interval [${textOf(legacy)}]`);
    return fixedLength(legacy);
  }
  throw shardArgument('Invalid interval specified, must be non-null and non-empty');
}

const FIXED = /^\d+(?:ms|s|m|h|d)$/;

function fixedLength(value: unknown): number {
  const length = Math.trunc(readTime(value, 'date_histogram.fixedInterval'));
  if (length <= 0) throw shardArgument('Zero or negative time interval not supported');
  return length;
}

export function dateOffset(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  const text = textOf(value);
  const length = within('date_histogram', 'offset', () =>
    readTime(text.replace(/^[+-]/, ''), 'DateHistogramAggregationBuilder.parseOffset'),
  );
  return text.startsWith('-') ? -length : length;
}

/** What aggregations inside of a date_histogram know about it. */
function dateBuckets(body: Json): DateBuckets {
  const zone = zoneOf(body, 'date_histogram');
  return { interval: dateInterval(body), zone, current: 0 };
}

/** Prints keys as dates, unless the field holds numbers or booleans. @param text the format in the request's words */
export function printDate(
  text: unknown,
  format: DateFormat | undefined,
  zone: TimeZone,
): (value: number, field: MappedField | undefined) => string | undefined {
  let printer: ((value: number) => string) | undefined;
  const decimals = (value: number): string => (printer ??= decimalFormat(textOf(text)))(value);
  return (value, field) => {
    if (field?.family === 'date' || field?.type === 'date_range') return (format ?? field.format).print(value, zone);
    if (text !== undefined && field !== undefined) return decimals(value);
    if (field?.family === 'boolean') return value === 0 ? 'false' : 'true';
    return field === undefined ? dateFormat('strict_date_optional_time').print(value, zone) : undefined;
  };
}

const dateHistogram: Reader = (request) => {
  const { body, children, setup, dates } = request;
  const options = sharedOfField(request);
  const zone = zoneOf(body, 'date_histogram');
  const format = dateFormatOf(body);
  const boundsOf = (name: BoundsName): Bounds => dateBounds(body, name, setup.formatOf(options.field), setup.now);
  const [hard, extended] = [boundsOf('hard_bounds'), boundsOf('extended_bounds')];
  checkBounds(hard, extended, String);
  return histogramAggregator(
    {
      ...options,
      typeName: 'date_histogram',
      rounding: dateRounding(dateInterval(body), zone, dateOffset(body['offset'])),
      ...rowOptions(request),
      reading: (mapped) => readIn(mapped, format, zone),
      bounds: extended,
      hardBounds: hard,
      print: printDate(body['format'], format, zone),
      dates,
    },
    children,
    setup.budget,
  );
};

const histogramDetails =
  (ofValues: string, ofRanges: string): ProfileDetails =>
  ({ field }, buckets) => ({
    className: field?.family === 'range' ? ofRanges : ofValues,
    debug: { total_buckets: buckets },
  });

const ofHistograms = {
  kind: 'bucket',
  cluster: OF_LENGTH,
  makes: 'many',
  isHistogram: true,
  values: [...NUMERIC, 'range'],
} as const;
const ROW_OPTIONS = ['offset', 'order', 'keyed', 'min_doc_count', 'extended_bounds', 'hard_bounds'] as const;

export const HISTOGRAMS = {
  histogram: {
    ...ofHistograms,
    unmapped: 'double',
    ...ofField('format', 'interval', ...ROW_OPTIONS),
    profile: histogramDetails('NumericHistogramAggregator', 'RangeHistogramAggregator'),
    read: histogram,
  },
  date_histogram: {
    ...ofHistograms,
    unmapped: 'date',
    ...ofField('format', 'time_zone', 'interval', 'calendar_interval', 'fixed_interval', ...ROW_OPTIONS),
    profile: histogramDetails('DateHistogramAggregator', 'DateRangeHistogramAggregator'),
    dates: dateBuckets,
    read: dateHistogram,
  },
} as const satisfies Readonly<Record<string, BucketAggregation>>;
