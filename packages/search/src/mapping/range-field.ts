// Values that are ranges themselves (`integer_range`, `date_range`, `ip_range` …): how one of a document becomes two closed bounds,
// and how the bounds of a query are read the same way. Which documents a query finds by them is in `query/ranges.ts`.
import { isObject, textOf } from '../json/json.ts';
import { javaDouble, javaFloat } from '../json/java-values.ts';
import { illegalArgument, mapperParsing, RequestError } from '../errors/request-error.ts';
import { dateFormat, type DateFormat } from './date-format.ts';
import { dateText, parseDateMath } from './date-math.ts';
import type { DocumentPart } from './document-part.ts';
import { type MappedField, toNumber, toTerm } from './field-type.ts';
import { networkToTerms, termToIp } from './ip.ts';
import { causeIn, WrongBound } from './malformed.ts';
import type { TimeZone } from './time-zone.ts';

/** Closed bounds: numbers, or terms of addresses. */
export type Bounds =
  | { readonly kind: 'numbers'; readonly from: number; readonly to: number }
  | { readonly kind: 'terms'; readonly from: string; readonly to: string };

type Bound = number | string;

const LEAST_ADDRESS = '0'.repeat(32);
const GREATEST_ADDRESS = 'f'.repeat(32);

/** The field that one bound of a range would be a value of. */
function elementOf(field: MappedField): MappedField {
  const type = field.type.replace(/_range$/, '');
  return { ...field, type, family: type === 'date' ? 'date' : type === 'ip' ? 'ip' : 'number' };
}

/** Defaults of missing bounds. */
function limitsOf(type: string): readonly [Bound, Bound] {
  switch (type) {
    case 'integer':
      return [-(2 ** 31), 2 ** 31 - 1];
    case 'long':
    case 'date':
      return [-(2 ** 63), 2 ** 63];
    case 'ip':
      return [LEAST_ADDRESS, GREATEST_ADDRESS];
    default:
      return [-Infinity, Infinity];
  }
}

const floats = new Float32Array(1);
const floatBits = new Int32Array(floats.buffer);
const doubles = new Float64Array(1);
const doubleBits = new BigInt64Array(doubles.buffer);

