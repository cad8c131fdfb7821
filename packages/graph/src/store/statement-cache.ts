// An LRU cache of prepared statements, so that clients with endlessly different operations cannot fill the memory. An
// evicted statement stays usable for its holder.

/** The statement cache of a connection. */
export interface StatementCache<T> {
  get(sql: string): T;
}

/** Creates a cache of at most `limit` statements; prepares missing ones. */
export function createStatementCache<T>(limit: number, prepare: (sql: string) => T): StatementCache<T> {
  const held = new Map<string, T>();
  return {
    get(sql) {
      let statement = held.get(sql);
      if (statement !== undefined) {
        // Map keeps insertion order, so re-inserting makes the first key the least recently used one. Far from the
        // limit that is not needed, and re-inserting makes the map grow repeatedly (0.2 µs).
        if (held.size * 2 > limit) {
          held.delete(sql);
          held.set(sql, statement);
        }
        return statement;
      }
      statement = prepare(sql);
      held.set(sql, statement);
      if (held.size > limit) {
        for (const oldest of held.keys()) {
          held.delete(oldest);
          break;
        }
      }
      return statement;
    },
  };
}
