// Reads of what must be there. Something missing is a fault of the engine, which shows where it happens.

/** The first element. */
export function first<T>(list: readonly T[]): T {
  return required(list[0], 'the first element');
}

/** The last element. */
export function last<T>(list: readonly T[]): T {
  return required(list.at(-1), 'the last element');
}

/** The value of a key. */
export function lookUp<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  return required(map.get(key), key);
}

export function required<T>(value: T | undefined, what: unknown): T {
  if (value === undefined) throw new Error(`Missing: ${String(what)}.`);
  return value;
}
