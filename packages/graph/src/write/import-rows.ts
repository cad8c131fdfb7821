// Imports rows in bulk. Each row is validated separately and rejected with reasons. Written rows get feed entries in
// the same transaction, like any write. @auth rules are not evaluated: the importer owns the database.
import { ANONYMOUS, didYouMean, type Clock, type Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { createOwnWrites } from '../capture/own-writes.ts';
import { appendTo } from '../feed/append.ts';
import type { Entity, Model } from '../schema/model.ts';
import { ConstraintViolation, type Session, type SqlValue, type Store } from '../store/store.ts';
import { createChangeSet } from './change-set.ts';
import { constraintError } from './constraint-error.ts';
import { createEntityTables, type EntityTable, type StoredRow } from './entity-table.ts';
import { findMatches, keysToMatch, matchOf, nameOf, updateFromRow } from './import-upsert.ts';
import { type Candidate, insertImported } from './insert-imported.ts';
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
    const changes = updates ? { updated: 0, unchanged: 0 } : undefined;
    const count = { read: 0, written: 0, rejected: 0, skipped: 0, position: 0, ...changes };
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
  const inserted = await insertImported(unit, table, sound);
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
