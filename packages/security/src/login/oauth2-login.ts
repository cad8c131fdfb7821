// Log-in at an identity provider: /oauth2/authorization/<id> redirects the user, /login/oauth2/code/<id> receives the
// response. State, PKCE verifier and nonce are in the session, valid for one response, and tie it to the browser that
// started.
import { codeOf, type Log, silentLog } from '@lockstitch/kernel';
import type { Principal } from '@lockstitch/kernel';
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { Authentication } from '../authentication/authentication.ts';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import { respondFailure, respondUnauthorized, wantsPage } from '../authentication/entry-points.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { redirect } from '../html/page.ts';
import { completeLogin, type LoginParts } from './login-success.ts';
import type { LoginLink } from './login-page.ts';
import type { OAuth2Provider, PendingLogin } from './oauth2-provider.ts';
import { OAUTH2_LOGIN } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface OAuth2LoginOptions extends LoginParts {
  readonly providers: readonly OAuth2Provider[];
  /**
   * Address at which browsers reach this server, without a path. Not taken from the Host header, which the client
   * controls.
   */
  readonly baseUrl: string;
  /** Target after a failure. Default: /login?error. */
  readonly failureTarget?: string;
  readonly audit?: AuditSink;
  readonly log?: Log;
}

export interface OAuth2Login {
  /** Its position is `oauth2Login`. */
  readonly filter: Filter;
  /** For the login page. */
  readonly links: readonly LoginLink[];
}

const START = '/oauth2/authorization/';
const ANSWER = '/login/oauth2/code/';
const PENDING = 'oauth2';

/** Creates the filter and the links. @throws SECURITY_SETTING if the base address is invalid */
export function createOAuth2Login(options: OAuth2LoginOptions): OAuth2Login {
  requireOptions('createOAuth2Login', OAUTH2_LOGIN, options);
  const {
    providers,
    baseUrl,
    sessions,
    failureTarget = '/login?error',
    audit = silentAudit,
    log = silentLog,
  } = options;
  if (!URL.canParse(baseUrl) || new URL(baseUrl).pathname !== '/' || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw authenticationErrors.create('SECURITY_SETTING', {
      what: `OAuth2 login: baseUrl "${baseUrl}" must be like https://app.example.org.`,
    });
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  const redirectUri = (id: string): string => new URL(ANSWER + id, baseUrl).href;

  const fail = async (
    exchange: SecurityExchange,
    provider: OAuth2Provider,
    reason: string,
    cause?: unknown,
  ): Promise<void> => {
    const values = { provider: provider.label, reason, start: START + provider.id };
    const failure = new AuthenticationFailure('SECURITY_OAUTH_FAILED', { values, cause });
    // Only class and code: the library's messages may quote the provider's response.
    const code = cause instanceof Error ? (codeOf(cause) ?? cause.name) : undefined;
    // Without a cause the browser sent something unexpected.
    log.write(cause === undefined ? 'info' : 'warn', 'OAuth2 login failed.', {
      provider: provider.id,
      reason,
      cause: code,
    });
    audit.record({
      kind: 'authentication-failure',
      username: undefined,
      mechanism: `oauth2:${provider.id}`,
      code: failure.code,
      address: exchange.request.remoteAddress,
    });
    if (wantsPage(exchange)) redirect(exchange, failureTarget);
    else await respondFailure(exchange, failure, respondUnauthorized);
  };

  const start = async (exchange: SecurityExchange, provider: OAuth2Provider): Promise<void> => {
    try {
      const { url, pending } = await provider.start(redirectUri(provider.id));
      sessions.obtain(exchange).set(PENDING, pending);
      redirect(exchange, url);
    } catch (error) {
      await fail(exchange, provider, 'the provider cannot be reached', error);
    }
  };

  const finish = async (exchange: SecurityExchange, provider: OAuth2Provider): Promise<void> => {
    const session = sessions.current(exchange);
    const pending = session?.get(PENDING) as PendingLogin | undefined;
    session?.delete(PENDING);
    if (pending?.provider !== provider.id) return fail(exchange, provider, 'no log-in was started here');
    let principal: Principal;
    try {
      principal = await provider.finish(new URLSearchParams(exchange.query), pending, redirectUri(provider.id));
    } catch (error) {
      return fail(exchange, provider, 'its answer was not accepted', error);
    }
    const attempt = new Authentication({ kind: 'oauth2', name: principal.name });
    const target = await completeLogin(exchange, attempt.succeeded({ principal }), options);
    audit.record({
      kind: 'authentication-success',
      username: principal.name,
      mechanism: `oauth2:${provider.id}`,
      address: exchange.request.remoteAddress,
    });
    redirect(exchange, target);
  };

  return {
    links: providers.map(({ id, label }) => ({ href: START + id, label: `Sign in with ${label}` })),
    filter: {
      name: 'oauth2Login',
      handle(exchange, next) {
        const { path } = exchange;
        if (exchange.method !== 'GET') return next(exchange);
        const starting = path.startsWith(START);
        if (!starting && !path.startsWith(ANSWER)) return next(exchange);
        const provider = byId.get(path.slice(starting ? START.length : ANSWER.length));
        if (provider === undefined) return next(exchange);
        return starting ? start(exchange, provider) : finish(exchange, provider);
      },
    },
  };
}
