// Statements about transactions on SQLite's writing connection, and scripts that are one by themselves. Not here: who runs which
// transaction when (sqlite-writer.ts).
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { beginNow } from './begin-now.ts';
import { lengthLimitOf } from './length-limit.ts';
import { translateSqliteError } from './sqlite-error.ts';
import { ConstraintViolation } from './store.ts';

/**
 * A statement about transactions. Its result carries the last row's id like any other, and one beyond 2^53 would make it
 * throw after it has run.
 */
export function control(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/** Ends the transaction, where there is one, as if it had never been. */
export function rollback(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('ROLLBACK');
}

/**
 * Runs a script in a transaction without foreign keys, which are checked at its end: rebuilding a table drops the old one, which
 * would set off ON DELETE actions; enforcement can only be switched outside a transaction (SQLite, "Making Other Kinds Of Table
 * Schema Changes").
 */
export async function runScript(
  database: DatabaseSync,
  sql: string,
  { busyTimeout, beforeCommit }: { readonly busyTimeout: number; readonly beforeCommit: () => void },
): Promise<void> {
  lengthLimitOf(database).set();
  database.exec('PRAGMA foreign_keys = OFF');
  try {
    await beginNow(database, control(database, 'BEGIN IMMEDIATE'), busyTimeout);
    database.exec(sql);
    const broken = database.prepare('PRAGMA foreign_key_check').get();
    if (broken !== undefined) throw new ConstraintViolation('foreignKey', String(broken['table']), [], undefined);
    beforeCommit();
    database.exec('COMMIT');
  } catch (error) {
    rollback(database);
    throw translateSqliteError(error);
  } finally {
    database.exec('PRAGMA foreign_keys = ON');
  }
}
