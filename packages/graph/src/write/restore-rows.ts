// Restores deleted objects, with the holders that were deleted with them: those that cascade and have the same time of
// deletion. A holder that the caller may not see, and that cannot return, stays deleted: an error would reveal it.
import { ProductError } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { holdersOf } from '../schema/holders.ts';
import type { Entity, RelationField } from '../schema/model.ts';
import { ConstraintViolation, type SqlValue } from '../store/store.ts';
import type { EntityTable, StoredRow } from './entity-table.ts';
import { type Marking, tableOf, unmarkDeleted, type WriteUnit } from './write-unit.ts';

/** A deleted row that is restored. */
interface Restored extends Marking {
  readonly table: EntityTable;
  /** The mutation names it; others return with it. */
  readonly isNamed: boolean;
  /** The caller may not see it. */
  readonly isHidden: boolean;
}

/** By type and key. */
type RestoredRows = Map<string, Restored>;

/** Rows whose holders one statement finds. */
const BATCH = 500;

/**
 * Restores deleted rows that have been read.
 *
 * @throws GRAPH_RESTORE_ORPHAN if one of them needs an object that is deleted
 * @throws GRAPH_HOLDERS_FORBIDDEN, GRAPH_FORBIDDEN by the holders' `onDeleteRules`
 */
