// Answers preflights, and marks or rejects requests of other origins (Fetch §CORS protocol), before authentication: a
// browser sends no credentials with a preflight, and a page cannot read a 401 without CORS headers.
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { compileMatcher, type RequestMatcher } from '../match/matcher.ts';
import { EXACT, type PathComparison, viewPath } from '../match/path-view.ts';
import { type CorsPolicy, type CorsPolicyOptions, createCorsPolicy } from './cors-policy.ts';

/** One policy for every path, or policies by Ant pattern; the first matching pattern decides. */
export type CorsOptions = CorsPolicyOptions | Readonly<Record<`/${string}`, CorsPolicyOptions>>;

const VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';
const VARY_LINES = Object.freeze(['Vary', VARY]);

/** @throws ProductError SECURITY_CORS_INVALID, SECURITY_PATTERN_INVALID */
export function createCorsFilter(options: CorsOptions, comparison: PathComparison = EXACT): Filter {
  const policies = readPolicies(options, comparison);
  const policyFor = (exchange: SecurityExchange): CorsPolicy | undefined => {
    const view = viewPath(exchange.path);
    return policies.find(([matcher]) => matcher.matches(exchange.method, view, exchange.query))?.[1];
  };

  return {
    name: 'cors',
    handle(exchange, next) {
      const { request, response } = exchange;
      // Setting costs half of appending, and this is nearly always the first Vary.
      const vary = response.getHeader('Vary');
      if (vary !== undefined) {
        // Another chain of the same request has set it already.
        if (![vary].flat().includes(VARY)) response.appendHeader('Vary', VARY);
      } else if (response.setHeaderLines !== undefined) response.setHeaderLines(VARY_LINES);
      else response.setHeader('Vary', VARY);
      const origin = request.header('origin');
      if (origin === undefined) return next(exchange);
      const asked = exchange.method === 'OPTIONS' ? request.header('access-control-request-method') : undefined;
      const isPreflight = asked !== undefined;
      if (isSameOrigin(origin, exchange)) return isPreflight ? exchange.respond(200) : next(exchange);
      const policy = policyFor(exchange);
      if (policy === undefined) return isPreflight ? reject(exchange) : next(exchange);
      const allowed = policy.allowOrigin(origin);
      const methods = policy.allowMethods(asked ?? exchange.method);
      if (allowed === undefined || methods === undefined) return reject(exchange);
      if (isPreflight) {
        const headers = policy.allowHeaders(readList(request.header('access-control-request-headers')));
        if (headers === undefined) return reject(exchange);
        response.setHeader('Access-Control-Allow-Methods', methods);
        if (headers.length > 0) response.setHeader('Access-Control-Allow-Headers', headers.join(', '));
        if (policy.maxAge !== undefined) response.setHeader('Access-Control-Max-Age', String(policy.maxAge));
      }
      response.setHeader('Access-Control-Allow-Origin', allowed);
      if (policy.exposedHeaders !== '') response.setHeader('Access-Control-Expose-Headers', policy.exposedHeaders);
      if (policy.allowCredentials) response.setHeader('Access-Control-Allow-Credentials', 'true');
      return isPreflight ? exchange.respond(200) : next(exchange);
    },
  };
}

function readPolicies(
  options: CorsOptions,
  comparison: PathComparison,
): readonly (readonly [RequestMatcher, CorsPolicy])[] {
  const entries = Object.entries(options);
  const byPath = entries.length > 0 && entries.every(([key]) => key.startsWith('/'));
  const policies: readonly (readonly [string, CorsPolicyOptions])[] = byPath
    ? (entries as readonly (readonly [string, CorsPolicyOptions])[])
    : [['/**', options]];
  return policies.map(([pattern, policy]) => [
    compileMatcher({ kind: 'ant', pattern }, comparison),
    createCorsPolicy(pattern, policy),
  ]);
}

function reject(exchange: SecurityExchange): void {
  exchange.respond(403, 'Invalid CORS request', 'text/plain;charset=UTF-8');
}

function readList(value: string | undefined): readonly string[] {
  return (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Returns whether scheme, host and port of the origin are those of the request (RFC 6454 §5). */
function isSameOrigin(origin: string, { request }: SecurityExchange): boolean {
  const host = request.header('host');
  if (host === undefined) return false;
  const scheme = request.secure ? 'https' : 'http';
  return withoutDefaultPort(origin.toLowerCase()) === withoutDefaultPort(`${scheme}://${host.toLowerCase()}`);
}

function withoutDefaultPort(origin: string): string {
  if (origin.startsWith('http://')) return origin.endsWith(':80') ? origin.slice(0, -3) : origin;
  return origin.endsWith(':443') ? origin.slice(0, -4) : origin;
}
