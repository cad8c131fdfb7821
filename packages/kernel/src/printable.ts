// Text that others wrote, for a log or a terminal: what could move a cursor, break a line or turn the order of letters is escaped.

/**
 * C0, DEL and C1 controls (ECMA-48; U+009B begins a terminal's commands by itself), line and paragraph separators, marks that change
 * the direction of writing (Unicode TR 9, "Trojan Source"), the byte order mark, and halves of surrogate pairs.
 */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Writes such characters as `\u009b`, as JSON does; JSON stays the same value. `keep` are characters that may stand as they are. */
export function printable(text: string, keep = ''): string {
  return text.replace(UNSAFE, (char) =>
    keep.includes(char) ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
