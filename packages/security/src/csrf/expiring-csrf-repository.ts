// Adds an expiry to the tokens of any repository. The time is in the token itself, before its random part. It can be
// trusted, because the whole token is compared with the saved one.
import { type Clock, systemClock } from '@lockstitch/kernel';
import { createCsrfToken, type CsrfToken } from './csrf-token.ts';
import type { CsrfTokenRepository } from './csrf-token-repository.ts';
import { EXPIRING_CSRF } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/**
 * Wraps a repository that keeps its tokens on the server (not the cookie one, whose caller could write any time).
 *
 * @param options.lifetime milliseconds; default: 15 minutes
 */
export function createExpiringCsrfRepository(
  inner: CsrfTokenRepository,
  options: { readonly lifetime?: number; readonly clock?: Clock } = {},
): CsrfTokenRepository {
  requireOptions('createExpiringCsrfRepository', EXPIRING_CSRF, options);
  const { lifetime = 15 * 60_000, clock = systemClock } = options;
  const alive = (token: CsrfToken | undefined): CsrfToken | undefined => {
    const ends = Number.parseInt(token?.token.split('.', 1)[0] ?? '', 36);
    return token !== undefined && ends > clock.now() ? token : undefined;
  };
  return {
    carrier: inner.carrier,
    generate(exchange) {
      const token = inner.generate(exchange);
      return createCsrfToken({ ...token, token: `${(clock.now() + lifetime).toString(36)}.${token.token}` });
    },
    save: (exchange, token) => inner.save(exchange, token),
    load(exchange) {
      const token = inner.load(exchange);
      return token instanceof Promise ? token.then(alive) : alive(token);
    },
  };
}
