// When changes are applied and when searches see them: stretch after stretch of the feed, refreshes far enough apart, commits when they are
// due, and another attempt after a failure. What a change does to the indexes is not decided here (follow-feed.ts).
import type { Feed } from '@lockstitch/graph';
import type { Log } from '@lockstitch/kernel';

import type { ResolvedConfig } from '../config/config.ts';
import type { Committer } from './commit-beside.ts';
import { pause } from './turns.ts';
import { isTrimmed, waitForMore } from './wait-for-more.ts';

/** What following needs. */
export interface FollowingParts {
  readonly feed: Feed;
  readonly settings: Pick<ResolvedConfig['search'], 'refreshInterval' | 'commitInterval'>;
  readonly committer: Pick<Committer, 'position' | 'whenDue'>;
  /** How far the indexes have come. */
  readonly applied: () => number;
  /** Applies the next changes; false when there are none. */
  readonly applySome: () => Promise<boolean>;
  /** Makes what is applied searchable. */
  readonly refresh: () => Promise<void>;
  /** Goes on from the data itself: the feed no longer reaches back to where the indexes stand. */
  readonly startOver: () => Promise<void>;
  /** Goes on from where the indexes stand now: one that there was no room for has been opened again, as its files have it. */
  readonly renew: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Follows the feed. */
export interface Following {
  /** Applies all there is and makes it searchable. */
  catchUp(): Promise<void>;
  /** Does that again and again; resolves when the signal fires. */
  run(): Promise<void>;
  /** Why it fails for now. */
  readonly trouble: string | undefined;
}

const RETRY_MS = 1000;
/** Between two refreshes at least: each makes a segment, and many small ones have to be merged. */
const REFRESH_PAUSE_MS = 20;
/**
 * The same while changes wait to be applied, and how many times as long as the latest refresh took. Measured: at 5,000 changes
 * a second the slowest hundredth is found after 0.3 s, and after 0.9 s where refreshes come every half a second.
 */
const BEHIND = { pause: 100, refreshes: 4 } as const;

/** Makes it. */
export function createFollowing(parts: FollowingParts): Following {
  const { applied, applySome, committer, feed, log, refresh, renew, settings, signal, startOver } = parts;
  let trouble: string | undefined;
  let lastRefresh = 0;
  let refreshTook = 0;
  /** Something is applied that no search sees yet. */
  let unseen = false;
  const refreshNow = async (): Promise<void> => {
    const begin = performance.now();
    unseen = false;
    await refresh().catch((error: unknown) => {
      unseen = true;
      throw error;
    });
    lastRefresh = performance.now();
    refreshTook = lastRefresh - begin;
  };

  const catchUp = async (): Promise<void> => {
    for (;;) {
      signal.throwIfAborted();
      if (await applySome()) {
        unseen = true;
        const rest = Math.max(BEHIND.pause, BEHIND.refreshes * refreshTook);
        // At most half the time there may be, as applying and refreshing take theirs.
        if (performance.now() - lastRefresh >= Math.min(rest, settings.refreshInterval / 2)) await refreshNow();
        committer.whenDue();
        continue;
      }
      if (!unseen) return;
      const early = REFRESH_PAUSE_MS - (performance.now() - lastRefresh);
      if (early > 0) await pause(early, signal);
      else await refreshNow();
    }
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await renew();
        await catchUp();
        trouble = undefined;
        committer.whenDue();
        const settled = committer.position === applied();
        await waitForMore(feed, applied(), settled ? undefined : settings.commitInterval, signal);
      } catch (error) {
        if (signal.aborted) return;
        trouble = error instanceof Error ? error.message : String(error);
        log.write('error', 'The search index cannot follow the data; trying again', { position: applied(), error });
        // Starting over asks the database, which may be away: then it is tried again, as everything else.
        const isOver =
          isTrimmed(error) &&
          (await startOver().then(
            () => true,
            () => false,
          ));
        if (!isOver) await pause(RETRY_MS, signal);
      }
    }
  };

  return {
    catchUp,
    run,
    get trouble() {
      return trouble;
    },
  };
}
