// Loads, starts, saves, extends, renames and ends the session of a request. The store keeps it under a hash of the id.
// Limits per user are concurrent-session-control.ts.
import { type Clock, required } from '@lockstitch/kernel';
import type { AuditSink } from '../audit/audit.ts';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import type { SecurityExchange } from '../chain/exchange.ts';
import type { SessionCookie } from './session-cookie.ts';
import { newId, sealed, storeKey } from './session-keys.ts';
import type { SessionRegistry } from './session-registry.ts';
import type { PromiseStore, StoredCookie, StoredSession } from './session-store.ts';
import { Session, type SessionWriter } from './session.ts';

/** Times in milliseconds. */
export interface SessionRepositoryParts {
  readonly store: PromiseStore;
  readonly registry: SessionRegistry;
  readonly cookie: SessionCookie;
  /** Cookie attributes for the store besides its times. */
  readonly marks: Pick<StoredCookie, 'path' | 'secure' | 'sameSite'>;
  readonly maxIdle: number;
  readonly maxAge: number;
  readonly isOver: (session: StoredSession) => boolean;
  readonly clock: Clock;
  readonly audit: AuditSink;
}

export interface SessionRepository {
  /** The session that was loaded or started in this request, by any of its chains. */
  of(exchange: SecurityExchange): Session | undefined;
  /** Loads the session with an id; undefined if there is none or it has expired. */
  load(exchange: SecurityExchange, id: string): Promise<Session | undefined>;
  /** Starts a session and sets its cookie. @throws SECURITY_SESSION_LATE once the response head was sent */
  start(exchange: SecurityExchange): Session;
}

export function createSessionRepository(parts: SessionRepositoryParts): SessionRepository {
  return new StoredSessions(parts);
}

class StoredSessions implements SessionRepository {
  readonly #parts: SessionRepositoryParts;
  readonly #exchanges = new WeakMap<Session, SecurityExchange>();
  readonly #writer: SessionWriter;
  /** Writing the time of use on every request would cost a write each; a tenth of the idle time is accurate enough. */
  readonly #touchAfter: number;

  constructor(parts: SessionRepositoryParts) {
    this.#parts = parts;
    this.#touchAfter = Math.min(parts.maxIdle / 10, 60_000);
    this.#writer = {
      save: (session) => this.#save(session),
      changeId: (session) => this.#changeId(session),
      end: (session) => this.#end(session),
    };
  }

  of(exchange: SecurityExchange): Session | undefined {
    return exchange.ofRequest(this.#writer) as Session | undefined;
  }

  async load(exchange: SecurityExchange, id: string): Promise<Session | undefined> {
    // Another chain of this request has loaded it: with two copies, the changes of one would overwrite those of the other.
    const known = this.of(exchange);
    if (known !== undefined) return known;
    const { audit, isOver, registry, store } = this.#parts;
    const key = storeKey(id);
    const stored = await store.get(key);
    if (stored === undefined) return undefined;
    const { createdAt, usedAt, principal, values } = stored;
    if (isOver(stored)) {
      if (principal !== undefined) registry.forget(principal.name, key);
      await store.destroy(key);
      audit.record({ kind: 'session-expired', username: principal?.name, address: exchange.request.remoteAddress });
      return undefined;
    }
    return this.#adopt(exchange, new Session(this.#writer, { id, createdAt, usedAt, principal, values, isNew: false }));
  }

  start(exchange: SecurityExchange): Session {
    requireHead(exchange);
    const { audit, clock, cookie } = this.#parts;
    const now = clock.now();
    const session = new Session(this.#writer, { id: newId(), createdAt: now, usedAt: now, isNew: true });
    cookie.set(exchange, session.id);
    audit.record({ kind: 'session-created', address: exchange.request.remoteAddress });
    return this.#adopt(exchange, session);
  }

  /** Ties a session to the request, whose end saves or extends it. */
  #adopt(exchange: SecurityExchange, session: Session): Session {
    const { clock } = this.#parts;
    exchange.keepForRequest(this.#writer, session);
    this.#exchanges.set(session, exchange);
    exchange.onDone(async () => {
      if (session.ended) return;
      if (session.dirty) return session.save();
      if (clock.now() - session.usedAt < this.#touchAfter) return;
      session.usedAt = clock.now();
      await this.#extend(session);
    });
    return session;
  }

  async #save(session: Session): Promise<void> {
    if (session.ended) return;
    session.dirty = false;
    const { store } = this.#parts;
    const key = storeKey(session.id);
    // Another request ended it meanwhile (log-out, eviction): saving would bring it back to life.
    if (session.stored && (await store.get(key)) === undefined) {
      session.ended = true;
      return;
    }
    session.stored = true;
    await store.set(key, this.#toStored(session));
  }

  async #changeId(session: Session): Promise<void> {
    const exchange = required(this.#exchanges.get(session), 'the exchange of the session');
    requireHead(exchange);
    const { cookie, registry, store } = this.#parts;
    const old = session.id;
    session.rename(newId());
    if (session.principal !== undefined) {
      registry.forget(session.principal.name, storeKey(old));
      registry.note(session.principal.name, storeKey(session.id));
    }
    await store.destroy(storeKey(old));
    await this.#save(session);
    cookie.set(exchange, session.id);
  }

  async #end(session: Session): Promise<void> {
    const exchange = required(this.#exchanges.get(session), 'the exchange of the session');
    const { cookie, registry, store } = this.#parts;
    session.ended = true;
    if (session.principal !== undefined) registry.forget(session.principal.name, storeKey(session.id));
    await store.destroy(storeKey(session.id));
    exchange.keepForRequest(this.#writer, undefined);
    if (!exchange.response.headersSent) cookie.set(exchange, '', new Date(0));
  }

  /** Writes the time of use to the stored session, which another request may have changed meanwhile. */
  async #extend(session: Session): Promise<void> {
    const { store } = this.#parts;
    const key = storeKey(session.id);
    const kept = await store.get(key);
    if (kept === undefined) return;
    const { cookie, usedAt } = this.#toStored(session);
    await store.set(key, { ...kept, cookie, usedAt });
  }

  #toStored(session: Session): StoredSession {
    const { marks, maxAge, maxIdle } = this.#parts;
    const expires = new Date(Math.min(session.usedAt + maxIdle, session.createdAt + maxAge));
    return {
      cookie: { originalMaxAge: maxIdle, maxAge: maxIdle, expires, httpOnly: true, ...marks },
      createdAt: session.createdAt,
      usedAt: session.usedAt,
      principal: sealed(session),
      values: session.toValues(),
    };
  }
}

function requireHead(exchange: SecurityExchange): void {
  if (exchange.response.headersSent) throw authenticationErrors.create('SECURITY_SESSION_LATE');
}
