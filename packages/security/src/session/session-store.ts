// Where sessions are kept: the store interface of express-session, so that connect-redis, connect-pg-simple and the like
// plug in as they are. Callbacks stay at this edge; everything else uses the promises of `promiseStore`.
import { authenticationErrors } from '../authentication/authentication-errors.ts';

/** The cookie part that every express-session store reads for its time to live. */
export interface StoredCookie {
  /** Milliseconds of idle time. */
  readonly originalMaxAge: number;
  readonly maxAge: number;
  readonly expires: Date | string;
  readonly path: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: string;
}

/** Who a session belongs to, once somebody logged in. */
export interface StoredPrincipal {
  readonly name: string;
  readonly authorities: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly login: 'remembered' | 'full';
  /** Known to an identity provider, not to the user store; so there is no account here to read anew. */
  readonly external?: boolean | undefined;
  /** A hash over the secret id and the stored password of the log-in: another password, and the session is over. */
  readonly seal?: string | undefined;
}

/** What is kept of a session: plain JSON. */
export interface StoredSession {
  readonly cookie: StoredCookie;
  /** Milliseconds since 1970, as are all times here. */
  readonly createdAt: number;
  readonly usedAt: number;
  readonly principal?: StoredPrincipal | undefined;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * The part of express-session's store interface that is called here. Its `touch` is not: the stores of the field prolong
 * a session without writing the time of use, by which idle sessions are ended here.
 */
export interface SessionStore {
  get(id: string, callback: (error: unknown, session?: StoredSession | null) => void): void;
  set(id: string, session: StoredSession, callback?: (error?: unknown) => void): void;
  destroy(id: string, callback?: (error?: unknown) => void): void;
}

/** A session store with promises. Failures become SECURITY_SESSION_STORE (503). */
export interface PromiseStore {
  get(id: string): Promise<StoredSession | undefined>;
  set(id: string, session: StoredSession): Promise<void>;
  destroy(id: string): Promise<void>;
}

/** Wraps a callback store. */
export function promiseStore(store: SessionStore): PromiseStore {
  const call = <T>(run: (callback: (error?: unknown, value?: T) => void) => void): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const fail = (cause: unknown): void =>
        reject(authenticationErrors.create('SECURITY_SESSION_STORE', {}, { cause }));
      try {
        run((error, value) => (error === undefined || error === null ? resolve(value) : fail(error)));
      } catch (error) {
        fail(error);
      }
    });
  // express-session's rule: a store of files says ENOENT for a session it does not have.
  const isMissing = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'ENOENT';
  const done = (run: (callback: (error?: unknown) => void) => void): Promise<void> =>
    call<void>(run).then(() => undefined);
  return {
    get: async (id) => {
      const found = await call<StoredSession | null>((callback) =>
        store.get(id, (error, session) => (isMissing(error) ? callback() : callback(error, session))),
      );
      return found ?? undefined;
    },
    set: (id, session) => done((callback) => store.set(id, session, callback)),
    destroy: (id) => done((callback) => store.destroy(id, callback)),
  };
}
