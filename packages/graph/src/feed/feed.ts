// Reads the feed: changes in the order of commits from any position, and the positions of named readers. Not here:
// appending (append.ts).
import { type Clock, toError } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { Row, Session, Store } from '../store/store.ts';
import type { Change, ChangeOperation } from './change.ts';
import { FEED_TABLE, READERS_TABLE } from './feed-tables.ts';

/** The readers' table also stores the trimmed position, under a name that no reader can have. */
const TRIMMED = '';
/** Entries deleted per transaction while trimming; bounds the wait of writers. */
const TRIM_BATCH = 5000;

/** The newest position. */
export const HEAD_QUERY = `SELECT coalesce(max(position), 0) FROM ${FEED_TABLE}`;

/** A named reader, whose position is stored in the database. */
export interface FeedReader {
  readonly name: string;
  /** The last acknowledged position; 0 at first. */
  position(): Promise<number>;
  /** Acknowledges everything up to `position`. Never moves back. */
  advance(position: number): Promise<void>;
  /** Deletes the reader, so that the feed is not kept for it. */
  remove(): Promise<void>;
}

/** How much of the feed to keep. */
export interface TrimOptions {
  /** Trim at most up to here; default: the position of the slowest reader. */
  readonly upTo?: number;
  /** Newest entries to keep for resuming subscribers, even if every reader has passed them; default 10,000. */
  readonly keep?: number;
  /**
   * Maximum number of entries, so that a dead reader cannot fill the disk; default 1,000,000. A reader that is further
   * behind is deleted.
   */
  readonly atMost?: number;
}

/** The changes of all objects. */
export interface Feed {
  /** The newest position; 0 before the first change. */
  head(): Promise<number>;
  /**
   * Changes after a position, oldest first, at most `limit` (default 500).
   *
   * @throws GRAPH_FEED_TRIMMED if some of them have been trimmed
   */
  read(after: number, limit?: number): Promise<readonly Change[]>;
  /** Resolves when there is a change after `after`: immediately for this process, within 50 ms for others. */
  wait(after: number, signal?: AbortSignal): Promise<void>;
  reader(name: string): FeedReader;
  readers(): Promise<readonly { readonly name: string; readonly position: number }[]>;
  /**
   * Deletes old entries in small transactions; the newest `keep`, and at least one, stay. Returns the number of deleted
   * entries.
   */
  trim(options?: TrimOptions): Promise<number>;
  /** Ends all waits. */
  close(): void;
}

