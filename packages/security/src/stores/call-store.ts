// Calls to stores that authentication depends on (accounts, nonces, secrets, keys). A store can be unavailable or hang;
// then the request gets 503 after a time limit, and the client may retry.
import type { MaybePromise } from '../maybe-promise.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';

/** Milliseconds; the same limit as for the session store. */
const STORE_TIMEOUT = 10_000;
/** Seconds until a retry makes sense. */
const RETRY_AFTER = 1;

/**
 * Calls a store with a time limit.
 *
 * @param what name of the store for the response and the log: `user store`
 * @throws AuthenticationFailure SECURITY_STORE_UNAVAILABLE (503) if it fails or does not respond in time; a failed
 * authentication as it is
 */
export async function callStore<T>(what: string, ask: () => MaybePromise<T>, timeout = STORE_TIMEOUT): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const asked = ask();
    if (!(asked instanceof Promise)) return asked;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`It gave no answer in ${timeout} ms.`)), timeout).unref();
    });
    return await Promise.race([asked, late]);
  } catch (error) {
    throw error instanceof AuthenticationFailure ? error : storeFailure(what, error);
  } finally {
    clearTimeout(timer);
  }
}

/** The failure for an unavailable store. */
export function storeFailure(what: string, cause: unknown): AuthenticationFailure {
  return new AuthenticationFailure('SECURITY_STORE_UNAVAILABLE', { values: { what }, cause, retryAfter: RETRY_AFTER });
}
