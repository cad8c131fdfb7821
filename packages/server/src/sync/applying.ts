// How far the feed is applied to the indexes, and who moves that on: one at a time. What applying does to them is not decided here (follow-feed.ts).
import { Mutex } from '@lockstitch/kernel';

import { applyNext, type FollowContext } from './follow-feed.ts';

/** Applies the feed, one piece of work after the other. */
export interface Applying {
  /** Position up to which everything is applied. Set within exclusive work, or before the first. */
  position: number;
  /** Runs work while nothing else is applied. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Applies the next changes; false when there are none. */
  readonly some: () => Promise<boolean>;
  /** Runs work with everything applied that is in the feed now, while nothing else is applied. */
  readonly settled: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Makes it; nothing counts as applied yet. */
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
        // Under steady writing the end of the feed is never reached.
        const head = await context.feed.head();
        while (applying.position < head) await next();
        return work();
      }),
  };
  return applying;
}
