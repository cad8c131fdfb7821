// Finds the objects that rows of an import update, by their key or a unique value, and updates them. Only what a row
// names is written. Not here: reading rows (read-import-row.ts), and inserting those that find no object.
import { graphErrors } from '../errors.ts';
import { columnsOfField, type Entity } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import type { EntityTable, StoredRow, Values } from './entity-table.ts';
import { deleteJoinRow, deleteMemberRow, insertJoinRow, insertMemberRow, joinedKeys, memberKeys } from './join-rows.ts';
import type { ReadRow } from './read-import-row.ts';
import { isSame, tableOf, updateRow, type WriteUnit } from './write-unit.ts';
import { required } from '../present.ts';

/** Columns whose values name one object, and the fields they belong to. */
interface UniqueKey {
  readonly columns: readonly string[];
  readonly names: readonly string[];
}

/** The unique keys of a type, its own key first. */
function uniqueKeysOf({ key, fields, indexes }: Entity): readonly UniqueKey[] {
  const named = (columns: readonly string[]): UniqueKey => ({
    columns,
    names: columns.map(
      (column) => [...fields.values()].find((field) => columnsOfField(field).includes(column))?.name ?? column,
    ),
  });
  const single = [...fields.values()].flatMap((field) =>
    field.kind === 'column' && field.unique && !field.isKey ? [[field.column]] : [],
  );
  const several = indexes.flatMap(({ unique, columns }) => (unique ? [columns] : []));
  return [key.parts ?? [key.column], ...single, ...several].map(named);
}

/** The unique keys that may find an object: the one of these fields, or all. @throws GRAPH_UPSERT_KEY */
export function keysToMatch(entity: Entity, by: readonly string[] | undefined): readonly UniqueKey[] {
  const keys = uniqueKeysOf(entity);
  if (by === undefined) return keys;
  const chosen = keys.filter(({ names }) => names.length === by.length && by.every((name) => names.includes(name)));
  if (chosen.length > 0) return chosen;
  const known = [...new Set(keys.map(({ names }) => names.join(',')))].join(' or ');
  throw graphErrors.create('GRAPH_UPSERT_KEY', { type: entity.name, by: by.join(','), known });
}

/** What finds the object of a row: the values of the first unique key of which it has all. */
export interface Match {
  readonly key: UniqueKey;
  readonly values: readonly SqlValue[];
}

export function matchOf({ given }: ReadRow, keys: readonly UniqueKey[]): Match | undefined {
  for (const key of keys) {
    const values = key.columns.map((column) => given.get(column) ?? null);
    if (!values.includes(null)) return { key, values };
  }
  return undefined;
}

/** The name of a match: two rows with the same name are about the same object. */
export function nameOf({ key, values }: Match): string {
  return JSON.stringify([...key.columns, ...values.map(String)]);
}

/** Objects by the names of matches. */
export interface Present {
  /** The object of a match as it is now; its row, once taken, may be written. */
  take(name: string): Promise<StoredRow | undefined>;
}

/** Finds and locks the objects of matches; deleted ones by their key only. */
export async function findMatches(unit: WriteUnit, table: EntityTable, matches: readonly Match[]): Promise<Present> {
  const found = new Map<string, StoredRow>();
  for (const [key, own] of Map.groupBy(matches, (match) => match.key)) {
    const note = (row: StoredRow): void => {
      const values = key.columns.map((name) => row.get(name) ?? null);
      found.set(nameOf({ key, values }), row);
    };
    const [column] = key.columns;
    if (column === undefined || key.columns.length > 1) {
      for (const { values } of own) {
        const bound = new Map(key.columns.map((name, index) => [name, values[index] ?? null]));
        for (const row of await table.claimAll(unit.session, bound)) note(row);
      }
      continue;
    }
    const values = own.map((match) => match.values[0] ?? null);
    if (column === table.entity.key.column)
      for (const row of await table.claimDeleted(unit.session, column, values)) note(row);
    for (const row of await table.claimBy(unit.session, column, values)) note(row);
  }
  const taken = new Set<string>();
  return {
    async take(name) {
      const row = found.get(name);
      if (row === undefined) return undefined;
      const key = String(table.keyOf(row));
      // Another row of the file found it by other values.
      const isWritten = taken.has(key);
      taken.add(key);
      return isWritten ? table.find(unit.session, table.keyOf(row)) : row;
    },
  };
}

