// Locks a folder for one process. It is a lock of the operating system, which SQLite holds on an empty file. It ends with the process,
// even a killed one, and holds between containers that share a volume. A pid in a file does neither: each container has a process 1, and
// pids are reused.
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { codeOf } from '@lockstitch/kernel';
import { textOf } from '../json/json.ts';

import { makeFolder } from './make-folder.ts';
import { OWNER_FILE, OWNER_FOLDER } from './owner-only.ts';

/** Holds a folder until released; releasing twice is fine. */
export interface TakenLock {
  readonly kind: 'taken';
  release(): void;
}

/** The answer to a process that wants a folder. */
export type FolderLock =
  | TakenLock
  /** `holder` names who has it, for a message: `process 4711`, with the host where that is another. */
  | { readonly kind: 'refused'; readonly holder: string };

/** No index can have these names, and earlier versions kept a pid in `lock`, which is left alone. */
const LOCK = '_lock';
/** The holder of the lock, for the message only. */
const HOLDER = '_lock.json';
/** Times that a lock file may vanish or be unreadable before the opening gives up; one is what a stop at the same moment costs. */
const ATTEMPTS = 10;

/** SQLite's result codes, primary part. */
const BUSY = 5;
const IO_ERROR = 10;
const CORRUPT = 11;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;

/** Kept here so that garbage collection never releases a lock whose owner is still at work. */
const held = new Set<DatabaseSync>();

/**
 * Makes the folder when needed and takes it for this process. A second opening is refused in this process as well.
 *
 * @throws the error of the operating system (EACCES, EROFS, ENOSPC, ENOTDIR, EEXIST, …) when the folder cannot be locked
 */
export function lockFolder(folder: string): FolderLock {
  makeFolder(folder, OWNER_FOLDER);
  const path = join(folder, LOCK);
  for (let attempt = 1; ; attempt += 1) {
    const file = findFile(path);
    const database = openLocked(path);
    if (database === 'busy') return { kind: 'refused', holder: readHolder(folder) };
    // The former holder removes its file on release. A lock on that removed file is not a lock on the folder.
    if (database !== 'unreadable' && isSame(file, identify(path))) return take(folder, path, database);
    if (database !== 'unreadable') database.close();
    if (attempt === ATTEMPTS) throw Object.assign(new Error(`${path} changes all the time`), { code: 'EBUSY' });
  }
}

function take(folder: string, path: string, database: DatabaseSync): FolderLock {
  held.add(database);
  const holder = join(folder, HOLDER);
  try {
    chmodSync(path, OWNER_FILE);
    writeHolder(folder, { pid: process.pid, host: hostname() });
  } catch {
    // Without room on the disk, the message of a refusal cannot name the holder.
  }
  return {
    kind: 'taken',
    release() {
      if (!held.delete(database)) return;
      for (const file of [holder, path]) remove(file);
      database.close();
    },
  };
}

/** Best effort: Windows keeps a file that is open, and a left file locks nobody out. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

interface Identity {
  readonly device: bigint;
  readonly inode: bigint;
  /** Time of creation in nanoseconds: inode numbers are reused. */
  readonly born: bigint;
}

function identify(path: string): Identity | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  // Behind a link, the file that is emptied below could be any file.
  if (stats?.isFile() === false) throw Object.assign(new Error(`${path} is no plain file`), { code: 'EFTYPE' });
  return stats && { device: stats.dev, inode: stats.ino, born: stats.birthtimeNs };
}

function isSame(a: Identity | undefined, b: Identity | undefined): boolean {
  return a !== undefined && b !== undefined && a.device === b.device && a.inode === b.inode && a.born === b.born;
}

/** The lock file as it is; undefined before SQLite makes it. It is never opened here: closing it would end this process's locks on it. */
function findFile(path: string): Identity | undefined {
  const file = identify(path);
  try {
    // SQLite would open for reading what it may not write, and several processes can hold that.
    accessSync(path, constants.R_OK | constants.W_OK);
    return file;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function openLocked(path: string): DatabaseSync | 'busy' | 'unreadable' {
  const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite');
  let database: DatabaseSync | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
    if (code === BUSY) return 'busy';
    // Writing another file there throws the error of the system, which says more.
    if (code === CANNOT_OPEN) writeHolder(dirname(path), {});
    if (code === IO_ERROR)
      throw Object.assign(new Error('The file cannot be locked', { cause: error }), { code: 'ENOLCK' });
    if (code !== NOT_A_DATABASE && code !== CORRUPT) throw error;
    // Nobody holds it, or SQLite would not have read it: a copy or a failing disk left this content.
    truncateSync(path);
    return 'unreadable';
  }
}

function writeHolder(folder: string, holder: Readonly<Record<string, unknown>>): void {
  const path = join(folder, HOLDER);
  rmSync(path, { force: true });
  writeFileSync(path, JSON.stringify(holder), { flag: 'wx', mode: OWNER_FILE });
}

function readHolder(folder: string): string {
  try {
    const { pid, host }: Record<string, unknown> = JSON.parse(readFileSync(join(folder, HOLDER), 'utf8'));
    if (!Number.isInteger(pid)) return 'another process';
    // A process of another container or machine has a number of its own there.
    return host === hostname()
      ? `process ${textOf(pid)}`
      : `process ${textOf(pid)} on the host ${JSON.stringify(host)}`;
  } catch {
    return 'another process';
  }
}
