// Errors of the operating system that pass: the disk is full, or the process may open no more files. What failed can be done again, and
// nothing that was written before is in doubt.
import { searchError } from '../errors.ts';

const PASSING: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** Whether an error is one that passes. */
export function isPassing(error: unknown): boolean {
  return PASSING.has((error as NodeJS.ErrnoException | undefined)?.code);
}

/** What a client is told of such an error; any other stays as it is. */
export function toldOf(index: string, error: unknown): unknown {
  return isPassing(error)
    ? searchError('SEARCH_DISK_FULL', { index, reason: reasonOf(error) }, { cause: error })
    : error;
}

/** An error in words; where on the machine a file lies is nothing to clients. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason.replaceAll(/'[^']*[\\/]([^'\\/]*)'/g, "'$1'");
}