/** What became of an object: `taken` if another one has a unique value of the row. */
export type Updated = 'updated' | 'unchanged' | 'taken';

/** Writes what a row names to its object. `others`: the objects of its lists, by type and key. */
export async function updateFromRow(
  unit: WriteUnit,
  table: EntityTable,
  before: StoredRow,
  read: ReadRow,
  others: ReadonlyMap<string, StoredRow>,
): Promise<Updated> {
  const given: Values = new Map(read.given);
  given.delete(table.entity.key.column);
  for (const field of table.entity.fields.values())
    if (field.kind === 'column' && field.default?.kind === 'version') given.delete(field.column);
  if (await isTaken(unit, table, before, given)) return 'taken';
  const isDeleted = table.isDeleted(before) || table.isDeleted(new Map([...before, ...given]));
  const after = isDeleted
    ? await updateDeleted(unit, table, before, given)
    : await updateRow(unit, table, before, given);
  const isLinked = await replaceLinks(unit, table, after, read, others);
  if (isLinked && !isDeleted) await updateRow(unit, table, after, new Map(), { beyondRow: true });
  return isLinked || after !== before ? 'updated' : 'unchanged';
}

/** Asked beforehand: on PostgreSQL, a statement that fails ends the transaction of all rows. */
async function isTaken(unit: WriteUnit, table: EntityTable, before: StoredRow, given: Values): Promise<boolean> {
  for (const { columns } of uniqueKeysOf(table.entity)) {
    const changed = columns.some(
      (name) => given.has(name) && !isSame(before.get(name) ?? null, given.get(name) ?? null),
    );
    if (!changed) continue;
    const values = new Map(
      columns.map((name) => [name, (given.has(name) ? given.get(name) : before.get(name)) ?? null]),
    );
    if ([...values.values()].includes(null)) continue;
    const same = await table.claimAll(unit.session, values);
    if (same.some((row) => String(table.keyOf(row)) !== String(table.keyOf(before)))) return true;
  }
  return false;
}

/** A row that is deleted before or afterwards: readers see it come or go, or nothing. */
async function updateDeleted(
  unit: WriteUnit,
  table: EntityTable,
  before: StoredRow,
  given: Values,
): Promise<StoredRow> {
  const changed = new Map([...given].filter(([name, value]) => !isSame(before.get(name) ?? null, value)));
  if (changed.size === 0) return before;
  await table.update(unit.session, table.keyOf(before), changed);
  const after = new Map([...before, ...changed]);
  if (!table.isDeleted(before)) unit.changes.deleted(table, before);
  else if (!table.isDeleted(after)) unit.changes.created(table, after);
  return after;
}

/** Makes the lists that a row names as they are there; returns whether one changed. */
async function replaceLinks(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  read: ReadRow,
  others: ReadonlyMap<string, StoredRow>,
): Promise<boolean> {
  let changed = false;
  for (const field of read.lists) {
    if (field.storage.kind === 'joinTable') {
      const wanted = new Set(read.pairs.filter((pair) => pair.field === field).map(({ key }) => String(key)));
      const target = tableOf(unit, field.target);
      const present = (await joinedKeys(unit, table, row, field)).map(String);
      for (const key of present) {
        if (wanted.delete(key)) continue;
        const other = await target.find(unit.session, required(target.toKey(key), key));
        // A deleted object keeps its links.
        if (other !== undefined && (await deleteJoinRow(unit, table, row, field, other))) changed = true;
      }
      for (const key of wanted) {
        const other = others.get(`${field.target} ${key}`);
        if (other !== undefined && (await insertJoinRow(unit, table, row, field, other))) changed = true;
      }
    } else if (field.storage.kind === 'polymorphicJoinTable') {
      const wanted = new Map(
        read.members.filter((each) => each.field === field).map((each) => [`${each.type}:${String(each.key)}`, each]),
      );
      for (const member of await memberKeys(unit, table, row, field)) {
        if (wanted.delete(`${member.type}:${member.key}`)) continue;
        await deleteMemberRow(unit, table, row, { field, ...member });
        changed = true;
      }
      for (const member of wanted.values()) await insertMemberRow(unit, table, row, member);
      changed ||= wanted.size > 0;
    }
  }
  return changed;
}
