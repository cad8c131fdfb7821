// A folder for what is not whole yet, beside the place where it will be: a move between them copies nothing.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { folderNotWritable } from '../data/folder-not-writable.ts';
import { serverErrors } from '../errors.ts';

/** Works in a folder that is gone afterwards. @throws ProductError SERVER_FOLDER_NOT_WRITABLE */
export async function withStaging<Result>(path: string, work: (staging: string) => Promise<Result>): Promise<Result> {
  const folder = dirname(path);
  const staging = await mkdtemp(join(folder, `.${basename(path)}-`)).catch((error: unknown) => {
    throw folderNotWritable(folder, error);
  });
  try {
    return await work(staging);
  } finally {
    // Retries: unpacking may still go on after it has reported damage.
    await rm(staging, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** @throws ProductError SERVER_FOLDER_NOT_EMPTY unless the folder is new or empty */
export async function checkFree(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory() || (await readdir(folder)).length > 0)
    throw serverErrors.create('SERVER_FOLDER_NOT_EMPTY', { folder });
}
