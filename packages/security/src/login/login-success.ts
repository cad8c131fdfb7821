// What follows a good log-in, however it was done: a session with a new id, a new CSRF token, the way back to the page
// that was wanted.
import type { Authentication } from '../authentication/authentication.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Csrf } from '../csrf/csrf.ts';
import type { Sessions } from '../session/sessions.ts';
import type { SavedRequests } from './saved-request.ts';

/** The parts that take part. */
export interface LoginParts {
  readonly sessions: Sessions;
  readonly csrf?: Csrf | undefined;
  readonly savedRequests?: SavedRequests | undefined;
  /** Where log-in leads when no page was refused before. Default: /. */
  readonly defaultTarget?: string | undefined;
}

/**
 * Stores the login in the session.
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
