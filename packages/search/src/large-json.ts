// An object of a request that is too large to be parsed within a turn of the event loop: still text, until somebody needs it who holds
// nobody up. Who makes it, and when, is said in thread/read-json.ts.
import { isObject, parseJson } from './json.ts';

/** An object of a request, as text that a thread printed. */
export class LargeJson {
  /** UTF-8, over shared memory. */
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** A value, parsed if it is still text; what came from another thread has lost its class. */
export function whole(value: unknown): unknown {
  const bytes = isObject(value) ? value['bytes'] : undefined;
  return bytes instanceof Uint8Array ? parseJson(bytes) : value;
}

/** An object with all members parsed that are still text. */
export function wholeMembers<T extends object>(json: T): T {
  if (!hasLarge(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, whole(value)])) as T;
}

/** Whether a member of an object is still text. */
export function hasLarge(json: object): boolean {
  return Object.values(json).some(isLarge);
}

/** Whether a value is still text. */
export const isLarge = (value: unknown): boolean => isObject(value) && value['bytes'] instanceof Uint8Array;
