// Accounts in two tables of a SQL database, SQLite or PostgreSQL. The package imports no driver: the host passes in the
// few calls it needs.
import { first, textAt } from '@lockstitch/kernel';
import {
  checkPrefix,
  createTables,
  numberParameters,
  type SqlConnection,
  type SqlDatabase,
  type SqlValue,
} from '../stores/sql-database.ts';
import { User } from './user.ts';
import { type UserStore, userKey } from './user-store.ts';
import { SQL_USER_STORE } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface SqlUserStoreOptions {
  readonly database: SqlDatabase;
  /** Prefix of the table names `users` and `authorities`. Default: `security_`. */
  readonly prefix?: string;
}

const USER_COLUMNS = [
  'username',
  'password',
  'enabled',
  'account_non_expired',
  'account_non_locked',
  'credentials_non_expired',
  'attributes',
] as const;

/** Opens the store and creates missing tables. */
export async function openSqlUserStore(options: SqlUserStoreOptions): Promise<UserStore> {
  requireOptions('openSqlUserStore', SQL_USER_STORE, options);
  const { database, prefix = 'security_' } = options;
  checkPrefix(prefix);
  const users = `${prefix}users`;
  const authorities = `${prefix}authorities`;
  const on = (sql: string): string => numberParameters(database.dialect, sql);

  // TEXT and INTEGER mean the same to both databases; flags are 0 and 1, independent of a driver's booleans.
  await createTables(database, [
    `CREATE TABLE IF NOT EXISTS ${users} (user_key TEXT PRIMARY KEY, username TEXT NOT NULL, password TEXT NOT NULL,
      enabled INTEGER NOT NULL, account_non_expired INTEGER NOT NULL, account_non_locked INTEGER NOT NULL,
      credentials_non_expired INTEGER NOT NULL, attributes TEXT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${authorities} (user_key TEXT NOT NULL REFERENCES ${users} (user_key) ON DELETE CASCADE,
      authority TEXT NOT NULL, PRIMARY KEY (user_key, authority))`,
  ]);

  const load = async (key: string): Promise<User | undefined> => {
    // One statement, so that a user and its authorities are consistent.
    const rows = await database.query(
      on(`SELECT ${USER_COLUMNS.map((column) => `u.${column}`).join(', ')}, a.authority
          FROM ${users} u LEFT JOIN ${authorities} a ON a.user_key = u.user_key WHERE u.user_key = ?`),
      [key],
    );
    return rows.length === 0 ? undefined : readUser(rows);
  };
  const writeAuthorities = async (connection: SqlConnection, user: User): Promise<void> => {
    const key = userKey(user.username);
    await connection.query(on(`DELETE FROM ${authorities} WHERE user_key = ?`), [key]);
    for (const authority of user.authorities)
      await connection.query(on(`INSERT INTO ${authorities} (user_key, authority) VALUES (?, ?)`), [key, authority]);
  };

  return {
    loadUserByUsername: (username) => load(userKey(username)),
    insertUser: (user) =>
      database.transaction(async (connection) => {
        const added = await connection.query(
          on(`INSERT INTO ${users} (user_key, ${USER_COLUMNS.join(', ')}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
              ON CONFLICT (user_key) DO NOTHING RETURNING user_key`),
          [userKey(user.username), ...columnsOf(user)],
        );
        if (added.length === 0) return false;
        await writeAuthorities(connection, user);
        return true;
      }),
    replaceUser: (user) =>
      database.transaction(async (connection) => {
        const changed = await connection.query(
          on(
            `UPDATE ${users} SET ${USER_COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE user_key = ? RETURNING user_key`,
          ),
          [...columnsOf(user), userKey(user.username)],
        );
        if (changed.length === 0) return false;
        await writeAuthorities(connection, user);
        return true;
      }),
    removeUser: (username) =>
      database.transaction(async (connection) => {
        // Explicit: SQLite honours ON DELETE only if the host has enabled foreign keys.
        await connection.query(on(`DELETE FROM ${authorities} WHERE user_key = ?`), [userKey(username)]);
        const sql = `DELETE FROM ${users} WHERE user_key = ? RETURNING user_key`;
        return (await connection.query(on(sql), [userKey(username)])).length > 0;
      }),
    async updatePassword(username, encoded, expected) {
      const sql = `UPDATE ${users} SET password = ? WHERE user_key = ? AND password = ?`;
      await database.query(on(sql), [encoded, userKey(username), expected ?? '']);
    },
    async listUsers({ after = '', limit = 100 } = {}) {
      const keys = await database.query(
        on(`SELECT user_key FROM ${users} WHERE user_key > ? ORDER BY user_key LIMIT ?`),
        [userKey(after), limit],
      );
      const found = await Promise.all(keys.map((row) => load(textAt(row, 'user_key'))));
      return found.filter((user) => user !== undefined);
    },
  };
}

function columnsOf(user: User): SqlValue[] {
  return [
    user.username,
    user.password ?? '',
    user.enabled ? 1 : 0,
    user.accountNonExpired ? 1 : 0,
    user.accountNonLocked ? 1 : 0,
    user.credentialsNonExpired ? 1 : 0,
    JSON.stringify(user.attributes),
  ];
}

function readUser(rows: readonly Readonly<Record<string, unknown>>[]): User {
  const row = first(rows);
  return new User({
    username: textAt(row, 'username'),
    password: textAt(row, 'password'),
    enabled: Number(row['enabled']) === 1,
    accountNonExpired: Number(row['account_non_expired']) === 1,
    accountNonLocked: Number(row['account_non_locked']) === 1,
    credentialsNonExpired: Number(row['credentials_non_expired']) === 1,
    attributes: JSON.parse(textAt(row, 'attributes')),
    authorities: rows.flatMap((each) => (typeof each['authority'] === 'string' ? [each['authority']] : [])),
  });
}
