// A time limit for the calls of an application's user store.
import { callStore } from '../stores/call-store.ts';
import type { UserSource } from './user-store.ts';

/**
 * Wraps a user source so that a store that fails or hangs gives 503. A source that can answer synchronously is in
 * memory and is returned as it is.
 */
export function guardUserSource(users: UserSource): UserSource {
  if (users.findUserByUsername !== undefined) return users;
  return {
    loadUserByUsername: (username) => callStore('user store', () => users.loadUserByUsername(username)),
    ...(users.updatePassword === undefined
      ? {}
      : { updatePassword: (...given) => callStore('user store', () => users.updatePassword?.(...given)) }),
  };
}
