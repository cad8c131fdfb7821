// The account of a server without a configured user store: `user`, with a new random password at each start.
import { randomUUID } from 'node:crypto';
import { createNoOpEncoder } from '../password/noop-encoder.ts';
import type { PasswordEncoder } from '../password/password-encoder.ts';
import { createMemoryUserStore } from './memory-user-store.ts';
import { userNamed } from './user.ts';
import type { UserStore } from './user-store.ts';
import { DEFAULT_USER } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The default account. */
export interface DefaultUser {
  readonly username: string;
  /** In clear text, to be printed once at start-up and nowhere else. */
  readonly password: string;
  readonly store: UserStore;
  readonly encoder: PasswordEncoder;
}

/**
 * Creates the default account.
 *
 * @param options.username default: `user`
 * @param options.password default: a random UUID
 */
export function createDefaultUser(
  options: { readonly username?: string; readonly password?: string } = {},
): DefaultUser {
  requireOptions('createDefaultUser', DEFAULT_USER, options);
  const { username = 'user', password = randomUUID() } = options;
  // 122 random bits that live as long as the process need no slow hash; the password itself is in the same memory.
  const user = userNamed(username).password(password).authorities().build();
  return { username, password, store: createMemoryUserStore([user]), encoder: createNoOpEncoder() };
}
