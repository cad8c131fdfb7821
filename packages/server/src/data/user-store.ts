// Accounts in the application's own database: the security package's SQL user store over the graph's store, so that
// both share connections and transactions.
import type { Store } from '@lockstitch/graph';
import {
  type LoginState,
  openSqlLoginState,
  openSqlSessionStore,
  openSqlUserStore,
  type SessionStore,
  type SqlConnection,
  type SqlDatabase,
  type SqlValue,
  type UserStore,
} from '@lockstitch/security';

import { createOwnTable } from '../fleet/own-table.ts';

type Rows = Awaited<ReturnType<SqlConnection['query']>>;

/** Opens the accounts in a database and creates missing tables. */
export function openUserStore(store: Store): Promise<UserStore> {
  return openSqlUserStore({ database: toSqlDatabase(store) });
}

/** Opens the sessions in a database and creates a missing table. */
export function openSessionStore(store: Store): Promise<SessionStore> {
  return openSqlSessionStore({ database: toSqlDatabase(store) });
}

/** Opens what log-ins count and remember in a PostgreSQL database, and creates missing tables. */
export function openLoginState(store: Store): Promise<LoginState> {
  return openSqlLoginState({ database: toSqlDatabase(store) });
}

function toSqlDatabase(store: Store): SqlDatabase {
  return {
    dialect: store.dialect,
    async query(sql, parameters) {
      // A store reads outside transactions, creates tables by script, and writes only inside transactions.
      if (/^\s*CREATE\b/i.test(sql)) {
        await createOwnTable(store, sql);
        return [];
      }
      if (/^\s*SELECT\b/i.test(sql)) return run(store, sql, parameters);
      return store.transaction((session) => run(session, sql, parameters));
    },
    transaction: (work) =>
      store.transaction((session) => work({ query: (sql, parameters) => run(session, sql, parameters) })),
  };
}

async function run(session: Pick<Store, 'prepare'>, sql: string, parameters: readonly SqlValue[]): Promise<Rows> {
  const names = columnNames(sql);
  const statement = session.prepare(sql);
  if (names.length === 0) {
    await statement.run(parameters);
    return [];
  }
  const rows = await statement.rows(parameters);
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
}

/** The store returns rows as lists; the column names are parsed from the statement. */
function columnNames(sql: string): readonly string[] {
  const listed = /^\s*SELECT\s+(.+?)\s+FROM\b/is.exec(sql)?.[1] ?? /\bRETURNING\s+(.+)$/is.exec(sql)?.[1];
  return listed === undefined ? [] : listed.split(',').map((column) => column.trim().replace(/^.*\./, ''));
}
