// JSON that round-trips: text that keeps the whole value, and values that keep the whole text. `JSON.stringify` prints non-finite numbers
// as `null`, so `1e400`, which parses as infinity, would become another value, and infinity would be the same key
// as minus infinity.

/** Prints a value of JSON so that parsing it yields the same value (but for the sign of a zero). */
export function printExactly(value: unknown): string {
  const text = JSON.stringify(value);
  // What is not finite is printed as this, so most texts need not be looked at again.
  if (!text.includes('null') || !holdsInfinity(value)) return text;
  return JSON.stringify(value, (_, each: unknown) =>
    each === Infinity ? rawJson('1e999') : each === -Infinity ? rawJson('-1e999') : each,
  );
}

function holdsInfinity(value: unknown): boolean {
  if (typeof value === 'number') return value === Infinity || value === -Infinity;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsInfinity);
}

/**
 * Parses JSON so that printing the outcome yields the same numbers: whole ones that no double holds stay text inside.
 *
 * @param keepsDoubles whether 5.0, too, stays what it is and does not become 5
 */
export function parseExactly(text: string, keepsDoubles = false): unknown {
  if (!keepsDoubles && !/\d{16}/.test(text)) return JSON.parse(text);
  return parseWith(text, (_, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    const isLarge = !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    const isDouble = keepsDoubles && (Number.isSafeInteger(value) || !Number.isFinite(value)) && /[.eE]/.test(source);
    return isLarge || isDouble ? rawJson(source) : value;
  });
}

/** A number that is printed as its text. */
export function keepNumber(text: string): unknown {
  return rawJson(text);
}

/** The elements of an array at the top of a JSON object, with the whole numbers among them that no double holds as texts. */
export function exactElements(text: string, name: string): readonly unknown[] | undefined {
  const whole = parseWith(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
      ? source
      : value,
  );
  const found = (whole as Readonly<Record<string, unknown>>)[name];
  return Array.isArray(found) ? found : undefined;
}

/** A number that no double holds, as `JSON.stringify` prints it. */
export function keptNumber(text: string): object {
  return rawJson(text);
}

/** Whether this is a number that `parseExactly` kept as text. */
export function isKeptNumber(value: unknown): boolean {
  return isRawJson(value);
}

/** Text that `JSON.stringify` prints as it is, and the text of what is parsed (not in TypeScript's library yet). */
const {
  rawJSON: rawJson,
  isRawJSON: isRawJson,
  parse: parseWith,
} = JSON as unknown as {
  readonly rawJSON: (text: string) => object;
  readonly isRawJSON: (value: unknown) => boolean;
  readonly parse: (
    text: string,
    revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown;
};
