// BREACH guesses a secret from the length of compressed answers that hold it. Masked, the same token reads differently
// in every answer: base64url(random ‖ random⊕token), as Spring Security 6 writes it.
import { randomBytes } from 'node:crypto';

/** Masks a token under fresh random bytes. */
export function maskToken(token: string): string {
  const bytes = Buffer.from(token, 'utf8');
  const random = randomBytes(bytes.length);
  return Buffer.concat([random, xor(random, bytes)]).toString('base64url');
}

/**
 * Reads a masked token.
 *
 * @param length bytes of the token it must hold
 * @returns undefined when it is not base64url or not of this length
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
