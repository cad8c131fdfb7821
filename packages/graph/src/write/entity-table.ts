// Reads and writes rows of one entity by key: statements, conversion of values, and the snapshots for the feed. Not
// here: effects on other objects.
import type { Snapshot } from '../feed/change.ts';
import {
  entityOf,
  type ColumnField,
  type Entity,
  type Model,
  type RelationField,
  type Storage,
  isStoredField,
} from '../schema/model.ts';
import { fromSortable, sortableDecimal, toStoredDecimal } from '../schema/decimal.ts';
import type { Row, Session, SqlValue, Store } from '../store/store.ts';
import { isLongerThan } from '../store/text-limit.ts';
import { storedValues } from './composite-values.ts';
import { createTableSql, type InsertSql, type ReadManner, type TableSql } from './table-sql.ts';
import { toInteger } from './to-integer.ts';
import { first, lookUp, membersIn } from '../present.ts';

/** Column values of a row; absent columns are not written. */
export type Values = Map<string, SqlValue>;

/** A row in the database, by column name. */
export type StoredRow = ReadonlyMap<string, SqlValue>;

/** A column of an entity's table. */
export interface TableColumn {
  readonly name: string;
  /** The field stored in it, alone or with other columns. */
  readonly field: ColumnField | RelationField;
  readonly storage: Storage;
  /** Whether a read rule may hide the value from a caller who writes it: the rule of the field or of its target. */
  readonly withheld: boolean;
  /** Adds the value to a snapshot. */
  readonly show: (value: SqlValue, into: Record<string, unknown>, row: StoredRow) => void;
  /** Reads the value from a snapshot. */
  readonly hide: (snapshot: Snapshot) => SqlValue;
}

/** The rows of one entity. Deleted ones (Entity.softDelete) are read by `findDeleted` and `claimDeleted` only. */
export interface EntityTable {
  readonly entity: Entity;
  readonly columns: readonly TableColumn[];
  /** Whether every update sets some fields. */
  readonly hasAutomaticFields: boolean;
  /** Whether the database may store other values than are written, so that a written row is read again. */
  readonly rereads: boolean;
  /** The columns in the engine's form, to select from the table or from rows of its shape. */
  readonly selected: string;
  /** Selects the columns of a row by key, with a row lock on PostgreSQL. */
  readonly findSql: string;
  /** Inserts these columns; `returning` also returns the key, if the database needs that (Statement.insert). */
  readonly insertSql: (names: Iterable<string>) => InsertSql;
  /** Updates these columns; the key is bound last. */
  readonly updateSql: (names: Iterable<string>) => string;
  /** Reads a row; on PostgreSQL it is locked until the end of the transaction. */
  find(session: Session, key: SqlValue): Promise<StoredRow | undefined>;
  /** The same for a row that is deleted and stays in the table. */
  findDeleted(session: Session, key: SqlValue): Promise<StoredRow | undefined>;
  /** Reads and locks deleted rows where a column has one of the values. */
  claimDeleted(session: Session, column: string, values: readonly SqlValue[]): Promise<readonly StoredRow[]>;
  /** Whether a row is deleted. */
  isDeleted(row: StoredRow): boolean;
  /** Reads the rows where a column has one of the values. */
  findBy(session: Session, column: string, values: readonly SqlValue[]): Promise<readonly StoredRow[]>;
  /** The same, and nobody changes or deletes them until the end of the transaction (`FOR SHARE` on PostgreSQL). */
  shareBy(session: Session, column: string, values: readonly SqlValue[]): Promise<readonly StoredRow[]>;
  /**
   * Reads and locks rows before writing them. Waits for concurrent deletions, so that the feed has each change once and
   * none after a deletion.
   */
  claimBy(session: Session, column: string, values: readonly SqlValue[]): Promise<readonly StoredRow[]>;
  /** The same for the rows that have all of these values. */
  claimAll(session: Session, values: Values): Promise<readonly StoredRow[]>;
  /** The existing keys among these, as text. */
  existing(session: Session, keys: readonly SqlValue[]): Promise<ReadonlySet<string>>;
  /** Inserts a row and returns its key. */
  insert(session: Session, values: Values): Promise<SqlValue>;
  /** Whether rows have the same columns, and either bring their keys or have integers that the database generates. */
  canInsertAll(rows: readonly Values[]): boolean;
  /** Inserts such rows by few statements, and returns the keys. */
  insertAll(session: Session, rows: readonly Values[]): Promise<readonly SqlValue[]>;
  /** Inserts a row unless its key or a unique value exists, and returns its key; undefined if it exists. */
  insertNew(session: Session, values: Values): Promise<SqlValue | undefined>;
  update(session: Session, key: SqlValue, values: Values): Promise<void>;
  /** Gives several rows the same values. */
  updateAll(session: Session, keys: readonly SqlValue[], values: Values): Promise<void>;
  /** Deletes rows, by one statement unless they may refer to each other; a database may refuse that at the first row. */
  removeAll(session: Session, keys: readonly SqlValue[]): Promise<void>;
  keyOf(row: StoredRow): SqlValue;
  /** The place of the key in `columns`. */
  readonly keyIndex: number;
  /** The row of a statement that selects `columns`. */
  readonly toRow: (row: Row) => StoredRow;
  snapshot(row: StoredRow): Snapshot;
  /** The row of a snapshot. */
  fromSnapshot(snapshot: Snapshot): StoredRow;
  /** Converts a client's key for binding; undefined if no object can have it. */
  toKey(value: unknown): SqlValue | undefined;
}