export async function restoreRows(unit: WriteUnit, table: EntityTable, rows: readonly StoredRow[]): Promise<void> {
  if (rows.length === 0) return;
  checkCaller(unit, table.entity);
  const restored: RestoredRows = new Map();
  const queue = [{ table, rows, isNamed: true }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { table: own, isNamed } = next;
    const returned: StoredRow[] = [];
    for (const row of next.rows) {
      const name = nameOf(own.entity.name, own.keyOf(row));
      if (restored.has(name)) continue;
      const isHidden = !isNamed && (await isHiddenFrom(unit, own, row));
      const marking = isHidden ? await tryToUnmark(unit, own, row) : await unmarkDeleted(unit, own, row);
      if (marking === undefined) continue;
      restored.set(name, { ...marking, table: own, isNamed, isHidden });
      returned.push(row);
    }
    for (const { entity, field, effect } of holdersOf(unit.model, own.entity.name)) {
      if (effect !== 'delete') continue;
      const holder = tableOf(unit, entity.name);
      const held = await rowsDeletedWith(unit, holder, field, own, returned);
      for (const row of held) await checkHolder(unit, holder, field, row);
      if (held.length > 0) queue.push({ table: holder, rows: held, isNamed: false });
    }
  }
  await removeOrphans(unit, restored);
  for (const { table: own, after } of restored.values()) unit.changes.created(own, after);
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
      if (!unit.seesAll(entity, field.name) || !canJudge(unit, entity))
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

/** Whether the rule of deletions reveals no deleted holder: it is the same for all, or the caller may see them all. */
function canJudge({ guard, principal }: WriteUnit, entity: Entity): boolean {
  if (guard.allows(principal, entity, 'delete')) return true;
  if (guard.refuses(principal, entity, 'delete', []) !== undefined) return true;
  return entity.auth?.readDeleted !== undefined && guard.allows(principal, entity, 'readDeleted');
}

/** Evaluates the rules of one holder. */
async function checkHolder(unit: WriteUnit, table: EntityTable, field: RelationField, row: StoredRow): Promise<void> {
  if (field.onDeleteRules === undefined || field.onDeleteRules === 'override') return;
  if (field.onDeleteRules === 'rows' && !(await unit.guard.canSee(unit, table, row)))
    throw graphErrors.create('GRAPH_FORBIDDEN', { field: unit.field, action: 'delete', what: table.entity.name });
  await unit.guard.check(unit, table, row, 'delete');
}

async function isHiddenFrom(unit: WriteUnit, table: EntityTable, row: StoredRow): Promise<boolean> {
  if (unit.seesAll(table.entity, table.entity.key.name)) return false;
  return !(await unit.guard.canFind(unit, table, row));
}

/** Undefined if the database rejects the row: its unique value is taken, or a check or trigger is against it. */
async function tryToUnmark(unit: WriteUnit, table: EntityTable, row: StoredRow): Promise<Marking | undefined> {
  const { session } = unit;
  await session.prepare('SAVEPOINT hidden_holder').run([]);
  try {
    const marking = await unmarkDeleted(unit, table, row);
    await session.prepare('RELEASE SAVEPOINT hidden_holder').run([]);
    return marking;
  } catch (error) {
    if (!(error instanceof ConstraintViolation) && !(error instanceof ProductError)) throw error;
    await session.prepare('ROLLBACK TO SAVEPOINT hidden_holder').run([]);
    await session.prepare('RELEASE SAVEPOINT hidden_holder').run([]);
    return undefined;
  }
}

/** Whether the holders of a type return with it: both know the time of deletion. A flag does not tell one deletion from another. */
function returnsWith({ softDelete: mine }: Entity, { softDelete: theirs }: Entity): boolean {
  if (mine === undefined || theirs === undefined) return false;
  return mine.storage !== 'boolean' && theirs.storage !== 'boolean';
}

/** The deleted rows that refer to rows and were deleted when those were. */
async function rowsDeletedWith(
  unit: WriteUnit,
  holder: EntityTable,
  field: RelationField,
  own: EntityTable,
  rows: readonly StoredRow[],
): Promise<readonly StoredRow[]> {
  const { storage } = field;
  if (!returnsWith(own.entity, holder.entity)) return [];
  if (storage.kind !== 'foreignKey' && storage.kind !== 'polymorphic') return [];
  const isForeignKey = storage.kind === 'foreignKey';
  const times = new Map(rows.map((row) => [String(own.keyOf(row)), timeOf(own, row)]));
  const found: StoredRow[] = [];
  for (let start = 0; start < rows.length; start += BATCH) {
    const keys = rows.slice(start, start + BATCH).map((row) => own.keyOf(row));
    const column = isForeignKey ? storage.column : storage.keyColumn;
    const held = await holder.claimDeleted(unit.session, column, isForeignKey ? keys : keys.map(String));
    found.push(
      ...held.filter(
        (row) =>
          times.get(String(row.get(column))) === timeOf(holder, row) &&
          (isForeignKey || row.get(storage.typeColumn) === own.entity.name),
      ),
    );
  }
  return found;
}

/** The time of a deletion, the same text for a DateTime and a LocalDateTime. */
function timeOf({ entity }: EntityTable, row: StoredRow): string {
  const time = String(row.get(entity.softDelete?.column ?? '') ?? '').replace(/Z$/, '');
  return time.includes('.') ? time.replace(/\.?0+$/, '') : time;
}

function nameOf(type: string, key: SqlValue): string {
  return `${type} ${String(key)}`;
}

/** An object that a row refers to. */
interface Target {
  readonly field: RelationField;
  readonly type: string;
  readonly key: SqlValue;
}

/**
 * Deletes hidden rows again that need a deleted object, and what returned only with them or needs them: an object whose
 * required reference leads nowhere could not be read.
 *
 * @throws GRAPH_RESTORE_ORPHAN for other rows
 */
async function removeOrphans(unit: WriteUnit, restored: RestoredRows): Promise<void> {
  const there = await findNeeded(unit, restored);
  const removed = new Set<string>();
  const isThere = ({ type, key }: Target): boolean => {
    const name = nameOf(type, key);
    return !removed.has(name) && (restored.has(name) || there.has(name) || !isSoft(unit, type));
  };
  const orphanOf = ({ table, after }: Restored): Target | undefined =>
    targetsOf(table.entity, after).find((target) => !target.field.nullable && !isThere(target));
  /** Whether an object that it was deleted with has returned. */
  const isHeld = ({ table, before }: Restored): boolean =>
    targetsOf(table.entity, before).some(({ field, type, key }) => {
      const name = nameOf(type, key);
      const other = removed.has(name) ? undefined : restored.get(name);
      return (
        field.onDelete === 'cascade' &&
        other !== undefined &&
        timeOf(other.table, other.before) === timeOf(table, before)
      );
    });
  for (let count = -1; count < removed.size;) {
    count = removed.size;
    for (const [name, row] of restored) {
      if (row.isNamed || removed.has(name)) continue;
      const orphan = orphanOf(row);
      const isForgotten = orphan !== undefined && (row.isHidden || removed.has(nameOf(orphan.type, orphan.key)));
      if (!isForgotten && isHeld(row)) continue;
      removed.add(name);
    }
  }
  for (const name of removed) {
    const { table, before, values } = restored.get(name)!;
    const former = new Map([...values.keys()].map((column) => [column, before.get(column) ?? null]));
    await table.update(unit.session, table.keyOf(before), former);
    restored.delete(name);
  }
  for (const row of restored.values()) {
    const orphan = orphanOf(row);
    if (orphan === undefined) continue;
    const { name } = row.table.entity;
    throw graphErrors.create('GRAPH_RESTORE_ORPHAN', { field: unit.field, type: name, relation: orphan.field.name });
  }
}

/** What the rows need and is not deleted, locked against a deletion at the same time. */
async function findNeeded(unit: WriteUnit, restored: RestoredRows): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  const needed = [...restored.values()].flatMap(({ table, after }) =>
    targetsOf(table.entity, after).filter(({ field, type }) => !field.nullable && isSoft(unit, type)),
  );
  for (const [type, targets] of Map.groupBy(needed, (target) => target.type)) {
    const table = tableOf(unit, type);
    const keys = new Set(targets.map(({ key }) => key).filter((key) => !restored.has(nameOf(type, key))));
    const bound = [...keys].flatMap((key) => table.toKey(key) ?? []);
    for (let start = 0; start < bound.length; start += BATCH) {
      const some = bound.slice(start, start + BATCH);
      for (const row of await table.shareBy(unit.session, table.entity.key.column, some))
        there.add(nameOf(type, table.keyOf(row)));
    }
  }
  return there;
}

function isSoft(unit: WriteUnit, type: string): boolean {
  return unit.tables.get(type)?.entity.softDelete !== undefined;
}

/** The objects that the to-one relations of a row lead to. */
function targetsOf(entity: Entity, row: StoredRow): readonly Target[] {
  return [...entity.fields.values()].flatMap((field) => {
    if (field.kind !== 'relation' || field.many) return [];
    const { storage } = field;
    const [type, key] =
      storage.kind === 'foreignKey'
        ? [field.target, row.get(storage.column)]
        : storage.kind === 'polymorphic'
          ? [String(row.get(storage.typeColumn)), row.get(storage.keyColumn)]
          : [];
    return type === undefined || key === undefined || key === null ? [] : [{ field, type, key }];
  });
}
