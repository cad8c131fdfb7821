// Locks the data folder of an application, so that only one process writes to it. The lock itself is the search
// package's folder lock.
import { join } from 'node:path';
import { isProductError, reasonOf } from '@lockstitch/kernel';

import { folderFault, keepForOwner, lockFolder, type TakenLock } from '@lockstitch/search/folder';

import { serverErrors } from '../errors.ts';

/** Files that earlier versions or copies left world-readable. The database and the indexes handle their own. */
const FORMER = ['control', 'instance', 'lock', 'lock.pid', 'search'];

/**
 * Creates the folder if needed and locks it.
 *
 * @throws ProductError SERVER_DATA_IN_USE, which names the process that holds it; SERVER_DATA_NOT_WRITABLE
 */
export function lockDataFolder(folder: string): TakenLock {
  let lock: ReturnType<typeof lockFolder>;
  try {
    lock = lockFolder(folder);
  } catch (error) {
    throw notWritable(folder, error);
  }
  if (lock.kind === 'taken') {
    try {
      for (const file of FORMER) keepForOwner(join(folder, file));
    } catch (error) {
      lock.release();
      throw notWritable(folder, error);
    }
    return lock;
  }
  throw serverErrors.create('SERVER_DATA_IN_USE', { folder, holder: lock.holder });
}

/**
 * Locks the data folder for a command that no server answered. If the folder is locked all the same, another command or a
 * server that is still starting holds it.
 *
 * @throws ProductError SERVER_INDEX_UNREACHABLE, SERVER_DATA_NOT_WRITABLE
 */
export function lockUnservedFolder(folder: string): TakenLock {
  try {
    return lockDataFolder(folder);
  } catch (error) {
    if (!isProductError(error, 'SERVER_DATA_IN_USE')) throw error;
    throw serverErrors.create('SERVER_INDEX_UNREACHABLE', { reason: error.message }, { cause: error });
  }
}

/** Error for a data folder that cannot be created or written. */
export function notWritable(folder: string, error: unknown): Error {
  const reason = folderFault(error) ?? reasonOf(error);
  return serverErrors.create('SERVER_DATA_NOT_WRITABLE', { folder, reason }, { cause: error });
}
