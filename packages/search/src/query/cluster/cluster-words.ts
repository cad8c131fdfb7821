// The words of a phrase as one text for the analyzer of an index on a search cluster, whose `match_phrase` takes a text.

/** The analyzer of words that are words already. */
export const WORDS_ANALYZER = 'lockstitch_words';
/** Stands between two words, and for a position without one. */
export const [WORD_BREAK, NO_WORD] = ['\u0001', '\u0002'];

/** Whether a word cannot stand in such a text. */
export function isUnspeakable(word: string): boolean {
  return word.includes(WORD_BREAK) || word === NO_WORD;
}

/** Every combination of the alternatives of a phrase. */
export function textsOf(
  slots: readonly { readonly position: number; readonly terms: readonly string[] }[],
): readonly string[] {
  let texts: readonly string[] = [''];
  let before = slots[0]!.position - 1;
  for (const { position, terms } of slots) {
    const gap = `${NO_WORD}${WORD_BREAK}`.repeat(position - before - 1);
    texts = texts.flatMap((text) => terms.map((term) => `${text}${gap}${term}${WORD_BREAK}`));
    before = position;
  }
  return texts;
}
