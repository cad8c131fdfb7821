// Filters over plain values, written out the simplest way there is: lists, and texts without regard to case,
// and JSON. For texts the engine builds patterns of its own; here it is the `i` of JavaScript's regular expressions.
import { isDeepStrictEqual } from 'node:util';

/** An element as a stored list holds it. */
function element(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? String(value) : value;
}

/** The filter of a list of scalars. */
export function testList(value: readonly unknown[] | null, operator: string, operand: unknown): boolean {
  if (operator === 'isNull') return operand === null ? true : (value === null) === operand;
  const given = (Array.isArray(operand) ? operand : [operand]).map(element);
  const isSame = value !== null && operand !== null && JSON.stringify(value) === JSON.stringify(given);
  if (operator === 'eq') return operand === null ? value === null : isSame;
  if (operator === 'ne') return operand === null ? value !== null : !isSame;
  if (operand === null) return true;
  if (value === null) return false;
  if (operator === 'isEmpty') return (value.length === 0) === operand;
  if (operator === 'hasEvery') return given.every((each) => value.includes(each));
  return given.some((each) => value.includes(each));
}

const PLACES: Readonly<Record<string, readonly [string, string]>> = {
  eqInsensitive: ['^', '$'],
  containsInsensitive: ['', ''],
  startsWithInsensitive: ['^', ''],
  endsWithInsensitive: ['', '$'],
};

/** The operators of texts that end in Insensitive. */
export function testCaseless(value: string, operator: string, given: string): boolean {
  const [start, end] = PLACES[operator]!;
  const letters = Array.from(given, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`).join('');
  return new RegExp(`${start}${letters}${end}`, 'iu').test(value);
}

/** The filter of a JSON value, which is a plain value here. */
export function testJson(value: unknown, condition: Readonly<Record<string, unknown>>): boolean {
  const steps = (condition['path'] ?? []) as readonly string[];
  const found = steps.reduce<unknown>(memberOf, value ?? undefined);
  return Object.entries(condition).every(([operator, operand]) => {
    if (operator === 'path') return true;
    const isMissing = found === undefined || found === null;
    if (operator === 'isNull') return operand === null || isMissing === operand;
    if (operator === 'eq' || operator === 'ne')
      return (operand === null ? isMissing : isEqual(found, operand)) === (operator === 'eq');
    if (operand === null) return true;
    if (operator === 'exists') return (found !== undefined) === operand;
    const list = operator === 'has' ? [operand] : ([operand].flat() as readonly unknown[]);
    const isAmong = list.some((each) => isEqual(found, each));
    if (operator === 'in') return isAmong;
    if (operator === 'notIn') return !isAmong;
    const has = (each: unknown): boolean => Array.isArray(found) && found.some((own) => isEqual(own, each));
    if (operator === 'hasEvery') return Array.isArray(found) && list.every(has);
    if (operator.startsWith('has')) return list.some(has);
    return testScalar(found, operator, operand);
  });
}

/** Orders, and the operators of texts. */
function testScalar(found: unknown, operator: string, operand: unknown): boolean {
  const isText = typeof found === 'string' && typeof operand === 'string';
  if (operator === 'lt' || operator === 'lte' || operator === 'gt' || operator === 'gte') {
    if (!isText && (typeof found !== 'number' || typeof operand !== 'number')) return false;
    const [one, other] = [found as number, operand as number];
    if (one === other) return operator.endsWith('e');
    return one < other === operator.startsWith('l');
  }
  if (!isText) return false;
  if (operator.endsWith('Insensitive')) return testCaseless(found, operator, operand);
  if (operator === 'contains') return found.includes(operand);
  return operator === 'startsWith' ? found.startsWith(operand) : found.endsWith(operand);
}

function memberOf(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^-?\d+$/.test(step) ? value.at(Number(step)) : undefined;
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[step] : undefined;
}

function isEqual(one: unknown, other: unknown): boolean {
  return one !== undefined && isDeepStrictEqual(one, plain(other));
}

/** Literals are read into objects without a prototype. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
