// Sessions in a SQL table, so that they survive a restart and several processes share them. The key is a hash of the id
// (see `Sessions`). CSRF tokens in sessions are stored with them.
import { callbackify } from 'node:util';
import { type Clock, systemClock } from '@lockstitch/kernel';
import { checkPrefix, createTables, numberParameters, type SqlDatabase } from '../stores/sql-database.ts';
import type { SessionStore, StoredSession } from './session-store.ts';
import { SQL_SESSION_STORE } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface SqlSessionStoreOptions {
  readonly database: SqlDatabase;
  /** Prefix of the table name `sessions`. Default: `security_`. */
  readonly prefix?: string;
  readonly clock?: Clock;
}

/** Expired sessions are deleted once in this many writes. */
const SWEEP_EVERY = 500;

/** The user's name in a stored session. An expression, so that tables of earlier versions need no new column. */
const USER = {
  sqlite: "json_extract(session, '$.principal.name')",
  postgres: "((session::jsonb -> 'principal') ->> 'name')",
} as const;

/** Opens the store and creates a missing table. */
export async function openSqlSessionStore(options: SqlSessionStoreOptions): Promise<SessionStore> {
  requireOptions('openSqlSessionStore', SQL_SESSION_STORE, options);
  const { database, prefix = 'security_', clock = systemClock } = options;
  checkPrefix(prefix);
  const table = `${prefix}sessions`;
  const on = (sql: string): string => numberParameters(database.dialect, sql);
  await createTables(database, [
    `CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY, ends BIGINT NOT NULL, session TEXT NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS ${table}_ends ON ${table} (ends)`,
    `CREATE INDEX IF NOT EXISTS ${table}_user ON ${table} (${USER[database.dialect]})`,
  ]);
  let writes = 0;

  const write = async (id: string, session: StoredSession): Promise<void> => {
    writes += 1;
    if (writes % SWEEP_EVERY === 0) await database.query(on(`DELETE FROM ${table} WHERE ends <= ?`), [clock.now()]);
    await database.query(
      on(`INSERT INTO ${table} (id, ends, session) VALUES (?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET ends = excluded.ends, session = excluded.session`),
      [id, new Date(session.cookie.expires).getTime(), JSON.stringify(session)],
    );
  };
  const read = async (id: string): Promise<StoredSession | null> => {
    const rows = await database.query(on(`SELECT session FROM ${table} WHERE id = ?`), [id]);
    return rows.length === 0 ? null : JSON.parse(String(rows[0]!['session']));
  };

  const remove = async (id: string): Promise<void> => {
    await database.query(on(`DELETE FROM ${table} WHERE id = ?`), [id]);
  };
  const ignored = (): void => undefined;

  return {
    get: callbackify(read),
    set: (id, session: StoredSession, callback = ignored) => callbackify(write)(id, session, callback),
    destroy: (id, callback = ignored) => callbackify(remove)(id, callback),
    keysOf: async (username) => {
      const rows = await database.query(
        on(`SELECT id FROM ${table} WHERE ${USER[database.dialect]} = ? AND ends > ? ORDER BY ends`),
        [username, clock.now()],
      );
      return rows.map(({ id }) => String(id));
    },
  };
}
