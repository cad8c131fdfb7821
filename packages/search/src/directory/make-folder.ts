// Makes a folder with those above it. Not `mkdirSync(…, { recursive: true })`: where the parent exists but the system says ENOENT,
// as under /proc, Node (26.10) loops for ever there and blocks the event loop.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes the folders of a path that are missing, from the nearest that exists.
 *
 * @param mode who may enter the last of them, when it is made here (`0o700`: its owner alone). Default: as the process says
 * @throws the error of the operating system for the first that cannot be made: EACCES, ENOTDIR, EEXIST, ENOENT, …
 */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(path); statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) {
    missing.unshift(at);
    if (dirname(at) === at) break;
  }
  if (missing.length === 0 && !statSync(path).isDirectory())
    throw Object.assign(new Error(`${path} is a file`), { code: 'EEXIST' });
  for (const folder of missing) {
    try {
      mkdirSync(folder, folder === missing.at(-1) ? { mode } : {});
    } catch (error) {
      // Another process may have made it meanwhile.
      const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
      if (!isThere) throw error;
    }
  }
}
