// Remember-me ("Stay signed in"): a cookie that outlives the session. It holds name, expiry and an HMAC over both and
// the stored password, so that a password change ends it. Such callers count as remembered, not as fully logged in.
// Users with a second factor get the cookie only after it; otherwise the cookie would bypass it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parse as parseCookies, serialize } from 'cookie';
import { type Clock, systemClock } from '@lockstitch/kernel';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import { replaceCookie } from '../chain/response-cookie.ts';
import type { Sessions } from '../session/sessions.ts';
import type { OneTimeVerifier } from '../token/totp.ts';
import type { UserSource } from '../users/user-store.ts';
import type { User } from '../users/user.ts';
import { REMEMBER_ME } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface RememberMeOptions {
  readonly users: UserSource;
  /** The server's secret, 32 bytes or more; the same in all processes and after a restart. */
  readonly key: Uint8Array;
  /** Milliseconds. Default: 14 days. */
  readonly lifetime?: number;
  /** Default: remember-me. */
  readonly cookieName?: string;
  /** Field of the login form. Default: remember-me. */
  readonly parameter?: string;
  /** Tells which users have a second factor. Default: none. */
  readonly secondFactor?: Pick<OneTimeVerifier, 'isRequired'> | undefined;
  /** Sessions that keep the wish to stay signed in until the second factor. */
  readonly sessions?: Pick<Sessions, 'current'> | undefined;
  readonly clock?: Clock;
}

export interface RememberMe {
  /** Its position is `rememberMe`. */
  readonly filter: Filter;
  /** For form login's `onSuccess`: sets the cookie if the box was ticked. */
  readonly onLogin: (exchange: SecurityExchange, fields: URLSearchParams, username: string) => Promise<void>;
  /** For the second factor's `onPassed`: sets the cookie that was asked for at the log-in. */
  readonly onSecondFactor: (exchange: SecurityExchange) => Promise<void>;
  /** For logout's `handlers`: removes the cookie. */
  readonly onLogout: (exchange: SecurityExchange) => Promise<void>;
}

const WANTED = 'rememberMe';

export function createRememberMe(options: RememberMeOptions): RememberMe {
  requireOptions('createRememberMe', REMEMBER_ME, options);
  const {
    users,
    key,
    lifetime = 14 * 86_400_000,
    cookieName = 'remember-me',
    parameter = 'remember-me',
    clock = systemClock,
  } = options;
  if (key.length < 32)
    throw authenticationErrors.create('SECURITY_SETTING', { what: 'Remember-me: the key needs 32 bytes or more.' });

  const needsSecond = async (user: User): Promise<boolean> =>
    options.secondFactor !== undefined && (await options.secondFactor.isRequired(user.toPrincipal()));

  /** A cookie from before the user had a second factor is no longer valid. */
  const seal = (user: User, ends: string, second: boolean): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify(['remember-me', user.username, ends, user.password ?? '', second]))
      .digest();

  const issue = (exchange: SecurityExchange, user: User, second: boolean): void => {
    const ends = String(clock.now() + lifetime);
    const name = Buffer.from(user.username, 'utf8').toString('base64url');
    setCookie(exchange, `${name}.${ends}.${seal(user, ends, second).toString('base64url')}`, new Date(Number(ends)));
  };

  const setCookie = (exchange: SecurityExchange, value: string, expires: Date): void => {
    const cookie = { path: '/', httpOnly: true, sameSite: 'lax' as const, secure: exchange.request.secure, expires };
    replaceCookie(exchange, cookieName, serialize(cookieName, value, cookie));
  };

  const recall = async (cookie: string): Promise<User | undefined> => {
    const [name = '', ends = '', mac = '', more] = cookie.split('.');
    if (more !== undefined || !/^\d{1,15}$/.test(ends) || Number(ends) <= clock.now()) return undefined;
    const user = await users.loadUserByUsername(Buffer.from(name, 'base64url').toString('utf8'));
    if (user === undefined) return undefined;
    const expected = seal(user, ends, await needsSecond(user));
    const sent = Buffer.from(mac, 'base64url');
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined;
    const fine = user.enabled && user.accountNonLocked && user.accountNonExpired && user.credentialsNonExpired;
    return fine ? user.erased() : undefined;
  };

  return {
    filter: {
      name: 'rememberMe',
      handle(exchange, next) {
        const header = exchange.authentication === undefined ? exchange.request.header('cookie') : undefined;
        if (header === undefined || !header.includes(cookieName)) return next(exchange);
        return (async () => {
          const cookie = parseCookies(header)[cookieName];
          const user = cookie === undefined || cookie === '' ? undefined : await recall(cookie);
          if (user !== undefined) exchange.authentication = { principal: user.toPrincipal(), login: 'remembered' };
          else if (cookie !== undefined) setCookie(exchange, '', new Date(0));
          await next(exchange);
        })();
      },
    },
    async onLogin(exchange, fields, username) {
      if (!/^(?:true|on|yes|1)$/i.test(fields.get(parameter) ?? '')) return;
      const user = await users.loadUserByUsername(username);
      if (user === undefined) return;
      if (await needsSecond(user)) options.sessions?.current(exchange)?.set(WANTED, user.username);
      else issue(exchange, user, false);
    },
    async onSecondFactor(exchange) {
      const session = options.sessions?.current(exchange);
      const wanted = session?.get(WANTED);
      session?.delete(WANTED);
      if (typeof wanted !== 'string' || wanted !== exchange.principal.name) return;
      const user = await users.loadUserByUsername(wanted);
      if (user !== undefined) issue(exchange, user, true);
    },
    async onLogout(exchange) {
      setCookie(exchange, '', new Date(0));
    },
  };
}
