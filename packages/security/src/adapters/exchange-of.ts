// The exchange of a request that came through an adapter, for the application and for the next chain of the request.
import type { SecurityExchange } from '../chain/exchange.ts';

const EXCHANGE = Symbol('lockstitch.exchange');

type Carrier = object & { [EXCHANGE]?: SecurityExchange };

/**
 * The exchange of a request that came through `connectHandler`, `nodeHandler` or the Fastify plugin: who asks, the CSRF
 * token, … Of several chains it is the one that ran last, the innermost.
 */
export function exchangeOf(request: object): SecurityExchange | undefined {
  return (request as Carrier)[EXCHANGE];
}

/** Remembers the exchange of a request. */
export function keepExchange(request: object, exchange: SecurityExchange): void {
  (request as Carrier)[EXCHANGE] = exchange;
}
