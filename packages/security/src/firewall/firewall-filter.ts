// The first filter of every chain: refuses odd methods, hosts and targets, and leaves the canonical path on the
// exchange. What makes a target odd is in canonical-path.ts.
import { securityErrors } from '../chain/chain-errors.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { canonicalTarget } from './canonical-path.ts';

export interface FirewallOptions {
  /** Methods that pass. Default: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS. */
  readonly allowedMethods?: readonly string[] | undefined;
  /** Host names (without port) that are served; others are refused, which stops DNS rebinding. Default: all. */
  readonly allowedHosts?: readonly string[] | undefined;
}

export const DEFAULT_ALLOWED_METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function createFirewallFilter(options: FirewallOptions = {}): Filter {
  const methods = new Set(options.allowedMethods ?? DEFAULT_ALLOWED_METHODS);
  const hosts =
    options.allowedHosts === undefined ? undefined : new Set(options.allowedHosts.map((host) => host.toLowerCase()));
  return {
    name: 'firewall',
    handle(exchange, next) {
      const { request } = exchange;
      if (!methods.has(request.method)) {
        throw securityErrors.create('SECURITY_METHOD_REFUSED', {
          method: request.method.slice(0, 32),
          allowed: [...methods].join(', '),
        });
      }
      if (hosts !== undefined) checkHost(exchange, hosts);
      const target = canonicalTarget(request.target);
      if (target.kind === 'refused') {
        throw securityErrors.create('SECURITY_TARGET_REFUSED', { reason: target.reason });
      }
      exchange.path = target.path;
      exchange.encodedPath = target.encodedPath;
      exchange.query = target.query;
      return next(exchange);
    },
  };
}

function checkHost(exchange: SecurityExchange, hosts: ReadonlySet<string>): void {
  const host = exchange.request.header('host') ?? '';
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (!hosts.has(name)) throw securityErrors.create('SECURITY_HOST_REFUSED', { host: host.slice(0, 64) });
}
