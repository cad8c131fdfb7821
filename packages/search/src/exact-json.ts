// JSON text that says all a value says. `JSON.stringify` prints the numbers that are no finite ones as `null`: so `1e400`, which reads as
// infinity, would be another value once it is printed and read again, and infinity the same key as minus infinity.

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

/** Text that `JSON.stringify` prints as it is (not in TypeScript's library yet). */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => object };
