// A directory of files. Whole files appear by write, fsync, rename and fsync of the directory; logs grow by append and
// fdatasync. Reads of whole files land in shared memory.
import fs from 'node:fs';
import { mkdir, open as openHandle, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { TimeSlices } from '../tasks/scheduler.ts';
import { searchError } from '../errors/search-errors.ts';
import { appendFile } from './append-file.ts';
import type { Directory, RandomReader } from './directory.ts';
import { lockFolder, type TakenLock } from './folder-lock.ts';
import { makeFolder } from './make-folder.ts';
import { keepFoldersForOwner, keepForOwner, OWNER_FILE, OWNER_FOLDER } from './owner-only.ts';
import { isIndexFile } from './index-files.ts';
import { readAt } from './read-at.ts';

/** Bytes of a file that are read at once: 0.2 ms. */
const PIECE = 1 << 20;

/** Opens a directory of the file system, which is created when first written to. */
export function fileDirectory(path: string): Directory {
  const at = (name: string): string => join(path, name);
  let lock: TakenLock | undefined;
  const ensure = async (): Promise<void> => {
    if (!fs.existsSync(path)) makeFolder(path, OWNER_FOLDER);
  };
  return {
    label: path,
    durable: true,
    path: at,
    list: () => names(path, (entry) => entry.isFile()),
    exists: (name) => Promise.resolve(fs.existsSync(at(name))),
    readFile: (name) => readShared(at(name)),
    open: (name) => Promise.resolve().then(() => randomReader(fs.openSync(at(name), 'r'))),
    async writeFile(name, parts) {
      await ensure();
      const temporary = at(`${name}.tmp`);
      const handle = await openHandle(temporary, 'w', OWNER_FILE);
      try {
        await writeParts(handle, parts, 0);
        await handle.sync();
        await handle.close();
        await rename(temporary, at(name));
      } catch (error) {
        await handle.close().catch(() => undefined);
        await rm(temporary, { force: true }).catch(() => undefined);
        throw error;
      }
      await syncDirectory(path);
    },
    async extendFile(name, size, parts) {
      const handle = await openHandle(at(name), 'r+');
      try {
        await handle.truncate(size);
        await writeParts(handle, parts, size);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await syncDirectory(path);
    },
    async openAppend(name, size) {
      await ensure();
      const isNew = !fs.existsSync(at(name));
      const fd = fs.openSync(at(name), isNew ? 'w+' : 'r+', OWNER_FILE);
      try {
        if (size !== undefined) fs.ftruncateSync(fd, size);
        if (isNew) await syncDirectory(path);
        return appendFile(fd, size ?? fs.fstatSync(fd).size);
      } catch (error) {
        fs.closeSync(fd);
        throw error;
      }
    },
    remove: (name) => rm(at(name), { force: true }),
    async rename(name, to) {
      await rename(at(name), at(to));
      await syncDirectory(path);
    },
    async directory(name) {
      await ensure();
      if (!fs.existsSync(at(name))) {
        await mkdir(at(name), { recursive: true, mode: OWNER_FOLDER });
        await syncDirectory(path);
      }
      return fileDirectory(at(name));
    },
    directories: () => names(path, (entry) => entry.isDirectory()),
    async removeDirectory(name) {
      await rm(at(name), { recursive: true, force: true });
      await syncDirectory(path);
    },
    async lock() {
      const taken = lockFolder(path);
      if (taken.kind === 'refused') throw searchError('SEARCH_LOCKED', { directory: path, holder: taken.holder });
      lock = taken;
      try {
        for (const file of ['metadata', '_indices', 'lock']) keepForOwner(at(file));
        keepFoldersForOwner(path, isIndexFile);
      } catch (error) {
        await this.unlock();
        throw error;
      }
    },
    async unlock() {
      lock?.release();
      lock = undefined;
    },
  };
}

/** Closes files whose readers were dropped: searches in progress may hold a merged-away segment longer than the index does. */
const dropped = new FinalizationRegistry<number>((fd) => fs.closeSync(fd));

function randomReader(fd: number): RandomReader {
  const { size } = fs.fstatSync(fd);
  let closed = false;
  const reader: RandomReader = {
    size,
    read(position, length) {
      // Its number may be another file's by now.
      if (closed) throw searchError('SEARCH_CLOSED');
      return readAt(fd, position, Math.max(0, Math.min(length, size - position)));
    },
    close() {
      if (closed) return;
      closed = true;
      dropped.unregister(reader);
      fs.closeSync(fd);
    },
  };
  dropped.register(reader, fd, reader);
  return reader;
}

/** Reads a whole file into shared memory. */
async function readShared(path: string): Promise<Uint8Array> {
  const handle = await openHandle(path, 'r');
  try {
    const { size } = await handle.stat();
    const bytes = new Uint8Array(new SharedArrayBuffer(size));
    // Synchronous: one copy from the page cache (8 ms for 50 MB) costs less than the thread pool's hand-over.
    const slices = new TimeSlices();
    let read = 0;
    while (read < size) {
      if (slices.isOver) await slices.yield();
      const count = fs.readSync(handle.fd, bytes, read, Math.min(size - read, PIECE), read);
      if (count === 0) return bytes.subarray(0, read);
      read += count;
    }
    return bytes;
  } finally {
    await handle.close();
  }
}

async function names(path: string, keep: (entry: fs.Dirent) => boolean): Promise<readonly string[]> {
  if (!fs.existsSync(path)) return [];
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter(keep)
    .map((entry) => entry.name)
    .sort();
}

/** Writes parts one after the other, the first at a position. */
async function writeParts(handle: FileHandle, parts: readonly Uint8Array[], position: number): Promise<void> {
  // Slices, so that one large segment neither blocks a pool thread for long nor is copied as a whole.
  const slice = 4 << 20;
  let written = position;
  for (const bytes of parts) {
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await handle.write(bytes, at, Math.min(slice, bytes.length - at), written);
      at += bytesWritten;
      written += bytesWritten;
    }
  }
}

/** Makes a rename or creation in the directory durable. Windows has no such call and needs none. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await openHandle(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
