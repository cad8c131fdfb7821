// Moves what others wrote from the outbox into the feed, in one transaction a batch: a crash loses and repeats nothing.
// An entry becomes what the object was before and what it is now, so that the last event of an object is its state.
import { type Clock, type Log, toText } from '@lockstitch/kernel';
import { lockAppending, appendTo } from '../feed/append.ts';
import type { NewChange } from '../feed/change.ts';
import { FEED_TABLE } from '../feed/feed-tables.ts';
import type { Model } from '../schema/model.ts';
import type { Session, Statement, Store } from '../store/store.ts';
import { createChangeSet } from '../write/change-set.ts';
import { createEntityTables, type EntityTable, type StoredRow } from '../write/entity-table.ts';
import { first, last, lookUp } from '../present.ts';
import { capturedTables } from './captured-tables.ts';
import { recordLinks } from './captured-links.ts';
import { OUTBOX_TABLE } from './outbox.ts';
import {
  createReadOutbox,
  createRowReaders,
  type OutboxEntry,
  type OutboxPage,
  UnreadableImages,
} from './read-outbox.ts';

/** What waits in the outbox. */
export interface Backlog {
  /** At most 10,001; counting more would take long. */
  readonly rows: number;
  /** Age of the oldest row; 0 if there is none. */
  readonly seconds: number;
}

/** Moves changes that others write into the feed. */
export interface Sequencer {
  /** Moves everything that is in the outbox now. */
  catchUp(): Promise<void>;
  /** Follows the outbox in the background until closed. */
  start(): void;
  backlog(): Promise<Backlog>;
  /** Reason of the current failure. */
  readonly trouble: string | undefined;
  close(): Promise<void>;
}

/** The principal of changes by others. */
const OTHERS = 'database';

/** Rows per transaction. On SQLite a batch blocks the thread: 200 take 8 ms. */
const BATCH = { sqlite: 200, postgres: 500 } as const;
/** Backlogs are counted up to here. */
const COUNTED = 10_001;
/** How far the clocks of database and server may differ, in seconds. */
const CLOCK_DIFFERENCE = 300;
/** Pause after a failure, in milliseconds. */
const RETRY = 1000;

/** Inputs of a sequencer. */
export interface SequencerParts {
  readonly model: Model;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the sequencer of a graph; undefined if no type has @captureChanges. */
export function createSequencer(parts: SequencerParts): Sequencer | undefined {
  return capturedTables(parts.model).length === 0 ? undefined : new OutboxSequencer(parts);
}

class OutboxSequencer implements Sequencer {
  trouble: string | undefined;
  readonly #parts: SequencerParts;
  readonly #tables: ReadonlyMap<string, EntityTable>;
  readonly #read: ReturnType<typeof createReadOutbox>;
  readonly #append: ReturnType<typeof appendTo>;
  #ofEnds: Statement | undefined;
  #running: Promise<void> | undefined;
  #isAsked = false;
  #isClosed = false;
  #stopListening: (() => void) | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(parts: SequencerParts) {
    const { model, store } = parts;
    this.#parts = parts;
    this.#tables = createEntityTables(model, store);
    this.#read = createReadOutbox(store, createRowReaders(model, this.#tables));
    this.#append = appendTo(store);
  }

  async catchUp(): Promise<void> {
    // Others may write as fast as this reads.
    const ends = await this.#ends();
    const [, end] = ends;
    let [first] = ends;
    while (!this.#isClosed && first <= end && (await this.#moveBatch()) > 0) {
      // Requests run between batches.
      await new Promise((resolve) => setImmediate(resolve));
      [first] = await this.#ends();
    }
  }

  start(): void {
    this.#stopListening ??= this.#parts.store.onCommit(this.#wake);
    this.#wake();
  }

