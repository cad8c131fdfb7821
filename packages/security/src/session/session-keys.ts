// What names a session and what ties it to its account: the secret in the cookie, the key in the store, the seal of the password. Reading
// the store gives neither a cookie that opens a session nor a way to guess passwords.
import { createHash, randomBytes } from 'node:crypto';
import { hash } from '../node-crypto.ts';
import type { StoredPrincipal } from './session-store.ts';
import type { Session } from './session.ts';

/** 32 bytes in base64url. */
const ID = /^[A-Za-z0-9_-]{43}$/;

/** Makes the secret in a cookie. */
export function newId(): string {
  return randomBytes(32).toString('base64url');
}

/** Tells whether a text can be an id of our making. */
export const isId = (text: string): boolean => ID.test(text);

/** The key of a session in the store: a hash. */
export function storeKey(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** Who a session belongs to, sealed with what makes it end: under the secret id, so that nobody guesses passwords in the store. */
export function sealed({ id, principal, passwordMark }: Session): StoredPrincipal | undefined {
  if (principal === undefined || passwordMark === undefined) return principal;
  return { ...principal, seal: sealOf(id, passwordMark) };
}

/** The seal of a password under an id; undefined for accounts without one. */
export function sealOf(id: string, passwordMark: string | undefined): string | undefined {
  return passwordMark === undefined ? undefined : hash('sha256', `${id} ${passwordMark}`, 'base64url');
}
