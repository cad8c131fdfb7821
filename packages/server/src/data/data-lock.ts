// One process at a time in a data folder. The lock is the operating system's own, held through SQLite on an empty file, so
// it ends with the process however that ends; no stale lock can be left behind.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { serverErrors } from '../errors.ts';
import { makeFolder, notWritable, OWNER_ONLY } from './make-folder.ts';

/** Holds a data folder until released. */
export interface DataLock {
  release(): void;
}

/** SQLITE_BUSY: somebody else has the lock. */
const BUSY = 5;

/**
 * Makes the folder when needed and takes it.
 *
 * @throws ProductError SERVER_DATA_IN_USE naming the process that has it, SERVER_DATA_NOT_WRITABLE
 */
export function lockDataFolder(folder: string): DataLock {
  const pidFile = join(folder, 'lock.pid');
  let database: DatabaseSync | undefined;
  try {
    makeFolder(folder, OWNER_ONLY);
    database = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === BUSY) {
      throw serverErrors.create('SERVER_DATA_IN_USE', { folder, pid: readPid(pidFile) });
    }
    throw notWritable(folder, error);
  }
  const held = database;
  return {
    release() {
      if (!held.isOpen) return;
      rmSync(pidFile, { force: true });
      held.close();
    },
  };
}

/** The process that has the lock, for the message only; the lock itself does not depend on the file. */
function readPid(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '(unknown)';
  }
}
