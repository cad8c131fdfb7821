// Converts the configuration keys of a chain to the security package's options: rules, log-in, CSRF, CORS, headers,
// tokens, for the default chain and for each of `chains`. Settings shared by all chains (accounts, sessions, limits)
// are in build-security.ts.
import { createPublicKey, type KeyObject } from 'node:crypto';

import {
  authenticationErrors,
  type ChainConfig,
  createClientCsrfRepository,
  createCookieCsrfRepository,
  createExpiringCsrfRepository,
  createSessionCsrfRepository,
  type CsrfConfig,
  GITHUB,
  type HeadersOptions,
  type JwtOptions,
  type LoginState,
  type OAuth2Config,
  type OAuth2ProviderOptions,
  type PathChainConfig,
  type RequestSelection,
  type RuleData,
  type SignatureKey,
  type TokenConfig,
} from '@lockstitch/security';

import type { ResolvedConfig } from '../config/config.ts';

type Chain = ResolvedConfig['chains'][number];
type Login = ResolvedConfig['login'];
/** Keys that a chain may set for itself. A key that it leaves out has the value beside `chains`. */
type ChainKeys = Pick<
  ResolvedConfig,
  'rules' | 'denyUnmatched' | 'login' | 'csrf' | 'cors' | 'headers' | 'staticKeys' | 'bearer' | 'signatures'
> & { readonly requestId: boolean };

/**
 * Paths that need no credentials whatever the rules say: load balancers have none, and the console's files, which hold
 * no application data, contain the login page.
 */
const OPEN_PATHS = ['/healthz', '/readyz', '/_console', '/_console/**'];

/** The default chain. @throws ProductError SECURITY_… */
export function toChainConfig(config: ResolvedConfig, state?: LoginState): ChainConfig {
  return { ...toChain(outerKeys(config), config, state), ...readRules(config.rules, true) };
}

/**
 * The chains of `chains`, and after them the default chain for every other path; undefined without any.
 *
 * @throws ProductError SECURITY_…
 */
export function toPathChains(config: ResolvedConfig, state?: LoginState): readonly PathChainConfig[] | undefined {
  if (config.chains.length === 0) return undefined;
  const outer = outerKeys(config);
  const own = config.chains.map((chain): PathChainConfig => {
    const path = [chain.path].flat();
    const keys = { ...outer, ...written(chain) };
    return {
      path,
      ...(chain.name === undefined ? {} : { name: chain.name }),
      ...toChain(keys, config, state),
      ...readRules(chain.rules, path.includes('/**')),
    };
  });
  // A path that no chain matches would pass unchecked.
  const isComplete = own.some(({ path }) => path.includes('/**'));
  return isComplete ? own : [...own, { path: '/**', name: 'every other path' }];
}

function outerKeys(config: ResolvedConfig): ChainKeys {
  const { staticKey, requestId } = config.filters;
  const short = staticKey === undefined ? [] : [{ key: staticKey, name: 'static-key', authorities: [] }];
  return { ...config, staticKeys: [...short, ...config.staticKeys], requestId };
}

/** Keys that a chain sets itself. A group replaces the outer group as a whole. */
function written(chain: Chain): Partial<ChainKeys> {
  const given = Object.entries(chain).filter(
    ([key, value]) => value !== undefined && key !== 'name' && key !== 'path' && key !== 'rules',
  );
  return Object.fromEntries(given) as Partial<ChainKeys>;
}

