// How many passwords are hashed at the same time. A hash costs tens of milliseconds of a core and megabytes of memory by
// intent: without a bound, two dozen hostile requests a second take the whole machine (46 ms each, measured).
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import { HASHING_LIMITS } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Runs hashes, few at a time. */
export interface HashingLimiter {
  /**
   * Runs `work` when a place is free, waiting in line for one.
   *
   * @param isKnown for a client that has proven the same account lately: it waits in a line of its own, which goes first
   * @throws SECURITY_HASHING_BUSY (503) when the line is full, after being held for a while
   */
  run<T>(work: () => Promise<T>, isKnown?: boolean): Promise<T>;
  /** Hashes running and waiting, for metrics. */
  readonly load: { readonly running: number; readonly waiting: number };
}

/** The bounds. */
export interface HashingLimits {
  /** Hashes at the same time. Default: half the cores, at least 1, so that other requests keep moving. */
  readonly concurrency?: number;
  /** Attempts that may wait for a place. Default: 8 for each place, which is under half a second of bcrypt(10). */
  readonly queue?: number;
  /**
   * Milliseconds after which an attempt that found the line full is refused. A flood that is refused at once comes back at
   * once: 200 connections sent 6,000 guesses a second, and everybody else waited for their refusals. Default: 1000.
   */
  readonly hold?: number;
}

/** Attempts held before their refusal; beyond, they are refused at once. */
const MAX_HELD = 1000;

/** Makes a limiter. */
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
        // The place is handed over by the one that leaves, so `running` stays as it is.
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
