// Creates tables that belong to the server and not to the schema: accounts, sessions, servers.
import { quoteName, type Store } from '@lockstitch/graph';

/**
 * Runs a script that creates what is missing. Where the usual schema of PostgreSQL takes no tables, as beside the tables
 * of others, they go to the engine's own schema, which is in the search path.
 */
export async function createOwnTable(store: Store, sql: string): Promise<void> {
  const { ownSchema } = store;
  try {
    // Of two that create it at the same time PostgreSQL may fail one; the second time the table is there.
    await store.script(sql).catch(() => store.script(sql));
  } catch (error) {
    if (ownSchema === undefined) throw error;
    const quoted = quoteName(ownSchema);
    await store
      .script(`CREATE SCHEMA IF NOT EXISTS ${quoted}; SET LOCAL search_path TO ${quoted}; ${sql}`)
      .catch(() => Promise.reject(error));
  }
}
