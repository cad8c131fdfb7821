// The options of the parts that are also made alone: sessions, limits, users, passwords, tokens, headers, CORS, CSRF. One
// table a type; the tables of whole chains are in config-shapes.ts.
import type { Clock, Log } from '@lockstitch/kernel';
import { KeyObject } from 'node:crypto';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { ConnectOptions } from '../adapters/connect-handler.ts';
import type { FetchOptions } from '../adapters/fetch-handler.ts';
import type { FastifySecurityOptions } from '../adapters/fastify-plugin.ts';
import type { NodeHandlerOptions } from '../adapters/node-handler.ts';
import type { AuditSink } from '../audit/audit.ts';
import type { Authenticator, AuthenticatorOptions } from '../authentication/authenticator.ts';
import type { BasicOptions } from '../authentication/basic.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Csrf, CsrfOptions } from '../csrf/csrf.ts';
import type { FormLoginOptions } from '../login/form-login.ts';
import type { LogoutOptions } from '../login/logout.ts';
import type { OAuth2LoginOptions } from '../login/oauth2-login.ts';
import type { SavedRequests } from '../login/saved-request.ts';
import type { BearerOptions } from '../token/bearer.ts';
import type { OneTimeOptions } from '../token/one-time.ts';
import type { User } from '../users/user.ts';
import type { CredentialCacheOptions } from '../authentication/credential-cache.ts';
import type { AuthenticationManagerOptions, AuthenticationProvider } from '../authentication/manager.ts';
import type { StaticKey, StaticKeyOptions } from '../authentication/static-key.ts';
import type { UserProviderOptions } from '../authentication/user-provider.ts';
import type { EntryPoint } from '../chain/refusal.ts';
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
import type { FormLimits } from '../login/form.ts';
import type { LoginLink, LoginPageOptions } from '../login/login-page.ts';
import type { OAuth2Provider, OAuth2ProviderOptions } from '../login/oauth2-provider.ts';
import type { RememberMeOptions } from '../login/remember-me.ts';
import type { PathComparison } from '../match/path-view.ts';
import type { Argon2Options } from '../password/argon2-encoder.ts';
import type { BCryptOptions } from '../password/bcrypt-encoder.ts';
import type { DelegatingOptions } from '../password/delegating-encoder.ts';
import type { PasswordEncoder } from '../password/password-encoder.ts';
import type { Pbkdf2Options } from '../password/pbkdf2-encoder.ts';
import type { SCryptOptions } from '../password/scrypt-encoder.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { SessionOptions, Sessions } from '../session/sessions.ts';
import type { SqlSessionStoreOptions } from '../session/sql-session-store.ts';
import type { JwtOptions } from '../token/jwt.ts';
import type { NonceStore, SignatureOptions, Signer } from '../token/signature-filter.ts';
import type { OneTimeVerifier, TotpOptions, UsedSteps } from '../token/totp.ts';
import type { SqlDatabase } from '../users/sql-database.ts';
import type { SqlUserStoreOptions } from '../users/sql-user-store.ts';
import type { UserManagerOptions } from '../users/user-manager.ts';
import type { UserSource, UserStore } from '../users/user-store.ts';
import {
  anyNumber,
  anyText,
  bytes,
  callable,
  choice,
  duration,
  flag,
  group,
  having,
  type KeysOf,
  list,
  map,
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
  whole,
} from './shape.ts';

