// Reads of what must be there, and of values of unknown types. Something missing is a fault of the engine; the error
// shows where it happened.
import { toText } from './to-text.ts';

/** The first element. */
export function first<T>(list: readonly T[]): T {
  return required(list[0], 'the first element');
}

/** The last element. */
export function last<T>(list: readonly T[]): T {
  return required(list.at(-1), 'the last element');
}

/** The only element; undefined if there is none, or several. */
export function only<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}

/** The value of a key. */
export function lookUp<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  return required(map.get(key), key);
}

/** A value that must be there. @param what is missing, for the message */
export function required<T>(value: T | undefined, what: unknown): T {
  if (value === undefined) throw new Error(`Missing: ${toText(what)}.`);
  return value;
}

/** Whether a value has members: an object or a list. */
export function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The members of an object; none of anything else. */
export function membersIn(value: unknown): Readonly<Record<string, unknown>> {
  return hasMembers(value) ? value : {};
}

/** The text of a member, such as a column of a row. @throws Error if it is none */
export function textAt(members: Readonly<Record<string, unknown>>, name: string): string {
  const value = members[name];
  if (typeof value === 'string') return value;
  throw new Error(`"${name}" is no text, but ${value === null ? 'null' : `a value of type ${typeof value}`}.`);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** A list as it is, anything else as its only element. */
export function listOf(value: unknown): readonly unknown[] {
  return isList(value) ? value : [value];
}
