// The fast path of a plain create or update of one object on a synchronous database. Everything known beforehand is
// computed at start-up, no promise is awaited, and three or four statements run. Anything else (nested objects, rules
// over other rows, any mistake or violation) goes to the general path (prepare-mutation.ts) before or after the
// attempt, which alone reports errors. Both paths have the same effect.
import type { Principal } from '@lockstitch/kernel';
import { appendSync } from '../feed/append.ts';
import type { Snapshot } from '../feed/change.ts';
import { isStorableTime } from '../plan/bound-value.ts';
import { isGuaranteed, type ColumnField, type Entity, type Model } from '../schema/model.ts';
import { isStoredTime } from '../schema/scalars.ts';
import type { AppendedRow, AttemptSession, MaybePromise, Session, SqlValue, Statement, Store } from '../store/store.ts';
import { type EntityTable, fromDatabase, type TableColumn, toKey } from './entity-table.ts';
import type { InputBinding } from './input-map.ts';
import type { MutationShape } from './mutation-shape.ts';
import type { WrittenRows } from './mutation-targets.ts';
import { createReading, readColumn } from './read-values.ts';
import { isPolymorphic, RowChanges, snapshotOf } from './row-changes.ts';
import { defaultOf, type RowGuard } from './write-unit.ts';
import { membersIn } from '../present.ts';

type Args = Readonly<Record<string, unknown>>;

/** A call of a mutation field, what to read back, and what to make of it. */
export interface FastPathCall<Read, T> {
  readonly args: Args;
  readonly principal: Principal;
  /** Called in the transaction. */
  readonly answer: (session: Session, written: WrittenRows) => Read;
  /** Called after the commit; `position` is the feed position of the change, 0 without one. Must not throw. */
  readonly respond: (read: Read, position: number) => T;
}

/**
 * A write whose values have been read, to run inside a transaction (Attempt.work). Throws for anything that is not
 * plain.
 */
export type FastPathWork<T> = (session: AttemptSession) => () => T;

/** The fast path of a mutation field. */
export interface FastPath {
  /** Reads the arguments; undefined if they are not plain. */
  readonly read: <Read, T>(call: FastPathCall<Read, T>) => FastPathWork<T> | undefined;
  /** Whether rules may reject the object after it has been written. */
  readonly careful: boolean;
}

/** Inputs of the fast path. */
export interface FastPathParts {
  readonly model: Model;
  readonly store: Store;
  readonly tables: ReadonlyMap<string, EntityTable>;
  readonly guard: RowGuard;
  /** The time of a write, as ISO text. */
  readonly now: () => string;
}

/** Thrown inside a transaction to roll it back; never leaves the writer. */
class NotPlain extends Error {}

/** An argument that gives a column its value. */
interface Input {
  readonly argument: string;
  readonly field: string;
  readonly index: number;
  /** The value to bind; undefined if it is not plain. */
  readonly read: (value: unknown) => SqlValue | undefined;
}

/** Creates the fast path of a mutation field; undefined if it has none. */
export function createFastPath(parts: FastPathParts, shape: MutationShape): FastPath | undefined {
  const { kind } = shape.binding;
  if (parts.store.attempt === undefined || (kind !== 'create' && kind !== 'update') || shape.binding.many)
    return undefined;
  if (typeof shape.input === 'object' && shape.input.list) return undefined;
  const table = parts.tables.get(shape.entity.name)!;
  const { columns } = table;
  // Triggers record its rows, which the general path deletes again (capture/own-writes.ts).
  if (table.rereads || table.entity.captured) return undefined;
  // A polymorphic relation has two columns and one snapshot entry.
  if (columns.some(isPolymorphic)) return undefined;
  const inputs: Input[] = [];
  for (const [argument, role] of shape.values) {
    const index = columns.findIndex(({ field }) => field === role.field);
    if (inputs.some((input) => input.index === index && index >= 0)) return undefined;
    inputs.push({ argument, field: role.field.name, index, read: index < 0 ? notPlain : readerOf(parts, role) });
  }
  return kind === 'create' ? createInsert(parts, shape, table, inputs) : createUpdate(parts, shape, table, inputs);
}

function notPlain(): undefined {
  return undefined;
}

function readerOf({ model, guard }: FastPathParts, role: InputBinding): Input['read'] {
  if (role.kind === 'column') return columnReader(model, role.field);
  const { field } = role;
  const target = model.entities.get(field.target);
  // A reference to an object that may be hidden or missing must be checked first.
  if (role.kind !== 'keys' || role.list || target === undefined || guard.hasRule(target, 'read')) return notPlain;
  if (!isGuaranteed(field, target)) return notPlain;
  return (value) => (value === null ? (field.nullable ? null : undefined) : toKey(target, value));
}

/** As readColumn, with a shortcut for common values. */
function columnReader(model: Model, field: ColumnField): Input['read'] {
  const { storage } = field;
  return (value) => {
    if (!field.isKey && !field.unique && field.constraint === undefined) {
      if (typeof value === 'string' && storage === 'text' && value.isWellFormed() && !value.includes('\0'))
        return value;
      if (typeof value === 'boolean' && storage === 'boolean') return value;
      if (typeof value === 'number' && storage === 'integer' && Number.isSafeInteger(value)) return value;
      if (storage === 'timestamp') {
        if (typeof value === 'string' && isStoredTime(value)) return value;
        if (value instanceof Date && isStorableTime(value)) return value.toISOString();
      }
    }
    return readColumn(createReading(model), field, value, '');
  };
}

