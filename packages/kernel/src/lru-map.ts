// Bounded maps: they evict their oldest entries, so that endlessly different keys cannot fill the memory.

/** A map that evicts the least recently used entry. `onEvict` gets each as it goes. */
export class LruMap<Key, Value> {
  readonly #held = new Map<Key, Value>();
  readonly #limit: number;

  readonly #onEvict: ((key: Key, value: Value) => void) | undefined;

  constructor(limit: number, onEvict?: (key: Key, value: Value) => void) {
    this.#limit = limit;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#held.size;
  }

  has(key: Key): boolean {
    return this.#held.has(key);
  }

  get(key: Key): Value | undefined {
    const value = this.#held.get(key);
    if (value === undefined) return undefined;
    // The order of use only matters near the bound; until then, a get is one look-up.
    if (this.#held.size * 2 > this.#limit) {
      this.#held.delete(key);
      this.#held.set(key, value);
    }
    return value;
  }

  delete(key: Key): boolean {
    return this.#held.delete(key);
  }

  set(key: Key, value: Value): void {
    this.#held.delete(key);
    this.#held.set(key, value);
    if (this.#held.size <= this.#limit) return;
    const [oldest] = this.#held;
    if (oldest === undefined) return;
    this.#held.delete(oldest[0]);
    this.#onEvict?.(...oldest);
  }
}

/** Deletes the first entries of a map or set until at most `limit` are left. */
export function evictOldest<Key>(
  entries: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): boolean },
  limit: number,
): void {
  if (entries.size <= limit) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    if (entries.size <= limit) return;
  }
}
