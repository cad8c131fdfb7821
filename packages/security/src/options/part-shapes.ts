// Option tables of parts that can be created alone: sessions, limits, users, passwords, tokens, headers, CORS, CSRF.
// One table per type; the tables of whole chains are in config-shapes.ts.
import { type Clock, isOneOf, listOf, type Log, membersIn } from '@lockstitch/kernel';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { ConnectOptions } from '../adapters/connect-handler.ts';
import type { FetchOptions } from '../adapters/fetch-handler.ts';
import type { FastifySecurityOptions } from '../adapters/fastify-plugin.ts';
import type { NodeHandlerOptions } from '../adapters/node-handler.ts';
import type { AuditSink } from '../audit/audit.ts';
import type { CredentialCacheOptions } from '../authentication/credential-cache.ts';
import type { AuthenticationManagerOptions, AuthenticationProvider } from '../authentication/manager.ts';
import type { UserProviderOptions } from '../authentication/user-provider.ts';
import type { EntryPoint } from '../chain/error-handling.ts';
import type { Security } from '../config/create-security.ts';
import type { AddressLimitOptions } from '../limits/address-limit.ts';
import type { AttemptBound, AttemptLimits } from '../limits/attempt-limiter.ts';
import type { HashingLimiter, HashingLimits } from '../limits/hashing-limiter.ts';
import type { CorsOptions } from '../cors/cors-filter.ts';
import type { CorsPolicyOptions } from '../cors/cors-policy.ts';
import type { ClientCsrfOptions, ClientTokenStore } from '../csrf/client-csrf-repository.ts';
import type { CookieCsrfOptions } from '../csrf/cookie-csrf-repository.ts';
import type { FetchMetadataOptions } from '../csrf/fetch-metadata.ts';
import type { FirewallOptions } from '../firewall/firewall-filter.ts';
import type { HeadersOptions } from '../headers/headers-filter.ts';
import type { FormLimits } from '../html/form.ts';
import type { PathComparison } from '../match/path-view.ts';
import type { Argon2Options } from '../password/argon2-encoder.ts';
import type { BCryptOptions } from '../password/bcrypt-encoder.ts';
import type { DelegatingOptions } from '../password/delegating-encoder.ts';
import type { PasswordEncoder } from '../password/password-encoder.ts';
import type { Pbkdf2Options } from '../password/pbkdf2-encoder.ts';
import type { SCryptOptions } from '../password/scrypt-encoder.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { SessionOptions } from '../session/sessions.ts';
import type { SqlLoginStateOptions } from '../login/sql-login-state.ts';
import type { SqlSessionStoreOptions } from '../session/sql-session-store.ts';
import type { SqlDatabase } from '../stores/sql-database.ts';
import type { SqlUserStoreOptions } from '../users/sql-user-store.ts';
import type { DefaultUserOptions } from '../users/default-user.ts';
import type { UserManagerOptions } from '../users/user-manager.ts';
import type { UserSource, UserStore } from '../users/user-store.ts';
import {
  anyNumber,
  anyText,
  callable,
  choice,
  milliseconds,
  flag,
  group,
  withMethods,
  list,
  map,
  method,
  number,
  oneOf,
  only,
  path,
  type Shape,
  testedBy,
  text,
  textLike,
  token,
  when,
  integer,
  words,
} from './shape.ts';

export const CLOCK = withMethods<Clock>('a clock', 'now');
export const AUDIT = withMethods<AuditSink>('an audit sink', 'record');
export const LOG = withMethods<Log>('a log', 'write');
const clock = CLOCK;
const audit = AUDIT;
export const ENTRY_POINT = callable<EntryPoint>('(exchange, error) => …');
export const ENCODER = withMethods<PasswordEncoder>('a password encoder', 'matches', 'encode', 'upgradeEncoding');
export const USER_SOURCE = withMethods<UserSource>('a user store', 'loadUserByUsername');
const userStore = withMethods<UserStore>(
  'a user store',
  'insertUser',
  'loadUserByUsername',
  'replaceUser',
  'removeUser',
);
const database = testedBy<SqlDatabase>(
  "a SQL database (an object with dialect 'sqlite' or 'postgres', query, transaction)",
  (value) => isOneOf(['sqlite', 'postgres'], membersIn(value)['dialect']),
);
export const PROVIDER = withMethods<AuthenticationProvider>('an authentication provider', 'authenticate');
/** Seconds in which failures count; Node timers hold at most 24 days. */
const seconds = number(1, 2_000_000);