/** Creates the reader of a store's feed; its tables must exist. */
export function createFeed(store: Store, clock: Clock): Feed {
  const place = (index: number): string => (store.dialect === 'sqlite' ? '?' : `$${index}`);
  const readQuery =
    `SELECT position, type, key, operation, at, principal, data FROM ${FEED_TABLE} ` +
    `WHERE position > ${place(1)} ORDER BY position LIMIT ${store.dialect === 'sqlite' ? '+?' : '$2'}`;
  const positionQuery = `SELECT position FROM ${READERS_TABLE} WHERE name = ${place(1)}`;
  const waits = createWaits(store, head);

  async function head(): Promise<number> {
    return Number(await store.prepare(HEAD_QUERY).text([]));
  }

  async function positionOf(name: string): Promise<number> {
    return Number((await store.prepare(positionQuery).text([name])) ?? 0);
  }

  function setPosition(session: Session, name: string, position: number): Promise<number> {
    const sql =
      `INSERT INTO ${READERS_TABLE} (name, position, at) VALUES (${place(1)}, ${place(2)}, ${place(3)}) ` +
      `ON CONFLICT (name) DO UPDATE SET position = excluded.position, at = excluded.at ` +
      `WHERE ${READERS_TABLE}.position < excluded.position`;
    return Promise.resolve(session.prepare(sql).run([name, position, new Date(clock.now()).toISOString()]));
  }

  async function readers(): Promise<readonly { readonly name: string; readonly position: number }[]> {
    const rows = await store
      .prepare(`SELECT name, position FROM ${READERS_TABLE} WHERE name <> '' ORDER BY name`)
      .rows([]);
    return rows.map((row) => ({ name: String(row[0]), position: Number(row[1]) }));
  }

  return {
    head,
    async read(after, limit = 500) {
      const rows = await store.prepare(readQuery).rows([after, limit]);
      const changes = rows.map(toChange);
      // Only a gap can hide a trimmed entry; consecutive positions need no check.
      if (after === 0 || changes[0]?.position !== after + 1) {
        const trimmed = await positionOf(TRIMMED);
        if (after < trimmed) throw graphErrors.create('GRAPH_FEED_TRIMMED', { after, trimmed });
      }
      return changes;
    },
    wait: waits.wait,
    reader: (name) => ({
      name,
      position: () => positionOf(name),
      advance: async (position) => {
        await store.transaction((session) => setPosition(session, name, position));
      },
      remove: async () => {
        const sql = `DELETE FROM ${READERS_TABLE} WHERE name = ${place(1)}`;
        await store.transaction((session) => session.prepare(sql).run([name]));
      },
    }),
    readers,
    async trim(options = {}) {
      const newest = await head();
      const slowest = Math.min(newest, ...(await readers()).map((reader) => reader.position));
      // There are at least as many positions as entries, so no more than the limit is kept.
      const bound = newest - (options.atMost ?? 1_000_000);
      const passed = Math.min(options.upTo ?? slowest, newest - (options.keep ?? 10_000));
      const upTo = Math.min(Math.max(passed, bound), newest - 1);
      // These readers fell behind the maximum: they would only get GRAPH_FEED_TRIMMED.
      if (slowest < bound) {
        const forget = `DELETE FROM ${READERS_TABLE} WHERE name <> '' AND position < ${place(1)}`;
        await store.transaction((session) => session.prepare(forget).run([bound]));
      }
      let from = await positionOf(TRIMMED);
      let removed = 0;
      while (from < upTo) {
        const to = Math.min(from + TRIM_BATCH, upTo);
        removed += await store.transaction(async (session) => {
          await setPosition(session, TRIMMED, to);
          return session.prepare(`DELETE FROM ${FEED_TABLE} WHERE position <= ${place(1)}`).run([to]);
        });
        from = to;
      }
      return removed;
    },
    close: waits.close,
  };
}

function toChange(row: Row): Change {
  return {
    position: Number(row[0]),
    type: String(row[1]),
    key: String(row[2]),
    operation: row[3] as ChangeOperation,
    at: String(row[4]),
    principal: String(row[5]),
    ...JSON.parse(String(row[6])),
  };
}

interface Waits {
  readonly wait: (after: number, signal?: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** One query of the head wakes all waiters with an earlier position. */
function createWaits(store: Store, head: () => Promise<number>): Waits {
  const waiting = new Set<{ readonly after: number; readonly wake: () => void }>();
  let stop: (() => void) | undefined;
  let looking = false;
  let lookAgain = false;

  async function look(): Promise<void> {
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = true;
    do {
      lookAgain = false;
      const newest = await head();
      for (const waiter of waiting) if (newest > waiter.after) waiter.wake();
    } while (lookAgain);
    looking = false;
  }
  // An unavailable database wakes all; their next read reports the error.
  const wakeAll = (): void => {
    looking = false;
    for (const waiter of waiting) waiter.wake();
  };
  const lookSafely = (): void => {
    look().catch(wakeAll);
  };

  return {
    wait: (after, signal) =>
      new Promise((resolve, reject) => {
        const forget = (): void => {
          waiting.delete(waiter);
          signal?.removeEventListener('abort', abort);
          if (waiting.size > 0) return;
          stop?.();
          stop = undefined;
        };
        const waiter = {
          after,
          wake: () => {
            forget();
            resolve();
          },
        };
        const abort = (): void => {
          forget();
          reject(toError(signal?.reason));
        };
        if (signal?.aborted === true) return reject(toError(signal.reason));
        signal?.addEventListener('abort', abort, { once: true });
        waiting.add(waiter);
        stop ??= store.onCommit(lookSafely);
        // Changes between the caller's last read and now.
        lookSafely();
      }),
    close: wakeAll,
  };
}