  async backlog(): Promise<Backlog> {
    const [[rows, oldest] = []] = await this.#session
      .prepare(`SELECT count(*), min(at) FROM (SELECT at FROM ${OUTBOX_TABLE} ORDER BY id LIMIT ${COUNTED}) AS o`)
      .rows([]);
    const seconds = oldest === null ? 0 : Math.max(0, this.#parts.clock.now() / 1000 - Number(oldest));
    return { rows: Number(rows), seconds };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening?.();
    clearTimeout(this.#retry);
    await this.#running;
  }

  readonly #wake = (): void => {
    this.#isAsked = true;
    if (this.#isClosed || this.#retry !== undefined) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isAsked) this.#wake();
    });
  };

  async #run(): Promise<void> {
    try {
      while (this.#isAsked && !this.#isClosed) {
        this.#isAsked = false;
        await this.catchUp();
      }
      if (this.trouble !== undefined) this.#parts.log.write('info', 'Changes of others are read again', {});
      this.trouble = undefined;
    } catch (error) {
      if (this.#isClosed) return;
      const reason = error instanceof Error ? error.message : toText(error);
      // One line per reason, not one per attempt.
      if (reason !== this.trouble)
        this.#parts.log.write('error', 'Changes of others cannot be read; trying again', { error });
      this.trouble = reason;
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#wake();
      }, RETRY).unref();
    }
  }

  /** The first and the last row, without a lock: most commits write nothing to the outbox. */
  async #ends(): Promise<readonly [number, number]> {
    this.#ofEnds ??= this.#session.prepare(
      `SELECT (SELECT min(id) FROM ${OUTBOX_TABLE}), (SELECT max(id) FROM ${OUTBOX_TABLE})`,
    );
    const [[first, last] = []] = await this.#ofEnds.rows([]);
    return [Number(first ?? Infinity), Number(last ?? 0)];
  }

  /** Reads of requests share a snapshot for a moment, which may be older than what woke the sequencer. */
  get #session(): Session {
    return this.#parts.store.background ?? this.#parts.store;
  }

  /** Returns the number of moved rows. */
  async #moveBatch(): Promise<number> {
    const unreadable = new Set<string>();
    for (;;) {
      try {
        return await this.#parts.store.transaction((session) => this.#move(session, unreadable));
      } catch (error) {
        if (!(error instanceof UnreadableImages) || unreadable.has(error.table)) throw error;
        this.#parts.log.write('warn', 'Changes of others cannot be read one by one; the whole type is compared', {
          type: error.table,
          error: error.cause,
        });
        unreadable.add(error.table);
      }
    }
  }

  async #move(session: Session, unreadable: ReadonlySet<string>): Promise<number> {
    const { store, clock } = this.#parts;
    // First of all: a row that is read here must not be older than a change that is in the feed already.
    await lockAppending(store, session);
    const page = await this.#read(session, BATCH[store.dialect], unreadable);
    if (page.ids.length === 0) return 0;
    // On SQLite, nobody writes during the transaction: the page is all there is up to its last row.
    if (store.dialect === 'sqlite')
      await session.prepare(`DELETE FROM ${OUTBOX_TABLE} WHERE id <= ?`).run([last(page.ids)]);
    else
      await session
        .prepare(
          `DELETE FROM ${OUTBOX_TABLE} WHERE id IN (SELECT value::bigint FROM json_array_elements_text($1::json))`,
        )
        .run([JSON.stringify(page.ids)]);
    // One comparison covers them all.
    const place = store.dialect === 'sqlite' ? '?' : '$1';
    for (const { name } of page.invalid)
      await session.prepare(`DELETE FROM ${OUTBOX_TABLE} WHERE type = ${place} AND operation = 'all'`).run([name]);
    const changes = [...(await this.#changesOf(session, page)), ...this.#invalidations(page)];
    await this.#append(session, changes, { principal: OTHERS, at: new Date(clock.now()).toISOString() });
    return page.ids.length;
  }

  async #changesOf(session: Session, { entries }: OutboxPage): Promise<readonly NewChange[]> {
    const changes = createChangeSet();
    const objects = entries.filter(({ table }) => table.relation === undefined);
    const keyOf = ({ table, image }: OutboxEntry): string => {
      const key = lookUp(this.#tables, table.entity.name).keyOf(image);
      return JSON.stringify([table.name, String(key)]);
    };
    /** Inserted and deleted again. */
    const transient: OutboxEntry[] = [];
    for (const [, steps] of Map.groupBy(objects, keyOf)) {
      const { table, operation, image } = first(steps);
      const latest = last(steps);
      const entityTable = lookUp(this.#tables, table.entity.name);
      // A deleted row that stays in the table is no object.
      const living = (row: StoredRow | undefined): StoredRow | undefined =>
        row === undefined || entityTable.isDeleted(row) ? undefined : row;
      const before = operation === 'insert' ? undefined : living(image);
      const now = living(latest.now);
      const isMarked = latest.now !== undefined && now === undefined;
      const staysDeleted = isMarked && steps.every((step) => step.operation !== 'insert' && !living(step.image));
      if (staysDeleted) continue;
      if (now !== undefined && before === undefined) changes.created(entityTable, now);
      else if (now !== undefined && before !== undefined) changes.updated(entityTable, before, now);
      // Otherwise somebody else deleted it, whose own entry says so.
      else if (isMarked || latest.operation === 'delete' || latest.operation === 'conflict') {
        if (before !== undefined) changes.deleted(entityTable, before);
        else if (living(latest.image) !== undefined) transient.push(latest);
      }
    }
    for (const { table, image } of await this.#announcedBefore(session, transient))
      changes.deleted(lookUp(this.#tables, table.entity.name), image);
    const links = entries.filter(({ table }) => table.relation !== undefined);
    if (links.length > 0)
      await recordLinks(session, { model: this.#parts.model, tables: this.#tables, changes }, links);
    return changes.changes();
  }

  /** Those that the engine has written meanwhile: only then does anybody know of the object. */
  async #announcedBefore(session: Session, entries: readonly OutboxEntry[]): Promise<readonly OutboxEntry[]> {
    if (entries.length === 0) return [];
    const { store } = this.#parts;
    const nameOf = ({ table, image }: OutboxEntry): readonly [string, string] => [
      table.entity.name,
      String(lookUp(this.#tables, table.entity.name).keyOf(image)),
    ];
    const oldest = Math.min(...entries.map(({ at }) => at)) - CLOCK_DIFFERENCE;
    const [first, second] = store.dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2::json'];
    const names =
      store.dialect === 'sqlite'
        ? `SELECT value ->> 0, value ->> 1 FROM json_each(${second})`
        : `SELECT name ->> 0, name ->> 1 FROM json_array_elements(${second}) AS given(name)`;
    const rows = await session
      .prepare(
        `SELECT DISTINCT type, key FROM ${FEED_TABLE}
         WHERE position > coalesce((SELECT position FROM ${FEED_TABLE} WHERE at < ${first} ORDER BY position DESC LIMIT 1), 0)
         AND (type, key) IN (${names})`,
      )
      .rows([new Date(oldest * 1000).toISOString(), JSON.stringify(entries.map(nameOf))]);
    const told = new Set(rows.map((row) => JSON.stringify(row)));
    return entries.filter((entry) => told.has(JSON.stringify(nameOf(entry))));
  }

  /** Links belong to both ends. */
  #invalidations({ invalid }: OutboxPage): readonly NewChange[] {
    const { model } = this.#parts;
    const types = [...invalid].flatMap(({ entity, relation }) =>
      relation === undefined
        ? [entity.name]
        : [entity.name, ...(model.abstractTypes.get(relation.target) ?? [relation.target])],
    );
    return [...new Set(types)].map((type) => ({ type, key: '', operation: 'invalidated' }));
  }
}
