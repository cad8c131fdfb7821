// `histogram` and `date_histogram`: buckets of equal width, or of calendar units in a time zone; gaps filled when
// `min_doc_count` is 0.
import { addUnits, type CalendarUnit } from '@lockstitch/kernel';
import type { Json } from '../json/json.ts';
import { isNumeric, type MappedField } from '../mapping/field-type.ts';
import { roundDown } from '../mapping/date-math.ts';
import type { TimeZone } from '../mapping/time-zone.ts';
import { checkTime } from '../tasks/request-budget.ts';
import { shardArgument } from '../errors/request-error.ts';
import { type Aggregator, type BucketBudget, type SegmentScope, Buckets, GAP, printAll } from './aggregator.ts';
import { bucketComparison, type OrderedBucket, type OrderPart } from './bucket-order.ts';
import { printerOf } from './metrics.ts';
import { rangeField, ranges } from './range-values.ts';
import { columnField, numbers, unsuitable } from '../columns/values.ts';

const DAY = 86_400_000;
/** Dates remembered in one request: 270 years. */
const MOST_DATES = 100_000;

/** How values fall into buckets. */
export interface Rounding {
  down(value: number): number;
  next(key: number): number;
}

/** Equal widths: `floor((v - offset) / interval) * interval + offset`. */
export function fixedRounding(interval: number, offset: number): Rounding {
  return {
    down: (value) => Math.floor((value - offset) / interval) * interval + offset,
    next: (key) => Math.round((key - offset) / interval + 1) * interval + offset,
  };
}

/** Calendar units, or fixed milliseconds, on the clock of a zone. */
export function dateRounding(unit: CalendarUnit | number, zone: TimeZone, offset: number): Rounding {
  if (typeof unit === 'number')
    return {
      down(value) {
        const shift = zone.offsetAt(value - offset);
        return zone.toUtc(Math.floor((value - offset + shift) / unit) * unit) + offset;
      },
      next: (key) => key + unit,
    };
  const down = (value: number): number => roundDown(value - offset, unit, zone) + offset;
  const isDays = unit !== 'h' && unit !== 'm' && unit !== 's';
  // Where a day or more begins depends on the local date alone, and documents have few dates: a tenth of the time (measured).
  const starts = new Map<number, number>();
  return {
    down: isDays
      ? (value) => {
          const instant = value - offset;
          const date = Math.floor((instant + zone.offsetAt(instant)) / DAY);
          let start = starts.get(date);
          if (start === undefined) {
            start = down(value);
            if (starts.size < MOST_DATES) starts.set(date, start);
          }
          return start;
        }
      : down,
    // A unit ahead and rounded, for days of 23 and 25 hours.
    next: (key) => roundDown(addUnits(key - offset, unit, 1, zone), unit, zone) + offset,
  };
}

/** The date_histogram that aggregations stand in. */
export interface DateBuckets {
  readonly interval: CalendarUnit | number;
  readonly zone: TimeZone;
  /** The key of the bucket that is being printed. */
  current: number;
}

/** What both histograms can be told. */
export interface HistogramOptions {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly typeName: 'histogram' | 'date_histogram';
  readonly field: string;
  readonly rounding: Rounding;
  readonly minDocCount: number;
  readonly order: readonly OrderPart[];
  readonly keyed: boolean;
  readonly missing: unknown;
  /** The field as the request reads dates. */
  readonly reading?: (field: MappedField) => MappedField;
  readonly bounds: { readonly min: number | undefined; readonly max: number | undefined } | undefined;
  /** Buckets outside are dropped (`hard_bounds`). */
  readonly hardBounds: { readonly min: number | undefined; readonly max: number | undefined } | undefined;
  /** `key_as_string`; undefined: none for numbers, the field's format for dates. */
  readonly print: ((value: number, field: MappedField | undefined) => string | undefined) | undefined;
  /** Is told the key of each bucket while it is printed. */
  readonly dates?: DateBuckets | undefined;
  readonly typedKeys: boolean;
}

