// Follows the feed for one subscriber, in order and each change once, at his own pace: nothing is buffered for him, and
// one who falls too far behind is told so and ended. Not here: which changes concern him.
import { graphErrors } from '../errors.ts';
import type { Change } from '../feed/change.ts';
import type { Feed } from '../feed/feed.ts';
import type { WaitOut } from './outage.ts';
import { PAGE_SIZE, type RecentChanges } from './recent-changes.ts';

/** How many changes a subscriber may be behind, unless told otherwise. */
const LAG_LIMIT = 10_000;

/** Where to begin and when to end. */
export interface FollowOptions<T> {
  readonly feed: Feed;
  readonly recent: RecentChanges;
  readonly waitOut: WaitOut;
  readonly after: number;
  readonly signal: AbortSignal | undefined;
  readonly lagLimit: number | undefined;
  /** Makes an event of a change, or undefined to pass over it. */
  readonly toEvent: (change: Change) => Promise<T | undefined>;
}

/** A subscriber's way through the feed. */
export interface Following<T> {
  readonly events: AsyncIterableIterator<T>;
  /** Everything up to here has been handed out or passed over: following on from here loses nothing. */
  position(): number;
}

/**
 * Follows until the signal fires, the consumer returns, or something fails.
 *
 * @throws (from next) GRAPH_SUBSCRIPTION_LAGGING, GRAPH_FEED_TRIMMED
 */
export function follow<T>(options: FollowOptions<T>): Following<T> {
  const { feed, recent, waitOut, signal, toEvent, lagLimit = LAG_LIMIT } = options;
  const stop = new AbortController();
  const ended = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  let position = options.after;
  let settled = position;
  let page: readonly Change[] = [];
  let index = 0;

  async function advance(): Promise<IteratorResult<T>> {
    try {
      return await nextEvent();
    } catch (error) {
      // Whoever has left while the database was away is told nothing more.
      if (ended.aborted) return { done: true, value: undefined };
      throw error;
    }
  }

  const patiently = <R>(step: () => Promise<R>): Promise<R> => waitOut(step, ended);

  async function nextEvent(): Promise<IteratorResult<T>> {
    for (;;) {
      if (ended.aborted) return { done: true, value: undefined };
      const change = page[index];
      if (change === undefined) {
        await patiently(turnPage);
        continue;
      }
      index++;
      position = change.position;
      const event = await patiently(() => toEvent(change));
      settled = position;
      if (event !== undefined) return { done: false, value: event };
    }
  }

  async function turnPage(): Promise<void> {
    page = await recent.read(position);
    index = 0;
    if (page.length > 0) {
      // A short page is the end of the feed.
      if (page.length < Math.min(PAGE_SIZE, lagLimit)) return;
      const behind = (await feed.head()) - position;
      if (behind > lagLimit) throw graphErrors.create('GRAPH_SUBSCRIPTION_LAGGING', { behind, limit: lagLimit });
      return;
    }
    try {
      await feed.wait(position, ended);
    } catch (error) {
      if (!ended.aborted) throw error;
    }
  }

  // Not an async generator: its return() would first wait for the next change.
  let turn: Promise<unknown> = Promise.resolve();
  const events: AsyncIterableIterator<T> = {
    next() {
      const result = turn.then(advance);
      // After an error there is nothing more to come.
      turn = result.catch(() => {
        stop.abort();
      });
      return result;
    },
    return() {
      stop.abort();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return { events, position: () => settled };
}
