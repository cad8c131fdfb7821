// Copies what is on disk of indices that are being served, so that the copy opens as the engine would after a crash at
// that moment. Segments never change and become hard links; what may still change is copied.
import { constants, type Dirent } from 'node:fs';
import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Directory } from '../directory/directory.ts';
import { fileDirectory } from '../directory/file.ts';
import { OWNER_FOLDER } from '../directory/owner-only.ts';
import { MANIFEST, readManifest } from './manifest.ts';

/** Copies the last commit of one index and the writes logged since. Call while it is not committed. */
export async function copyCommit(from: Directory, to: string): Promise<void> {
  await mkdir(to, { mode: OWNER_FOLDER });
  await copyFile(pathIn(from, MANIFEST), join(to, MANIFEST));
  const { segments } = await readManifest(fileDirectory(to));
  const unchanging = segments.flatMap(({ file, live }) => (live === undefined ? [file] : [file, live]));
  for (const name of unchanging) await share(pathIn(from, name), join(to, name));
  for (const name of await from.list())
    if (name.startsWith('translog-') && !name.endsWith('.tmp')) await copyFile(pathIn(from, name), join(to, name));
}

/** Copies a folder that nobody writes, such as that of an index that cannot be read. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: OWNER_FOLDER });
  const entries: readonly Dirent[] = await readdir(from, { withFileTypes: true });
  for (const entry of entries) if (entry.isFile()) await copyFile(join(from, entry.name), join(to, entry.name));
}

function pathIn(directory: Directory, name: string): string {
  return directory.path?.(name) ?? name;
}

async function share(from: string, to: string): Promise<void> {
  // No hard links, or another file system.
  await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_FICLONE));
}
