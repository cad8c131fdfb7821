// Values in the words of Java, which messages of Elasticsearch use.
import { isObject } from '../json/json.ts';

/** A value as Java prints it, for messages. */
export function show(value: unknown): string {
  if (isObject(value)) {
    return `{${Object.entries(value)
      .map(([key, member]) => `${key}=${show(member)}`)
      .join(', ')}}`;
  }
  return Array.isArray(value) ? `[${value.map(show).join(', ')}]` : String(value);
}

/** The Java class of a value, which some messages name. */
export function javaClass(value: unknown): string {
  if (Array.isArray(value)) return 'java.util.ArrayList';
  if (typeof value === 'number') return 'java.lang.Integer';
  if (typeof value === 'boolean') return 'java.lang.Boolean';
  return 'java.lang.String';
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

/** A float as Java prints it: the shortest digits that make the same float. */
export function javaFloat(value: number): string {
  const float = Math.fround(value);
  for (let digits = 1; digits < 10; digits++) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return javaDouble(short);
  }
  return javaDouble(float);
}

/** A number of JSON as Java prints it: a long where it is whole, otherwise a double. */
export function javaNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : javaDouble(value);
}

/** Keys in the order in which a HashMap of Java has them. */
export function inHashOrder(keys: readonly string[]): readonly string[] {
  let size = 16;
  while (keys.length > size * 0.75) size *= 2;
  const place = (key: string): number => {
    const hash = hashOf(key);
    return (hash ^ (hash >>> 16)) & (size - 1);
  };
  return keys.toSorted((a, b) => place(a) - place(b));
}

/** `String.hashCode` of Java. */
function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
