// Which folders of a directory hold indices, and under which names. What a crash left unfinished is removed: creations, deletions, and
// what was replaced. A folder that an engine cannot have made stays as it is, and so does an index that cannot be read.
import { type Log, toError } from '@lockstitch/kernel';
import type { Directory } from '../directory/directory.ts';
import { searchError } from '../errors/search-errors.ts';
import { isIndexFile, UNFINISHED } from '../directory/index-files.ts';
import { folderIn, generationOf, isShadowFolder, nameOf } from './index-names.ts';
import { MANIFEST, readManifest } from './manifest.ts';

/** The folder of one index. */
export interface FoundFolder {
  readonly folder: string;
  /** Why its manifest cannot be read; undefined where it can. */
  readonly error?: Error;
}

/** The folder of each index, by its name. */
export async function findFolders(directory: Directory, log: Log): Promise<ReadonlyMap<string, FoundFolder>> {
  const found = new Map<string, FoundFolder>();
  for (const folder of await directory.directories()) {
    const inside = await directory.directory(folder);
    if (await isForeign(folder, inside)) {
      log.write('warn', 'A folder among the indices is none of an index and is left alone.', { folder });
      continue;
    }
    const here = await look(folder, inside);
    if (here === undefined) {
      await directory.removeDirectory(folder);
      continue;
    }
    const name = nameOf(folder);
    const other = found.get(name);
    const later = other === undefined ? here : laterOf(other, here);
    const earlier = later === here ? other : here;
    if (earlier !== undefined) {
      if (earlier.error !== undefined)
        log.write('warn', 'A folder of an index cannot be read and is removed, as another takes its place.', {
          folder: earlier.folder,
          reason: earlier.error.message,
        });
      await directory.removeDirectory(earlier.folder);
    }
    found.set(name, later);
  }
  return found;
}

/** Names of indices whose creation or deletion did not finish. */
export async function findUnfinished(directory: Directory): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const folder of await directory.directories())
    if (folder === folderIn(folder) && (await (await directory.directory(folder)).exists(UNFINISHED)))
      names.add(nameOf(folder));
  return names;
}

/** Of two that both count, the later has taken the place of the earlier, whose removal was cut off; one that can be read goes before one that cannot. */
function laterOf(one: FoundFolder, other: FoundFolder): FoundFolder {
  if ((one.error === undefined) !== (other.error === undefined)) return one.error === undefined ? one : other;
  return generationOf(one.folder) < generationOf(other.folder) ? other : one;
}

/** What is in a folder; undefined: nothing that was finished. */
async function look(folder: string, directory: Directory): Promise<FoundFolder | undefined> {
  if (!(await directory.exists(MANIFEST))) {
    if (!(await holdsAnything(directory))) return undefined;
    const file = `${directory.label}/${MANIFEST}`;
    return { folder, error: searchError('SEARCH_DAMAGED', { file, reason: 'it is missing' }) };
  }
  if (!isShadowFolder(folder)) return { folder };
  try {
    return (await readManifest(directory)).aside === true ? undefined : { folder };
  } catch (error) {
    return { folder, error: toError(error) };
  }
}

/** Whether a folder without a manifest had one. Of what was never finished a mark tells, or that all its files are empty. */
async function holdsAnything(directory: Directory): Promise<boolean> {
  if (await directory.exists(UNFINISHED)) return false;
  for (const file of await directory.list()) {
    if (file.endsWith('.tmp')) continue;
    const reader = await directory.open(file);
    const { size } = reader;
    reader.close();
    if (size > 0) return true;
  }
  return false;
}

/** Whether a folder is not an index: no index can have its name, or it has no manifest and holds other files. */
export async function isForeign(folder: string, directory: Directory): Promise<boolean> {
  if (folder !== folderIn(folder)) return true;
  if (await directory.exists(MANIFEST)) return false;
  if ((await directory.directories()).length > 0) return true;
  return (await directory.list()).some((file) => !isIndexFile(file));
}
