// Bounded maps: they evict their oldest entries, so that endlessly different keys cannot fill the memory.

/** A map that evicts the least recently used entry. */
export class LruMap<Key, Value> {
  readonly #held = new Map<Key, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
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

  delete(key: Key): void {
    this.#held.delete(key);
  }

  set(key: Key, value: Value): void {
    this.#held.delete(key);
    this.#held.set(key, value);
    evictOldest(this.#held, this.#limit);
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
