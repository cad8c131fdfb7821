// How SQLite changes what ALTER TABLE cannot: a new table takes the rows and the name of the old one.
import type { Change } from './change.ts';
import { convertColumn } from './convert-column.ts';
import { createBareTableSql, createIndexSql } from './create-sql.ts';
import { type ColumnShape, type Dialect, quoteName, quoteText, type TableShape } from './table-shape.ts';

/**
 * SQLite, "Making Other Kinds Of Table Schema Changes": make the new table, copy, drop the old one, rename.
 *
 * @param others statements that make what stands on the table and is not the engine's
 */
export function rebuildSql(
  now: TableShape,
  wanted: TableShape,
  changes: readonly Change[],
  others: readonly string[],
  dialect: Dialect,
): string[] {
  const temporary = `lockstitch_new_${wanted.name}`;
  const columns: string[] = [];
  const values: string[] = [];
  for (const column of wanted.columns) {
    const old = now.columns.find((other) => other.name === column.name);
    if (old === undefined && column.fill === undefined) continue;
    columns.push(quoteName(column.name));
    const value = old === undefined ? column.fill! : copySql(old, column, dialect);
    const emptied = changes.find((change) => change.empties?.column === column.name)?.empties;
    if (emptied === undefined) values.push(value);
    else values.push(emptied.keep === undefined ? 'NULL' : `CASE WHEN ${emptied.keep} THEN ${value} END`);
  }
  return [
    createBareTableSql(wanted, temporary, dialect),
    `INSERT INTO ${quoteName(temporary)} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${quoteName(wanted.name)}`,
    // Keys that were given out stay given out: the count goes on from where it was, not from the largest key left.
    ...(wanted.columns.some((column) => column.identity)
      ? [
          `DELETE FROM sqlite_sequence WHERE name = ${quoteText(temporary)}`,
          `INSERT INTO sqlite_sequence (name, seq) SELECT ${quoteText(temporary)}, max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = ${quoteText(wanted.name)}), 0), coalesce((SELECT max(${quoteName(wanted.primaryKey[0]!)}) FROM ${quoteName(temporary)}), 0))`,
        ]
      : []),
    `DROP TABLE ${quoteName(wanted.name)}`,
    `ALTER TABLE ${quoteName(temporary)} RENAME TO ${quoteName(wanted.name)}`,
    ...wanted.indexes.map((index) => createIndexSql(wanted.name, index)),
    ...others,
  ];
}

/** The value of a column that stays, as it will be. */
export function copySql(old: ColumnShape, column: ColumnShape, dialect: Dialect): string {
  const quoted = quoteName(column.name);
  if (old.type.toLowerCase() === column.type.toLowerCase()) return quoted;
  const { fits, value } = convertColumn(dialect, old.type, column.type, quoted);
  return `CASE WHEN ${fits} THEN ${value} END`;
}
