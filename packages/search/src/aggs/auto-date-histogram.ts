// `auto_date_histogram`: at most as many buckets as requested, of the shortest round interval that fits. The interval depends on all dates,
// so they are kept until the end (InternalAutoDateHistogram.reduce).
import type { CalendarUnit } from '@lockstitch/kernel';
import type { Json } from '../json/json.ts';
import { isNumeric, type MappedField } from '../mapping/field-type.ts';
import type { TimeZone } from '../mapping/time-zone.ts';
import { checkTime, tick } from '../tasks/request-budget.ts';
import { type Aggregator, type BucketBudget, Buckets, type Collect, type SegmentScope } from './aggregator.ts';
import { dateRounding, type Rounding } from './histogram.ts';
import { columnField, numbers, unsuitable } from '../columns/values.ts';

/** Units and how many of one may make a bucket together. */
const LENGTHS: readonly { readonly name: string; readonly unit: CalendarUnit; readonly counts: readonly number[] }[] = [
  { name: 'second', unit: 's', counts: [1, 5, 10, 30] },
  { name: 'minute', unit: 'm', counts: [1, 5, 10, 30] },
  { name: 'hour', unit: 'h', counts: [1, 3, 12] },
  { name: 'day', unit: 'd', counts: [1, 7] },
  { name: 'month', unit: 'M', counts: [1, 3] },
  { name: 'year', unit: 'y', counts: [1, 5, 10, 20, 50, 100] },
];

/** What `minimum_interval` may be. */
export const AUTO_INTERVALS: readonly string[] = LENGTHS.map(({ name }) => name);

interface Dated {
  readonly scope: SegmentScope;
  readonly score: number;
  readonly show: Collect;
  readonly doc: number;
  readonly value: number;
}

/** Makes the histogram. */
export function autoDateHistogramAggregator(
  options: {
    readonly name: string;
    readonly meta: Json | undefined;
    readonly field: string;
    readonly missing: unknown;
    readonly buckets: number;
    /** The place of the shortest unit in `AUTO_INTERVALS`. */
    readonly least: number;
    readonly zone: TimeZone;
    print(value: number, field: MappedField | undefined): string | undefined;
    readonly typedKeys: boolean;
  },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const kept: (Dated[] | undefined)[] = [];
  const rounded = LENGTHS.map(({ unit, counts }) => ({
    rounding: dateRounding(unit, options.zone, 0),
    unit,
    counts,
    most: options.buckets * counts.at(-1)!,
  }));
  let field: MappedField | undefined;
  /** The length, and the keys from the first date to the last. */
  const divide = (values: readonly number[]): { readonly at: number; readonly keys: readonly number[] } => {
    let at = options.least;
    const filled = (): number => new Set(values.map((value) => rounded[at]!.rounding.down(value))).size;
    while (at < rounded.length - 1 && filled() > rounded[at]!.most) at++;
    for (;;) {
      const { rounding, most } = rounded[at]!;
      const keys = keysOf(rounding, values, most);
      if (keys !== undefined || at === rounded.length - 1)
        return { at, keys: keys ?? keysOf(rounding, values, Infinity)! };
      at++;
    }
  };
  return {
    name: options.name,
    typeName: 'auto_date_histogram',
    meta: options.meta,
    buckets,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const mapped = columnField(options.field, scope.mapping);
      if (mapped === undefined) return undefined;
      if (!isNumeric(mapped)) throw unsuitable(mapped, options.field, 'auto_date_histogram');
      field = mapped;
      const each = numbers(scope, mapped, options.missing);
      if (each === undefined) return buckets.skip(scope);
      const show = buckets.open(scope);
      return (doc, owner) => {
        const dated = (kept[owner] ??= []);
        each(doc, (value) => dated.push({ scope, score: scope.score, show, doc, value }));
      };
    },
    result(owner) {
      const dated = kept[owner];
      if (dated === undefined || dated.length === 0) return { buckets: [], interval: '1s' };
      checkTime();
      const { at, keys } = divide(dated.map(({ value }) => value));
      const { rounding, counts, unit } = rounded[at]!;
      const count = counts.find((each) => Math.ceil(keys.length / each) <= options.buckets) ?? 1;
      const starts = keys.filter((_, place) => place % count === 0);
      const numbersOf = new Map(keys.map((key, place) => [key, Math.floor(place / count)]));
      const made = starts.map(() => buckets.add());
      let last: Dated | undefined;
      let lastBucket = -1;
      for (const each of dated) {
        tick(256);
        const bucket = made[numbersOf.get(rounding.down(each.value)) ?? 0]!;
        // Several dates of a document in one bucket count once.
        if (last?.show === each.show && last.doc === each.doc && lastBucket === bucket) continue;
        // Of the last document otherwise, which depends on the order of the index.
        each.scope.score = each.score;
        each.show(each.doc, bucket);
        last = each;
        lastBucket = bucket;
      }
      return {
        buckets: starts.map((key, place) => {
          const text = options.print(key, field);
          return { ...(text === undefined ? {} : { key_as_string: text }), key, ...buckets.print(made[place]) };
        }),
        interval: `${count}${unit}`,
      };
    },
  };
}

/** The keys from the first to the last value; undefined when there are more before the last one than allowed, or more at all. */
function keysOf(rounding: Rounding, values: readonly number[], most: number): number[] | undefined {
  const first = rounding.down(values.reduce((a, b) => Math.min(a, b), Infinity));
  const last = rounding.down(values.reduce((a, b) => Math.max(a, b), -Infinity));
  const keys: number[] = [];
  for (let key = first; key <= last; key = rounding.next(key)) {
    tick(64);
    if (keys.length >= most) return undefined;
    keys.push(key);
  }
  return keys;
}
