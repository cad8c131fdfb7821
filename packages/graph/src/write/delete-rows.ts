// Deletes objects and applies the schema's onDelete: holders are deleted, set to null, or prevent the deletion, and
// join rows are deleted. The engine does this itself, because each deleted or changed object needs a feed entry.
import { graphErrors } from '../errors.ts';
import { quoteName, quoteTable } from '../schema/table-name.ts';
import { deletedWith, type Holder as SchemaHolder, holdersOf } from '../schema/holders.ts';
import type { RelationField } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import type { EntityTable, StoredRow } from './entity-table.ts';
import { joinEnd, whereEnds } from './join-ends.ts';
import { placeIn } from './join-rows.ts';
import { isQuietTo, tableOf, updateRow, type WriteUnit } from './write-unit.ts';

/** A relation to the objects being deleted. */
type Holder = SchemaHolder & { readonly table: EntityTable };

type Deleting = ReadonlyMap<EntityTable, ReadonlyMap<string, StoredRow>>;

/** Rows whose holders one statement finds. */
const BATCH = 500;

/**
 * Deletes rows that have been read.
 *
 * @throws GRAPH_RESTRICTED if a remaining object must keep its reference
 * @throws GRAPH_HOLDERS_FORBIDDEN, GRAPH_FORBIDDEN by the holders' `onDeleteRules`
 */
export async function deleteRows(unit: WriteUnit, table: EntityTable, rows: readonly StoredRow[]): Promise<void> {
  if (rows.length === 0) return;
  checkCaller(unit, table.entity.name);
  const deleting = new Map<EntityTable, Map<string, StoredRow>>();
  const order: { readonly table: EntityTable; readonly rows: readonly StoredRow[] }[] = [];
  const queue: { readonly table: EntityTable; readonly rows: readonly StoredRow[] }[] = [{ table, rows }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const known = deleting.get(next.table) ?? new Map<string, StoredRow>();
    deleting.set(next.table, known);
    const fresh: StoredRow[] = [];
    for (const row of next.rows) {
      const key = String(next.table.keyOf(row));
      if (known.has(key)) continue;
      known.set(key, row);
      fresh.push(row);
    }
    order.push({ table: next.table, rows: fresh });
    for (const holder of holdersIn(unit, next.table)) {
      if (holder.effect !== 'delete') continue;
      const held = await rowsHolding(unit, holder, next.table, fresh);
      for (const row of held) await checkHolder(unit, holder, row);
      if (held.length > 0) queue.push({ table: holder.table, rows: held });
    }
  }
  await checkRestricted(unit, deleting);
  for (const [each, those] of deleting) await clearReferences(unit, each, [...those.values()], deleting);
  // Holders are found after what they refer to, so the last found is deleted first.
  for (const { table: each, rows: found } of order.toReversed()) {
    const last = found.toReversed();
    await each.removeAll(
      unit.session,
      last.map((row) => each.keyOf(row)),
    );
    for (const row of last) unit.changes.deleted(each, row);
  }
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
function checkCaller(unit: WriteUnit, deleted: string): void {
  for (const type of deletedWith(unit.model, [deleted])) {
    for (const { entity, field, effect } of holdersOf(unit.model, type)) {
      if (field.onDeleteRules !== 'caller' || unit.seesAll(entity, field.name)) continue;
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

async function rowsHolding(
  unit: WriteUnit,
  holder: Holder,
  target: EntityTable,
  rows: readonly StoredRow[],
): Promise<readonly StoredRow[]> {
  const { storage } = holder.field;
  const found: StoredRow[] = [];
  for (let start = 0; start < rows.length; start += BATCH) {
    const keys = rows.slice(start, start + BATCH).map((row) => target.keyOf(row));
    if (storage.kind === 'foreignKey') {
      found.push(...(await holder.table.claimBy(unit.session, storage.column, keys)));
    } else if (storage.kind === 'polymorphic') {
      const held = await holder.table.claimBy(unit.session, storage.keyColumn, keys.map(String));
      found.push(...held.filter((row) => row.get(storage.typeColumn) === target.entity.name));
    }
  }
  return found;
}

function isBeingDeleted(deleting: Deleting, table: EntityTable, row: StoredRow): boolean {
  return deleting.get(table)?.has(String(table.keyOf(row))) === true;
}

async function checkRestricted(unit: WriteUnit, deleting: Deleting): Promise<void> {
  for (const [table, rows] of deleting) {
    for (const holder of holdersIn(unit, table)) {
      if (holder.effect !== 'refuse') continue;
      const held = await rowsHolding(unit, holder, table, [...rows.values()]);
      const staying = held.filter((row) => !isBeingDeleted(deleting, holder.table, row));
      if (staying.length === 0) continue;
      throw graphErrors.create('GRAPH_RESTRICTED', {
        field: unit.field,
        what: await nameHeld(unit, holder, table, rows, staying),
        holder: holder.table.entity.name,
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
  deleting: Deleting,
): Promise<void> {
  for (const holder of holdersIn(unit, table)) {
    const { storage } = holder.field;
    if (storage.kind === 'joinTable') await deleteJoinRows(unit, holder, table, rows, deleting);
    else if (storage.kind === 'polymorphicJoinTable') await deleteMemberRows(unit, holder, table, rows, deleting);
    else if (holder.effect === 'empty') {
      for (const row of await rowsHolding(unit, holder, table, rows)) {
        if (isBeingDeleted(deleting, holder.table, row)) continue;
        await checkHolder(unit, holder, row);
        const empty = new Map<string, SqlValue>();
        if (storage.kind === 'foreignKey') empty.set(storage.column, null);
        if (storage.kind === 'polymorphic') empty.set(storage.typeColumn, null).set(storage.keyColumn, null);
        await updateRow(unit, holder.table, row, empty, { quiet: isQuietTo(holder.field, table.entity) });
      }
    }
  }
  for (const field of table.entity.fields.values()) {
    // A relation without an inverse: only this end knows its join rows.
    if (field.kind === 'relation' && field.storage.kind === 'joinTable' && field.inverse === undefined)
      await deleteOwnJoinRows(unit, field, table, rows);
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
    await recordDisconnected(unit, holder, others, { table, name: String(key) }, deleting);
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
    if (isBeingDeleted(deleting, holder.table, each)) continue;
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
