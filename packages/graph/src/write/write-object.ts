// Creates and updates an object with its nested objects: first those that it refers to, then the object, then those
// that refer to it.
import { graphErrors } from '../errors.ts';
import type { Entity, RelationField } from '../schema/model.ts';
import type { SqlValue } from '../store/store.ts';
import { deleteRows } from './delete-rows.ts';
import { type EntityTable, type StoredRow, toKey, type Values } from './entity-table.ts';
import {
  insertMemberRow,
  insertJoinRow,
  memberKeys,
  joinedKeys,
  deleteMemberRow,
  deleteJoinRow,
  raiseOtherEnd,
} from './join-rows.ts';
import { type MemberKey, type MemberWrite, missingText, type ObjectWrite, type RelationWrite } from './read-values.ts';
import { insertRows, isQuietTo, notFound, tableOf, updateRow, type WriteUnit, namedIn } from './write-unit.ts';
import { first, lookUp } from '../present.ts';

/** An object to create. */
interface NewObject {
  readonly write: ObjectWrite;
  /** The columns that its parent object fills, and their field. */
  readonly filled?: { readonly columns: Values; readonly field: string };
}

/** Creates an object with its nested objects. */
export async function createObject(unit: WriteUnit, entity: Entity, write: ObjectWrite): Promise<StoredRow> {
  return first(await createObjects(unit, entity, [{ write }]));
}

/** Creates objects level by level: the rows of one type and level share statements. */
export async function createObjects(
  unit: WriteUnit,
  entity: Entity,
  objects: readonly NewObject[],
): Promise<readonly StoredRow[]> {
  if (objects.length > 1 && mayReferToEachOther(entity, objects)) {
    const rows: StoredRow[] = [];
    for (const object of objects) rows.push(...(await createObjects(unit, entity, [object])));
    return rows;
  }
  const table = tableOf(unit, entity.name);
  const values = objects.map(({ write, filled }): Values => new Map([...write.columns, ...(filled?.columns ?? [])]));
  for (const relations of byField(objects)) await writeReferences(unit, relations, values);
  for (const [index, { write }] of objects.entries())
    for (const member of write.members) setMember(member, values[index]!);
  const rows = await insertRows(unit, table, values);
  for (const [index, { write, filled }] of objects.entries()) {
    if (!unit.guard.hasRule(entity, 'create')) break;
    const fields = filled === undefined ? write.given : [...write.given, filled.field];
    unit.toCheck.push({ entity, key: table.keyOf(rows[index]!), action: 'create', fields });
  }
  for (const relations of byField(objects)) {
    const nested: NewObject[] = [];
    for (const { index, relation } of relations) {
      const row = rows[index]!;
      const filled = createsOnly(relation) ? filledBy(relation, table, row) : undefined;
      if (filled === undefined) await writeRelated(unit, table, row, relation);
      else nested.push(...relation.create.map((write) => ({ write, filled })));
    }
    if (nested.length > 0) await createObjects(unit, first(relations).relation.target, nested);
  }
  for (const [index, { write }] of objects.entries())
    for (const member of write.members) await writeMembers(unit, table, rows[index]!, member);
  return rows;
}

/**
 * Whether one of the objects, or one nested in them, may refer to another by a key that the client has chosen. They are then
 * created one after the other, since a reference to an earlier one is allowed.
 */
function mayReferToEachOther(entity: Entity, objects: readonly NewObject[]): boolean {
  // Without nested objects, one statement inserts all.
  if (!objects.some(({ write }) => write.relations.some(({ create }) => create.length > 0))) return false;
  const named = new Set<Entity>();
  const connected = new Set<Entity>();
  const visit = (type: Entity, { columns, relations }: ObjectWrite): void => {
    if (columns.has(type.key.column)) named.add(type);
    for (const { connect, create, field, target } of relations) {
      if (connect.length > 0 && field.storage.kind === 'foreignKey') connected.add(target);
      for (const each of create) visit(target, each);
    }
  };
  for (const { write } of objects) visit(entity, write);
  return !named.isDisjointFrom(connected);
}

/** The relation of an object in a list. */
interface RelationOf {
  /** The place of the object. */
  readonly index: number;
  readonly relation: RelationWrite;
}

/** The relations that objects write, those of one field together. */
function byField(objects: readonly NewObject[]): Iterable<readonly RelationOf[]> {
  const all = objects.flatMap(({ write }, index) => write.relations.map((relation) => ({ index, relation })));
  return Map.groupBy(all, ({ relation }) => relation.field).values();
}

