// Clear text (`{noop}password`), for examples and tests only.
import { equalTexts, type PasswordEncoder, requireRaw, isMissing } from './password-encoder.ts';

/** Creates the encoder that stores clear text. Never for production. */
export function createNoOpEncoder(): PasswordEncoder {
  return {
    encode: async (raw) => requireRaw(raw),
    matches: async (raw, encoded) => !isMissing(encoded) && equalTexts(requireRaw(raw), encoded),
    upgradeEncoding: () => false,
  };
}
