// Opens the configured database: PostgreSQL by URL, or SQLite in the data folder.
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { openPostgresStore, openSqliteStore, type Store } from '@lockstitch/graph';
import { isProductError } from '@lockstitch/kernel';
import { keepForOwner, OWNER_FILE } from '@lockstitch/search/folder';

import { serverErrors } from '../errors.ts';
import { notWritable } from './data-lock.ts';
import { reasonOf } from '../reason-of.ts';

/**
 * Opens the store.
 *
 * @param folder the data folder, or `:memory:`
 * @param statementTime time limit of one SQLite statement, in ms
 * @throws ProductError SERVER_DATA_NOT_WRITABLE; SERVER_DATABASE_UNREACHABLE, without the URL's password
 */
export async function openStore(url: string | undefined, folder: string, statementTime?: number): Promise<Store> {
  try {
    if (url !== undefined) return await openPostgresStore({ url });
    const file = folder === ':memory:' ? folder : join(folder, 'data.sqlite');
    if (folder !== ':memory:') prepareFile(folder, file);
    return await openSqliteStore({ file, ...(statementTime === undefined ? {} : { statementTime }) });
  } catch (error) {
    if (isProductError(error)) throw error;
    const database = url === undefined ? join(folder, 'data.sqlite') : withoutPassword(url);
    const hint = 'Check that the folder is there, and that this user may read and write it.';
    throw serverErrors.create(
      'SERVER_DATABASE_UNREACHABLE',
      { database, reason: reasonOf(error) },
      { cause: error, ...(url === undefined ? { hint } : {}) },
    );
  }
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

/** SQLite gives the files beside a database the database's mode, and a new database the process's mode. */
function prepareFile(folder: string, file: string): void {
  try {
    if (!existsSync(file)) closeSync(openSync(file, 'wx', OWNER_FILE));
    for (const ending of ['', '-wal', '-shm', '-journal']) keepForOwner(`${file}${ending}`);
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    // EEXIST: another process created it meanwhile. ENOENT: SQLite reports the missing folder.
    if (!['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw notWritable(folder, error);
  }
}

function withoutPassword(url: string): string {
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
