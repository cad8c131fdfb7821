// Errors of the operating system that pass: the disk is full, or too many files are open. The operation can be retried, and earlier writes
// are safe.
import { codeOf, reasonOf } from '@lockstitch/kernel';
import { searchError } from '../errors/search-errors.ts';

const PASSING: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** Whether an error is one that passes. */
export function isPassing(error: unknown): boolean {
  return PASSING.has(codeOf(error));
}

/** Turns such an error into SEARCH_DISK_FULL for the client; returns any other as it is. */
export function toClientError(index: string, error: unknown): unknown {
  return isPassing(error)
    ? searchError('SEARCH_DISK_FULL', { index, reason: reasonWithoutFolders(error) }, { cause: error })
    : error;
}

/** The message of an error without folders: clients do not see paths of the server. */
export function reasonWithoutFolders(error: unknown): string {
  return reasonOf(error).replaceAll(/'[^']*[\\/]([^'\\/]*)'/g, "'$1'");
}
