// Fills the tables of a PostgreSQL database with generated rows. Every foreign key refers to the row of the same number.
import { describePostgres } from '@lockstitch/graph';
import type { Client } from 'pg';

import {
  type ColumnDescription,
  sqlName,
  type TableDescription,
} from '../../../graph/src/adopt/database-description.ts';
import { quoteName, quoteTable } from '../../../graph/src/schema/table-name.ts';

/** SQL of a value of a type (`pg_type.typname`), for the row of that number. */
const VALUES: Readonly<Record<string, (row: number) => string>> = {
  bool: (row) => String(row % 2 === 0),
  bytea: (row) => `'\\x0${row}'`,
  date: (row) => `'2020-02-0${row}'`,
  inet: (row) => `'10.0.0.${row}'`,
  interval: (row) => `'${row} days'`,
  json: (row) => `'{"row": ${row}}'`,
  jsonb: (row) => `'{"row": ${row}}'`,
  time: (row) => `'10:00:0${row}'`,
  timestamp: (row) => `'2020-02-0${row} 10:00'`,
  timestamptz: (row) => `'2020-02-0${row} 10:00Z'`,
  uuid: (row) => `'00000000-0000-0000-0000-00000000000${row}'`,
};

/** Inserts rows into each table, as far as its constraints allow; returns how many. At most 9 a table. */
export async function fillTables(client: Client, rows: number): Promise<number> {
  const { host, port, user, password, database } = client;
  const url = `postgres://${user ?? ''}:${String(password)}@${host}:${port}/${database ?? ''}`;
  const { tables } = await describePostgres(url);
  // No trigger and no foreign key is checked.
  await client.query('SET session_replication_role = replica');
  const filled = tables.filter(({ kind }) => kind === 'table');
  let count = 0;
  for (const table of filled) for (let row = 1; row <= rows; row++) if (await insertRow(client, table, row)) count++;
  // A row that could not be inserted leaves others that refer to it.
  for (let gone = 1; gone > 0; count -= gone) {
    gone = 0;
    for (const table of filled) for (const key of table.foreignKeys) gone += await deleteDangling(client, table, key);
  }
  return count;
}

/** Whether some value of its free columns is allowed. */
async function insertRow(client: Client, table: TableDescription, row: number): Promise<boolean> {
  const columns = table.columns.filter(({ generated }) => !generated);
  const keys = new Set([...table.primaryKey, ...table.foreignKeys.flatMap((key) => key.columns)]);
  const list = columns.map(({ name }) => quoteName(name)).join(', ');
  // Years and amounts want numbers of different sizes.
  for (const more of [0, 2000]) {
    const values = columns.map((column) => valueOf(column, keys.has(column.name) ? row : row + more));
    const insert = `INSERT INTO ${quoteTable(sqlName(table))} (${list}) OVERRIDING SYSTEM VALUE VALUES (${values.join(', ')})`;
    try {
      await client.query(insert);
      return true;
    } catch {
      // A check, a partition or a type that wants other values.
    }
  }
  return false;
}

function valueOf({ base, list, enum: named, type }: ColumnDescription, row: number): string {
  if (list) return `'{}'`;
  if (named !== undefined) return `(enum_range(NULL::${type}))[1]`;
  return VALUES[base]?.(row % 1000) ?? String(/^(?:int|float|numeric|oid)/.test(base) ? row : `'${row}'`);
}

async function deleteDangling(
  client: Client,
  table: TableDescription,
  { columns, target, targetColumns }: TableDescription['foreignKeys'][number],
): Promise<number> {
  const same = columns.map((name, at) => `k.${quoteName(targetColumns[at] ?? '')} = t.${quoteName(name)}`);
  const filled = columns.map((name) => `t.${quoteName(name)} IS NOT NULL`);
  const there = `SELECT 1 FROM ${quoteTable(sqlName(target))} k WHERE ${same.join(' AND ')}`;
  const { rowCount } = await client.query(
    `DELETE FROM ${quoteTable(sqlName(table))} t WHERE ${filled.join(' AND ')} AND NOT EXISTS (${there})`,
  );
  return rowCount ?? 0;
}
