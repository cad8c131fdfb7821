// Pairs of objects: relations that are kept in a table of their own. Both objects of a pair have changed when it is made
// or parted, if they know of it.
import { quoteName } from '../migrate/table-shape.ts';
import type { RelationField, RelationStorage } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import type { EntityTable, StoredRow } from './entity-table.ts';
import { type ReadUnit, tableOf, type WriteUnit } from './write-unit.ts';

type JoinTable = Extract<RelationStorage, { kind: 'joinTable' }>;

/** Makes a pair; nothing happens when it exists. */
export async function addPair(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
  other: StoredRow,
): Promise<void> {
  const storage = field.storage as JoinTable;
  const into = `${quoteName(storage.table)} (${quoteName(storage.from)}, ${quoteName(storage.to)})`;
  const places = unit.dialect === 'sqlite' ? '?, ?' : '$1, $2';
  const otherKey = tableOf(unit, field.target).keyOf(other);
  const made = await unit.session
    .prepare(`INSERT INTO ${into} VALUES (${places}) ON CONFLICT DO NOTHING`)
    .run([table.keyOf(row), otherKey]);
  if (made > 0) noteBoth(unit, table, row, field, other, 'added');
}

/** An object in a list of an interface or union. */
interface Member {
  readonly field: RelationField;
  readonly type: string;
  readonly key: SqlValue;
}

/** Puts an object into such a list; nothing happens when it is there. */
export function addMember(unit: WriteUnit, table: EntityTable, row: StoredRow, member: Member): Promise<void> {
  const insert = (into: string, columns: readonly string[], places: readonly string[]): string =>
    `INSERT INTO ${into} (${columns.join(', ')}) VALUES (${places.join(', ')}) ON CONFLICT DO NOTHING`;
  return changeMember(unit, table, row, member, 'added', insert);
}

/** Takes an object out of such a list; nothing happens when it is not there. */
export function removeMember(unit: WriteUnit, table: EntityTable, row: StoredRow, member: Member): Promise<void> {
  const remove = (from: string, columns: readonly string[], places: readonly string[]): string =>
    `DELETE FROM ${from} WHERE ${columns.map((name, index) => `${name} = ${places[index]}`).join(' AND ')}`;
  return changeMember(unit, table, row, member, 'removed', remove);
}

async function changeMember(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  { field, type, key }: Member,
  how: 'added' | 'removed',
  print: (table: string, columns: readonly string[], places: readonly string[]) => string,
): Promise<void> {
  const storage = field.storage as Extract<RelationStorage, { kind: 'polymorphicJoinTable' }>;
  const columns = [storage.from, storage.typeColumn, storage.keyColumn].map(quoteName);
  const places = columns.map((_, index) => (unit.dialect === 'sqlite' ? '?' : `$${index + 1}`));
  const changed = await unit.session
    .prepare(print(quoteName(storage.table), columns, places))
    .run([table.keyOf(row), type, String(key)]);
  if (changed > 0) unit.changes.linked(table, row, field.name, `${type}:${String(key)}`, how);
}

/** The objects of such a list, by type and key as text. */
export async function memberKeys(
  unit: ReadUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
): Promise<readonly { readonly type: string; readonly key: string }[]> {
  const storage = field.storage as Extract<RelationStorage, { kind: 'polymorphicJoinTable' }>;
  const [type, key] = [quoteName(storage.typeColumn), quoteName(storage.keyColumn)];
  const place = unit.dialect === 'sqlite' ? '?' : '$1';
  const sql = `SELECT ${type}, ${key} FROM ${quoteName(storage.table)} WHERE ${quoteName(storage.from)} = ${place} ORDER BY 1, 2`;
  const rows = await unit.session.prepare(sql).rows([table.keyOf(row)]);
  return rows.map((each) => ({ type: String(each[0]), key: String(each[1]) }));
}

/** Parts a pair; nothing happens when there is none. */
export async function removePair(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
  other: StoredRow,
): Promise<void> {
  const storage = field.storage as JoinTable;
  const [first, second] = unit.dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2'];
  const sql = `DELETE FROM ${quoteName(storage.table)} WHERE ${quoteName(storage.from)} = ${first} AND ${quoteName(storage.to)} = ${second}`;
  const gone = await unit.session.prepare(sql).run([table.keyOf(row), tableOf(unit, field.target).keyOf(other)]);
  if (gone > 0) noteBoth(unit, table, row, field, other, 'removed');
}

/** The keys an object is paired with. */
export async function pairKeys(
  unit: ReadUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
): Promise<readonly SqlValue[]> {
  const storage = field.storage as JoinTable;
  const place = unit.dialect === 'sqlite' ? '?' : '$1';
  const sql = `SELECT ${quoteName(storage.to)} FROM ${quoteName(storage.table)} WHERE ${quoteName(storage.from)} = ${place} ORDER BY 1`;
  return (await unit.session.prepare(sql).rows([table.keyOf(row)])).map((each) => each[0] as SqlValue);
}

function noteBoth(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
  other: StoredRow,
  how: 'added' | 'removed',
): void {
  const otherTable = tableOf(unit, field.target);
  unit.changes.linked(table, row, field.name, String(otherTable.keyOf(other)), how);
  if (field.inverse === undefined) return;
  unit.changes.linked(otherTable, other, field.inverse, String(table.keyOf(row)), how);
}
