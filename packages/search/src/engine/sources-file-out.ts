// A file that a thread writes the sources of a new segment to, in large pieces. It is not durable: the commit that names the segment
// makes it so, and without one the file is nobody's.
import { closeSync, openSync, writeSync } from 'node:fs';
import { OWNER_FILE } from '../directory/owner-only.ts';
import { readAt } from '../directory/read-at.ts';
import type { SourcesOut } from '../index/stored.ts';

const PIECE = 1 << 18;

export interface SourcesFileOut extends SourcesOut {
  /** Writes what is left. */
  flush(): void;
  close(): void;
}

/** Opens a new file. @throws the system's error, when the file is there already too */
export function openSourcesFile(path: string): SourcesFileOut {
  const file = openSync(path, 'wx+', OWNER_FILE);
  const piece = new Uint8Array(PIECE);
  let filled = 0;
  let written = 0;
  const write = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length;) {
      const count = writeSync(file, bytes, at, bytes.length - at, written);
      at += count;
      written += count;
    }
  };
  const flush = (): void => {
    write(piece.subarray(0, filled));
    filled = 0;
  };
  return {
    get length() {
      return written + filled;
    },
    append(bytes) {
      if (filled + bytes.length > PIECE) flush();
      if (bytes.length > PIECE) {
        write(bytes);
        return;
      }
      piece.set(bytes, filled);
      filled += bytes.length;
    },
    read(position, length) {
      flush();
      return readAt(file, position, length);
    },
    flush,
    close: () => closeSync(file),
  };
}
