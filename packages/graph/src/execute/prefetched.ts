// Objects whose selected fields were fetched by one statement, by response key. graphql-js resolves their fields, adds
// the results of resolvers, checks non-null and reports errors.
import { DENIED_KEY, NEED_PREFIX, TYPE_KEY } from '../plan/prefetch-keys.ts';
import { textAt } from '../present.ts';

type Values = Readonly<Record<string, unknown>>;

/** One fetched object. */
export class Prefetched {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  /** The value of a response key; undefined if it was not fetched. */
  get(key: string): unknown {
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }

  get typeName(): string {
    return textAt(this.#values, TYPE_KEY);
  }

  /** The columns that resolvers need, by field name. */
  needs(): Values {
    const needs: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(this.#values)) {
      if (key.startsWith(NEED_PREFIX) && key !== TYPE_KEY) needs[key.slice(NEED_PREFIX.length)] = value;
    }
    return needs;
  }
}

/** An object after a change: its own values, and relations by these values; everything else as it is stored now. */
export class ChangedObject {
  readonly key: string;
  /** Column values and to-one keys by field name, in response form; DENIED for fields that the caller may not read. */
  readonly values: Values | undefined;
  readonly typeName: string;
  /** The stored object with its selected fields; null if it is deleted or hidden. */
  readonly stored: Prefetched | null;

  constructor(typeName: string, key: string, values: Values | undefined, stored: Prefetched | null = null) {
    this.typeName = typeName;
    this.key = key;
    this.values = values;
    this.stored = stored;
  }

  with(stored: Prefetched | null): ChangedObject {
    return new ChangedObject(this.typeName, this.key, this.values, stored);
  }
}

/** Wraps the fetched value of a relation: an object, a list, or null. */
export function wrapFetched(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wrapFetched);
  if (typeof value === 'object' && value !== null && TYPE_KEY in value) return new Prefetched(value);
  return value;
}

/** The statement's mark for a field that the caller may not read. */
export const DENIED: Readonly<Record<string, unknown>> = { [DENIED_KEY]: true };

/** Whether a value is that mark. */
export function isDenied(value: unknown): boolean {
  return typeof value === 'object' && value !== null && DENIED_KEY in value;
}
