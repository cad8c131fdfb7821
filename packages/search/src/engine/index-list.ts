// Lists the indices of a directory in one small file, so that a deleted folder is noticed; and a deleted file of metadata.
import type { Log } from '@lockstitch/kernel';
import type { Directory } from '../directory/directory.ts';
import { openMetadata } from './metadata.ts';

/** Names that no index has: of the file, and of its entry for metadata. */
const FILE = '_indices';
const METADATA_ENTRY = '_metadata';

/** Names of the indices on disk. */
export interface IndexList {
  has(name: string): boolean;
  names(): readonly string[];
  /** Whether the directory has a file of metadata. */
  readonly hasMetadata: boolean;
  /** Resolves when the name is on disk. */
  add(name: string): Promise<void>;
  /** Best effort: on a full disk, the next change writes the list. */
  remove(name: string): Promise<void>;
  /** Best effort, as `remove`. */
  setMetadata(has: boolean): Promise<void>;
}

/** Writes the list of a copy, whose directory holds these indices and no list yet. */
export async function writeIndexList(
  directory: Directory,
  names: readonly string[],
  hasMetadata: boolean,
): Promise<void> {
  const file = await openMetadata(directory, FILE);
  await file.update(hasMetadata ? [...names, METADATA_ENTRY] : names);
}

/** Reads the list. A damaged list is rewritten from the folders that exist. */
export async function openIndexList(directory: Directory, log: Log): Promise<IndexList> {
  const file = directory.durable ? await openMetadata(directory, FILE) : undefined;
  if (file?.damage !== undefined) {
    log.write('warn', 'The list of indices cannot be read and is rewritten.', { reason: file.damage.message });
    await directory.remove(FILE);
    return openIndexList(directory, log);
  }
  const names = new Set((file?.value as readonly string[] | undefined) ?? []);
  const setEntry = async (name: string, has: boolean): Promise<void> => {
    if (has) names.add(name);
    else names.delete(name);
    // An index is found by its folder, too, and a deleted one by its mark: the list is written again at the next change.
    await file?.update([...names]).catch(() => undefined);
  };
  return {
    has: (name) => names.has(name),
    names: () => [...names].filter((name) => name !== METADATA_ENTRY),
    get hasMetadata() {
      return names.has(METADATA_ENTRY);
    },
    async add(name) {
      names.add(name);
      try {
        await file?.update([...names]);
      } catch (error) {
        names.delete(name);
        throw error;
      }
    },
    remove: (name) => setEntry(name, false),
    setMetadata: (has) => setEntry(METADATA_ENTRY, has),
  };
}
