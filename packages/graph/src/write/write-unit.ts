// State shared by the parts of one write: transaction, tables, changes, caller, time. The lowest layer of writing:
// inserts and updates rows with defaults; it does not know relations.
import { randomUUID } from 'node:crypto';
import type { Principal, ProductError } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { Snapshot } from '../feed/change.ts';
import {
  columnsOfField,
  storedColumnsOf,
  type ColumnField,
  type Entity,
  type Model,
  type RelationField,
  type Storage,
  isStoredField,
} from '../schema/model.ts';
import { isSameJson } from '../store/json-test.ts';
import type { Session, SqlValue, Store } from '../store/store.ts';
import type { ChangeSet } from './change-set.ts';
import type { EntityTable, StoredRow, Values } from './entity-table.ts';
import { lookUp, required } from '../present.ts';

/** One write in its transaction. */
export interface WriteUnit {
  readonly model: Model;
  readonly session: Session;
  readonly dialect: Store['dialect'];
  readonly tables: ReadonlyMap<string, EntityTable>;
  readonly changes: ChangeSet;
  readonly principal: Principal;
  /** ISO time of the write; all its defaults use the same time. */
  readonly now: string;
  /** The time of deletion that an import gives; default: `now`. */
  readonly deletedAt?: string;
  /** The mutation field, for messages. */
  readonly field: string;
  readonly guard: RowGuard;
  /** Whether no read rule can hide an object of the type, or the field, from the caller. */
  readonly seesAll: (entity: Entity, field: string) => boolean;
  /** By type and key: `version` and `updatedAt` values already set; they change once per transaction. */
  readonly raised: Map<string, Values>;
  /** Objects whose rules are evaluated after everything is written. */
  readonly toCheck: WrittenObject[];
}

/** A written object and its written fields. */
export interface WrittenObject {
  readonly entity: Entity;
  readonly key: SqlValue;
  readonly action: 'create' | 'update';
  readonly fields: Iterable<string>;
}

/** The part needed to read rows and evaluate rules. */
export type ReadUnit = Pick<WriteUnit, 'model' | 'session' | 'dialect' | 'tables' | 'principal'> & {
  /** The row that is evaluated has been deleted; its type. */
  readonly gone?: string | undefined;
};

type Action = 'read' | 'create' | 'update' | 'delete' | 'purge';

/** The compiled rules of a model. */
export interface RowGuard {
  /** Whether the caller may see a row. */
  canSee(unit: ReadUnit, table: EntityTable, row: StoredRow): Promise<boolean>;
  /** Whether the caller, who may see a row, may see it although it is deleted. */
  canSeeDeleted(unit: ReadUnit, table: EntityTable, row: StoredRow): Promise<boolean>;
  /** Whether the caller may see a row and its key, so that the key finds it. */
  canFind(unit: ReadUnit, table: EntityTable, row: StoredRow): Promise<boolean>;
  /** Whether the caller may read a field of a row. */
  canRead(unit: ReadUnit, table: EntityTable, row: StoredRow, field: string): Promise<boolean>;
  /** The fields of a row that the caller may not read. */
  deniedFields(unit: ReadUnit, table: EntityTable, row: StoredRow): Promise<ReadonlySet<string>>;
  /** @throws GRAPH_FORBIDDEN if the caller may not perform the action on the row or one of the fields */
  check(
    unit: WriteUnit,
    table: EntityTable,
    row: StoredRow,
    action: Exclude<Action, 'read'>,
    fields?: Iterable<string>,
  ): Promise<void>;
  /** The same for the rules of the fields only. */
  checkFields(
    unit: WriteUnit,
    table: EntityTable,
    row: StoredRow,
    action: 'create' | 'update',
    fields: Iterable<string>,
  ): Promise<void>;
  /**
   * Evaluates rules that need only the row: whether the caller may perform the action on it and on the fields;
   * undefined if other rows are needed.
   */
  decideAlone(
    principal: Principal,
    entity: Entity,
    row: Snapshot,
    action: Action,
    fields?: Iterable<string>,
  ): boolean | undefined;
  /**
   * The type or field whose rule never grants the caller the action, whatever the row is; undefined if there is none.
   *
   * @param fieldsOnly without the rule of the type
   */
  refuses(
    principal: Principal,
    entity: Entity,
    action: Exclude<Action, 'read'>,
    fields: Iterable<string>,
    fieldsOnly?: boolean,
  ): { readonly what: string; readonly path?: string } | undefined;
  /** Whether the rule of the type grants the caller the action on every row. */
  allows(principal: Principal, entity: Entity, action: 'delete' | 'readDeleted'): boolean;
  /** Whether the entity or one of its fields has a rule for an action. */
  hasRule(entity: Entity, action: Action): boolean;
}

/** The table of an entity of the model. */
export function tableOf(unit: Pick<WriteUnit, 'tables'>, entity: string): EntityTable {
  return lookUp(unit.tables, entity);
}

