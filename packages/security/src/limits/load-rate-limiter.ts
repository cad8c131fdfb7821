// Loads rate-limiter-flexible when the first request is counted: it brings counters for a dozen databases along, six
// megabytes that a server on which nobody failed to log in need not keep.
import { createRequire } from 'node:module';
import type * as RateLimiterFlexible from 'rate-limiter-flexible';

const require = createRequire(import.meta.url);

/** The library; loaded with the first call. */
export function loadRateLimiter(): typeof RateLimiterFlexible {
  return require('rate-limiter-flexible') as typeof RateLimiterFlexible;
}
