// An object of a request that is too large to be parsed within a turn of the event loop. It stays text until code needs it that may
// take longer, such as a search in a thread. It is created in thread/read-json.ts.
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
  return isText(value) ? parseJson(value.bytes) : value;
}

/** No JSON has an array of bytes in it. */
function isText(value: unknown): value is { readonly bytes: Uint8Array } {
  return isObject(value) && value['bytes'] instanceof Uint8Array;
}

/** An object with all members parsed that are still text. */
export function wholeMembers<T extends object>(json: T): T {
  for (const name in json) {
    if (!isText(json[name])) continue;
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, whole(value)])) as T;
  }
  return json;
}

/** Whether a value is still text. */
export const isLarge = (value: unknown): boolean => value instanceof LargeJson;

/** Whether a member of an object is still text. */
export function hasLarge(json: object): boolean {
  for (const name in json) if ((json[name as keyof typeof json] as unknown) instanceof LargeJson) return true;
  return false;
}