/** Inserts rows with their defaults and records the changes; several by one statement where their keys are known. */
export async function insertRows(
  unit: WriteUnit,
  table: EntityTable,
  given: readonly Values[],
): Promise<readonly StoredRow[]> {
  const all = given.map((each) => withDefaults(unit, table, each));
  const rows: StoredRow[] = [];
  if (all.length > 1 && !table.rereads && table.canInsertAll(all)) {
    const keys = await table.insertAll(unit.session, all);
    for (const [index, values] of all.entries()) rows.push(recordInsert(unit, table, values, keys[index]!));
  } else {
    for (const values of all) {
      const key = await table.insert(unit.session, values);
      rows.push(recordInsert(unit, table, table.rereads ? await readAgain(unit, table, key) : values, key));
    }
  }
  return rows;
}

/** The values of a new row. Those that the database supplies are absent. */
function withDefaults(unit: WriteUnit, table: EntityTable, given: Values): Values {
  const values: Values = new Map();
  for (const field of table.entity.fields.values()) {
    if (isStoredField(field) && field.readOnly) continue;
    for (const column of columnsOfField(field)) {
      const value =
        given.get(column) ?? (field.kind === 'column' && !given.has(column) ? defaultOf(field, unit.now) : null);
      if (value === undefined) continue;
      // The database's own default applies.
      if (table.rereads && value === null && !given.has(column)) continue;
      values.set(column, value);
    }
  }
  return values;
}

function recordInsert(unit: WriteUnit, table: EntityTable, stored: StoredRow, key: SqlValue): StoredRow {
  const { column } = table.entity.key;
  const row = stored.has(column) ? stored : new Map(stored).set(column, key);
  if (table.hasAutomaticFields) unit.raised.set(nameOf(table, row), new Map());
  unit.changes.created(table, row);
  return row;
}

const LOST_ROW = 'a trigger or policy of the database does not keep the row';

/** The row as the database has stored it: with defaults, rounded, changed by triggers. */
async function readAgain(unit: WriteUnit, table: EntityTable, key: SqlValue): Promise<StoredRow> {
  const row = await table.find(unit.session, key);
  if (row === undefined) throw graphErrors.create('GRAPH_CONSTRAINT', { field: unit.field, reason: LOST_ROW });
  return row;
}

/** The default of a field; undefined if the database supplies it. */
export function defaultOf(field: ColumnField, now: string): SqlValue | undefined {
  switch (field.default?.kind) {
    case 'now':
    case 'updatedAt':
      return now;
    case 'uuid':
      return field.default.make?.() ?? randomUUID();
    case 'version':
      return 1;
    case 'identity':
    case 'database':
      return undefined;
    case 'literal': {
      const { value } = field.default;
      return field.storage === 'json' ? JSON.stringify(value) : (value as SqlValue);
    }
    case undefined:
      return null;
  }
}

/** Options of an update. */
export interface UpdateManner {
  /** Something outside the row changes, so the fields that every update sets are set in any case. */
  readonly beyondRow?: boolean;
  /**
   * Written from the other end of a relation that a read rule may hide: automatic fields stay, and subscribers get no
   * event.
   */
  readonly quiet?: boolean;
}

/**
 * Writes the values that differ, with the fields that every update sets, and records the change. Those fields are also
 * set if a value that may be hidden is written unchanged: an unchanged version would confirm a guess.
 *
 * @returns the row after the update; the same object if nothing differs
 */
export async function updateRow(
  unit: WriteUnit,
  table: EntityTable,
  before: StoredRow,
  given: Values,
  manner: UpdateManner = {},
): Promise<StoredRow> {
  const values = changedValues(unit, table, before, given, manner);
  if (values.size === 0) return before;
  await table.update(unit.session, table.keyOf(before), values);
  const after = table.rereads ? await readAgain(unit, table, table.keyOf(before)) : withValues(before, values);
  unit.changes.updated(table, before, after, manner.quiet);
  return after;
}

/** Marks rows as deleted, with the fields that every update sets. The caller records the changes. */
export async function markDeleted(unit: WriteUnit, table: EntityTable, rows: readonly StoredRow[]): Promise<void> {
  if (rows.length === 0) return;
  const mark = deletionMark(unit, table.entity);
  if (!table.hasAutomaticFields) {
    await table.updateAll(
      unit.session,
      rows.map((row) => table.keyOf(row)),
      new Map([mark]),
    );
    return;
  }
  for (const row of rows)
    await table.update(unit.session, table.keyOf(row), changedValues(unit, table, row, new Map([mark]), {}));
}

/** A row before and after its mark of deletion was taken away, and the values that were written. */
export interface Marking {
  readonly before: StoredRow;
  readonly after: StoredRow;
  readonly values: Values;
}

/** Takes the mark of deletion from a row. The caller records the change. */
export async function unmarkDeleted(unit: WriteUnit, table: EntityTable, before: StoredRow): Promise<Marking> {
  const { column, storage } = required(table.entity.softDelete, 'soft deletion');
  const values = changedValues(unit, table, before, new Map([[column, storage === 'boolean' ? false : null]]), {});
  await table.update(unit.session, table.keyOf(before), values);
  const after = table.rereads ? await readAgain(unit, table, table.keyOf(before)) : withValues(before, values);
  return { before, after, values };
}

