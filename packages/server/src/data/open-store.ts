// Opens the configured database: PostgreSQL or an existing SQLite file by URL, or SQLite in the data folder.
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { openPostgresStore, openSqliteStore, type Store, type WatchedReplica, watchReplica } from '@lockstitch/graph';
import { codeOf, isProductError, type Log, reasonOf } from '@lockstitch/kernel';
import { keepForOwner, OWNER_FILE } from '@lockstitch/search/folder';

import { sqliteFile, variableOf } from '../config/database-address.ts';
import { serverErrors } from '../errors.ts';
import { notWritable } from './data-lock.ts';

/**
 * Opens the store.
 *
 * @param folder the data folder, or `:memory:`
 * @param statementTime time limit of one SQLite statement, in ms
 * @throws ProductError SERVER_DATA_NOT_WRITABLE; SERVER_DATABASE_UNREACHABLE, without the URL's password
 */
export async function openStore(url: string | undefined, folder: string, statementTime?: number): Promise<Store> {
  try {
    const existing = url === undefined ? undefined : sqliteFile(url);
    if (existing !== undefined) return await openExistingFile(existing, statementTime);
    if (url !== undefined) return await openPostgresStore({ url: addressOf(url) });
    const file = folder === ':memory:' ? folder : join(folder, 'data.sqlite');
    if (folder !== ':memory:') prepareFile(folder, file);
    return await openSqliteStore({ file, ...(statementTime === undefined ? {} : { statementTime }) });
  } catch (error) {
    if (isProductError(error)) throw error;
    const database = url === undefined ? join(folder, 'data.sqlite') : withoutPassword(url);
    const hint = 'Check that it is there, and that this user may read and write it and its folder.';
    throw serverErrors.create(
      'SERVER_DATABASE_UNREACHABLE',
      { database, reason: reasonOf(error) },
      { cause: error, ...(url === undefined || sqliteFile(url) !== undefined ? { hint } : {}) },
    );
  }
}

/** Opens the replica of a store. A start does not need it. @throws ProductError SERVER_DATABASE_UNNAMED */
export function openReplica(url: string, primary: Store, log: Log): WatchedReplica {
  return watchReplica({ url: addressOf(url), primary, log });
}

/** A file of somebody else's: it is not created, and keeps the rights that it has. */
function openExistingFile(file: string, statementTime: number | undefined): Promise<Store> {
  accessSync(file, constants.R_OK | constants.W_OK);
  return openSqliteStore({ file, ...(statementTime === undefined ? {} : { statementTime }) });
}

/** @throws ProductError SERVER_DATABASE_UNNAMED if the variable that should hold the address does not */
function addressOf(url: string): string {
  const variable = variableOf(url);
  if (variable === undefined) return url;
  throw serverErrors.create('SERVER_DATABASE_UNNAMED', { variable });
}

/**
 * Returns whether the folder has no SQLite database yet.
 *
 * @throws ProductError SERVER_DATA_NOT_WRITABLE if this user may not read the folder
 */
export function isNewDatabase(folder: string): boolean {
  try {
    return statSync(join(folder, 'data.sqlite'), { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    throw notWritable(folder, error);
  }
}

/** EEXIST: another process created it meanwhile. ENOENT: SQLite reports the missing folder. */
const EXPECTED: ReadonlySet<unknown> = new Set(['EEXIST', 'ENOENT']);

/** SQLite gives the files beside a database the database's mode, and a new database the process's mode. */
function prepareFile(folder: string, file: string): void {
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'wx', OWNER_FILE));
    for (const ending of ['', '-wal', '-shm', '-journal']) keepForOwner(`${file}${ending}`);
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (!EXPECTED.has(codeOf(error))) throw notWritable(folder, error);
  }
}

function withoutPassword(url: string): string {
  const file = sqliteFile(url);
  if (file !== undefined) return file;
  try {
    const parsed = new URL(url);
    parsed.password = '';
    parsed.search = '';
    return parsed.href;
  } catch {
    // Not a URL: it must not be quoted, because it may contain the password.
    return 'in DATABASE_URL';
  }
}
