// Replaces letters, digits and signs by their ASCII relatives, as Lucene's ASCIIFoldingFilter does: by a table of those that it has,
// Apache License 2.0. What is not in it stays, also accents that stand for themselves.

import FOLDED from './data/ascii-folding.json' with { type: 'json' };

/** By ASCII characters those that they take the place of. */
const table = new Map(
  Object.entries(FOLDED).flatMap(([ascii, from]) => Array.from(from, (letter) => [letter, ascii] as const)),
);

/** Folds a text; what has no ASCII relative stays as it is. */
export function foldToAscii(text: string): string {
  // Most words are ASCII throughout.
  return /[\u0080-\uffff]/.test(text)
    ? text.replace(/[\u0080-\uffff]/g, (letter) => table.get(letter) ?? letter)
    : text;
}
