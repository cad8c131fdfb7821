// Rebuilds an SQLite table for changes that ALTER TABLE cannot make: a new table takes the rows and the name of the old
// one.
import { TRIGGER_PREFIX } from '../capture/sqlite-triggers.ts';
import type { Change } from './change.ts';
import { columnCompatibility, isKept } from './column-compatibility.ts';
import { createBareTableSql, createIndexSql } from './create-sql.ts';
import { isOurIndex } from './compare-keys.ts';
import type { Store } from '../store/store.ts';
import {
  type ColumnFacts,
  type ColumnShape,
  composeName,
  type Dialect,
  quoteName,
  type TableShape,
} from './table-shape.ts';
import { first } from '../present.ts';
import { quoteText } from '../schema/table-name.ts';

/**
 * SQLite, "Making Other Kinds Of Table Schema Changes": create the new table, copy, drop the old one, rename.
 *
 * @param others statements that recreate objects of other applications on the table
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
    const value = old === undefined ? column.fill : copySql(old, column, dialect);
    if (value === undefined) continue;
    columns.push(quoteName(column.name));
    const emptied = changes.find((change) => change.empties?.column === column.name)?.empties;
    if (emptied === undefined) values.push(value);
    else values.push(emptied.keep === undefined ? 'NULL' : `CASE WHEN ${emptied.keep} THEN ${value} END`);
  }
  return [
    createBareTableSql(withDefaults(now, wanted, dialect), temporary, dialect),
    `INSERT INTO ${quoteName(temporary)} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${quoteName(wanted.name)}`,
    // Generated keys are never reused: the sequence continues from its old value, not from the largest remaining key.
    ...(wanted.columns.some((column) => column.identity)
      ? [
          `DELETE FROM sqlite_sequence WHERE name = ${quoteText(temporary)}`,
          `INSERT INTO sqlite_sequence (name, seq) SELECT ${quoteText(temporary)}, max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = ${quoteText(wanted.name)}), 0), coalesce((SELECT max(${quoteName(first(wanted.primaryKey))}) FROM ${quoteName(temporary)}), 0))`,
        ]
      : []),
    `DROP TABLE ${quoteName(wanted.name)}`,
    `ALTER TABLE ${quoteName(temporary)} RENAME TO ${quoteName(wanted.name)}`,
    ...wanted.indexes.map((index) => createIndexSql(wanted.name, index)),
    ...others,
  ];
}

/** Defaults stay, and a new required column has one, so that servers with an older schema can still insert. */
function withDefaults(now: TableShape, wanted: TableShape, dialect: Dialect): TableShape {
  const columns = wanted.columns.map((column): ColumnShape => {
    const old = now.columns.find((other) => other.name === column.name);
    if (old?.found !== undefined) return isKept(dialect, old, column) ? { ...column, found: old.found } : column;
    return column.nullable || column.fill === undefined
      ? column
      : { ...column, found: { ...PLAIN, defaultValue: column.fill } };
  });
  return { ...wanted, columns };
}

const PLAIN: Omit<ColumnFacts, 'defaultValue'> = {
  kind: 'base',
  base: '',
  computed: false,
  countsAlways: false,
  looseCollation: false,
};

/** Database objects on a table that dropping it would remove. */
export interface Standing {
  /** Statements that recreate indexes and triggers of other applications. */
  readonly sql: readonly string[];
  /** What the engine cannot recreate; undefined: nothing. */
  readonly obstacle: string | undefined;
}

/** Reads them from SQLite's schema table. */
export async function standingOn(store: Store, table: TableShape): Promise<Standing> {
  const found = await store
    .prepare('SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL')
    .rows([table.name]);
  const rows = found.map(([type, name, sql]) => [String(type), String(name), String(sql)] as const);
  const isOurs = (name: string): boolean =>
    isOurIndex(name, table.name) && table.indexes.some((index) => index.name === name);
  // The triggers of @captureChanges are created again by their own steps.
  const isCapture = (type: string, name: string): boolean => type === 'trigger' && name.startsWith(TRIGGER_PREFIX);
  const sql = rows
    .filter(([type, name]) => type !== 'table' && !isOurs(name) && !isCapture(type, name))
    .map((row) => row[2]);
  const text = rows.find(([type]) => type === 'table')?.[2] ?? '';
  const bare = text.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g, '_');
  const [word] =
    /\b(?:CHECK|COLLATE|GENERATED ALWAYS|ON CONFLICT)\b|\bAS(?=\s*\()|\bSTRICT\b(?=[^)]*$)/i.exec(bare) ?? [];
  if (word !== undefined) {
    const obstacle = `SQLite would have to rebuild the table, which would lose its ${word.toUpperCase()}; change the columns yourself, or take that off first`;
    return { sql, obstacle };
  }
  const unique = await store
    .prepare(
      'SELECT i.name, c.name FROM pragma_index_list(?) i, pragma_index_info(i.name) c ' +
        "WHERE i.origin = 'u' ORDER BY i.name, c.seqno",
    )
    .rows([table.name]);
  const names = new Set(unique.map((row) => String(row[0])));
  const made = [...names].map((name) => {
    const columns = unique.filter((row) => row[0] === name).map((row) => String(row[1]));
    return createIndexSql(table.name, { name: composeName(table.name, ...columns, 'unique'), columns, unique: true });
  });
  return { sql: [...sql, ...made], obstacle: undefined };
}

/** The future value of a remaining column. */
export function copySql(old: ColumnShape, column: ColumnShape, dialect: Dialect): string {
  const fate = columnCompatibility(dialect, old, column);
  return fate.kind === 'converted' ? `CASE WHEN ${fate.fits} THEN ${fate.value} END` : quoteName(column.name);
}
