// How a text that a database answers is kept from growing too long: the error that says so, and how its length is told.

/** What a statement throws whose text is longer than allowed. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong';
}

/** Whether a text takes more bytes in UTF-8; counted only where its number of characters leaves that open. */
export function isLongerThan(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}

/** Tells whether a text has more characters, as PostgreSQL counts them: a surrogate pair is one. */
export function hasMoreCharacters(text: string, limit: number): boolean {
  return text.length > limit && text.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, ' ').length > limit;
}
