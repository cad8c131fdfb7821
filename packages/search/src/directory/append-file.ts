// An open file to append to, by its descriptor: a `FileHandle` that is garbage-collected while it is open ends the process. `close` waits
// for a sync that is under way, since the descriptor of a closed file may soon be another file's.
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
      // Durable writes were synced before; after an error here the file is closed too.
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
