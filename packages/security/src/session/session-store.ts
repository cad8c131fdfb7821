// Session stores with express-session's interface, so that connect-redis, connect-pg-simple and others plug in
// unchanged. Callbacks stay in this file; all other code uses the promises of `promiseStore`.
import { callbackify } from 'node:util';
import { codeOf } from '@lockstitch/kernel';
import { authenticationErrors } from '../errors/authentication-errors.ts';

/** The cookie part from which express-session stores read the time to live. */
export interface StoredCookie {
  /** Idle time in milliseconds. */
  readonly originalMaxAge: number;
  readonly maxAge: number;
  readonly expires: Date | string;
  readonly path: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: string;
}

/** Owner of a session after log-in. */
export interface StoredPrincipal {
  readonly name: string;
  readonly authorities: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly login: 'remembered' | 'full';
  /** Known to an identity provider, not to the user store; so there is no account to read. */
  readonly external?: boolean | undefined;
  /** Hash over the secret id and the stored password at log-in: a password change ends the session. */
  readonly seal?: string | undefined;
}

/** The stored session: plain JSON. */
export interface StoredSession {
  readonly cookie: StoredCookie;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly usedAt: number;
  readonly principal?: StoredPrincipal | undefined;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * The part of express-session's store interface that is used. `touch` is not: existing stores extend a session without
 * writing the time of use, by which idle sessions are ended here. Existing stores declare express-session's sessions
 * but keep any JSON, so the types here are `never` and `unknown`. Authors of a store for this package can use
 * `StoredSession`.
 */
export interface SessionStore {
  get(id: string, callback: (error: unknown, session?: unknown) => void): unknown;
  set(id: string, session: never, callback?: (error?: unknown) => void): unknown;
  destroy(id: string, callback?: (error?: unknown) => void): unknown;
  /**
   * Not of express-session: ids of a user's live sessions, least recently used first, whichever process started them.
   * Without it a process limits and ends the sessions that it has seen.
   */
  keysOf?(username: string): Promise<readonly string[]>;
}

/** A session store with promises. Failures become SECURITY_SESSION_STORE (503). */
export interface PromiseStore {
  get(id: string): Promise<StoredSession | undefined>;
  set(id: string, session: StoredSession): Promise<void>;
  destroy(id: string): Promise<void>;
  readonly keysOf: ((username: string) => Promise<readonly string[]>) | undefined;
}

/**
 * Wraps a callback store.
 *
 * @param timeout limit of a call in milliseconds
 */
export function promiseStore(store: SessionStore, timeout = 10_000): PromiseStore {
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
      // Database clients wait for a lost connection, some for ever. A store in memory has responded by now.
      if (!settled) timer = setTimeout(fail, timeout, new Error(`The store gave no answer in ${timeout} ms.`)).unref();
    });
  // As express-session: a file store returns ENOENT for a missing session.
  const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';
  const done = (run: (callback: (error?: unknown) => void) => void): Promise<void> =>
    call<void>(run).then(() => undefined);
  const listKeys = store.keysOf === undefined ? undefined : callbackify(store.keysOf.bind(store));
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
    keysOf:
      listKeys === undefined
        ? undefined
        : async (username) => (await call<readonly string[]>((callback) => listKeys(username, callback))) ?? [],
  };
}
