// Sets the anonymous authentication on unauthenticated requests, so that later filters and the application never see
// undefined.
import { ANONYMOUS } from '@lockstitch/kernel';
import type { CurrentAuthentication } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';

export const ANONYMOUS_AUTHENTICATION: CurrentAuthentication = Object.freeze({
  principal: ANONYMOUS,
  login: 'anonymous',
});

export const anonymousFilter: Filter = {
  name: 'anonymous',
  handle(exchange, next) {
    exchange.authentication ??= ANONYMOUS_AUTHENTICATION;
    return next(exchange);
  },
};
