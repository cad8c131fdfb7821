// How Irish words are lower-cased: what is prefixed to a vowel gets the hyphen that it has before a small letter.

import { lowerCase } from './letter-case.ts';

/** `lowercase` for Irish: `nAthair` is `n-athair`. */
export function irishLowercase(word: string): string {
  return lowerCase(word.replace(/^([nt])([AEIOUÁÉÍÓÚ])/, '$1-$2'));
}
