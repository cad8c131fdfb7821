// What a password encoder can do, whatever its algorithm. Not here: which encoder made a stored password; that is
// the delegating encoder's question.
import { timingSafeEqual } from 'node:crypto';
import { authenticationErrors } from '../errors/authentication-errors.ts';

/** Turns raw passwords into what is stored, and compares. All methods are pure but for the random salt. */
export interface PasswordEncoder {
  /**
   * Hashes a raw password with a new random salt.
   *
   * @throws SECURITY_PASSWORD_MISSING when `raw` is no string
   */
  encode(raw: string): Promise<string>;
  /**
   * Tells whether `raw` is the password behind `encoded`. The comparison takes the same time wherever the hashes differ.
   * A stored value that is not of this encoder's format gives false, or an error where the format names an encoder that
   * does not exist or parameters that cannot be; never true.
   */
  matches(raw: string, encoded: string): Promise<boolean>;
  /** Tells whether `encoded` should be replaced after the next successful log-in because it is weaker than `encode` is. */
  upgradeEncoding(encoded: string): boolean;
}

/** Returns `raw`, refusing what is no string: a forgotten password must not become the hash of "undefined". */
export function requireRaw(raw: unknown): string {
  if (typeof raw !== 'string') throw authenticationErrors.create('SECURITY_PASSWORD_MISSING');
  return raw;
}

/** Compares byte strings in a time that depends on their lengths only. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Compares two texts as UTF-8, in a time that depends on their lengths only. */
export function equalTexts(left: string, right: string): boolean {
  return equalBytes(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));
}

const HEX = /^(?:[0-9a-f]{2})*$/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads hexadecimal; undefined when it is none. `Buffer.from(…, 'hex')` alone stops silently at the first bad digit. */
export function fromHex(text: string): Buffer | undefined {
  return HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Reads Base64 with the standard alphabet, padded or not, but not in part; undefined when it is none. */
export function fromBase64(text: string): Buffer | undefined {
  if (!BASE64.test(text) || (text.endsWith('=') && text.length % 4 !== 0)) return undefined;
  const bare = text.replace(/=+$/, '');
  return bare.length % 4 === 1 ? undefined : Buffer.from(bare, 'base64');
}

/** Raises the error for an encoder that is built with a value outside its range. */
export function checkSetting(encoder: string, setting: string, value: number, low: number, high: number): void {
  if (Number.isInteger(value) && value >= low && value <= high) return;
  throw authenticationErrors.create('SECURITY_ENCODER_SETTING', {
    encoder,
    setting,
    value,
    expected: `a whole number from ${low} to ${high}`,
  });
}

/** The error for a stored password that this encoder cannot have made. Never quotes it. */
export function malformedHash(encoder: string, reason: string): Error {
  return authenticationErrors.create('SECURITY_HASH_MALFORMED', { encoder, reason });
}

/** Whether a store has no password for somebody, whatever the types say: nothing matches that. */
export function isMissing(encoded: unknown): boolean {
  return encoded === undefined || encoded === null;
}
