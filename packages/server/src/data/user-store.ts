// The accounts of an application in its own database: the SQL user store of the security package over the store of the
// graph, so that both share connections and transactions. What an account is and how it is checked is not decided here.
import type { Store } from '@lockstitch/graph';
import {
  openSqlSessionStore,
  openSqlUserStore,
  type SessionStore,
  type SqlConnection,
  type SqlDatabase,
  type SqlValue,
  type UserStore,
} from '@lockstitch/security';

type Rows = Awaited<ReturnType<SqlConnection['query']>>;

/** Opens the accounts in a database; makes their tables where they are missing. */
export function openUserStore(store: Store): Promise<UserStore> {
  return openSqlUserStore({ database: toSqlDatabase(store) });
}

/** Opens the sessions in a database; makes their table where it is missing. */
export function openSessionStore(store: Store): Promise<SessionStore> {
  return openSqlSessionStore({ database: toSqlDatabase(store) });
}

function toSqlDatabase(store: Store): SqlDatabase {
  return {
    dialect: store.dialect,
    async query(sql, parameters) {
      // A store reads outside transactions, changes tables by script, and writes inside transactions only.
      if (/^\s*CREATE\b/i.test(sql)) {
        await store.script(sql);
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

/** The store answers rows as lists; the columns a statement of the user store answers stand in its text, plainly named. */
function columnNames(sql: string): readonly string[] {
  const listed = /^\s*SELECT\s+(.+?)\s+FROM\b/is.exec(sql)?.[1] ?? /\bRETURNING\s+(.+)$/is.exec(sql)?.[1];
  return listed === undefined ? [] : listed.split(',').map((column) => column.trim().split('.').at(-1)!);
}
