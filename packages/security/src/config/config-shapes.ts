// Option tables of the whole configuration: every key of the layer and its chains, at every depth.
import type { AuthenticationManager } from '../authentication/manager.ts';
import type { CompletedRules, RuleBuilder, RuleData } from '../authorization/rules.ts';
import type { Filter } from '../chain/filter.ts';
import type { FilterPlacement } from '../chain/order-filters.ts';
import type { AccessDeniedHandler } from '../chain/error-handling.ts';
import type { SecurityContextHolder } from '../context/security-context.ts';
import type { CsrfTokenRepository } from '../csrf/csrf-token-repository.ts';
import type { HttpMethod } from '../match/matcher.ts';
import type { Sessions } from '../session/sessions.ts';
import type { TokenVerifier } from '../token/jwt.ts';
import {
  CONTEXT_MODE,
  JWT,
  LINKS,
  OAUTH2_PROVIDER,
  ONE_TIME_VERIFIER,
  REMEMBER_ME_OF_CHAIN,
  REQUEST_ID,
  SIGNATURES,
  STATIC_KEY_FILTER,
  STATIC_KEYS,
  TOTP_OF_CHAIN,
  USERS,
} from '../options/login-shapes.ts';
import {
  ADDRESS_LIMIT,
  ATTEMPTS,
  AUDIT,
  CLOCK,
  CORS,
  CREDENTIAL_CACHE,
  ENCODER,
  ENTRY_POINT,
  FETCH_METADATA,
  FIREWALL,
  FORMS,
  HEADERS,
  LOG,
  MATCHING,
  PROVIDER,
  SESSIONS,
  USER_SOURCE,
} from '../options/part-shapes.ts';
import type {
  ChainConfig,
  CsrfConfig,
  FormLoginConfig,
  HttpBasicConfig,
  LogoutConfig,
  PathChainConfig,
  RequestSelection,
  SecurityConfig,
} from './security-config.ts';
import {
  anyText,
  callable,
  flag,
  group,
  withMethods,
  type KeysOf,
  list,
  map,
  oneOf,
  only,
  path,
  type Shape,
  testedBy,
  text,
  token,
  when,
  integer,
} from '../options/shape.ts';
import type { OAuth2Config, OneTimeConfig } from './token-config.ts';

/** Patterns and methods are validated where they are compiled, with errors of their own. */
const patterns = oneOf(anyText, list(anyText));
const selection = group<RequestSelection>({
  ant: patterns,
  mvc: patterns,
  regex: patterns,
  method: anyText as Shape<HttpMethod>,
});

const basic = group<HttpBasicConfig>({ realm: anyText, entryPoint: ENTRY_POINT });
const form = group<FormLoginConfig>({
  path,
  page: flag,
  title: text,
  links: LINKS,
  defaultTarget: text,
  failureTarget: text,
});
const logout = group<LogoutConfig>({ path, target: text });
const csrf = group<CsrfConfig>({
  repository: oneOf(
    callable<Extract<CsrfConfig['repository'], (...given: never) => unknown>>('(sessions) => repository'),
    withMethods<CsrfTokenRepository>('a repository of CSRF tokens', 'load', 'save', 'generate'),
  ),
  ignoring: list(selection),
  masked: flag,
  endpoint: oneOf(only(false), path),
  fetchMetadata: oneOf(flag, FETCH_METADATA),
});
const filter: Shape<Filter> = withMethods('a filter', 'handle', 'name');
const position = { before: text, after: text, at: text };
const placement = {
  ...group<{ readonly filter: Filter; readonly before: string; readonly after: string; readonly at: string }>(
    { filter, ...position },
    'filter',
  ),
} as unknown as Shape<FilterPlacement>;
const oauth2 = group<OAuth2Config>(
  { providers: list(OAUTH2_PROVIDER), baseUrl: anyText, defaultTarget: text },
  'providers',
  'baseUrl',
);
const oneTime = group<OneTimeConfig>(
  { verifier: oneOf(ONE_TIME_VERIFIER, TOTP_OF_CHAIN), header: token, path },
  'verifier',
);
const verifier = group<{ readonly verifier: TokenVerifier }>({ verifier: withMethods('a verifier', 'verify') });
const hasVerifier = (value: unknown): boolean => typeof value === 'object' && value !== null && 'verifier' in value;

const CHAIN_KEYS: KeysOf<ChainConfig> = {
  rules: oneOf(
    // Rules are validated together, so that their errors name their numbers.
    testedBy<readonly RuleData[]>('a list of rules', Array.isArray),
    callable<(rules: RuleBuilder) => CompletedRules | void>('(rules) => …'),
  ),
  denyUnmatched: flag,
  httpBasic: oneOf(flag, basic),
  formLogin: oneOf(flag, form),
  logout: oneOf(flag, logout),
  csrf: oneOf(flag, csrf),
  forms: FORMS,
  cors: oneOf(only(false), CORS),
  headers: oneOf(flag, HEADERS),
  staticKeys: oneOf(STATIC_KEYS, STATIC_KEY_FILTER),
  requestId: oneOf(flag, REQUEST_ID),
  addressLimit: ADDRESS_LIMIT,
  filters: list(placement),
  entryPoint: ENTRY_POINT,
  accessDenied: callable<AccessDeniedHandler>('(exchange, error) => …'),
  bearer: oneOf(when(hasVerifier, verifier), JWT),
  signatures: SIGNATURES,
  oauth2Login: oauth2,
  oneTime,
  rememberMe: REMEMBER_ME_OF_CHAIN,
};

/** Options of `createSecurity`. */
export const SECURITY: Shape<SecurityConfig> = group<SecurityConfig>({
  ...CHAIN_KEYS,
  chains: list(group<PathChainConfig>({ ...CHAIN_KEYS, path: oneOf(text, list(text)), name: text }, 'path')),
  users: oneOf(USERS, USER_SOURCE),
  passwordEncoder: ENCODER,
  providers: list(PROVIDER),
  authenticationManager: withMethods<AuthenticationManager>('an authentication manager', 'authenticate'),
  credentialCache: oneOf(only(false), CREDENTIAL_CACHE),
  maxPasswordBytes: integer(1),
  attempts: oneOf(only(false), ATTEMPTS),
  sessions: oneOf(
    only(false),
    withMethods<Sessions>('what createSessions returns', 'filter', 'obtain', 'current', 'logIn'),
    SESSIONS,
  ),
  firewall: FIREWALL,
  beans: map(testedBy<object>('an object', (value) => typeof value === 'object' && value !== null)),
  context: oneOf(CONTEXT_MODE, withMethods<SecurityContextHolder>('a security context holder', 'run', 'get')),
  matching: MATCHING,
  audit: AUDIT,
  log: LOG,
  clock: CLOCK,
  print: callable('(line) => …'),
});