interface Given {
  /** By column position; undefined if not given. */
  readonly values: (SqlValue | undefined)[];
  /** Names of the given fields. */
  readonly fields: string[];
}

/** `blank` has undefined for each column. */
function readInputs(
  inputs: readonly Input[],
  source: Args,
  blank: readonly undefined[],
  skip?: number,
): Given | undefined {
  const values: (SqlValue | undefined)[] = blank.slice();
  const fields: string[] = [];
  for (const { argument, field, index, read } of inputs) {
    const value = source[argument];
    if (value === undefined) continue;
    fields.push(field);
    if (index === skip) continue;
    const stored = read(value);
    if (stored === undefined) return undefined;
    values[index] = stored;
  }
  return { values, fields };
}

function sourceOf({ input }: MutationShape, args: Args): Args {
  return typeof input === 'object' ? membersIn(args[input.argument]) : args;
}

function createInsert(
  { guard, now }: FastPathParts,
  shape: MutationShape,
  table: EntityTable,
  inputs: readonly Input[],
): FastPath {
  const { entity } = shape;
  const { columns } = table;
  const keyIndex = columns.findIndex(({ field }) => field === entity.key);
  const counted = entity.key.default?.kind === 'identity';
  /** The required columns, by position. */
  const required: number[] = [];
  for (const [index, { field }] of columns.entries()) {
    if (!field.nullable && (field.kind !== 'column' || field.default === undefined)) required.push(index);
  }
  const names = columns.map(({ name }) => name);
  const insertAll = preparedOnce(table.insertSql(names).plain);
  const insertCounted = preparedOnce(table.insertSql(names.filter((_, index) => index !== keyIndex)).plain);
  const ruled = guard.hasRule(entity, 'create');
  const blank = columns.map(() => undefined);

  const read: FastPath['read'] = ({ args, principal, answer, respond }) => {
    const given = readInputs(inputs, sourceOf(shape, args), blank);
    if (given === undefined) return undefined;
    const { values, fields } = given;
    if (ruled && guard.refuses(principal, entity, 'create', fields) !== undefined) return undefined;
    for (const index of required) if (values[index] === undefined) return undefined;
    return (session) => {
      const at = now();
      const row: SqlValue[] = [];
      const bound: SqlValue[] = [];
      for (let index = 0; index < columns.length; index++) {
        const given = values[index];
        const value = given === undefined ? defaultValue(columns[index]!.field, at) : given;
        if (value !== undefined) bound.push(value);
        row.push(value ?? null);
      }
      let key = row[keyIndex]!;
      if (counted && values[keyIndex] === undefined) {
        key = synchronous(insertCounted(session).insert(bound));
        row[keyIndex] = key;
      } else synchronous(insertAll(session).run(bound));
      const after = snapshotOf(columns, row);
      if (ruled) requireAllowed(guard.decideAlone(principal, entity, after, 'create', fields));
      const change = { type: entity.name, key: String(key), operation: 'created', after } as const;
      const entry = appendSync(session, change, { principal: principal.name, at });
      const value = answer(session, { entity: entity.name, keys: [key], many: false });
      return () => respond(value, entry.key);
    };
  };
  // Rules may read the key, which is known after the insert.
  return { read, careful: ruled };
}

function defaultValue(field: TableColumn['field'], now: string): SqlValue | undefined {
  return field.kind === 'column' ? defaultOf(field, now) : null;
}

function createUpdate(
  parts: FastPathParts,
  shape: MutationShape,
  table: EntityTable,
  inputs: readonly Input[],
): FastPath | undefined {
  const { entity } = shape;
  const { columns } = table;
  const keyIndex = columns.findIndex(({ field }) => field === entity.key);
  const keyInput = inputs.find(({ index }) => index === keyIndex)?.argument;
  if (shape.key === undefined ? keyInput === undefined : shape.key.list || shape.key.isNodeId === true)
    return undefined;
  const versionIndex = columns.findIndex(({ field }) => field.name === shape.version);
  const blank = columns.map(() => undefined);
  const ruled = parts.guard.hasRule(entity, 'update');
  const update = new RowUpdate(parts, table, versionIndex);

  const read: FastPath['read'] = ({ args, principal, answer, respond }) => {
    const source = sourceOf(shape, args);
    const named = shape.key === undefined ? source[keyInput!] : args[shape.key.argument];
    const key = named === undefined || named === null ? undefined : boundKey(toKey(entity, named));
    if (key === undefined || key === '') return undefined;
    const given = readInputs(inputs, source, blank, keyIndex);
    if (given === undefined) return undefined;
    if (ruled && parts.guard.refuses(principal, entity, 'update', given.fields) !== undefined) return undefined;
    const version = shape.version === undefined ? undefined : args[shape.version];
    const expected = typeof version === 'number' ? version : undefined;
    // The general path checks whether the caller may compare the version, and reports a changed key.
    if (expected !== undefined && columns[versionIndex]!.withheld) return undefined;
    const repeated = shape.key === undefined || keyInput === undefined ? undefined : source[keyInput];
    if (repeated !== undefined && repeated !== null && toKey(entity, repeated) !== key) return undefined;
    return (session) => {
      const entry = update.run(session, principal, key, given, expected);
      const value = answer(session, { entity: entity.name, keys: [key], many: false });
      return () => respond(value, entry?.key ?? 0);
    };
  };
  return { read, careful: false };
}

