// Sessions in a SQL table, so that they survive a restart and several processes share them. The key is a hash of the id
// (see `Sessions`). CSRF tokens in sessions are stored with them.
import { callbackify } from 'node:util';
import { type Clock, systemClock, textAt } from '@lockstitch/kernel';
import { hash } from '../node-crypto.ts';
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
  ]);
  await addColumn(database, table, 'user_key');
  await createTables(database, [`CREATE INDEX IF NOT EXISTS ${table}_user ON ${table} (user_key)`]);
  let writes = 0;

  const write = async (id: string, session: StoredSession): Promise<void> => {
    writes += 1;
    if (writes % SWEEP_EVERY === 0) await database.query(on(`DELETE FROM ${table} WHERE ends <= ?`), [clock.now()]);
    await database.query(
      on(`INSERT INTO ${table} (id, ends, user_key, session) VALUES (?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET ends = excluded.ends, user_key = excluded.user_key, session = excluded.session`),
      [id, new Date(session.cookie.expires).getTime(), keyOf(session.principal?.name), JSON.stringify(session)],
    );
  };
  const read = async (id: string): Promise<StoredSession | null> => {
    const rows = await database.query(on(`SELECT session FROM ${table} WHERE id = ?`), [id]);
    const [row] = rows;
    return row === undefined ? null : JSON.parse(textAt(row, 'session'));
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
      const rows = await database.query(on(`SELECT id FROM ${table} WHERE user_key = ? AND ends > ? ORDER BY ends`), [
        keyOf(username),
        clock.now(),
      ]);
      return rows.map((row) => textAt(row, 'id'));
    },
  };
}

/** A hash, since PostgreSQL keeps no text with U+0000. */
function keyOf(username: string | undefined): string | null {
  return username === undefined ? null : hash('sha256', username, 'base64url');
}

/** Tables of earlier versions lack it; their sessions count once they are written again. */
async function addColumn(database: SqlDatabase, table: string, column: string): Promise<void> {
  const isThere = async (): Promise<boolean> =>
    database.query(`SELECT ${column} FROM ${table} LIMIT 1`, []).then(
      () => true,
      () => false,
    );
  if (await isThere()) return;
  await database.query(`ALTER TABLE ${table} ADD COLUMN ${column} TEXT`, []).catch(async (error: unknown) => {
    // Another server may have added it at the same time.
    if (!(await isThere())) throw error;
  });
}
