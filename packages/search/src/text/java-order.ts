// The iteration order of Java's HashMap and HashSet of strings, in which Elasticsearch visits fields and lists contexts.

/** Buckets of a HashMap of so many keys. @param initial its first capacity */
export function hashCapacity(size: number, initial = 16): number {
  let capacity = initial;
  while (size > capacity * 0.75) capacity *= 2;
  return capacity;
}

/** Returns the texts in the iteration order of a HashMap to which they were added one after the other. @param initial its first capacity */
export function inHashOrder(texts: readonly string[], initial = 16): readonly string[] {
  return byHash(texts, (text) => text, initial);
}

/** Returns the entries of a map in the same order of their names. */
export function entriesInHashOrder<T>(entries: Iterable<[string, T]>, initial = 16): readonly [string, T][] {
  return byHash([...entries], ([name]) => name, initial);
}

function byHash<T>(items: readonly T[], textOf: (item: T) => string, initial: number): readonly T[] {
  const capacity = hashCapacity(items.length, initial);
  return items
    .map((item, at) => ({ item, bucket: spread(textOf(item)) & (capacity - 1), at }))
    .sort((a, b) => a.bucket - b.bucket || a.at - b.at)
    .map(({ item }) => item);
}

/** String.hashCode, its upper half mixed into the lower one. */
function spread(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(31, hash) + text.charCodeAt(at)) | 0;
  return hash ^ (hash >>> 16);
}
