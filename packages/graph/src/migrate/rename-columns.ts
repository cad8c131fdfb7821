// Renames columns whose fields have a new name (`@renamedFrom`), so that their values stay. Everything else about a column
// is compared as if it already had the new name, and counted under the old one; another type is left to a second migration.
import { type MigrationStep, safe } from './change.ts';
import { columnCompatibility } from './column-compatibility.ts';
import type { StoredSchema, TableMeaning } from './stored-schema.ts';
import { type ColumnShape, type Dialect, quoteName, type TableShape } from './table-shape.ts';
import { required } from '../present.ts';

/** The renamed columns of one table. */
export interface Renaming {
  /** The table as it is afterwards. */
  readonly now: TableShape;
  readonly steps: readonly MigrationStep[];
  readonly sql: readonly string[];
  /** Old column → new column. */
  readonly names: ReadonlyMap<string, string>;
}

/** Undefined if no column is renamed. */
export function renameColumns(wanted: TableShape, now: TableShape, dialect: Dialect): Renaming | undefined {
  const has = ({ columns }: TableShape, name: string): boolean => columns.some((column) => column.name === name);
  const names = new Map<string, string>();
  const steps: MigrationStep[] = [];
  for (const column of wanted.columns) {
    if (column.unmanaged === true) continue;
    const former = column.former?.find((name) => has(now, name) && !has(wanted, name) && !names.has(name));
    if (former === undefined || has(now, column.name)) continue;
    names.set(former, column.name);
    const step = safe(
      `rename ${wanted.name}.${former}`,
      `Rename column ${former} of table ${wanted.name} to ${column.name}`,
    );
    const old = required(
      now.columns.find(({ name }) => name === former),
      former,
    );
    const loses = otherChange({ ...old, name: column.name }, column, dialect);
    steps.push(loses === undefined ? step : { ...step, loses, blocked: true });
  }
  if (names.size === 0) return undefined;
  const table = quoteName(wanted.name);
  const sql = [...names].map(
    ([old, name]) => `ALTER TABLE ${table} RENAME COLUMN ${quoteName(old)} TO ${quoteName(name)}`,
  );
  return { now: withNames(now, names), steps, sql, names };
}

/** The names that columns have before the renaming. */
export function formerNames(renaming: Renaming | undefined): (column: string) => string {
  const former = new Map([...(renaming?.names ?? [])].map(([old, name]) => [name, old]));
  return (column) => former.get(column) ?? column;
}

function otherChange(old: ColumnShape, wanted: ColumnShape, dialect: Dialect): string | undefined {
  const change =
    columnCompatibility(dialect, old, wanted).kind !== 'kept'
      ? `its type changes from ${old.type} to ${wanted.type}`
      : old.nullable && !wanted.nullable
        ? 'it requires a value'
        : undefined;
  return change && `${change} too; rename it first, and change that in the next version of the schema`;
}

function withNames(now: TableShape, names: ReadonlyMap<string, string>): TableShape {
  const to = (name: string): string => names.get(name) ?? name;
  return {
    ...now,
    columns: now.columns.map((column) => ({ ...column, name: to(column.name) })),
    primaryKey: now.primaryKey.map(to),
    indexes: now.indexes.map((index) => ({
      ...index,
      columns: index.columns.map(to),
      ...(index.where !== undefined && { where: { ...index.where, column: to(index.where.column) } }),
    })),
    foreignKeys: now.foreignKeys.map((key) => ({ ...key, column: to(key.column) })),
  };
}

/** The stored schema with the new names. */
export function withRenamedColumns(
  stored: StoredSchema,
  renamings: ReadonlyMap<string, Renaming>,
): ReadonlyMap<string, TableMeaning> {
  return new Map(
    [...stored].map(([table, meaning]) => {
      const names = renamings.get(table)?.names;
      if (names === undefined) return [table, meaning];
      const columns = Object.entries(meaning.columns).map(([name, type]) => [names.get(name) ?? name, type] as const);
      return [table, { ...meaning, columns: Object.fromEntries(columns) }];
    }),
  );
}
