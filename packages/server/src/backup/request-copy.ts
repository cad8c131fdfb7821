// Gets a copy of the search indexes: from the server that holds the data folder, or else made here.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { silentLog } from '@lockstitch/kernel';
import { createEngine, fileDirectory } from '@lockstitch/search';

import { lockUnservedFolder } from '../data/data-lock.ts';
import { type CopiedIndexes, copyIndexes } from '../sync/copy-indexes.ts';
import { askIndexControl } from '../sync/index-control.ts';

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
  const lock = lockUnservedFolder(data);
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
