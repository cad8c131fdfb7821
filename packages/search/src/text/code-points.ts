// Texts by code points: characters beyond the basic plane take two places of a JavaScript string.

/** Returns the code point that begins at `at`; NaN behind the end. */
export const codePointAt = (text: string, at = 0): number => text.codePointAt(at) ?? Number.NaN;

/** Returns the character that begins at `at`; empty behind the end. */
export function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** Returns the code points of a text. */
export const codePointsOf = (text: string): number[] => Array.from(text, (character) => codePointAt(character));
