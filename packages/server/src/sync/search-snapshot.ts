// Makes a temporary copy of the search folder for read-only commands, because opening an index writes to its folder (it
// truncates logs). Immutable files are hard links and take no space.
import { copyFileSync, constants, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = '.look-';

export interface SearchSnapshot {
  /** Contains a folder `search`, as the data folder does. */
  readonly folder: string;
  remove(): void;
}

/** Copies the folder `search` of a data folder that no process has open. Removes copies that killed commands left. */
export function snapshotSearch(data: string): SearchSnapshot {
  for (const name of readdirSync(data))
    if (name.startsWith(PREFIX)) rmSync(join(data, name), { recursive: true, force: true });
  const folder = mkdtempSync(join(data, PREFIX));
  try {
    if (existsSync(join(data, 'search'))) copyFolder(join(data, 'search'), join(folder, 'search'));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function copyFolder(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else if (/\.(?:seg|live)$/.test(entry.name)) share(source, target);
    else copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}

function share(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    // No hard links, or another file system.
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}
