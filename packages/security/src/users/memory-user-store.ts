// Accounts in memory, for tests, examples and the default user. Lost when the process ends.
import type { User } from './user.ts';
import { type UserStore, userKey } from './user-store.ts';
import { USERS } from '../options/login-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Creates a store with these accounts. Of names that differ only in case, the first wins. */
export function createMemoryUserStore(users: readonly User[] = []): UserStore {
  requireOptions('createMemoryUserStore', USERS, users);
  const byKey = new Map<string, User>();
  const store: UserStore = {
    loadUserByUsername: async (username) => byKey.get(userKey(username)),
    findUserByUsername: (username) => byKey.get(userKey(username)),
    async insertUser(user) {
      if (byKey.has(userKey(user.username))) return false;
      byKey.set(userKey(user.username), user);
      return true;
    },
    async replaceUser(user) {
      if (!byKey.has(userKey(user.username))) return false;
      byKey.set(userKey(user.username), user);
      return true;
    },
    removeUser: async (username) => byKey.delete(userKey(username)),
    async updatePassword(username, encoded, expected) {
      const user = byKey.get(userKey(username));
      if (user !== undefined && user.password === expected) byKey.set(userKey(username), user.withPassword(encoded));
    },
    async listUsers({ after = '', limit = 100 } = {}) {
      const found = [...byKey].filter(([key]) => key > userKey(after)).sort(([a], [b]) => (a < b ? -1 : 1));
      return found.slice(0, limit).map(([, user]) => user);
    },
  };
  for (const user of users) if (!byKey.has(userKey(user.username))) byKey.set(userKey(user.username), user);
  return store;
}
