// An LRU map: evicts the least recently used entry, so that different operations cannot fill the memory.

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
    if (this.#held.size <= this.#limit) return;
    for (const oldest of this.#held.keys()) {
      this.#held.delete(oldest);
      break;
    }
  }
}
