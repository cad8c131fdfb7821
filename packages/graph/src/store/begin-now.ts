// How a write transaction begins on SQLite while another process may be writing: one waits, but never inside SQLite.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { graphErrors } from '../errors.ts';

/** Pause before a busy database is asked again, in milliseconds. */
const BUSY_PAUSE = 10;

/** Opens a write transaction: at once, or as soon as no other process has one. @throws GRAPH_STORE_BUSY */
export function beginNow(database: DatabaseSync, begin: StatementSync, busyTimeout: number): Promise<void> | undefined {
  try {
    begin.run();
    return undefined;
  } catch (error) {
    if (!isBusyError(error)) throw error;
    return beginLater(database, busyTimeout);
  }
}

// Inside SQLite the wait would stop the event loop, and with it every read and whatever the other writer waits for if it
// lives in this process.
async function beginLater(database: DatabaseSync, busyTimeout: number): Promise<void> {
  const deadline = performance.now() + busyTimeout;
  while (performance.now() < deadline) {
    await setTimeout(BUSY_PAUSE);
    try {
      beginUnlessBusy(database);
      return;
    } catch (error) {
      if (!isBusyError(error)) throw error;
    }
  }
  throw graphErrors.create('GRAPH_STORE_BUSY', { seconds: busyTimeout / 1000 });
}

/** Waits no more: one that has waited once would have SQLite hold the event loop for two thirds of the time. */
function beginUnlessBusy(database: DatabaseSync): void {
  const { timeout } = database.prepare('PRAGMA busy_timeout').get() as { readonly timeout: number };
  database.exec('PRAGMA busy_timeout = 0');
  try {
    database.exec('BEGIN IMMEDIATE');
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
}

/** SQLITE_BUSY, in any of its extended forms. */
function isBusyError(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && ((error.errcode as number) & 0xff) === 5;
}
