// Builds one chain from its configuration: filters, their parts, their order, and the decision at the end. Everything
// that cannot work is rejected here, at start-up.
import { createBasicFilter } from '../authentication/basic.ts';
import { basicEntryPoint, loginEntryPoint, negotiate, respondUnauthorized } from '../authentication/entry-points.ts';
import { createStaticKeyFilter, type StaticKeyOptions } from '../authentication/static-key.ts';
import { anonymousFilter } from '../authorization/anonymous-filter.ts';
import { createAuthorizationFilter } from '../authorization/authorization-filter.ts';
import { checkRules } from '../authorization/check-rules.ts';
import { createExceptionTranslationFilter } from '../authorization/exception-translation-filter.ts';
import { createRuleIndex, type RuleIndex } from '../authorization/rule-index.ts';
import {
  buildRules,
  type ReadRules,
  readRules,
  refuseMistakes,
  type Rule,
  type RuleScope,
} from '../authorization/rules.ts';
import { securityErrors } from '../errors/chain-errors.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import type { FilterPosition } from '../chain/order.ts';
import { type OrderedFilter, orderFilters } from '../chain/order-filters.ts';
import { type EntryPoint, respondForbidden } from '../chain/error-handling.ts';
import { createContextFilter } from '../context/context-filter.ts';
import { createCorsFilter } from '../cors/cors-filter.ts';
import { createCsrf, type Csrf } from '../csrf/csrf.ts';
import { createFetchMetadataFilter } from '../csrf/fetch-metadata.ts';
import { createSessionCsrfRepository } from '../csrf/session-csrf-repository.ts';
import { createHeadersFilter } from '../headers/headers-filter.ts';
import { createAddressLimitFilter } from '../limits/address-limit.ts';
import { createFormLoginFilter } from '../login/form-login.ts';
import { createLoginPageFilter, createLogoutPageFilter } from '../login/login-page.ts';
import { createLogoutFilter } from '../login/logout.ts';
import { createRequestIdFilter } from '../login/request-id.ts';
import type { RememberMe } from '../login/remember-me.ts';
import { createSavedRequests, type SavedRequests } from '../login/saved-request.ts';
import type { Sessions } from '../session/sessions.ts';
import { readSelections } from './read-selections.ts';
import type { ChainConfig, CsrfConfig, FormLoginConfig } from './security-config.ts';
import type { SharedParts } from './shared-parts.ts';
import { createTokenParts, type TokenParts } from './token-filters.ts';

/** A chain ready to run. */
export interface BuiltChain {
  readonly filters: readonly OrderedFilter[];
  readonly index: RuleIndex;
  readonly denyUnmatched: boolean;
}