function deletionMark(unit: WriteUnit, { softDelete }: Entity): readonly [string, SqlValue] {
  const { column, storage, isLocal } = required(softDelete, 'soft deletion');
  const { deletedAt = unit.now } = unit;
  return [column, storage === 'boolean' ? true : isLocal ? deletedAt.replace(/Z$/, '') : deletedAt];
}

function withValues(before: StoredRow, values: Values): StoredRow {
  const after = new Map(before);
  for (const [column, value] of values) after.set(column, value);
  return after;
}

/** The values that differ, and the fields that every update sets. */
function changedValues(
  unit: WriteUnit,
  table: EntityTable,
  before: StoredRow,
  given: Values,
  { beyondRow = false, quiet = false }: UpdateManner,
): Values {
  const values: Values = new Map();
  for (const [column, value] of given) {
    if (!isSameIn(table, column, before.get(column) ?? null, value)) values.set(column, value);
  }
  const isRising = (): boolean =>
    values.size > 0 || beyondRow || table.columns.some(({ name, withheld }) => withheld && given.has(name));
  if (table.hasAutomaticFields && !quiet && isRising()) {
    const name = nameOf(table, before);
    const known = unit.raised.get(name);
    const risen = known ?? raise(unit, table, before, values);
    unit.raised.set(name, risen);
    for (const [column, value] of risen) values.set(column, value);
  }
  const part = table.entity.key.parts?.find((column) =>
    [...values.keys()].some((name) => name === column || holdsPart(table.entity, name, column)),
  );
  if (part !== undefined) {
    const name = fieldIn(table.entity, part);
    const list = `"${name}" is part of the key of ${namedIn(table, before)}, which cannot be changed.`;
    throw graphErrors.create('GRAPH_INPUT_INVALID', { field: unit.field, list });
  }
  return values;
}

/** Whether a composite reference has the column. */
function holdsPart({ natives }: Entity, reference: string, column: string): boolean {
  return natives?.get(reference)?.columns?.some(({ name }) => name === column) === true;
}

function fieldIn(entity: Entity, column: string): string {
  return [...entity.fields.values()].find((field) => storedColumnsOf(field).includes(column))?.name ?? column;
}

/** An object in a message: its key too, where no rule can withhold that. */
export function namedIn(table: EntityTable, row: StoredRow): string {
  const { name, key } = table.entity;
  return key.auth?.read === undefined ? `${name} "${String(table.keyOf(row))}"` : `one ${name}`;
}

function nameOf(table: EntityTable, row: StoredRow): string {
  return `${table.entity.name} ${String(table.keyOf(row))}`;
}

/** The automatic fields of this update. */
function raise({ now }: WriteUnit, { entity }: EntityTable, before: StoredRow, values: Values): Values {
  const risen: Values = new Map();
  for (const field of entity.fields.values()) {
    if (field.kind !== 'column') continue;
    if (field.default?.kind === 'updatedAt' && !values.has(field.column)) risen.set(field.column, now);
    if (field.default?.kind === 'version') risen.set(field.column, nextVersion(before.get(field.column) ?? null));
  }
  return risen;
}

/** GraphQL's largest Int. */
const LARGEST_INT = 2_147_483_647;

/** The next version. After an invalid version or the largest Int it is 1, since such a row must not cause an error. */
export function nextVersion(version: SqlValue): number {
  const next = Number(version) + 1;
  return Number.isSafeInteger(next) && next <= LARGEST_INT ? next : 1;
}

/**
 * Whether a change at the other end of a relation is quiet: it sets neither `version` nor `updatedAt`, and sends no
 * event. Otherwise a version that rises when a hidden object is deleted would reveal it.
 *
 * @param field the relation of the changed objects
 * @param other the type at its other end
 */
export function isQuietTo(field: RelationField, other: Entity): boolean {
  return field.auth?.read !== undefined || other.auth?.read !== undefined;
}

/** Whether two values of a column are equal; JSON, however it is spelled, if the storage is given. */
export function isSame(one: SqlValue, other: SqlValue, storage?: Storage): boolean {
  if (one === other) return true;
  // PostgreSQL stores JSON with blanks and an order of members of its own.
  if (storage === 'json') return typeof one === 'string' && typeof other === 'string' && isSameJson(one, other);
  // The same integer may be a number on one side and a BigInt on the other.
  return isNumber(one) && isNumber(other) && String(one) === String(other);
}

/** The same for a column that is named. */
export function isSameIn(table: EntityTable, column: string, one: SqlValue, other: SqlValue): boolean {
  return one === other || isSame(one, other, table.columns.find(({ name }) => name === column)?.storage);
}

function isNumber(value: SqlValue): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** GRAPH_NOT_FOUND for keys; `list` has sentences of missingText. */
export function notFound(unit: Pick<WriteUnit, 'field'>, list: readonly string[]): ProductError {
  return graphErrors.create('GRAPH_NOT_FOUND', { field: unit.field, list: list.join(' ') });
}
