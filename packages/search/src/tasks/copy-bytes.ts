// Copies many megabytes in time slices.
import { TimeSlices } from './scheduler.ts';

/** Bytes that are copied at a time: some 200 µs. */
const PIECE = 256 << 10;

/** Concatenates pieces of many megabytes. */
export async function concatenate(parts: readonly Uint8Array[], slices: TimeSlices): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE) {
      if (slices.isOver) await slices.yield();
      const piece = part.subarray(at, at + PIECE);
      whole.set(piece, end);
      end += piece.length;
    }
  }
  return whole;
}

/** Returns the bytes in shared memory; copies in slices if needed. */
export async function sharedCopy(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  const slices = new TimeSlices();
  for (let at = 0; at < bytes.length; at += PIECE) {
    if (slices.isOver) await slices.yield();
    copy.set(bytes.subarray(at, at + PIECE), at);
  }
  return copy;
}