/** @throws ProductError SECURITY_… and EXPRESSION_… for everything that cannot work */
export function buildChain(config: ChainConfig, shared: SharedParts, label: string): BuiltChain {
  const { audit, log, authenticator } = shared;
  const form = config.formLogin === true ? {} : config.formLogin || undefined;
  const basic = readBasic(config);
  const csrf = createChainCsrf(config, shared);
  const sessions = form === undefined && csrf === undefined ? shared.sessions : requireSessions(shared, form, config);
  const pages = form !== undefined || config.oauth2Login !== undefined;
  const saved = !pages || sessions === undefined ? undefined : createSavedRequests(sessions);
  const tokens = createTokenParts(config, shared, sessions, csrf, saved);
  const index = createIndex(config, shared, label);
  const denyUnmatched = config.denyUnmatched ?? false;

  const known: [FilterPosition, Filter][] = [['context', createContextFilter(shared.context)]];
  if (sessions !== undefined) known.push(['session', sessions.filter]);
  if (config.headers !== false)
    known.push(['headers', createHeadersFilter(config.headers === true ? {} : config.headers)]);
  if (config.cors !== undefined && config.cors !== false)
    known.push(['cors', createCorsFilter(config.cors, shared.comparison)]);
  if (config.addressLimit !== undefined) known.push(['limits', createAddressLimitFilter(config.addressLimit)]);
  if (csrf !== undefined) {
    known.push(['csrf', csrf.filter]);
    if (csrfOf(config).endpoint !== false) known.push(['csrfEndpoint', csrf.endpointFilter]);
    const metadata = csrfOf(config).fetchMetadata;
    if (metadata !== undefined && metadata !== false)
      known.push(['fetchMetadata', createFetchMetadataFilter({ audit, ...(metadata === true ? {} : metadata) })]);
  }
  if (form !== undefined && sessions !== undefined)
    known.push(...formFilters(form, config, shared, sessions, csrf, saved, tokens));
  known.push(...tokens.filters);
  if (form === undefined && tokens.oauth2 !== undefined)
    known.push(['loginPage', createLoginPageFilter({ form: false, links: tokens.oauth2.links })]);
  const logout = config.logout ?? tokens.oauth2 !== undefined;
  if (logout !== false && form === undefined && sessions !== undefined)
    known.push(['logout', logoutFilter(config, shared, sessions, csrf, tokens.rememberMe)]);
  if (config.requestId !== undefined && config.requestId !== false)
    known.push(['requestId', createRequestIdFilter(config.requestId === true ? {} : config.requestId)]);
  if (config.staticKeys !== undefined)
    known.push(['staticKey', createStaticKeyFilter({ audit, ...readStaticKeys(config.staticKeys) })]);
  if (basic !== undefined) {
    const { realm, entryPoint } = basic;
    known.push([
      'basic',
      createBasicFilter({
        authenticator,
        ...(realm === undefined ? {} : { realm }),
        ...(entryPoint === undefined ? {} : { entryPoint }),
      }),
    ]);
  }
  known.push(['anonymous', anonymousFilter]);
  const entryPoint = config.entryPoint ?? chooseEntryPoint(form ?? (tokens.oauth2 && {}), basic, saved);
  const accessDenied = config.accessDenied ?? respondForbidden;
  known.push(['exceptionTranslation', createExceptionTranslationFilter({ entryPoint, accessDenied })]);
  known.push(['authorization', createAuthorizationFilter({ index, denyUnmatched, log, onDenied: noteDenied(shared) })]);
  return { filters: orderFilters(known, config.filters), index, denyUnmatched };
}

function createIndex(config: ChainConfig, shared: SharedParts, label: string): RuleIndex {
  const scope: RuleScope = { beans: shared.beans, warn: shared.warn };
  const { rules, mistakes } = readChainRules(config, scope);
  refuseMistakes([...mistakes, ...checkRules(rules)]);
  const isOpen =
    config.denyUnmatched !== true && !rules.some((rule) => rule.source.kind === 'any' || isEverything(rule));
  if (isOpen)
    shared.warn({
      kind: 'unmatched',
      message: `${label}: requests that match no rule are open to anyone. End the rules with a catch-all, or set denyUnmatched: true.`,
    });
  return createRuleIndex(rules, shared.comparison);
}

function isEverything({ source }: Rule): boolean {
  return (
    source.kind !== 'any' && source.kind !== 'regex' && source.method === undefined && /^\/?\*\*$/.test(source.pattern)
  );
}

/** Without rules every request needs a valid user. */
function readChainRules({ rules }: ChainConfig, scope: RuleScope): ReadRules {
  if (rules === undefined) return readRules([{ any: true, access: 'isAuthenticated()' }], scope);
  if (typeof rules === 'function') return buildRules(rules, scope);
  if (rules.length === 0) throw securityErrors.create('SECURITY_NO_MAPPING');
  return readRules(rules, scope);
}

function csrfOf({ csrf }: ChainConfig): CsrfConfig {
  return typeof csrf === 'object' ? csrf : {};
}

function createChainCsrf(config: ChainConfig, shared: SharedParts): Csrf | undefined {
  if (config.csrf === false) return undefined;
  const { repository, ignoring = [], masked, endpoint } = csrfOf(config);
  const { sessions, comparison, audit } = shared;
  const own = typeof repository === 'object' ? repository : undefined;
  if (own === undefined && sessions === undefined)
    throw securityErrors.create('SECURITY_CONFIG_INVALID', {
      reason:
        'CSRF protection keeps its token in the session, but sessions is false; set csrf: false or a csrf.repository',
    });
  const kept =
    own ?? (typeof repository === 'function' ? repository(sessions!) : createSessionCsrfRepository(sessions!));
  return createCsrf({
    repository: kept,
    ignoring: readSelections(ignoring, comparison),
    audit,
    forms: config.forms,
    ...(masked === undefined ? {} : { masked }),
    ...(typeof endpoint === 'string' ? { endpoint } : {}),
    ...(config.accessDenied === undefined ? {} : { accessDenied: config.accessDenied }),
  });
}

