// An LRU cache of prepared statements, so that clients with endlessly different operations cannot fill the memory. An
// evicted statement stays usable for its holder.
import { LruMap } from '@lockstitch/kernel';

/** The statement cache of a connection. */
export interface StatementCache<T> {
  get(sql: string): T;
}

/** Creates a cache of at most `limit` statements; prepares missing ones. */
export function createStatementCache<T>(limit: number, prepare: (sql: string) => T): StatementCache<T> {
  const held = new LruMap<string, T>(limit);
  return {
    get(sql) {
      let statement = held.get(sql);
      if (statement === undefined) held.set(sql, (statement = prepare(sql)));
      return statement;
    },
  };
}
