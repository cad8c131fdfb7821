// HTTP sessions: found by the cookie JSESSIONID, started only on demand, ended by log-out, idle time or age. The store
// side is session-repository.ts; limits per user are concurrent-session-control.ts.
import { type Clock, createPrincipal, type Principal, systemClock } from '@lockstitch/kernel';
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { markOf } from '../authentication/authentication.ts';
import type { CurrentAuthentication, SecurityExchange } from '../chain/exchange.ts';
import type { Filter } from '../chain/filter.ts';
import type { UserSource } from '../users/user-store.ts';
import { createSessionRepository } from './session-repository.ts';
import { createMemorySessionStore } from './memory-session-store.ts';
import { createSessionCookie } from './session-cookie.ts';
import { isId, sealOf, storeKey } from './session-keys.ts';
import { createSessionRegistry, NO_REGISTRY } from './session-registry.ts';
import { promiseStore, type SessionStore, type StoredPrincipal, type StoredSession } from './session-store.ts';
import type { Session } from './session.ts';
import { createConcurrentSessionControl } from './concurrent-session-control.ts';
import { SESSIONS } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Times in milliseconds. */
export interface SessionOptions {
  /** Default: in memory, at most 10,000. */
  readonly store?: SessionStore;
  /** Default: JSESSIONID. */
  readonly cookieName?: string;
  /** The cookie's Path. Default: /. */
  readonly cookiePath?: string;
  /** The cookie's SameSite. Default: lax. */
  readonly sameSite?: 'lax' | 'strict' | 'none';
  /** Whether the cookie is Secure. Default: if the request came over TLS. */
  readonly secure?: boolean;
  /** Idle time after which a session ends. Default: 30 minutes. */
  readonly maxIdle?: number;
  /** Age at which a session ends, used or not. Default: 12 hours. */
  readonly maxAge?: number;
  /** Sessions per user. Default: unlimited. */
  readonly maxPerUser?: number;
  /** Beyond that, the least recently used session ends, or the log-in is rejected. Default: end-oldest. */
  readonly beyond?: 'end-oldest' | 'refuse';
  /**
   * If given, the session's account is read on each request: locking or deleting it, or changing its password, ends the
   * session.
   */
  readonly users?: UserSource;
  readonly clock?: Clock;
  readonly audit?: AuditSink;
}

export interface Sessions {
  /** Its position is `session`: finds the session of the request and its user. */
  readonly filter: Filter;
  /** The session of this request, if it has one. Starts none. */
  current(exchange: SecurityExchange): Session | undefined;
  /**
   * The session of this request; starts one and sets its cookie if there is none.
   *
   * @throws SECURITY_SESSION_LATE once the response head was sent
   */
  obtain(exchange: SecurityExchange): Session;
  /**
   * Logs a user in: changes the id (values stay), stores the user, enforces the limit of sessions.
   *
   * @param options.external the user is known to an identity provider and not to `users`. Default: false
   * @param options.passwordMark of the stored password that was proven. Default: of the one stored now
   * @throws SECURITY_SESSION_LIMIT if the user has too many sessions and `beyond` is `refuse`
   */
  logIn(
    exchange: SecurityExchange,
    authentication: CurrentAuthentication,
    options?: { readonly external?: boolean; readonly passwordMark?: string | undefined },
  ): Promise<Session>;
  /** Ends the session of this request and removes its cookie. */
  logOut(exchange: SecurityExchange): Promise<void>;
  /** Ends every session of a user except the given one, for example after a password change. */
  endAllOf(username: string, except?: Session): Promise<void>;
  readonly cookieName: string;
}

export function createSessions(options: SessionOptions = {}): Sessions {
  requireOptions('createSessions', SESSIONS, options);
  const { cookieName = 'JSESSIONID', cookiePath = '/', sameSite = 'lax', maxIdle = 30 * 60_000 } = options;
  const {
    maxAge = 12 * 3_600_000,
    maxPerUser,
    beyond = 'end-oldest',
    clock = systemClock,
    audit = silentAudit,
    users,
  } = options;
  const cookie = createSessionCookie({ cookieName, cookiePath, sameSite, secure: options.secure });
  const store = promiseStore(options.store ?? createMemorySessionStore({ clock }));
  const registry = store.keysOf === undefined ? createSessionRegistry() : NO_REGISTRY;
  const isOver = ({ usedAt, createdAt }: StoredSession): boolean =>
    clock.now() >= usedAt + maxIdle || clock.now() >= createdAt + maxAge;
  const marks = { path: cookiePath, secure: options.secure ?? false, sameSite };
  const repository = createSessionRepository({ store, registry, cookie, marks, maxIdle, maxAge, isOver, clock, audit });
  const concurrency = createConcurrentSessionControl({ store, registry, isOver, limit: maxPerUser, beyond, audit });
  const perUser = createKeyedMutex();
  const obtain = (exchange: SecurityExchange): Session => repository.of(exchange) ?? repository.start(exchange);

  const logIn = async (
    exchange: SecurityExchange,
    authentication: CurrentAuthentication,
    { external = false, passwordMark }: NonNullable<Parameters<Sessions['logIn']>[2]>,
  ): Promise<Session> => {
    const { principal, login } = authentication;
    await concurrency.makeRoom(principal.name, repository.of(exchange));
    const session = obtain(exchange);
    session.passwordMark = passwordMark;
    if (!external && passwordMark === undefined) {
      const user = await users?.loadUserByUsername(principal.name);
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
    await concurrency.noteLogin(principal.name, session);
    exchange.authentication = authentication;
    return session;
  };

  return {
    cookieName,
    filter: {
      name: 'session',
      handle(exchange, next) {
        const id = cookie.read(exchange);
        // An id in another format cannot be in the store, so made-up ids cost no look-up.
        if (id === undefined || !isId(id)) return next(exchange);
        return (async () => {
          const session = await repository.load(exchange, id);
          if (session?.principal !== undefined) {
            const principal = await currentPrincipal(session, session.principal, users);
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
    current: (exchange) => repository.of(exchange),
    obtain,
    // Log-ins of one user run one after the other; concurrent ones would each find room for one more.
    logIn: (exchange, authentication, logInOptions = {}) =>
      perUser(authentication.principal.name, () => logIn(exchange, authentication, logInOptions)),
    async logOut(exchange) {
      const session = repository.of(exchange);
      exchange.authentication = undefined;
      if (session !== undefined) await session.end();
    },
    endAllOf: (username, except) => concurrency.endAll(username, except),
  };
}

/** The session's user as the account is now; undefined if the account is no longer valid. */
async function currentPrincipal(
  session: Session,
  stored: StoredPrincipal,
  users: UserSource | undefined,
): Promise<Principal | undefined> {
  if (users === undefined || stored.external === true)
    return createPrincipal(stored.name, stored.authorities, stored.attributes);
  const user = await users.loadUserByUsername(stored.name);
  if (user === undefined || !user.enabled || !user.accountNonLocked || !user.accountNonExpired) return undefined;
  const mark = markOf(user);
  if (sealOf(session.id, mark) !== stored.seal) return undefined;
  session.passwordMark = mark;
  return user.erased().toPrincipal();
}

/** Creates a mutex per name. */
function createKeyedMutex(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
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
