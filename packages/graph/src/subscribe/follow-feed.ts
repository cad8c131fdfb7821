// Follows the feed for one subscriber, in order, each change once, at the subscriber's pace. Nothing is buffered; a
// subscriber that lags too far is ended with an error. Not here: which changes concern the subscriber.
import { graphErrors } from '../errors.ts';
import type { Change } from '../feed/change.ts';
import type { Feed } from '../feed/feed.ts';
import type { RetryOnOutage } from './retry-on-outage.ts';
import { PAGE_SIZE, type RecentChanges } from './recent-changes.ts';

/** Default of the maximum lag, in changes. */
const LAG_LIMIT = 10_000;

/** Inputs of follow. */
export interface FollowOptions<T> {
  readonly feed: Feed;
  readonly recent: RecentChanges;
  readonly retryOnOutage: RetryOnOutage;
  readonly after: number;
  readonly signal: AbortSignal | undefined;
  readonly lagLimit: number | undefined;
  /** Creates the event of a change; undefined to skip it. */
  readonly toEvent: (change: Change) => Promise<T | undefined>;
}

/** A subscriber's progress through the feed. */
export interface Following<T> {
  readonly events: AsyncIterableIterator<T>;
  /** Everything up to here has been delivered or skipped; resuming here loses nothing. */
  position(): number;
}

/**
 * Follows the feed until the signal aborts, the consumer returns, or an error.
 *
 * @throws (from next) GRAPH_SUBSCRIPTION_LAGGING, GRAPH_FEED_TRIMMED
 */
export function followFeed<T>(options: FollowOptions<T>): Following<T> {
  const { feed, recent, retryOnOutage, signal, toEvent, lagLimit = LAG_LIMIT } = options;
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
      // A subscriber that left during an outage gets no error.
      if (ended.aborted) return { done: true, value: undefined };
      throw error;
    }
  }

  const patiently = <R>(step: () => Promise<R>): Promise<R> => retryOnOutage(step, ended);

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

  // Not an async generator, whose return() would wait for the next change.
  let turn: Promise<unknown> = Promise.resolve();
  const events: AsyncIterableIterator<T> = {
    next() {
      const result = turn.then(advance);
      // After an error, the iterator is done.
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
