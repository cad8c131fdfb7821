// Restores a backup into a new folder: unpacks it beside its place, compares every checksum, and puts it in place in the
// end. What exists is never overwritten.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';

import { knownHead, type Store } from '@lockstitch/graph';
import { codeOf, reasonOf } from '@lockstitch/kernel';
import { OWNER_FOLDER } from '@lockstitch/search/folder';
import { extract } from 'tar';

import { isPostgresUrl, sqliteFile } from '../config/database-address.ts';
import { openStore } from '../data/open-store.ts';
import { serverErrors } from '../errors.ts';
import { forgetIndexers } from '../fleet/indexer-lease.ts';
import { listFiles } from './application-files.ts';
import { integrityFault } from './copy-sqlite.ts';
import { type BackupManifest, checksumOf, MANIFEST, PARTS, readManifest } from './manifest.ts';
import { restorePostgres } from './postgres-tools.ts';
import { checkFree, withStaging } from './staging.ts';

export interface RestoreOptions {
  readonly file: string;
  /** The application's folder: new or empty. */
  readonly folder: string;
  /** The data folder, new or empty. Default: where the backup had it, if that was in the application's folder. */
  readonly data: string | undefined;
  /** URL of the database. Default: the file that the backup had, if that was in the application's folder. */
  readonly database: string | undefined;
  readonly onProgress: (label: string, done: number, total?: number) => void;
}

export interface RestoreReport {
  readonly manifest: BackupManifest;
  readonly folder: string;
  readonly data: string;
  /** URL of the restored database, if it is not where the configuration says. */
  readonly database: string | undefined;
  /** The data folder is not where the configuration says. */
  readonly isDataElsewhere: boolean;
}

/**
 * @throws ProductError SERVER_BACKUP_UNREADABLE, SERVER_FOLDER_NOT_EMPTY, SERVER_DATABASE_NOT_EMPTY,
 *   SERVER_RESTORE_WHERE, SERVER_TOOL_MISSING, SERVER_TOOL_FAILED
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { file, onProgress } = options;
  const folder = resolve(options.folder);
  await checkFree(folder);
  return withStaging(folder, async (staging) => {
    const manifest = await unpack(file, staging, onProgress);
    const data = placeOf(manifest.data, folder, options.data, 'a data folder', '--data');
    await checkFree(data);
    const target = databaseTarget(manifest, folder, data, options);
    await checkDatabase(manifest, staging, target, file);
    if (target.kind === 'postgres') {
      onProgress('Restoring the database', 0);
      await restorePostgres(target.url, join(staging, PARTS.postgres));
    }
    await withStore(target.kind === 'postgres' ? target.url : `sqlite:${join(staging, PARTS.sqlite)}`, forgetIndexers);
    await putInPlace(join(staging, PARTS.app), folder, OWNER_FOLDER);
    await putInPlace(join(staging, PARTS.data), data, OWNER_FOLDER);
    if (target.kind === 'sqlite') await moveFile(join(staging, PARTS.sqlite), target.file);
    return {
      manifest,
      folder,
      data,
      database: urlElsewhere(target, configuredFile(manifest, folder, data)),
      isDataElsewhere: options.data !== undefined,
    };
  });
}

/** Unpacks the archive and compares it with its manifest, file by file. */
async function unpack(
  file: string,
  staging: string,
  onProgress: RestoreOptions['onProgress'],
): Promise<BackupManifest> {
  const unreadable = (reason: string, cause?: unknown): Error =>
    serverErrors.create('SERVER_BACKUP_UNREADABLE', { file, reason }, { cause });
  if (!existsSync(file)) throw unreadable('there is no such file');
  let read = 0;
  onProgress('Unpacking', 0);
  try {
    await extract({
      file,
      cwd: staging,
      strict: true,
      onReadEntry: (entry) => onProgress('Unpacking', (read += entry.size)),
    });
  } catch (error) {
    throw unreadable(`it cannot be unpacked: ${reasonOf(error)}`, error);
  }
  const manifest = await readManifest(staging, file);
  const listed = new Set(manifest.files.map(({ path }) => path));
  const { files, special } = await listFiles(staging, [join(staging, MANIFEST)]);
  // Links that lead out of the folder among them.
  if (special[0] !== undefined) throw unreadable(`"${special[0]}" in it is no file`);
  const surplus = files.find((path) => !listed.has(path));
  if (surplus !== undefined) throw unreadable(`it holds "${surplus}", of which its list knows nothing`);
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const { path, sha256 } of manifest.files) {
    const found = await checksumOf(join(staging, path), (bytes) =>
      onProgress('Verifying', (done += bytes), total),
    ).catch(() => undefined);
    if (found === undefined) throw unreadable(`"${path}" is missing in it`);
    if (found !== sha256) throw unreadable(`"${path}" fails its checksum`);
  }
  return manifest;
}

