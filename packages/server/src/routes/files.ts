// Serves a folder of files: the console's bundle, an application's images. The path went through the firewall, and is
// confined to the folder here again.
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { isKnownTag } from '@lockstitch/kernel';

import type { RouteResponse } from '../http/route-response.ts';
import type { Incoming } from '../http/incoming.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Largest file that is cached in memory, both compressed and plain; a larger one is read on each request. */
const CACHED_FILE_BYTES = 2 * 1024 * 1024;
const CACHED_TOTAL_BYTES = 16 * 1024 * 1024;

export interface FilesOptions {
  readonly folder: string;
  /** Sent with every file. */
  readonly headers?: Readonly<Record<string, string>>;
  /** File for a path that ends in `/`. Default: none. */
  readonly index?: string;
}

interface LoadedFile {
  readonly modified: number;
  readonly plain: Buffer;
  readonly packed: Buffer | undefined;
  readonly tag: string;
}

/** Returns the file with this name, or undefined if there is none. */
export type ServeFile = (name: string, request: Incoming) => Promise<RouteResponse | undefined>;

const pack = promisify(gzip);

/** Serves a folder. Files and folders whose name starts with a dot are not served. */
export function serveFiles({ folder, headers = {}, index }: FilesOptions): ServeFile {
  const root = resolve(folder);
  const cache = new Map<string, LoadedFile>();
  let cachedBytes = 0;

  const load = async (path: string, size: number, modified: number): Promise<LoadedFile> => {
    const cached = cache.get(path);
    if (cached?.modified === modified) return cached;
    const plain = await readFile(path);
    const packable = size > 1024 && size <= CACHED_FILE_BYTES && /^text|json|svg|javascript/.test(typeOf(path));
    const packed = packable ? await pack(plain) : undefined;
    const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    const loaded: LoadedFile = { modified, plain, packed, tag };
    const bytes = size + (packed?.length ?? 0);
    if (cached !== undefined) {
      cachedBytes -= cached.plain.length + (cached.packed?.length ?? 0);
      cache.delete(path);
    }
    if (size <= CACHED_FILE_BYTES && cachedBytes + bytes <= CACHED_TOTAL_BYTES) {
      cache.set(path, loaded);
      cachedBytes += bytes;
    }
    return loaded;
  };

  return async (name, request) => {
    const relative = name.endsWith('/') && index !== undefined ? `${name}${index}` : name;
    if (relative.includes('\0') || relative.split(/[/\\]/).some((part) => part.startsWith('.'))) return undefined;
    const path = await existingFile(root, relative);
    if (path === undefined) return undefined;
    const { size, mtimeMs } = await stat(path);
    const file = await load(path, size, mtimeMs);
    const packed = file.packed !== undefined && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    const etag = `"${file.tag}${packed ? '-gzip' : ''}"`;
    const answerHeaders = {
      'content-type': typeOf(path),
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      ...headers,
      etag,
      ...(file.packed === undefined ? {} : { vary: 'accept-encoding' }),
      ...(packed ? { 'content-encoding': 'gzip' } : {}),
    };
    if (isKnownTag(request.headers['if-none-match'], etag))
      return { status: 304, headers: answerHeaders, body: undefined };
    return { status: 200, headers: answerHeaders, body: packed ? file.packed : file.plain };
  };
}

/** Real path of a file after links; undefined if it is not a file or outside the folder. */
async function existingFile(root: string, relative: string): Promise<string | undefined> {
  try {
    const [path, base] = await Promise.all([realpath(join(root, relative)), realpath(root)]);
    if (!path.startsWith(base + sep)) return undefined;
    return (await stat(path)).isFile() ? path : undefined;
  } catch {
    // Missing or unreadable: the route answers 404.
    return undefined;
  }
}

function typeOf(path: string): string {
  return TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
}
