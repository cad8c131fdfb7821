// Sessions of HTTP requests: found by the cookie JSESSIONID, started only when something needs one, ended by log-out,
// idleness or age. The store keeps them under a hash of the id, so that a copy of the store opens no session.
import { createHash, hash, randomBytes } from 'node:crypto';
import { type Clock, createPrincipal, type Principal, systemClock } from '@lockstitch/kernel';
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { authenticationErrors } from '../authentication/authentication-errors.ts';
import { markOf } from '../authentication/authentication.ts';
import { AuthenticationFailure } from '../authentication/failure.ts';
import { attribute, type CurrentAuthentication, type SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import type { UserSource } from '../users/user-store.ts';
import { createMemorySessionStore } from './memory-session-store.ts';
import { createSessionCookie } from './session-cookie.ts';
import { createSessionRegistry } from './session-registry.ts';
import { promiseStore, type SessionStore, type StoredPrincipal, type StoredSession } from './session-store.ts';
import { Session } from './session.ts';

/** The settings; times in milliseconds. */
export interface SessionOptions {
  /** Default: in memory, at most 10,000. */
  readonly store?: SessionStore;
  /** Default: JSESSIONID. */
  readonly cookieName?: string;
  /** The cookie's Path. Default: /. */
  readonly cookiePath?: string;
  /** The cookie's SameSite. Default: lax. */
  readonly sameSite?: 'lax' | 'strict' | 'none';
  /** Whether the cookie is Secure. Default: when the request came over TLS. */
  readonly secure?: boolean;
  /** Unused for so long, it ends. Default: 30 minutes. */
  readonly maxIdle?: number;
  /** So long after its start it ends, used or not. Default: 12 hours. */
  readonly maxAge?: number;
  /** Sessions of one user at most. Default: any number. */
  readonly maxPerUser?: number;
  /** What happens beyond: the session used longest ago ends, or the log-in is refused. Default: end-oldest. */
  readonly beyond?: 'end-oldest' | 'refuse';
  /** When given, the account of a session is read anew on each request: locking it, deleting it or changing its password ends the session. */
  readonly users?: UserSource;
  readonly clock?: Clock;
  readonly audit?: AuditSink;
}

/** The sessions of a server. */
export interface Sessions {
  /** Stands at `session`: finds the session of the request and takes over who logged in with it. */
  readonly filter: Filter;
  /** The session of this request, if it has one. Starts none. */
  current(exchange: SecurityExchange): Session | undefined;
  /**
   * The session of this request; starts one and sets its cookie when there is none.
   *
   * @throws SECURITY_SESSION_LATE once the head of the response was sent
   */
  obtain(exchange: SecurityExchange): Session;
  /**
   * Logs a user in: a new id (the old one is dead, values stay), the user stored, the limit of sessions kept.
   *
   * @param options.external the user is known to an identity provider and not to `users`. Default: false
   * @param options.passwordMark of the stored password that was proven. Default: of the one stored now
   * @throws SECURITY_SESSION_LIMIT when the user has too many sessions and `beyond` is `refuse`
   */
  logIn(
    exchange: SecurityExchange,
    authentication: CurrentAuthentication,
    options?: { readonly external?: boolean; readonly passwordMark?: string | undefined },
  ): Promise<Session>;
  /** Ends the session of this request and takes its cookie back. */
  logOut(exchange: SecurityExchange): Promise<void>;
  /** Ends every session of a user, for example after a change of password, except the given one. */
  endAllOf(username: string, except?: Session): Promise<void>;
  readonly cookieName: string;
}

const SESSION = attribute<Session>('session');
/** 32 bytes in base64url. */
const ID = /^[A-Za-z0-9_-]{43}$/;

/** Makes the sessions of a server. */
export function createSessions(options: SessionOptions = {}): Sessions {
  const { cookieName = 'JSESSIONID', cookiePath = '/', sameSite = 'lax', maxIdle = 30 * 60_000 } = options;
  const {
    maxAge = 12 * 3_600_000,
    maxPerUser,
    beyond = 'end-oldest',
    clock = systemClock,
    audit = silentAudit,
  } = options;
  const cookie = createSessionCookie({ cookieName, cookiePath, sameSite, secure: options.secure });
  const store = promiseStore(options.store ?? createMemorySessionStore({ clock }));
  const registry = createSessionRegistry();
  const inTurn = createTurns();
  // Writing the time of use on every request would cost a write each; a tenth of the idle time is exact enough.
  const touchAfter = Math.min(maxIdle / 10, 60_000);
  const exchanges = new WeakMap<Session, SecurityExchange>();

  const toStored = (session: Session): StoredSession => ({
    cookie: {
      originalMaxAge: maxIdle,
      maxAge: maxIdle,
      expires: new Date(Math.min(session.usedAt + maxIdle, session.createdAt + maxAge)),
      path: cookiePath,
      httpOnly: true,
      secure: options.secure ?? false,
      sameSite,
    },
    createdAt: session.createdAt,
    usedAt: session.usedAt,
    principal: sealed(session),
    values: session.toValues(),
  });

  const requireHead = (exchange: SecurityExchange): void => {
    if (exchange.response.headersSent) throw authenticationErrors.create('SECURITY_SESSION_LATE');
  };

  const keeper = {
    async save(session: Session): Promise<void> {
      if (session.ended) return;
      session.dirty = false;
      const key = storeKey(session.id);
      // Ended by another request while this one ran (log-out, eviction): writing it back would bring it to life again.
      if (session.stored && (await store.get(key)) === undefined) {
        session.ended = true;
        return;
      }
      session.stored = true;
      await store.set(key, toStored(session));
    },
    async changeId(session: Session): Promise<void> {
      const exchange = exchanges.get(session)!;
      requireHead(exchange);
      const old = session.id;
      session.rename(newId());
      if (session.principal !== undefined) {
        registry.forget(session.principal.name, storeKey(old));
        registry.note(session.principal.name, storeKey(session.id));
      }
      await store.destroy(storeKey(old));
      await keeper.save(session);
      cookie.set(exchange, session.id);
    },
    async end(session: Session): Promise<void> {
      const exchange = exchanges.get(session)!;
      session.ended = true;
      if (session.principal !== undefined) registry.forget(session.principal.name, storeKey(session.id));
      await store.destroy(storeKey(session.id));
      exchange.delete(SESSION);
      if (!exchange.response.headersSent) cookie.set(exchange, '', new Date(0));
    },
  };

  /** Writes the time of use onto what is kept now, which another request may have changed meanwhile. */
  const prolong = async (session: Session): Promise<void> => {
    const key = storeKey(session.id);
    const kept = await store.get(key);
    if (kept === undefined) return;
    const { cookie, usedAt } = toStored(session);
    await store.set(key, { ...kept, cookie, usedAt });
  };

  const adopt = (exchange: SecurityExchange, session: Session): Session => {
    exchange.set(SESSION, session);
    exchanges.set(session, exchange);
    exchange.onDone(async () => {
      if (session.ended) return;
      if (session.dirty) return session.save();
      if (clock.now() - session.usedAt < touchAfter) return;
      session.usedAt = clock.now();
      await prolong(session);
    });
    return session;
  };

  const isOver = ({ usedAt, createdAt }: StoredSession): boolean =>
    clock.now() >= usedAt + maxIdle || clock.now() >= createdAt + maxAge;

  /** The sessions of a user that are still there. One whose cookie is never shown again ends without anybody seeing it. */
  const living = async (name: string): Promise<readonly string[]> => {
    const alive: string[] = [];
    for (const key of registry.of(name)) {
      const stored = await store.get(key);
      if (stored !== undefined && !isOver(stored)) alive.push(key);
      else registry.forget(name, key);
    }
    return alive;
  };

  /** Makes room for one more session of a user. @throws SECURITY_SESSION_LIMIT */
  const makeRoom = async (name: string, own: Session | undefined, limit: number): Promise<void> => {
    if (registry.of(name).length < limit) return;
    const others = (await living(name)).filter((key) => own === undefined || key !== storeKey(own.id));
    if (others.length >= limit && beyond === 'refuse') {
      throw new AuthenticationFailure('SECURITY_SESSION_LIMIT', { values: { limit } });
    }
    for (const key of others.slice(0, Math.max(0, others.length - limit + 1))) {
      await store.destroy(key);
      registry.forget(name, key);
      audit.record({ kind: 'session-evicted', username: name });
    }
  };

  const load = async (exchange: SecurityExchange, id: string): Promise<Session | undefined> => {
    const key = storeKey(id);
    const stored = await store.get(key);
    if (stored === undefined) return undefined;
    if (isOver(stored)) {
      if (stored.principal !== undefined) registry.forget(stored.principal.name, key);
      await store.destroy(key);
      audit.record({
        kind: 'session-expired',
        username: stored.principal?.name,
        address: exchange.request.remoteAddress,
      });
      return undefined;
    }
    const { createdAt, usedAt, principal, values } = stored;
    return adopt(exchange, new Session(keeper, { id, createdAt, usedAt, principal, values, isNew: false }));
  };

  /** Who the session says logged in, as the account is now; undefined when the account refuses meanwhile. */
  const refresh = async (session: Session, stored: StoredPrincipal): Promise<Principal | undefined> => {
    if (options.users === undefined || stored.external === true)
      return createPrincipal(stored.name, stored.authorities, stored.attributes);
    const user = await options.users.loadUserByUsername(stored.name);
    if (user === undefined || !user.enabled || !user.accountNonLocked || !user.accountNonExpired) return undefined;
    const mark = markOf(user);
    if (sealOf(session.id, mark) !== stored.seal) return undefined;
    session.passwordMark = mark;
    return user.erased().toPrincipal();
  };

  const logIn = async (
    exchange: SecurityExchange,
    authentication: CurrentAuthentication,
    { external = false, passwordMark }: NonNullable<Parameters<Sessions['logIn']>[2]>,
  ): Promise<Session> => {
    const { principal, login } = authentication;
    if (maxPerUser !== undefined) await makeRoom(principal.name, exchange.get(SESSION), maxPerUser);
    const session = sessions.obtain(exchange);
    session.passwordMark = passwordMark;
    if (!external && passwordMark === undefined) {
      const user = await options.users?.loadUserByUsername(principal.name);
      session.passwordMark = user === undefined ? undefined : markOf(user);
    }
    session.principal = {
      name: principal.name,
      authorities: [...principal.authorities],
      attributes: principal.attributes,
      login: login === 'full' ? 'full' : 'remembered',
      external,
    };
    if (session.isNew) await session.save();
    else await session.changeId();
    const count = registry.note(principal.name, storeKey(session.id));
    // Now and then, or a user who logs in a million times is remembered a million times.
    if (count >= 16 && (count & (count - 1)) === 0) await living(principal.name);
    exchange.authentication = authentication;
    return session;
  };

  const sessions: Sessions = {
    cookieName,
    filter: {
      name: 'session',
      handle(exchange, next) {
        const id = cookie.read(exchange);
        // What is not of our making cannot be in the store: an id chosen by a stranger costs no look-up.
        if (id === undefined || !ID.test(id)) return next(exchange);
        return (async () => {
          const session = await load(exchange, id);
          if (session?.principal !== undefined) {
            const principal = await refresh(session, session.principal);
            if (principal === undefined) {
              await session.end();
            } else {
              registry.note(principal.name, storeKey(id));
              exchange.authentication = { principal, login: session.principal.login };
            }
          }
          await next(exchange);
        })();
      },
    },
    current: (exchange) => exchange.get(SESSION),
    obtain(exchange) {
      const existing = exchange.get(SESSION);
      if (existing !== undefined) return existing;
      requireHead(exchange);
      const now = clock.now();
      const session = new Session(keeper, { id: newId(), createdAt: now, usedAt: now, isNew: true });
      cookie.set(exchange, session.id);
      audit.record({ kind: 'session-created', address: exchange.request.remoteAddress });
      return adopt(exchange, session);
    },
    // Log-ins of one user in turn: side by side, each would find room for one more.
    logIn: (exchange, authentication, logInOptions = {}) =>
      inTurn(authentication.principal.name, () => logIn(exchange, authentication, logInOptions)),
    async logOut(exchange) {
      const session = exchange.get(SESSION);
      exchange.authentication = undefined;
      if (session !== undefined) await session.end();
    },
    async endAllOf(username, except) {
      for (const key of registry.of(username)) {
        if (except !== undefined && key === storeKey(except.id)) continue;
        await store.destroy(key);
        registry.forget(username, key);
      }
    },
  };
  return sessions;
}

/** Makes a function that runs work with the same name one after the other. */
function createTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const turns = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = turns.get(name) ?? Promise.resolve();
    const turn = before.then(work, work);
    turns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (turns.get(name) === turn) turns.delete(name);
    }
  };
}

function newId(): string {
  return randomBytes(32).toString('base64url');
}

/** The key in the store: a hash, so that reading the store does not give a cookie that opens a session. */
function storeKey(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** Who a session belongs to, sealed with what makes it end: under the secret id, so that nobody guesses passwords in the store. */
function sealed({ id, principal, passwordMark }: Session): StoredPrincipal | undefined {
  if (principal === undefined || passwordMark === undefined) return principal;
  return { ...principal, seal: sealOf(id, passwordMark) };
}

function sealOf(id: string, passwordMark: string | undefined): string | undefined {
  return passwordMark === undefined ? undefined : hash('sha256', `${id} ${passwordMark}`, 'base64url');
}