/** Whether a relation of a new object only creates the objects of a list that refer to it. */
function createsOnly({ field, set, connect, create }: RelationWrite): boolean {
  return (
    field.many && field.storage.kind === 'inverse' && set === undefined && connect.length === 0 && create.length > 0
  );
}

/** What a row fills of the objects that refer to it; undefined if their type has no such field. */
function filledBy({ field, target }: RelationWrite, table: EntityTable, row: StoredRow): NewObject['filled'] {
  const back = target.fields.get(field.inverse ?? '');
  return back?.kind === 'relation' ? { columns: backColumns(back.storage, table, row), field: back.name } : undefined;
}

/** Updates an object that has been read. */
export async function updateObject(
  unit: WriteUnit,
  entity: Entity,
  before: StoredRow,
  write: ObjectWrite,
): Promise<StoredRow> {
  const table = tableOf(unit, entity.name);
  const columns: Values = new Map(write.columns);
  const orphans: { readonly relation: RelationWrite; readonly key: SqlValue }[] = [];
  for (const relation of write.relations) {
    if (relation.removeOnly && relation.field.storage.kind === 'foreignKey') {
      const key = before.get(relation.field.storage.column) ?? null;
      if (key !== null) orphans.push({ relation, key });
      columns.set(relation.field.storage.column, null);
    } else await writeReferences(unit, [{ index: 0, relation }], [columns]);
  }
  for (const member of write.members) setMember(member, columns);
  const row = await updateRow(unit, table, before, columns, { beyondRow: writesBeyondRow(write) });
  unit.toCheck.push({ entity, key: table.keyOf(row), action: 'update', fields: write.given });
  for (const relation of write.relations) await writeRelated(unit, table, row, relation);
  for (const member of write.members) await writeMembers(unit, table, row, member);
  for (const { relation, key } of orphans) {
    const target = tableOf(unit, relation.target.name);
    const other = await target.find(unit.session, key);
    // What the caller cannot see cannot be deleted.
    if (other !== undefined && (await canSeeLink(unit, table, row, relation.field, other)))
      await deleteRelated(unit, target, [other]);
  }
  return row;
}

/** Whether the write changes something of the object outside its row. */
function writesBeyondRow({ relations, members }: ObjectWrite): boolean {
  return [...relations, ...members].some(
    ({ field: { storage } }) => storage.kind !== 'foreignKey' && storage.kind !== 'polymorphic',
  );
}

/** To-one relations stored in the objects' own rows: the other objects are written first. */
async function writeReferences(
  unit: WriteUnit,
  relations: readonly RelationOf[],
  values: readonly Values[],
): Promise<void> {
  const { field, target } = first(relations).relation;
  const { storage } = field;
  if (storage.kind !== 'foreignKey') return;
  const created = relations.filter(({ relation }) => relation.create.length > 0);
  const rows = await createObjects(
    unit,
    target,
    created.map(({ relation }) => ({ write: first(relation.create) })),
  );
  for (const [place, { index }] of created.entries())
    values[index]!.set(storage.column, tableOf(unit, target.name).keyOf(rows[place]!));
  for (const { index, relation } of relations) {
    if (relation.create.length > 0) continue;
    const [connected] = relation.connect;
    if (connected !== undefined) values[index]!.set(storage.column, connected);
    else if (relation.clear) values[index]!.set(storage.column, null);
  }
}

/** A to-one relation to an interface or union is stored in the object's own row, by type and key. */
function setMember({ field: { storage }, set }: MemberWrite, columns: Values): void {
  if (storage.kind !== 'polymorphic' || set === undefined) return;
  const [one] = set;
  columns.set(storage.typeColumn, one === undefined ? null : one.entity.name);
  columns.set(storage.keyColumn, one === undefined ? null : String(one.key));
}

