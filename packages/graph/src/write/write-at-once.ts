// The short way of a plain create or update of one object on a database that answers at once: everything known beforehand
// is worked out at start-up, no promise is waited for, and the statements are the three or four that a patient person
// would write. Whatever is not plain (nested objects, rules that ask for other rows, any mistake or refusal) is left, before
// or after it is tried, to the general way (prepare-mutation.ts), which alone says what is wrong: both do the same.
import type { Principal } from '@lockstitch/kernel';
import { appendAtOnce } from '../feed/append.ts';
import type { Snapshot } from '../feed/change.ts';
import { isStorableTime } from '../plan/bound-value.ts';
import type { ColumnField, Model } from '../schema/model.ts';
import { isStoredTime } from '../schema/scalars.ts';
import type {
  AppendedRow,
  AttemptSession,
  MaybePromise,
  Row,
  Session,
  SqlValue,
  Statement,
  Store,
} from '../store/store.ts';
import { isSameShown } from './change-set.ts';
import { type EntityTable, fromDatabase, type TableColumn, toKey } from './entity-table.ts';
import type { InputRole } from './input-map.ts';
import type { MutationShape } from './mutation-shape.ts';
import type { WrittenRows } from './prepare-mutation.ts';
import { createReading, readColumn } from './read-values.ts';
import { defaultOf, isSame, nextVersion, type RowGuard } from './write-unit.ts';

type Args = Readonly<Record<string, unknown>>;

/** A call of a mutation field, what is read back, and what is made of that. */
export interface AtOnceCall<Read, T> {
  readonly args: Args;
  readonly principal: Principal;
  /** Called in the transaction. */
  readonly answer: (session: Session, written: WrittenRows) => Read;
  /** Called after the commit; `position` is that of the change in the feed, 0 when there was none. Must not throw. */
  readonly respond: (read: Read, position: number) => T;
}

/** A write with its values read, to be run inside a transaction (Attempt.work). It throws for whatever is not plain. */
export type AtOnceWork<T> = (session: AttemptSession) => () => T;

/** The short way of a mutation field. */
export interface AtOnce {
  /** Reads the arguments; undefined when they are not plain. */
  readonly read: <Read, T>(call: AtOnceCall<Read, T>) => AtOnceWork<T> | undefined;
  /** Whether rules may refuse what has been written already. */
  readonly careful: boolean;
}

/** What the short way needs. */
export interface AtOnceParts {
  readonly model: Model;
  readonly store: Store;
  readonly tables: ReadonlyMap<string, EntityTable>;
  readonly guard: RowGuard;
  /** The time of a write, as ISO text. */
  readonly now: () => string;
}

/** Thrown inside a transaction to have it undone; never leaves the writer. */
class NotPlain extends Error {}

/** A place where the arguments give a column its value. */
interface Input {
  readonly argument: string;
  readonly field: string;
  readonly index: number;
  /** The value to bind; undefined when it is not plain. */
  readonly read: (value: unknown) => SqlValue | undefined;
}

