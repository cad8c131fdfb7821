// The filter `german_stem`: Caumanns' stemmer of German, as Lucene 8 has it, whose stems it gives. It is none of Snowball's.
/** Groups of letters that count as one while endings are cut off. */
const GROUPS: readonly (readonly [string, string])[] = [
  ['sch', '$'],
  ['ch', '§'],
  ['ei', '%'],
  ['ie', '&'],
  ['ig', '#'],
  ['st', '!'],
];
const LETTERS: Readonly<Record<string, string>> = { ä: 'a', ö: 'o', ü: 'u' };
const ALL_LETTERS = /^\p{L}*$/u;

/** `german_stem`. */
export function germanStem(word: string): string {
  const term = word.toLowerCase();
  if (!ALL_LETTERS.test(term)) return term;
  const { letters, saved } = substitute(term);
  let stem = strip(letters, saved);
  // Plurals of professions.
  if (stem.length > 5 && stem.endsWith('erin*')) stem = strip(stem.slice(0, -1), saved);
  // Matrizen, Matrix.
  if (stem.endsWith('z')) stem = `${stem.slice(0, -1)}x`;
  return withoutParticle(restore(stem));
}

/** Doubled letters become one and a star, umlauts their letters, and groups one sign each. @returns how many letters that saved */
function substitute(term: string): { readonly letters: string; readonly saved: number } {
  const left = term.split('');
  let saved = 0;
  for (let at = 0; at < left.length; at++) {
    const letter = left[at]!;
    if (at > 0 && letter === left[at - 1]) left[at] = '*';
    else if (Object.hasOwn(LETTERS, letter)) left[at] = LETTERS[letter]!;
    else if (letter === 'ß') {
      left.splice(at, 1, 's', 's');
      saved++;
    }
    if (at >= left.length - 1) continue;
    for (const [group, sign] of GROUPS) {
      if (!group.split('').every((each, place) => left[at + place] === each)) continue;
      left.splice(at, group.length, sign);
      saved += group.length - 1;
      break;
    }
  }
  return { letters: left.join(''), saved };
}

function strip(letters: string, saved: number): string {
  let left = letters;
  while (left.length > 3) {
    const length = left.length + saved;
    if (length > 5 && left.endsWith('nd')) left = left.slice(0, -2);
    else if (length > 4 && (left.endsWith('em') || left.endsWith('er'))) left = left.slice(0, -2);
    else if (/[esnt]$/.test(left)) left = left.slice(0, -1);
    else break;
  }
  return left;
}

function restore(letters: string): string {
  let word = '';
  // Kept apart: reading the end of a text that grows copies the text.
  let last = '';
  for (const letter of letters) {
    const text = letter === '*' ? last : (GROUPS.find(([, sign]) => sign === letter)?.[0] ?? letter);
    word += text;
    last = text.at(-1) ?? '';
  }
  return word;
}

/** Participles have `ge` between their parts: of two only the second stays. */
function withoutParticle(word: string): string {
  const at = word.length > 4 ? word.indexOf('gege') : -1;
  return at < 0 ? word : word.slice(0, at) + word.slice(at + 2);
}