/** A list of an interface or union. */
async function writeMembers(unit: WriteUnit, table: EntityTable, row: StoredRow, write: MemberWrite): Promise<void> {
  const { field } = write;
  if (field.storage.kind !== 'polymorphicJoinTable') return;
  const named = ({ entity, key }: MemberKey) => ({ field, type: entity.name, key });
  if (write.set !== undefined) {
    const wanted = new Set(write.set.map(({ entity, key }) => `${entity.name}:${String(key)}`));
    for (const { type, key } of await memberKeys(unit, table, row, field)) {
      if (wanted.has(`${type}:${key}`)) continue;
      const other = tableOf(unit, type);
      const found = await other.find(unit.session, toKey(other.entity, key) ?? key);
      // Objects that the caller cannot see are not part of the replaced list.
      if (found !== undefined && (await unit.guard.canSee(unit, other, found)))
        await deleteMemberRow(unit, table, row, { field, type, key });
    }
  }
  for (const each of [...(write.set ?? []), ...write.connect]) await insertMemberRow(unit, table, row, named(each));
  for (const each of write.disconnect) await deleteMemberRow(unit, table, row, named(each));
}

/** Relations stored in other rows. */
async function writeRelated(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  relation: RelationWrite,
): Promise<void> {
  const { kind } = relation.field.storage;
  if (kind === 'inverse') await writeInverse(unit, table, row, relation);
  else if (kind === 'joinTable') await writePairs(unit, table, row, relation);
}

async function writePairs(unit: WriteUnit, table: EntityTable, row: StoredRow, relation: RelationWrite): Promise<void> {
  const other = tableOf(unit, relation.target.name);
  if (relation.set !== undefined) {
    const wanted = new Set(relation.set.map(String));
    for (const key of await joinedKeys(unit, table, row, relation.field)) {
      if (wanted.has(String(key))) continue;
      const each = await other.find(unit.session, key);
      // What is deleted, or the caller cannot see, is not part of the replaced list.
      if (each !== undefined && (await canSeeLink(unit, table, row, relation.field, each)))
        await disconnectObjects(unit, table, row, relation.field, each);
    }
  }
  for (const key of [...(relation.set ?? []), ...relation.connect])
    await connectObjects(unit, table, row, relation.field, await rowOf(unit, other, key));
  for (const key of relation.disconnect)
    await disconnectObjects(unit, table, row, relation.field, await rowOf(unit, other, key));
  for (const write of relation.create)
    await connectObjects(unit, table, row, relation.field, await createObject(unit, relation.target, write));
  if (relation.remove.length > 0) {
    const linked = new Set((await joinedKeys(unit, table, row, relation.field)).map(String));
    const isLinked = async (each: StoredRow): Promise<boolean> =>
      linked.has(String(other.keyOf(each))) && canSeeLink(unit, table, row, relation.field, each);
    await deleteRelated(unit, other, await ownedRows(unit, other, relation, isLinked));
  }
}

async function writeInverse(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  relation: RelationWrite,
): Promise<void> {
  const other = tableOf(unit, relation.target.name);
  const back = relation.target.fields.get(relation.field.inverse ?? '');
  if (back?.kind !== 'relation') return;
  const ours = backColumns(back.storage, table, row);
  const [column] = [...ours.keys()].slice(-1);
  if (column === undefined) return;
  const pointsHere = (each: StoredRow): boolean =>
    [...ours].every(([name, value]) => String(each.get(name) ?? '') === String(value));
  const release = async (each: StoredRow): Promise<void> => {
    if (!back.nullable) {
      const list = `"${relation.path}" cannot let go of ${namedIn(other, each)}, whose "${back.name}" must have a value.`;
      throw graphErrors.create('GRAPH_INPUT_INVALID', { field: unit.field, list });
    }
    await changeRelated(unit, other, each, new Map([...ours.keys()].map((name) => [name, null])), back, table);
  };
  const isLinked = async (each: StoredRow): Promise<boolean> =>
    pointsHere(each) && canSeeLink(unit, table, row, relation.field, each);
  /** What the caller cannot see is not part of the replaced list. */
  const holders = async (): Promise<readonly StoredRow[]> => {
    const rows: StoredRow[] = [];
    for (const each of await other.claimBy(unit.session, column, [lookUp(ours, column)]))
      if (await isLinked(each)) rows.push(each);
    return rows;
  };

  const wanted = relation.set ?? (relation.field.many ? undefined : relation.connect);
  // A to-one relation or `set`: objects that are not named are disconnected.
  const replaces =
    relation.set !== undefined ||
    (!relation.field.many && (relation.clear || relation.connect.length + relation.create.length > 0));
  if (replaces) {
    const keep = new Set((wanted ?? []).map(String));
    for (const each of await holders()) if (!keep.has(String(other.keyOf(each)))) await release(each);
  }
  if (relation.removeOnly) for (const each of await holders()) await deleteRelated(unit, other, [each]);
  for (const key of [...(relation.set ?? []), ...relation.connect])
    await changeRelated(unit, other, await rowOf(unit, other, key), ours, back, table);
  for (const key of relation.disconnect) {
    const each = await rowOf(unit, other, key);
    if (await isLinked(each)) await release(each);
  }
  const filled = { columns: ours, field: back.name };
  if (relation.create.length > 0)
    await createObjects(
      unit,
      relation.target,
      relation.create.map((write) => ({ write, filled })),
    );
  if (relation.remove.length > 0) await deleteRelated(unit, other, await ownedRows(unit, other, relation, isLinked));
}

