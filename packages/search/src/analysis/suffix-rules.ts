// A word cut down by a table of its endings: the longest way to say "an English word of more than six letters that ends in …".
// Which endings a language has is in the files of its stemmers.

import { wordsOf } from '@lockstitch/kernel';

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

/** Reads rules: `9 issement ir, 8 ation|ition, 6 trice teur on` are `[more, ending, put, then]`, where `-` puts nothing. */
export function rules(text: string): readonly SuffixRule[] {
  return text.split(',').flatMap((rule) => {
    const [more = '', list = '', put = '-', then] = wordsOf(rule);
    const letters = put === '-' ? '' : put;
    return list
      .split('|')
      .map((ending): SuffixRule => (then === 'on' ? [+more, ending, letters, then] : [+more, ending, letters]));
  });
}

/** Rules whose longer endings go before shorter ones, and that leave at least so many letters of a word. */
export function longestFirst(leave: number, list: string): SuffixRule[] {
  return wordsOf(list)
    .sort((a, b) => b.length - a.length)
    .map((ending) => [ending.length + leave - 1, ending, '']);
}

/** Finds the longest ending that a word has within its last so many letters; empty when it has none. */
export function longestOf(list: string): (word: string, room: number) => string {
  const all = new Set(wordsOf(list));
  const longest = Math.max(...Array.from(all, (ending) => ending.length));
  return (word, room) => {
    for (let size = Math.min(longest, room, word.length); size > 0; size--) {
      const ending = word.slice(-size);
      if (all.has(ending)) return ending;
    }
    return '';
  };
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
