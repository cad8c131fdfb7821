// Prepares mutations of whole objects: delete, restore, purge.
import { graphErrors } from '../errors.ts';
import type { MaybePromise, SqlValue } from '../store/store.ts';
import { deleteRows } from './delete-rows.ts';
import type { EntityTable, StoredRow } from './entity-table.ts';
import type { MutationShape } from './mutation-shape.ts';
import {
  type Args,
  checkVersion,
  checkWritten,
  findVisible,
  isMany,
  type MutationWork,
  prepareFiltered,
  readKeyArgument,
} from './mutation-targets.ts';
import { missingText, type Reading } from './read-values.ts';
import { restoreRows } from './restore-rows.ts';
import { notFound, tableOf, type WriteUnit } from './write-unit.ts';

/** `delete` takes existing objects, `restore` deleted ones, and `purge`, which removes their rows, both. */
type Removal = 'delete' | 'restore' | 'purge';

/** Reads the arguments of a mutation that deletes, restores or purges; mistakes are added to the reading. */
export function prepareRemoval(shape: MutationShape, kind: Removal, args: Args, reading: Reading): MutationWork {
  const { answers, entity } = shape;
  // Restoring takes back what the right to delete allows.
  const action = kind === 'purge' ? 'purge' : 'delete';
  reading.rights.push({ entity, action, fields: [] });
  const write = async (unit: WriteUnit, table: EntityTable, rows: readonly StoredRow[]): Promise<void> => {
    if (kind === 'restore') await restoreRows(unit, table, rows);
    else await deleteRows(unit, table, rows, kind === 'purge');
    await checkWritten(unit);
  };
  if (shape.where !== undefined)
    return prepareFiltered(shape, shape.where, args, reading, async (unit, table, found) => {
      const rows = found.map(table.toRow);
      for (const row of rows) await unit.guard.check(unit, table, row, action);
      await write(unit, table, rows);
    });
  const keys = readKeyArgument(reading, shape, args);
  return async ({ unit, answer }) => {
    const table = tableOf(unit, entity.name);
    const rows: StoredRow[] = [];
    for (const key of new Set(keys)) {
      const row = await (kind === 'delete' ? findVisible(unit, table, key) : findRemoved(unit, table, key, kind));
      await unit.guard.check(unit, table, row, action);
      await checkVersion(unit, shape, args, table, row);
      rows.push(row);
    }
    const read = (): MaybePromise<unknown> => answer({ entity: entity.name, keys, many: isMany(shape) });
    // Deleted objects are read before they are deleted.
    const before = answers === 'rows' && kind === 'delete' ? await read() : undefined;
    await write(unit, table, rows);
    if (answers === 'rows') return { kind: 'rows', value: kind === 'delete' ? before : await read() };
    const scalar = { boolean: true, count: rows.length, key: String(keys[0]) }[answers];
    return { kind: 'scalar', value: scalar };
  };
}

/** The object to restore or purge. @throws GRAPH_NOT_FOUND if the caller may not see it, GRAPH_NOT_DELETED */
async function findRemoved(
  unit: WriteUnit,
  table: EntityTable,
  key: SqlValue,
  kind: 'restore' | 'purge',
): Promise<StoredRow> {
  const existing = await table.find(unit.session, key);
  const row = existing ?? (await findDeleted(unit, table, key));
  if (row !== undefined && (await unit.guard.canFind(unit, table, row))) {
    if (existing === undefined || kind === 'purge') return row;
    throw graphErrors.create('GRAPH_NOT_DELETED', { field: unit.field, type: table.entity.name, key: String(key) });
  }
  throw notFound(unit, [missingText(table.entity, key)]);
}

/** A deleted row that the caller may see. */
async function findDeleted(unit: WriteUnit, table: EntityTable, key: SqlValue): Promise<StoredRow | undefined> {
  const row = await table.findDeleted(unit.session, key);
  return row !== undefined && (await unit.guard.canSeeDeleted(unit, table, row)) ? row : undefined;
}
