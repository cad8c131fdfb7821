// Caches the newest changes for all subscriptions of the process: a thousand subscribers at the same position cost one
// query. A subscriber that is further behind reads the feed itself.
import type { Change } from '../feed/change.ts';
import type { Feed } from '../feed/feed.ts';
import { last } from '../present.ts';

/** Size of the cache. */
const HELD = 1000;
/** Changes per query. */
export const PAGE_SIZE = 500;

/** Reads changes through the shared cache. */
export interface RecentChanges {
  /** Changes after a position, oldest first, at most a page; the same contract as Feed.read. */
  read(after: number): Promise<readonly Change[]>;
}

/** Creates the cache of a feed. */
export function createRecentChanges(feed: Feed): RecentChanges {
  let held: Change[] = [];
  /** `held` has everything after this position, up to its last entry. */
  let from: number | undefined;
  let reading: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    const fresh = await feed.read(held.at(-1)?.position ?? from ?? 0, PAGE_SIZE);
    held.push(...fresh);
    if (held.length <= HELD) return;
    const dropped = held.slice(0, held.length - HELD);
    held = held.slice(-HELD);
    from = last(dropped).position;
  }

  function heldAfter(after: number): readonly Change[] {
    const start = held.findLastIndex(({ position }) => position <= after) + 1;
    return held.slice(start, start + PAGE_SIZE);
  }

  return {
    async read(after) {
      // The first reader decides where the cache starts.
      from ??= after;
      if (after < from) return feed.read(after, PAGE_SIZE);
      const known = heldAfter(after);
      if (known.length > 0) return known;
      reading ??= refresh().finally(() => {
        reading = undefined;
      });
      await reading;
      return after < from ? feed.read(after, PAGE_SIZE) : heldAfter(after);
    },
  };
}
