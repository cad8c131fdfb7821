// Blank and trimmed text as in Java: JavaScript's `trim()` also removes U+00A0 and U+FEFF, which are ordinary
// characters to Spring Security.

/** String.trim: removes characters up to U+0020 at both ends. */
export function trimJava(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start += 1;
  while (start < end && text.charCodeAt(end - 1) <= 0x20) end -= 1;
  return text.slice(start, end);
}

/** String.isBlank: Character.isWhitespace, which leaves the non-breaking spaces out. */
// oxlint-disable-next-line no-control-regex -- the separators of ASCII are whitespace to Java
const BLANK = /^[\t-\r\x1c-\x20\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]*$/;

/** Returns whether the text is empty or all whitespace. */
export function isBlankJava(text: string): boolean {
  return BLANK.test(text);
}
