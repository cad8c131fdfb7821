// The scale of an HdrHistogram (2.1.9, which Elasticsearch 7.10 uses): which values count as equal where a number of significant digits is
// kept, and what percentiles read off it. The counts are those of the sorted values themselves.
import { type ErrorDetails, RequestError } from '../errors/request-error.ts';

function negative(code: 'SEARCH_SHARD_FAILURE' | 'SEARCH_PARSING', details: ErrorDetails = {}): RequestError {
  const reason = '[hdr] cannot hold negative values, and there are some. Leave [hdr] out.';
  return new RequestError(code, 'array_index_out_of_bounds_exception', reason, details);
}

/** Percentiles of sorted values, rounded. */
export class HdrScale {
  readonly #sorted: Float64Array;
  /** Distinct values in the lowest octave: `subBucketCount`. */
  readonly #steps: number;
  /** The width of one step in the lowest octave. */
  readonly #unit: number;

  /** @param digits significant decimal digits, 0 to 5 @throws RequestError for negative values, which such a histogram cannot hold */
  constructor(sorted: Float64Array, digits: number) {
    if (sorted.length > 0 && sorted[0]! < 0) throw negative('SEARCH_SHARD_FAILURE', { phase: true });
    this.#sorted = sorted;
    this.#steps = 2 ** Math.ceil(Math.log2(2 * 10 ** digits));
    const least = sorted.find((value) => value > 0) ?? 1;
    // DoubleHistogram's range begins at the power of two below its lowest value (autoAdjustRangeForValue).
    this.#unit = 2 ** Math.floor(Math.log2(least)) / (this.#steps / 2);
  }

  /** The value that a percentage of all values, 0 to 100, is at most: the highest that counts as equal to it. */
  valueAt(percent: number): number {
    const count = Math.max(1, Math.floor((percent / 100) * this.#sorted.length + 0.5));
    const value = this.#sorted[Math.min(count, this.#sorted.length) - 1]!;
    const { lowest, width } = this.#class(value);
    return (percent === 0 ? lowest : lowest + width - 1) * this.#unit;
  }

  /** The percentage of values that are at most as high as one, or count as equal to it. */
  percentAt(value: number): number {
    if (value < 0) throw negative('SEARCH_PARSING');
    const { lowest } = this.#class(value);
    let count = 0;
    for (const each of this.#sorted) if (this.#class(each).lowest <= lowest) count++;
    return (100 * count) / this.#sorted.length;
  }

  /** The values that count as equal to one, in units. */
  #class(value: number): { readonly lowest: number; readonly width: number } {
    const whole = Math.floor(value / this.#unit);
    const width = whole < this.#steps ? 1 : 2 ** (Math.floor(Math.log2(whole)) + 1 - Math.log2(this.#steps));
    return { lowest: Math.floor(whole / width) * width, width };
  }
}
