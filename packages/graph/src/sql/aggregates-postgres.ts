// Sums, averages and parts of times on PostgreSQL, with the results of SQLite.
import type { TimeKind, TimePart } from '../schema/aggregate-types.ts';
import type { Storage } from '../schema/model.ts';
import { AVERAGE_DIGITS } from '../store/exact-sum.ts';
import type { Mention } from './dialect.ts';

export function postgresSum(operand: Mention, storage: Storage): string {
  return storage === 'real' ? realSum(operand) : `sum(${operand()})`;
}

export function postgresAverage(operand: Mention, storage: Storage): string {
  if (storage === 'real') return `${realSum(operand)} / count(CASE WHEN ${isFinite(operand)} THEN 1 END)`;
  const sum = `sum(${operand()})`;
  const count = `count(${operand()})`;
  if (storage !== 'decimal') return `${sum}::double precision / ${count}`;
  // The division of numeric values rounds to a scale of its own choice; div() is exact.
  const half = `div(${sum} * 2e${AVERAGE_DIGITS} + sign(${sum}) * ${count}, 2 * ${count})`;
  return `${half} * 1e-${AVERAGE_DIGITS}`;
}

/**
 * The sum of the shortest decimals of the values, rounded once: the sum of doubles depends on the order of the rows,
 * which hidden rows may change. Null beyond the range of a double, where the cast would raise an error.
 */
function realSum(operand: Mention): string {
  const sum = `sum(CASE WHEN ${isFinite(operand)} THEN ${operand()}::text::numeric END)`;
  return `CASE WHEN abs(${sum}) < 1.797693134862315807e308 THEN ${sum}::double precision END`;
}

/** Others may write infinities and NaN, which no sum, average or count of an average includes. */
function isFinite(operand: Mention): string {
  return `abs(${operand()}) < 'infinity'`;
}

const FORMATS: Readonly<Record<TimePart, string>> = {
  YEAR: 'YYYY',
  QUARTER: 'YYYY"-Q"Q',
  MONTH: 'YYYY-MM',
  WEEK: 'IYYY"-W"IW',
  DAY: 'YYYY-MM-DD',
  HOUR: 'YYYY-MM-DD"T"HH24',
  MINUTE: 'YYYY-MM-DD"T"HH24:MI',
  MONTH_OF_YEAR: 'MM',
  DAY_OF_MONTH: 'DD',
  DAY_OF_WEEK: 'ID',
  HOUR_OF_DAY: 'HH24',
  EXACT: 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"',
};

/** A part of a point in time; null if its local year is not one of 1 to 9999, the range of stored times. */
export function instantPart(operand: Mention, part: TimePart, zone: Mention | undefined): string {
  const format = FORMATS[part];
  if (zone === undefined || part === 'EXACT') return `to_char((${operand()}) AT TIME ZONE interval '0', '${format}')`;
  const local = (): string => `(${operand()}) AT TIME ZONE ${zone()}`;
  // No zone is a day ahead or behind; the look-up of the zone takes longer than these comparisons.
  const isInside = `(${operand()}) >= '0001-01-02 00:00Z' AND (${operand()}) < '9999-12-31 00:00Z'`;
  const isAtEdge = `${local()} >= '0001-01-01' AND ${local()} < '10000-01-01'`;
  return `CASE WHEN (${isInside}) OR (${isAtEdge}) THEN to_char(${local()}, '${format}') END`;
}

/** Start and length of the parts that are pieces of a text. */
const PIECES: Partial<Readonly<Record<TimePart, readonly [number, number]>>> = {
  YEAR: [1, 4],
  MONTH: [1, 7],
  DAY: [1, 10],
  HOUR: [1, 13],
  MINUTE: [1, 16],
  MONTH_OF_YEAR: [6, 2],
  DAY_OF_MONTH: [9, 2],
  HOUR_OF_DAY: [12, 2],
};

/** A part of a date or local time, which are texts. `toInstant` converts a text that is a time; others become null. */
export function textPart(
  operand: Mention,
  time: TimeKind,
  part: TimePart,
  toInstant: (text: Mention) => string,
): string {
  if (part === 'EXACT') return operand();
  const piece = PIECES[part];
  if (piece !== undefined) return `substr(${operand()}, ${piece[0]}, ${piece[1]})`;
  const text = (): string => `concat(substr(${operand()}, 1, 19), '${time === 'date' ? 'T00:00:00Z' : 'Z'}')`;
  return instantPart(() => toInstant(text), part, undefined);
}