export const CLOCK = having<Clock>('a clock', 'now');
export const AUDIT = having<AuditSink>('an audit sink', 'record');
export const LOG = having<Log>('a log', 'write');
const clock = CLOCK;
const audit = AUDIT;
const authorities = list(text);
export const ENTRY_POINT = callable<EntryPoint>('(exchange, error) => …');
export const ENCODER = having<PasswordEncoder>('a password encoder', 'matches', 'encode', 'upgradeEncoding');
export const USER_SOURCE = having<UserSource>('a user store', 'loadUserByUsername');
const userStore = having<UserStore>('a user store', 'insertUser', 'loadUserByUsername', 'replaceUser', 'removeUser');
const database = testedBy<SqlDatabase>(
  "a SQL database (an object with dialect 'sqlite' or 'postgres', query, transaction)",
  (value) => ['sqlite', 'postgres'].includes((value as Partial<SqlDatabase> | null)?.dialect ?? ''),
);
export const PROVIDER = having<AuthenticationProvider>('an authentication provider', 'authenticate');
/** Times within which failures count; timers of Node hold no more than 24 days. */
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
export const DEFAULT_USER = group<{ readonly username?: string; readonly password?: string }>({
  username: text,
  password: anyText,
});
export const SQL_USER_STORE = group<SqlUserStoreOptions>({ database, prefix: anyText }, 'database');
export const SQL_SESSION_STORE = group<SqlSessionStoreOptions>({ database, prefix: anyText, clock }, 'database');
export const USER_MANAGER = group<UserManagerOptions>(
  // A manager without an encoder has an error of its own.
  { store: userStore, encoder: ENCODER, sessions: having('sessions', 'endAllOf'), audit },
  'store',
);
export const CREDENTIAL_CACHE = group<CredentialCacheOptions>({ maxEntries: whole(1), ttl: number(0, 60_000), clock });
export const HASHING_LIMITS = group<HashingLimits>({
  concurrency: whole(1, 1024),
  queue: whole(0, 1_000_000),
  hold: number(0, 60_000),
});
export const USER_PROVIDER = group<UserProviderOptions>(
  {
    users: USER_SOURCE,
    encoder: ENCODER,
    cache: oneOf(only(false), CREDENTIAL_CACHE),
    hashing: having<HashingLimiter>('a hashing limiter', 'run'),
    maxPasswordBytes: whole(1),
    audit,
  },
  'users',
);
export const MANAGER = group<AuthenticationManagerOptions>(
  { providers: list(PROVIDER), parent: having('an authentication manager', 'authenticate'), eraseCredentials: flag },
  'providers',
);

// Limits and sessions
const counter = having<RateLimiterAbstract>('a counter of rate-limiter-flexible', 'consume');
const bound = oneOf(only(false), group<AttemptBound>({ failures: whole(1), seconds }, 'failures', 'seconds'));
export const ATTEMPTS = group<AttemptLimits>({
  byPair: bound,
  byAccount: bound,
  byAddress: bound,
  counter: callable('(name, bound) => …'),
  audit,
  clock,
});
export const ADDRESS_LIMIT = group<AddressLimitOptions>({ requests: whole(1), seconds, counter }, 'requests');
export const FORMS = group<FormLimits>({ maxBytes: whole(1), maxFields: whole(1) });
export const SESSIONS = group<SessionOptions>({
  store: having<SessionStore>('a session store', 'get', 'set', 'destroy'),
  cookieName: text,
  cookiePath: path,
  sameSite: choice('lax', 'strict', 'none'),
  secure: flag,
  maxIdle: duration,
  maxAge: duration,
  maxPerUser: whole(1),
  beyond: choice('end-oldest', 'refuse'),
  users: USER_SOURCE,
  clock,
  audit,
});
export const MEMORY_SESSIONS = group<{ readonly maxSessions?: number; readonly clock?: Clock }>({
  maxSessions: whole(1),
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
  store: having<ClientTokenStore>('a store of tokens', 'get', 'set', 'delete'),
  clientHeader: token,
  headerName: token,
  parameterName: text,
});
export const EXPIRING_CSRF = group<{ readonly lifetime?: number; readonly clock?: Clock }>({
  lifetime: duration,
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
  allowedMethods: list(textLike('an HTTP method in upper case, or *', /^(?:[A-Z][A-Z-]*|\*)$/)),
  allowedHeaders: list(textLike('the name of a header, or *', /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+)$/)),
  exposedHeaders: list(token),
  allowCredentials: flag,
  maxAge: whole(-1),
  permitDefaultValues: flag,
});
/** By path when every key is one. */
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
      maxAge: whole(0),
      includeSubDomains: flag,
      preload: flag,
    }),
  ),
  contentSecurityPolicy: headerText,
  referrerPolicy: headerText,
  permissionsPolicy: headerText,
  crossOriginOpenerPolicy: headerText,
  crossOriginResourcePolicy: headerText,
  custom: map(anyText),
});
export const FIREWALL = group<FirewallOptions>({ allowedMethods: filled(text), allowedHosts: filled(anyText) });
export const MATCHING = group<Partial<PathComparison>>({ caseSensitive: flag, slashTolerant: flag });

