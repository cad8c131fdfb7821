// Transaction control statements on SQLite's writing connection, and scripts in a transaction of their own. Not here:
// scheduling of transactions (sqlite-writer.ts).
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { beginTransaction } from './begin-transaction.ts';
import { lengthLimitOf } from './length-limit.ts';
import { translateSqliteError } from './sqlite-error.ts';
import { ConstraintViolation } from './store.ts';

/**
 * Prepares a control statement. Its result contains the last row id, which beyond 2^53 would throw after execution
 * unless read as a BigInt.
 */
export function control(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/** Rolls back the transaction, if one is open. */
export function rollback(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('ROLLBACK');
}

/**
 * Runs a script in a transaction without foreign keys, and checks them at its end. Rebuilding a table drops the old
 * one, which would trigger ON DELETE actions; enforcement can only be switched outside a transaction (SQLite, "Making
 * Other Kinds Of Table Schema Changes").
 */
export async function runScript(
  database: DatabaseSync,
  sql: string,
  { busyTimeout, beforeCommit }: { readonly busyTimeout: number; readonly beforeCommit: () => void },
): Promise<void> {
  lengthLimitOf(database).set();
  database.exec('PRAGMA foreign_keys = OFF');
  try {
    await beginTransaction(database, control(database, 'BEGIN IMMEDIATE'), busyTimeout);
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
