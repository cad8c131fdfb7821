// Imports rows in bulk. Each row is validated separately and rejected with reasons. Written rows get feed entries in
// the same transaction, like any write. @auth rules are not evaluated: the importer owns the database.
import { ANONYMOUS, didYouMean, ProductError, type Clock, type Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { createOwnWrites } from '../capture/own-writes.ts';
import { appendTo } from '../feed/append.ts';
import type { Entity, Model } from '../schema/model.ts';
import { ConstraintViolation, type MaybePromise, type Session, type Store } from '../store/store.ts';
import { createChangeSet, delayChanges } from './change-set.ts';
import { constraintError } from './constraint-error.ts';
import { createEntityTables, type EntityTable } from './entity-table.ts';
import {
  conflictText,
  type ImportRejection,
  importSegment,
  MissingReference,
  type SegmentOptions,
  type SegmentOutcome,
} from './import-segment.ts';
import { keysToMatch, uniqueKeysOf } from './import-upsert.ts';
import type { Candidate } from './insert-imported.ts';
import { type ImportRow, readImportRow } from './read-import-row.ts';
import { OPEN_GUARD } from './row-guard.ts';
import { tableOf, type WriteUnit } from './write-unit.ts';

export type { ImportRow } from './read-import-row.ts';
export type { ImportRejection } from './import-segment.ts';

const UNLIMITED_IDLE = `SELECT set_config('idle_in_transaction_session_timeout', '0', true)`;

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
    const keys = updates ? keysToMatch(tableOf({ tables }, entity.name), options.by) : [];
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
        field: 'This row',
        toCheck: [],
        raised: new Map(),
        guard: OPEN_GUARD,
        seesAll: () => true,
      };
      const unit: WriteUnit = { ...base, changes: createChangeSet() };
      const mark = await ownWrites?.mark(session);
      const { by, onConflict } = options;
      const how = { atomic, keys, by, skips: onConflict === 'skip' };
      const outcome = await importBatch(unit, entity, rows, how, count.read);
      for (const rejection of outcome.rejections) options.onReject?.(rejection);
      const written = unit.changes.changes();
      const changes =
        mark === undefined || ownWrites === undefined ? written : await ownWrites.settle(session, mark, written);
      const position = await append(session, changes, { principal: principal.name, at: now });
      count.read += rows.length;
      count.written += outcome.created + outcome.updated;
      count.rejected += outcome.rejections.length;
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
        // The rows may come slowly.
        if (store.dialect === 'postgres') await session.prepare(UNLIMITED_IDLE).rows([]);
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

interface BatchOptions extends SegmentOptions {
  readonly atomic: boolean;
}

/** Imports the rows of a batch in segments, each of which is undone if the database refuses one of its rows. */
async function importBatch(
  unit: WriteUnit,
  entity: Entity,
  rows: readonly ImportRow[],
  options: BatchOptions,
  offset: number,
): Promise<SegmentOutcome> {
  const table = tableOf(unit, entity.name);
  const total = { count: 0, created: 0, updated: 0, unchanged: 0, skipped: 0 };
  const rejections: ImportRejection[] = [];
  for (let most = rows.length; total.count < rows.length;) {
    const candidates = rows.slice(total.count, total.count + most).map((row, index) => ({
      index: offset + total.count + index,
      read: readImportRow(unit.model, entity, row, unit.now),
    }));
    const outcome = await tryRows(unit, table, candidates, options);
    if (outcome === undefined) {
      most = Math.ceil(candidates.length / 2);
      continue;
    }
    most = 2 * outcome.count;
    for (const name of COUNTS) total[name] += outcome[name];
    rejections.push(...outcome.rejections);
  }
  return { ...total, rejections };
}

const COUNTS = ['count', 'created', 'updated', 'unchanged', 'skipped'] as const;

/** Imports the first rows; undefined, and nothing is written, if the database refuses one of several. */
async function tryRows(
  unit: WriteUnit,
  table: EntityTable,
  candidates: readonly Candidate[],
  options: BatchOptions,
): Promise<SegmentOutcome | undefined> {
  const control = (sql: string): MaybePromise<number> => unit.session.prepare(sql).run([]);
  const changes = delayChanges(unit.changes);
  await control('SAVEPOINT imported_rows');
  try {
    const outcome = await importSegment({ ...unit, changes }, table, candidates, options);
    await control('RELEASE SAVEPOINT imported_rows');
    changes.apply();
    return outcome;
  } catch (error) {
    const reason = refusal(error, unit, table, options.atomic);
    if (reason === undefined && !(error instanceof MissingReference)) throw error;
    await control('ROLLBACK TO SAVEPOINT imported_rows');
    await control('RELEASE SAVEPOINT imported_rows');
    const [only, ...others] = candidates;
    if (only === undefined || others.length > 0 || reason === undefined) return undefined;
    const rejections = [{ index: only.index, reasons: [reason] }];
    return { count: 1, created: 0, updated: 0, unchanged: 0, skipped: 0, rejections };
  }
}

/** Why a row is refused; undefined for errors that are about no row. */
function refusal(error: unknown, { model, field }: WriteUnit, table: EntityTable, atomic: boolean): string | undefined {
  if (error instanceof ConstraintViolation) {
    // All rows or none: the first that a constraint of the database's own refuses ends the import.
    if (atomic && error.kind !== 'unique' && error.kind !== 'foreignKey') return undefined;
    const isOwn = error.kind === 'unique' && (error.table === undefined || error.table === table.entity.table);
    if (!isOwn) return constraintError(error, field, model, table.entity).message;
    const named = uniqueKeysOf(table).filter(({ columns }) => columns.join() === error.columns.join());
    return conflictText(table, named.length > 0 ? named : undefined);
  }
  return error instanceof ProductError && error.status < 500 ? error.message : undefined;
}
