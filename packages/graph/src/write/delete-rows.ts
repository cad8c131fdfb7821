// Deletes objects and applies the schema's onDelete: holders are deleted, set to null, or prevent the deletion, and
// join rows are deleted. The engine does this itself, because each deleted or changed object needs a feed entry. An
// object with soft deletion keeps its row, references to it and its join rows, which all return when it is restored;
// if what it refers to is removed, its row is removed too.
import { graphErrors } from '../errors.ts';
import { quoteName, quoteTable } from '../schema/table-name.ts';
import { deletedWith, type Holder as SchemaHolder, holdersOf, isKept, isSoftlyDeleted } from '../schema/holders.ts';
import type { Entity, RelationField } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import type { EntityTable, StoredRow } from './entity-table.ts';
import { joinEnd, whereEnds } from './join-ends.ts';
import { placeIn } from './join-rows.ts';
import { removeRows } from './remove-rows.ts';
import { isQuietTo, markDeleted, tableOf, updateRow, type WriteUnit } from './write-unit.ts';

/** A relation to the objects being deleted. */
type Holder = SchemaHolder & { readonly table: EntityTable };

type Deleting = ReadonlyMap<EntityTable, ReadonlyMap<string, StoredRow>>;

/** All objects that a deletion reaches, and those of them whose rows are removed. */
interface Reached {
  readonly deleting: Deleting;
  readonly removing: Deleting;
}

/** Objects that are deleted together. */
interface Deleted {
  readonly table: EntityTable;
  readonly rows: readonly StoredRow[];
  /** Their rows are removed, not marked. */
  readonly removes: boolean;
}

/** Rows whose holders one statement finds. */
const BATCH = 500;

/**
 * Deletes rows that have been read.
 *
 * @param purges removes rows of types with soft deletion too
 * @throws GRAPH_RESTRICTED if a remaining object must keep its reference
 * @throws GRAPH_HOLDERS_FORBIDDEN, GRAPH_FORBIDDEN by the holders' `onDeleteRules`
 */
export async function deleteRows(
  unit: WriteUnit,
  table: EntityTable,
  rows: readonly StoredRow[],
  purges = false,
): Promise<void> {
  if (rows.length === 0) return;
  checkCaller(unit, table.entity, purges);
  const deleting = new Map<EntityTable, Map<string, StoredRow>>();
  /** Of these, those whose rows are removed. */
  const removing = new Map<EntityTable, Map<string, StoredRow>>();
  const queue: Deleted[] = [{ table, rows, removes: purges || table.entity.softDelete === undefined }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { table: own, removes } = next;
    const known = mapOf(deleting, own);
    const removed = mapOf(removing, own);
    const fresh: StoredRow[] = [];
    for (const row of next.rows) {
      const key = String(own.keyOf(row));
      if ((removes ? removed : known).has(key)) continue;
      known.set(key, row);
      if (removes) removed.set(key, row);
      fresh.push(row);
    }
    for (const holder of holdersIn(unit, own)) {
      if (holder.effect !== 'delete') continue;
      const held = await rowsHolding(unit, holder, own, fresh, removes);
      for (const row of held) await checkHolder(unit, holder, row);
      if (held.length > 0)
        queue.push({
          table: holder.table,
          rows: held,
          removes: removes || holder.entity.softDelete === undefined,
        });
    }
  }
  await checkRestricted(unit, deleting, removing);
  for (const [each, those] of removing) await clearReferences(unit, each, [...those.values()], { deleting, removing });
  await removeRows(unit, removing);
  for (const [each, those] of [...deleting].toReversed()) {
    const last = [...those.values()].toReversed();
    await markDeleted(
      unit,
      each,
      last.filter((row) => !isAmong(removing, each, row)),
    );
    // A row that was deleted before exists for nobody.
    for (const row of last) if (!each.isDeleted(row)) unit.changes.deleted(each, row);
  }
}

function mapOf<T>(maps: Map<EntityTable, Map<string, T>>, table: EntityTable): Map<string, T> {
  let map = maps.get(table);
  if (map === undefined) maps.set(table, (map = new Map()));
  return map;
}

function holdersIn(unit: WriteUnit, table: EntityTable): readonly Holder[] {
  return holdersOf(unit.model, table.entity.name).map((holder) => ({
    ...holder,
    table: tableOf(unit, holder.entity.name),
  }));
}

const CHANGED = { delete: 'deleted', empty: 'changed', part: 'changed', refuse: 'asked for' } as const;

/**
 * Checks what depends on the schema and caller only, for all types the deletion may reach, so that the result does not
 * reveal whether a holder exists.
 */
function checkCaller(unit: WriteUnit, deleted: Entity, purges: boolean): void {
  const isSoft = !purges && isSoftlyDeleted(unit.model, deleted.name);
  for (const type of deletedWith(unit.model, [deleted.name])) {
    for (const { entity, field, effect } of holdersOf(unit.model, type)) {
      if (field.onDeleteRules !== 'caller' || unit.seesAll(entity, field.name)) continue;
      if (isSoft && isKept(effect)) continue;
      throw graphErrors.create('GRAPH_HOLDERS_FORBIDDEN', {
        field: unit.field,
        type,
        holder: entity.name,
        relation: field.name,
        changed: CHANGED[effect],
      });
    }
  }
}

