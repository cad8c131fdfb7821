// Adapter for Fastify, a plugin: `app.register(fastifySecurity, { security })`. Fastify routes before it runs hooks, so
// the URL cannot be made canonical here. The firewall rejects every ambiguous target, and rules are compared as
// leniently as the router compares paths.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SecurityExchange } from '../chain/exchange.ts';
import type { Security } from '../config/create-security.ts';
import { encodePath } from '../firewall/canonical-path.ts';
import { exchangeOf, keepExchange } from './exchange-of.ts';
import { type NodeAdapterOptions, NodeRequest, sendAnswer } from './node-request.ts';
import { prepareHead } from './node-response.ts';
import { FASTIFY } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The part of a Fastify instance that the plugin uses; the same in versions 4 and 5. */
export interface FastifyLike {
  readonly initialConfig?: {
    readonly caseSensitive?: boolean;
    readonly ignoreTrailingSlash?: boolean;
    readonly routerOptions?: { readonly caseSensitive?: boolean; readonly ignoreTrailingSlash?: boolean };
  };
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequestLike, reply: FastifyReplyLike, done: (error?: Error) => void) => void,
  ): unknown;
}

interface FastifyRequestLike {
  readonly raw: IncomingMessage;
  readonly params?: unknown;
  readonly routeOptions?: { readonly url?: string | undefined } | undefined;
}

interface FastifyReplyLike {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

export interface FastifySecurityOptions extends NodeAdapterOptions {
  readonly security: Security;
}

/** The plugin. `exchangeOf(request)` or `exchangeOf(request.raw)` returns the exchange. */
export function fastifySecurity(fastify: FastifyLike, options: FastifySecurityOptions, registered: () => void): void {
  requireOptions('fastifySecurity', FASTIFY, options);
  const { caseSensitive, ignoreTrailingSlash, routerOptions } = fastify.initialConfig ?? {};
  const matched = options.security.withMatching({
    caseSensitive: routerOptions?.caseSensitive ?? caseSensitive ?? true,
    slashTolerant: routerOptions?.ignoreTrailingSlash ?? ignoreTrailingSlash ?? false,
  });
  // Fastify never cuts the URL.
  const requestOptions = { trustProxy: options.trustProxy, basePath: '' };
  fastify.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    const source = new NodeRequest(raw, requestOptions, reply.raw, otherRoute(request));
    const exchange = new SecurityExchange(source, prepareHead(reply.raw), exchangeOf(raw));
    keepExchange(request, exchange);
    keepExchange(raw, exchange);
    const settle = (): void | Promise<void> => {
      if (exchange.answer === undefined) return undefined;
      reply.hijack();
      return sendAnswer(exchange, reply.raw);
    };
    const fail = (error: unknown): void =>
      done(error instanceof Error ? error : new Error('The security chain failed.'));
    try {
      const running = matched.run(exchange, () => done());
      if (running instanceof Promise) running.then(settle).catch(fail);
      else settle()?.catch(fail);
    } catch (error) {
      fail(error);
    }
  });
  registered();
}

/**
 * Path of the route that Fastify chose, if the URL was changed since: a hook that changes `raw.url` does not change the
 * route.
 */
function otherRoute({ raw, params, routeOptions }: FastifyRequestLike): string | undefined {
  const pattern = routeOptions?.url;
  if (pattern === undefined) return undefined;
  const values = (params ?? {}) as Readonly<Record<string, string | undefined>>;
  const chosen = pattern.replaceAll(PLACE, (place, name: string | undefined) =>
    place === '::' ? ':' : (values[name ?? '*'] ?? ''),
  );
  // An expression nested deeper than `PLACE` can parse.
  if (/[()]/.test(pattern.replaceAll(PLACE, ''))) return undefined;
  const path = (raw.url ?? '').split('?', 1)[0]!;
  return withoutSlash(path) === withoutSlash(chosen) ? undefined : encodePath(chosen);
}

/** Placeholders of find-my-way: a parameter, with its expression or an optional mark, or the wildcard. */
const PLACE = /::|:([^:/.(?-]+)(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\??|\*$/g;

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

// Fastify encapsulates plugins: without this mark the hook would guard only routes registered inside the plugin.
Object.defineProperty(fastifySecurity, Symbol.for('skip-override'), { value: true });
