// A word cut down by a table of its endings: the longest way to say "an English word of more than six letters that ends in …".
// Which endings a language has is in the files of its stemmers.

/** `[more letters than, ending, what takes its place]`; with `'on'` as fourth the rules after it are tried on what is left. */
export type SuffixRule = readonly [more: number, ending: string, put: string, then?: 'on'];

/** Applies the first rule that fits, and further ones after those that say so. @returns the word, and whether a last rule applied */
export function applyRules(rules: readonly SuffixRule[], word: string): string {
  let left = word;
  for (const [more, ending, put, then] of rules) {
    if (left.length <= more || !left.endsWith(ending)) continue;
    left = left.slice(0, left.length - ending.length) + put;
    if (then !== 'on') return left;
  }
  return left;
}

/** Rules that differ by the ending alone. */
export function endings(more: number, list: string, put = ''): SuffixRule[] {
  return list.split(' ').map((ending) => [more, ending, put]);
}

/** Replaces single letters, written in pairs: `['äá', 'a']`. */
export function letters(...pairs: readonly (readonly [from: string, to: string])[]): (word: string) => string {
  const table = new Map(pairs.flatMap(([from, to]) => Array.from(from, (letter) => [letter, to] as const)));
  return (word) => {
    let changed = '';
    for (const letter of word) changed += table.get(letter) ?? letter;
    return changed;
  };
}