type Target = { readonly kind: 'sqlite'; readonly file: string } | { readonly kind: 'postgres'; readonly url: string };

function databaseTarget(manifest: BackupManifest, folder: string, data: string, options: RestoreOptions): Target {
  const { database: given } = options;
  const { database } = manifest;
  if (database.kind === 'postgres') {
    if (given !== undefined && isPostgresUrl(given)) return { kind: 'postgres', url: given };
    const remedy = 'Name an empty database with --database postgres://… or DATABASE_URL.';
    throw serverErrors.create('SERVER_RESTORE_WHERE', { what: 'a database of PostgreSQL', remedy });
  }
  if (given === undefined) {
    if (isInData(manifest)) return { kind: 'sqlite', file: join(data, 'data.sqlite') };
    return { kind: 'sqlite', file: insideOf(database.file, folder, 'a database file', '--database sqlite:') };
  }
  const file = sqliteFile(given);
  if (file !== undefined) return { kind: 'sqlite', file: resolve(file) };
  const remedy =
    'DATABASE_URL or --database names one of PostgreSQL, and a restore converts nothing. Restore without it; then "lockstitch export" and "lockstitch import" move the rows.';
  throw serverErrors.create('SERVER_RESTORE_WHERE', { what: 'a database of SQLite', remedy });
}

function isInData({ database, data }: BackupManifest): boolean {
  return database.kind === 'sqlite' && database.file === `${data}/data.sqlite`;
}

/** The file that the restored configuration names; undefined for PostgreSQL. */
function configuredFile(manifest: BackupManifest, folder: string, data: string): string | undefined {
  if (isInData(manifest)) return join(data, 'data.sqlite');
  return manifest.database.kind === 'sqlite' ? resolve(folder, manifest.database.file) : undefined;
}

/** URL of a restored database that is not the configured file. */
function urlElsewhere(target: Target, configured: string | undefined): string | undefined {
  if (target.kind === 'postgres') return target.url;
  return target.file === configured ? undefined : `sqlite:${target.file}`;
}

function insideOf(place: string, folder: string, what: string, option: string): string {
  const inside = join(folder, place);
  // A place that leads out of the folder was not written by a backup.
  if (!isAbsolute(place) && (inside === folder || inside.startsWith(`${folder}${sep}`))) return inside;
  const remedy = `It was at "${place}", outside the application's folder. Name its new place with ${option}….`;
  throw serverErrors.create('SERVER_RESTORE_WHERE', { what, remedy });
}

function placeOf(place: string, folder: string, given: string | undefined, what: string, option: string): string {
  return given === undefined ? insideOf(place, folder, what, `${option} `) : resolve(given);
}

async function checkDatabase(manifest: BackupManifest, staging: string, target: Target, file: string): Promise<void> {
  if (target.kind === 'postgres') return checkEmpty(target.url);
  if (existsSync(target.file)) throw serverErrors.create('SERVER_BACKUP_EXISTS', { path: target.file });
  const copy = join(staging, PARTS.sqlite);
  const fault = integrityFault(copy);
  const reason = fault === undefined ? await positionFault(manifest, copy) : `its database is damaged: ${fault}`;
  if (reason !== undefined) throw serverErrors.create('SERVER_BACKUP_UNREADABLE', { file, reason });
}

/** Opened here and not where it will be: a failure leaves nothing behind. */
async function positionFault({ position }: BackupManifest, file: string): Promise<string | undefined> {
  const head = await withStore(`sqlite:${file}`, knownHead);
  return head === position ? undefined : `its database is at change ${head}, not ${position}`;
}

async function withStore<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(url, ':memory:');
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function checkEmpty(url: string): Promise<void> {
  await withStore(url, async (store) => {
    const [row] = await store
      .prepare(
        `SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ORDER BY 1 LIMIT 1`,
      )
      .rows([]);
    if (row === undefined) return;
    const parts = { database: store.description, table: String(row[0]) };
    throw serverErrors.create('SERVER_DATABASE_NOT_EMPTY', parts);
  });
}

/** Moves a folder's content into another, which is created when missing. */
async function putInPlace(from: string, to: string, mode: number): Promise<void> {
  await mkdir(to, { recursive: true, mode });
  if (!existsSync(from)) return;
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await putInPlace(source, target, mode);
    else await moveFile(source, target);
  }
}

async function moveFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: OWNER_FOLDER });
  await rename(from, to).catch(async (error: unknown) => {
    // Another file system.
    if (codeOf(error) !== 'EXDEV') throw error;
    await copyFile(from, to);
  });
}
