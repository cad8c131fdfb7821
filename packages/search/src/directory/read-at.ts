// Reading bytes of an open file from any place, by whichever thread has it open.
import { readSync } from 'node:fs';

/** Reads `length` bytes from `position` on; fewer when the file ends before. */
export function readAt(file: number, position: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, position + done);
    if (count === 0) return bytes.subarray(0, done);
    done += count;
  }
  return bytes;
}
