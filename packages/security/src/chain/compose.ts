// Turns ordered filters into one function. Composed once per chain, from the last filter to the first, so that running
// a request allocates nothing for the chain itself.
import type { Next, SecurityExchange } from './exchange.ts';
import type { Filter } from './filter.ts';

/** Composes filters in front of an end. */
export function compose(filters: readonly Filter[], end: Next): Next {
  let next = end;
  for (const filter of filters.toReversed()) {
    const rest = next;
    next = (exchange: SecurityExchange) => filter.handle(exchange, rest);
  }
  return next;
}