// Users and passwords
export const BCRYPT = group<BCryptOptions>({ strength: anyNumber, version: choice('2a', '2b', '2y') });
export const PBKDF2 = group<Pbkdf2Options>({
  secret: anyText,
  saltLength: anyNumber,
  iterations: anyNumber,
  algorithm: choice('sha1', 'sha256', 'sha512'),
  keyLength: anyNumber,
  format: choice('hex', 'base64'),
});
export const SCRYPT = group<SCryptOptions>({
  cpuCost: anyNumber,
  memoryCost: anyNumber,
  parallelization: anyNumber,
  keyLength: anyNumber,
  saltLength: anyNumber,
});
export const ARGON2 = group<Argon2Options>({
  saltLength: anyNumber,
  hashLength: anyNumber,
  parallelism: anyNumber,
  memory: anyNumber,
  iterations: anyNumber,
});
export const STANDARD = group<{ readonly secret?: string }>({ secret: anyText });
export const DELEGATING = group<DelegatingOptions>({ encodeId: anyText, encoders: map(ENCODER) });
export const DEFAULT_USER = group<DefaultUserOptions>({
  username: text,
  password: anyText,
  roles: list(text),
});
export const SQL_USER_STORE = group<SqlUserStoreOptions>({ database, prefix: anyText }, 'database');
export const SQL_SESSION_STORE = group<SqlSessionStoreOptions>({ database, prefix: anyText, clock }, 'database');
export const SQL_LOGIN_STATE = group<SqlLoginStateOptions>({ database, prefix: anyText, clock }, 'database');
export const USER_MANAGER = group<UserManagerOptions>(
  // A missing encoder has an error of its own.
  { store: userStore, encoder: ENCODER, sessions: withMethods('sessions', 'endAllOf'), audit },
  'store',
);
export const CREDENTIAL_CACHE = group<CredentialCacheOptions>({
  maxEntries: integer(1),
  ttl: number(0, 60_000),
  clock,
});
export const HASHING_LIMITS = group<HashingLimits>({
  concurrency: integer(1, 1024),
  queue: integer(0, 1_000_000),
  hold: number(0, 60_000),
});
export const USER_PROVIDER = group<UserProviderOptions>(
  {
    users: USER_SOURCE,
    encoder: ENCODER,
    cache: oneOf(only(false), CREDENTIAL_CACHE),
    hashing: withMethods<HashingLimiter>('a hashing limiter', 'run'),
    maxPasswordBytes: integer(1),
    audit,
  },
  'users',
);
export const MANAGER = group<AuthenticationManagerOptions>(
  {
    providers: list(PROVIDER),
    parent: withMethods('an authentication manager', 'authenticate'),
    eraseCredentials: flag,
  },
  'providers',
);

// Limits and sessions
const counter = withMethods<RateLimiterAbstract>('a counter of rate-limiter-flexible', 'consume');
const bound = oneOf(only(false), group<AttemptBound>({ failures: integer(1), seconds }, 'failures', 'seconds'));
export const ATTEMPTS = group<AttemptLimits>({
  byPair: bound,
  byAccount: bound,
  byAddress: bound,
  counter: callable('(name, bound) => …'),
  audit,
  clock,
});
export const ADDRESS_LIMIT = group<AddressLimitOptions>({ requests: integer(1), seconds, counter }, 'requests');
export const FORMS = group<FormLimits>({ maxBytes: integer(1), maxFields: integer(1) });
export const SESSIONS = group<SessionOptions>({
  store: withMethods<SessionStore>('a session store', 'get', 'set', 'destroy'),
  cookieName: text,
  cookiePath: path,
  sameSite: choice('lax', 'strict', 'none'),
  secure: flag,
  maxIdle: milliseconds,
  maxAge: milliseconds,
  maxPerUser: integer(1),
  beyond: choice('end-oldest', 'refuse'),
  users: USER_SOURCE,
  clock,
  audit,
});
export const MEMORY_SESSIONS = group<{ readonly maxSessions?: number; readonly clock?: Clock }>({
  maxSessions: integer(1),
  clock,
});
export const AUDIT_STREAM = group<{ readonly clock?: Clock; readonly onListenerError?: (error: unknown) => void }>({
  clock,
  onListenerError: callable('(error) => …'),
});

