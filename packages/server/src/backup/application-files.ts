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
export function listApplicationFiles(folder: string, except: readonly string[]): Promise<ApplicationFiles> {
  return list(folder, (path, name) => LEFT_OUT.has(name) || except.includes(path));
}

/** Everything in a folder, but the files with these absolute paths. */
export function listFiles(folder: string, except: readonly string[] = []): Promise<ApplicationFiles> {
  return list(folder, (path) => except.includes(path));
}

async function list(folder: string, isLeftOut: (path: string, name: string) => boolean): Promise<ApplicationFiles> {
  const files: string[] = [];
  const special: string[] = [];
  const visit = async (path: string): Promise<void> => {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const inside = join(path, entry.name);
      if (isLeftOut(inside, entry.name)) continue;
      const name = relative(folder, inside).split(sep).join('/');
      if (entry.isDirectory()) await visit(inside);
      else (entry.isFile() ? files : special).push(name);
    }
  };
  await visit(folder);
  return { files: files.toSorted(), special: special.toSorted() };
}
