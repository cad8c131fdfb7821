// Steps after every successful log-in: a session with a new id, a new CSRF token, and the saved request as the target.
import type { Authentication } from '../authentication/authentication.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Csrf } from '../csrf/csrf.ts';
import type { Sessions } from '../session/sessions.ts';
import type { SavedRequests } from './saved-request.ts';

export interface LoginParts {
  readonly sessions: Sessions;
  readonly csrf?: Csrf | undefined;
  readonly savedRequests?: SavedRequests | undefined;
  /** Target if no page was saved before. Default: /. */
  readonly defaultTarget?: string | undefined;
}

/**
 * Stores the log-in in the session.
 *
 * @returns the path to go to
 * @throws SECURITY_SESSION_LIMIT
 */
export async function completeLogin(
  exchange: SecurityExchange,
  result: Authentication,
  parts: LoginParts,
): Promise<string> {
  const { sessions, csrf, savedRequests, defaultTarget = '/' } = parts;
  await sessions.logIn(
    exchange,
    { principal: result.principal, login: 'full' },
    { external: result.user === undefined, passwordMark: result.passwordMark },
  );
  await csrf?.renew(exchange);
  return savedRequests?.take(exchange) ?? defaultTarget;
}
