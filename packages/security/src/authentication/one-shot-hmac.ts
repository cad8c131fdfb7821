// HMAC-SHA-256 (RFC 2104) of one text by two one-shot hashes. `createHmac` creates a stream object with a native part
// for every call, which costs garbage collection. This is faster on a server that checks one per request.
import { hash } from '../node-crypto.ts';

/** Block and digest size of SHA-256 in bytes. */
const BLOCK = 64;
const DIGEST = 32;

/**
 * Creates the function for one key.
 *
 * @param key at most 64 bytes
 * @returns the HMAC of a text in UTF-8, as Base64
 */
export function createOneShotHmac(key: Uint8Array): (text: string) => string {
  if (key.length > BLOCK) throw new RangeError('The key of this HMAC has at most 64 bytes.');
  const inner = Buffer.alloc(BLOCK + 4096, 0x36);
  const outer = Buffer.alloc(BLOCK + DIGEST, 0x5c);
  for (const [index, byte] of key.entries()) {
    inner[index]! ^= byte;
    outer[index]! ^= byte;
  }
  const prefix = inner.subarray(0, BLOCK);
  return (text) => {
    // A UTF-16 unit takes at most three bytes; longer texts get a buffer of their own.
    const fits = text.length * 3 <= inner.length - BLOCK;
    const message = fits
      ? inner.subarray(0, BLOCK + inner.write(text, BLOCK, 'utf8'))
      : Buffer.concat([prefix, Buffer.from(text, 'utf8')]);
    // As a binary string: a buffer for every digest costs another half of a hash.
    const digest = hash('sha256', message, 'latin1');
    // The password must not stay in the shared buffer.
    if (fits) inner.fill(0, BLOCK, message.length);
    outer.write(digest, BLOCK, 'latin1');
    return hash('sha256', outer, 'base64');
  };
}