function requireSessions(
  shared: SharedParts,
  form: FormLoginConfig | undefined,
  config: ChainConfig,
): Sessions | undefined {
  if (shared.sessions !== undefined || form === undefined) return shared.sessions;
  const what = config.csrf === false ? 'formLogin needs sessions' : 'formLogin and csrf need sessions';
  throw securityErrors.create('SECURITY_CONFIG_INVALID', { reason: `${what}, but sessions is false` });
}

function readBasic({ httpBasic, staticKeys }: ChainConfig) {
  if (httpBasic === false) return undefined;
  // A static key replaces HTTP Basic: both read the same header.
  if (httpBasic === undefined) return staticKeys === undefined ? {} : undefined;
  return httpBasic === true ? {} : httpBasic;
}

function readStaticKeys(given: StaticKeyOptions['keys'] | StaticKeyOptions): StaticKeyOptions {
  return Array.isArray(given) ? { keys: given as StaticKeyOptions['keys'] } : (given as StaticKeyOptions);
}

function chooseEntryPoint(
  form: FormLoginConfig | undefined,
  basic: { readonly realm?: string | undefined; readonly entryPoint?: EntryPoint | undefined } | undefined,
  saved: SavedRequests | undefined,
): EntryPoint {
  const program =
    basic === undefined
      ? respondUnauthorized
      : (basic.entryPoint ?? basicEntryPoint(basic.realm === undefined ? {} : { realm: basic.realm }));
  if (form === undefined) return program;
  const login = loginEntryPoint({ loginPage: form.path ?? '/login' });
  return negotiate({
    login,
    other: program,
    ...(saved === undefined ? {} : { remember: (exchange) => saved.save(exchange) }),
  });
}

function formFilters(
  form: FormLoginConfig,
  config: ChainConfig,
  shared: SharedParts,
  sessions: Sessions,
  csrf: Csrf | undefined,
  savedRequests: SavedRequests | undefined,
  { oauth2, rememberMe }: TokenParts,
): [FilterPosition, Filter][] {
  const { path = '/login', page = true, title, defaultTarget, failureTarget } = form;
  const links = [...(form.links ?? []), ...(oauth2?.links ?? [])];
  const filters: [FilterPosition, Filter][] = [
    [
      'formLogin',
      createFormLoginFilter({
        authenticator: shared.authenticator,
        sessions,
        csrf,
        savedRequests,
        defaultTarget,
        path,
        forms: config.forms,
        ...(failureTarget === undefined ? {} : { failureTarget }),
        ...(rememberMe === undefined ? {} : { onSuccess: rememberMe.onLogin }),
      }),
    ],
  ];
  if (page)
    filters.push([
      'loginPage',
      createLoginPageFilter({
        path,
        ...(title === undefined ? {} : { title }),
        links,
        rememberMe: rememberMe !== undefined,
      }),
    ]);
  if (config.logout !== false) {
    filters.push(['logout', logoutFilter(config, shared, sessions, csrf, rememberMe)]);
    const logoutPath = typeof config.logout === 'object' ? config.logout.path : undefined;
    if (page)
      filters.push(['logoutPage', createLogoutPageFilter(logoutPath === undefined ? {} : { path: logoutPath })]);
  }
  return filters;
}

function logoutFilter(
  config: ChainConfig,
  { audit }: SharedParts,
  sessions: Sessions,
  csrf: Csrf | undefined,
  rememberMe: RememberMe | undefined,
): Filter {
  const { path, target } = typeof config.logout === 'object' ? config.logout : {};
  return createLogoutFilter({
    sessions,
    csrf,
    audit,
    ...(rememberMe === undefined ? {} : { handlers: [rememberMe.onLogout] }),
    ...(path === undefined ? {} : { path }),
    ...(target === undefined ? {} : { target }),
  });
}

function noteDenied({ audit }: SharedParts): (exchange: SecurityExchange) => void {
  return (exchange) =>
    audit.record({
      kind: 'authorization-denied',
      username: exchange.principal.name,
      code: 'SECURITY_FORBIDDEN',
      address: exchange.request.remoteAddress,
      method: exchange.method,
      path: exchange.path,
    });
}
