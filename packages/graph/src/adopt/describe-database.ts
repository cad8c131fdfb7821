// Opens a database for reading only, and describes it in one read-only transaction.
import type { DatabaseDescription } from './database-description.ts';
import { openSqliteStore } from '../store/store-sqlite.ts';
import type { Store } from '../store/store.ts';
import { quoteName } from '../schema/table-name.ts';
import { readPostgres } from './read-postgres.ts';
import { readSqlite } from './read-sqlite.ts';
import { withoutSecrets } from './secrets.ts';

/** Time to open a connection, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;

/**
 * Describes a PostgreSQL database.
 *
 * @throws the driver's error if the server cannot be reached or rejects the login
 */
export async function describePostgres(url: string): Promise<DatabaseDescription> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT });
  await client.connect();
  try {
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    return withoutSecrets(
      await readPostgres(async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows),
    );
  } finally {
    await client.end();
  }
}

/** An SQLite database in memory with the same tables and no rows: opening the file itself to plan would change its mode. */
export async function openTablesOf({ tables }: DatabaseDescription): Promise<Store> {
  const store = await openSqliteStore({ file: ':memory:' });
  const statements: string[] = [];
  for (const { kind, name, columns, primaryKey, uniques } of tables) {
    if (kind !== 'table') continue;
    // SQLite takes any quoted text as a type, and reports it as it is; one without a type has none.
    const typeOf = (type: string): string => (type === '' ? '' : ` ${quoteName(type)}`);
    const lines = columns.map((column) => `${quoteName(column.name)}${typeOf(column.type)}`);
    if (primaryKey.length > 0) lines.push(`PRIMARY KEY (${primaryKey.map(quoteName).join(', ')})`);
    for (const unique of uniques) lines.push(`UNIQUE (${unique.map(quoteName).join(', ')})`);
    statements.push(`CREATE TABLE ${quoteName(name)} (${lines.join(', ')});`);
  }
  await store.script(statements.join('\n'));
  return store;
}

/**
 * Describes an SQLite file.
 *
 * @throws the driver's error if it is no database
 */
export function describeSqlite(file: string): DatabaseDescription {
  // Not imported statically: a Node without node:sqlite could not load this module and report the requirement.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec('BEGIN');
    return withoutSecrets(readSqlite((sql, ...values) => database.prepare(sql).all(...values)));
  } finally {
    database.close();
  }
}
