// Compares which rows a schema takes for deleted (`@entity(softDelete:)`) with the schema before. No
// column says so, and servers of the schema before would show deleted objects.
import type { Entity, Model, SoftDelete } from '../schema/model.ts';
import { quoteTable } from '../schema/table-name.ts';
import type { Store } from '../store/store.ts';
import { count, type MigrationStep, rowsText, safe } from './change.ts';
import type { SoftDeletes } from './stored-schema.ts';
import { type NotDeleted, quoteName, type TableShape } from './table-shape.ts';

/** The condition of rows that are not deleted. */
export function notDeletedOf({ column, storage }: SoftDelete): NotDeleted {
  return { column, test: storage === 'boolean' ? 'IS NOT TRUE' : 'IS NULL' };
}

/** The soft deletions of a model. */
export function softDeletesOf({ entities }: Pick<Model, 'entities'>): SoftDeletes {
  const found = new Map<string, NotDeleted | null>();
  for (const { table, softDelete, unmanaged, readOnly } of entities.values()) {
    if (softDelete !== undefined) found.set(table, notDeletedOf(softDelete));
    else if (unmanaged && !readOnly) found.set(table, null);
  }
  return found;
}

/** What a table has of the schema before. */
export interface FormerSoftDelete {
  readonly now: TableShape;
  /** Under the new names of columns; undefined if the table was not served. */
  readonly before: NotDeleted | null | undefined;
  /** The name that a column has before the migration. */
  readonly formerName: (column: string) => string;
}

/** The step of a table whose soft deletion changes. */
export async function compareSoftDelete(
  store: Store,
  { table, softDelete }: Entity,
  { now, before, formerName }: FormerSoftDelete,
): Promise<MigrationStep | undefined> {
  const after = softDelete === undefined ? null : notDeletedOf(softDelete);
  if (before === undefined || (before?.column === after?.column && before?.test === after?.test)) return undefined;
  const step = safe(`softDelete ${table}`, describe(table, before, after));
  const deleted = (condition: NotDeleted | null): string | undefined => {
    const column = now.columns.find(({ name }) => name === condition?.column);
    if (condition === null || column === undefined) return undefined;
    const name = quoteName(formerName(column.name));
    if (condition.test === 'IS NULL') return `${name} IS NOT NULL`;
    return store.dialect === 'postgres' && column.type !== 'boolean' ? undefined : `(${name} <> FALSE) IS TRUE`;
  };
  const [was, is] = [deleted(before), deleted(after)];
  if (was === undefined) return step;
  const others = is === undefined ? '' : ` AND NOT (${is})`;
  const rows = await count(store, `SELECT count(*) FROM ${quoteTable(table)} WHERE ${was}${others}`);
  return rows === 0 ? step : { ...step, loses: `the deletion of ${rowsText(rows)}, whose objects would exist again` };
}

function describe(table: string, before: NotDeleted | null, after: NotDeleted | null): string {
  const where = ({ column, test }: NotDeleted): string =>
    `where ${column} ${test === 'IS NULL' ? 'has a value' : 'is true'}`;
  if (after === null)
    return `No longer hide rows of table ${table} ${where(before!)}, and let deletions remove rows instead of setting it`;
  if (before === null)
    return `Hide rows of table ${table} ${where(after)}, and let deletions set it instead of removing rows`;
  return `Hide rows of table ${table} ${where(after)}, no longer ${where(before)}`;
}
