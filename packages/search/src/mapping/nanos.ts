// How dates to the nanosecond (`date_nanos`) are kept beside their milliseconds: in a column of their own, whose numbers are no quantities but
// places in order, for a double cannot count nanoseconds since 1970. How such dates are written is in date-format.ts.
import { RawJson } from '../json/print-json.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { printIso } from './date-format.ts';

/** A point in time: milliseconds since 1970, and the nanoseconds after them, from 0 to 999,999. */
export interface FineInstant {
  readonly millis: number;
  readonly nanos: number;
}

/** The hidden column of a field's nanoseconds. No field has such a name, and it lies below the field's own path as far as views ask. */
export function nanosPath(path: string): string {
  return `${path}..nanos`;
}

const MOST = 2n ** 63n - 1n;
/** Which instant stands at zero: the year 2172, so that those of our time are near -1, where a float tells them apart, too (`bestNumbers`). */
const ZERO = 0x3ff0000000000000n + 1_767_225_600_000_000_000n;
const number = new Float64Array(1);
const bits = new BigInt64Array(number.buffer);

/** The nanoseconds since 1970. */
export function nanosSince({ millis, nanos }: FineInstant): bigint {
  return BigInt(millis) * 1_000_000n + BigInt(nanos);
}

/** The number of the column for so many nanoseconds since 1970, from 0 to 2^63 - 1. Doubles are ordered as their bits are, sign apart. */
export function toPlace(nanos: bigint): number {
  const distance = nanos - ZERO;
  bits[0] = distance < 0n ? -distance : distance;
  return distance < 0n ? -number[0]! : number[0]!;
}

/** The nanoseconds since 1970 of a number of the column. */
export function fromPlace(place: number): bigint {
  number[0] = Math.abs(place);
  return place < 0 ? ZERO - bits[0]! : ZERO + bits[0]!;
}

/** The milliseconds of nanoseconds since 1970, and what is left. */
export function toFine(nanos: bigint): FineInstant {
  return { millis: Number(nanos / 1_000_000n), nanos: Number(nanos % 1_000_000n) };
}

/** The number of the column for a date. @throws RequestError for one before 1970 or after 2262, which 63 bits of nanoseconds do not reach */
export function placeOfInstant(instant: FineInstant): number {
  const since = nanosSince(instant);
  if (since < 0n)
    throw illegalArgument(
      `date[${printIso(instant.millis)}] is before the epoch in 1970 and cannot be stored in nanosecond resolution`,
    );
  if (since > MOST)
    throw illegalArgument(
      `date[${printIso(instant.millis)}] is after 2262-04-11T23:47:16.854775807 and cannot be stored in nanosecond resolution`,
    );
  return toPlace(since);
}

/** The nearest number of the column to a bound, which may lie where no date can. */
export function nearestPlace(instant: FineInstant): number {
  const since = nanosSince(instant);
  return toPlace(since < 0n ? 0n : since > MOST ? MOST : since);
}

/** Nanoseconds as responses show them: a number that no double holds. */
export function shownNanos(nanos: bigint): RawJson {
  return new RawJson(String(nanos));
}
