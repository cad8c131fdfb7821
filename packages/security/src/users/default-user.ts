// The account of a server for which no user store is configured: `user`, with a new random password at each start.
import { randomUUID } from 'node:crypto';
import { createNoOpEncoder } from '../password/noop-encoder.ts';
import type { PasswordEncoder } from '../password/password-encoder.ts';
import { createMemoryUserStore } from './memory-user-store.ts';
import { userNamed } from './user.ts';
import type { UserStore } from './user-store.ts';
import { DEFAULT_USER } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** The default account, ready to be used and printed. */
export interface DefaultUser {
  readonly username: string;
  /** In clear, to be printed once at start-up and nowhere else. */
  readonly password: string;
  readonly store: UserStore;
  readonly encoder: PasswordEncoder;
}

/**
 * Makes the default account.
 *
 * @param options.username default: `user`
 * @param options.password default: a random UUID
 */
export function createDefaultUser(
  options: { readonly username?: string; readonly password?: string } = {},
): DefaultUser {
  requireOptions('createDefaultUser', DEFAULT_USER, options);
  const { username = 'user', password = randomUUID() } = options;
  // 122 random bits that live as long as the process need no slow hash, and the memory that would hold it holds them too.
  const user = userNamed(username).password(password).authorities().build();
  return { username, password, store: createMemoryUserStore([user]), encoder: createNoOpEncoder() };
}
