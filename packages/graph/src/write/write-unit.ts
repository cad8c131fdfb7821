// What the parts of one write share: the transaction, the tables, what has changed, who writes and when. The lowest
// layer of writing: it inserts and updates rows, keeps defaults, and knows nothing of relations.
import { randomUUID } from 'node:crypto';
import type { Principal, ProductError } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { Snapshot } from '../feed/change.ts';
import type { ColumnField, Entity, Model, RelationField } from '../schema/model.ts';
import type { Session, SqlValue, Store } from '../store/store.ts';
import type { ChangeSet } from './change-set.ts';
import type { EntityTable, StoredRow, Values } from './entity-table.ts';

/** One write in its transaction. */
export interface WriteUnit {
  readonly model: Model;
  readonly session: Session;
  readonly dialect: Store['dialect'];
  readonly tables: ReadonlyMap<string, EntityTable>;
  readonly changes: ChangeSet;
  readonly principal: Principal;
  /** ISO time of the write; every default of one write is the same moment. */
  readonly now: string;
  /** The mutation field, for messages. */
  readonly field: string;
  readonly guard: RowGuard;
  /** Whether no read rule can hide an object of the type, or the field of one, from the caller. */
  readonly seesAll: (entity: Entity, field: string) => boolean;
  /** By type and key: the `version` and `updatedAt` that were set already, since they are set once per transaction. */
  readonly raised: Map<string, Values>;
  /** Objects whose rules are to be checked once everything is written. */
  readonly toCheck: WrittenObject[];
}

/** An object that was written, and by which of its fields. */
export interface WrittenObject {
  readonly entity: Entity;
  readonly key: SqlValue;
  readonly action: 'create' | 'update';
  readonly fields: Iterable<string>;
}

/** What is enough to read rows and decide about them. */
export type ReadUnit = Pick<WriteUnit, 'model' | 'session' | 'dialect' | 'tables' | 'principal'> & {
  /** The row that is decided about is no longer there; its type. */
  readonly gone?: string | undefined;
};

type Action = 'read' | 'create' | 'update' | 'delete';

/** The rules of a model, compiled. */
export interface RowGuard {
  /** Tells whether a row exists for the caller. */
  canSee(unit: ReadUnit, table: EntityTable, row: StoredRow): Promise<boolean>;
  /** The fields of a row that the caller may not read. */
  deniedFields(unit: ReadUnit, table: EntityTable, row: StoredRow): Promise<ReadonlySet<string>>;
  /** @throws GRAPH_FORBIDDEN when the caller may not do this with the row, or not with one of the fields given */
  check(
    unit: WriteUnit,
    table: EntityTable,
    row: StoredRow,
    action: 'create' | 'update' | 'delete',
    fields?: Iterable<string>,
  ): Promise<void>;
  /** The same for rules on the fields alone. */
  checkFields(
    unit: WriteUnit,
    table: EntityTable,
    row: StoredRow,
    action: 'create' | 'update',
    fields: Iterable<string>,
  ): Promise<void>;
  /**
   * Decides by the row alone, where no rule asks for others: whether the caller may do this with it and with the fields
   * given; undefined when that cannot be told so.
   */
  decideAlone(
    principal: Principal,
    entity: Entity,
    row: Snapshot,
    action: Action,
    fields?: Iterable<string>,
  ): boolean | undefined;
  /** Tells whether the entity or one of its fields has a rule for an action. */
  hasRule(entity: Entity, action: Action): boolean;
}

/** The table of an entity that the model is known to have. */
export function tableOf(unit: Pick<WriteUnit, 'tables'>, entity: string): EntityTable {
  return unit.tables.get(entity)!;
}

/** Inserts a row with its defaults and notes the change. */
export async function insertRow(unit: WriteUnit, table: EntityTable, given: Values): Promise<StoredRow> {
  const values: Values = new Map();
  const row = new Map<string, SqlValue>();
  for (const field of table.entity.fields.values()) {
    for (const column of columnsOfField(field)) {
      const value =
        given.get(column) ?? (field.kind === 'column' && !given.has(column) ? defaultOf(field, unit.now) : null);
      if (value === undefined) continue;
      values.set(column, value);
      row.set(column, value);
    }
  }
  row.set(table.entity.key.column, await table.insert(unit.session, values));
  if (table.rises) unit.raised.set(nameOf(table, row), new Map());
  unit.changes.created(table, row);
  return row;
}

