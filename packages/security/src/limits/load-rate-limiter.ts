// Loads rate-limiter-flexible with the first counted request: it includes counters for a dozen databases, 6 MB that a
// server without failed log-ins does not need.
import { createRequire } from 'node:module';
import type * as RateLimiterFlexible from 'rate-limiter-flexible';

const require = createRequire(import.meta.url);

/** The library; loaded by the first call. */
export function loadRateLimiter(): typeof RateLimiterFlexible {
  return require('rate-limiter-flexible');
}
