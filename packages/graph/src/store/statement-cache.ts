// Which prepared statements are kept: the most recently used ones, up to a bound, so that a client who sends endless
// different operations cannot fill the memory. A statement somebody still holds outlives its place here.

/** The statements kept on one connection. */
export interface StatementCache<T> {
  get(sql: string): T;
}

/** Creates a cache of at most `limit` statements that prepares what it does not hold. */
export function createStatementCache<T>(limit: number, prepare: (sql: string) => T): StatementCache<T> {
  const held = new Map<string, T>();
  return {
    get(sql) {
      let statement = held.get(sql);
      if (statement !== undefined) {
        // Map keeps insertion order: re-inserting makes the first key the least recently used one. Far from the bound nobody
        // asks for it; re-inserting would make the map grow over and over (0.2 µs).
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
