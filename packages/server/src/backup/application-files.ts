// The files of an application that a backup holds: everything in its folder that is not data, a package or a repository.
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', '.git']);

export interface ApplicationFiles {
  /** Relative to the folder, with `/`. */
  readonly files: readonly string[];
  /** Links, sockets and devices, which a backup does not hold. */
  readonly special: readonly string[];
}

/** @param except absolute paths that are left out: the data, the backup itself */
export async function listApplicationFiles(folder: string, except: readonly string[]): Promise<ApplicationFiles> {
  const files: string[] = [];
  const special: string[] = [];
  const visit = async (path: string): Promise<void> => {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const inside = join(path, entry.name);
      if (LEFT_OUT.has(entry.name) || except.includes(inside)) continue;
      const name = relative(folder, inside).split(sep).join('/');
      if (entry.isDirectory()) await visit(inside);
      else (entry.isFile() ? files : special).push(name);
    }
  };
  await visit(folder);
  return { files: files.toSorted(), special: special.toSorted() };
}
