// Values in the words of Java, which messages of Elasticsearch use.
import { isObject, setMember, textOf } from './json.ts';
import { inHashOrder } from '../text/java-order.ts';

/** A value as Java prints it, for messages. */
export function show(value: unknown): string {
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([key, member]) => `${key}=${show(member)}`)
      .join(', ')}}`;
  return Array.isArray(value) ? `[${value.map(show).join(', ')}]` : textOf(value);
}

/** The same value with the members of objects in the order in which a HashMap of Java has them. */
export function asHashMap<Value>(value: Value): Value;
export function asHashMap(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asHashMap);
  if (!isObject(value)) return value;
  const found: Record<string, unknown> = {};
  for (const key of inHashOrder(Object.keys(value))) setMember(found, key, asHashMap(value[key]));
  return found;
}

/** The Java class of a value, which some messages name. */
export function javaClass(value: unknown): string {
  if (Array.isArray(value)) return 'java.util.ArrayList';
  if (typeof value === 'number') return javaNumberClass(value);
  if (typeof value === 'boolean') return 'java.lang.Boolean';
  return 'java.lang.String';
}

/** The class that a number of JSON is read as. */
function javaNumberClass(value: number): string {
  if (!Number.isInteger(value)) return 'java.lang.Double';
  if (value >= -(2 ** 31) && value < 2 ** 31) return 'java.lang.Integer';
  return value >= -(2 ** 63) && value < 2 ** 63 ? 'java.lang.Long' : 'java.math.BigInteger';
}

/** What Jackson calls the token that a value begins with. */
export function exactTokenOf(value: unknown): string {
  if (value === null || value === undefined) return 'VALUE_NULL';
  if (Array.isArray(value)) return 'START_ARRAY';
  if (typeof value === 'object') return 'START_OBJECT';
  if (typeof value === 'boolean') return value ? 'VALUE_TRUE' : 'VALUE_FALSE';
  if (typeof value === 'number') return Number.isInteger(value) ? 'VALUE_NUMBER_INT' : 'VALUE_NUMBER_FLOAT';
  return 'VALUE_STRING';
}

// No two quantifiers share a character: a text that is none is known in linear time, however long its digits are.
const DECIMAL = String.raw`(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`;
const ONLY_DECIMAL = new RegExp(`^[+-]?${DECIMAL}$`);
const JAVA_DOUBLE = new RegExp(`^[+-]?(?:NaN|Infinity|${DECIMAL}[fFdD]?)$`);
const HEXADECIMAL = /^([+-]?)0x([\da-f]*)(?:\.([\da-f]*))?p([+-]?\d+)[fd]?$/i;

/** A number as BigDecimal reads it; undefined for what is none. */
export function readDecimal(text: string): number | undefined {
  return ONLY_DECIMAL.test(text) ? Number(text) : undefined;
}

/** A number as Double.parseDouble reads it, with `f` or `d` behind it, hexadecimal, or none (NaN); undefined for what is none of these. */
export function readJavaDouble(text: string): number | undefined {
  const given = text.trim();
  if (JAVA_DOUBLE.test(given)) return Number(given.replace(/(?<=[\d.])[fd]$/i, ''));
  const [whole, sign, before = '', after = '', exponent] = HEXADECIMAL.exec(given) ?? [];
  if (whole === undefined || before + after === '') return undefined;
  const size = Number(`0x${before}${after}`) * 2 ** (Number(exponent) - 4 * after.length);
  return sign === '-' ? -size : size;
}

/** A double as Java prints it. */
export function javaDouble(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-3)) {
    const [digits = '', exponent = ''] = value.toExponential().split('e');
    return `${digits.includes('.') ? digits : `${digits}.0`}E${exponent.replace('+', '')}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** The double with the shortest digits, so many at least, that make the same float. Of two that are as near Java takes the even one. */
export function shortestFloat(value: number, least = 1): number {
  const float = Math.fround(value);
  for (let digits = least; digits < 10; digits++) {
    const longer = float.toExponential(Math.min(digits, 9));
    const isBetween = longer.includes('5e') && Number(longer) === float;
    const short = Number(
      isBetween && /[02468]\.?5e/.test(longer) ? longer.replace('5e', 'e') : float.toPrecision(digits),
    );
    if (Math.fround(short) === float) return short;
  }
  return float;
}

/** A float as Java prints it. */
export function javaFloat(value: number): string {
  return javaDouble(shortestFloat(value));
}

/** A number of JSON as Java prints it: a long where it is whole, otherwise a double. */
export function javaNumber(value: number): string {
  // JavaScript writes larger ones with an exponent, as their documents mostly did.
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? String(value) : javaDouble(value);
}
