// How a text that a database answers is kept from growing too long: the error that says so, and how its length is told.

/** What a statement throws whose text is longer than allowed. */
export class TextTooLong extends Error {
  override readonly name = 'TextTooLong';
}

/** Whether a text takes more bytes in UTF-8; counted only where its number of characters leaves that open. */
export function isLongerThan(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}
