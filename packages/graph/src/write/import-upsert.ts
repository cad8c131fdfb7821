// Finds the objects that rows of an import update, by their key or a unique value, and updates them. Only what a row
// names is written. Not here: reading rows (read-import-row.ts), and inserting those that find no object.
import { graphErrors } from '../errors.ts';
import { columnsOfField, type RelationField } from '../schema/model.ts';
import { canonicalJson } from '../store/json-test.ts';
import type { SqlValue } from '../store/store.ts';
import { deleteRows } from './delete-rows.ts';
import type { EntityTable, StoredRow, Values } from './entity-table.ts';
import {
  deleteJoinRow,
  deleteMemberRow,
  insertJoinRow,
  insertMemberRow,
  joinedKeys,
  memberKeys,
  raiseOtherEnd,
} from './join-rows.ts';
import { objectName } from './import-references.ts';
import type { ReadRow } from './read-import-row.ts';
import { restoreRows } from './restore-rows.ts';
import { isSameIn, tableOf, updateRow, type WriteUnit } from './write-unit.ts';
import { required } from '../present.ts';

/** Columns whose values name one object, and the fields they belong to. */
export interface UniqueKey {
  readonly columns: readonly string[];
  readonly names: readonly string[];
  /** Which of the columns hold JSON. */
  readonly json: readonly boolean[];
}

const uniqueKeys = new WeakMap<EntityTable, readonly UniqueKey[]>();

/** The unique keys of a table, its own key first. */
export function uniqueKeysOf(table: EntityTable): readonly UniqueKey[] {
  const known = uniqueKeys.get(table);
  if (known !== undefined) return known;
  const { key, fields, indexes } = table.entity;
  const named = (columns: readonly string[]): UniqueKey => ({
    columns,
    names: columns.map(
      (column) => [...fields.values()].find((field) => columnsOfField(field).includes(column))?.name ?? column,
    ),
    json: columns.map((column) => table.columns.find(({ name }) => name === column)?.storage === 'json'),
  });
  const single = [...fields.values()].flatMap((field) =>
    field.kind === 'column' && field.unique && !field.isKey ? [[field.column]] : [],
  );
  const several = indexes.flatMap(({ unique, columns }) => (unique ? [columns] : []));
  const keys = [key.parts ?? [key.column], ...single, ...several].map(named);
  uniqueKeys.set(table, keys);
  return keys;
}

/** The unique keys that may find an object: the one of these fields, or all. @throws GRAPH_UPSERT_KEY */
export function keysToMatch(table: EntityTable, by: readonly string[] | undefined): readonly UniqueKey[] {
  const keys = uniqueKeysOf(table);
  if (by === undefined) return keys;
  const chosen = keys.filter(({ names }) => names.length === by.length && by.every((name) => names.includes(name)));
  if (chosen.length > 0) return chosen;
  const known = [...new Set(keys.map(({ names }) => names.join(',')))].join(' or ');
  throw graphErrors.create('GRAPH_UPSERT_KEY', { type: table.entity.name, by: by.join(','), known });
}

