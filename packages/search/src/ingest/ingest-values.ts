// The values of a document in a pipeline. Numbers keep their notation, since 5 and 5.0 have different types in Java.
import { illegalArgument } from '../errors/request-error.ts';
import { isKeptNumber, parseExactly, keepNumber } from '../json/exact-json.ts';
import { isObject, parseJson, setMember, textOf } from '../json/json.ts';
import { javaClass, javaDouble } from '../json/java-values.ts';

/** An object of a document; pipelines change it. */
export type Members = Record<string, unknown>;

/** Parses JSON into values of a document. @throws RequestError for what is no JSON */
export function parseValue(text: string): unknown {
  const value = parseJson(text);
  return /\d[.eE]|\d{16}/.test(text) ? parseExactly(text, true) : value;
}

/** Tells an object from a number that keeps its text. */
export function isMembers(value: unknown): value is Members {
  return isObject(value) && !isKeptNumber(value);
}

/** A double as a value: 5 prints as 5.0, and NaN and Infinity, which JSON lacks, are texts. */
export function double(value: number): unknown {
  if (!Number.isFinite(value)) return String(value);
  return Number.isInteger(value) ? keepNumber(javaDouble(value)) : value;
}

/** A whole number of any size. */
export const whole = (value: bigint): unknown => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : keepNumber(String(value));
};

const keptText = (value: object): string => JSON.stringify(value);

/** The Java class of a value, which messages name. */
export function classOf(value: unknown): string {
  if (isKeptNumber(value)) {
    const text = keptText(value as object);
    if (!/^-?\d+$/.test(text)) return 'java.lang.Double';
    return BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? 'java.lang.Long' : 'java.math.BigInteger';
  }
  return isMembers(value) ? 'java.util.HashMap' : javaClass(value);
}

/** A value as Java's `toString` prints it. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : javaDouble(value);
  if (isKeptNumber(value)) {
    const text = keptText(value as object);
    return /^-?\d+$/.test(text) ? text : javaDouble(Number(text));
  }
  if (Array.isArray(value)) return `[${value.map(textOfValue).join(', ')}]`;
  if (!isMembers(value)) return textOf(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${key}=${textOfValue(member)}`)
    .join(', ')}}`;
}

/** The number that a value is; undefined for other values. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return isKeptNumber(value) ? Number(keptText(value as object)) : undefined;
}

/** Maximum depth of a document, the same as of the body of a request. */
export const MOST_LEVELS = 200;

/**
 * The size of a value: its characters and elements, nested ones included.
 *
 * @param level depth of the value in the document
 * @throws RequestError if it is nested too deeply
 */
export function sizeOf(value: unknown, level = 0): number {
  if (typeof value === 'string') return 1 + value.length;
  if (!Array.isArray(value) && !isMembers(value)) return 1;
  if (level >= MOST_LEVELS) throw illegalArgument(`a document has at most [${MOST_LEVELS}] levels`);
  let size = 1;
  if (Array.isArray(value)) for (const each of value) size += sizeOf(each, level + 1);
  else for (const name of Object.keys(value)) size += name.length + sizeOf(value[name], level + 1);
  return size;
}

/** A deep copy. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isMembers(value)) return value;
  const copy: Members = {};
  for (const [key, member] of Object.entries(value)) setMember(copy, key, copyOf(member));
  return copy;
}
