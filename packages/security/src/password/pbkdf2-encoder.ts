// PBKDF2 (RFC 8018 §5.2) in the layout of Spring's Pbkdf2PasswordEncoder: hex or Base64 of salt‖key, the secret
// appended to the salt. The stored text has no parameters, so changing them makes old passwords unreadable: keep the
// old encoder under its own id in the delegating encoder.
import { pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import {
  checkSetting,
  equalBytes,
  fromBase64,
  fromHex,
  malformedHash,
  type PasswordEncoder,
  requireRaw,
  isMissing,
} from './password-encoder.ts';
import { PBKDF2 } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

const derive = promisify(pbkdf2);

/** The defaults are Spring Security 5.8's. */
export interface Pbkdf2Options {
  /** A server-wide secret, appended to the salt. Default: empty. */
  readonly secret?: string;
  /** Bytes of salt. Default: 16. */
  readonly saltLength?: number;
  /** Default: 310,000. */
  readonly iterations?: number;
  /** Default: sha256. */
  readonly algorithm?: 'sha1' | 'sha256' | 'sha512';
  /** Bytes of key. Default: 32, or 64 with sha512. */
  readonly keyLength?: number;
  /** The encoding of the stored text. Default: hex. */
  readonly format?: 'hex' | 'base64';
}

/** Parameters of Spring Security up to 5.7. */
export const PBKDF2_V5_5: Pbkdf2Options = { saltLength: 8, iterations: 185_000, algorithm: 'sha1' };

export function createPbkdf2Encoder(options: Pbkdf2Options = {}): PasswordEncoder {
  requireOptions('createPbkdf2Encoder', PBKDF2, options);
  const { secret = '', saltLength = 16, iterations = 310_000, algorithm = 'sha256', format = 'hex' } = options;
  const keyLength = options.keyLength ?? (algorithm === 'sha512' ? 64 : 32);
  checkSetting('pbkdf2', 'saltLength', saltLength, 1, 1024);
  checkSetting('pbkdf2', 'iterations', iterations, 1, 100_000_000);
  checkSetting('pbkdf2', 'keyLength', keyLength, 16, 1024);
  const pepper = Buffer.from(secret, 'utf8');
  const hash = async (raw: string, salt: Uint8Array): Promise<Buffer> =>
    Buffer.concat([salt, await derive(raw, Buffer.concat([salt, pepper]), iterations, keyLength, algorithm)]);
  return {
    encode: async (raw) => (await hash(requireRaw(raw), randomBytes(saltLength))).toString(format),
    async matches(raw, encoded) {
      if (isMissing(encoded)) return false;
      const stored = format === 'hex' ? fromHex(encoded) : fromBase64(encoded);
      if (stored === undefined) throw malformedHash('pbkdf2', `it is not ${format}`);
      if (stored.length !== saltLength + keyLength) return false;
      return equalBytes(stored, await hash(requireRaw(raw), stored.subarray(0, saltLength)));
    },
    upgradeEncoding: () => false,
  };
}