function toChain(keys: ChainKeys, config: ResolvedConfig, state: LoginState | undefined): ChainConfig {
  const { login, csrf, cors, headers, staticKeys, bearer, signatures } = keys;
  return {
    denyUnmatched: keys.denyUnmatched,
    httpBasic: login.basic && staticKeys.length === 0 ? { realm: login.realm } : false,
    formLogin: login.form ? { links: [], defaultTarget: login.target } : false,
    csrf: csrf.enabled ? toCsrf(csrf, cors) : false,
    forms: config.forms,
    cors: toCors(cors),
    headers: headers.enabled ? toHeaders(headers) : false,
    staticKeys: staticKeys.length === 0 ? undefined : staticKeys,
    requestId: keys.requestId,
    bearer: bearer === undefined ? undefined : toJwt(bearer),
    signatures: signatures === undefined ? undefined : toSignatures(signatures, state),
    oauth2Login: toOAuth2(login, config.github),
    rememberMe:
      login.rememberMe === undefined
        ? undefined
        : { key: Buffer.from(login.rememberMe.key), lifetime: login.rememberMe.lifetime * 1000 },
    oneTime:
      login.oneTime === undefined
        ? undefined
        : { verifier: { secretOf: secretOf(login.oneTime), ...(state === undefined ? {} : { steps: state.steps }) } },
  };
}

function readRules(rules: ChainKeys['rules'], opens: boolean): Pick<ChainConfig, 'rules'> {
  const open: RuleData = { ant: OPEN_PATHS, access: 'permitAll' };
  // An empty list must not open everything.
  if (rules === undefined || (typeof rules !== 'function' && rules.length === 0))
    return { rules: [...(opens ? [open] : []), { any: true, access: 'authenticated' }] };
  if (typeof rules === 'function')
    return {
      rules: (builder) => {
        if (opens) builder.ant(...OPEN_PATHS).permitAll();
        return rules(builder);
      },
    };
  const own = rules.map(toRule);
  // The application's own rule for one of these paths wins.
  const named = new Set(own.flatMap((rule) => [rule.ant ?? [], rule.mvc ?? []].flat()));
  const left = opens ? OPEN_PATHS.filter((path) => !named.has(path)) : [];
  return { rules: left.length === 0 ? own : [{ ant: left, access: 'permitAll' }, ...own] };
}

/** A rule without undefined keys: the chain treats a present key as a selector. */
function toRule({ any, ...rule }: Exclude<NonNullable<ResolvedConfig['rules']>, Function>[number]): RuleData {
  const given = Object.entries(rule).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(any === true ? { any } : {}) } as RuleData;
}

function toCsrf(csrf: ChainKeys['csrf'], cors: ChainKeys['cors']): CsrfConfig {
  const { repository, lifetime, masked } = csrf;
  const expiring = lifetime === 0 ? undefined : { lifetime: lifetime * 1000 };
  if (repository === 'cookie' && expiring !== undefined)
    throw setting("csrf.lifetime does nothing with csrf.repository: 'cookie', whose caller could write any time.");
  const trustedOrigins = cors.flatMap(({ allowedOrigins }) => allowedOrigins).filter((origin) => origin !== '*');
  return {
    ignoring: csrf.ignore as readonly RequestSelection[],
    masked,
    fetchMetadata: csrf.fetchMetadata ? { trustedOrigins } : false,
    repository(sessions) {
      // Not HttpOnly: scripts have to read the cookie.
      if (repository === 'cookie') return createCookieCsrfRepository({ httpOnly: false });
      const kept = repository === 'client' ? createClientCsrfRepository() : createSessionCsrfRepository(sessions);
      return expiring === undefined ? kept : createExpiringCsrfRepository(kept, expiring);
    },
  };
}

function toCors(cors: ChainKeys['cors']): Exclude<ChainConfig['cors'], undefined> {
  const twice = cors.find(({ path }, index) => cors.findIndex((other) => other.path === path) < index);
  if (twice !== undefined) throw setting(`cors has two policies for "${twice.path}"; the second would never decide.`);
  return cors.length > 0 && Object.fromEntries(cors.map(({ path, ...policy }) => [path as `/${string}`, policy]));
}

function toHeaders(headers: ChainKeys['headers']): HeadersOptions {
  const { enabled: hasHsts, ...hsts } = headers.hsts;
  return {
    contentSecurityPolicy: headers.contentSecurityPolicy,
    hsts: hasHsts && hsts,
    frameOptions: headers.frameOptions === 'off' ? false : headers.frameOptions,
    xssProtection: headers.xssProtection,
    referrerPolicy: headers.referrerPolicy,
    permissionsPolicy: headers.permissionsPolicy,
    crossOriginOpenerPolicy: headers.crossOriginOpenerPolicy,
    crossOriginResourcePolicy: headers.crossOriginResourcePolicy,
    custom: headers.custom,
    ...(headers.contentTypeOptions ? {} : { contentTypeOptions: false }),
    ...(headers.cacheControl ? {} : { cacheControl: false }),
  };
}

