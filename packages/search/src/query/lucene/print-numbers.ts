// How queries on numbers, dates and ranges print in Lucene: by the numbers that the index holds, which depend on the type of the field.
import { javaDouble, javaFloat } from '../../json/java-values.ts';
import type { MappedField } from '../../mapping/field-type.ts';
import { termToIp } from '../../mapping/ip.ts';
import { fromPlace, nanosPath } from '../../mapping/nanos.ts';
import type { RangesQuery } from '../kinds/areas.ts';
import type { NumberRangeQuery } from '../kinds/numbers.ts';

/** A query's text, and that of the query which checks one document where it is another. */
export interface Printed {
  readonly text: string;
  readonly checkedBy?: string;
}

const LEAST_LONG = '-9223372036854775808';
const MOST_LONG = '9223372036854775807';

/** The bounds of whole numbers by type; of all others those of long. */
const LIMITS: Readonly<Record<string, readonly [string, string]>> = {
  integer: ['-2147483648', '2147483647'],
  short: ['-2147483648', '2147483647'],
  byte: ['-2147483648', '2147483647'],
  integer_range: ['-2147483648', '2147483647'],
};

const floats = new Float64Array(1);
const longs = new BigInt64Array(floats.buffer);
const singles = new Float32Array(1);
const ints = new Int32Array(singles.buffer);

function isDouble(type: string | undefined): boolean {
  return type === 'double' || type === 'double_range';
}

function isFloat(type: string | undefined): boolean {
  return type === 'float' || type === 'half_float' || type === 'float_range';
}

/** `field:{1 2}`, or `field:[1 TO 1]` of one number. */
export function printNumbers(
  path: string,
  field: MappedField | undefined,
  values: readonly number[],
  isSet: boolean,
): string {
  const numbers = [...new Set(values)].sort((a, b) => a - b).map((value) => printNumber(field, value));
  return !isSet && numbers.length === 1 ? `${path}:[${numbers[0]} TO ${numbers[0]}]` : `${path}:{${numbers.join(' ')}}`;
}

function printNumber(field: MappedField | undefined, value: number): string {
  if (field?.type === 'half_float') return javaFloat(toHalf(value));
  if (isFloat(field?.type)) return javaFloat(value);
  if (isDouble(field?.type)) return javaDouble(value);
  return String(whole(field, value));
}

/** A number as the index has it. */
function whole(field: MappedField | undefined, value: number): bigint | number {
  if (field?.type === 'scaled_float') return Math.round(value * field.scalingFactor);
  if (field?.type === 'date_nanos') return BigInt(Math.round(value)) * 1_000_000n;
  return value;
}

/** A range of numbers. */
export function printBounds(query: NumberRangeQuery, field: MappedField | undefined): Printed {
  const { field: path, from, to } = query;
  const type = field?.type;
  if (path.endsWith(NANOS)) return printNanos(path.slice(0, -NANOS.length), query);
  if (isDouble(type)) {
    const low = from === undefined ? -Infinity : query.includeFrom === false ? nextDouble(from, 1) : from;
    const high = to === undefined ? Infinity : query.includeTo === false ? nextDouble(to, -1) : to;
    return {
      text: `${path}:[${javaDouble(low)} TO ${javaDouble(high)}]`,
      ...(field?.docValues === true
        ? { checkedBy: `${path}:[${sortableDouble(low)} TO ${sortableDouble(high)}]` }
        : {}),
    };
  }
  if (type === 'half_float') {
    const low = from === undefined ? -Infinity : halfBound(from, query.includeFrom !== false, 1);
    const high = to === undefined ? Infinity : halfBound(to, query.includeTo !== false, -1);
    return {
      text: `${path}:[${javaFloat(low)} TO ${javaFloat(high)}]`,
      ...(field?.docValues === true ? { checkedBy: `${path}:[${sortableHalf(low)} TO ${sortableHalf(high)}]` } : {}),
    };
  }
  if (isFloat(type)) {
    const low = from === undefined ? -Infinity : query.includeFrom === false ? nextFloat(from, 1) : Math.fround(from);
    const high = to === undefined ? Infinity : query.includeTo === false ? nextFloat(to, -1) : Math.fround(to);
    return {
      text: `${path}:[${javaFloat(low)} TO ${javaFloat(high)}]`,
      ...(field?.docValues === true ? { checkedBy: `${path}:[${sortableFloat(low)} TO ${sortableFloat(high)}]` } : {}),
    };
  }
  const [least, most] = LIMITS[type ?? ''] ?? [type === 'date_nanos' ? '0' : LEAST_LONG, MOST_LONG];
  const scaled = (value: number, up: boolean): string => {
    if (type === 'date_nanos') return String(BigInt(Math.round(value)) * 1_000_000n);
    if (type === 'scaled_float')
      return String(up ? Math.ceil(value * field!.scalingFactor) : Math.floor(value * field!.scalingFactor));
    return Number.isFinite(value)
      ? clamped(BigInt(up ? Math.ceil(value) : Math.floor(value)))
      : value < 0
        ? least
        : most;
  };
  const add = (text: string, step: bigint): string => String(BigInt(text) + step);
  let low = from === undefined ? least : scaled(from, true);
  let high = to === undefined ? most : scaled(to, false);
  if (from !== undefined && query.includeFrom === false && isExact(from, field)) low = add(low, 1n);
  if (to !== undefined && query.includeTo === false && isExact(to, field)) high = add(high, -1n);
  return { text: `${path}:[${low} TO ${high}]` };
}