// Log-in and tokens
export const LINKS = list(group<LoginLink>({ href: text, label: text }, 'href', 'label'));
export const LOGIN_PAGE = group<LoginPageOptions>({ path, title: text, form: flag, rememberMe: flag, links: LINKS });
export const LOGOUT_PAGE = group<{ readonly path?: string }>({ path });
export const REQUEST_ID = group<{ readonly header?: string }>({ header: token });
export const STATIC_KEYS = list(group<StaticKey>({ key: anyText, name: text, authorities }, 'key'));
export const STATIC_KEY_FILTER = group<StaticKeyOptions>(
  { keys: STATIC_KEYS, header: token, entryPoint: ENTRY_POINT, audit },
  'keys',
);
const keyObject = testedBy<KeyObject>('a KeyObject of node:crypto', (value) => value instanceof KeyObject);
type Keys<Kind> = Extract<JwtOptions['keys'], { readonly kind: Kind }>;
export const JWT = group<JwtOptions>(
  {
    keys: oneOf(
      byKind('jwks', group<Keys<'jwks'>>({ kind: choice('jwks'), url: text }, 'url')),
      byKind('public', group<Keys<'public'>>({ kind: choice('public'), key: keyObject }, 'key')),
      byKind('shared', group<Keys<'shared'>>({ kind: choice('shared'), secret: bytes }, 'secret')),
    ),
    issuer: text,
    audience: text,
    algorithms: list(text),
    clockTolerance: number(0, 86_400),
    nameClaim: text,
    authorities: map(anyText),
    clock,
  },
  'keys',
  'issuer',
  'audience',
);
type SignerKey<Kind> = Extract<Signer['key'], { readonly kind: Kind }>;
const signer = group<Signer>(
  {
    key: oneOf(
      byKind('shared', group<SignerKey<'shared'>>({ kind: choice('shared'), secret: bytes }, 'secret')),
      byKind('asymmetric', group<SignerKey<'asymmetric'>>({ kind: choice('asymmetric'), key: keyObject }, 'key')),
    ),
    name: text,
    authorities,
  },
  'key',
  'name',
);
const signatureKeys = {
  signers: oneOf(callable<Exclude<SignatureOptions['signers'], object>>('(keyId) => signer'), map(signer)),
  window: number(1, 86_400),
  nonces: having<NonceStore>('a store of nonces', 'use'),
  maxBodyBytes: whole(0),
} as unknown as KeysOf<Pick<SignatureOptions, 'signers' | 'window' | 'nonces' | 'maxBodyBytes'>>;
export const SIGNATURES = group(signatureKeys, 'signers');
export const SIGNATURE_FILTER = group<SignatureOptions>(
  { ...signatureKeys, entryPoint: ENTRY_POINT, clock, audit },
  'signers',
);
export const NONCES = group<{ readonly max?: number; readonly clock?: Clock }>({ max: whole(1), clock });
const totpKeys = {
  secretOf: callable<TotpOptions['secretOf']>('(username) => secret'),
  steps: having<UsedSteps>('a store of used steps', 'advance'),
};
export const TOTP = group<TotpOptions>({ ...totpKeys, clock }, 'secretOf');
export const TOTP_OF_CHAIN = group<Pick<TotpOptions, 'secretOf' | 'steps'>>(totpKeys, 'secretOf');
export const ONE_TIME_VERIFIER = having<OneTimeVerifier>('a verifier of one-time passwords', 'verify', 'isRequired');
export const OAUTH2_PROVIDER = group<OAuth2ProviderOptions>(
  {
    id: anyText,
    label: text,
    clientId: anyText,
    clientSecret: anyText,
    issuer: text,
    authorizationUrl: text,
    tokenUrl: text,
    profileUrl: text,
    scopes: list(text),
    toPrincipal: callable('(profile) => principal'),
    allowInsecureRequests: flag,
  },
  'id',
  'clientId',
  'clientSecret',
);
const rememberMeKeys = { key: bytes, lifetime: duration, cookieName: token, parameter: text };
export const REMEMBER_ME_OF_CHAIN = group<Pick<RememberMeOptions, keyof typeof rememberMeKeys>>(rememberMeKeys, 'key');
export const REMEMBER_ME = group<RememberMeOptions>(
  {
    ...rememberMeKeys,
    users: USER_SOURCE,
    secondFactor: having<Pick<OneTimeVerifier, 'isRequired'>>('a verifier of one-time passwords', 'isRequired'),
    sessions: having<NonNullable<RememberMeOptions['sessions']>>('sessions', 'current'),
    clock,
  },
  'users',
  'key',
);

