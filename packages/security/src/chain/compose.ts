// Composes ordered filters into one function, once per chain, from the last filter to the first. Running a request then
// allocates nothing for the chain itself.
import type { Next, SecurityExchange } from './exchange.ts';
import type { Filter } from './filter.ts';

/** Composes filters before an end. */
export function compose(filters: readonly Filter[], end: Next): Next {
  let next = end;
  for (const filter of filters.toReversed()) {
    const rest = next;
    next = (exchange: SecurityExchange) => filter.handle(exchange, rest);
  }
  return next;
}
