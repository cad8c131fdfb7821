// Why the operating system refuses to keep files in a folder, in words for the operator.
import { codeOf } from '@lockstitch/kernel';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no right to read and write there.',
  EPERM: 'this user has no right to read and write there.',
  EOTHERS:
    'other users of this machine can read files in it that belong to somebody else. Give them to this user, or have their owner run "chmod -R go= <folder>".',
  EROFS: 'it is on a read-only file system.',
  ENOSPC: 'the disk is full.',
  EDQUOT: 'the disk quota of this user is used up.',
  ENOTDIR: 'a part of the path is a file.',
  ENOENT: 'no folder can be made there.',
  EEXIST: 'there is a file of that name.',
  ENAMETOOLONG: 'the path is too long.',
  ELOOP: 'its symbolic links lead in a circle.',
  EIO: 'the disk reports errors.',
  EMFILE: 'this process may not open more files.',
  ENFILE: 'the system may not open more files.',
  EFTYPE: 'its file "_lock" is no plain file.',
  EBUSY: 'others take and free it all the time.',
  ENOLCK: 'its file system cannot lock files.',
};

/** The reason behind an error of the operating system, as a sentence; undefined when it is not about the folder. */
export function folderFault(error: unknown): string | undefined {
  const code = codeOf(error);
  return typeof code === 'string' && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
}
