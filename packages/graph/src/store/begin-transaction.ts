// Begins a write transaction on SQLite. If another process is writing, waits outside SQLite.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { graphErrors } from '../errors.ts';

/** Pause before a busy database is tried again, in milliseconds. */
const BUSY_PAUSE = 10;

/** Begins a write transaction, synchronously or when no other process has one. @throws GRAPH_STORE_BUSY */
export function beginTransaction(
  database: DatabaseSync,
  begin: StatementSync,
  busyTimeout: number,
): Promise<void> | undefined {
  try {
    begin.run();
    return undefined;
  } catch (error) {
    if (!isBusyError(error)) throw error;
    return beginLater(database, busyTimeout);
  }
}

// Waiting inside SQLite would block the event loop: every read, and the other writer if it is in this process.
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

/** Busy timeout 0: repeated waits inside SQLite would block the event loop for two thirds of the time. */
function beginUnlessBusy(database: DatabaseSync): void {
  const { timeout } = database.prepare('PRAGMA busy_timeout').get() as { readonly timeout: number };
  database.exec('PRAGMA busy_timeout = 0');
  try {
    database.exec('BEGIN IMMEDIATE');
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
}

/** SQLITE_BUSY, in any extended form. */
function isBusyError(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}
