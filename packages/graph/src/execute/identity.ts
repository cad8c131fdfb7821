// Tells objects apart by a number, where a text has to say which one is meant.
const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** A number for an object, the same each time. */
export function identityOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const identity = identities.get(value) ?? ++lastIdentity;
  identities.set(value, identity);
  return String(identity);
}