/** The next value of a type, up or down: an open bound is the closed one beside it. */
function beside(type: string, bound: Bound, up: boolean): Bound {
  if (typeof bound === 'string') {
    const next = BigInt(`0x${bound}`) + (up ? 1n : -1n);
    if (next < 0n || next > 2n ** 128n - 1n) throw illegalArgument('Overflow: there is no address beyond the last one');
    return next.toString(16).padStart(32, '0');
  }
  if (type === 'integer' || type === 'long' || type === 'date') return up ? bound + 1 : bound - 1;
  if (!Number.isFinite(bound)) return bound;
  if (type === 'float') {
    if (bound === 0) return up ? 1.401298464324817e-45 : -1.401298464324817e-45;
    floats[0] = bound;
    floatBits[0]! += bound > 0 === up ? 1 : -1;
    return floats[0];
  }
  if (bound === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
  doubles[0] = bound;
  doubleBits[0]! += bound > 0 === up ? 1n : -1n;
  return doubles[0];
}

function toBounds(from: Bound, to: Bound): Bounds {
  return typeof from === 'string' || typeof to === 'string'
    ? { kind: 'terms', from: String(from), to: String(to) }
    : { kind: 'numbers', from, to };
}

/** Adds a range to the values of a field. @param member the member that it is the value of @throws RequestError when it is none */
export function addRange(field: MappedField, value: unknown, target: DocumentPart, member: string | null): void {
  const bounds = readValue(field, value, member);
  // Pairs of numbers lie in the column that points lie in; pairs of addresses are terms of twice the length.
  if (bounds.kind === 'numbers') target.geo(field.path).push({ lat: bounds.from, lon: bounds.to });
  else target.keyword(field).push(bounds.from + bounds.to);
}

function readValue(field: MappedField, value: unknown, member: string | null): Bounds {
  const element = elementOf(field);
  if (element.family === 'ip' && typeof value === 'string') {
    const network = networkToTerms(value);
    if (network === undefined) throw illegalArgument(`Expected [ip/prefix] but was [${value}]`);
    return toBounds(...network);
  }
  if (!isObject(value))
    throw mapperParsing(`error parsing field [${field.path}], expected an object but got ${member}`);
  let [from, to] = limitsOf(element.type);
  for (const [key, given] of Object.entries(value)) {
    if (key !== 'gt' && key !== 'gte' && key !== 'lt' && key !== 'lte')
      throw new WrongBound(
        given,
        mapperParsing(`error parsing field [${field.path}], with unknown parameter [${key}]`),
      );
    if (given === null) continue;
    const bound = readGiven(element, given);
    if (key === 'gt' || key === 'gte') from = key === 'gt' ? beside(element.type, bound, true) : bound;
    else to = key === 'lt' ? beside(element.type, bound, false) : bound;
  }
  if (from > to) {
    const reason = `min value (${printBound(from)}) is greater than max value (${printBound(to)})`;
    throw new WrongBound(null, illegalArgument(reason));
  }
  return toBounds(from, to);
}

/** A range as Elasticsearch keeps it apart (RangeFieldMapper.Range.toString): `[1 : 5)`. @throws RequestError when it is none */
export function storedRange(field: MappedField, value: unknown): string {
  const element = elementOf(field);
  if (element.family === 'ip' && typeof value === 'string') {
    const [from = LEAST_ADDRESS, to = GREATEST_ADDRESS] = networkToTerms(value) ?? [];
    return `[${termToIp(from)} : ${termToIp(to)}]`;
  }
  if (!isObject(value)) throw illegalArgument('no range');
  const [least, greatest] = limitsOf(element.type);
  const print = (bound: Bound): string => printStored(element, bound);
  let [opening, closing, from, to] = ['[', ']', print(least), print(greatest)];
  for (const [key, given] of Object.entries(value)) {
    if (key === 'gt') opening = '(';
    if (key === 'lt') closing = ')';
    if (given === null) continue;
    if (key === 'gt' || key === 'gte') from = print(readGiven(element, given));
    else to = print(readGiven(element, given));
  }
  return `${opening}${from} : ${to}${closing}`;
}

function printStored({ type }: MappedField, bound: Bound): string {
  if (typeof bound === 'string') return termToIp(bound);
  if (type === 'float' || type === 'double') return type === 'float' ? javaFloat(bound) : javaDouble(bound);
  // The double beside the last long is beyond it.
  return bound === 2 ** 63 ? '9223372036854775807' : BigInt(bound).toString();
}

function readGiven(element: MappedField, given: unknown): Bound {
  try {
    if (element.family === 'date') return parseDateMath(dateText(given), element.format, { now: undefined });
    return element.family === 'ip' ? toTerm(element, given) : toNumber(element, given, true);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const cause = causeIn(element, given);
    throw new WrongBound(given, cause === undefined ? error : { type: cause.type, message: cause.reason });
  }
}

const printBound = (bound: Bound): string => String(bound);

/** The bounds of a query, as written. */
export interface QueryBounds {
  readonly from: unknown;
  readonly to: unknown;
  readonly includeFrom: boolean;
  readonly includeTo: boolean;
  readonly format?: string | undefined;
  readonly zone?: TimeZone | undefined;
  /** Milliseconds since 1970: what `now` means. */
  readonly now: number;
}

/** Reads the bounds of a query on a range field; undefined ones are open. @throws RequestError when a value does not fit the type */
export function readQueryBounds(field: MappedField, query: QueryBounds): Bounds {
  const element = elementOf(field);
  const format = query.format === undefined ? field.format : dateFormat(query.format);
  const [least, greatest] = limitsOf(element.type);
  const read = (value: unknown, roundUp: boolean): Bound => readBound(element, value, format, roundUp, query);
  // As in date queries, an exclusive lower bound rounds up (`gt: 2014` is after all of 2014).
  const low = query.from === undefined ? least : read(query.from, !query.includeFrom);
  const high = query.to === undefined ? greatest : read(query.to, query.includeTo);
  if (low > high)
    throw illegalArgument(
      `Range query \`from\` value (${printBound(low)}) is greater than \`to\` value (${printBound(high)})`,
    );
  return toBounds(
    query.includeFrom || query.from === undefined ? low : beside(element.type, low, true),
    query.includeTo || query.to === undefined ? high : beside(element.type, high, false),
  );
}

function readBound(
  element: MappedField,
  value: unknown,
  format: DateFormat,
  roundUp: boolean,
  { zone, now }: QueryBounds,
): Bound {
  if (element.family === 'ip') return toTerm(element, value);
  if (element.family === 'date') return parseDateMath(dateText(value), format, { now, zone, roundUp });
  const number = toNumber(element, value);
  if ((element.type === 'integer' || element.type === 'long') && Number(value) !== number)
    throw illegalArgument(`Value [${textOf(value)}] has a decimal part`);
  return number;
}
