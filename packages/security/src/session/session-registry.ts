// Sessions per user in this process, so that their number can be limited, for stores that do not list them by user. With
// several processes the limit then holds for each of them.

/** Sessions of each user. Keys are store keys, never the ids in cookies. */
export interface SessionRegistry {
  /** Records a use; returns the number of sessions of this user. */
  note(name: string, key: string): number;
  forget(name: string, key: string): void;
  /** Sessions of a user, least recently used first. */
  of(name: string): readonly string[];
}

export function createSessionRegistry(): SessionRegistry {
  const byName = new Map<string, Set<string>>();
  return {
    note(name, key) {
      let keys = byName.get(name);
      if (keys === undefined) byName.set(name, (keys = new Set()));
      keys.delete(key);
      keys.add(key);
      return keys.size;
    },
    forget(name, key) {
      const keys = byName.get(name);
      if (keys?.delete(key) === true && keys.size === 0) byName.delete(name);
    },
    of: (name) => [...(byName.get(name) ?? [])],
  };
}

/** For stores that list sessions by user themselves. */
export const NO_REGISTRY: SessionRegistry = { note: () => 0, forget: () => undefined, of: () => [] };
