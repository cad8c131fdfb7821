// Takes a backup: application, database and search indexes in one archive that `tar` can read. The server may run and be
// written to meanwhile. The indexes are copied before the database, so that they are never ahead of it.
import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

import { knownHead } from '@lockstitch/graph';
import { codeOf } from '@lockstitch/kernel';
import { OWNER_FILE } from '@lockstitch/search/folder';
import { create } from 'tar';

import { sqliteFile } from '../config/database-address.ts';
import { dataFolder, type LoadedConfig } from '../config/load-config.ts';
import { openStore } from '../data/open-store.ts';
import { serverErrors } from '../errors.ts';
import { noteBackup } from '../metrics/last-backup.ts';
import { listApplicationFiles, listFiles } from './application-files.ts';
import { copySqlite, integrityFault } from './copy-sqlite.ts';
import { type BackedUpFile, type BackupManifest, checksumOf, MANIFEST, PARTS, toManifest } from './manifest.ts';
import { dumpPostgres } from './postgres-tools.ts';
import { copyIndexesTo } from './copy-indexes-to.ts';
import { withStaging } from './staging.ts';

export interface BackupOptions {
  readonly app: LoadedConfig;
  /** Path of the archive. Nothing may be there. */
  readonly to: string;
  /** Whether the indexes of the schema are copied, too; otherwise they are built after the restore. */
  readonly withIndexes: boolean;
  readonly version: string;
  readonly now: Date;
  /** `label`: what is being done; `total` in bytes, where it is known. */
  readonly onProgress: (label: string, done: number, total?: number) => void;
}

export interface BackupReport {
  readonly manifest: BackupManifest;
  /** Bytes of the archive. */
  readonly bytes: number;
  /** Links, sockets and devices of the application's folder, which are not in the backup. */
  readonly leftOut: readonly string[];
}

/** Files of a data folder that belong to one run, or that other parts of a backup copy. */
const OF_A_RUN = /^(?:last-backup|control|control\.sock|lock|lock\.pid|_lock\.json|_lock|search|data\.sqlite.*|\..*)$/;

/** @throws ProductError SERVER_BACKUP_EXISTS, SERVER_BACKUP_NO_DATA, SERVER_TOOL_MISSING, SERVER_TOOL_FAILED */
export async function takeBackup(options: BackupOptions): Promise<BackupReport> {
  const to = resolve(options.to);
  if (existsSync(to)) throw serverErrors.create('SERVER_BACKUP_EXISTS', { path: options.to });
  // Beside the archive: where there is room for the one there is room for the other.
  return withStaging(to, async (staging) => {
    const { manifest, leftOut } = await stage(options, staging, to);
    const archive = join(staging, 'archive');
    await pack(staging, archive, manifest, options.onProgress);
    // Unlike a rename, a link replaces nothing that has come into being meanwhile.
    await link(archive, to).catch((error: unknown) => {
      if (codeOf(error) === 'EEXIST') throw serverErrors.create('SERVER_BACKUP_EXISTS', { path: options.to });
      return copyFile(archive, to, constants.COPYFILE_EXCL);
    });
    await noteBackup(dataFolder(options.app), options.now);
    return { manifest, leftOut, bytes: (await stat(to)).size };
  });
}

type Staged = Pick<BackupReport, 'manifest' | 'leftOut'>;

async function stage(options: BackupOptions, staging: string, to: string): Promise<Staged> {
  const { app, version, now, onProgress } = options;
  const data = dataFolder(app);
  if (data === ':memory:') throw serverErrors.create('SERVER_BACKUP_NO_DATA', { reason: 'it is in memory' });
  const indexes = await stageData(options, data, staging);
  const { database, position } = await stageDatabase(app, data, staging, onProgress);
  const { files, special } = await listApplicationFiles(app.folder, [data, to, staging]);
  // A database of the application's own may be in its folder.
  const own = database.kind === 'sqlite' ? ['', '-wal', '-shm'].map((end) => `${database.file}${end}`) : [];
  const kept = files.filter((file) => !own.includes(file));
  for (const file of kept) await copyInto(join(app.folder, file), join(staging, PARTS.app, file));
  const manifest = toManifest({
    version,
    madeAt: now.toISOString(),
    application: basename(app.folder),
    data: placeIn(app.folder, data),
    database,
    position,
    indexes,
    files: await describeFiles(staging, onProgress),
  });
  await writeFile(join(staging, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: OWNER_FILE });
  return { manifest, leftOut: special };
}

