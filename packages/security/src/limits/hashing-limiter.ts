// Limits concurrent password hashes. A hash costs tens of milliseconds of a core and megabytes of memory by design:
// without a limit, two dozen hostile requests a second occupy the whole machine (46 ms each, measured).
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import { HASHING_LIMITS } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Runs few hashes at a time. */
export interface HashingLimiter {
  /**
   * Runs `work` when a slot is free; queues for one.
   *
   * @param isKnown for a client that has proven the same account lately: it waits in a separate queue with priority
   * @throws SECURITY_HASHING_BUSY (503) if the queue is full, after a delay
   */
  run<T>(work: () => Promise<T>, isKnown?: boolean): Promise<T>;
  /** Running and queued hashes, for metrics. */
  readonly load: { readonly running: number; readonly waiting: number };
}

export interface HashingLimits {
  /** Concurrent hashes. Default: half the cores, at least 1, so that other requests progress. */
  readonly concurrency?: number;
  /** Queue length. Default: 8 for each slot, which is under half a second of bcrypt(10). */
  readonly queue?: number;
  /**
   * Milliseconds of delay before a rejection because of a full queue. A flood that is rejected immediately comes back
   * immediately: 200 connections sent 6,000 guesses a second, and all other callers waited for their rejections.
   * Default: 1000.
   */
  readonly hold?: number;
}

/** Delayed rejections; beyond, attempts are rejected immediately. */
const MAX_HELD = 1000;

export function createHashingLimiter(limits: HashingLimits = {}): HashingLimiter {
  requireOptions('createHashingLimiter', HASHING_LIMITS, limits);
  const concurrency = limits.concurrency ?? Math.max(1, Math.floor(availableParallelism() / 2));
  const queue = limits.queue ?? concurrency * 8;
  const hold = limits.hold ?? 1000;
  const strangers: (() => void)[] = [];
  const knownClients: (() => void)[] = [];
  let running = 0;
  let held = 0;
  return {
    async run(work, isKnown = false) {
      const waiting = isKnown ? knownClients : strangers;
      if (running >= concurrency) {
        if (waiting.length >= queue) {
          if (held < MAX_HELD) {
            held += 1;
            await delay(hold, undefined, { ref: false });
            held -= 1;
          }
          throw new AuthenticationFailure('SECURITY_HASHING_BUSY', { values: { seconds: 1 }, retryAfter: 1 });
        }
        // The leaving task hands its slot over, so `running` stays the same.
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else {
        running += 1;
      }
      try {
        return await work();
      } finally {
        const next = knownClients.shift() ?? strangers.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
    get load() {
      return { running, waiting: knownClients.length + strangers.length };
    },
  };
}
