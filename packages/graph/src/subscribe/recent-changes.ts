// The newest changes, read from the feed once for all subscriptions of this process: a thousand subscribers who each ask
// for what follows position 41 cost one query. Whoever is further behind reads the feed itself.
import type { Change } from '../feed/change.ts';
import type { Feed } from '../feed/feed.ts';

/** Changes held. */
const HELD = 1000;
/** Changes read with one query. */
export const PAGE_SIZE = 500;

/** Reads changes through a shared memory of the newest. */
export interface RecentChanges {
  /** Changes after a position, oldest first, at most a page; the same contract as the feed's read. */
  read(after: number): Promise<readonly Change[]>;
}

/** Creates the memory over a feed. */
export function createRecentChanges(feed: Feed): RecentChanges {
  let held: Change[] = [];
  /** Everything after this position, up to the last one held, is in `held`. */
  let from: number | undefined;
  let reading: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    const fresh = await feed.read(held.at(-1)?.position ?? from ?? 0, PAGE_SIZE);
    held.push(...fresh);
    if (held.length <= HELD) return;
    const dropped = held.slice(0, held.length - HELD);
    held = held.slice(-HELD);
    from = dropped.at(-1)!.position;
  }

  function heldAfter(after: number): readonly Change[] {
    let start = held.length;
    while (start > 0 && held[start - 1]!.position > after) start--;
    return held.slice(start, start + PAGE_SIZE);
  }

  return {
    async read(after) {
      // The first asker says where memory begins.
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
