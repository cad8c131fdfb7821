// Contract of user stores: the memory store, the SQL store, and an application's own.
import type { User } from './user.ts';

/** Loads accounts; all that authentication needs. */
export interface UserSource {
  /** Finds an account by name, case-insensitively; undefined if there is none. */
  loadUserByUsername(username: string): Promise<User | undefined>;
  /** The same synchronously, if the store can: HTTP Basic then needs no promise for a password proven before. */
  findUserByUsername?(username: string): User | undefined;
  /**
   * Replaces only the stored password. If present, passwords are upgraded after a successful log-in. `expected` is the
   * stored password that was checked: if it was changed in between, nothing is written.
   */
  updatePassword?(username: string, encoded: string, expected: string | undefined): Promise<void>;
}

/** Stores accounts. The user manager does the checks. */
export interface UserStore extends UserSource {
  /** Adds the account; false if the name (in any case) exists. */
  insertUser(user: User): Promise<boolean>;
  /** Replaces the account of this name; false if there is none. */
  replaceUser(user: User): Promise<boolean>;
  /** Removes the account; false if there is none. */
  removeUser(username: string): Promise<boolean>;
  updatePassword(username: string, encoded: string, expected: string | undefined): Promise<void>;
  /** Accounts in order of their names, at most `limit`, after the name `after`. */
  listUsers(options?: { readonly after?: string; readonly limit?: number }): Promise<readonly User[]>;
}

/** Key of a name: names that differ only in case are one account. */
export function userKey(username: string): string {
  return username.toLowerCase();
}
