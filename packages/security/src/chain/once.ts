// A filter that runs at most once per request, however often it stands in the chain or the request is handed on.
import { attribute } from './exchange.ts';
import type { Filter } from './filter.ts';

/** Makes a filter run once per request (Spring's OncePerRequestFilter). The flag goes by the filter's name. */
export function oncePerRequest(filter: Filter): Filter {
  const ran = attribute<true>(`once:${filter.name}`);
  return {
    name: filter.name,
    handle(exchange, next) {
      if (exchange.get(ran) === true) return next(exchange);
      exchange.set(ran, true);
      return filter.handle(exchange, next);
    },
  };
}
