// Restores deleted objects, with the holders that were deleted with them: those that cascade and have the same time of
// deletion.
import { graphErrors } from '../errors.ts';
import { holdersOf } from '../schema/holders.ts';
import type { Entity, RelationStorage } from '../schema/model.ts';
import type { EntityTable, StoredRow } from './entity-table.ts';
import { isSame, tableOf, unmarkDeleted, type WriteUnit } from './write-unit.ts';

/**
 * Restores deleted rows that have been read.
 *
 * @throws GRAPH_RESTORE_ORPHAN if one of them needs an object that is deleted
 * @throws GRAPH_HOLDERS_FORBIDDEN, GRAPH_FORBIDDEN by the holders' `onDeleteRules`
 */
export async function restoreRows(unit: WriteUnit, table: EntityTable, rows: readonly StoredRow[]): Promise<void> {
  if (rows.length === 0) return;
  checkCaller(unit, table.entity);
  const queue = [{ table, rows }];
  const restored: { readonly table: EntityTable; readonly row: StoredRow }[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { table: own, rows: deleted } = next;
    for (const row of deleted) restored.push({ table: own, row: await unmarkDeleted(unit, own, row) });
    for (const { entity, field, effect } of holdersOf(unit.model, own.entity.name)) {
      if (effect !== 'delete') continue;
      const holder = tableOf(unit, entity.name);
      const held: StoredRow[] = [];
      for (const row of deleted) {
        for (const each of await rowsDeletedWith(unit, holder, field.storage, own, row)) {
          if (field.onDeleteRules !== undefined && field.onDeleteRules !== 'override')
            await unit.guard.check(unit, holder, each, 'delete');
          held.push(each);
        }
      }
      if (held.length > 0) queue.push({ table: holder, rows: held });
    }
  }
  for (const { table: own, row } of restored) await checkReferences(unit, own, row);
}

/**
 * Checks what depends on the schema and caller only, as deletions do, so that the result does not reveal whether there
 * are holders to restore.
 */
function checkCaller(unit: WriteUnit, restored: Entity): void {
  const types = new Set([restored]);
  for (const type of types) {
    for (const { entity, field, effect } of holdersOf(unit.model, type.name)) {
      if (effect !== 'delete' || !returnsWith(type, entity)) continue;
      types.add(entity);
      if (field.onDeleteRules !== 'caller') continue;
      if (!unit.seesAll(entity, field.name))
        throw graphErrors.create('GRAPH_HOLDERS_FORBIDDEN', {
          field: unit.field,
          type: type.name,
          holder: entity.name,
          relation: field.name,
          changed: 'restored',
        });
      const refused = unit.guard.refuses(unit.principal, entity, 'delete', []);
      if (refused !== undefined)
        throw graphErrors.create('GRAPH_FORBIDDEN', { field: unit.field, action: 'delete', what: refused.what });
    }
  }
}

/** Whether the holders of a type return with it: their times of deletion can be compared. A flag does not tell one deletion from another. */
function returnsWith({ softDelete: mine }: Entity, { softDelete: theirs }: Entity): boolean {
  if (mine === undefined || theirs === undefined || mine.isLocal !== theirs.isLocal) return false;
  return mine.storage !== 'boolean' && theirs.storage !== 'boolean';
}

/** The deleted rows that refer to a row and were deleted when it was. */
async function rowsDeletedWith(
  unit: WriteUnit,
  holder: EntityTable,
  storage: RelationStorage,
  own: EntityTable,
  row: StoredRow,
): Promise<readonly StoredRow[]> {
  const columns = holderColumns(storage);
  const [mine, theirs] = [own.entity.softDelete, holder.entity.softDelete];
  if (columns === undefined || mine === undefined || theirs === undefined) return [];
  if (!returnsWith(own.entity, holder.entity)) return [];
  const key = own.keyOf(row);
  const named = columns.type === undefined ? key : String(key);
  const found = await holder.claimDeleted(unit.session, columns.key, [named]);
  return found.filter(
    (each) =>
      isSame(each.get(theirs.column) ?? null, row.get(mine.column) ?? null) &&
      (columns.type === undefined || each.get(columns.type) === own.entity.name),
  );
}

function holderColumns(storage: RelationStorage): { readonly key: string; readonly type?: string } | undefined {
  if (storage.kind === 'foreignKey') return { key: storage.column };
  return storage.kind === 'polymorphic' ? { key: storage.keyColumn, type: storage.typeColumn } : undefined;
}

/** An object whose required reference leads nowhere could not be read. */
async function checkReferences(unit: WriteUnit, { entity }: EntityTable, row: StoredRow): Promise<void> {
  for (const field of entity.fields.values()) {
    if (field.kind !== 'relation' || field.nullable || field.many) continue;
    const { storage } = field;
    const [type, key] =
      storage.kind === 'foreignKey'
        ? [field.target, row.get(storage.column)]
        : storage.kind === 'polymorphic'
          ? [String(row.get(storage.typeColumn)), row.get(storage.keyColumn)]
          : [];
    const target = unit.tables.get(type ?? '');
    if (target?.entity.softDelete === undefined || key === undefined || key === null) continue;
    const bound = target.toKey(key);
    if (bound === undefined || (await target.find(unit.session, bound)) !== undefined) continue;
    throw graphErrors.create('GRAPH_RESTORE_ORPHAN', { field: unit.field, type: entity.name, relation: field.name });
  }
}