/** The columns by which the inverse refers to a row, the key last. */
function backColumns(
  storage: Extract<
    Entity['fields'] extends ReadonlyMap<string, infer Field> ? Field : never,
    { kind: 'relation' }
  >['storage'],
  table: EntityTable,
  row: StoredRow,
): Values {
  const key = table.keyOf(row);
  if (storage.kind === 'foreignKey') return new Map([[storage.column, key]]);
  if (storage.kind !== 'polymorphic') return new Map();
  return new Map<string, SqlValue>([
    [storage.typeColumn, table.entity.name],
    [storage.keyColumn, String(key)],
  ]);
}

/** Another object is written because of its relation: its update rules and those of the field apply. */
async function changeRelated(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  values: Values,
  field: RelationField,
  from: EntityTable,
): Promise<void> {
  const fields = [field.name];
  await unit.guard.check(unit, table, row, 'update', fields);
  await updateRow(unit, table, row, values, { quiet: isQuietTo(field, from.entity) });
  unit.toCheck.push({ entity: table.entity, key: table.keyOf(row), action: 'update', fields });
}

/** Whether the caller may see that two objects are related: both objects, and the field at one of their ends. */
async function canSeeLink(
  unit: WriteUnit,
  table: EntityTable,
  row: StoredRow,
  field: RelationField,
  other: StoredRow,
): Promise<boolean> {
  const target = tableOf(unit, field.target);
  const { guard } = unit;
  if (!(await guard.canSee(unit, target, other))) return false;
  if (await guard.canRead(unit, table, row, field.name)) return true;
  return field.inverse !== undefined && guard.canRead(unit, target, other, field.inverse);
}

async function deleteRelated(unit: WriteUnit, table: EntityTable, rows: readonly StoredRow[]): Promise<void> {
  for (const row of rows) await unit.guard.check(unit, table, row, 'delete');
  await deleteRows(unit, table, rows);
}

/** Connects two objects. Neither row changes, so only the rules of the other end's field are evaluated. */
export async function connectObjects(...joinRow: Parameters<typeof insertJoinRow>): Promise<void> {
  await checkOtherEnd(...joinRow);
  if (await insertJoinRow(...joinRow)) await raiseOtherEnd(...joinRow);
}

/** Disconnects two objects, under the same rules. */
export async function disconnectObjects(...joinRow: Parameters<typeof deleteJoinRow>): Promise<void> {
  await checkOtherEnd(...joinRow);
  if (await deleteJoinRow(...joinRow)) await raiseOtherEnd(...joinRow);
}

async function checkOtherEnd(...[unit, , , field, other]: Parameters<typeof insertJoinRow>): Promise<void> {
  if (field.inverse === undefined) return;
  await unit.guard.checkFields(unit, tableOf(unit, field.target), other, 'update', [field.inverse]);
}

/** Only objects of the relation can be deleted through it. */
async function ownedRows(
  unit: WriteUnit,
  other: EntityTable,
  relation: RelationWrite,
  isOwned: (row: StoredRow) => Promise<boolean>,
): Promise<readonly StoredRow[]> {
  const rows: StoredRow[] = [];
  for (const key of relation.remove) {
    const row = await rowOf(unit, other, key);
    if (!(await isOwned(row))) throw notFound(unit, [missingText(relation.target, key, relation.path)]);
    rows.push(row);
  }
  return rows;
}

/** A row that existed when it was checked; on PostgreSQL it may have been deleted since. */
async function rowOf(unit: WriteUnit, table: EntityTable, key: SqlValue): Promise<StoredRow> {
  const row = await table.find(unit.session, key);
  if (row === undefined) throw notFound(unit, [missingText(table.entity, key)]);
  return row;
}
