// Objects whose selected fields one statement has fetched already, under their response keys; graphql-js walks them and
// adds what resolvers answer, checks non-null and reports errors.
import { DENIED_KEY, NEED_PREFIX, TYPE_KEY } from '../plan/selection.ts';

type Values = Readonly<Record<string, unknown>>;

/** One fetched object. */
export class Prefetched {
  readonly #values: Values;

  constructor(values: Values) {
    this.#values = values;
  }

  /** The value under a response key; undefined when the statement did not fetch it. */
  get(key: string): unknown {
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }

  get typeName(): string {
    return String(this.#values[TYPE_KEY]);
  }

  /** The columns that resolvers asked for, by field name. */
  needs(): Values {
    const needs: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(this.#values)) {
      if (key.startsWith(NEED_PREFIX) && key !== TYPE_KEY) needs[key.slice(NEED_PREFIX.length)] = value;
    }
    return needs;
  }
}

/** An object as a change left it: its own values, and by them its relations; the rest as it is stored now. */
export class ChangedObject {
  readonly key: string;
  /** Column values and keys of to-one relations by field name, as a response shows them; DENIED for what the caller may not read. */
  readonly values: Values | undefined;
  readonly typeName: string;
  /** The stored object with what is selected of it; null when it is gone or hidden. */
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

/** Wraps what a statement fetched for a relation: an object, a list of them, or null. */
export function wrapFetched(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wrapFetched);
  if (typeof value === 'object' && value !== null && TYPE_KEY in value) return new Prefetched(value);
  return value;
}

/** The mark of a field that the caller may not read, as statements write it. */
export const DENIED: Readonly<Record<string, unknown>> = { [DENIED_KEY]: true };

/** Tells the mark of a field that the caller may not read. */
export function isDenied(value: unknown): boolean {
  return typeof value === 'object' && value !== null && DENIED_KEY in value;
}
