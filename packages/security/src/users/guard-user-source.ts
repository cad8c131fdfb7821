// Gives the calls of an application's user store a time limit.
import { callStore } from '../stores/call-store.ts';
import type { UserSource } from './user-store.ts';

/** Wraps a user source so that a store that fails or hangs means 503. A source that can answer synchronously is in memory and stays as it is. */
export function guardUserSource(users: UserSource): UserSource {
  if (users.findUserByUsername !== undefined) return users;
  return {
    loadUserByUsername: (username) => callStore('user store', () => users.loadUserByUsername(username)),
    ...(users.updatePassword === undefined
      ? {}
      : { updatePassword: (...given) => callStore('user store', () => users.updatePassword?.(...given)) }),
  };
}