/** The tables of a model's entities, by entity name. */
export function createEntityTables(model: Model, store: Store): ReadonlyMap<string, EntityTable> {
  return new Map([...model.entities.values()].map((entity) => [entity.name, createEntityTable(entity, model, store)]));
}

function createEntityTable(entity: Entity, model: Model, { dialect }: Store): EntityTable {
  const columns = columnsOf(entity, model);
  const keyName = entity.key.column;
  const sql = createTableSql(entity, columns, dialect);
  const toRow = (row: Row): StoredRow => {
    const stored = new Map<string, SqlValue>();
    columns.forEach((column, index) => stored.set(column.name, fromDatabase(row[index], column)));
    return stored;
  };
  return {
    entity,
    columns,
    hasAutomaticFields: columns.some(
      ({ field }) =>
        field.kind === 'column' && (field.default?.kind === 'version' || field.default?.kind === 'updatedAt'),
    ),
    rereads: entity.unmanaged || [...entity.fields.values()].some((field) => isStoredField(field) && field.unmanaged),
    selected: sql.list,
    findSql: sql.find,
    insertSql: sql.insert,
    updateSql: sql.update,
    ...createReads(entity, sql, toRow),
    ...createWrites(entity, columns, sql, dialect),
    keyOf: (row) => lookUp(row, keyName),
    keyIndex: columns.findIndex(({ name }) => name === keyName),
    toRow,
    snapshot(row) {
      const shown: Record<string, unknown> = {};
      for (const column of columns) column.show(row.get(column.name) ?? null, shown, row);
      return shown;
    },
    fromSnapshot: (snapshot) => new Map(columns.map((column) => [column.name, column.hide(snapshot)])),
    toKey: (value) => toKey(entity, value),
  };
}

function createReads(
  entity: Entity,
  sql: TableSql,
  toRow: (row: Row) => StoredRow,
): Pick<
  EntityTable,
  'find' | 'findDeleted' | 'claimDeleted' | 'isDeleted' | 'findBy' | 'shareBy' | 'claimBy' | 'claimAll' | 'existing'
> {
  const readBy = async (
    session: Session,
    name: string,
    values: readonly SqlValue[],
    how: ReadManner,
  ): Promise<readonly StoredRow[]> => {
    if (values.length === 0) return [];
    return (await session.prepare(sql.findBy(name, how)).rows([jsonText(values)])).map(toRow);
  };
  return {
    async find(session, key) {
      const [row] = await session.prepare(sql.find).rows([key]);
      return row === undefined ? undefined : toRow(row);
    },
    async findDeleted(session, key) {
      if (sql.findDeleted === undefined) return undefined;
      const [row] = await session.prepare(sql.findDeleted).rows([key]);
      return row === undefined ? undefined : toRow(row);
    },
    isDeleted(row) {
      if (entity.softDelete === undefined) return false;
      const value = row.get(entity.softDelete.column) ?? null;
      return value !== null && value !== false;
    },
    findBy: (session, name, values) => readBy(session, name, values, 'read'),
    shareBy: (session, name, values) => readBy(session, name, values, 'shared'),
    claimBy: (session, name, values) => readBy(session, name, values, 'locked'),
    claimDeleted: async (session, name, values) =>
      entity.softDelete === undefined ? [] : readBy(session, name, values, 'deleted'),
    async claimAll(session, values) {
      const bound = [...values.values()].map((value) => jsonText([value]));
      return (await session.prepare(sql.claimAll([...values.keys()])).rows(bound)).map(toRow);
    },
    async existing(session, keys) {
      if (keys.length === 0) return new Set();
      const rows = await session.prepare(sql.existing).rows([jsonText(keys)]);
      return new Set(rows.map((row) => String(row[0])));
    },
  };
}

