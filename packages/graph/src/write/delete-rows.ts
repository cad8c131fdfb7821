// Deletes objects with all that hangs on them, as the schema's onDelete says: holders are deleted too, emptied, or forbid
// it; pairs are parted. The engine does this itself rather than leave it to the database, because each object that goes
// or changes needs its entry in the feed.
import { graphErrors } from '../errors.ts';
import { quoteName } from '../migrate/table-shape.ts';
import type { RelationField } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import type { EntityTable, StoredRow } from './entity-table.ts';
import { updateRow, type WriteUnit } from './write-unit.ts';

/** A relation that holds the key of objects being deleted. */
interface Holder {
  readonly table: EntityTable;
  readonly field: RelationField;
}

type Doomed = ReadonlyMap<EntityTable, ReadonlyMap<string, StoredRow>>;

/** Rows whose holders are looked for with one statement. */
const BATCH = 500;

/**
 * Deletes rows that have been read.
 *
 * @throws GRAPH_RESTRICTED when an object that stays must not lose what it refers to
 */
export async function deleteRows(unit: WriteUnit, table: EntityTable, rows: readonly StoredRow[]): Promise<void> {
  const doomed = new Map<EntityTable, Map<string, StoredRow>>();
  const order: { readonly table: EntityTable; readonly row: StoredRow }[] = [];
  const queue: { readonly table: EntityTable; readonly rows: readonly StoredRow[] }[] = [{ table, rows }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const known = doomed.get(next.table) ?? new Map<string, StoredRow>();
    doomed.set(next.table, known);
    const fresh: StoredRow[] = [];
    for (const row of next.rows) {
      const key = String(next.table.keyOf(row));
      if (known.has(key)) continue;
      known.set(key, row);
      fresh.push(row);
      order.push({ table: next.table, row });
    }
    for (const holder of holdersOf(unit, next.table)) {
      if (holder.field.onDelete !== 'cascade') continue;
      const held = await rowsHolding(unit, holder, next.table, fresh);
      if (held.length > 0) queue.push({ table: holder.table, rows: held });
    }
  }
  await checkRestricted(unit, doomed);
  for (const [each, those] of doomed) await letGo(unit, each, [...those.values()], doomed);
  // Holders were found after what they hold, so the last found goes first.
  for (const { table: each, row } of order.toReversed()) {
    await each.remove(unit.session, each.keyOf(row));
    unit.changes.deleted(each, row);
  }
}

