// Checks that unmanaged tables and columns exist, and that the fields can read and write them as they are. A plan never
// changes them; what does not fit is a blocked step.
import { didYouMean } from '@lockstitch/kernel';
import { parseTableName } from '../schema/table-name.ts';
import type { MigrationStep } from './change.ts';
import { columnCompatibility } from './column-compatibility.ts';
import type { ColumnShape, Dialect, TableShape } from './table-shape.ts';

/** What prevents the use of unmanaged tables. */
export function checkUnmanaged(
  wanted: readonly TableShape[],
  present: ReadonlyMap<string, TableShape>,
  dialect: Dialect,
): readonly MigrationStep[] {
  return wanted.flatMap((table): readonly MigrationStep[] => {
    const now = present.get(table.name);
    if (now === undefined) return [blocked(table.name, `table ${table.name}`, missingTable(table.name, dialect))];
    return [...checkWrites(table, now), ...table.columns.flatMap((column) => checkColumn(table, column, now, dialect))];
  });
}

/** What prevents writing: a view has no rows of its own, and a key must name one row. */
function checkWrites(table: TableShape, now: TableShape): readonly MigrationStep[] {
  if (table.readOnly === true) return [];
  const what = `table ${table.name}`;
  if (now.isView === true) return [blocked(table.name, what, 'it is a view; put @readOnly on the type')];
  const key = table.primaryKey.join(', ');
  const isUnique = [
    now.primaryKey,
    ...now.indexes.filter(({ unique, where }) => unique && where === undefined).map(({ columns }) => columns),
  ].some(
    (columns) => table.primaryKey.every((name) => columns.includes(name)) && columns.length === table.primaryKey.length,
  );
  if (isUnique) return [];
  const reason = `${key} is not unique, so it names no single row; put @id on a field that is, or @readOnly on the type`;
  return [blocked(`${table.name}.${key}`, what, reason)];
}

/**
 * A managed table with its unmanaged columns, and its foreign keys to unmanaged tables, as they are, so that nothing
 * differs. Adds a step for each column that does not fit.
 */
export function withUnmanaged(
  asked: TableShape,
  now: TableShape,
  steps: MigrationStep[],
  { dialect, unmanaged }: { readonly dialect: Dialect; readonly unmanaged: readonly TableShape[] },
): TableShape {
  // They were made while the other table was managed, or by its owner: dropping them would allow broken references.
  const kept = now.foreignKeys.filter(
    (key) =>
      unmanaged.some(({ name }) => name.toLowerCase() === key.targetTable.toLowerCase()) &&
      asked.columns.some(({ name }) => name === key.column) &&
      !asked.foreignKeys.some(({ column }) => column === key.column),
  );
  const wanted = kept.length === 0 ? asked : { ...asked, foreignKeys: [...asked.foreignKeys, ...kept] };
  if (!wanted.columns.some((column) => column.unmanaged === true)) return wanted;
  const columns = wanted.columns.flatMap((column): readonly ColumnShape[] => {
    if (column.unmanaged !== true) return [column];
    steps.push(...checkColumn(wanted, column, now, dialect));
    return now.columns.filter(({ name }) => name === column.name);
  });
  const isLeft = (name: string): boolean =>
    wanted.columns.some((column) => column.name === name && column.unmanaged === true);
  return {
    ...wanted,
    columns,
    indexes: [...wanted.indexes, ...now.indexes.filter((index) => index.columns.some(isLeft))],
    foreignKeys: [...wanted.foreignKeys, ...now.foreignKeys.filter((key) => isLeft(key.column) && !kept.includes(key))],
  };
}

function checkColumn(
  table: TableShape,
  wanted: ColumnShape,
  now: TableShape,
  dialect: Dialect,
): readonly MigrationStep[] {
  const place = `${table.name}.${wanted.name}`;
  const old = now.columns.find(({ name }) => name === wanted.name);
  if (old === undefined) {
    const names = now.columns.map(({ name }) => name);
    const reason = `table ${table.name} has no such column.${didYouMean(wanted.name, names)} Name it with @column(name: "..."), or remove the field`;
    return [blocked(place, `column ${wanted.name} of table ${table.name}`, reason)];
  }
  const fate = columnCompatibility(dialect, old, wanted);
  if (fate.kind === 'kept') return [];
  const what = `column ${wanted.name} of table ${table.name}`;
  const reason =
    fate.kind === 'refused'
      ? fate.reason
      : `${old.type || 'a column without a type'} would have to become ${wanted.type}, and @unmanaged forbids that; give the field another type`;
  return [blocked(place, what, reason)];
}

function missingTable(name: string, dialect: Dialect): string {
  if (dialect === 'sqlite' && parseTableName(name)?.schema !== undefined)
    return 'SQLite has no schemas; name the table alone, and if the dot is part of its name, write it in double quotes';
  return 'there is no such table that this user of the database can see; name it with @entity(table: "..."), on PostgreSQL with its schema, or remove @unmanaged to have it created';
}

function blocked(name: string, what: string, loses: string): MigrationStep {
  return { name: `read ${name}`, text: `Read and write ${what}`, loses, blocked: true };
}
