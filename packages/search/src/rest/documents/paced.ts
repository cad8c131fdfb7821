// Processes batches of documents one after the other, no faster than the request allows.
import type { ByQueryOutcome } from './by-query-outcome.ts';
import type { Pace } from './pace.ts';

/** Yields batches until the part has ended; waits between two of them. */
export async function* paced<Found>(
  batches: Iterable<readonly Found[]>,
  part: ReturnType<ByQueryOutcome['part']>,
  pace: Pace,
  signal: (() => AbortSignal) | undefined,
): AsyncGenerator<readonly Found[]> {
  let before = 0;
  let since = 0;
  for (const batch of batches) {
    if (before > 0 && pace.perSecond !== -1) {
      const throttled = pace.throttled;
      await pace.rest(before, since, signal?.());
      part.throttled += pace.throttled - throttled;
    }
    if (!part.isWell) return;
    since = performance.now();
    before = batch.length;
    part.batches++;
    yield batch;
    if (!part.isWell) return;
  }
}
