// What subscriptions do while the database cannot be used: they wait, and go on where they were. Ending them would ask every
// client to come back on its own, most of them without the position they had reached. Not here: what a request is told then.
import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../errors.ts';
import type { Feed } from '../feed/feed.ts';

/** Pauses between two looks, in ms: the first, and the longest they grow to. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;
/** How long a database may be away before subscribers are told so, in ms. */
const PATIENCE = 300_000;
/** How often one thing is tried over a database that answers. */
const TRIES = 5;

/** Runs a step that needs the database; while that is away, waits and runs it again. */
export type WaitOut = <T>(step: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;

/**
 * Creates the way to wait for a feed's database. However many wait, one looks whether it is back.
 *
 * @returns a function that rejects with what the step failed from: at once where that is no outage, for an outage when the
 * signal fires, after five minutes, or when the step fails time and again although the database answers
 */
export function createWaitOut(feed: Pick<Feed, 'head'>): WaitOut {
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

/** Settles with a promise, or resolves when the signal fires. */
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
