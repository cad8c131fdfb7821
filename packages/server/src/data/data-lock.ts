// Takes the data folder of an application, so that one process at a time writes there; what holds it is the folder lock of the
// search package.
import { join } from 'node:path';

import { folderFault, keepForOwner, lockFolder, type TakenLock } from '@lockstitch/search/folder';

import { serverErrors } from '../errors.ts';

/** What earlier versions or copies left for everybody to read; the database and the indexes see to theirs. */
const FORMER = ['control', 'instance', 'lock', 'lock.pid', 'search'];

/**
 * Makes the folder when needed and takes it until released.
 *
 * @throws ProductError SERVER_DATA_IN_USE naming the process that has it, SERVER_DATA_NOT_WRITABLE
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

/** The refusal for a data folder that cannot be made or written. */
export function notWritable(folder: string, error: unknown): Error {
  const reason = folderFault(error) ?? (error instanceof Error ? error.message : String(error));
  return serverErrors.create('SERVER_DATA_NOT_WRITABLE', { folder, reason }, { cause: error });
}