/** Updates rows of one table by key. */
class RowUpdate {
  readonly #entity: Entity;
  readonly #columns: readonly TableColumn[];
  readonly #guard: RowGuard;
  readonly #now: () => string;
  readonly #versionIndex: number;
  readonly #changes: RowChanges;
  readonly #booleans: readonly number[];
  readonly #find: (session: Session) => Statement;
  readonly #updateSql: EntityTable['updateSql'];
  /** By the positions of the changed columns. */
  readonly #updates = new Map<string, (session: Session) => Statement>();
  readonly #isRuledBefore: boolean;
  readonly #isRuledAfter: boolean;

  constructor({ guard, now }: FastPathParts, { entity, columns, findSql, updateSql }: EntityTable, version: number) {
    this.#entity = entity;
    this.#columns = columns;
    this.#guard = guard;
    this.#now = now;
    this.#versionIndex = version;
    this.#changes = new RowChanges(columns);
    this.#booleans = columns.flatMap(({ storage }, index) => (storage === 'boolean' ? [index] : []));
    this.#find = preparedOnce(findSql);
    this.#updateSql = updateSql;
    this.#isRuledBefore = guard.hasRule(entity, 'read') || guard.hasRule(entity, 'update');
    this.#isRuledAfter = guard.hasRule(entity, 'update');
  }

  /** Updates a row; returns its feed entry, or undefined if nothing changed. @throws NotPlain */
  run(
    session: Session,
    principal: Principal,
    key: SqlValue,
    { values, fields }: Given,
    expected: number | undefined,
  ): AppendedRow | undefined {
    const row = this.#read(session, key);
    if (expected !== undefined && String(row[this.#versionIndex]) !== String(expected)) throw new NotPlain();
    const before = this.#isRuledBefore ? snapshotOf(this.#columns, row) : undefined;
    if (before !== undefined) {
      this.#require(principal, before, 'read', [this.#entity.key.name]);
      this.#require(principal, before, 'update', fields);
    }
    const changed = this.#changes.changed(row, values);
    if (changed.length === 0) {
      if (this.#isRuledAfter && before !== undefined) this.#require(principal, before, 'update', fields);
      return undefined;
    }
    const at = this.#now();
    const former = this.#changes.former(row, changed);
    const bound = this.#changes.set(row, values, changed, at);
    const after = snapshotOf(this.#columns, row);
    if (this.#isRuledAfter) this.#require(principal, after, 'update', fields);
    bound.push(key);
    synchronous(this.#updateOf(changed)(session).run(bound));
    if (!this.#changes.keepDifferences(former, after, changed)) return undefined;
    const type = this.#entity.name;
    const change = { type, key: String(key), operation: 'updated', before: former, after } as const;
    return appendSync(session, change, { principal: principal.name, at });
  }

  #read(session: Session, key: SqlValue): SqlValue[] {
    const [found] = synchronous(this.#find(session).rows([key]));
    if (found === undefined) throw new NotPlain();
    // The driver created the array for this caller only.
    const row = found as SqlValue[];
    for (const index of this.#booleans) row[index] = fromDatabase(row[index], this.#columns[index]!);
    return row;
  }

  #require(principal: Principal, row: Snapshot, action: 'read' | 'update', fields?: readonly string[]): void {
    requireAllowed(this.#guard.decideAlone(principal, this.#entity, row, action, fields));
  }

  #updateOf(changed: readonly number[]): (session: Session) => Statement {
    const name = changed.join();
    let update = this.#updates.get(name);
    if (update === undefined) {
      update = preparedOnce(this.#updateSql(changed.map((index) => this.#columns[index]!.name)));
      this.#updates.set(name, update);
    }
    return update;
  }
}

/** Three statements bind the same integer: converted to a BigInt once. */
function boundKey(key: SqlValue | undefined): SqlValue | undefined {
  return typeof key === 'number' ? BigInt(key) : key;
}

function requireAllowed(decided: boolean | undefined): void {
  if (decided !== true) throw new NotPlain();
}

/** The result of a statement on a synchronous database. */
function synchronous<T>(value: MaybePromise<T>): T {
  if (!(value instanceof Promise)) return value;
  // The same write is repeated on the other path, which reports its error.
  value.catch(() => undefined);
  throw new NotPlain();
}

/** Prepared on first use and cached; the session of an attempt is always the same. */
function preparedOnce(sql: string): (session: Session) => Statement {
  let statement: Statement | undefined;
  return (session) => (statement ??= session.prepare(sql));
}
