// Lower and upper case as Lucene has them: letter by letter, each by one other. JavaScript's differ by the last sigma of a Greek word, the
// dotted capital I, and letters whose capitals are several.
import { codePointAt } from '../text/code-points.ts';

/** Lower-cases a text. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length && !lower.includes('ς')) return lower;
  let changed = '';
  for (const letter of text) changed += letter === 'İ' ? 'i' : letter.toLowerCase();
  return changed;
}

/** Upper-cases a text; a letter without a single capital stays. */
export function upperCase(text: string): string {
  let changed = '';
  for (const letter of text) changed += capital(letter);
  return changed;
}

function capital(letter: string): string {
  const upper = letter.toUpperCase();
  const code = codePointAt(letter);
  if (upper.length === String.fromCodePoint(codePointAt(upper)).length) return upper;
  // Greek vowels with a iota below: U+1F80 to U+1FAF in runs of eight small ones and eight capitals, and three alone.
  if (code >= 0x1f80 && code <= 0x1faf) return String.fromCharCode(code | 8);
  if (code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3) return String.fromCharCode(code + 9);
  return letter;
}