function createWrites(
  entity: Entity,
  columns: readonly TableColumn[],
  sql: TableSql,
  dialect: Store['dialect'],
): Pick<EntityTable, 'insert' | 'canInsertAll' | 'insertAll' | 'insertNew' | 'update' | 'updateAll' | 'removeAll'> {
  const keyName = entity.key.column;
  // A sequence must not return a given key later, and RETURNING promises no order of other keys.
  const isNumbered = entity.key.default?.kind === 'identity';
  const hasComposites = columns.some(
    ({ name, field }) => field.kind === 'relation' && entity.natives?.get(name)?.columns !== undefined,
  );
  const stored = (values: Values): ReadonlyMap<string, SqlValue> =>
    hasComposites ? storedValues(values, entity.natives) : values;
  const isAlone =
    entity.unmanaged ||
    [...entity.fields.values()].some((field) => field.kind === 'relation' && field.target === entity.name);
  return {
    async insert(session, written) {
      const values = stored(written);
      const given = values.get(keyName);
      const texts = sql.insert(values.keys());
      if (given === undefined && sql.insertReturning !== undefined) {
        const [row] = await session.prepare(sql.insertReturning(values.keys())).rows([...values.values()]);
        return row?.[0] ?? null;
      }
      if (given === undefined) return session.prepare(texts.returning).insert([...values.values()]);
      await session.prepare(texts.plain).run([...values.values()]);
      if (sql.advance !== undefined) await session.prepare(sql.advance).rows([given]);
      return given;
    },
    canInsertAll(rows) {
      if (entity.unmanaged || hasComposites) return false;
      const names = rows.map((row) => [...row.keys()].join());
      return (
        names[0] !== '' && names.every((each, index) => each === names[0] && rows[index]!.has(keyName) !== isNumbered)
      );
    },
    async insertAll(session, rows) {
      const names = [...first(rows).keys()];
      if (dialect === 'sqlite') return insertInChunks(session, rows, { entity, isNumbered, names, sql });
      const json = `[${rows.map((row) => jsonText([...row.values()])).join(',')}]`;
      const inserted = await session.prepare(sql.insertAll(names, rows.length)).rows([json]);
      return isNumbered ? sortedByKey(inserted).map(([key]) => key ?? null) : rows.map((row) => lookUp(row, keyName));
    },
    async insertNew(session, written) {
      const values = stored(written);
      const [row] = await session.prepare(sql.insertNew(values.keys())).rows([...values.values()]);
      const given = values.get(keyName);
      if (row !== undefined && given !== undefined && sql.advance !== undefined)
        await session.prepare(sql.advance).rows([given]);
      return row?.[0];
    },
    async update(session, key, written) {
      const values = stored(written);
      await session.prepare(sql.update(values.keys())).run([...values.values(), key]);
    },
    async updateAll(session, keys, written) {
      const values = stored(written);
      await session.prepare(sql.updateAll(values.keys())).run([...values.values(), jsonText(keys)]);
    },
    async removeAll(session, keys) {
      if (keys.length > 1 && !isAlone) await session.prepare(sql.removeAll).run([jsonText(keys)]);
      else for (const key of keys) await session.prepare(sql.remove).run([key]);
    },
  };
}

/** Inserts rows of the same columns on SQLite. @returns their keys */
async function insertInChunks(
  session: Session,
  rows: readonly Values[],
  { entity, isNumbered, names, sql }: InsertShape,
): Promise<readonly SqlValue[]> {
  const keys: SqlValue[] = [];
  // A trigger may insert between the rows of one statement.
  const most = isNumbered && rows.length > 1 && (await hasTriggers(session, entity.table)) ? 1 : MOST_AT_ONCE;
  for (let start = 0; start < rows.length;) {
    const count = Math.min(most, 2 ** (31 - Math.clz32(rows.length - start)));
    const chunk = rows.slice(start, start + count);
    const values = chunk.flatMap((row) => [...row.values()]);
    const inserted = await session.prepare(sql.insertAll(names, count)).insert(values);
    // The last key; those of one statement are consecutive.
    for (const [index, row] of chunk.entries())
      keys.push(
        isNumbered ? toInteger(String(BigInt(inserted) - BigInt(count - 1 - index))) : lookUp(row, entity.key.column),
      );
    start += count;
  }
  return keys;
}

/** What the rows of one INSERT share. */
interface InsertShape {
  readonly entity: Entity;
  readonly isNumbered: boolean;
  readonly names: readonly string[];
  readonly sql: TableSql;
}

/** Rows of one INSERT, a power of two so that there are few texts. */
const MOST_AT_ONCE = 8;

/** Generated keys rise in the order of the rows; RETURNING promises no order. */
function sortedByKey(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted(([one], [other]) => Number(BigInt(String(one)) - BigInt(String(other))));
}