/** Evaluates the rules of one holder. */
async function checkHolder(unit: WriteUnit, { table, field, effect }: Holder, row: StoredRow): Promise<void> {
  // Nobody has a right to what is deleted.
  if (table.isDeleted(row)) return;
  if (field.onDeleteRules === undefined || field.onDeleteRules === 'override') return;
  const { guard } = unit;
  if (field.onDeleteRules === 'rows' && !(await guard.canSee(unit, table, row))) {
    const action = effect === 'delete' ? 'delete' : 'update';
    throw graphErrors.create('GRAPH_FORBIDDEN', { field: unit.field, action, what: table.entity.name });
  }
  if (effect === 'delete') await guard.check(unit, table, row, 'delete');
  else {
    await guard.check(unit, table, row, 'update', [field.name]);
    unit.toCheck.push({ entity: table.entity, key: table.keyOf(row), action: 'update', fields: [field.name] });
  }
}

/** The rows that refer to others. @param includeDeleted also rows that are deleted and stay in their table */
async function rowsHolding(
  unit: WriteUnit,
  { field: { storage }, table }: Holder,
  target: EntityTable,
  rows: readonly StoredRow[],
  includeDeleted: boolean,
): Promise<readonly StoredRow[]> {
  const found: StoredRow[] = [];
  const claim = async (column: string, keys: readonly SqlValue[]): Promise<readonly StoredRow[]> => {
    const living = await table.claimBy(unit.session, column, keys);
    return includeDeleted ? [...living, ...(await table.claimDeleted(unit.session, column, keys))] : living;
  };
  for (let start = 0; start < rows.length; start += BATCH) {
    const keys = rows.slice(start, start + BATCH).map((row) => target.keyOf(row));
    if (storage.kind === 'foreignKey') {
      found.push(...(await claim(storage.column, keys)));
    } else if (storage.kind === 'polymorphic') {
      const held = await claim(storage.keyColumn, keys.map(String));
      found.push(...held.filter((row) => row.get(storage.typeColumn) === target.entity.name));
    }
  }
  return found;
}

function isAmong(rows: Deleting, table: EntityTable, row: StoredRow): boolean {
  return rows.get(table)?.has(String(table.keyOf(row))) === true;
}

async function checkRestricted(unit: WriteUnit, deleting: Deleting, removing: Deleting): Promise<void> {
  for (const [table, rows] of deleting) {
    for (const holder of holdersIn(unit, table)) {
      if (holder.effect !== 'refuse') continue;
      const staying: StoredRow[] = [];
      // To an object whose row stays, a deleted holder may keep its reference.
      for (const removes of [true, false]) {
        const those = [...rows.values()].filter((row) => isAmong(removing, table, row) === removes);
        const held = await rowsHolding(unit, holder, table, those, removes);
        staying.push(...held.filter((row) => !isAmong(removes ? removing : deleting, holder.table, row)));
      }
      if (staying.length === 0) continue;
      const isDeleted = staying.every((row) => holder.table.isDeleted(row));
      throw graphErrors.create('GRAPH_RESTRICTED', {
        field: unit.field,
        what: await nameHeld(unit, holder, table, rows, staying),
        holder: `${isDeleted ? 'deleted ' : ''}${holder.table.entity.name}`,
        relation: holder.field.name,
      });
    }
  }
}

/** Names an object that is still referred to; hidden ones, which a cascade reached, only by their type. No count: some holders may be hidden. */
async function nameHeld(
  unit: WriteUnit,
  { field: { storage } }: Holder,
  table: EntityTable,
  rows: ReadonlyMap<string, StoredRow>,
  holders: readonly StoredRow[],
): Promise<string> {
  const { name } = table.entity;
  const column =
    storage.kind === 'foreignKey' ? storage.column : storage.kind === 'polymorphic' ? storage.keyColumn : '';
  for (const holder of holders) {
    const key = String(holder.get(column));
    const row = rows.get(key);
    if (row !== undefined && (await unit.guard.canFind(unit, table, row))) return `${name} "${key}"`;
  }
  return `a ${name} that would be deleted too`;
}

/** Clears references of remaining objects to the rows, and deletes their join rows. */
async function clearReferences(
  unit: WriteUnit,
  table: EntityTable,
  rows: readonly StoredRow[],
  { deleting, removing }: Reached,
): Promise<void> {
  for (const holder of holdersIn(unit, table)) {
    const { storage } = holder.field;
    if (storage.kind === 'joinTable') await deleteJoinRows(unit, holder, table, rows, deleting);
    else if (storage.kind === 'polymorphicJoinTable') await deleteMemberRows(unit, holder, table, rows, deleting);
    else if (holder.effect === 'empty')
      for (const isKnown of [true, false])
        await emptyHolders(
          unit,
          holder,
          table,
          rows.filter((row) => table.isDeleted(row) !== isKnown),
          isKnown,
          { deleting, removing },
        );
  }
  for (const field of table.entity.fields.values()) {
    // A relation without an inverse: only this end knows its join rows.
    if (field.kind === 'relation' && field.storage.kind === 'joinTable' && field.inverse === undefined)
      await deleteOwnJoinRows(unit, field, table, rows);
  }
}