/** A range of the words of a boolean. */
export function printBooleanRange({ field, from, includeFrom, includeTo, to }: NumberRangeQuery): string {
  const print = (bound: number | undefined): string => (bound === undefined ? '*' : bound === 0 ? 'F' : 'T');
  return `${field}:${includeFrom === false ? '{' : '['}${print(from)} TO ${print(to)}${includeTo === false ? '}' : ']'}`;
}

const NANOS = nanosPath('');

/** A range of nanoseconds, which the column of a date keeps as places in order. */
function printNanos(path: string, { from, includeFrom, includeTo, to }: NumberRangeQuery): Printed {
  const low = from === undefined ? 0n : fromPlace(from) + (includeFrom === false ? 1n : 0n);
  const high = to === undefined ? 2n ** 63n - 1n : fromPlace(to) - (includeTo === false ? 1n : 0n);
  return { text: `${path}:[${low} TO ${high}]` };
}

function isExact(value: number, field: MappedField | undefined): boolean {
  return Number.isInteger(field?.type === 'scaled_float' ? value * field.scalingFactor : value);
}

/** A range that ranges of documents are compared with. */
export function printRanges(query: RangesQuery, field: MappedField | undefined): Printed {
  const { bounds, field: path } = query;
  const print = (bound: number | string, isLow: boolean): string => {
    if (typeof bound === 'string') return `/${termToIp(bound)}`;
    if (isDouble(field?.type)) return javaDouble(bound);
    if (isFloat(field?.type)) return javaFloat(bound);
    if (Number.isFinite(bound)) return clamped(BigInt(Math.round(bound)));
    const [least, most] = LIMITS[field?.type ?? ''] ?? [LEAST_LONG, MOST_LONG];
    return isLow ? least : most;
  };
  const [from, to] = [print(bounds.from, true), print(bounds.to, false)];
  return {
    text: `${path}:<ranges:[${from} : ${to}]>`,
    ...(field?.docValues === true ? { checkedBy: `BinaryDocValuesRangeQuery(fieldName=,from=${from},to=${to})` } : {}),
  };
}

function clamped(value: bigint): string {
  return String(value > BigInt(MOST_LONG) ? MOST_LONG : value < BigInt(LEAST_LONG) ? LEAST_LONG : value);
}

function sortableDouble(value: number): bigint {
  floats[0] = value;
  const bits = longs[0]!;
  return bits < 0n ? bits ^ 0x7fffffffffffffffn : bits;
}

function sortableFloat(value: number): number {
  singles[0] = value;
  const bits = ints[0]!;
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

/** The next double above (1) or below (-1). */
function nextDouble(value: number, step: 1 | -1): number {
  if (value === 0) return step * Number.MIN_VALUE;
  if (!Number.isFinite(value)) return value;
  floats[0] = value;
  longs[0] = longs[0]! + BigInt(value > 0 ? step : -step);
  return floats[0];
}

function nextFloat(value: number, step: 1 | -1): number {
  const float = Math.fround(value);
  if (float === 0) return step * 1.401298464324817e-45;
  if (!Number.isFinite(float)) return float;
  singles[0] = float;
  ints[0] = ints[0]! + (float > 0 ? step : -step);
  return singles[0];
}

/** The bits of a half float; rounds to even. */
function halfBits(value: number): number {
  singles[0] = value;
  const bits = ints[0]!;
  const sign = bits >>> 31;
  let size = bits & 0x7fffffff;
  if (size >= 0x7f800000) return (sign << 15) | (size > 0x7f800000 ? 0x7e00 : 0x7c00);
  const exponent = (size >>> 23) - 127;
  if (exponent > 15) return (sign << 15) | 0x7c00;
  if (exponent < -14) {
    const small = Math.round(Math.abs(value) / 2 ** -24);
    return (sign << 15) | small;
  }
  size += 0xfff + ((size >>> 13) & 1);
  return (sign << 15) | ((size - ((127 - 15) << 23)) >>> 13);
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function toHalf(value: number): number {
  return fromHalf(halfBits(value));
}

/** The half float that a bound stands for; an open bound the next one. */
function halfBound(value: number, included: boolean, step: 1 | -1): number {
  const half = toHalf(included ? value : nextFloat(value, step));
  const isInside = step === 1 ? half >= value : half <= value;
  if (isInside && (included || half !== value)) return half;
  const bits = halfBits(half);
  return fromHalf(half > 0 || (half === 0 && step === 1) ? bits + step : bits - step);
}

function sortableHalf(value: number): number {
  const bits = halfBits(value);
  return bits & 0x8000 ? (bits ^ 0x7fff) - 0x10000 : bits;
}
