// What the indices of a directory are, read beside an engine that may have it open: nothing is locked, changed or repaired.
import type { Directory } from '../directory/directory.ts';
import type { IndexDefinition } from '../settings/index-definition.ts';
import { MANIFEST, readManifest } from './manifest.ts';

/** What an index is, and how far it has come. */
export type StoredDefinition = IndexDefinition & { readonly position: number };

/**
 * Reads the definitions of all indices as of their last commit, by name. One whose manifest cannot be read is not among them: nothing is
 * known of it.
 */
export async function readDefinitions(directory: Directory): Promise<ReadonlyMap<string, StoredDefinition>> {
  const found = new Map<string, { readonly definition: StoredDefinition; readonly generation: number }>();
  for (const folder of await directory.directories()) {
    const inside = await directory.directory(folder);
    if (!(await inside.exists(MANIFEST))) continue;
    // A damaged index is reported once it is opened.
    const manifest = await readManifest(inside).catch(() => undefined);
    if (manifest === undefined || manifest.aside === true) continue;
    const { definition, mappings, position } = manifest;
    // A shadow index lives in a folder with a number, and the highest one counts: `photos@2`.
    const [encoded, number = '0'] = folder.split('@') as [string, string?];
    const name = decodeURIComponent(encoded);
    const generation = Number(number);
    if ((found.get(name)?.generation ?? -1) < generation)
      found.set(name, { definition: { ...definition, mappings, position }, generation });
  }
  return new Map([...found].map(([name, { definition }]) => [name, definition]));
}
