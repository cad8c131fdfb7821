// How a float32 is printed in JSON.
import { shortestFloat } from '../json/java-values.ts';

const POWERS = Float64Array.from({ length: 12 }, (_, exponent) => 10 ** exponent);

/** A float32 as Java prints it: the fewest digits that read back the same. */
export function shortFloat(value: number): number | null {
  if (!Number.isFinite(value)) return null;
  const single = Math.fround(value);
  if (value >= 0.001 && value < 10_000) {
    // What scores usually are: rounded as a number, a tenth of what it takes by way of texts. Six digits first, then up to nine.
    const least = value >= 10 ? (value >= 100 ? (value >= 1000 ? 2 : 3) : 4) : value >= 1 ? 5 : decimalsBelowOne(value);
    for (let decimals = least; decimals < least + 4; decimals++) {
      const power = POWERS[decimals]!;
      const scaled = value * power;
      const up = Math.round(scaled);
      // Of two that are as near Java takes the even one.
      const short = (up - scaled === 0.5 && up % 2 === 1 ? up - 1 : up) / power;
      if (Math.fround(short) === single) return short;
    }
    return value;
  }
  return shortestFloat(single, 6);
}

/** The decimals that make six digits of a number from 0.001 to 1. */
function decimalsBelowOne(value: number): number {
  return value >= 0.1 ? 6 : value >= 0.01 ? 7 : 8;
}
