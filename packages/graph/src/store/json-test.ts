// SQLite functions that test and read the JSON value at a path, as PostgreSQL's jsonb does: objects are equal whatever
// the order of their members, and numbers are compared as decimals, exactly.
import { compareDecimals, toDecimal, toText } from '@lockstitch/kernel';
import type { DatabaseSync } from 'node:sqlite';
import { hasMembers } from '../present.ts';

/** The SQL function: `lockstitch_json_test(test, json, path, value)`; 1, 0, or null without a value at the path. */
export const JSON_TEST = 'lockstitch_json_test';
/** The SQL function: `lockstitch_json_text(json, path)`; null if the value at the path is no text. */
export const JSON_TEXT = 'lockstitch_json_text';

/** What is asked of the value at a path. */
export type JsonTest = keyof typeof TESTS;

/** A number that no double holds exactly. */
class LongNumber {
  readonly decimal: string;
  constructor(decimal: string) {
    this.decimal = decimal;
  }

  toString(): string {
    return this.decimal;
  }
}

const ARRAY_INDEX = /^[ \t\n\v\f\r]*[-+]?\d+$/;
/** A number that may have more digits than a double keeps. */
const LONG_NUMBER = /\d[\d.]{15}|\d[eE]/;
/** Characters of bound paths and values that are kept parsed. */
const KEPT = 4_000_000;

/** Registers the functions on a connection. */
export function registerJsonTests(database: DatabaseSync, checkTime: () => void): void {
  const bound = new Map<string, unknown>();
  let kept = 0;
  const given = (text: unknown): unknown => {
    if (typeof text !== 'string') return undefined;
    let value = bound.get(text);
    if (value === undefined) {
      if ((kept += text.length) > KEPT) {
        bound.clear();
        kept = text.length;
      }
      bound.set(text, (value = parse(text)));
    }
    return value;
  };
  // Several conditions often ask the same value of a row.
  let source: string | undefined;
  let last: unknown;
  const valueAt = (stored: unknown, path: unknown): unknown => {
    // A column declared as JSON keeps numbers as such.
    const text = typeof stored === 'number' || typeof stored === 'bigint' ? String(stored) : stored;
    if (typeof text !== 'string') return undefined;
    if (text !== source) {
      last = parse(text);
      source = text;
    }
    return path === null ? last : follow(last, given(path) as readonly string[]);
  };
  database.function(JSON_TEST, { deterministic: true }, (test, text, path, value) => {
    checkTime();
    const result = TESTS[test as JsonTest](valueAt(text, path), given(value));
    return result === undefined ? null : Number(result);
  });
  database.function(JSON_TEXT, { deterministic: true }, (text, path) => {
    checkTime();
    const value = valueAt(text, path);
    return typeof value === 'string' ? value : null;
  });
}

/** Whether two texts are the same JSON value; false if one is none. */
export function isSameJson(one: string, other: string): boolean {
  return isSame(parse(one), parse(other));
}

/** Equal texts for the same JSON value; the text itself if it is none. */
export function canonicalJson(text: string): string {
  const value = parse(text);
  return value === undefined ? text : canonical(value);
}

/** The value of a text; undefined if it is no JSON. */
function parse(text: string): unknown {
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, keepLong) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keepLong(_name: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  const decimal = toDecimal(source);
  return decimal === undefined || decimal === toDecimal(String(value)) ? value : new LongNumber(decimal);
}

/** The value at a path; undefined if there is none. A step is the name of a member, or the place in an array. */
function follow(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found)) found = ARRAY_INDEX.test(step) ? found.at(Number(step)) : undefined;
    else if (hasMembers(found) && !(found instanceof LongNumber) && Object.hasOwn(found, step)) found = found[step];
    else return undefined;
  }
  return found;
}

const TESTS = {
  exists: (found: unknown) => found !== undefined,
  isNull: (found: unknown) => found === undefined || found === null,
  eq: isSame,
  in: (found: unknown, list: unknown) => found !== undefined && elements(list).some((each) => isSame(found, each)),
  lt: (found: unknown, other: unknown) => ordered(found, other, (order) => order < 0),
  lte: (found: unknown, other: unknown) => ordered(found, other, (order) => order <= 0),
  gt: (found: unknown, other: unknown) => ordered(found, other, (order) => order > 0),
  gte: (found: unknown, other: unknown) => ordered(found, other, (order) => order >= 0),
  hasSome(found: unknown, list: unknown) {
    const wanted = new Set(elements(list).map(canonical));
    return elements(found).some((each) => wanted.has(canonical(each)));
  },
  hasEvery(found: unknown, list: unknown) {
    if (!Array.isArray(found) || !Array.isArray(list)) return false;
    const there = new Set(found.map(canonical));
    return list.every((each) => there.has(canonical(each)));
  },
};

/** Equal texts for what `isSame` calls the same: comparing each with each would take minutes for long lists. */
function canonical(value: unknown): string {
  if (value instanceof LongNumber) return `long ${value.decimal}`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!hasMembers(value)) return typeof value === 'string' ? JSON.stringify(value) : toText(value);
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join()}}`;
}

function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Undefined if the values are not both numbers or both texts. */
function ordered(one: unknown, other: unknown, test: (order: number) => boolean): boolean | undefined {
  if (typeof one === 'string' && typeof other === 'string')
    return test(one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other)));
  if (typeof one === 'number' && typeof other === 'number') return test(one - other);
  if (!isNumber(one) || !isNumber(other)) return undefined;
  const [first, second] = [toDecimal(String(one)), toDecimal(String(other))];
  // Beyond 100 digits the nearest doubles decide.
  return test(
    first === undefined || second === undefined ? Number(one) - Number(other) : compareDecimals(first, second),
  );
}

function isNumber(value: unknown): value is number | LongNumber {
  return typeof value === 'number' || value instanceof LongNumber;
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return one !== undefined;
  if (one instanceof LongNumber) return other instanceof LongNumber && one.decimal === other.decimal;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((each, at) => isSame(each, other[at]));
  if (!hasMembers(one) || !hasMembers(other) || Array.isArray(other) || other instanceof LongNumber) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}
