// Tells whether SQLite can write temporary files, which it needs for sorts that are larger than its cache.
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';

/** Whether there is a folder that SQLite would choose; a container may have none. */
export function hasTemporaryFolder(): boolean {
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const folders = process.platform === 'win32' ? [tmpdir()] : [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return folders.some((folder) => folder !== undefined && isWritable(folder));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
