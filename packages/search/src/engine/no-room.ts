// Errors of the operating system that pass: the disk is full, or too many files are open. The operation can be retried, and earlier writes
// are safe.
import { searchError } from '../errors/search-errors.ts';

const PASSING: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** Whether an error is one that passes. */
export function isPassing(error: unknown): boolean {
  return PASSING.has((error as NodeJS.ErrnoException | undefined)?.code);
}

/** Turns such an error into SEARCH_DISK_FULL for the client; returns any other as it is. */
export function toClientError(index: string, error: unknown): unknown {
  return isPassing(error)
    ? searchError('SEARCH_DISK_FULL', { index, reason: reasonOf(error) }, { cause: error })
    : error;
}

/** The message of an error without folders: clients do not see paths of the server. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason.replaceAll(/'[^']*[\\/]([^'\\/]*)'/g, "'$1'");
}
