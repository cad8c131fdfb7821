// Limits and ends the sessions of a user (Spring's concurrent session control). The session of a request is
// session-repository.ts.
import type { AuditSink } from '../audit/audit.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import { storeKey } from './session-keys.ts';
import type { SessionRegistry } from './session-registry.ts';
import type { PromiseStore, StoredSession } from './session-store.ts';
import type { Session } from './session.ts';

export interface ConcurrentSessionControlParts {
  readonly store: PromiseStore;
  readonly registry: SessionRegistry;
  readonly isOver: (session: StoredSession) => boolean;
  /** Undefined: unlimited. */
  readonly limit: number | undefined;
  readonly beyond: 'end-oldest' | 'refuse';
  readonly audit: AuditSink;
}

export interface ConcurrentSessionControl {
  /** Makes room for one more session besides the given one. @throws SECURITY_SESSION_LIMIT */
  makeRoom(name: string, own: Session | undefined): Promise<void>;
  /** Records a log-in with a session. */
  noteLogin(name: string, session: Session): Promise<void>;
  /** Ends all sessions except the given one. */
  endAll(name: string, except: Session | undefined): Promise<void>;
}

export function createConcurrentSessionControl({
  store,
  registry,
  isOver,
  limit,
  beyond,
  audit,
}: ConcurrentSessionControlParts): ConcurrentSessionControl {
  const known = async (name: string): Promise<readonly string[]> =>
    store.keysOf === undefined ? registry.of(name) : store.keysOf(name);
  /** Live sessions. A session whose cookie is never sent again expires without a request. */
  const living = async (name: string): Promise<readonly string[]> => {
    const alive: string[] = [];
    for (const key of await known(name)) {
      const stored = await store.get(key);
      if (stored !== undefined && !isOver(stored)) alive.push(key);
      else registry.forget(name, key);
    }
    return alive;
  };
  const end = async (name: string, key: string): Promise<void> => {
    await store.destroy(key);
    registry.forget(name, key);
  };
  return {
    async makeRoom(name, own) {
      if (limit === undefined || (await known(name)).length < limit) return;
      const others = (await living(name)).filter((key) => own === undefined || key !== storeKey(own.id));
      if (others.length >= limit && beyond === 'refuse')
        throw new AuthenticationFailure('SECURITY_SESSION_LIMIT', { values: { limit } });
      for (const key of others.slice(0, Math.max(0, others.length - limit + 1))) {
        await end(name, key);
        audit.record({ kind: 'session-evicted', username: name });
      }
    },
    async noteLogin(name, session) {
      const count = registry.note(name, storeKey(session.id));
      // At powers of two, so that a user who logs in a million times is not remembered a million times.
      if (count >= 16 && (count & (count - 1)) === 0) await living(name);
    },
    async endAll(name, except) {
      for (const key of await known(name)) {
        if (except === undefined || key !== storeKey(except.id)) await end(name, key);
      }
    },
  };
}
