// Where accounts are kept: the contract that the memory store, the SQL store and an application's own store fulfil.
import type { User } from './user.ts';

/** Loads accounts; all that authentication needs. */
export interface UserSource {
  /** Finds an account by name, upper and lower case alike; undefined when there is none. */
  loadUserByUsername(username: string): Promise<User | undefined>;
  /** The same without waiting, where the store can: HTTP Basic then needs no promise for a password proven before. */
  findUserByUsername?(username: string): User | undefined;
  /**
   * Replaces the stored password only. Where present, passwords are upgraded after a successful log-in.
   * `expected` is the stored password that was checked: when another change came in between, nothing is written.
   */
  updatePassword?(username: string, encoded: string, expected: string | undefined): Promise<void>;
}

/** Keeps accounts. The checks around the six operations are the user manager's. */
export interface UserStore extends UserSource {
  /** Adds the account; false when one of this name (in any case) exists. */
  insertUser(user: User): Promise<boolean>;
  /** Replaces the account of this name; false when there is none. */
  replaceUser(user: User): Promise<boolean>;
  /** Removes the account; false when there is none. */
  removeUser(username: string): Promise<boolean>;
  updatePassword(username: string, encoded: string, expected: string | undefined): Promise<void>;
  /** Accounts in the order of their names, at most `limit`, after the name `after`. */
  listUsers(options?: { readonly after?: string; readonly limit?: number }): Promise<readonly User[]>;
}

/** The key under which a name is kept: names that differ in case only are one account. */
export function userKey(username: string): string {
  return username.toLowerCase();
}