/** Sets the reference of remaining holders to null. @param isKnown readers knew of the objects until now */
async function emptyHolders(
  unit: WriteUnit,
  holder: Holder,
  table: EntityTable,
  rows: readonly StoredRow[],
  isKnown: boolean,
  { deleting, removing }: Reached,
): Promise<void> {
  const { storage } = holder.field;
  const empty = new Map<string, SqlValue>();
  if (storage.kind === 'foreignKey') empty.set(storage.column, null);
  if (storage.kind === 'polymorphic') empty.set(storage.typeColumn, null).set(storage.keyColumn, null);
  for (const row of await rowsHolding(unit, holder, table, rows, true)) {
    if (isAmong(removing, holder.table, row)) continue;
    if (!isKnown || holder.table.isDeleted(row) || isAmong(deleting, holder.table, row)) {
      // For readers, nothing changes.
      await holder.table.update(unit.session, holder.table.keyOf(row), empty);
      continue;
    }
    await checkHolder(unit, holder, row);
    await updateRow(unit, holder.table, row, empty, { quiet: isQuietTo(holder.field, table.entity) });
  }
}

async function deleteJoinRows(
  unit: WriteUnit,
  holder: Holder,
  table: EntityTable,
  rows: readonly StoredRow[],
  deleting: Deleting,
): Promise<void> {
  const { storage } = holder.field;
  if (storage.kind !== 'joinTable') return;
  const name = quoteTable(storage.table);
  for (const row of rows) {
    const key = table.keyOf(row);
    const where = whereEnds(joinEnd(storage, 'to').valuesOf(key), placeIn(unit));
    const select = `SELECT ${joinEnd(storage, 'from').key} FROM ${name} WHERE ${where.sql} ORDER BY 1`;
    const others = (await unit.session.prepare(select).rows(where.values)).map((each) => each[0] ?? null);
    if (others.length === 0) continue;
    if (!table.isDeleted(row)) await recordDisconnected(unit, holder, others, { table, name: String(key) }, deleting);
    await unit.session.prepare(`DELETE FROM ${name} WHERE ${where.sql}`).run(where.values);
  }
}

async function deleteMemberRows(
  unit: WriteUnit,
  holder: Holder,
  table: EntityTable,
  rows: readonly StoredRow[],
  deleting: Deleting,
): Promise<void> {
  const { storage } = holder.field;
  if (storage.kind !== 'polymorphicJoinTable') return;
  const [first, second] = unit.dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2'];
  const name = quoteTable(storage.table);
  const where = `WHERE ${quoteName(storage.typeColumn)} = ${first} AND ${quoteName(storage.keyColumn)} = ${second}`;
  const select = unit.session.prepare(`SELECT ${quoteName(storage.from)} FROM ${name} ${where} ORDER BY 1`);
  const remove = unit.session.prepare(`DELETE FROM ${name} ${where}`);
  for (const row of rows) {
    const values = [table.entity.name, String(table.keyOf(row))];
    const others = (await select.rows(values)).map((each) => each[0] ?? null);
    if (others.length === 0) continue;
    if (!table.isDeleted(row))
      await recordDisconnected(unit, holder, others, { table, name: values.join(':') }, deleting);
    await remove.run(values);
  }
}

async function recordDisconnected(
  unit: WriteUnit,
  holder: Holder,
  keys: readonly SqlValue[],
  gone: { readonly table: EntityTable; readonly name: string },
  deleting: Deleting,
): Promise<void> {
  const quiet = isQuietTo(holder.field, gone.table.entity);
  for (const each of await holder.table.claimBy(unit.session, holder.table.entity.key.column, keys)) {
    if (isAmong(deleting, holder.table, each)) continue;
    await checkHolder(unit, holder, each);
    unit.changes.linked(holder.table, each, { field: holder.field.name, other: gone.name, how: 'removed', quiet });
    if (!quiet) await updateRow(unit, holder.table, each, new Map(), { beyondRow: true });
  }
}

async function deleteOwnJoinRows(
  unit: WriteUnit,
  field: RelationField,
  table: EntityTable,
  rows: readonly StoredRow[],
): Promise<void> {
  if (field.storage.kind !== 'joinTable') return;
  for (const row of rows) {
    const where = whereEnds(joinEnd(field.storage, 'from').valuesOf(table.keyOf(row)), placeIn(unit));
    const sql = `DELETE FROM ${quoteTable(field.storage.table)} WHERE ${where.sql}`;
    await unit.session.prepare(sql).run(where.values);
  }
}
