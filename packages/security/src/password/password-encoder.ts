// The contract of password encoders, and helpers to compare and decode.
import { timingSafeEqual } from 'node:crypto';
import { authenticationErrors } from '../errors/authentication-errors.ts';

/** Encodes raw passwords for storage, and compares them. All methods are pure except for the random salt. */
export interface PasswordEncoder {
  /** Hashes a raw password with a new random salt. @throws SECURITY_PASSWORD_MISSING if `raw` is not a string */
  encode(raw: string): Promise<string>;
  /**
   * Returns whether `raw` is the password behind `encoded`. The time does not depend on where hashes differ. A stored
   * value in another format returns false, or throws if its format names an encoder that does not exist or parameters
   * that are impossible; never true.
   */
  matches(raw: string, encoded: string): Promise<boolean>;
  /** Returns whether `encoded` is weaker than new hashes and should be replaced after the next successful log-in. */
  upgradeEncoding(encoded: string): boolean;
}

/** Returns `raw`, but rejects non-strings: a missing password must not become the hash of "undefined". */
export function requireRaw(raw: unknown): string {
  if (typeof raw !== 'string') throw authenticationErrors.create('SECURITY_PASSWORD_MISSING');
  return raw;
}

/** Compares byte strings in time that depends only on their lengths. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Compares two texts as UTF-8 in time that depends only on their lengths. */
export function equalTexts(left: string, right: string): boolean {
  return equalBytes(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));
}

const HEX = /^(?:[0-9a-f]{2})*$/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes hexadecimal; undefined if malformed. `Buffer.from(…, 'hex')` alone stops silently at the first bad digit. */
export function fromHex(text: string): Buffer | undefined {
  return HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Decodes Base64 with the standard alphabet, padded or not; undefined if malformed. */
export function fromBase64(text: string): Buffer | undefined {
  if (!BASE64.test(text) || (text.endsWith('=') && text.length % 4 !== 0)) return undefined;
  const bare = text.replace(/=+$/, '');
  return bare.length % 4 === 1 ? undefined : Buffer.from(bare, 'base64');
}

/** Throws if an encoder option is out of range. */
export function checkSetting(encoder: string, setting: string, value: number, low: number, high: number): void {
  if (Number.isInteger(value) && value >= low && value <= high) return;
  throw authenticationErrors.create('SECURITY_ENCODER_SETTING', {
    encoder,
    setting,
    value,
    expected: `a whole number from ${low} to ${high}`,
  });
}

/** Error for a stored password that this encoder cannot have made. Never quotes it. */
export function malformedHash(encoder: string, reason: string): Error {
  return authenticationErrors.create('SECURITY_HASH_MALFORMED', { encoder, reason });
}

/** Returns whether a store has no password, whatever the types say: nothing matches that. */
export function isMissing(encoded: unknown): boolean {
  return encoded === undefined || encoded === null;
}
