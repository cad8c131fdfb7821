// Holds the security context for the rest of the request. The context reads the exchange, so a later authentication is
// visible without an update.
import type { Principal } from '@lockstitch/kernel';
import { ANONYMOUS_AUTHENTICATION } from '../authorization/anonymous-filter.ts';
import type { CurrentAuthentication, SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import type { SecurityContext, SecurityContextHolder } from './security-context.ts';

export function createContextFilter(holder: SecurityContextHolder): Filter {
  return {
    name: 'context',
    handle: (exchange, next) => holder.run(new ExchangeContext(exchange), next, exchange),
  };
}

class ExchangeContext<P extends Principal> implements SecurityContext<P> {
  readonly #exchange: SecurityExchange;

  constructor(exchange: SecurityExchange) {
    this.#exchange = exchange;
  }

  get authentication(): CurrentAuthentication & { readonly principal: P } {
    return (this.#exchange.authentication ?? ANONYMOUS_AUTHENTICATION) as CurrentAuthentication & {
      readonly principal: P;
    };
  }
}