/** Makes a histogram. */
export function histogramAggregator(
  options: HistogramOptions,
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const owners: (Map<number, number> | undefined)[] = [];
  let field: MappedField | undefined;
  const openRanges = (scope: SegmentScope, mapped: MappedField): ReturnType<Aggregator['open']> => {
    field = mapped;
    if (options.missing !== undefined)
      throw shardArgument(`[missing] is not supported on field [${mapped.path}] of type [${mapped.type}]`);
    const each = ranges(scope, mapped);
    if (each === undefined) return buckets.skip(scope);
    const inner = buckets.open(scope);
    const { rounding } = options;
    const { min = -Infinity, max = Infinity } = options.hardBounds ?? {};
    return (doc, owner) => {
      const map = (owners[owner] ??= new Map());
      const seen = new Set<number>();
      each(doc, (from, to) => {
        const last = Math.min(to, max);
        for (let key = rounding.down(Math.max(from, min)), after = key; key <= last; key = after) {
          after = rounding.next(key);
          // Where numbers lie further apart than buckets, and at infinity, there would be no end; and what one document alone makes
          // too many of is not made to the end.
          if (!(after > key) || seen.size > budget.limit) budget.take(Infinity);
          checkTime();
          if (seen.has(key)) continue;
          seen.add(key);
          let bucket = map.get(key);
          if (bucket === undefined) map.set(key, (bucket = buckets.add()));
          inner(doc, bucket);
        }
      });
    };
  };
  return {
    name: options.name,
    typeName: options.typeName,
    meta: options.meta,
    buckets,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const ofRanges = rangeField(options.field, options.typeName, scope.mapping);
      if (ofRanges !== undefined) return openRanges(scope, ofRanges);
      const mapped = columnField(options.field, scope.mapping);
      if (mapped === undefined) return undefined;
      if (!isNumeric(mapped)) throw unsuitable(mapped, options.field, options.typeName);
      field = mapped;
      const each = numbers(scope, options.reading?.(mapped) ?? mapped, options.missing);
      if (each === undefined) return buckets.skip(scope);
      const inner = buckets.open(scope);
      const { min, beyond } = keyBounds(options);
      return (doc, owner) => {
        let last = Number.NaN;
        each(doc, (value) => {
          const key = options.rounding.down(value);
          if (key === last || key < min || key >= beyond) return;
          last = key;
          const map = (owners[owner] ??= new Map());
          let bucket = map.get(key);
          if (bucket === undefined) map.set(key, (bucket = buckets.add()));
          inner(doc, bucket);
        });
      };
    },
    result(owner) {
      const map = owners[owner] ?? new Map<number, number>();
      const entries = entriesOf(map, options, buckets, budget);
      const keysOf = options.dates && new Map(entries.map(({ bucket, key }) => [bucket, Number(key)]));
      entries.sort(
        bucketComparison(options.order, (bucket) => {
          if (options.dates !== undefined) options.dates.current = keysOf?.get(bucket) ?? 0;
          return printAll(children, bucket ?? GAP, false);
        }),
      );
      const printed = entries.map((entry) => {
        const key = Number(entry.key);
        if (options.dates !== undefined) options.dates.current = key;
        const text = options.print === undefined ? printerOf(field, undefined)?.(key) : options.print(key, field);
        return { ...(text === undefined ? {} : { key_as_string: text }), key, ...buckets.print(entry.bucket, GAP) };
      });
      if (!options.keyed) return { buckets: printed };
      return {
        buckets: Object.fromEntries(printed.map((bucket) => [bucket.key_as_string ?? decimal(bucket.key), bucket])),
      };
    },
  };
}

/** Between which keys `hard_bounds` lie. Those of dates are rounded as keys are, and the last one is left out. */
function keyBounds({ hardBounds, rounding, typeName }: HistogramOptions): {
  readonly min: number;
  readonly beyond: number;
} {
  const { min = -Infinity, max = Infinity } = hardBounds ?? {};
  if (typeName === 'date_histogram')
    return {
      min: Number.isFinite(min) ? rounding.down(min) : min,
      beyond: Number.isFinite(max) ? rounding.down(max) : max,
    };
  return { min, beyond: Number.isFinite(max) ? nextUp(max) : max };
}

/** The double after a number. */
function nextUp(value: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  view.setBigInt64(0, value === 0 ? 1n : bits + (value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

/** The buckets of one bucket above that are shown, empty ones among them, by key. */
function entriesOf(
  map: ReadonlyMap<number, number>,
  { minDocCount, bounds, rounding }: HistogramOptions,
  buckets: Buckets,
  budget: BucketBudget,
): OrderedBucket[] {
  const entries = [...map]
    .map(([key, bucket]) => ({ key, bucket, count: buckets.counts[bucket] ?? 0 }))
    .filter(({ count }) => count >= minDocCount)
    .sort((a, b) => a.key - b.key);
  if (minDocCount > 0 || (entries.length === 0 && bounds === undefined)) return entries;
  const low = Math.min(entries[0]?.key ?? Infinity, bounds?.min === undefined ? Infinity : rounding.down(bounds.min));
  const high = Math.max(
    entries.at(-1)?.key ?? -Infinity,
    bounds?.max === undefined ? -Infinity : rounding.down(bounds.max),
  );
  const all: OrderedBucket[] = [];
  for (let key = low; key <= high && Number.isFinite(key); key = rounding.next(key)) {
    if (all.length >= 100_000) budget.take(all.length + 1, true);
    const bucket = map.get(key);
    all.push({ key, bucket, count: bucket === undefined ? 0 : (buckets.counts[bucket] ?? 0) });
  }
  return all;
}

function decimal(key: number): string {
  return Number.isInteger(key) ? `${key}.0` : String(key);
}
