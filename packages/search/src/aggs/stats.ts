// Count, sum, extremes and spread of numbers, and how `stats` and `extended_stats` print them, of documents' values and of buckets'.
import type { Json } from '../json/json.ts';

type Print = ((value: number) => string | boolean) | undefined;

/** Kahan's summation, as Elasticsearch's class of this name: the last digits hardly depend on the order of the documents. */
export class CompensatedSum {
  value = 0;
  #lost = 0;

  add(value: number): void {
    // What is infinite stays so.
    if (!Number.isFinite(value)) this.value += value;
    if (!Number.isFinite(this.value)) return;
    const corrected = value + this.#lost;
    const total = this.value + corrected;
    this.#lost = corrected - (total - this.value);
    this.value = total;
  }
}

class PlainSum {
  value = 0;

  add(value: number): void {
    this.value += value;
  }
}

type Sum = PlainSum | CompensatedSum;

/** Takes numbers one by one. */
export class Stats {
  count = 0;
  min = Infinity;
  max = -Infinity;
  readonly #sum: Sum;
  readonly #squares: Sum;

  /** @param isPlain whether sums are plain ones, as of buckets, and not compensated, as of documents */
  constructor(isPlain = false) {
    this.#sum = isPlain ? new PlainSum() : new CompensatedSum();
    this.#squares = isPlain ? new PlainSum() : new CompensatedSum();
  }

  get sum(): number {
    return this.#sum.value;
  }

  get squares(): number {
    return this.#squares.value;
  }

  add(value: number): void {
    this.count++;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    this.#sum.add(value);
    this.#squares.add(value * value);
  }
}

/** The answer. @param sigma how many standard deviations the bounds are away; undefined: the plain `stats` */
export function printStats(stats: Stats, sigma: number | undefined, print: Print): Json {
  const any = stats.count > 0;
  const { count, sum } = stats;
  const numbers = {
    min: any ? stats.min : null,
    max: any ? stats.max : null,
    avg: any ? sum / count : null,
    sum,
  };
  const plain = { count, ...numbers, ...(any ? asStrings(numbers, print) : {}) };
  return sigma === undefined ? plain : { ...plain, ...extended(stats, sigma, print) };
}

function extended(stats: Stats, sigma: number, print: Print): Json {
  const { count, sum, squares } = stats;
  if (count === 0) {
    const none = {
      upper: null,
      lower: null,
      upper_population: null,
      lower_population: null,
      upper_sampling: null,
      lower_sampling: null,
    };
    return {
      sum_of_squares: null,
      variance: null,
      variance_population: null,
      variance_sampling: null,
      std_deviation: null,
      std_deviation_population: null,
      std_deviation_sampling: null,
      std_deviation_bounds: none,
    };
  }
  const avg = sum / count;
  const spread = Math.max(0, squares - (sum * sum) / count);
  const population = spread / count;
  const sampling = count > 1 ? spread / (count - 1) : null;
  const deviation = Math.sqrt(population);
  const sampled = sampling === null ? null : Math.sqrt(sampling);
  const at = (direction: number, by: number | null): number | null =>
    by === null ? null : avg + direction * by * sigma;
  const numbers: Record<string, number | string> = {
    sum_of_squares: squares,
    variance: population,
    variance_population: population,
    variance_sampling: sampling ?? 'NaN',
    std_deviation: deviation,
    std_deviation_population: deviation,
    std_deviation_sampling: sampled ?? 'NaN',
  };
  const bounds: Record<string, number | string | null> = {
    upper: at(1, deviation),
    lower: at(-1, deviation),
    upper_population: at(1, deviation),
    lower_population: at(-1, deviation),
    upper_sampling: at(1, sampled) ?? 'NaN',
    lower_sampling: at(-1, sampled) ?? 'NaN',
  };
  return {
    ...numbers,
    std_deviation_bounds: bounds,
    ...asStrings(numbers, print),
    ...(print === undefined ? {} : asTexts(numbers, bounds, print)),
  };
}

/** A number that is none prints as the format has it. */
function printed(value: unknown, print: NonNullable<Print>): unknown {
  return typeof value === 'number' ? print(value) : value === 'NaN' ? print(Number.NaN) : value;
}

function asStrings(values: Readonly<Record<string, unknown>>, print: Print): Json {
  if (print === undefined) return {};
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${key}_as_string`, printed(value, print)]));
}

/** Deviations are texts, whatever the format makes of the other numbers. */
function asTexts(
  numbers: Readonly<Record<string, unknown>>,
  bounds: Readonly<Record<string, unknown>>,
  print: NonNullable<Print>,
): Json {
  const text = (value: number): string => String(print(value));
  const deviations = Object.fromEntries(Object.entries(numbers).filter(([key]) => key.startsWith('std_')));
  return { ...asStrings(deviations, text), std_deviation_bounds_as_string: withoutSuffix(bounds, text) };
}

function withoutSuffix(values: Readonly<Record<string, unknown>>, print: NonNullable<Print>): Json {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, printed(value, print)]));
}
