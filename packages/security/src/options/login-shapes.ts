// Option tables of log-in: static keys, tokens, signatures, identity providers, second factors, and their filters. One
// table per type; other parts are in part-shapes.ts.
import { type Clock, membersIn } from '@lockstitch/kernel';
import { KeyObject } from 'node:crypto';
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
import type { StaticKey, StaticKeyOptions } from '../authentication/static-key.ts';
import type { LoginLink, LoginPageOptions } from '../login/login-page.ts';
import type { OAuth2Provider, OAuth2ProviderOptions } from '../login/oauth2-provider.ts';
import type { RememberMeOptions } from '../login/remember-me.ts';
import type { Sessions } from '../session/sessions.ts';
import type { JwtOptions } from '../token/jwt.ts';
import type { NonceStore, SignatureOptions, Signer } from '../token/signature-filter.ts';
import type { RequestToSign, SignatureKey } from '../token/signature.ts';
import type { OneTimeVerifier, TotpOptions, UsedSteps } from '../token/totp.ts';
import {
  anyText,
  bytes,
  callable,
  choice,
  milliseconds,
  flag,
  group,
  withMethods,
  type KeysOf,
  list,
  map,
  method,
  number,
  oneOf,
  path,
  type Shape,
  testedBy,
  text,
  token,
  when,
  integer,
} from './shape.ts';
import { AUDIT, CLOCK, ENTRY_POINT, FORMS, LOG, USER_SOURCE } from './part-shapes.ts';

const clock = CLOCK;
const audit = AUDIT;
const authorities = list(text);

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
const signatureKey = oneOf(
  byKind('shared', group<SignerKey<'shared'>>({ kind: choice('shared'), secret: bytes }, 'secret')),
  byKind('asymmetric', group<SignerKey<'asymmetric'>>({ kind: choice('asymmetric'), key: keyObject }, 'key')),
);
export const SIGN_REQUEST = group<{ readonly key: SignatureKey; readonly request: RequestToSign }>(
  {
    key: signatureKey,
    request: group<RequestToSign>(
      { method, target: text, body: bytes, created: integer(0), nonce: text },
      'method',
      'target',
    ),
  },
  'key',
  'request',
);
const signer = group<Signer>(
  {
    key: signatureKey,
    name: text,
    authorities,
  },
  'key',
  'name',
);
const signatureKeys = {
  signers: oneOf(callable<Exclude<SignatureOptions['signers'], object>>('(keyId) => signer'), map(signer)),
  window: number(1, 86_400),
  nonces: withMethods<NonceStore>('a store of nonces', 'use'),
  maxBodyBytes: integer(0),
} as unknown as KeysOf<Pick<SignatureOptions, 'signers' | 'window' | 'nonces' | 'maxBodyBytes'>>;
export const SIGNATURES = group(signatureKeys, 'signers');
export const SIGNATURE_FILTER = group<SignatureOptions>(
  { ...signatureKeys, entryPoint: ENTRY_POINT, clock, audit },
  'signers',
);
export const NONCES = group<{ readonly max?: number; readonly clock?: Clock }>({ max: integer(1), clock });
const totpKeys = {
  secretOf: callable<TotpOptions['secretOf']>('(username) => secret'),
  steps: withMethods<UsedSteps>('a store of used steps', 'advance'),
};
export const TOTP = group<TotpOptions>({ ...totpKeys, clock }, 'secretOf');
export const TOTP_OF_CHAIN = group<Pick<TotpOptions, 'secretOf' | 'steps'>>(totpKeys, 'secretOf');
export const ONE_TIME_VERIFIER = withMethods<OneTimeVerifier>(
  'a verifier of one-time passwords',
  'verify',
  'isRequired',
);
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
const rememberMeKeys = { key: bytes, lifetime: milliseconds, cookieName: token, parameter: text };
export const REMEMBER_ME_OF_CHAIN = group<Pick<RememberMeOptions, keyof typeof rememberMeKeys>>(rememberMeKeys, 'key');
export const REMEMBER_ME = group<RememberMeOptions>(
  {
    ...rememberMeKeys,
    users: USER_SOURCE,
    secondFactor: withMethods<Pick<OneTimeVerifier, 'isRequired'>>('a verifier of one-time passwords', 'isRequired'),
    sessions: withMethods<NonNullable<RememberMeOptions['sessions']>>('sessions', 'current'),
    clock,
  },
  'users',
  'key',
);

// Filters of log-in
const authenticator = withMethods<Authenticator>('an authenticator', 'authenticate');
const sessions = withMethods<Sessions>('sessions', 'filter', 'obtain', 'current', 'logIn');
const csrfParts = withMethods<Csrf>('the CSRF protection', 'renew', 'forget');
const loginParts = {
  sessions,
  csrf: csrfParts,
  savedRequests: withMethods<SavedRequests>('saved requests', 'take', 'save'),
  defaultTarget: text,
};
const handlers = list(callable<(exchange: SecurityExchange) => Promise<void>>('(exchange) => …'));
export const AUTHENTICATOR = group<AuthenticatorOptions>(
  {
    manager: withMethods('an authentication manager', 'authenticate'),
    attempts: withMethods('an attempt limiter', 'run'),
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
    providers: list(withMethods<OAuth2Provider>('what createOAuth2Provider returns', 'start', 'finish')),
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
    attempts: withMethods('an attempt limiter', 'run'),
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
  { verifier: withMethods('a verifier', 'verify'), entryPoint: ENTRY_POINT, audit, log: LOG },
  'verifier',
);
export const CSRF = group<CsrfOptions>(
  {
    repository: withMethods('a repository of CSRF tokens', 'load', 'save', 'generate'),
    ignoring: list(callable<(exchange: SecurityExchange) => boolean>('(exchange) => …')),
    masked: flag,
    endpoint: path,
    accessDenied: callable('(exchange, error) => …'),
    forms: FORMS,
    audit,
  },
  'repository',
);
export const USERS = list(
  withMethods<User>('a user made by userNamed(…)…build()', 'erased', 'toPrincipal', 'username'),
);
export const CONTEXT_MODE = choice('MODE_THREADLOCAL', 'MODE_INHERITABLETHREADLOCAL', 'MODE_GLOBAL');

function byKind<T>(kind: string, shape: Shape<T>): Shape<T> {
  const isOne = (value: unknown): boolean => membersIn(value)['kind'] === kind;
  return { ...when(isOne, shape), expects: `{ kind: '${kind}', … }` };
}
