// Limits the length of texts that a database returns: the error, and the length tests.

/** Thrown by a statement whose text exceeds the limit. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong';
}

/** Whether a text has more UTF-8 bytes; counted only if its number of characters leaves it open. */
export function isLongerThan(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}

/** Whether a text has more characters, counted as PostgreSQL does: a surrogate pair is one. */
export function hasMoreCharacters(text: string, limit: number): boolean {
  return text.length > limit && text.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, ' ').length > limit;
}
