// Aggregations that compute numbers of a field's values as they come: avg, sum, min, max, stats, extended_stats, value_count,
// cardinality, weighted_avg, geo_bounds, geo_centroid. Cardinality counts distinct values, where Elasticsearch estimates. What needs the
// values in their order is in percentiles.ts.
import { asNumber, type Json, textOf } from '../json/json.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Aggregator, SegmentScope } from './aggregator.ts';
import { type Print, printDate } from './definition.ts';
import { isNumeric } from '../mapping/field-type.ts';
import { missingPoint } from '../mapping/geo.ts';
import { onShard } from './value-type.ts';
import { HELD } from './held-values.ts';
import { CompensatedSum, printStats, Stats } from './stats.ts';
import { anyColumn, rangeTexts } from './range-values.ts';
import { columnField, type EachNumber, numbers, points, terms, unsuitable } from '../columns/values.ts';
import { aggregationError } from '../errors/request-error.ts';

/** What metrics of one field share. */
export interface MetricOptions {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly field: string;
  readonly missing: unknown;
  /** Prints a number for `*_as_string`; undefined: the field's own way, if it has one. */
  readonly print?: Print | undefined;
}

/** The field whose numbers are meant; undefined if unmapped. @param isPlain whether dates and booleans are refused too */
export function numericField(
  options: MetricOptions,
  scope: SegmentScope,
  type: string,
  isPlain = false,
): MappedField | undefined {
  const field = columnField(options.field, scope.mapping);
  if (field !== undefined && (isPlain ? field.family !== 'number' : !isNumeric(field)))
    throw unsuitable(field, options.field, type);
  return field;
}

/** How a field's numbers print when the request has no format: dates and booleans do. */
export function printerOf(
  field: MappedField | undefined,
  given: Print | undefined,
): ((value: number) => string) | undefined {
  if (given !== undefined) return (value) => given(value, field);
  if (field?.family === 'date') return (value) => printDate(field.format, value);
  if (field?.family === 'boolean') return (value) => (value === 0 ? 'false' : 'true');
  return undefined;
}

/** The "texts" of `stats` of booleans are none. */
const asBoolean = (value: number): boolean => value !== 0;

/** avg, sum, min, max, stats and extended_stats. */
export function statsAggregator(
  type: 'avg' | 'sum' | 'min' | 'max' | 'stats' | 'extended_stats',
  options: MetricOptions & { readonly sigma?: number },
): Aggregator {
  const buckets: (Stats | undefined)[] = [];
  let print = printerOf(undefined, options.print);
  let isBoolean = false;
  const shown = (key: string, value: number | null): Json =>
    print === undefined || value === null ? { [key]: value } : { [key]: value, [`${key}_as_string`]: print(value) };
  return {
    name: options.name,
    typeName: type,
    meta: options.meta,
    needsScores: false,
    open(scope) {
      const field = numericField(options, scope, type);
      if (field === undefined && options.missing === undefined) return undefined;
      print = printerOf(field, options.print);
      isBoolean = field?.family === 'boolean' && options.print === undefined;
      const each = field === undefined ? undefined : numbers(scope, field, options.missing);
      const constant = Number(options.missing);
      if (each === undefined && (field !== undefined || !Number.isFinite(constant))) return undefined;
      return (doc, bucket) => {
        const stats = (buckets[bucket] ??= new Stats());
        if (each === undefined) stats.add(constant);
        else each(doc, (value) => stats.add(value));
      };
    },
    result(bucket) {
      const stats = buckets[bucket] ?? new Stats();
      const any = stats.count > 0;
      const { count, sum } = stats;
      const min = any ? stats.min : null;
      const max = any ? stats.max : null;
      const avg = any ? sum / count : null;
      switch (type) {
        case 'avg':
          return shown('value', avg);
        case 'sum':
          return shown('value', sum);
        case 'min':
          return shown('value', min);
        case 'max':
          return shown('value', max);
        case 'stats':
          return printStats(stats, undefined, isBoolean ? asBoolean : print);
        case 'extended_stats':
          return printStats(stats, options.sigma ?? 2, isBoolean ? asBoolean : print);
      }
    },
  };
}

/** How many buckets of the level above remember by ordinal what they counted: a byte a term each. */
const DENSE_BUCKETS = 16;
const NO_VALUES: ReadonlySet<string | number> = new Set();

/** value_count and cardinality: of any field with a column. */
export function countAggregator(type: 'value_count' | 'cardinality', options: MetricOptions): Aggregator {
  const counts: number[] = [];
  const sets: (Set<string | number> | undefined)[] = [];
  return {
    name: options.name,
    typeName: type,
    meta: options.meta,
    needsScores: false,
    open(scope) {
      const field = anyColumn(options.field, scope.mapping);
      const add = (bucket: number, value: string | number): void => {
        if (type === 'value_count') counts[bucket] = (counts[bucket] ?? 0) + 1;
        else (sets[bucket] ??= new Set()).add(value);
      };
      if (field === undefined)
        return options.missing === undefined ? undefined : (_, bucket) => add(bucket, textOf(options.missing));
      if (field.family === 'range') {
        const each = rangeTexts(scope, field);
        // The ranges of a document are one value.
        return (
          each &&
          ((doc, bucket) => {
            const found = new Set<string>();
            each(doc, (range) => found.add(range));
            if (found.size > 0) add(bucket, [...found].sort().join(';'));
          })
        );
      }
      if (field.family === 'geo') {
        const each = points(scope, field, missingPoint(options.missing));
        return each && ((doc, bucket) => each(doc, (lat, lon) => add(bucket, `${lat},${lon}`)));
      }
      if (isNumeric(field)) {
        const each = numbers(scope, field, options.missing);
        return each && ((doc, bucket) => each(doc, (value) => add(bucket, value)));
      }
      const source = terms(scope, field, options.missing);
      if (source === undefined) return undefined;
      if (type === 'value_count') return (doc, bucket) => source.each(doc, () => add(bucket, ''));
      // A term is made a text once a segment and bucket, not once a document.
      const seen: (Uint8Array | undefined)[] = [];
      return (doc, bucket) => {
        if (bucket >= DENSE_BUCKETS) source.each(doc, (ordinal) => add(bucket, source.term(ordinal)));
        else {
          const known = (seen[bucket] ??= new Uint8Array(source.size));
          source.each(doc, (ordinal) => {
            if (known[ordinal] === 1) return;
            known[ordinal] = 1;
            add(bucket, source.term(ordinal));
          });
        }
      };
    },
    result(bucket) {
      if (type === 'value_count') return { value: counts[bucket] ?? 0 };
      const values = sets[bucket] ?? NO_VALUES;
      return { value: values.size, [HELD]: { kind: 'distinct', values } };
    },
  };
}

