// Time as a dependency, so that expiry, lag and audit can be tested without waiting.

/** Tells the time. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
