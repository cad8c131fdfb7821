// Replaces accented and other Latin letters by their ASCII relatives, as Lucene's ASCIIFoldingFilter does: by canonical
// decomposition, and a table for the letters that do not decompose.

const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  ĸ: 'q',
  ŋ: 'n',
  Ŋ: 'N',
  ŧ: 't',
  Ŧ: 'T',
  ƀ: 'b',
  Ɓ: 'B',
  ƒ: 'f',
  Ƒ: 'F',
  ɓ: 'b',
  ɗ: 'd',
  ɠ: 'g',
  ɨ: 'i',
  ɫ: 'l',
  ɲ: 'n',
  ʈ: 't',
  ʉ: 'u',
  ʋ: 'v',
  ĳ: 'ij',
  Ĳ: 'IJ',
  ŉ: "'n",
  ſ: 's',
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‛': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '⁄': '/',
};

/** The text with Latin letters folded to ASCII; other scripts stay. */
export function foldToAscii(text: string): string {
  // eslint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(text)) return text;
  let folded = '';
  for (const character of text) {
    const known = LETTERS[character];
    if (known !== undefined) {
      folded += known;
      continue;
    }
    // NFKD also opens ligatures and full-width forms; only a result in plain ASCII counts as folded.
    // eslint-disable-next-line no-control-regex
    const bare = character.normalize('NFKD').replace(/\p{Mn}/gu, '');
    // eslint-disable-next-line no-control-regex
    folded += /^[\u0001-\u007f]+$/.test(bare) ? bare : character;
  }
  return folded;
}
