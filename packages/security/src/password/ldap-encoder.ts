// `{SHA}` and `{SSHA}` of LDAP directories (RFC 2307 §5.3): SHA-1 over password‖salt, Base64 of digest‖salt. Only to
// read passwords exported from a directory.
import { createHash, randomBytes } from 'node:crypto';
import {
  equalBytes,
  equalTexts,
  fromBase64,
  malformedHash,
  type PasswordEncoder,
  requireRaw,
  isMissing,
} from './password-encoder.ts';

const DIGEST_BYTES = 20;
const PREFIX = /^\{(S?SHA)\}/i;

/**
 * Creates the encoder for LDAP's `{SHA}` and `{SSHA}`. Text without a prefix is compared as clear text, as Spring does.
 *
 * @deprecated for new passwords; keep it behind the delegating encoder (`{ldap}`) to read old ones
 */
export function createLdapEncoder(): PasswordEncoder {
  const digest = (raw: string, salt: Uint8Array): Buffer =>
    Buffer.concat([createHash('sha1').update(raw, 'utf8').update(salt).digest(), salt]);
  return {
    encode: async (raw) => `{SSHA}${digest(requireRaw(raw), randomBytes(8)).toString('base64')}`,
    async matches(raw, encoded) {
      if (isMissing(encoded)) return false;
      requireRaw(raw);
      if (!encoded.startsWith('{')) return equalTexts(raw, encoded);
      const prefix = PREFIX.exec(encoded);
      if (prefix === null) throw malformedHash('ldap', 'its prefix is neither {SHA} nor {SSHA}');
      const stored = fromBase64(encoded.slice(prefix[0].length));
      if (stored === undefined || stored.length < DIGEST_BYTES) return false;
      const salted = prefix[1]!.length === 4;
      return equalBytes(stored, digest(raw, salted ? stored.subarray(DIGEST_BYTES) : Buffer.alloc(0)));
    },
    upgradeEncoding: () => false,
  };
}
