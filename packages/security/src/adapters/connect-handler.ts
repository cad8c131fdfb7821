// The adapter for connect-style middleware (Express, Connect, Polka): `app.use(connectHandler(security))` as the first
// middleware. Routers of this family take /Admin and /admin/ for /admin unless told otherwise, so rules are compared
// as leniently by default; pass the router's own settings when they differ.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SecurityExchange } from '../chain/exchange.ts';
import type { Security } from '../config/create-security.ts';
import type { PathComparison } from '../match/path-view.ts';
import { canonicalUrl, type NodeAdapterOptions, NodeRequest, sendAnswer } from './node-request.ts';

export interface ConnectOptions extends NodeAdapterOptions {
  /** How the router behind compares paths. Default: Express's defaults, case-insensitive and slash-tolerant. */
  readonly matching?: Partial<PathComparison> | undefined;
}

const EXCHANGE = Symbol('lockstitch.exchange');

type Carrier = IncomingMessage & { [EXCHANGE]?: SecurityExchange };

/** The exchange of a request that came through `connectHandler` or the Fastify plugin: who asks, the CSRF token, … */
export function exchangeOf(request: object): SecurityExchange | undefined {
  return (request as Carrier)[EXCHANGE];
}

/** Remembers the exchange of a request. */
export function keepExchange(request: object, exchange: SecurityExchange): void {
  (request as Carrier)[EXCHANGE] = exchange;
}

/** Makes the middleware. `next` runs inside the security context; `req.url` is canonical from there on. */
export function connectHandler(
  security: Security,
  options: ConnectOptions = {},
): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void {
  const matched = security.withMatching({ caseSensitive: false, slashTolerant: true, ...options.matching });
  return (request, response, next) => {
    // Mounted twice, the chain runs once: the second time would read the URL that a router has cut.
    if (exchangeOf(request) !== undefined) return next();
    // Not a prepared head: Express has given the response another prototype, and its headers one by one. Measured, it cost
    // two microseconds of forty more.
    const exchange = new SecurityExchange(new NodeRequest(request, options, response), response);
    keepExchange(request, exchange);
    const settle = (): void | Promise<void> =>
      exchange.answer === undefined ? undefined : sendAnswer(exchange, response);
    try {
      const running = matched.run(exchange, () => {
        request.url = canonicalUrl(exchange);
        next();
      });
      const settled = running instanceof Promise ? running.then(settle) : settle();
      // `next` is Express's way to say "failed", not a callback that could throw here.
      // oxlint-disable-next-line promise/no-callback-in-promise
      settled?.catch(next);
    } catch (error) {
      next(error);
    }
  };
}
