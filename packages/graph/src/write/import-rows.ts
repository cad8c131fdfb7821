// Imports rows in bulk. Each row is validated separately and rejected with reasons. Written rows get feed entries in
// the same transaction, like any write. @auth rules are not evaluated: the importer owns the database.
import { ANONYMOUS, didYouMean, type Clock, type Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { createOwnWrites } from '../capture/own-writes.ts';
import { appendTo } from '../feed/append.ts';
import { columnType } from '../migrate/table-shape.ts';
import { quoteName, quoteTable } from '../schema/table-name.ts';
import { entityOf, type Entity, type Model } from '../schema/model.ts';
import { fromSortable } from '../schema/decimal.ts';
import { ConstraintViolation, type Session, type SqlValue, type Store } from '../store/store.ts';
import { createChangeSet } from './change-set.ts';
import { constraintError } from './constraint-error.ts';
import { createEntityTables, type EntityTable, type StoredRow, type Values } from './entity-table.ts';
import { findMatches, keysToMatch, matchOf, nameOf, updateFromRow } from './import-upsert.ts';
import { insertMemberRow, insertJoinRow } from './join-rows.ts';
import { type ImportRow, noTarget, readImportRow, type ReadRow } from './read-import-row.ts';
import { OPEN_GUARD } from './row-guard.ts';
import { tableOf, type WriteUnit } from './write-unit.ts';

export type { ImportRow } from './read-import-row.ts';

/** A row that was not written. */
export interface ImportRejection {
  /** Counted from 0 over all batches. */
  readonly index: number;
  readonly reasons: readonly string[];
}

/** Options of an import. */
export interface ImportOptions {
  /** Default: anonymous. */
  readonly principal?: Principal;
  /** All rows or none, in one transaction (default). False: one transaction per batch; valid rows are kept. */
  readonly atomic?: boolean;
  /** A row whose key or unique value exists is rejected (default), skipped, or updates the object. */
  readonly onConflict?: 'reject' | 'skip' | 'update';
  /** With `update`: the fields of the unique key that finds the object. Default: the first one of which a row has all values. */
  readonly by?: readonly string[];
  /** Called for each rejected row. */
  readonly onReject?: (rejection: ImportRejection) => void;
  /** Called after each batch. */
  readonly onProgress?: (progress: {
    readonly read: number;
    readonly written: number;
    readonly rejected: number;
  }) => void;
}

/** The result of an import. */
export interface ImportResult {
  readonly read: number;
  /** Rows written and committed. */
  readonly written: number;
  readonly rejected: number;
  readonly skipped: number;
  /** With `update`: rows that changed an object, which are written too, and rows that changed nothing, which are not. */
  readonly updated?: number;
  readonly unchanged?: number;
  /** False if rejected rows rolled back an atomic import. */
  readonly committed: boolean;
  /** Position of the last feed entry; 0 if there is none. */
  readonly position: number;
}

/** Imports rows of one type; batches of about 1,000 rows are fast. */
export type ImportRows = (
  type: string,
  batches: Iterable<readonly ImportRow[]> | AsyncIterable<readonly ImportRow[]>,
  options?: ImportOptions,
) => Promise<ImportResult>;

/** Rolls back an atomic import; never leaves this file. */
class Undo extends Error {}

/** Creates the importer of a model; its tables must exist. */
export function createImporter(of: {
  readonly model: Model;
  readonly store: Store;
  readonly clock: Clock;
}): ImportRows {
  const { model, store, clock } = of;
  const tables = createEntityTables(model, store);
  const append = appendTo(store);
  const ownWrites = createOwnWrites(model, store, tables);

  return async (type, batches, options = {}) => {
    try {
      return await importAll(type, batches, options);
    } catch (error) {
      if (!(error instanceof ConstraintViolation)) throw error;
      throw constraintError(error, 'The import', model, model.entities.get(type));
    }
  };

  async function importAll(...[type, batches, options = {}]: Parameters<ImportRows>): ReturnType<ImportRows> {
    const entity = model.entities.get(type);
    if (entity === undefined)
      throw graphErrors.create('GRAPH_TYPE_UNKNOWN', { type, suggestion: didYouMean(type, model.entities.keys()) });
    const { principal = ANONYMOUS, atomic = true } = options;
    const updates = options.onConflict === 'update';
    const keys = updates ? keysToMatch(entity, options.by) : [];
    const count = {
      ...{ read: 0, written: 0, rejected: 0, skipped: 0, position: 0 },
      ...(updates && { updated: 0, unchanged: 0 }),
    };
    const writeBatch = async (session: Session, rows: readonly ImportRow[]): Promise<void> => {
      const now = new Date(clock.now()).toISOString();
      const base = {
        model,
        session,
        dialect: store.dialect,
        tables,
        principal,
        now,
        field: 'import',
        toCheck: [],
        raised: new Map(),
        guard: OPEN_GUARD,
        seesAll: () => true,
      };
      const unit: WriteUnit = { ...base, changes: createChangeSet() };
      const mark = await ownWrites?.mark(session);
      const outcome = await importBatch(unit, entity, rows, { ...options, keys }, count.read);
      const written = unit.changes.changes();
      const changes = mark === undefined ? written : await ownWrites!.settle(session, mark, written);
      const position = await append(session, changes, { principal: principal.name, at: now });
      count.read += rows.length;
      count.written += outcome.written;
      count.rejected += outcome.rejected;
      count.skipped += outcome.skipped;
      if (count.updated !== undefined) count.updated += outcome.updated;
      if (count.unchanged !== undefined) count.unchanged += outcome.unchanged;
      count.position = Math.max(count.position, position);
      options.onProgress?.({ read: count.read, written: count.written, rejected: count.rejected });
    };
    if (!atomic) {
      for await (const rows of batches) await store.transaction((session) => writeBatch(session, rows));
      return { ...count, committed: true };
    }
    try {
      await store.transaction(async (session) => {
        for await (const rows of batches) await writeBatch(session, rows);
        if (count.rejected > 0) throw new Undo();
      });
    } catch (error) {
      if (!(error instanceof Undo)) throw error;
      const none = updates ? { written: 0, updated: 0, unchanged: 0 } : { written: 0 };
      return { ...count, ...none, committed: false, position: 0 };
    }
    return { ...count, committed: true };
  }
}

interface BatchOutcome {
  readonly written: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly updated: number;
  readonly unchanged: number;
}

interface BatchOptions extends ImportOptions {
  /** The unique keys that find objects to update; none: rows are inserted only. */
  readonly keys: ReturnType<typeof keysToMatch>;
}

interface Candidate {
  readonly index: number;
  readonly read: ReadRow;
}

async function importBatch(
  unit: WriteUnit,
  entity: Entity,
  rows: readonly ImportRow[],
  options: BatchOptions,
  offset: number,
): Promise<BatchOutcome> {
  const table = tableOf(unit, entity.name);
  const candidates: Candidate[] = rows.map((row, index) => ({
    index: offset + index,
    read: readImportRow(unit.model, entity, row, unit.now),
  }));
  const total = { written: 0, rejected: 0, skipped: 0, updated: 0, unchanged: 0 };
  for (let start = 0; start < candidates.length;) {
    const end = start + countDistinct(candidates, start, options.keys);
    const outcome = await importDistinct(unit, table, candidates.slice(start, end), options);
    for (const name of ['written', 'rejected', 'skipped', 'updated', 'unchanged'] as const)
      total[name] += outcome[name];
    start = end;
  }
  return total;
}

/** Imports rows of different objects. */
async function importDistinct(
  unit: WriteUnit,
  table: EntityTable,
  candidates: readonly Candidate[],
  options: BatchOptions,
): Promise<BatchOutcome> {
  const { entity } = table;
  const others = await loadOthers(unit, table, candidates);
  let rejected = 0;
  const reject = (index: number, reasons: readonly string[]): void => {
    rejected++;
    options.onReject?.({ index, reasons });
  };
  const sound: Candidate[] = [];
  const counts = { updated: 0, unchanged: 0, taken: 0 };
  const present = await findMatches(
    unit,
    table,
    candidates.flatMap(({ read }) => matchOf(read, options.keys) ?? []),
  );
  for (const { index, read } of candidates) {
    const match = matchOf(read, options.keys);
    const before = match && (await present.take(nameOf(match)));
    const reasons = before === undefined ? read.reasons : reasonsOfUpdate(table, read, before);
    if (options.by !== undefined && match === undefined)
      reject(index, [...reasons, `${options.by.join(' and ')} must say which ${entity.name} it is.`]);
    else if (reasons.length > 0) reject(index, reasons);
    else if (before === undefined) sound.push({ index, read });
    else {
      const how = await updateFromRow(unit, table, before, read, others);
      counts[how]++;
      if (how === 'taken') reject(index, [conflictText(entity)]);
    }
  }
  const inserted = await insertSound(unit, table, sound);
  let [created, skipped] = [0, 0];
  for (const [at, { index, read }] of sound.entries()) {
    const row = inserted[at];
    if (row === undefined) {
      if (options.onConflict === 'skip') skipped++;
      else reject(index, [conflictText(entity)]);
      continue;
    }
    created++;
    // A row that is deleted already exists for no reader.
    if (!table.isDeleted(row)) unit.changes.created(table, row);
    for (const { field, key } of read.pairs) {
      const other = others.get(`${field.target} ${String(key)}`);
      if (other !== undefined) await insertJoinRow(unit, table, row, field, other);
    }
    for (const member of read.members) await insertMemberRow(unit, table, row, member);
  }
  const { updated, unchanged } = counts;
  return { written: created + updated, rejected, skipped, updated, unchanged };
}

/** The number of rows from a place that are about different objects: a later row updates what an earlier one has written. */
function countDistinct(candidates: readonly Candidate[], start: number, keys: BatchOptions['keys']): number {
  const names = new Set<string>();
  for (let at = start; at < candidates.length; at++) {
    const match = matchOf(candidates[at]!.read, keys);
    if (match === undefined) continue;
    const name = nameOf(match);
    if (names.has(name)) return at - start;
    names.add(name);
  }
  return candidates.length - start;
}

/** What is wrong with a row that updates an object. */
function reasonsOfUpdate(table: EntityTable, { reasons, lacks, given }: ReadRow, before: StoredRow): readonly string[] {
  const wrong = reasons.filter((reason) => !lacks.has(reason));
  const { key } = table.entity;
  const named = given.get(key.column);
  const isOther = named !== undefined && named !== null && String(named) !== String(table.keyOf(before));
  return isOther
    ? [...wrong, `"${key.name}" is "${String(named)}", and the key of the object cannot be changed.`]
    : wrong;
}

function insertSound(
  unit: WriteUnit,
  table: EntityTable,
  sound: readonly Candidate[],
): Promise<readonly (StoredRow | undefined)[]> {
  if (table.rereads) return insertAndRead(unit, table, sound);
  return unit.dialect === 'sqlite' ? insertEach(unit, table, sound) : insertAll(unit, table, sound);
}

function conflictText(entity: Entity): string {
  const unique = [...entity.fields.values()].filter(
    (field) => field.kind === 'column' && (field.unique || field.isKey),
  );
  return `another ${entity.name} has the same ${unique.map((field) => field.name).join(' or ')}.`;
}

/** Adds a reason to rows with missing references; returns the rows to be joined, by type and key. */
async function loadOthers(
  unit: WriteUnit,
  table: EntityTable,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, StoredRow>> {
  const wanted = new Map<string, Map<string, SqlValue>>();
  const paired = new Map<string, Map<string, SqlValue>>();
  const note = (into: Map<string, Map<string, SqlValue>>, type: string, key: SqlValue): void => {
    const keys = into.get(type) ?? new Map<string, SqlValue>();
    into.set(type, keys);
    keys.set(String(key), key);
  };
  for (const { read } of candidates) {
    for (const { field, key } of read.references) note(wanted, field.target, key);
    for (const { field, key } of read.pairs) note(paired, field.target, key);
    for (const { type, key } of read.members) note(wanted, type, key);
  }
  const known = new Set<string>();
  const rows = new Map<string, StoredRow>();
  for (const [type, keys] of wanted) {
    const existing = await tableOf(unit, type).existing(unit.session, [...keys.values()]);
    for (const key of existing) known.add(`${type} ${key}`);
  }
  for (const [type, keys] of paired) {
    const target = tableOf(unit, type);
    const { column } = target.entity.key;
    const living = await target.claimBy(unit.session, column, [...keys.values()]);
    for (const row of [...living, ...(await target.claimDeleted(unit.session, column, [...keys.values()]))])
      rows.set(`${type} ${String(target.keyOf(row))}`, row);
  }
  // Rows may refer to earlier rows of the same batch.
  for (const { read } of candidates) {
    for (const { field, key } of read.references) {
      if (!known.has(`${field.target} ${String(key)}`))
        read.reasons.push(noTarget(field, tableOf(unit, field.target).entity, key));
    }
    for (const { field, key } of read.pairs) {
      if (!rows.has(`${field.target} ${String(key)}`))
        read.reasons.push(noTarget(field, tableOf(unit, field.target).entity, key));
    }
    for (const { field, type, key } of read.members) {
      if (!known.has(`${type} ${String(key)}`)) read.reasons.push(noTarget(field, tableOf(unit, type).entity, key));
    }
    const own = read.values.get(table.entity.key.column);
    if (own !== undefined && read.reasons.length === 0) known.add(`${table.entity.name} ${String(own)}`);
  }
  return rows;
}

/** The columns that some row of the batch has, without the key. */
function columnsOf(table: EntityTable, rows: readonly Candidate[]): readonly string[] {
  const names = new Set<string>();
  for (const { read } of rows) for (const name of read.values.keys()) names.add(name);
  names.delete(table.entity.key.column);
  return [...names];
}

/** Row by row: the database may store other values than are written. */
async function insertAndRead(
  unit: WriteUnit,
  table: EntityTable,
  rows: readonly Candidate[],
): Promise<readonly (StoredRow | undefined)[]> {
  const inserted: (StoredRow | undefined)[] = [];
  for (const { read } of rows) {
    // The database's own defaults apply.
    const values = new Map([...read.values].filter(([, value]) => value !== null));
    const key = await table.insertNew(unit.session, values);
    inserted.push(
      key === undefined
        ? undefined
        : ((await table.find(unit.session, key)) ?? (await table.findDeleted(unit.session, key))),
    );
  }
  return inserted;
}

async function insertEach(
  unit: WriteUnit,
  table: EntityTable,
  rows: readonly Candidate[],
): Promise<readonly (StoredRow | undefined)[]> {
  const key = table.entity.key.column;
  // For null, SQLite generates an integer key.
  const names = [key, ...columnsOf(table, rows)];
  const sql =
    `INSERT INTO ${quoteTable(table.entity.table)} (${names.map(quoteName).join(', ')}) ` +
    `VALUES (${names.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING RETURNING ${quoteName(key)}`;
  const insert = unit.session.prepare(sql);
  const inserted: (StoredRow | undefined)[] = [];
  for (const { read } of rows) {
    const given = insert.rows(names.map((name) => read.values.get(name) ?? null));
    const [row] = given instanceof Promise ? await given : given;
    if (row !== undefined) read.values.set(key, row[0] ?? null);
    inserted.push(row === undefined ? undefined : read.values);
  }
  return inserted;
}

/** One statement for all rows; PostgreSQL converts the JSON by the columns' types. */
async function insertAll(
  unit: WriteUnit,
  table: EntityTable,
  rows: readonly Candidate[],
): Promise<readonly (StoredRow | undefined)[]> {
  if (rows.length === 0) return [];
  const { entity } = table;
  const key = entity.key.column;
  const names = [key, ...columnsOf(table, rows)];
  const unkeyed = rows.filter(({ read }) => read.values.get(key) === undefined);
  const keyed = rows.length - unkeyed.length;
  const sequence = `pg_get_serial_sequence('${quoteTable(entity.table).replaceAll("'", "''")}', '${key}')`;
  if (unkeyed.length > 0) {
    const next = unit.session.prepare(`SELECT nextval(${sequence}) FROM generate_series(1, $1)`);
    const keys = await next.rows([unkeyed.length]);
    for (const [index, { read }] of unkeyed.entries()) read.values.set(key, keys[index]?.[0] ?? null);
  }
  const storages = storagesOf(table.entity, unit.model);
  const list = names.map(quoteName).join(', ');
  const shape = names
    .map(
      (name) =>
        `${quoteName(name)} ${entity.natives?.get(name)?.type ?? columnType('postgres', storages.get(name) ?? 'text')}`,
    )
    .join(', ');
  const sql =
    `INSERT INTO ${quoteTable(entity.table)} (${list}) SELECT ${list} FROM json_to_recordset($1::json) AS given(${shape}) ` +
    `ON CONFLICT DO NOTHING RETURNING ${quoteName(key)}`;
  const json = JSON.stringify(rows.map(({ read }) => toObject(read.values, names, storages)));
  const written = new Set((await unit.session.prepare(sql).rows([json])).map((row) => String(row[0])));
  if (keyed > 0 && entity.key.default?.kind === 'identity') {
    const highest = `SELECT setval(${sequence}, greatest((SELECT max(${quoteName(key)}) FROM ${quoteTable(entity.table)}), nextval(${sequence})))`;
    await unit.session.prepare(highest).rows([]);
  }
  return rows.map(({ read }) => {
    // Of two rows with one key in a batch, the second is rejected.
    const own = String(read.values.get(key));
    return written.delete(own) ? read.values : undefined;
  });
}

function toObject(
  values: Values,
  names: readonly string[],
  storages: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const name of names) {
    const value = values.get(name) ?? null;
    object[name] =
      storages.get(name) === 'json' && typeof value === 'string'
        ? JSON.parse(value)
        : storages.get(name) === 'decimal' && typeof value === 'string'
          ? fromSortable(value)
          : typeof value === 'bigint'
            ? String(value)
            : value;
  }
  return object;
}

function storagesOf(entity: Entity, model: Model): ReadonlyMap<string, Parameters<typeof columnType>[1]> {
  const storages = new Map<string, Parameters<typeof columnType>[1]>();
  for (const field of entity.fields.values()) {
    if (field.kind === 'column') storages.set(field.column, field.storage);
    else if (field.kind === 'relation' && field.storage.kind === 'foreignKey')
      storages.set(field.storage.column, entityOf(model, field.target).key.storage);
  }
  return storages;
}