function toJwt(bearer: NonNullable<ChainKeys['bearer']>): JwtOptions {
  const { jwksUrl, publicKey, secret, algorithms, authorities, ...rest } = bearer;
  const given: JwtOptions['keys'][] = [];
  if (jwksUrl !== undefined) given.push({ kind: 'jwks', url: jwksUrl });
  if (publicKey !== undefined) given.push({ kind: 'public', key: readPublicKey(publicKey, 'bearer.publicKey') });
  if (secret !== undefined) given.push({ kind: 'shared', secret: Buffer.from(secret) });
  const [keys, ...others] = given;
  if (keys === undefined || others.length > 0)
    throw setting('bearer needs exactly one of jwksUrl, publicKey and secret.');
  return {
    ...rest,
    keys,
    ...(algorithms === undefined ? {} : { algorithms }),
    ...(authorities === undefined ? {} : { authorities }),
  };
}

function toSignatures(
  { signers, window }: NonNullable<ChainKeys['signatures']>,
  state: LoginState | undefined,
): TokenConfig['signatures'] {
  const entries = signers.map(({ keyId, name = keyId, secret, publicKey, authorities }) => {
    const keys: SignatureKey[] = [];
    if (secret !== undefined) keys.push({ kind: 'shared', secret: Buffer.from(secret) });
    if (publicKey !== undefined)
      keys.push({ kind: 'asymmetric', key: readPublicKey(publicKey, `signatures: the publicKey of "${keyId}"`) });
    const [key, ...others] = keys;
    if (key === undefined || others.length > 0)
      throw setting(`signatures: the signer "${keyId}" needs one of secret and publicKey.`);
    return [keyId, { key, name, authorities }] as const;
  });
  const ids = new Set(entries.map(([keyId]) => keyId));
  if (ids.size < entries.length) throw setting('signatures: two signers have the same keyId.');
  return { signers: Object.fromEntries(entries), window, ...(state === undefined ? {} : { nonces: state.nonces }) };
}

function readPublicKey(pem: string, where: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw authenticationErrors.create('SECURITY_SETTING', { what: `${where} is not a public key in PEM.` }, { cause });
  }
}

function toOAuth2(login: Login, github: ResolvedConfig['github']): OAuth2Config | undefined {
  const providers = login.providers.map(
    (provider) =>
      // Drop undefined keys.
      Object.fromEntries(
        Object.entries(provider).filter(([, value]) => value !== undefined),
      ) as unknown as OAuth2ProviderOptions,
  );
  if (login.github) providers.unshift(toGithub(github));
  if (providers.length === 0) return undefined;
  if (login.baseUrl === undefined)
    throw setting('login.baseUrl is missing: the address browsers reach this server at, for identity providers.');
  return { providers, baseUrl: login.baseUrl, defaultTarget: login.target };
}

function toGithub({ clientId, clientSecret, baseUrl, apiUrl }: ResolvedConfig['github']): OAuth2ProviderOptions {
  if (clientId === undefined || clientSecret === undefined)
    throw setting('login.github needs github.clientId and github.clientSecret.');
  return {
    ...GITHUB,
    clientId,
    clientSecret,
    authorizationUrl: `${baseUrl}/login/oauth/authorize`,
    tokenUrl: `${baseUrl}/login/oauth/access_token`,
    profileUrl: `${apiUrl}/user`,
  };
}

function secretOf({ secrets, secretOf: look }: NonNullable<Login['oneTime']>) {
  return look ?? ((username: string) => (Object.hasOwn(secrets, username) ? secrets[username] : undefined));
}

function setting(what: string): Error {
  return authenticationErrors.create('SECURITY_SETTING', { what });
}