/** Makes the short way of a mutation field; undefined when it has none. */
export function createAtOnce(parts: AtOnceParts, shape: MutationShape): AtOnce | undefined {
  const { kind } = shape.binding;
  if (parts.store.attempt === undefined || (kind !== 'create' && kind !== 'update') || shape.binding.many)
    return undefined;
  if (typeof shape.input === 'object' && shape.input.list) return undefined;
  const table = parts.tables.get(shape.entity.name)!;
  const { columns } = table;
  // An object of several types takes two columns, and one snapshot of them both.
  if (columns.some(({ field }) => field.kind === 'relation' && field.storage.kind === 'polymorphic')) return undefined;
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

function readerOf({ model, guard }: AtOnceParts, role: InputRole): Input['read'] {
  if (role.kind === 'column') return columnReader(model, role.field);
  const { field } = role;
  const target = model.entities.get(field.target);
  // Of an object that has to be seen to be named, it is asked whether it is there.
  if (role.kind !== 'keys' || role.list || target === undefined || guard.hasRule(target, 'read')) return notPlain;
  return (value) => (value === null ? (field.nullable ? null : undefined) : toKey(target, value));
}

/** What readColumn reads, with the usual values read at once. */
function columnReader(model: Model, field: ColumnField): Input['read'] {
  const { storage } = field;
  return (value) => {
    if (!field.isKey && !field.unique) {
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
  /** By position of the column; undefined where nothing is given. */
  readonly values: (SqlValue | undefined)[];
  /** Names of the fields given. */
  readonly fields: string[];
}

/** `blank` holds nothing for each column. */
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
  return typeof input === 'object' ? ((args[input.argument] ?? {}) as Args) : args;
}

function createInsert(
  { guard, now }: AtOnceParts,
  shape: MutationShape,
  table: EntityTable,
  inputs: readonly Input[],
): AtOnce {
  const { entity } = shape;
  const { columns } = table;
  const keyIndex = columns.findIndex(({ field }) => field === entity.key);
  const counted = entity.key.default?.kind === 'identity';
  /** The columns that must be given, by position. */
  const required: number[] = [];
  for (const [index, { field }] of columns.entries()) {
    if (!field.nullable && (field.kind !== 'column' || field.default === undefined)) required.push(index);
  }
  const names = columns.map(({ name }) => name);
  const insertAll = kept(table.insertSql(names).plain);
  const insertCounted = kept(table.insertSql(names.filter((_, index) => index !== keyIndex)).plain);
  const ruled = guard.hasRule(entity, 'create');
  const blank = columns.map(() => undefined);

  const read: AtOnce['read'] = ({ args, principal, answer, respond }) => {
    const given = readInputs(inputs, sourceOf(shape, args), blank);
    if (given === undefined) return undefined;
    const { values, fields } = given;
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
        key = atOnce(insertCounted(session).insert(bound));
        row[keyIndex] = key;
      } else atOnce(insertAll(session).run(bound));
      const after = snapshotOf(columns, row);
      if (ruled) demand(guard.decideAlone(principal, entity, after, 'create', fields));
      const change = { type: entity.name, key: String(key), operation: 'created', after } as const;
      const entry = appendAtOnce(session, change, { principal: principal.name, at });
      const value = answer(session, { entity: entity.name, keys: [key], many: false });
      return () => respond(value, entry.key);
    };
  };
  // The rules may ask for the key, which is known when the row is there.
  return { read, careful: ruled };
}

function defaultValue(field: TableColumn['field'], now: string): SqlValue | undefined {
  return field.kind === 'column' ? defaultOf(field, now) : null;
}