/** What finds the object of a row: the values of the first unique key of which it has all. */
interface Match {
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
export function nameOf({ key: { columns, json }, values }: Match): string {
  let name = columns.join();
  for (const [index, value] of values.entries()) {
    const text = json[index] === true ? canonicalJson(String(value)) : String(value);
    name += ` ${text.length} ${text}`;
  }
  return name;
}

/** The names of an object: of each unique key that it has all values of. */
export function namesOf(values: StoredRow, keys: readonly UniqueKey[]): string[] {
  const names: string[] = [];
  for (const key of keys) {
    const own = key.columns.map((column) => values.get(column) ?? null);
    if (!own.includes(null)) names.push(nameOf({ key, values: own }));
  }
  return names;
}

/** Finds and locks the objects of matches, by name; deleted ones by their key only. */
export async function findMatches(
  unit: WriteUnit,
  table: EntityTable,
  matches: readonly Match[],
): Promise<ReadonlyMap<string, StoredRow>> {
  const found = new Map<string, StoredRow>();
  for (const [key, own] of Map.groupBy(matches, (match) => match.key)) {
    const note = (row: StoredRow): void => {
      for (const name of namesOf(row, [key])) found.set(name, row);
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
  return found;
}

/** What became of an object; the keys of which another one may have the values of the row. */
type Updated = 'updated' | 'unchanged' | { readonly taken: readonly UniqueKey[] };

/** Writes what a row names to its object. `others`: the objects of its lists, by type and key. */
export async function updateFromRow(
  unit: WriteUnit,
  table: EntityTable,
  before: StoredRow,
  read: ReadRow,
  others: Map<string, StoredRow>,
): Promise<Updated> {
  const given: Values = new Map(read.given);
  given.delete(table.entity.key.column);
  for (const field of table.entity.fields.values())
    if (field.kind === 'column' && field.default?.kind === 'version') given.delete(field.column);
  const taken = await takenKeys(unit, table, before, given);
  if (taken.length > 0) return { taken };
  const after = await updateValues(unit, table, before, given);
  const isLinked = await replaceLinks(unit, table, after, read, others);
  if (isLinked && !table.isDeleted(after)) await updateRow(unit, table, after, new Map(), { beyondRow: true });
  return isLinked || after !== before ? 'updated' : 'unchanged';
}

/** Asked beforehand: on PostgreSQL, a statement that fails ends the transaction of all rows. */
async function takenKeys(
  unit: WriteUnit,
  table: EntityTable,
  before: StoredRow,
  given: Values,
): Promise<readonly UniqueKey[]> {
  const after = new Map([...before, ...given]);
  // Others may take the values of a deleted object.
  if (table.isDeleted(after)) return [];
  const taken: UniqueKey[] = [];
  for (const key of uniqueKeysOf(table)) {
    const values = new Map(key.columns.map((name) => [name, after.get(name) ?? null]));
    const isChanged = [...values].some(([name, value]) => !isSameIn(table, name, before.get(name) ?? null, value));
    if ((!isChanged && !table.isDeleted(before)) || [...values.values()].includes(null)) continue;
    const same = await table.claimAll(unit.session, values);
    if (same.some((row) => String(table.keyOf(row)) !== String(table.keyOf(before)))) taken.push(key);
  }
  return taken;
}

/** The unique keys of which another object has the values of a new one; all of them if none is found any more. */
export async function keysOfOthers(
  unit: WriteUnit,
  table: EntityTable,
  values: StoredRow,
): Promise<readonly UniqueKey[]> {
  const keys = uniqueKeysOf(table);
  const taken: UniqueKey[] = [];
  for (const key of keys) {
    const own = new Map(key.columns.map((name) => [name, values.get(name) ?? null]));
    if ([...own.values()].includes(null)) continue;
    const [column = '', ...others] = key.columns;
    // A deleted object keeps its key.
    const isKey = others.length === 0 && column === table.entity.key.column;
    const deleted = isKey ? await table.claimDeleted(unit.session, column, [...own.values()]) : [];
    if (deleted.length > 0 || (await table.claimAll(unit.session, own)).length > 0) taken.push(key);
  }
  return taken.length > 0 ? taken : keys;
}

/** Writes the values of an object, which may delete or restore it, with its holders. */
async function updateValues(unit: WriteUnit, table: EntityTable, before: StoredRow, given: Values): Promise<StoredRow> {
  const isDeleted = table.isDeleted(new Map([...before, ...given]));
  if (!table.isDeleted(before)) {
    if (!isDeleted) return updateRow(unit, table, before, given);
    const { column, storage } = required(table.entity.softDelete, 'soft deletion');
    const deletedAt = storage === 'boolean' ? unit.now : `${String(given.get(column)).replace(/Z$/, '')}Z`;
    await deleteRows({ ...unit, deletedAt }, table, [before]);
    return updateDeleted(unit, table, before, given);
  }
  if (isDeleted) return updateDeleted(unit, table, before, given);
  const rest = new Map(given);
  rest.delete(required(table.entity.softDelete, 'soft deletion').column);
  await restoreRows(unit, table, [await updateDeleted(unit, table, before, rest)]);
  return (await table.find(unit.session, table.keyOf(before))) ?? before;
}

/** Writes values of a deleted object, which exists for no reader. */
async function updateDeleted(
  unit: WriteUnit,
  table: EntityTable,
  before: StoredRow,
  given: Values,
): Promise<StoredRow> {
  const changed = new Map(
    [...given].filter(([name, value]) => !isSameIn(table, name, before.get(name) ?? null, value)),
  );
  if (changed.size === 0) return before;
  await table.update(unit.session, table.keyOf(before), changed);
  return new Map([...before, ...changed]);
}

/** Makes the lists that a row names as they are there; returns whether one changed. */
async function replaceLinks(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  read: ReadRow,
  others: Map<string, StoredRow>,
): Promise<boolean> {
  let changed = false;
  const raise = async (field: RelationField, name: string, other: StoredRow): Promise<void> => {
    changed = true;
    others.set(name, await raiseOtherEnd(unit, table, row, field, other));
  };
  for (const field of read.lists) {
    if (field.storage.kind === 'joinTable') {
      const wanted = new Set(read.links.filter((link) => link.field === field).map(({ key }) => String(key)));
      const target = tableOf(unit, field.target);
      const present = (await joinedKeys(unit, table, row, field)).map(String);
      for (const key of present) {
        if (wanted.delete(key)) continue;
        const other = await target.find(unit.session, required(target.toKey(key), key));
        // A deleted object keeps its links.
        if (other !== undefined && (await deleteJoinRow(unit, table, row, field, other)))
          await raise(field, objectName(field.target, key), other);
      }
      for (const key of wanted) {
        const name = objectName(field.target, key);
        const other = others.get(name);
        if (other !== undefined && (await insertJoinRow(unit, table, row, field, other)))
          await raise(field, name, other);
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
