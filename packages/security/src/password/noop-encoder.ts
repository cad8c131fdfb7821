// Clear text, for examples and tests only. It exists so that `{noop}password` can be written where the point is another.
import { equalTexts, type PasswordEncoder, requireRaw, isMissing } from './password-encoder.ts';

/** Makes the encoder that stores clear text. Never for real use. */
export function createNoOpEncoder(): PasswordEncoder {
  return {
    encode: async (raw) => requireRaw(raw),
    matches: async (raw, encoded) => !isMissing(encoded) && equalTexts(requireRaw(raw), encoded),
    upgradeEncoding: () => false,
  };
}
