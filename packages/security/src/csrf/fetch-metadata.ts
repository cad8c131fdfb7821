// Second layer against forged requests: browsers send in Sec-Fetch-Site where a request comes from (Fetch Metadata).
// Other clients do not send it and pass; the CSRF token protects them.
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import type { Filter } from '../chain/filter.ts';
import { type AccessDeniedHandler, respondForbidden } from '../chain/error-handling.ts';
import { FETCH_METADATA } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface FetchMetadataOptions {
  /** Whether pages of sibling hosts (`a.example.org` to `b.example.org`) may write. Default: false. */
  readonly allowSameSite?: boolean;
  /** Origins that may write, as in the Origin header: those that the CORS policy allows. */
  readonly trustedOrigins?: readonly string[];
  readonly accessDenied?: AccessDeniedHandler;
  readonly audit?: AuditSink;
}

const SAFE = new Set(['GET', 'HEAD', 'TRACE', 'OPTIONS']);

/** Creates the filter; its position is `fetchMetadata`. */
export function createFetchMetadataFilter(options: FetchMetadataOptions = {}): Filter {
  requireOptions('createFetchMetadataFilter', FETCH_METADATA, options);
  const { allowSameSite = false, trustedOrigins = [], accessDenied = respondForbidden, audit = silentAudit } = options;
  const trusted = new Set(trustedOrigins);
  return {
    name: 'fetchMetadata',
    handle(exchange, next) {
      const site = exchange.request.header('sec-fetch-site');
      const foreign = site === 'cross-site' || (site === 'same-site' && !allowSameSite);
      if (!foreign || SAFE.has(exchange.method)) return next(exchange);
      if (trusted.has(exchange.request.header('origin') ?? '')) return next(exchange);
      const code = 'SECURITY_CSRF_CROSS_SITE';
      const { method, path } = exchange;
      audit.record({
        kind: 'csrf-refused',
        username: exchange.principal.name,
        code,
        method,
        path,
        address: exchange.request.remoteAddress,
      });
      return accessDenied(exchange, authenticationErrors.create(code, { method, site }));
    },
  };
}
