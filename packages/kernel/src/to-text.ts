// The text of a value of unknown type, such as a member of a client's JSON.

/** Returns a value as text; of an object that cannot be converted, such as the JSON `{"toString":1}`, its kind: `[object Object]`. */
export function toText(value: unknown): string {
  try {
    // eslint-disable-next-line typescript/no-base-to-string -- the one place that may throw, and does not
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
