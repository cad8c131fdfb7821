// Adapter for connect-style middleware (Express, Connect, Polka): `app.use(connectHandler(security))` as the first
// middleware. These routers treat /Admin and /admin/ as /admin by default, so rules are compared as leniently by
// default; pass the router's settings if they differ.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SecurityExchange } from '../chain/exchange.ts';
import type { Security } from '../config/create-security.ts';
import type { PathComparison } from '../match/path-view.ts';
import { exchangeOf, keepExchange } from './exchange-of.ts';
import {
  canonicalUrl,
  type NodeAdapterOptions,
  NodeRequest,
  type NodeRequestOptions,
  sendAnswer,
} from './node-request.ts';
import { isPassedBy } from './passed-by.ts';
import { canonicalRest, pathOf } from './routed-target.ts';
import { CONNECT, SECURITY_LAYER } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface ConnectOptions extends NodeAdapterOptions {
  /**
   * How the routers and mounts compare paths; the most lenient of them counts. Default: Express's defaults,
   * case-insensitive and slash-tolerant.
   */
  readonly matching?: Partial<PathComparison> | undefined;
  /** Mount path, for Connect and Polka, which do not report it; Express does. */
  readonly basePath?: string | undefined;
}

type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * Creates the middleware. It runs as often as it is mounted and always judges the whole path, also behind a mount.
 * `next` runs inside the security context; `req.url` is canonical from there on.
 */
export function connectHandler(security: Security, options: ConnectOptions = {}): Middleware {
  requireOptions('connectHandler(security)', SECURITY_LAYER, security);
  requireOptions('connectHandler', CONNECT, options);
  const guarded = (request: IncomingMessage, chain: Middleware): NodeRequestOptions =>
    isSkippedOver(request, chain) ? { ...options, targetUnknown: SKIPPED } : options;
  const matched = security.withMatching({ caseSensitive: false, slashTolerant: true, ...options.matching });
  return function chain(request, response, next) {
    // Not a prepared head: Express has changed the response's prototype. Measured, a prepared head cost two
    // microseconds of forty more.
    const exchange = new SecurityExchange(
      new NodeRequest(request, request.url?.includes('%') ? guarded(request, chain) : options, response),
      response,
      exchangeOf(request),
    );
    keepExchange(request, exchange);
    const settle = (): void | Promise<void> =>
      exchange.answer === undefined ? undefined : sendAnswer(exchange, response);
    try {
      const running = matched.run(exchange, () => {
        const { url = '' } = request;
        // Keep an absolute form: Express's routers have counted the characters before the path.
        const isWhole = url === exchange.request.target && url[0] === '/';
        request.url = isWhole ? canonicalUrl(exchange) : canonicalRest(url);
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

const SKIPPED = 'a layer in front of the chain takes this path in another spelling only';

/** Returns whether Express would pass the URL that the chain sets to a layer mounted before the chain. */
function isSkippedOver(
  request: IncomingMessage & { readonly app?: unknown; readonly baseUrl?: unknown },
  chain: Middleware,
): boolean {
  const { url = '', app, baseUrl } = request;
  if (typeof baseUrl !== 'string') return false;
  const raw = baseUrl + pathOf(url);
  const canonical = baseUrl + pathOf(canonicalRest(url));
  return raw !== canonical && isPassedBy(app, chain, raw, canonical);
}
