// Numbers objects, for texts that identify one.
import { toText } from '@lockstitch/kernel';

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** The number of an object; always the same. */
export function identityOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return toText(value);
  const identity = identities.get(value) ?? ++lastIdentity;
  identities.set(value, identity);
  return String(identity);
}
