// bcrypt as Spring writes and reads it. @node-rs/bcrypt hashes off the main thread; this file checks the format, the
// bounds of the strength, the 72 bytes, and the `$2$` of the first bcrypt.
import { authenticationErrors } from '../errors/authentication-errors.ts';
import { checkSetting, malformedHash, type PasswordEncoder, requireRaw } from './password-encoder.ts';
import { BCRYPT } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** bcrypt's key schedule reads 18 words; later bytes do not count. */
const MAX_BYTES = 72;
const FORMAT = /^\$2([aby]?)\$(\d\d)\$([./0-9A-Za-z]{53})$/;

export interface BCryptOptions {
  /** log2 of the rounds, 4 to 31. Default: 10 (46 ms on one core of the machine this was measured on). */
  readonly strength?: number;
  /** Prefix of new hashes. Default: 2a, which every implementation reads. */
  readonly version?: '2a' | '2b' | '2y';
}

/**
 * Creates a bcrypt encoder. `encode` rejects a password of more than 72 bytes, because the rest would be ignored.
 * `matches` ignores it as every bcrypt does, so that passwords stored elsewhere keep working.
 */
export function createBCryptEncoder(options: BCryptOptions = {}): PasswordEncoder {
  requireOptions('createBCryptEncoder', BCRYPT, options);
  const { strength = 10, version = '2a' } = options;
  checkSetting('bcrypt', 'strength', strength, 4, 31);
  return {
    async encode(raw) {
      const bytes = Buffer.byteLength(requireRaw(raw), 'utf8');
      if (bytes > MAX_BYTES)
        throw authenticationErrors.create('SECURITY_PASSWORD_TOO_LONG', { bytes, encoder: 'bcrypt', limit: MAX_BYTES });
      return (await bcrypt()).hash(raw, { cost: strength, version });
    },
    async matches(raw, encoded) {
      const parts = FORMAT.exec(encoded);
      // Without the m flag `$` matches only the very end; a trailing newline does not pass.
      if (parts === null) return false;
      readStrength(parts[2]!);
      if (parts[1] !== '') return (await bcrypt()).verify(requireRaw(raw), encoded);
      const cyclic = withoutTerminator(requireRaw(raw));
      return cyclic !== undefined && (await bcrypt()).verify(cyclic, `$2a${encoded.slice(2)}`);
    },
    upgradeEncoding(encoded) {
      if (encoded === '' || typeof encoded !== 'string') return false;
      const parts = FORMAT.exec(encoded);
      if (parts === null) throw malformedHash('bcrypt', 'it does not look like BCrypt');
      return readStrength(parts[2]!) < strength;
    },
  };
}

function readStrength(digits: string): number {
  const stored = Number(digits);
  if (stored < 4 || stored > 31) throw malformedHash('bcrypt', `bad number of rounds ${digits}`);
  return stored;
}

/**
 * `$2$` hashes of the first bcrypt repeat the password without a NUL between. Repeated up to 72 bytes, `$2a$` sees the
 * same key, because its NUL comes after the bytes that count.
 */
function withoutTerminator(raw: string): Uint8Array | undefined {
  const bytes = Buffer.from(raw, 'utf8');
  return bytes.length === 0 ? undefined : Buffer.alloc(MAX_BYTES, bytes);
}

/** Loaded with the first hash: its native part takes 4 MB, which a server without bcrypt passwords never needs. */
const bcrypt = () => import('@node-rs/bcrypt');
