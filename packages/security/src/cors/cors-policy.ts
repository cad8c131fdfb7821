// A CORS policy: which other origins may call, with which methods and headers. Validated when built; behaves as
// Spring's CorsConfiguration.
import { wordsOf } from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';

/** Options of a CORS policy. Nothing set allows nothing. */
export interface CorsPolicyOptions {
  /** Origins such as `https://app.example.org`, or `*`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Origins with wildcards: `https://*.example.org`, `http://localhost:[*]`, `https://x.test:[8080,8081]`. */
  readonly allowedOriginPatterns?: readonly string[] | undefined;
  /** Methods, or `*`. Default: GET, HEAD. */
  readonly allowedMethods?: readonly string[] | undefined;
  /** Request headers, or `*`. Default: none beyond the simple ones. */
  readonly allowedHeaders?: readonly string[] | undefined;
  readonly exposedHeaders?: readonly string[] | undefined;
  /** Whether cookies and Authorization may be sent. Never with the origin `*`. Default: false. */
  readonly allowCredentials?: boolean | undefined;
  /** Seconds for which a preflight may be cached. Default: not sent. */
  readonly maxAge?: number | undefined;
  /** Any origin and header, GET, HEAD and POST, 1800 s, where nothing else is set. Default: false. */
  readonly permitDefaultValues?: boolean | undefined;
}

export interface CorsPolicy {
  readonly exposedHeaders: string;
  readonly allowCredentials: boolean;
  readonly maxAge: number | undefined;
  /** Value for Access-Control-Allow-Origin; undefined if the origin is not allowed. */
  allowOrigin(origin: string): string | undefined;
  /** The methods to announce; undefined if the method is not allowed. */
  allowMethods(method: string): string | undefined;
  /** The requested headers that are allowed; undefined if some were requested and none is allowed. */
  allowHeaders(requested: readonly string[]): readonly string[] | undefined;
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(wordsOf('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE'));

/** @throws ProductError SECURITY_CORS_INVALID */
export function createCorsPolicy(path: string, given: CorsPolicyOptions): CorsPolicy {
  const options = given.permitDefaultValues === true ? withDefaults(given) : given;
  const origins = (options.allowedOrigins ?? []).map(withoutTrailingSlash);
  const anyOrigin = origins.includes('*');
  const allowCredentials = options.allowCredentials ?? false;
  if (anyOrigin && allowCredentials)
    throw invalid(
      path,
      'allowCredentials cannot be combined with the origin "*"; list the origins or use allowedOriginPatterns',
    );
  for (const origin of origins) {
    if (origin !== '*' && origin !== 'null' && !/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/i.test(origin))
      throw invalid(path, `"${origin}" is not an origin: write scheme://host or scheme://host:port`);
  }
  const exact = new Set(origins.map((origin) => origin.toLowerCase()));
  const patterns = (options.allowedOriginPatterns ?? []).map((pattern) =>
    compileOriginPattern(path, withoutTrailingSlash(pattern)),
  );
  const methods = options.allowedMethods ?? ['GET', 'HEAD'];
  const anyMethod = methods.includes('*');
  const headers = options.allowedHeaders ?? [];
  const anyHeader = headers.includes('*');
  const lowerHeaders = new Set(headers.map((header) => header.toLowerCase()));
  return {
    exposedHeaders: (options.exposedHeaders ?? []).join(', '),
    allowCredentials,
    maxAge: options.maxAge,
    allowOrigin(origin) {
      if (anyOrigin) return '*';
      const asked = withoutTrailingSlash(origin);
      return exact.has(asked.toLowerCase()) || patterns.some((pattern) => pattern.test(asked)) ? origin : undefined;
    },
    allowMethods(method) {
      if (anyMethod) return KNOWN_METHODS.has(method) ? method : undefined;
      return methods.includes(method) ? methods.join(',') : undefined;
    },
    allowHeaders(requested) {
      if (requested.length === 0) return [];
      const allowed = anyHeader ? requested : requested.filter((header) => lowerHeaders.has(header.toLowerCase()));
      return allowed.length === 0 ? undefined : allowed;
    },
  };
}

function withDefaults(options: CorsPolicyOptions): CorsPolicyOptions {
  const hasOrigins = options.allowedOrigins !== undefined || options.allowedOriginPatterns !== undefined;
  return {
    ...options,
    ...(hasOrigins ? {} : { allowedOrigins: ['*'] }),
    allowedMethods: options.allowedMethods ?? ['GET', 'HEAD', 'POST'],
    allowedHeaders: options.allowedHeaders ?? ['*'],
    maxAge: options.maxAge ?? 1800,
  };
}

/** `*` matches anything within the host; `:[*]` any port or none, `:[80,81]` one of these. */
function compileOriginPattern(path: string, pattern: string): RegExp {
  if (pattern === '*') return /^.*$/s;
  const [, host, ports] = /^(.*?)(?::\[(\*|\d+(?:,\d+)*)\])?$/.exec(pattern) ?? [];
  if (host === undefined || host.includes('[')) throw invalid(path, `"${pattern}" is not an origin pattern`);
  const source = host
    .split('*')
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`))
    .join('[^/@\\s]*');
  const port = ports === undefined ? '' : ports === '*' ? String.raw`(?::\d+)?` : `:(?:${ports.replaceAll(',', '|')})`;
  return new RegExp(`^${source}${port}$`);
}

function withoutTrailingSlash(origin: string): string {
  return origin.endsWith('/') ? origin.slice(0, -1) : origin;
}

function invalid(path: string, reason: string) {
  return securityErrors.create('SECURITY_CORS_INVALID', { path, reason });
}
