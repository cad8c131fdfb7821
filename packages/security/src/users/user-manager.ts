// The six operations on accounts, with the checks around them. Unlike Spring's managers, changing a password always
// checks the old one: Spring's skips that when no authentication manager happens to be set.
import type { Principal } from '@lockstitch/kernel';
import { type AuditSink, silentAudit } from '../audit/audit.ts';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import type { PasswordEncoder } from '../password/password-encoder.ts';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';
import { USER_MANAGER } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Manages accounts. */
export interface UserManager {
  /**
   * Adds an account.
   *
   * @param options.rawPassword when given, is encoded and replaces the user's stored password
   * @throws SECURITY_USER_EXISTS when the name, in upper or lower case, is taken
   */
  createUser(user: User, options?: { readonly rawPassword?: string }): Promise<void>;
  /**
   * Replaces an account.
   *
   * @throws SECURITY_USER_NOT_FOUND
   */
  updateUser(user: User): Promise<void>;
  /** Removes an account; an absent one is no error. */
  deleteUser(username: string): Promise<void>;
  /**
   * Replaces the password of the caller, after checking the old one. The caller logs in anew where sessions are ended.
   *
   * @param principal whose password; the caller of the request
   * @throws SECURITY_NO_CURRENT_USER when nobody is logged in; SECURITY_BAD_CREDENTIALS when the old password is wrong
   */
  changePassword(oldPassword: string, newPassword: string, principal: Principal | undefined): Promise<void>;
  userExists(username: string): Promise<boolean>;
  /** Finds an account; undefined when there is none. */
  loadUserByUsername(username: string): Promise<User | undefined>;
}

/** What a manager works with. */
export interface UserManagerOptions {
  readonly store: UserStore;
  readonly encoder: PasswordEncoder;
  /** When given, a changed password or a deleted account ends the user's sessions that this process knows. */
  readonly sessions?: { endAllOf(username: string): Promise<void> };
  readonly audit?: AuditSink;
}

/** Makes the manager of a store. */
export function createUserManager(options: UserManagerOptions): UserManager {
  requireOptions('createUserManager', USER_MANAGER, options);
  const { store, encoder, sessions, audit = silentAudit } = options;
  if (encoder === undefined) throw authenticationErrors.create('SECURITY_ENCODER_REQUIRED');
  return {
    async createUser(user, { rawPassword } = {}) {
      const stored = rawPassword === undefined ? user : user.withPassword(await encoder.encode(rawPassword));
      if (!(await store.insertUser(stored))) {
        throw authenticationErrors.create('SECURITY_USER_EXISTS', { username: user.username });
      }
      audit.record({ kind: 'user-created', username: user.username });
    },
    async updateUser(user) {
      if (!(await store.replaceUser(user))) {
        throw authenticationErrors.create('SECURITY_USER_NOT_FOUND', { username: user.username });
      }
      audit.record({ kind: 'user-updated', username: user.username });
    },
    async deleteUser(username) {
      if (!(await store.removeUser(username))) return;
      await sessions?.endAllOf(username);
      audit.record({ kind: 'user-deleted', username });
    },
    async changePassword(oldPassword, newPassword, principal) {
      if (principal === undefined || !principal.authenticated) {
        throw authenticationErrors.create('SECURITY_NO_CURRENT_USER');
      }
      const user = await store.loadUserByUsername(principal.name);
      if (user?.password === undefined || !(await encoder.matches(oldPassword, user.password))) {
        audit.record({ kind: 'password-change-refused', username: principal.name });
        throw authenticationErrors.create('SECURITY_BAD_CREDENTIALS');
      }
      await store.updatePassword(user.username, await encoder.encode(newPassword), user.password);
      await sessions?.endAllOf(user.username);
      audit.record({ kind: 'password-changed', username: user.username });
    },
    userExists: async (username) => (await store.loadUserByUsername(username)) !== undefined,
    loadUserByUsername: (username) => store.loadUserByUsername(username),
  };
}
