// Inserts and deletes join rows of many-to-many relations. A join row changes both objects, if both have the relation
// as a field.
import { quoteName, quoteTable } from '../schema/table-name.ts';
import type { RelationField, RelationStorage } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import type { EntityTable, StoredRow } from './entity-table.ts';
import { graphErrors } from '../errors.ts';
import { joinEnd, whereEnds } from './join-ends.ts';
import { isQuietTo, isSame, type ReadUnit, tableOf, updateRow, type WriteUnit } from './write-unit.ts';

/** Prints the n-th placeholder, from 1. */
export function placeIn({ dialect }: Pick<ReadUnit, 'dialect'>): (index: number) => string {
  return (index) => (dialect === 'sqlite' ? '?' : `$${index}`);
}

function storageOf<Kind extends RelationStorage['kind']>(field: RelationField, kind: Kind) {
  const isOf = (storage: RelationStorage): storage is Extract<RelationStorage, { kind: Kind }> => storage.kind === kind;
  if (!isOf(field.storage)) throw new Error(`${field.name} is stored as ${field.storage.kind}.`);
  return field.storage;
}

/** Inserts a join row; returns false if it exists. */
export async function insertJoinRow(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
  other: StoredRow,
): Promise<boolean> {
  const storage = storageOf(field, 'joinTable');
  const values = new Map(joinEnd(storage, 'from').valuesOf(table.keyOf(row)));
  for (const [column, value] of joinEnd(storage, 'to').valuesOf(tableOf(unit, field.target).keyOf(other))) {
    // A column of both ends: objects of two tenants have no link.
    if (values.has(column) && !isSame(values.get(column) ?? null, value)) {
      const reason = `${table.entity.name} and ${field.target} would need two values in column "${column}" of the join table`;
      throw graphErrors.create('GRAPH_CONSTRAINT', { field: unit.field, reason });
    }
    values.set(column, value);
  }
  const into = `${quoteTable(storage.table)} (${[...values.keys()].map(quoteName).join(', ')})`;
  const places = [...values].map((_, index) => placeIn(unit)(index + 1)).join(', ');
  const made = await unit.session
    .prepare(`INSERT INTO ${into} VALUES (${places}) ON CONFLICT DO NOTHING`)
    .run([...values.values()]);
  if (made > 0) noteBoth(unit, table, row, field, other, 'added');
  return made > 0;
}

/** An object in a list of an interface or union. */
interface Member {
  readonly field: RelationField;
  readonly type: string;
  readonly key: SqlValue;
}

/** Inserts the join row of such an object, unless it exists. */
export function insertMemberRow(unit: WriteUnit, table: EntityTable, row: StoredRow, member: Member): Promise<void> {
  const insert = (into: string, columns: readonly string[], places: readonly string[]): string =>
    `INSERT INTO ${into} (${columns.join(', ')}) VALUES (${places.join(', ')}) ON CONFLICT DO NOTHING`;
  return changeMember(unit, table, row, member, 'added', insert);
}

/** Deletes the join row of such an object, if it exists. */
export function deleteMemberRow(unit: WriteUnit, table: EntityTable, row: StoredRow, member: Member): Promise<void> {
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
  const storage = storageOf(field, 'polymorphicJoinTable');
  const columns = [storage.from, storage.typeColumn, storage.keyColumn].map(quoteName);
  const places = columns.map((_, index) => (unit.dialect === 'sqlite' ? '?' : `$${index + 1}`));
  const changed = await unit.session
    .prepare(print(quoteTable(storage.table), columns, places))
    .run([table.keyOf(row), type, String(key)]);
  if (changed > 0 && !table.isDeleted(row))
    unit.changes.linked(table, row, { field: field.name, other: `${type}:${String(key)}`, how, quiet: false });
}

/** The objects of such a list, by type and key as text. */
export async function memberKeys(
  unit: ReadUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
): Promise<readonly { readonly type: string; readonly key: string }[]> {
  const storage = storageOf(field, 'polymorphicJoinTable');
  const [type, key] = [quoteName(storage.typeColumn), quoteName(storage.keyColumn)];
  const place = unit.dialect === 'sqlite' ? '?' : '$1';
  const sql = `SELECT ${type}, ${key} FROM ${quoteTable(storage.table)} WHERE ${quoteName(storage.from)} = ${place} ORDER BY 1, 2`;
  const rows = await unit.session.prepare(sql).rows([table.keyOf(row)]);
  return rows.map((each) => ({ type: String(each[0]), key: String(each[1]) }));
}

/** Deletes a join row; returns whether it existed. */
export async function deleteJoinRow(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
  other: StoredRow,
): Promise<boolean> {
  const storage = storageOf(field, 'joinTable');
  const both = [
    ...joinEnd(storage, 'from').valuesOf(table.keyOf(row)),
    ...joinEnd(storage, 'to').valuesOf(tableOf(unit, field.target).keyOf(other)),
  ];
  const where = whereEnds(both, placeIn(unit));
  const sql = `DELETE FROM ${quoteTable(storage.table)} WHERE ${where.sql}`;
  const gone = await unit.session.prepare(sql).run(where.values);
  if (gone > 0) noteBoth(unit, table, row, field, other, 'removed');
  return gone > 0;
}

/** The keys of the joined objects. */
export async function joinedKeys(
  unit: ReadUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
): Promise<readonly SqlValue[]> {
  const storage = storageOf(field, 'joinTable');
  const where = whereEnds(joinEnd(storage, 'from').valuesOf(table.keyOf(row)), placeIn(unit));
  const sql = `SELECT ${joinEnd(storage, 'to').key} FROM ${quoteTable(storage.table)} WHERE ${where.sql} ORDER BY 1`;
  return (await unit.session.prepare(sql).rows(where.values)).map((each) => each[0] ?? null);
}

/** The inverse field on the other object. */
function inverseField(unit: Pick<WriteUnit, 'tables'>, field: RelationField): RelationField | undefined {
  const back = tableOf(unit, field.target).entity.fields.get(field.inverse ?? '');
  return back?.kind === 'relation' ? back : undefined;
}

/** Sets the automatic fields of the object at the other end of a link. @returns the object as it is then */
export async function raiseOtherEnd(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
  other: StoredRow,
): Promise<StoredRow> {
  const otherTable = tableOf(unit, field.target);
  // An import links deleted objects too; no reader sees the link.
  if (table.isDeleted(row) || otherTable.isDeleted(other)) return other;
  const back = inverseField(unit, field);
  if (back === undefined || isQuietTo(back, table.entity)) return other;
  return updateRow(unit, otherTable, other, new Map(), { beyondRow: true });
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
  // An import links deleted objects too; no reader sees the link.
  if (table.isDeleted(row) || otherTable.isDeleted(other)) return;
  unit.changes.linked(table, row, { field: field.name, other: String(otherTable.keyOf(other)), how, quiet: false });
  const back = inverseField(unit, field);
  if (back === undefined) return;
  const quiet = isQuietTo(back, table.entity);
  unit.changes.linked(otherTable, other, { field: back.name, other: String(table.keyOf(row)), how, quiet });
}