/** Copies what the data folder holds besides the database. Returns the names of the indexes. */
async function stageData({ withIndexes }: BackupOptions, data: string, staging: string): Promise<readonly string[]> {
  const target = join(staging, PARTS.data);
  await mkdir(target, { mode: 0o700 });
  if (!existsSync(data)) return [];
  const indexes = await copyIndexesTo(data, join(target, 'search'), withIndexes);
  for (const entry of await readdir(data, { withFileTypes: true })) {
    // The name under which indexes read the feed means something only together with them.
    const isWanted = entry.isFile() && !OF_A_RUN.test(entry.name) && (withIndexes || entry.name !== 'instance');
    if (isWanted) await copyFile(join(data, entry.name), join(target, entry.name));
  }
  return indexes;
}

async function stageDatabase(
  app: LoadedConfig,
  data: string,
  staging: string,
  onProgress: BackupOptions['onProgress'],
): Promise<Pick<BackupManifest, 'database' | 'position'>> {
  const { url } = app.config.database;
  const file = url === undefined ? join(data, 'data.sqlite') : sqliteFile(url);
  if (file === undefined) {
    const target = join(staging, PARTS.postgres);
    // Before the copy: the copy may then know more changes than the backup says, never fewer.
    const position = await positionOf(url, data);
    onProgress('Copying the database', 0);
    await dumpPostgres(url!, target);
    await chmod(target, OWNER_FILE);
    return { database: { kind: 'postgres' }, position };
  }
  if (!existsSync(file)) throw serverErrors.create('SERVER_BACKUP_NO_DATA', { reason: `there is no file "${file}"` });
  const target = join(staging, PARTS.sqlite);
  const { size } = await stat(file);
  await copySqlite(file, target, (share) => onProgress('Copying the database', Math.round(share * size), size));
  await chmod(target, OWNER_FILE);
  const fault = integrityFault(target);
  if (fault !== undefined)
    throw serverErrors.create('SERVER_DATABASE_UNREACHABLE', {
      database: file,
      reason: `its copy is damaged, so it is, too: ${fault}`,
    });
  const position = await positionOf(`sqlite:${target}`, staging);
  return { database: { kind: 'sqlite', file: placeIn(app.folder, file) }, position };
}

async function positionOf(url: string | undefined, data: string): Promise<number> {
  const store = await openStore(url, data);
  try {
    return await knownHead(store);
  } finally {
    await store.close();
  }
}

/** A path relative to a folder if it is inside; with `/`. */
function placeIn(folder: string, path: string): string {
  const inside = relative(folder, path);
  return inside.startsWith('..') || resolve(inside) === inside ? path : inside.split(sep).join('/');
}

async function copyInto(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
}

async function describeFiles(
  staging: string,
  onProgress: BackupOptions['onProgress'],
): Promise<readonly BackedUpFile[]> {
  const { files } = await listFiles(staging);
  const sizes = await Promise.all(files.map(async (path) => (await stat(join(staging, path))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const described: BackedUpFile[] = [];
  let done = 0;
  for (const [at, path] of files.entries()) {
    const sha256 = await checksumOf(join(staging, path), (bytes) => {
      done += bytes;
      onProgress('Computing checksums', done, total);
    });
    described.push({ path, bytes: sizes[at] ?? 0, sha256 });
  }
  return described;
}

async function pack(
  staging: string,
  archive: string,
  { files }: BackupManifest,
  onProgress: BackupOptions['onProgress'],
): Promise<void> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  await create(
    {
      file: archive,
      cwd: staging,
      gzip: true,
      portable: true,
      mode: OWNER_FILE,
      onWriteEntry: (entry) => {
        onProgress('Packing', Math.min(done, total), total);
        done += entry.stat?.size ?? 0;
      },
    },
    [MANIFEST, ...files.map(({ path }) => path)],
  );
  onProgress('Packing', total, total);
  await chmod(archive, OWNER_FILE);
  const handle = await open(archive, 'r');
  await handle.sync();
  await handle.close();
}
