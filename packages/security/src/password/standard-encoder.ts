// Spring's StandardPasswordEncoder: salted, 1024 rounds of SHA-256, hex(salt‖digest). Deprecated there and here: a
// graphics card tries a billion of these in seconds. Only to read what older systems stored.
import { createHash, randomBytes } from 'node:crypto';
import { equalBytes, fromHex, type PasswordEncoder, requireRaw } from './password-encoder.ts';
import { STANDARD } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

const SALT_BYTES = 8;
const ROUNDS = 1024;

/**
 * Creates the encoder for passwords stored by Spring's StandardPasswordEncoder.
 *
 * @param options.secret a server-wide secret between salt and password; default empty
 * @deprecated for new passwords; keep it behind the delegating encoder (`{sha256}`) to read old ones
 */
export function createStandardEncoder(options: { readonly secret?: string } = {}): PasswordEncoder {
  requireOptions('createStandardEncoder', STANDARD, options);
  const secret = Buffer.from(options.secret ?? '', 'utf8');
  const hash = (raw: string, salt: Uint8Array): Buffer => {
    let digest = createHash('sha256').update(salt).update(secret).update(raw, 'utf8').digest();
    for (let round = 1; round < ROUNDS; round += 1) digest = createHash('sha256').update(digest).digest();
    return Buffer.concat([salt, digest]);
  };
  return {
    encode: async (raw) => hash(requireRaw(raw), randomBytes(SALT_BYTES)).toString('hex'),
    async matches(raw, encoded) {
      const stored = fromHex(encoded);
      if (stored === undefined || stored.length < SALT_BYTES) return false;
      return equalBytes(stored, hash(requireRaw(raw), stored.subarray(0, SALT_BYTES)));
    },
    upgradeEncoding: () => false,
  };
}
