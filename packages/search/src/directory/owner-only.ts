// Keeps data readable for its owner only. A folder that existed before may let others look inside, so each file has its own mode, whatever
// the umask of the process.
import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Mode of folders that hold data. */
export const OWNER_FOLDER = 0o700;
/** Mode of files that hold data. */
export const OWNER_FILE = 0o600;

/** Bits of the mode for everybody but the owner. */
const OTHERS = 0o077;

/**
 * Removes the rights of others from a file or folder that an earlier version or a copy left. Ignores missing files and links.
 *
 * @throws EOTHERS when others can read it and only its owner could change that
 */
export function keepForOwner(path: string): void {
  // Windows knows no such modes.
  if (process.platform === 'win32') return;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink() || (stats.mode & OTHERS) === 0) return;
  try {
    chmodSync(path, stats.isDirectory() ? OWNER_FOLDER : OWNER_FILE);
  } catch (error) {
    if ((stats.mode & 0o044) !== 0 && isReachable(dirname(resolve(path))))
      throw Object.assign(new Error(`Others can read ${path}`, { cause: error }), { code: 'EOTHERS' });
  }
}

/** The same for the folders in a folder that hold only files of a kind, and for those files. */
export function keepFoldersForOwner(path: string, isOwn: (file: string) => boolean): void {
  for (const folder of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, folder.name);
    const files = folder.isDirectory() ? readdirSync(inside) : [];
    if (files.length === 0 || !files.every(isOwn)) continue;
    for (const file of files) keepForOwner(join(inside, file));
    keepForOwner(inside);
  }
}

/** Whether users who do not own a folder can come to it. */
function isReachable(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o011) === 0) return false;
    if (dirname(at) === at) return true;
  }
}