/** The numbers of a field, where documents without one may have one number; undefined when no document has any. */
function numbersOr(scope: SegmentScope, field: MappedField | undefined, missing: unknown): EachNumber | undefined {
  if (field !== undefined) return numbers(scope, field, missing);
  return missing === undefined ? undefined : (_, take) => take(asNumber(missing, 'missing'));
}

/** weighted_avg: `Σ value·weight / Σ weight`; a document has one weight. */
export function weightedAverageAggregator(
  name: string,
  meta: Json | undefined,
  value: { readonly field: string; readonly missing: unknown },
  weight: { readonly field: string; readonly missing: unknown },
  print: ((value: number) => string | boolean) | undefined,
): Aggregator {
  const sums: (CompensatedSum | undefined)[] = [];
  const weights: CompensatedSum[] = [];
  return {
    name,
    typeName: 'weighted_avg',
    meta,
    needsScores: false,
    open(scope) {
      const valueField = numericField({ name, meta, ...value }, scope, 'weighted_avg');
      const weightField = numericField({ name, meta, ...weight }, scope, 'weighted_avg');
      const eachValue = onShard(() => numbersOr(scope, valueField, value.missing));
      const eachWeight = onShard(() => numbersOr(scope, weightField, weight.missing));
      if (eachValue === undefined || eachWeight === undefined) return undefined;
      return (doc, bucket) => {
        const [found, weighed]: [number[], number[]] = [[], []];
        eachWeight(doc, (each) => found.push(each));
        eachValue(doc, (each) => weighed.push(each));
        // Of a document without a value nothing is told: where no document has one, there is no column either.
        if (found.length === 0 || weighed.length === 0) return;
        if (found.length > 1)
          throw aggregationError(
            'Encountered more than one weight for a single document. Use a script to combine multiple weights-per-doc into a single value.',
          );
        const sum = (sums[bucket] ??= new CompensatedSum());
        const weight = (weights[bucket] ??= new CompensatedSum());
        for (const each of weighed) {
          sum.add(each * found[0]!);
          weight.add(found[0]!);
        }
      };
    },
    result(bucket) {
      const total = weights[bucket]?.value ?? 0;
      if (total === 0) return { value: null };
      const average = sums[bucket]!.value / total;
      return { value: average, ...(print === undefined ? {} : { value_as_string: print(average) }) };
    },
  };
}

/** geo_bounds and geo_centroid. */
export function geoAggregator(
  type: 'geo_bounds' | 'geo_centroid',
  options: MetricOptions & {
    /** Whether a box may cross the date line where that makes it narrower. */
    readonly wraps?: boolean;
  },
): Aggregator {
  interface Box {
    top: number;
    bottom: number;
    left: number;
    right: number;
    /** The westernmost point east of Greenwich, and the easternmost one west of it. */
    eastLeft: number;
    westRight: number;
    lat: number;
    lon: number;
    count: number;
  }
  const boxes: (Box | undefined)[] = [];
  return {
    name: options.name,
    typeName: type,
    meta: options.meta,
    needsScores: false,
    open(scope) {
      const field = scope.mapping.field(options.field);
      if (field !== undefined && field.family !== 'geo') throw unsuitable(field, options.field, type);
      const each = points(scope, field, missingPoint(options.missing));
      if (each === undefined) return undefined;
      return (doc, bucket) =>
        each(doc, (lat, lon) => {
          const box = (boxes[bucket] ??= {
            top: -90,
            bottom: 90,
            left: 180,
            right: -180,
            eastLeft: Infinity,
            westRight: -Infinity,
            lat: 0,
            lon: 0,
            count: 0,
          });
          box.top = Math.max(box.top, lat);
          box.bottom = Math.min(box.bottom, lat);
          box.left = Math.min(box.left, lon);
          box.right = Math.max(box.right, lon);
          if (lon >= 0) box.eastLeft = Math.min(box.eastLeft, lon);
          else box.westRight = Math.max(box.westRight, lon);
          box.lat += lat;
          box.lon += lon;
          box.count++;
        });
    },
    result(bucket) {
      const box = boxes[bucket];
      if (type === 'geo_centroid')
        return box === undefined
          ? { count: 0 }
          : { location: { lat: box.lat / box.count, lon: box.lon / box.count }, count: box.count };
      if (box === undefined) return {};
      // Infinite where all points lie on one side.
      const across = 360 - box.eastLeft + box.westRight;
      const crosses = options.wraps === true && Number.isFinite(across) && box.right - box.left > across;
      return {
        bounds: {
          top_left: { lat: box.top, lon: crosses ? box.eastLeft : box.left },
          bottom_right: { lat: box.bottom, lon: crosses ? box.westRight : box.right },
        },
      };
    },
  };
}
