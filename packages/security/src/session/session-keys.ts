// Session ids, store keys, and the seal of the password. The store reveals neither a cookie that opens a session nor a
// way to guess passwords.
import { createHash, randomBytes } from 'node:crypto';
import { hash } from '../node-crypto.ts';
import type { StoredPrincipal } from './session-store.ts';
import type { Session } from './session.ts';

/** 32 bytes in base64url. */
const ID = /^[A-Za-z0-9_-]{43}$/;

/** Creates the secret for a cookie. */
export function newId(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns whether a text has the format of our ids. */
export const isId = (text: string): boolean => ID.test(text);

/** Key of a session in the store: a hash of its id. */
export function storeKey(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/**
 * The session's user with the seal that ends it, keyed by the secret id, so that passwords cannot be guessed from the
 * store.
 */
export function sealed({ id, principal, passwordMark }: Session): StoredPrincipal | undefined {
  if (principal === undefined || passwordMark === undefined) return principal;
  return { ...principal, seal: sealOf(id, passwordMark) };
}

/** Seal of a password under an id; undefined for accounts without a password. */
export function sealOf(id: string, passwordMark: string | undefined): string | undefined {
  return passwordMark === undefined ? undefined : hash('sha256', `${id} ${passwordMark}`, 'base64url');
}
