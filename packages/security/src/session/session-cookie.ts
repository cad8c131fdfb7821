// The cookie with the session id.
import { parse as parseCookies, serialize } from 'cookie';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import { replaceCookie } from '../chain/response-cookie.ts';

export interface SessionCookieOptions {
  readonly cookieName: string;
  readonly cookiePath: string;
  readonly sameSite: 'lax' | 'strict' | 'none';
  /** Undefined: if the request came over TLS. */
  readonly secure: boolean | undefined;
}

export interface SessionCookie {
  /** Value in the request; undefined without the cookie. */
  read(exchange: SecurityExchange): string | undefined;
  /** Sets the cookie, and replaces what an earlier step of the same request set. */
  set(exchange: SecurityExchange, value: string, ends?: Date): void;
}

/** @throws SECURITY_SETTING */
export function createSessionCookie({ cookieName, cookiePath, sameSite, secure }: SessionCookieOptions): SessionCookie {
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(cookieName))
    throw setting(`The cookie name "${cookieName}" has characters a cookie name cannot have.`);
  if (sameSite === 'none' && secure === false) throw setting('A cookie with SameSite=None must be Secure.');
  return {
    read(exchange) {
      const header = exchange.request.header('cookie');
      return header === undefined || !header.includes(cookieName) ? undefined : parseCookies(header)[cookieName];
    },
    set(exchange, value, ends) {
      const line = serialize(cookieName, value, {
        path: cookiePath,
        httpOnly: true,
        sameSite,
        secure: secure ?? (exchange.request.secure || sameSite === 'none'),
        ...(ends === undefined ? {} : { expires: ends }),
      });
      replaceCookie(exchange, cookieName, line);
    },
  };
}

function setting(what: string): Error {
  return authenticationErrors.create('SECURITY_SETTING', { what });
}
