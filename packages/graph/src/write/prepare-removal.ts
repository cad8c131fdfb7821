// Prepares mutations of whole objects: delete, restore, purge.
import type { SqlValue } from '../store/store.ts';
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

export function prepareDelete(shape: MutationShape, args: Args, reading: Reading): MutationWork {
  const { entity } = shape;
  reading.rights.push({ entity, action: 'delete', fields: [] });
  if (shape.where !== undefined)
    return prepareFiltered(shape, shape.where, args, reading, async (unit, table, found) => {
      const rows = found.map(table.toRow);
      for (const row of rows) await unit.guard.check(unit, table, row, 'delete');
      await deleteRows(unit, table, rows);
      await checkWritten(unit);
    });
  const keys = readKeyArgument(reading, shape, args);
  return async ({ unit, answer }) => {
    const table = tableOf(unit, entity.name);
    const rows: StoredRow[] = [];
    for (const key of new Set(keys)) {
      const row = await findVisible(unit, table, key);
      await unit.guard.check(unit, table, row, 'delete');
      await checkVersion(unit, shape, args, table, row);
      rows.push(row);
    }
    const value =
      shape.answers === 'rows' ? await answer({ entity: entity.name, keys, many: isMany(shape) }) : undefined;
    await deleteRows(unit, table, rows);
    await checkWritten(unit);
    if (shape.answers === 'rows') return { kind: 'rows', value };
    const scalar = { boolean: true, count: rows.length, key: String(keys[0]) }[shape.answers];
    return { kind: 'scalar', value: scalar };
  };
}

/** Restores deleted objects, or removes the rows of objects, deleted or not. */
export function prepareOfDeleted(
  shape: MutationShape,
  kind: 'restore' | 'purge',
  args: Args,
  reading: Reading,
): MutationWork {
  const { entity } = shape;
  // Restoring takes back what the right to delete allows.
  const action = kind === 'purge' ? 'purge' : 'delete';
  reading.rights.push({ entity, action, fields: [] });
  const write = async (unit: WriteUnit, table: EntityTable, rows: readonly StoredRow[]): Promise<void> => {
    for (const row of rows) await unit.guard.check(unit, table, row, action);
    if (kind === 'purge') await deleteRows(unit, table, rows, true);
    else await restoreRows(unit, table, rows);
    await checkWritten(unit);
  };
  if (shape.where !== undefined)
    return prepareFiltered(shape, shape.where, args, reading, (unit, table, found) =>
      write(unit, table, found.map(table.toRow)),
    );
  const keys = readKeyArgument(reading, shape, args);
  return async ({ unit, answer }) => {
    const table = tableOf(unit, entity.name);
    const rows: StoredRow[] = [];
    for (const key of new Set(keys)) {
      const living = kind === 'purge' ? await table.find(unit.session, key) : undefined;
      const row = living ?? (await findDeleted(unit, table, key));
      if (row === undefined || !(await unit.guard.canFind(unit, table, row)))
        throw notFound(unit, [missingText(entity, key)]);
      await checkVersion(unit, shape, args, table, row);
      rows.push(row);
    }
    await write(unit, table, rows);
    if (shape.answers === 'rows')
      return { kind: 'rows', value: await answer({ entity: entity.name, keys, many: isMany(shape) }) };
    const scalar = { boolean: true, count: rows.length, key: String(keys[0]) }[shape.answers];
    return { kind: 'scalar', value: scalar };
  };
}

/** A deleted row that the caller may see. */
async function findDeleted(unit: WriteUnit, table: EntityTable, key: SqlValue): Promise<StoredRow | undefined> {
  const row = await table.findDeleted(unit.session, key);
  return row !== undefined && (await unit.guard.canSeeDeleted(unit, table, row)) ? row : undefined;
}
