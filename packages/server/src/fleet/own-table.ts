// Creates tables that belong to the server and not to the schema: accounts, sessions, servers.
import { quoteName, type Store } from '@lockstitch/graph';

/**
 * Runs a script that creates what is missing. Where the usual schema of PostgreSQL takes no tables, as beside the tables
 * of others, they go to the engine's own schema, which is in the search path.
 */
export async function createOwnTable(store: Store, sql: string): Promise<void> {
  const { ownSchema } = store;
  try {
    await store.script(sql);
  } catch (error) {
    if (ownSchema === undefined) throw error;
    const quoted = quoteName(ownSchema);
    const [found] = await store.prepare('SELECT 1 FROM pg_namespace WHERE nspname = $1').rows([ownSchema]);
    // For a schema that exists, IF NOT EXISTS needs the right to create one, too.
    const create = found === undefined ? `CREATE SCHEMA IF NOT EXISTS ${quoted}; ` : '';
    await store.script(`${create}SET LOCAL search_path TO ${quoted}; ${sql}`).catch(() => Promise.reject(error));
  }
}
