// What a char filter is: it changes a text before it is cut into tokens, and knows for each character where it came from, so that
// highlights point into the original.
import { illegalArgument } from '../errors/request-error.ts';

/** A changed text; `offset(i)` is the offset in the original of character i of `text`. */
export interface FilteredText {
  readonly text: string;
  offset(at: number): number;
}

/** Changes a text, into one of `most` characters at most. */
export type CharFilter = (text: string, most: number) => FilteredText;

const identity = (at: number): number => at;

/**
 * How long the filters of an analyzer, one after the other, may make a text: tenfold, small ones at will, and large ones twofold. Beyond, a
 * few words would fill the memory: thirty filters in a row that each put four characters for one make 4³⁰ of one.
 */
export function mostCharacters(text: string): number {
  return Math.max(1_000_000, Math.min(10 * text.length, 4_000_000), 2 * text.length);
}

/** @throws RequestError when a text becomes longer than it may */
export function checkSize(text: string, length: number, most: number): void {
  if (length <= most) return;
  throw illegalArgument(
    `a char_filter makes [${length}] characters of a text of [${text.length}]; its replacements are too long`,
  );
}

/** A replacement: `[start, end)` of a text becomes `with`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly with: string;
}

/** Builds a filtered text of replacements in ascending order. @throws RequestError when it becomes longer than `most` */
export function splice(text: string, edits: readonly Edit[], most: number): FilteredText {
  if (edits.length === 0) return { text, offset: identity };
  const pieces: string[] = [];
  // After position `at[k]` of the result, original = result + shift[k].
  const at: number[] = [];
  const shift: number[] = [];
  let from = 0;
  let length = 0;
  for (const edit of edits) {
    pieces.push(text.slice(from, edit.start), edit.with);
    length += edit.start - from;
    checkSize(text, length + edit.with.length, most);
    if (edit.with.length > 0) {
      // Characters of a replacement map to those they replace, further ones to the last of these.
      const kept = Math.min(edit.with.length, edit.end - edit.start);
      length += kept;
      for (let extra = kept; extra < edit.with.length; extra++) {
        at.push(length);
        shift.push(edit.start + kept - 1 - length);
        length++;
      }
    }
    from = edit.end;
    at.push(length);
    shift.push(from - length);
  }
  pieces.push(text.slice(from));
  return {
    text: pieces.join(''),
    offset(position) {
      let low = 0;
      let high = at.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (at[middle]! <= position) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? position : Math.max(0, position + shift[low - 1]!);
    },
  };
}