// Browsers: CSRF, CORS, headers, firewall
export const CSRF_NAMES = group<{ readonly headerName?: string; readonly parameterName?: string }>({
  headerName: token,
  parameterName: text,
});
export const COOKIE_CSRF = group<CookieCsrfOptions>({
  cookieName: token,
  headerName: token,
  parameterName: text,
  httpOnly: flag,
  path,
  secure: flag,
});
export const CLIENT_CSRF = group<ClientCsrfOptions>({
  store: withMethods<ClientTokenStore>('a store of tokens', 'get', 'set', 'delete'),
  clientHeader: token,
  headerName: token,
  parameterName: text,
});
export const EXPIRING_CSRF = group<{ readonly lifetime?: number; readonly clock?: Clock }>({
  lifetime: milliseconds,
  clock,
});
export const FETCH_METADATA = group<FetchMetadataOptions>({
  allowSameSite: flag,
  trustedOrigins: list(text),
  accessDenied: callable('(exchange, error) => …'),
  audit,
});
export const CORS_POLICY = group<CorsPolicyOptions>({
  allowedOrigins: list(text),
  allowedOriginPatterns: list(text),
  allowedMethods: list(oneOf(method, textLike('*', /^\*$/))),
  allowedHeaders: list(textLike('the name of a header, or *', /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+)$/)),
  exposedHeaders: list(token),
  allowCredentials: flag,
  maxAge: integer(-1),
  permitDefaultValues: flag,
});
/** By path if every key is a path. */
export const CORS: Shape<CorsOptions> = oneOf(
  when(isByPath, map(CORS_POLICY)) as Shape<Readonly<Record<`/${string}`, CorsPolicyOptions>>>,
  CORS_POLICY,
);
const headerText = oneOf(only(false), text);
export const HEADERS = group<HeadersOptions>({
  contentTypeOptions: only(false),
  xssProtection: headerText,
  cacheControl: only(false),
  frameOptions: oneOf(only(false), choice('DENY', 'SAMEORIGIN')),
  hsts: oneOf(
    only(false),
    group<Exclude<HeadersOptions['hsts'], false | undefined>>({
      maxAge: integer(0),
      includeSubDomains: flag,
      preload: flag,
    }),
  ),
  contentSecurityPolicy: headerText,
  referrerPolicy: oneOf(
    only(false),
    words(
      'no-referrer',
      'no-referrer-when-downgrade',
      'same-origin',
      'origin',
      'strict-origin',
      'origin-when-cross-origin',
      'strict-origin-when-cross-origin',
      'unsafe-url',
    ),
  ),
  permissionsPolicy: headerText,
  crossOriginOpenerPolicy: oneOf(
    only(false),
    choice('same-origin', 'same-origin-allow-popups', 'noopener-allow-popups', 'unsafe-none'),
  ),
  crossOriginResourcePolicy: oneOf(only(false), choice('same-origin', 'same-site', 'cross-origin')),
  custom: map(anyText),
});
export const FIREWALL = group<FirewallOptions>({ allowedMethods: filled(method), allowedHosts: filled(anyText) });
export const MATCHING = group<Partial<PathComparison>>({ caseSensitive: flag, slashTolerant: flag });

// Adapters
export const SECURITY_LAYER = withMethods<Security>('what createSecurity returns', 'withMatching', 'run');
const basePath = textLike('a path that starts and does not end with "/", or an empty text', /^(?:\/[^?#]*[^/?#])?$/);
export const CONNECT = group<ConnectOptions>({ trustProxy: flag, matching: MATCHING, basePath });
export const NODE_HANDLER = group<NodeHandlerOptions>({ trustProxy: flag, onError: callable('(error) => …') });
export const FETCH = group<FetchOptions<never>>({
  remoteAddress: callable('(request) => address'),
  matching: MATCHING,
  basePath,
});
/** Fastify adds its own keys to the options of a plugin. */
export const FASTIFY = group<
  FastifySecurityOptions & { readonly prefix?: string; readonly logLevel?: string; readonly logSerializers?: object }
>(
  {
    security: SECURITY_LAYER,
    trustProxy: flag,
    prefix: anyText,
    logLevel: anyText,
    logSerializers: map(testedBy('anything', () => true)) as Shape<object>,
  },
  'security',
);

/** A list that would reject everything if it were empty. */
function filled<T>(item: Shape<T>): Shape<readonly T[]> {
  const all = list(item);
  return {
    ...all,
    check(value, place, report) {
      if (listOf(value).length === 0) report(`"${place}" is empty, so that nothing would pass; leave it out`);
      else all.check?.(value, place, report);
    },
  };
}

function isByPath(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => key.startsWith('/'));
}
