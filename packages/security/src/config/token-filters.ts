// Filters for log-in other than Basic and form: bearer tokens, request signatures, identity providers, second factor,
// remember-me. Each is off unless configured.
import type { Clock } from '@lockstitch/kernel';
import { securityErrors } from '../errors/chain-errors.ts';
import type { Filter } from '../chain/filter.ts';
import type { FilterPosition } from '../chain/order.ts';
import type { Csrf } from '../csrf/csrf.ts';
import { createAttemptLimiter } from '../limits/attempt-limiter.ts';
import { createOAuth2Login, type OAuth2Login } from '../login/oauth2-login.ts';
import { createOAuth2Provider } from '../login/oauth2-provider.ts';
import { createRememberMe, type RememberMe } from '../login/remember-me.ts';
import type { SavedRequests } from '../login/saved-request.ts';
import type { Sessions } from '../session/sessions.ts';
import { createBearerFilter } from '../token/bearer.ts';
import { createJwtVerifier } from '../token/jwt.ts';
import { createOneTimeFilter } from '../token/one-time.ts';
import { createSignatureFilter } from '../token/signature-filter.ts';
import { createTotpVerifier, type OneTimeVerifier } from '../token/totp.ts';
import type { ChainConfig } from './security-config.ts';
import type { SharedParts } from './shared-parts.ts';
import type { OneTimeConfig } from './token-config.ts';

/** The configured parts; the form and its page use some of them. */
export interface TokenParts {
  readonly filters: readonly [FilterPosition, Filter][];
  readonly oauth2: OAuth2Login | undefined;
  readonly rememberMe: RememberMe | undefined;
}

/** @throws ProductError SECURITY_CONFIG_INVALID and SECURITY_SETTING */
export function createTokenParts(
  config: ChainConfig,
  shared: SharedParts,
  sessions: Sessions | undefined,
  csrf: Csrf | undefined,
  savedRequests: SavedRequests | undefined,
): TokenParts {
  const { audit, log, clock, users } = shared;
  const filters: [FilterPosition, Filter][] = [];
  const { bearer, signatures, oneTime } = config;
  if (bearer !== undefined) {
    const verifier = 'verifier' in bearer ? bearer.verifier : createJwtVerifier({ clock, ...bearer });
    filters.push(['bearer', createBearerFilter({ verifier, audit, log })]);
  }
  if (signatures !== undefined) filters.push(['signature', createSignatureFilter({ audit, clock, ...signatures })]);
  const oauth2 = createOAuth2(config, shared, sessions, csrf, savedRequests);
  if (oauth2 !== undefined) filters.push(['oauth2Login', oauth2.filter]);
  const verifier = oneTime === undefined ? undefined : readVerifier(oneTime, clock);
  let rememberMe: RememberMe | undefined;
  if (config.rememberMe !== undefined) {
    if (users === undefined || config.formLogin === undefined || config.formLogin === false)
      throw securityErrors.create('SECURITY_CONFIG_INVALID', { reason: 'rememberMe needs formLogin and users' });
    rememberMe = createRememberMe({ users, clock, sessions, secondFactor: verifier, ...config.rememberMe });
    filters.push(['rememberMe', rememberMe.filter]);
  }
  if (verifier !== undefined) {
    const { header, path } = oneTime!;
    const filter = createOneTimeFilter({
      verifier,
      audit,
      // Even without limits on passwords: six digits would be guessed in a day.
      attempts: shared.attempts ?? createAttemptLimiter({ audit, clock }),
      onPassed: rememberMe?.onSecondFactor,
      forms: config.forms,
      ...(sessions === undefined ? {} : { sessions }),
      ...(header === undefined ? {} : { header }),
      ...(path === undefined ? {} : { path }),
    });
    filters.push(['oneTime', filter]);
  }
  return { filters, oauth2, rememberMe };
}

function readVerifier({ verifier }: OneTimeConfig, clock: Clock): OneTimeVerifier {
  return 'verify' in verifier ? verifier : createTotpVerifier({ clock, ...verifier });
}

function createOAuth2(
  { oauth2Login }: ChainConfig,
  { audit, log }: SharedParts,
  sessions: Sessions | undefined,
  csrf: Csrf | undefined,
  savedRequests: SavedRequests | undefined,
): OAuth2Login | undefined {
  if (oauth2Login === undefined) return undefined;
  if (sessions === undefined)
    throw securityErrors.create('SECURITY_CONFIG_INVALID', {
      reason: 'oauth2Login needs sessions, but sessions is false',
    });
  const { providers, baseUrl, defaultTarget } = oauth2Login;
  return createOAuth2Login({
    providers: providers.map((provider) => createOAuth2Provider(provider)),
    baseUrl,
    defaultTarget,
    sessions,
    csrf,
    savedRequests,
    audit,
    log,
  });
}