function columnsOfField(
  field: Entity['fields'] extends ReadonlyMap<string, infer Each> ? Each : never,
): readonly string[] {
  if (field.kind === 'column') return [field.column];
  if (field.kind !== 'relation') return [];
  if (field.storage.kind === 'foreignKey') return [field.storage.column];
  return field.storage.kind === 'polymorphic' ? [field.storage.typeColumn, field.storage.keyColumn] : [];
}

/** The value of a field nobody gave; undefined when the database gives it. */
export function defaultOf(field: ColumnField, now: string): SqlValue | undefined {
  switch (field.default?.kind) {
    case 'now':
    case 'updatedAt':
      return now;
    case 'uuid':
      return randomUUID();
    case 'version':
      return 1;
    case 'identity':
      return undefined;
    case 'literal': {
      const { value } = field.default;
      return field.storage === 'json' ? JSON.stringify(value) : (value as SqlValue);
    }
    case undefined:
      return null;
  }
}

/** How a row is written, besides its columns. */
export interface UpdateManner {
  /** Something of the object changes that is not kept in its row: the fields that every update sets are set in any case. */
  readonly beyondRow?: boolean;
  /** Written from the other end of a relation that a read rule may hide: those fields stay, and subscribers get no event. */
  readonly quiet?: boolean;
}

/**
 * Writes what differs from the row as it is, with the fields that every update sets, and notes the change. Those are also set where a
 * value that may be withheld is written as it was: a version that stays would tell that a guess was right.
 *
 * @returns the row as it is afterwards; the same one when nothing differs
 */
export async function updateRow(
  unit: WriteUnit,
  table: EntityTable,
  before: StoredRow,
  given: Values,
  { beyondRow = false, quiet = false }: UpdateManner = {},
): Promise<StoredRow> {
  const values: Values = new Map();
  for (const [column, value] of given) {
    if (!isSame(before.get(column) ?? null, value)) values.set(column, value);
  }
  const isRising = (): boolean =>
    values.size > 0 || beyondRow || table.columns.some(({ name, withheld }) => withheld && given.has(name));
  if (table.rises && !quiet && isRising()) {
    const name = nameOf(table, before);
    const known = unit.raised.get(name);
    const risen = known ?? raise(unit, table, before, values);
    unit.raised.set(name, risen);
    for (const [column, value] of risen) values.set(column, value);
  }
  if (values.size === 0) return before;
  await table.update(unit.session, table.keyOf(before), values);
  const after = new Map([...before, ...values]);
  unit.changes.updated(table, before, after, quiet);
  return after;
}

function nameOf(table: EntityTable, row: StoredRow): string {
  return `${table.entity.name} ${String(table.keyOf(row))}`;
}

/** The fields that every update sets, as this one does. */
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

/** The next version. After a value that is no version, or the largest Int, it is 1: such a row must not raise an error. */
export function nextVersion(version: SqlValue): number {
  const next = Number(version) + 1;
  return Number.isSafeInteger(next) && next <= LARGEST_INT ? next : 1;
}

/**
 * Whether a change at the other end of a relation neither sets `version` and `updatedAt` of an object nor sends an event to subscribers.
 * A version that rises when a hidden object is deleted would reveal it.
 *
 * @param field the relation of the objects that it is about
 * @param other the type at its other end
 */
export function isQuietTo(field: RelationField, other: Entity): boolean {
  return field.auth?.read !== undefined || other.auth?.read !== undefined;
}

/** Tells whether two values of a column are one. */
export function isSame(one: SqlValue, other: SqlValue): boolean {
  // A whole number may come as a number from one side and as a BigInt from the other.
  return one === other || (isNumber(one) && isNumber(other) && String(one) === String(other));
}

function isNumber(value: SqlValue): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** GRAPH_NOT_FOUND for keys; `list` are sentences of missingText. */
export function notFound(unit: Pick<WriteUnit, 'field'>, list: readonly string[]): ProductError {
  return graphErrors.create('GRAPH_NOT_FOUND', { field: unit.field, list: list.join(' ') });
}
