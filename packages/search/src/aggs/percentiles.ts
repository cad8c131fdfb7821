// Aggregations that need the values of a field in their order: percentiles, percentile_ranks, boxplot,
// median_absolute_deviation. They sort, where
// Elasticsearch estimates, and are exact; with `hdr` they round as its histograms do.
import type { Aggregator, Collect, SegmentScope } from './aggregator.ts';
import type { Json } from '../json/json.ts';
import { HdrScale } from './hdr-scale.ts';
import { javaDouble } from '../json/java-values.ts';
import { HELD } from './held-values.ts';
import { type MetricOptions, numericField, printerOf } from './metrics.ts';
import { numbers } from '../columns/values.ts';

/** Growing list of numbers. */
class Values {
  #values = new Float64Array(8);
  size = 0;

  add(value: number): void {
    if (this.size === this.#values.length) {
      const grown = new Float64Array(this.size * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.size++] = value;
  }

  sorted(): Float64Array {
    return this.#values.slice(0, this.size).sort();
  }
}

/** The q-quantile (0…1) as a t-digest of single points gives it, to the last bit: values at (i + ½) / n, linear between. */
function quantile(sorted: Float64Array, q: number): number | null {
  const count = sorted.length;
  if (count === 0) return null;
  if (count === 1) return sorted[0]!;
  const index = q * count;
  if (index < 0.5) return (sorted[0]! * index + sorted[0]! * (0.5 - index)) / 0.5;
  const below = Math.floor(index - 0.5);
  const last = sorted[count - 1]!;
  if (below >= count - 1) return weighted(last, count - index, last, index - (count - 0.5));
  return weighted(sorted[below]!, below + 1.5 - index, sorted[below + 1]!, index - (below + 0.5));
}

/** The mean of two numbers, neither below the first nor above the second. */
function weighted(low: number, lowWeight: number, high: number, highWeight: number): number {
  return Math.max(low, Math.min((low * lowWeight + high * highWeight) / (lowWeight + highWeight), high));
}

/** Collects every value of a field per bucket. */
function collectValues(
  options: MetricOptions,
  type: string,
  isPlain = false,
): {
  readonly open: (scope: SegmentScope) => Collect | undefined;
  readonly of: (bucket: number) => Float64Array;
  printer(): ReturnType<typeof printerOf>;
} {
  const buckets: (Values | undefined)[] = [];
  let print = printerOf(undefined, options.print);
  return {
    open(scope) {
      const field = numericField(options, scope, type, isPlain);
      if (field === undefined) {
        const constant = Number(options.missing);
        return Number.isFinite(constant) ? (_, bucket) => (buckets[bucket] ??= new Values()).add(constant) : undefined;
      }
      print = printerOf(field, options.print);
      const each = numbers(scope, field, options.missing);
      return each && ((doc, bucket) => each(doc, (value) => (buckets[bucket] ??= new Values()).add(value)));
    },
    of: (bucket) => (buckets[bucket] ?? new Values()).sorted(),
    printer: () => print,
  };
}

/** percentiles and percentile_ranks. */
export function percentilesAggregator(
  type: 'percentiles' | 'percentile_ranks',
  options: MetricOptions & {
    readonly at: readonly number[];
    readonly keyed: boolean;
    readonly hdrDigits: number | undefined;
  },
): Aggregator {
  const collected = collectValues(options, type);
  const label = javaDouble;
  const printed = (sorted: Float64Array): Json => {
    const print = collected.printer();
    const { hdrDigits } = options;
    const hdr = hdrDigits === undefined ? undefined : new HdrScale(sorted, hdrDigits);
    const valueAt = (at: number): number | null => {
      if (sorted.length === 0) return null;
      if (type === 'percentiles') return hdr === undefined ? quantile(sorted, at / 100) : hdr.valueAt(at);
      return hdr === undefined ? rank(sorted, at) : hdr.percentAt(at);
    };
    const entries = options.at.map((at) => [at, valueAt(at)] as const);
    if (options.keyed) {
      const found: Record<string, unknown> = {};
      for (const [at, value] of entries) {
        found[label(at)] = value;
        if (print !== undefined && value !== null) found[`${label(at)}_as_string`] = print(value);
      }
      return { values: found };
    }
    return {
      values: entries.map(([key, value]) => ({
        key,
        value,
        ...(print === undefined || value === null ? {} : { value_as_string: print(value) }),
      })),
    };
  };
  return {
    name: options.name,
    typeName: `${options.hdrDigits === undefined ? 'tdigest' : 'hdr'}_${type === 'percentiles' ? 'percentiles' : 'percentile_ranks'}`,
    meta: options.meta,
    needsScores: false,
    open: collected.open,
    result(bucket) {
      const values = collected.of(bucket);
      const answer = printed(values);
      return type === 'percentiles' ? { ...answer, [HELD]: { kind: 'sorted', values, print: printed } } : answer;
    },
  };
}

/** How many of a hundred values are below one, as a t-digest of single points estimates it: each spreads halfway to its neighbours. */
function rank(sorted: Float64Array, value: number): number {
  return Math.max(0, Math.min(cumulative(sorted, value), 1)) * 100;
}

function cumulative(sorted: Float64Array, value: number): number {
  const count = sorted.length;
  if (count === 1) return value < sorted[0]! ? 0 : 1;
  let right = (sorted[1]! - sorted[0]!) / 2;
  let left = right;
  // The last one spreads to no side: halfway to it begins what is above all.
  for (let at = 0; at < count - 1; at++) {
    const mean = sorted[at]!;
    if (at > 0) {
      left = right;
      right = (sorted[at + 1]! - mean) / 2;
    }
    if (value < mean + right) {
      const share = (at + (value - (mean - left)) / (mean + right - (mean - left))) / count;
      return share > 0 ? share : 0;
    }
  }
  return 1;
}

/** median_absolute_deviation. */
export function medianDeviationAggregator(options: MetricOptions): Aggregator {
  const values = collectValues(options, 'median_absolute_deviation', true);
  return {
    name: options.name,
    typeName: 'median_absolute_deviation',
    meta: options.meta,
    needsScores: false,
    open: values.open,
    result(bucket) {
      const sorted = values.of(bucket);
      const median = quantile(sorted, 0.5);
      if (median === null) return { value: null };
      const deviation = quantile(sorted.map((value) => Math.abs(value - median)).sort(), 0.5);
      const print = values.printer();
      return {
        value: deviation,
        ...(print === undefined || deviation === null ? {} : { value_as_string: print(deviation) }),
      };
    },
  };
}

/** boxplot: the extremes and the quartiles. */
export function boxplotAggregator(options: MetricOptions): Aggregator {
  const values = collectValues(options, 'boxplot', true);
  return {
    name: options.name,
    typeName: 'boxplot',
    meta: options.meta,
    needsScores: false,
    open: values.open,
    result(bucket) {
      const sorted = values.of(bucket);
      const print = values.printer();
      // Of no values these are no numbers, which JSON has no other words for.
      const found = {
        min: sorted[0] ?? 'Infinity',
        max: sorted.at(-1) ?? '-Infinity',
        q1: quantile(sorted, 0.25) ?? 'NaN',
        q2: quantile(sorted, 0.5) ?? 'NaN',
        q3: quantile(sorted, 0.75) ?? 'NaN',
      };
      if (print === undefined || sorted.length === 0) return found;
      const printed = Object.entries(found).map(([key, value]) => [`${key}_as_string`, print(Number(value))]);
      return { ...found, ...Object.fromEntries(printed) };
    },
  };
}
