// The few calls that stores make on a SQL database. The package imports no driver: the host passes in SQLite or
// PostgreSQL behind this.
import { authenticationErrors } from '../errors/authentication-errors.ts';

/** A value that goes in or comes out of the database. */
export type SqlValue = string | number | null;

/** Runs statements. Parameters stand as `?` for SQLite and `$1` for PostgreSQL. */
export interface SqlConnection {
  /** Runs one statement and returns its rows as plain objects; an empty list when there are none. */
  query(sql: string, parameters: readonly SqlValue[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A database: one statement at a time, or several that all happen or none. */
export interface SqlDatabase extends SqlConnection {
  readonly dialect: 'sqlite' | 'postgres';
  transaction<T>(work: (connection: SqlConnection) => Promise<T>): Promise<T>;
}

/** Writes `?` as `$1`, `$2`, … for PostgreSQL. For statements without a literal question mark. */
export function numberParameters(dialect: SqlDatabase['dialect'], sql: string): string {
  if (dialect === 'sqlite') return sql;
  let position = 0;
  return sql.replace(/\?/g, () => `$${(position += 1)}`);
}

/** Refuses a table prefix that is more than a plain name: it is written into statements as it stands. @throws SECURITY_SETTING */
export function checkPrefix(prefix: string): void {
  if (/^[a-z_][a-z0-9_]{0,40}$/.test(prefix)) return;
  const what = `The table prefix "${prefix}" must be lower-case letters, digits and _.`;
  throw authenticationErrors.create('SECURITY_SETTING', { what });
}
