// Finds the exchange of a request that came through an adapter.
import type { SecurityExchange } from '../chain/exchange.ts';

const EXCHANGE = Symbol('lockstitch.exchange');

type Carrier = object & { [EXCHANGE]?: SecurityExchange };

/**
 * Returns the exchange of a request that came through `connectHandler`, `nodeHandler` or the Fastify plugin: principal,
 * CSRF token, attributes. With several chains, it is the exchange of the innermost one, which ran last.
 */
export function exchangeOf(request: Carrier): SecurityExchange | undefined {
  return request[EXCHANGE];
}

export function keepExchange(request: Carrier, exchange: SecurityExchange): void {
  request[EXCHANGE] = exchange;
}
