// Where sessions are kept: the store interface of express-session, so that connect-redis, connect-pg-simple and the like
// plug in as they are. Callbacks stay at this edge; everything else uses the promises of `promiseStore`.
import { authenticationErrors } from '../errors/authentication-errors.ts';

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
 *
 * The stores of the field declare sessions of express-session, which ours are not; they keep what they are given, as JSON.
 * So what is kept is `never` and `unknown` here, and a `StoredSession` to whoever writes a store for this package.
 */
export interface SessionStore {
  get(id: string, callback: (error: unknown, session?: unknown) => void): unknown;
  set(id: string, session: never, callback?: (error?: unknown) => void): unknown;
  destroy(id: string, callback?: (error?: unknown) => void): unknown;
}

/** A session store with promises. Failures become SECURITY_SESSION_STORE (503). */
export interface PromiseStore {
  get(id: string): Promise<StoredSession | undefined>;
  set(id: string, session: StoredSession): Promise<void>;
  destroy(id: string): Promise<void>;
}

/**
 * Wraps a callback store.
 *
 * @param patience milliseconds that it may take to answer
 */
export function promiseStore(store: SessionStore, patience = 10_000): PromiseStore {
  const call = <T>(run: (callback: (error?: unknown, value?: T) => void) => void): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      let settled = false;
      const fail = (cause: unknown): void => {
        settled = true;
        clearTimeout(timer);
        reject(authenticationErrors.create('SECURITY_SESSION_STORE', {}, { cause }));
      };
      try {
        run((error, value) => {
          if (error !== undefined && error !== null) return fail(error);
          settled = true;
          clearTimeout(timer);
          resolve(value);
        });
      } catch (error) {
        fail(error);
      }
      // Clients of databases wait for a lost connection to come back, some without end. A store in memory has answered by now.
      if (!settled)
        timer = setTimeout(fail, patience, new Error(`The store gave no answer in ${patience} ms.`)).unref();
    });
  // express-session's rule: a store of files says ENOENT for a session it does not have.
  const isMissing = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'ENOENT';
  const done = (run: (callback: (error?: unknown) => void) => void): Promise<void> =>
    call<void>(run).then(() => undefined);
  return {
    get: async (id) => {
      const found = await call<StoredSession | null>((callback) =>
        store.get(id, (error, session) =>
          isMissing(error) ? callback() : callback(error, session as StoredSession | null),
        ),
      );
      return found ?? undefined;
    },
    set: (id, session) => done((callback) => void store.set(id, session as never, callback)),
    destroy: (id) => done((callback) => void store.destroy(id, callback)),
  };
}
