// A file that only grows, by its number and not as a `FileHandle`: one of those that is collected while it is open ends the process.
// Closed when it was asked for and no sync is under way: the number of a closed file may soon be another file's.
import fs from 'node:fs';
import { promisify } from 'node:util';
import type { AppendFile } from './directory.ts';

const datasync = promisify(fs.fdatasync);

/** Appends to an open file from `start` on. */
export function appendFile(fd: number, start: number): AppendFile {
  let size = start;
  let syncs = 0;
  let closed = false;
  const writeAll = (bytes: Uint8Array, position: number): void => {
    let at = 0;
    while (at < bytes.length) at += fs.writeSync(fd, bytes, at, bytes.length - at, position + at);
  };
  const end = (): void => {
    try {
      fs.closeSync(fd);
    } catch {
      // What was to be durable was synced before; a system that reports an error here has closed the file all the same.
    }
  };
  return {
    get size() {
      return size;
    },
    append(bytes) {
      // At an explicit position, so that bytes of an append that failed half-way are overwritten by the next.
      writeAll(bytes, size);
      size += bytes.length;
    },
    overwrite(bytes, position) {
      writeAll(bytes, position);
    },
    resize(bytes) {
      fs.ftruncateSync(fd, bytes);
      size = Math.min(size, bytes);
    },
    async sync() {
      if (closed) return;
      syncs++;
      try {
        await datasync(fd);
      } finally {
        if (--syncs === 0 && closed) end();
      }
    },
    close() {
      if (closed) return;
      closed = true;
      if (syncs === 0) end();
    },
  };
}
