// Position up to which the feed is applied, and the mutex of everything that moves it. Applying itself is
// apply-changes.ts.
import { Mutex } from '@lockstitch/kernel';

import { applyNext, type FollowContext } from './follow-feed.ts';

export interface Applying {
  /** Everything up to here is applied. Set only inside `exclusively`, or before the first use of it. */
  position: number;
  /** Runs work while nothing else is applied. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Applies the next batch of changes; false if there are none. */
  readonly some: () => Promise<boolean>;
  /** Applies everything that is in the feed now, then runs work while nothing else is applied. */
  readonly settled: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createApplying(context: FollowContext, signal: AbortSignal): Applying {
  const mutex = new Mutex();
  const exclusively = <T>(work: () => Promise<T>): Promise<T> => mutex.run(work);
  const next = async (): Promise<boolean> => {
    const before = applying.position;
    applying.position = await applyNext(context, before, signal);
    return applying.position !== before;
  };
  const applying: Applying = {
    position: 0,
    exclusively,
    some: () => exclusively(next),
    settled: (work) =>
      exclusively(async () => {
        // Stops at the head read here: under steady writes the end of the feed is never reached.
        const head = await context.feed.head();
        while (applying.position < head) await next();
        return work();
      }),
  };
  return applying;
}