// Filters of log-in, made alone
const authenticator = having<Authenticator>('an authenticator', 'authenticate');
const sessions = having<Sessions>('sessions', 'filter', 'obtain', 'current', 'logIn');
const csrfParts = having<Csrf>('the CSRF protection', 'renew', 'forget');
const loginParts = {
  sessions,
  csrf: csrfParts,
  savedRequests: having<SavedRequests>('saved requests', 'take', 'save'),
  defaultTarget: text,
};
const handlers = list(callable<(exchange: SecurityExchange) => Promise<void>>('(exchange) => …'));
export const AUTHENTICATOR = group<AuthenticatorOptions>(
  {
    manager: having('an authentication manager', 'authenticate'),
    attempts: having('an attempt limiter', 'run'),
    audit,
    log: LOG,
  },
  'manager',
);
export const BASIC = group<BasicOptions>({ authenticator, realm: anyText, entryPoint: ENTRY_POINT }, 'authenticator');
export const FORM_LOGIN = group<FormLoginOptions>(
  {
    ...loginParts,
    authenticator,
    path,
    failureTarget: text,
    usernameParameter: text,
    passwordParameter: text,
    forms: FORMS,
    onSuccess: callable('(exchange, fields, username) => …'),
  },
  'authenticator',
  'sessions',
);
export const LOGOUT = group<LogoutOptions>(
  { sessions, csrf: csrfParts, path, target: text, handlers, audit },
  'sessions',
);
export const OAUTH2_LOGIN = group<OAuth2LoginOptions>(
  {
    ...loginParts,
    providers: list(having<OAuth2Provider>('what createOAuth2Provider returns', 'start', 'finish')),
    baseUrl: anyText,
    failureTarget: text,
    audit,
    log: LOG,
  },
  'providers',
  'baseUrl',
  'sessions',
);
export const ONE_TIME = group<OneTimeOptions>(
  {
    verifier: ONE_TIME_VERIFIER,
    sessions,
    attempts: having('an attempt limiter', 'run'),
    header: token,
    path,
    forms: FORMS,
    audit,
    onPassed: callable('(exchange) => …'),
  },
  'verifier',
  'attempts',
);
export const BEARER = group<BearerOptions>(
  { verifier: having('a verifier', 'verify'), entryPoint: ENTRY_POINT, audit, log: LOG },
  'verifier',
);
export const CSRF = group<CsrfOptions>(
  {
    repository: having('a repository of CSRF tokens', 'load', 'save', 'generate'),
    ignoring: list(callable<(exchange: SecurityExchange) => boolean>('(exchange) => …')),
    masked: flag,
    endpoint: path,
    accessDenied: callable('(exchange, error) => …'),
    forms: FORMS,
    audit,
  },
  'repository',
);
export const USERS = list(having<User>('a user made by userNamed(…)…build()', 'erased', 'toPrincipal', 'username'));
export const CONTEXT_MODE = choice('MODE_THREADLOCAL', 'MODE_INHERITABLETHREADLOCAL', 'MODE_GLOBAL');

// Adapters
const basePath = textLike('a path that starts and does not end with "/", or an empty text', /^(?:\/[^?#]*[^/?#])?$/);
export const CONNECT = group<ConnectOptions>({ trustProxy: flag, matching: MATCHING, basePath });
export const NODE_HANDLER = group<NodeHandlerOptions>({ trustProxy: flag, onError: callable('(error) => …') });
export const FETCH = group<FetchOptions<never>>({
  remoteAddress: callable('(request) => address'),
  matching: MATCHING,
  basePath,
});
/** Fastify adds keys of its own to what a plugin is given. */
export const FASTIFY = group<
  FastifySecurityOptions & { readonly prefix?: string; readonly logLevel?: string; readonly logSerializers?: object }
>(
  {
    security: having<FastifySecurityOptions['security']>('what createSecurity returns', 'withMatching', 'run'),
    trustProxy: flag,
    prefix: anyText,
    logLevel: anyText,
    logSerializers: map(testedBy('anything', () => true)) as Shape<object>,
  },
  'security',
);

/** A list that would refuse everything when it is empty. */
function filled<T>(item: Shape<T>): Shape<readonly T[]> {
  const all = list(item);
  return {
    ...all,
    check(value, place, report) {
      if ((value as unknown[]).length === 0) report(`"${place}" is empty, so that nothing would pass; leave it out`);
      else all.check!(value, place, report);
    },
  };
}

function byKind<T>(kind: string, shape: Shape<T>): Shape<T> {
  const isOne = (value: unknown): boolean => (value as { readonly kind?: unknown } | null | undefined)?.kind === kind;
  return { ...when(isOne, shape), expects: `{ kind: '${kind}', … }` };
}

function isByPath(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => key.startsWith('/'));
}
