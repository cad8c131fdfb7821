// The few calls that stores make on a SQL database. The package imports no driver: the host passes SQLite or PostgreSQL
// behind this interface.
import { setTimeout } from 'node:timers/promises';
import { authenticationErrors } from '../errors/authentication-errors.ts';

/** A value of the database. */
export type SqlValue = string | number | null;

/** Runs statements. Parameters are `?` for SQLite and `$1` for PostgreSQL. */
export interface SqlConnection {
  /** Runs one statement and returns its rows as plain objects. */
  query(sql: string, parameters: readonly SqlValue[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A database: single statements, or several in one transaction. */
export interface SqlDatabase extends SqlConnection {
  readonly dialect: 'sqlite' | 'postgres';
  transaction<T>(work: (connection: SqlConnection) => Promise<T>): Promise<T>;
}

/** Replaces `?` by `$1`, `$2`, … for PostgreSQL. For statements without a literal question mark. */
export function numberParameters(dialect: SqlDatabase['dialect'], sql: string): string {
  if (dialect === 'sqlite') return sql;
  let position = 0;
  return sql.replace(/\?/g, () => `$${(position += 1)}`);
}

/** Attempts to create a table. */
const ATTEMPTS = 4;

/**
 * Creates what is missing. Of servers that start at once PostgreSQL may fail all but one, even with IF NOT EXISTS, and for
 * a moment after the first one has committed.
 */
export async function createTables(database: SqlDatabase, statements: readonly string[]): Promise<void> {
  for (const sql of statements) await createTable(database, sql);
}

async function createTable(database: SqlDatabase, sql: string): Promise<void> {
  for (let count = 1; ; count++) {
    try {
      await database.query(sql, []);
      return;
    } catch (error) {
      if (count >= ATTEMPTS) throw error;
      await setTimeout(count * 10);
    }
  }
}

/** Rejects a table prefix that is not a plain name, because it is inserted into statements. @throws SECURITY_SETTING */
export function checkPrefix(prefix: string): void {
  if (/^[a-z_][a-z0-9_]{0,40}$/.test(prefix)) return;
  const what = `The table prefix "${prefix}" must be lower-case letters, digits and _.`;
  throw authenticationErrors.create('SECURITY_SETTING', { what });
}
