// A filter that runs at most once while a request goes through a chain, however often it stands there.
import { attribute } from './exchange.ts';
import type { Filter } from './filter.ts';

let made = 0;

/**
 * Makes a filter run once per request and chain (Spring's OncePerRequestFilter). The flag is the filter's own: another
 * filter of the same name runs as well.
 */
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
