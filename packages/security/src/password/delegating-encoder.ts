// Delegates to the encoder named by the `{id}` prefix of a stored password; new passwords get the current encoder's id.
// An unknown or missing id is an error and never "wrong password", so that misconfiguration is noticed.
import { authenticationErrors } from '../errors/authentication-errors.ts';
import { createArgon2Encoder } from './argon2-encoder.ts';
import { createBCryptEncoder } from './bcrypt-encoder.ts';
import { createLdapEncoder } from './ldap-encoder.ts';
import { createMessageDigestEncoder } from './message-digest-encoder.ts';
import { createNoOpEncoder } from './noop-encoder.ts';
import { type PasswordEncoder, requireRaw } from './password-encoder.ts';
import { createPbkdf2Encoder, PBKDF2_V5_5 } from './pbkdf2-encoder.ts';
import { createSCryptEncoder, SCRYPT_V4_1 } from './scrypt-encoder.ts';
import { createStandardEncoder } from './standard-encoder.ts';
import { DELEGATING } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

export interface DelegatingOptions {
  /** Id for new passwords. Default: `bcrypt`. */
  readonly encodeId?: string;
  /** Encoders by id. Default: Spring's ids (without MD4, which OpenSSL no longer offers). */
  readonly encoders?: Readonly<Record<string, PasswordEncoder>>;
}

/** Spring's ids and their encoders. Ids are case-sensitive. */
export function standardEncoders(): Readonly<Record<string, PasswordEncoder>> {
  return {
    bcrypt: createBCryptEncoder(),
    ldap: createLdapEncoder(),
    MD5: createMessageDigestEncoder('md5'),
    noop: createNoOpEncoder(),
    pbkdf2: createPbkdf2Encoder(PBKDF2_V5_5),
    'pbkdf2@SpringSecurity_v5_8': createPbkdf2Encoder(),
    scrypt: createSCryptEncoder(SCRYPT_V4_1),
    'scrypt@SpringSecurity_v5_8': createSCryptEncoder(),
    'SHA-1': createMessageDigestEncoder('sha1'),
    'SHA-256': createMessageDigestEncoder('sha256'),
    sha256: createStandardEncoder(),
    argon2: createArgon2Encoder({ memory: 4096, iterations: 3 }),
    'argon2@SpringSecurity_v5_8': createArgon2Encoder(),
  };
}

/** Creates the encoder that reads `{id}hash`. @throws SECURITY_ENCODER_UNKNOWN if `encodeId` has no encoder */
export function createDelegatingEncoder(options: DelegatingOptions = {}): PasswordEncoder {
  requireOptions('createDelegatingEncoder', DELEGATING, options);
  const { encodeId = 'bcrypt', encoders = standardEncoders() } = options;
  const byId = new Map(Object.entries(encoders));
  const unknown = (id: string): Error =>
    authenticationErrors.create('SECURITY_ENCODER_UNKNOWN', { id, known: [...byId.keys()].join(', ') });
  const current = byId.get(encodeId);
  if (current === undefined) throw unknown(encodeId);
  return {
    encode: async (raw) => `{${encodeId}}${await current.encode(requireRaw(raw))}`,
    async matches(raw, encoded) {
      const [id, hash] = splitId(encoded);
      if (id === undefined || id === '') throw authenticationErrors.create('SECURITY_ENCODER_ID_MISSING');
      const encoder = byId.get(id);
      if (encoder === undefined) throw unknown(id);
      return encoder.matches(requireRaw(raw), hash);
    },
    upgradeEncoding(encoded) {
      const [id, hash] = splitId(encoded);
      return id !== encodeId || current.upgradeEncoding(hash);
    },
  };
}

/** Splits `{id}rest`; the id is undefined without a prefix. Tolerates null, as a stored NULL is. */
function splitId(encoded: string | null | undefined): readonly [id: string | undefined, hash: string] {
  if (typeof encoded !== 'string' || !encoded.startsWith('{')) return [undefined, ''];
  const end = encoded.indexOf('}');
  return end === -1 ? [undefined, ''] : [encoded.slice(1, end), encoded.slice(end + 1)];
}
