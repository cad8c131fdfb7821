// What a backup says of itself: the first entry of the archive. Restoring trusts nothing else before the checksums agree.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { serverErrors } from '../errors.ts';

export const MANIFEST = 'backup.json';
/** Entries of the archive besides the manifest. */
export const PARTS = { app: 'app', data: 'data', sqlite: 'database.sqlite', postgres: 'database.dump' } as const;
const FORMAT: number = 1;

export interface BackedUpFile {
  /** In the archive, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface BackupManifest {
  readonly format: number;
  /** Version of the product that made it. */
  readonly version: string;
  /** ISO 8601. */
  readonly madeAt: string;
  readonly application: string;
  /** The data folder: relative to the application's folder, or absolute. */
  readonly data: string;
  readonly database:
    | {
        readonly kind: 'sqlite';
        /** Relative to the application's folder, or absolute. */
        readonly file: string;
      }
    | { readonly kind: 'postgres' };
  /** Last change that the database knows. */
  readonly position: number;
  /** Names of the search indexes in the backup. */
  readonly indexes: readonly string[];
  readonly files: readonly BackedUpFile[];
}

export function toManifest(parts: Omit<BackupManifest, 'format'>): BackupManifest {
  return { format: FORMAT, ...parts };
}

/** Reads the manifest of an unpacked backup. @throws ProductError SERVER_BACKUP_UNREADABLE */
export async function readManifest(folder: string, file: string): Promise<BackupManifest> {
  let manifest: BackupManifest;
  try {
    manifest = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as BackupManifest;
  } catch (error) {
    throw serverErrors.create('SERVER_BACKUP_UNREADABLE', { file, reason: 'it is not a backup' }, { cause: error });
  }
  if (manifest.format === FORMAT) return manifest;
  const reason = `it has format ${String(manifest.format)}, and this version reads ${FORMAT}`;
  throw serverErrors.create('SERVER_BACKUP_UNREADABLE', { file, reason });
}

/** Returns the SHA-256 checksum of a file in hexadecimal. */
export async function checksumOf(path: string, onBytes: (bytes: number) => void): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) {
      hash.update(piece);
      onBytes(piece.length);
    }
  });
  return hash.digest('hex');
}
