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

/** Options of the default account. */
export interface DefaultUserOptions {
  /** Default: `user`. */
  readonly username?: string;
  /** Default: a random UUID. */
  readonly password?: string;
  /** Without `ROLE_`; default: none. */
  readonly roles?: readonly string[];
}

/** Creates the default account. */
export function createDefaultUser(options: DefaultUserOptions = {}): DefaultUser {
  requireOptions('createDefaultUser', DEFAULT_USER, options);
  const { username = 'user', password = randomUUID(), roles = [] } = options;
  // 122 random bits that live as long as the process need no slow hash; the password itself is in the same memory.
  const user = userNamed(username)
    .password(password)
    .roles(...roles)
    .build();
  return { username, password, store: createMemoryUserStore([user]), encoder: createNoOpEncoder() };
}