/** Maximum bytes of a unique text: PostgreSQL limits an index row to 2,704 bytes with its header. */
export const LONGEST_UNIQUE = 2600;

/** Converts a client's key: text is unchanged, and an integer key becomes a number. */
export function toKey(entity: Pick<Entity, 'key'>, value: unknown): SqlValue | undefined {
  if (entity.key.storage !== 'integer') {
    const text =
      typeof value === 'string'
        ? value
        : typeof value === 'number' || typeof value === 'bigint'
          ? String(value)
          : undefined;
    if (text === undefined || text.includes('\0') || !text.isWellFormed()) return undefined;
    const texts = entity.key.native?.texts;
    if (texts !== undefined && !new RegExp(texts.pattern).test(text)) return undefined;
    return isLongerThan(text, LONGEST_UNIQUE) ? undefined : text;
  }
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value === 'bigint') return toKey(entity, String(value));
  // Only the canonical form: "007" and " 7" match no key, as in a look-up.
  if (typeof value !== 'string' || !/^(?:0|-?[1-9]\d{0,18})$/.test(value)) return undefined;
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  const whole = BigInt(value);
  return BigInt.asIntN(64, whole) === whole ? whole : undefined;
}

function columnsOf(entity: Entity, model: Model): readonly TableColumn[] {
  const columns: TableColumn[] = [];
  for (const field of entity.fields.values()) {
    if (field.kind === 'column') {
      const isId = field.typeName === 'ID' && field.storage === 'integer';
      columns.push({
        name: field.column,
        field,
        storage: field.storage,
        withheld: field.auth?.read !== undefined,
        show: (value, into) => {
          into[field.name] = isId && value !== null ? String(value) : toJson(value, field.storage);
        },
        hide: (snapshot) => {
          const value = (snapshot[field.name] ?? null) as SqlValue;
          if (value === null) return null;
          if (field.storage === 'json') return JSON.stringify(value);
          if (field.storage === 'decimal') return toStoredDecimal(value);
          return field.storage === 'integer' && typeof value === 'string' ? toInteger(value) : value;
        },
      });
    } else if (field.kind === 'relation' && field.storage.kind === 'foreignKey') {
      const target = entityOf(model, field.target);
      columns.push({
        name: field.storage.column,
        field,
        storage: target.key.storage,
        withheld: field.auth?.read !== undefined || target.auth?.read !== undefined,
        show: (value, into) => {
          into[field.name] = value === null ? null : String(value);
        },
        hide: (snapshot) => toKey(target, snapshot[field.name]) ?? null,
      });
    } else if (field.kind === 'relation' && field.storage.kind === 'polymorphic') {
      const { typeColumn, keyColumn } = field.storage;
      columns.push({
        name: typeColumn,
        field,
        storage: 'text',
        withheld: true,
        show: (value, into, row) => {
          into[field.name] = value === null ? null : { type: value, key: row.get(keyColumn) };
        },
        hide: (snapshot) => memberOf(snapshot[field.name], 'type'),
      });
      columns.push({
        name: keyColumn,
        field,
        storage: 'text',
        withheld: true,
        show: () => undefined,
        hide: (snapshot) => memberOf(snapshot[field.name], 'key'),
      });
    }
  }
  return columns;
}

function memberOf(value: unknown, name: 'type' | 'key'): SqlValue {
  return (membersIn(value)[name] ?? null) as SqlValue;
}

/** Converts a value from the driver. */
export function fromDatabase(value: unknown, { storage }: TableColumn): SqlValue {
  if (storage === 'boolean' && typeof value === 'number') return value !== 0;
  // PostgreSQL returns the number with the scale of its column; NaN is unchanged.
  if (storage === 'decimal' && typeof value === 'string') return value.includes(' ') ? value : sortableDecimal(value);
  return value as SqlValue;
}

function toJson(value: SqlValue, storage: Storage): unknown {
  if (value === null) return null;
  if (storage === 'json' && typeof value === 'string') return parsed(value);
  if (storage === 'decimal' && typeof value === 'string') return fromSortable(value);
  // Beyond 2^53, JSON numbers lose digits.
  return typeof value === 'bigint' ? String(value) : value;
}

/** Rules and deletions read rows that may be hidden from the caller: malformed JSON is null, not an error. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** JSON text of values to bind; a BigInt as its digits. */
function jsonText(values: readonly SqlValue[]): string {
  return `[${values.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))).join(',')}]`;
}

async function hasTriggers(session: Session, table: string): Promise<boolean> {
  const found = await session
    .prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE")
    .text([table]);
  return found !== '0';
}
