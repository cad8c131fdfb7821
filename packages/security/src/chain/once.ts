// Makes a filter run at most once per request and chain, however often it is in the chain.
import { attribute } from './exchange.ts';
import type { Filter } from './filter.ts';

let made = 0;

/** Spring's OncePerRequestFilter. The flag belongs to the filter: another filter of the same name runs as well. */
export function oncePerRequest(filter: Filter): Filter {
  made += 1;
  const ran = attribute<true>(`once:${filter.name}:${made}`);
  return {
    name: filter.name,
    handle(exchange, next) {
      if (exchange.get(ran) === true) return next(exchange);
      exchange.set(ran, true);
      return filter.handle(exchange, next);
    },
  };
}
