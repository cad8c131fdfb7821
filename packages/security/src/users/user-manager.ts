// The six operations on accounts with their checks. Unlike Spring's managers, changing a password always checks the old
// one; Spring skips that if no authentication manager is set.
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
   * @param options.rawPassword if given, is encoded and replaces the user's stored password
   * @throws SECURITY_USER_EXISTS if the name, in any case, is taken
   */
  createUser(user: User, options?: { readonly rawPassword?: string }): Promise<void>;
  /**
   * Replaces an account.
   *
   * @throws SECURITY_USER_NOT_FOUND
   */
  updateUser(user: User): Promise<void>;
  /** Removes an account; a missing one is not an error. */
  deleteUser(username: string): Promise<void>;
  /**
   * Replaces the caller's password after checking the old one. The caller has to log in again if sessions are ended.
   *
   * @param principal the caller of the request
   * @throws SECURITY_NO_CURRENT_USER if anonymous; SECURITY_BAD_CREDENTIALS if the old password is wrong
   */
  changePassword(oldPassword: string, newPassword: string, principal: Principal | undefined): Promise<void>;
  userExists(username: string): Promise<boolean>;
  /** Finds an account; undefined if there is none. */
  loadUserByUsername(username: string): Promise<User | undefined>;
}

export interface UserManagerOptions {
  readonly store: UserStore;
  readonly encoder: PasswordEncoder;
  /** If given, a changed password or a deleted account ends the user's sessions that this process knows. */
  readonly sessions?: { endAllOf(username: string): Promise<void> };
  readonly audit?: AuditSink;
}

export function createUserManager(options: UserManagerOptions): UserManager {
  requireOptions('createUserManager', USER_MANAGER, options);
  const { store, encoder, sessions, audit = silentAudit } = options;
  if (encoder === undefined) throw authenticationErrors.create('SECURITY_ENCODER_REQUIRED');
  return {
    async createUser(user, { rawPassword } = {}) {
      const stored = rawPassword === undefined ? user : user.withPassword(await encoder.encode(rawPassword));
      if (!(await store.insertUser(stored)))
        throw authenticationErrors.create('SECURITY_USER_EXISTS', { username: user.username });
      audit.record({ kind: 'user-created', username: user.username });
    },
    async updateUser(user) {
      if (!(await store.replaceUser(user)))
        throw authenticationErrors.create('SECURITY_USER_NOT_FOUND', { username: user.username });
      audit.record({ kind: 'user-updated', username: user.username });
    },
    async deleteUser(username) {
      if (!(await store.removeUser(username))) return;
      await sessions?.endAllOf(username);
      audit.record({ kind: 'user-deleted', username });
    },
    async changePassword(oldPassword, newPassword, principal) {
      if (principal === undefined || !principal.authenticated)
        throw authenticationErrors.create('SECURITY_NO_CURRENT_USER');
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
