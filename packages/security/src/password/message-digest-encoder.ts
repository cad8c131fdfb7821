// Spring's MessageDigestPasswordEncoder: one round of MD5, SHA-1 or SHA-256 over password‖"{salt}", stored as
// `{salt}digest`. Only to read passwords of old systems and replace them at the next log-in.
import { createHash, randomBytes } from 'node:crypto';
import { equalTexts, type PasswordEncoder, requireRaw, isMissing } from './password-encoder.ts';

const SALTED = /^\{[^}]*\}/;

/**
 * Creates the encoder for a plain digest, with or without salt.
 *
 * @deprecated for new passwords; keep it behind the delegating encoder (`{MD5}`, `{SHA-1}`, `{SHA-256}`)
 */
export function createMessageDigestEncoder(algorithm: 'md5' | 'sha1' | 'sha256'): PasswordEncoder {
  const digest = (raw: string, salt: string): string =>
    salt +
    createHash(algorithm)
      .update(raw + salt, 'utf8')
      .digest('hex');
  return {
    encode: async (raw) => digest(requireRaw(raw), `{${randomBytes(32).toString('base64')}}`),
    async matches(raw, encoded) {
      if (isMissing(encoded)) return false;
      const salt = SALTED.exec(encoded)?.[0] ?? '';
      return equalTexts(encoded, digest(requireRaw(raw), salt));
    },
    upgradeEncoding: () => false,
  };
}
