// The token in a cookie, to be sent back in a header as well (double submit), for a page's script that reads the
// cookie. The server keeps nothing, which is weaker: an attacker who can plant a cookie (a sibling domain, plain HTTP)
// knows a valid pair. The cookie prefix `__Host-` (option `cookieName`) closes that over TLS.
import { parse as parseCookies, serialize } from 'cookie';
import { replaceCookie } from '../chain/response-cookie.ts';
import { createCsrfToken } from './csrf-token.ts';
import type { CsrfTokenRepository } from './csrf-token-repository.ts';
import { COOKIE_CSRF } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The defaults are the names that browser frameworks look for. */
export interface CookieCsrfOptions {
  /** Default: XSRF-TOKEN. */
  readonly cookieName?: string;
  /** Default: X-XSRF-TOKEN. */
  readonly headerName?: string;
  /** Default: _csrf. */
  readonly parameterName?: string;
  /** Whether scripts cannot read the cookie. Default: true; set it to false for scripts that send it back. */
  readonly httpOnly?: boolean;
  /** Default: /. */
  readonly path?: string;
  /** Default: if the request came over TLS. */
  readonly secure?: boolean;
}

export function createCookieCsrfRepository(options: CookieCsrfOptions = {}): CsrfTokenRepository {
  requireOptions('createCookieCsrfRepository', COOKIE_CSRF, options);
  const {
    cookieName = 'XSRF-TOKEN',
    headerName = 'X-XSRF-TOKEN',
    parameterName = '_csrf',
    httpOnly = true,
    path = '/',
  } = options;
  return {
    carrier: `cookie ${cookieName}`,
    generate: () => createCsrfToken({ headerName, parameterName }),
    save(exchange, token) {
      const secure = options.secure ?? exchange.request.secure;
      const gone = token === undefined ? { maxAge: 0 } : {};
      const cookie = serialize(cookieName, token?.token ?? '', { path, httpOnly, secure, sameSite: 'lax', ...gone });
      replaceCookie(exchange, cookieName, cookie);
    },
    load(exchange) {
      const header = exchange.request.header('cookie');
      const token = header === undefined ? undefined : parseCookies(header)[cookieName];
      return token === undefined || token === '' ? undefined : createCsrfToken({ headerName, parameterName, token });
    },
  };
}
