// Keeps subscriptions alive while the database is unavailable: they wait and continue at their position. Ending them
// would make every client reconnect, most without a position. Not here: requests during an outage.
import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../errors.ts';
import type { Feed } from '../feed/feed.ts';

/** First and longest pause between two probes, in ms; the pause doubles. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;
/** How long an outage may last before subscribers get an error, in ms. */
const PATIENCE = 300_000;
/** Attempts of a step on an available database. */
const TRIES = 5;

/** Runs a step that needs the database; during an outage, waits and retries. */
export type RetryOnOutage = <T>(step: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;

/**
 * Creates the retry function for a feed's database. One probe serves all waiters.
 *
 * @returns a function that rejects with the step's error: immediately unless it is an outage; otherwise on abort, after
 * five minutes, or if the step keeps failing although the database responds
 */
export function createRetryOnOutage(feed: Pick<Feed, 'head'>): RetryOnOutage {
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const end = performance.now() + PATIENCE;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      await sleep(pause, undefined, { ref: false });
      try {
        await feed.head();
        return;
      } catch (error) {
        if (!isOutage(error) || performance.now() > end) throw error;
      }
    }
  }

  return async (step, signal) => {
    const hasLeft = (): boolean => signal?.aborted === true;
    for (let tries = 1; ; tries++) {
      try {
        return await step();
      } catch (error) {
        if (!isOutage(error) || tries === TRIES || hasLeft()) throw error;
        looking ??= look().finally(() => {
          looking = undefined;
        });
        await unlessAborted(looking, signal);
        if (hasLeft()) throw error;
      }
    }
  };
}

/** Settles with the promise, or resolves on abort. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const leave = (): void => resolve();
  signal.addEventListener('abort', leave);
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
