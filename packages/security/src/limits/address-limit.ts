// Limits the requests per address: a coarse guard before any expensive step. Off by default, because behind a proxy all
// requests may have one address.
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import type { Filter } from '../chain/filter.ts';
import { respondError } from '../chain/error-handling.ts';
import { networkOf } from './attempt-keys.ts';
import { loadRateLimiter } from './load-rate-limiter.ts';
import { ADDRESS_LIMIT } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Milliseconds for an external counter to respond. */
const COUNTER_TIMEOUT = 1000;

export interface AddressLimitOptions {
  readonly requests: number;
  /** Default: 60. */
  readonly seconds?: number;
  /** Default: in memory. */
  readonly counter?: RateLimiterAbstract;
}

/** Creates the filter; its position is `limits`. Rejections are 429 with Retry-After. */
export function createAddressLimitFilter(options: AddressLimitOptions): Filter {
  requireOptions('createAddressLimitFilter', ADDRESS_LIMIT, options);
  const { requests, seconds = 60 } = options;
  const { RateLimiterMemory, RateLimiterRes } = loadRateLimiter();
  const counter =
    options.counter ?? new RateLimiterMemory({ keyPrefix: 'requests', points: requests, duration: seconds });
  return {
    name: 'limits',
    async handle(exchange, next) {
      try {
        const counted = counter.consume(networkOf(exchange.request.remoteAddress));
        await (options.counter === undefined ? counted : Promise.race([counted, timeOut()]));
      } catch (refusal) {
        // Any other error means that the counter failed; a failing guard must not take the service down.
        if (refusal instanceof RateLimiterRes) {
          const wait = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
          exchange.response.setHeader('Retry-After', String(wait));
          return respondError(exchange, authenticationErrors.create('SECURITY_RATE_LIMITED', { seconds: wait }));
        }
      }
      return next(exchange);
    },
  };
}

/** A hanging external counter must not block the service either. */
function timeOut(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, COUNTER_TIMEOUT).unref());
}
