// SQLite functions that read and write blobs as base64, the form of the scalar Bytes, and that write node ids.
import type { DatabaseSync } from 'node:sqlite';

/** `lockstitch_base64(blob)`; any other value stays as it is. */
export const TO_BASE64 = 'lockstitch_base64';
/** `lockstitch_bytes(text)`: the blob of a base64 text. */
export const FROM_BASE64 = 'lockstitch_bytes';

/** `lockstitch_base64url(text)`: its UTF-8 bytes, without padding. */
export const TO_BASE64_URL = 'lockstitch_base64url';

/** Registers the functions on a connection. */
export function registerBase64(database: DatabaseSync): void {
  database.function(TO_BASE64, { deterministic: true }, (value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  );
  database.function(TO_BASE64_URL, { deterministic: true }, (text) =>
    typeof text === 'string' ? Buffer.from(text, 'utf8').toString('base64url') : text,
  );
  database.function(FROM_BASE64, { deterministic: true }, (text) =>
    typeof text === 'string' ? Buffer.from(text, 'base64') : text,
  );
}
