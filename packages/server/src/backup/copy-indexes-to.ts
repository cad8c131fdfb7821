// Gets a copy of the search indexes: from the server that holds the data folder, or else made here.
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { isProductError, silentLog } from '@lockstitch/kernel';
import { createEngine, fileDirectory } from '@lockstitch/search';
import { OWNER_FOLDER } from '@lockstitch/search/folder';

import { lockUnservedFolder } from '../data/data-lock.ts';
import { type CopiedIndexes, copyIndexes } from '../sync/copy-indexes.ts';
import { askIndexControl } from '../sync/index-control.ts';

/**
 * Copies the search indexes of a data folder, which may be in use.
 *
 * @param data the data folder
 * @param to the new folder of the indexes, `search` in a data folder
 * @param all also the indexes of the schema
 * @returns their names
 */
export async function copyIndexesTo(data: string, to: string, all: boolean): Promise<readonly string[]> {
  const copied = await requestCopy(data, all);
  if (copied === undefined) return [];
  try {
    await linkFiles(copied.folder, to);
  } finally {
    await rm(copied.folder, { recursive: true, force: true });
  }
  return copied.indexes;
}

/** @returns undefined if there are no indexes */
async function requestCopy(data: string, all: boolean): Promise<CopiedIndexes | undefined> {
  try {
    const served = await askIndexControl(data, { kind: 'copy', all }, () => undefined);
    if (served !== undefined) return served;
  } catch (error) {
    // On a cluster clients have no indexes.
    if (all || !isProductError(error, 'SERVER_INDEX_ON_CLUSTER')) throw error;
    return undefined;
  }
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

/** Links take no room; another file system has none. */
async function linkFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: OWNER_FOLDER });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFiles(source, target);
    else await link(source, target).catch(() => copyFile(source, target));
  }
}
