// Reading the feed: what happened, in order of commit, from any position; and who has read how far. Not here: what is
// written into it (append.ts) and what readers make of it.
import type { Clock } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { Row, Session, Store } from '../store/store.ts';
import type { Change, ChangeOperation } from './change.ts';
import { FEED_TABLE, READERS_TABLE } from './feed-tables.ts';

/** The readers' table also remembers how much has been trimmed away, under a name no reader can have. */
const TRIMMED = '';
/** Entries deleted in one transaction while trimming: writers wait at most for so many. */
const TRIM_BATCH = 5000;

/** The newest position. */
export const HEAD_QUERY = `SELECT coalesce(max(position), 0) FROM ${FEED_TABLE}`;

/** How far a named reader has come; kept in the database. */
export interface FeedReader {
  readonly name: string;
  /** The last position it has dealt with; 0 at first. */
  position(): Promise<number>;
  /** Says that everything up to `position` has been dealt with. Never goes back. */
  advance(position: number): Promise<void>;
  /** Forgets the reader, so that the feed need not be kept for it. */
  remove(): Promise<void>;
}

/** How much of the feed to keep. */
export interface TrimOptions {
  /** Remove up to here at most; default: the position of the slowest reader. */
  readonly upTo?: number;
  /** Newest entries to keep although every reader has passed them, for subscribers who resume; default 10,000. */
  readonly keep?: number;
  /**
   * Entries to keep whatever the readers say, so that a dead one cannot fill the disk; default 1,000,000. A reader that is
   * further behind is forgotten.
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
   * @throws GRAPH_FEED_TRIMMED when some of them are no longer kept
   */
  read(after: number, limit?: number): Promise<readonly Change[]>;
  /** Resolves as soon as something follows `after`: at once in this process, within 50 ms for other processes. */
  wait(after: number, signal?: AbortSignal): Promise<void>;
  reader(name: string): FeedReader;
  readers(): Promise<readonly { readonly name: string; readonly position: number }[]>;
  /** Removes old entries in small transactions; `keep` of them, and always the newest, stay. Returns how many were removed. */
  trim(options?: TrimOptions): Promise<number>;
  /** Wakes and ends all waiting. */
  close(): void;
}

/** Creates the reading side of a store's feed; its tables must exist. */
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
    return rows.map((row) => ({ name: row[0] as string, position: Number(row[1]) }));
  }

  return {
    head,
    async read(after, limit = 500) {
      const rows = await store.prepare(readQuery).rows([after, limit]);
      const changes = rows.map(toChange);
      // Only a gap can hide something trimmed; the usual next position asks nothing more.
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
      // Positions are at least as many as entries, so this keeps no more than asked for.
      const bound = newest - (options.atMost ?? 1_000_000);
      const passed = Math.min(options.upTo ?? slowest, newest - (options.keep ?? 10_000));
      const upTo = Math.min(Math.max(passed, bound), newest - 1);
      // What is kept at most has passed them over: they would only be told so, and need not be kept in mind for that.
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
    type: row[1] as string,
    key: row[2] as string,
    operation: row[3] as ChangeOperation,
    at: row[4] as string,
    principal: row[5] as string,
    ...(JSON.parse(row[6] as string) as Pick<Change, 'before' | 'after' | 'links' | 'quiet'>),
  };
}

interface Waits {
  readonly wait: (after: number, signal?: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** One look at the head wakes everybody who waits for less, however many they are. */
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
  // A database that is away wakes everybody: the read that follows tells the reader what is wrong.
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
          reject(signal?.reason as Error);
        };
        if (signal?.aborted === true) return reject(signal.reason as Error);
        signal?.addEventListener('abort', abort, { once: true });
        waiting.add(waiter);
        stop ??= store.onCommit(lookSafely);
        // What came between the caller's last read and now.
        lookSafely();
      }),
    close: wakeAll,
  };
}
