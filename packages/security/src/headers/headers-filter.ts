// Response headers that protect browsers, with the defaults of Spring Security 5.8. They are set before the application
// runs, so that it can replace them, and are on error responses too.
import { randomBytes } from 'node:crypto';
import { securityErrors } from '../errors/chain-errors.ts';
import { attribute } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';

/** Each header can be changed, or switched off with `false`. */
export interface HeadersOptions {
  /** Default: `nosniff`. */
  readonly contentTypeOptions?: false | undefined;
  /** X-XSS-Protection. Default: `1; mode=block`, as in Spring Security 5; today's advice is `0`. */
  readonly xssProtection?: string | false | undefined;
  /** Cache-Control, Pragma and Expires that forbid caching. Default: on. */
  readonly cacheControl?: false | undefined;
  /** X-Frame-Options. Default: DENY. */
  readonly frameOptions?: 'DENY' | 'SAMEORIGIN' | false | undefined;
  /** Strict-Transport-Security, over TLS only. Default: one year with sub-domains. */
  readonly hsts?:
    | { readonly maxAge?: number; readonly includeSubDomains?: boolean; readonly preload?: boolean }
    | false
    | undefined;
  /** Content-Security-Policy; `{nonce}` is replaced by a fresh nonce, available under `CSP_NONCE`. Default: none. */
  readonly contentSecurityPolicy?: string | false | undefined;
  /** Default: none. */
  readonly referrerPolicy?: string | false | undefined;
  /** Default: none. */
  readonly permissionsPolicy?: string | false | undefined;
  /** Cross-Origin-Opener-Policy. Default: none. */
  readonly crossOriginOpenerPolicy?: string | false | undefined;
  /** Cross-Origin-Resource-Policy. Default: none. */
  readonly crossOriginResourcePolicy?: string | false | undefined;
  /** Further headers. */
  readonly custom?: Readonly<Record<string, string>> | undefined;
}

/** Nonce of this response, for the `nonce` attribute of scripts and styles. */
export const CSP_NONCE = attribute<string>('cspNonce');

const YEAR = 31_536_000;

/** @throws ProductError SECURITY_CONFIG_INVALID */
export function createHeadersFilter(options: HeadersOptions = {}): Filter {
  const plain = Object.freeze(fixedHeaders(options).flat());
  const hsts = options.hsts === false ? [] : ['Strict-Transport-Security', hstsValue(options.hsts ?? {})];
  const overTls = Object.freeze([...plain, ...hsts]);
  const csp = options.contentSecurityPolicy || undefined;
  const usesNonce = csp?.includes('{nonce}') === true;
  return {
    name: 'headers',
    handle(exchange, next) {
      const { response } = exchange;
      const lines = exchange.request.secure ? overTls : plain;
      if (response.setHeaderLines !== undefined) response.setHeaderLines(lines);
      else for (let index = 0; index < lines.length; index += 2) response.setHeader(lines[index]!, lines[index + 1]!);
      if (csp !== undefined && usesNonce) {
        const nonce = randomBytes(16).toString('base64');
        exchange.set(CSP_NONCE, nonce);
        response.setHeader('Content-Security-Policy', csp.replaceAll('{nonce}', nonce));
      }
      return next(exchange);
    },
  };
}

function fixedHeaders(options: HeadersOptions): readonly (readonly [string, string])[] {
  const headers: [string, string][] = [];
  const add = (name: string, value: string | false | undefined): void => {
    if (typeof value === 'string') headers.push([name, value]);
  };
  add('X-Content-Type-Options', options.contentTypeOptions ?? 'nosniff');
  add('X-XSS-Protection', options.xssProtection ?? '1; mode=block');
  if (options.cacheControl !== false) {
    add('Cache-Control', 'no-cache, no-store, max-age=0, must-revalidate');
    add('Pragma', 'no-cache');
    add('Expires', '0');
  }
  add('X-Frame-Options', options.frameOptions ?? 'DENY');
  const csp = options.contentSecurityPolicy;
  if (typeof csp === 'string' && !csp.includes('{nonce}')) add('Content-Security-Policy', csp);
  add('Referrer-Policy', options.referrerPolicy);
  add('Permissions-Policy', options.permissionsPolicy);
  add('Cross-Origin-Opener-Policy', options.crossOriginOpenerPolicy);
  add('Cross-Origin-Resource-Policy', options.crossOriginResourcePolicy);
  for (const [name, value] of Object.entries(options.custom ?? {})) {
    // A header that cannot be sent is a configuration error, not an error of each request (RFC 9110 §5.1, §5.5).
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || /[^\t\x20-\x7e]/.test(value))
      throw securityErrors.create('SECURITY_CONFIG_INVALID', {
        reason: `the header "${name}" has a name or value that cannot be sent`,
      });
    add(name, value);
  }
  return headers;
}

function hstsValue(options: {
  readonly maxAge?: number;
  readonly includeSubDomains?: boolean;
  readonly preload?: boolean;
}): string {
  const { maxAge = YEAR, includeSubDomains = true, preload = false } = options;
  return `max-age=${maxAge}${includeSubDomains ? ' ; includeSubDomains' : ''}${preload ? ' ; preload' : ''}`;
}