function holdersOf(unit: WriteUnit, table: EntityTable): readonly Holder[] {
  const holders: Holder[] = [];
  for (const other of unit.tables.values()) {
    for (const field of other.entity.fields.values()) {
      if (field.kind !== 'relation') continue;
      const { kind } = field.storage;
      const leadsHere =
        (kind === 'foreignKey' && field.target === table.entity.name) ||
        (kind === 'polymorphic' && unit.model.abstractTypes.get(field.target)?.includes(table.entity.name) === true);
      if (leadsHere) holders.push({ table: other, field });
    }
  }
  return holders;
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

function isDoomed(doomed: Doomed, table: EntityTable, row: StoredRow): boolean {
  return doomed.get(table)?.has(String(table.keyOf(row))) === true;
}

async function checkRestricted(unit: WriteUnit, doomed: Doomed): Promise<void> {
  for (const [table, rows] of doomed) {
    for (const holder of holdersOf(unit, table)) {
      if (holder.field.onDelete !== 'restrict') continue;
      const held = await rowsHolding(unit, holder, table, [...rows.values()]);
      const staying = held.filter((row) => !isDoomed(doomed, holder.table, row));
      if (staying.length === 0) continue;
      const { storage } = holder.field;
      const column =
        storage.kind === 'foreignKey' ? storage.column : storage.kind === 'polymorphic' ? storage.keyColumn : '';
      // Not how many: some of them may be hidden from the caller.
      const key = String(staying[0]!.get(column));
      throw graphErrors.create('GRAPH_RESTRICTED', {
        field: unit.field,
        type: table.entity.name,
        key,
        holder: holder.table.entity.name,
        relation: holder.field.name,
      });
    }
  }
}

/** Empties what refers to the rows and stays, and parts their pairs. */
async function letGo(unit: WriteUnit, table: EntityTable, rows: readonly StoredRow[], doomed: Doomed): Promise<void> {
  for (const holder of holdersOf(unit, table)) {
    if (holder.field.onDelete !== 'setNull') continue;
    const { storage } = holder.field;
    for (const row of await rowsHolding(unit, holder, table, rows)) {
      if (isDoomed(doomed, holder.table, row)) continue;
      const empty = new Map<string, SqlValue>();
      if (storage.kind === 'foreignKey') empty.set(storage.column, null);
      if (storage.kind === 'polymorphic') empty.set(storage.typeColumn, null).set(storage.keyColumn, null);
      await updateRow(unit, holder.table, row, empty);
    }
  }
  for (const other of unit.tables.values()) {
    for (const field of other.entity.fields.values()) {
      if (field.kind !== 'relation') continue;
      if (field.storage.kind === 'joinTable') {
        if (field.target === table.entity.name) await partPairs(unit, { table: other, field }, table, rows, doomed);
        // A relation that only this end knows of: nobody else looks after its pairs.
        if (other === table && field.inverse === undefined) await dropPairs(unit, field, table, rows);
      } else if (field.storage.kind === 'polymorphicJoinTable') {
        const leadsHere = unit.model.abstractTypes.get(field.target)?.includes(table.entity.name) === true;
        if (leadsHere) await partTypedPairs(unit, { table: other, field }, table, rows, doomed);
      }
    }
  }
}

async function partPairs(
  unit: WriteUnit,
  holder: Holder,
  table: EntityTable,
  rows: readonly StoredRow[],
  doomed: Doomed,
): Promise<void> {
  const { storage } = holder.field;
  if (storage.kind !== 'joinTable') return;
  const place = unit.dialect === 'sqlite' ? '?' : '$1';
  const name = quoteName(storage.table);
  const select = unit.session.prepare(
    `SELECT ${quoteName(storage.from)} FROM ${name} WHERE ${quoteName(storage.to)} = ${place} ORDER BY 1`,
  );
  const remove = unit.session.prepare(`DELETE FROM ${name} WHERE ${quoteName(storage.to)} = ${place}`);
  for (const row of rows) {
    const key = table.keyOf(row);
    const others = (await select.rows([key])).map((each) => each[0] as SqlValue);
    if (others.length === 0) continue;
    await remove.run([key]);
    await noteParted(unit, holder, others, String(key), doomed);
  }
}

async function partTypedPairs(
  unit: WriteUnit,
  holder: Holder,
  table: EntityTable,
  rows: readonly StoredRow[],
  doomed: Doomed,
): Promise<void> {
  const { storage } = holder.field;
  if (storage.kind !== 'polymorphicJoinTable') return;
  const [first, second] = unit.dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2'];
  const name = quoteName(storage.table);
  const where = `WHERE ${quoteName(storage.typeColumn)} = ${first} AND ${quoteName(storage.keyColumn)} = ${second}`;
  const select = unit.session.prepare(`SELECT ${quoteName(storage.from)} FROM ${name} ${where} ORDER BY 1`);
  const remove = unit.session.prepare(`DELETE FROM ${name} ${where}`);
  for (const row of rows) {
    const values = [table.entity.name, String(table.keyOf(row))];
    const others = (await select.rows(values)).map((each) => each[0] as SqlValue);
    if (others.length === 0) continue;
    await remove.run(values);
    await noteParted(unit, holder, others, values.join(':'), doomed);
  }
}

async function noteParted(
  unit: WriteUnit,
  holder: Holder,
  keys: readonly SqlValue[],
  other: string,
  doomed: Doomed,
): Promise<void> {
  for (const each of await holder.table.claimBy(unit.session, holder.table.entity.key.column, keys)) {
    if (!isDoomed(doomed, holder.table, each))
      unit.changes.linked(holder.table, each, holder.field.name, other, 'removed');
  }
}

async function dropPairs(
  unit: WriteUnit,
  field: RelationField,
  table: EntityTable,
  rows: readonly StoredRow[],
): Promise<void> {
  if (field.storage.kind !== 'joinTable') return;
  const { table: pairs, from } = field.storage;
  const place = unit.dialect === 'sqlite' ? '?' : '$1';
  const remove = unit.session.prepare(`DELETE FROM ${quoteName(pairs)} WHERE ${quoteName(from)} = ${place}`);
  for (const row of rows) await remove.run([table.keyOf(row)]);
}
