// Gets a copy of the search indexes: from the server that holds the data folder, or else made here.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { isProductError, silentLog } from '@lockstitch/kernel';
import { createEngine, fileDirectory } from '@lockstitch/search';

import { lockDataFolder } from '../data/data-lock.ts';
import { serverErrors } from '../errors.ts';
import { type CopiedIndexes, copyIndexes } from '../sync/copy-indexes.ts';
import { askIndexControl } from '../sync/index-control.ts';

/** The server of a locked folder would have answered, if it were ready. */
function lockForCopy(data: string): ReturnType<typeof lockDataFolder> {
  try {
    return lockDataFolder(data);
  } catch (error) {
    if (!isProductError(error, 'SERVER_DATA_IN_USE')) throw error;
    throw serverErrors.create('SERVER_INDEX_UNREACHABLE', { reason: error.message }, { cause: error });
  }
}

/**
 * The caller removes the folder of the copy.
 *
 * @param data the data folder
 * @param all also the indexes of the schema
 * @returns undefined if there are no indexes
 */
export async function requestCopy(data: string, all: boolean): Promise<CopiedIndexes | undefined> {
  const served = await askIndexControl(data, { kind: 'copy', all }, () => undefined);
  if (served !== undefined) return served;
  if (!existsSync(join(data, 'search'))) return undefined;
  const lock = lockForCopy(data);
  try {
    const engine = await createEngine({ directory: fileDirectory(join(data, 'search')), log: silentLog });
    try {
      return await copyIndexes(engine, data, all);
    } finally {
      await engine.close();
    }
  } finally {
    lock.release();
  }
}
