// Calls to stores that authentication depends on (accounts, nonces, secrets, keys). A store can be away or hang. Then the request is
// answered 503 after a time limit, and the client may send it again.
import type { MaybePromise } from '../maybe-promise.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';

/** Milliseconds that an answer may take; as long as the session store gets. */
const PATIENCE = 10_000;
/** Seconds after which a new try makes sense. */
const RETRY_AFTER = 1;

/**
 * Asks a store.
 *
 * @param what is asked, for the answer and the log: `user store`
 * @throws AuthenticationFailure SECURITY_STORE_UNAVAILABLE (503) when it fails or does not answer in time; a failed authentication as it is
 */
export async function callStore<T>(what: string, ask: () => MaybePromise<T>, patience = PATIENCE): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const asked = ask();
    if (!(asked instanceof Promise)) return asked;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`It gave no answer in ${patience} ms.`)), patience).unref();
    });
    return await Promise.race([asked, late]);
  } catch (error) {
    throw error instanceof AuthenticationFailure ? error : storeFailure(what, error);
  } finally {
    clearTimeout(timer);
  }
}

/** The failure for a store that did not answer. */
export function storeFailure(what: string, cause: unknown): AuthenticationFailure {
  return new AuthenticationFailure('SECURITY_STORE_UNAVAILABLE', { values: { what }, cause, retryAfter: RETRY_AFTER });
}
