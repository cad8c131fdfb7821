// Writes that are made of stored documents, a portion at a time: thousands of small ones are written together, of large ones as many as
// memory should hold at once. Reading them lets other requests have their turns; a large one is read in a thread.
import { TimeSlices } from '../../tasks/scheduler.ts';
import type { Operation } from '../../index/operation.ts';

/** Bytes of sources that are held at once, but for those of the last of them. */
const MOST = 16 << 20;

/** Makes a write of each document. */
export async function* portions<Found>(
  batch: readonly Found[],
  make: (found: Found) => Operation | Promise<Operation>,
): AsyncGenerator<readonly Operation[]> {
  const slices = new TimeSlices();
  let portion: Operation[] = [];
  let bytes = 0;
  for (const found of batch) {
    if (slices.isOver) await slices.yield();
    const made = make(found);
    const operation = made instanceof Promise ? await made : made;
    portion.push(operation);
    if (operation.kind === 'index') bytes += operation.source.length;
    if (bytes < MOST) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}
