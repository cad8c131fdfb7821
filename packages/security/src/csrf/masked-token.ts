// Token masking against BREACH, which guesses a secret from the length of compressed responses. Each response has a
// different text for the same token: base64url(random ‖ random⊕token), as in Spring Security 6.
import { randomBytes } from 'node:crypto';

/** Masks a token with fresh random bytes. */
export function maskToken(token: string): string {
  const bytes = Buffer.from(token, 'utf8');
  const random = randomBytes(bytes.length);
  return Buffer.concat([random, xor(random, bytes)]).toString('base64url');
}

/**
 * Unmasks a token.
 *
 * @param length the token's length in bytes
 * @returns undefined if it is not base64url or not of this length
 */
export function unmaskToken(masked: string, length: number): string | undefined {
  if (!/^[A-Za-z0-9_-]*={0,2}$/.test(masked)) return undefined;
  const bytes = Buffer.from(masked, 'base64url');
  if (bytes.length !== length * 2) return undefined;
  return xor(bytes.subarray(0, length), bytes.subarray(length)).toString('utf8');
}

function xor(left: Uint8Array, right: Uint8Array): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ right[index]!));
}
