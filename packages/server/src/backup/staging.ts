// A folder for what is not whole yet, beside the place where it will be: a move between them copies nothing.
import { mkdtemp } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { reasonOf } from '@lockstitch/kernel';
import { folderFault } from '@lockstitch/search/folder';

import { serverErrors } from '../errors.ts';

/** The caller removes it. @throws ProductError SERVER_FOLDER_NOT_WRITABLE */
export async function stagingBeside(path: string): Promise<string> {
  const folder = dirname(path);
  try {
    return await mkdtemp(join(folder, `.${basename(path)}-`));
  } catch (error) {
    const reason = folderFault(error) ?? reasonOf(error);
    throw serverErrors.create('SERVER_FOLDER_NOT_WRITABLE', { folder, reason }, { cause: error });
  }
}
