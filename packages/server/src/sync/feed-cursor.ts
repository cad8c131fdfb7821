// Position up to which the feed is applied, and the mutex of everything that moves it. Applying itself is
// apply-changes.ts.
import { Mutex } from '@lockstitch/kernel';

import { applyBatch, type ApplyContext } from './apply-changes.ts';
import { followFeed } from './follow-feed.ts';

export interface FeedCursor {
  /** Everything up to here is applied. Set only inside `exclusively`, or before the first use of it. */
  position: number;
  /** Tells the entry at the position from one of another history; undefined if it is not known. */
  readonly mark: string | undefined;
  /** Runs work while nothing else is applied. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Applies the next batch of changes; false if there are none. */
  readonly advance: () => Promise<boolean>;
  /** Applies everything that is in the feed now, then runs work while nothing else is applied. */
  readonly caughtUp: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createFeedCursor(context: ApplyContext, signal: AbortSignal): FeedCursor {
  const mutex = new Mutex();
  const feed = followFeed(context.feed);
  const exclusively = <T>(work: () => Promise<T>): Promise<T> => mutex.run(work);
  const next = async (): Promise<boolean> => {
    const before = cursor.position;
    cursor.position = await applyBatch({ ...context, feed }, before, signal);
    return cursor.position !== before;
  };
  const cursor: FeedCursor = {
    position: 0,
    get mark() {
      return feed.mark(cursor.position);
    },
    exclusively,
    advance: () => exclusively(next),
    caughtUp: (work) =>
      exclusively(async () => {
        // Stops at the head read here: under steady writes the end of the feed is never reached.
        const head = await context.feed.head();
        while (cursor.position < head) await next();
        return work();
      }),
  };
  return cursor;
}
