// Where the sentences of a text are, and its words, by the rules of a language (UAX #29). Not here: which of them are shown.

/** A piece of a text and where it begins. */
export interface Piece {
  readonly segment: string;
  readonly index: number;
}

/** Languages whose rules are kept. */
const KEPT = 100;

const segmenters = new Map<string, Intl.Segmenter>();

/**
 * What may end a sentence (UAX #29 §5.1: Sep, CR, LF, ATerm, STerm), and what does in Greek. Most titles and names have none of
 * it but at their end: they are one sentence, which to be told by Intl.Segmenter takes 3 µs, two thirds of all that
 * highlights cost.
 */
const MAY_END = /[\p{Sentence_Terminal}\u2024\ufe52\uff0e;\u037e\r\n\u0085\u2028\u2029]/u;

/** The sentences, one after the other. */
export function sentencesOf(text: string, locale: string): Iterable<Piece> {
  const end = text.search(MAY_END);
  if (text !== '' && (end === -1 || end === text.length - 1)) return [{ segment: text, index: 0 }];
  return segmenter(locale, 'sentence').segment(text);
}

/** What keeps letters on both sides in one word for java.text.BreakIterator, but not by UAX #29. */
const MID_WORD = /[\p{Pd}"]/u;
const ENDS_IN_LETTER = /\p{L}\p{M}?$/u;
const BEGINS_WITH_LETTER = /^\p{L}/u;

/** The words and what is between them, as java.text.BreakIterator finds them: words with dashes are one. */
export function wordsOf(text: string, locale: string): Iterable<Piece> {
  const pieces = segmenter(locale, 'word').segment(text);
  return MID_WORD.test(text) ? joined(text, pieces) : pieces;
}

function* joined(text: string, pieces: Iterable<Piece>): Generator<Piece> {
  let open: Piece | undefined;
  let joins = false;
  for (const piece of pieces) {
    const { index, segment } = piece;
    const end = index + segment.length;
    const isMid =
      segment.length === 1 &&
      MID_WORD.test(segment) &&
      ENDS_IN_LETTER.test(text.slice(Math.max(0, index - 3), index)) &&
      BEGINS_WITH_LETTER.test(text.slice(end, end + 2));
    if (open !== undefined && (joins || isMid)) open = { index: open.index, segment: text.slice(open.index, end) };
    else {
      if (open !== undefined) yield open;
      open = piece;
    }
    joins = isMid;
  }
  if (open !== undefined) yield open;
}

function segmenter(locale: string, granularity: 'sentence' | 'word'): Intl.Segmenter {
  const key = `${granularity} ${locale}`;
  let found = segmenters.get(key);
  if (found === undefined) {
    if (segmenters.size >= KEPT) segmenters.clear();
    segmenters.set(key, (found = new Intl.Segmenter(locale, { granularity })));
  }
  return found;
}