function createUpdate(
  { guard, now }: AtOnceParts,
  shape: MutationShape,
  table: EntityTable,
  inputs: readonly Input[],
): AtOnce | undefined {
  const { entity } = shape;
  const { columns } = table;
  const keyIndex = columns.findIndex(({ field }) => field === entity.key);
  const keyInput = inputs.find(({ index }) => index === keyIndex)?.argument;
  if (shape.key === undefined ? keyInput === undefined : shape.key.list) return undefined;
  const versionIndex = columns.findIndex(({ field }) => field.name === shape.version);
  const automatic = new Map<number, 'updatedAt' | 'version'>();
  for (const [index, { field }] of columns.entries()) {
    const kind = field.kind === 'column' ? field.default?.kind : undefined;
    if (kind === 'updatedAt' || kind === 'version') automatic.set(index, kind);
  }
  const find = kept(table.findSql);
  const blank = columns.map(() => undefined);
  const booleans = columns.flatMap(({ storage }, index) => (storage === 'boolean' ? [index] : []));
  /** By the positions of the columns that change. */
  const updates = new Map<string, (session: Session) => Statement>();
  const ruledBefore = guard.hasRule(entity, 'read') || guard.hasRule(entity, 'update');
  const ruledAfter = guard.hasRule(entity, 'update');

  const updateOf = (changed: readonly number[]): ((session: Session) => Statement) => {
    const name = changed.join();
    let update = updates.get(name);
    if (update === undefined)
      updates.set(name, (update = kept(table.updateSql(changed.map((index) => columns[index]!.name)))));
    return update;
  };

  const read: AtOnce['read'] = ({ args, principal, answer, respond }) => {
    const source = sourceOf(shape, args);
    const named = shape.key === undefined ? source[keyInput!] : args[shape.key.argument];
    const key = named === undefined || named === null ? undefined : boundKey(toKey(entity, named));
    if (key === undefined || key === '') return undefined;
    const given = readInputs(inputs, source, blank, keyIndex);
    if (given === undefined) return undefined;
    const { values, fields } = given;
    const expected =
      shape.version === undefined ? undefined : ((args[shape.version] ?? undefined) as number | undefined);
    // Whether the caller may compare it, and that a key is not to change, is told in the general way.
    if (expected !== undefined && columns[versionIndex]!.withheld) return undefined;
    const repeated = shape.key === undefined || keyInput === undefined ? undefined : source[keyInput];
    if (repeated !== undefined && repeated !== null && toKey(entity, repeated) !== key) return undefined;
    return (session) => {
      const [found] = atOnce(find(session).rows([key]));
      if (found === undefined) throw new NotPlain();
      // As the driver made it, for nobody else.
      const row = found as SqlValue[];
      for (const index of booleans) row[index] = fromDatabase(row[index], columns[index]!);
      if (expected !== undefined && String(row[versionIndex]) !== String(expected)) throw new NotPlain();
      const before = ruledBefore ? snapshotOf(columns, row) : undefined;
      if (before !== undefined) {
        demand(guard.decideAlone(principal, entity, before, 'read'));
        demand(guard.decideAlone(principal, entity, before, 'update', fields));
      }
      const changed: number[] = [];
      let withheld = false;
      for (let index = 0; index < columns.length; index++) {
        const value = values[index];
        if (value === undefined) continue;
        withheld ||= columns[index]!.withheld;
        if (!isSame(row[index]!, value)) changed.push(index);
      }
      let entry: AppendedRow | undefined;
      if (changed.length > 0 || (withheld && automatic.size > 0)) {
        for (const index of automatic.keys()) if (!changed.includes(index)) changed.push(index);
        // In the order of the columns, as the general way tells them.
        if (automatic.size > 0) changed.sort((a, b) => a - b);
        const at = now();
        const former: Record<string, unknown> = {};
        for (const index of changed) columns[index]!.show(row[index]!, former, NO_ROW);
        const bound: SqlValue[] = [];
        for (const index of changed) {
          const kind = automatic.get(index);
          if (kind === 'version') row[index] = nextVersion(row[index]!);
          else row[index] = values[index] ?? (kind === 'updatedAt' && values[index] === undefined ? at : null);
          bound.push(row[index]);
        }
        const after = snapshotOf(columns, row);
        if (ruledAfter) demand(guard.decideAlone(principal, entity, after, 'update', fields));
        bound.push(key);
        atOnce(updateOf(changed)(session).run(bound));
        let differs = false;
        for (const index of changed) {
          const { name } = columns[index]!.field;
          if (isSameShown(former[name], after[name])) delete former[name];
          else differs = true;
        }
        if (differs) {
          const change = { type: entity.name, key: String(key), operation: 'updated', before: former, after } as const;
          entry = appendAtOnce(session, change, { principal: principal.name, at });
        }
      } else if (ruledAfter && before !== undefined)
        demand(guard.decideAlone(principal, entity, before, 'update', fields));
      const value = answer(session, { entity: entity.name, keys: [key], many: false });
      return () => respond(value, entry?.key ?? 0);
    };
  };
  return { read, careful: false };
}

/** A whole number as three statements bind it: made into a BigInt once, not by each of them. */
function boundKey(key: SqlValue | undefined): SqlValue | undefined {
  return typeof key === 'number' ? BigInt(key) : key;
}

function demand(decided: boolean | undefined): void {
  if (decided !== true) throw new NotPlain();
}

function snapshotOf(columns: readonly TableColumn[], row: Row): Snapshot {
  const shown: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++)
    columns[index]!.show((row[index] ?? null) as SqlValue, shown, NO_ROW);
  return shown;
}

/** Only columns that stand two for one field look at the row. */
const NO_ROW: ReadonlyMap<string, SqlValue> = new Map();

/** A statement's answer on a database that keeps nobody waiting. */
function atOnce<T>(value: MaybePromise<T>): T {
  if (!(value instanceof Promise)) return value;
  value.catch(() => undefined);
  throw new NotPlain();
}

/** Prepares with the first use, and keeps: the session of an attempt is one and the same. */
function kept(sql: string): (session: Session) => Statement {
  let statement: Statement | undefined;
  return (session) => (statement ??= session.prepare(sql));
}
