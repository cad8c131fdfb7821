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
 * Runs a script in a transaction without foreign keys, and checks at its end that it broke none. Rebuilding a table drops the old
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
    const before = brokenReferences(database);
    database.exec(sql);
    for (const [place, { table, rows }] of brokenReferences(database)) {
      if (rows > (before.get(place)?.rows ?? 0)) throw new ConstraintViolation('foreignKey', table, [], undefined);
    }
    beforeCommit();
    database.exec('COMMIT');
  } catch (error) {
    rollback(database);
    throw translateSqliteError(error);
  } finally {
    database.exec('PRAGMA foreign_keys = ON');
  }
}

/**
 * Rows that refer to nothing, by foreign key: a table of others may hold some, as SQLite checks only if it is asked to. By
 * table, target and columns, as the number of a key changes when its table is built again.
 */
function brokenReferences(
  database: DatabaseSync,
): ReadonlyMap<string, { readonly table: string; readonly rows: number }> {
  const broken = new Map<string, { readonly table: string; readonly rows: number }>();
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
    const table = String(name);
    for (const { parent, columns, rows } of brokenIn(database, table)) {
      const place = JSON.stringify([table, parent, columns]).toLowerCase();
      broken.set(place, { table, rows: Number(rows) + (broken.get(place)?.rows ?? 0) });
    }
  }
  return broken;
}

function brokenIn(database: DatabaseSync, table: string): ReturnType<StatementSync['all']> {
  try {
    const found = database.prepare(`
      SELECT c.parent, c.rows, (SELECT json_group_array(k."from") FROM (SELECT "from" FROM pragma_foreign_key_list(?1) WHERE id = c.fkid ORDER BY seq) k) AS columns
      FROM (SELECT parent, fkid, count(*) AS rows FROM pragma_foreign_key_check(?1) GROUP BY parent, fkid) c`);
    return found.all(table);
  } catch {
    // A key of this table refers to columns that are not unique: it cannot be checked, and no statement enforces it.
    return [];
  }
}
