// How Irish words are lower-cased: what is prefixed to a vowel gets the hyphen that it has before a small letter.

/** `lowercase` for Irish: `nAthair` is `n-athair`. */
export function irishLowercase(word: string): string {
  return word.replace(/^([nt])([AEIOUÁÉÍÓÚ])/, '$1-$2').toLowerCase();
}
