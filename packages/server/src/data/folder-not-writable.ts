// The error for a folder that a command cannot write to.
import { reasonOf } from '@lockstitch/kernel';
import { folderFault } from '@lockstitch/search/folder';

import { serverErrors } from '../errors.ts';

export function folderNotWritable(folder: string, error: unknown): Error {
  const reason = folderFault(error) ?? reasonOf(error);
  return serverErrors.create('SERVER_FOLDER_NOT_WRITABLE', { folder, reason }, { cause: error });
}
