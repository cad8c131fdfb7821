// A map that forgets what was not used for longest, so that clients cannot fill the memory with different operations.

export class BoundedMap<Key, Value> {
  readonly #held = new Map<Key, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    const value = this.#held.get(key);
    if (value === undefined) return undefined;
    // Only near its bound does the map need to know what was used last; until then a get costs one look-up.
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
