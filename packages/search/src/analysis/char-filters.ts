// Changes a text before it is tokenized, keeping track of where each character came from so that highlights still point
// into the original. Not here: anything that works on whole words.
import { illegalArgument } from '../request-error.ts';
import { fillReplacement } from './read-settings.ts';
import type { BoundedRegex } from './bounded-regex.ts';

/** A changed text; `offset(i)` is the place in the original that character i of `text` stands for. */
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
function checkSize(text: string, length: number, most: number): void {
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
      // Characters of a replacement stand for the start of what they replace, as far as it reached.
      const kept = Math.min(edit.with.length, edit.end - edit.start);
      length += kept;
      for (let extra = kept; extra < edit.with.length; extra++) {
        at.push(length);
        shift.push(edit.start + kept - length);
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

/** Characters that keys have in common, what follows them, and what stands for the key that ends with them. */
interface KeyPart {
  readonly characters: string;
  /** By the first character of each. */
  readonly next: Map<string, KeyPart>;
  readonly with: string | undefined;
}

/** Characters of a key: at each place of a text as many are looked at. */
const MOST_KEY_CHARACTERS = 256;

/** `mapping`: replaces the longest key found at each place. @throws RequestError for a key that is too long */
export function mappingFilter(rules: ReadonlyMap<string, string>): CharFilter {
  for (const key of rules.keys()) {
    if (key.length > MOST_KEY_CHARACTERS) {
      throw illegalArgument(
        `a key of [mappings] has [${key.length}] characters, which is more than the limit of [${MOST_KEY_CHARACTERS}]`,
      );
    }
  }
  const sorted = [...rules].sort(([a], [b]) => (a < b ? -1 : 1));
  const root = partsOf(sorted, 0, sorted.length, 0);
  return (text, most) => {
    const edits: Edit[] = [];
    for (let start = 0; start < text.length;) {
      let part = root.get(text[start]!);
      let at = start;
      let end = start;
      let found: string | undefined;
      while (part !== undefined && text.startsWith(part.characters, at)) {
        at += part.characters.length;
        if (part.with !== undefined) {
          end = at;
          found = part.with;
        }
        part = at < text.length ? part.next.get(text[at]!) : undefined;
      }
      if (found !== undefined) edits.push({ start, end, with: found });
      start = Math.max(start + 1, end);
    }
    return splice(text, edits, most);
  };
}

/** The parts of some sorted keys behind characters that they have in common. */
function partsOf(
  keys: readonly (readonly [string, string])[],
  from: number,
  to: number,
  depth: number,
): Map<string, KeyPart> {
  const parts = new Map<string, KeyPart>();
  for (let at = from; at < to;) {
    const key = keys[at]![0];
    let end = at + 1;
    while (end < to && keys[end]![0][depth] === key[depth]) end++;
    // Of sorted texts the first and the last have in common what all have.
    const last = keys[end - 1]![0];
    let shared = depth + 1;
    while (shared < key.length && key[shared] === last[shared]) shared++;
    const own = key.length === shared ? keys[at]![1] : undefined;
    const next = partsOf(keys, own === undefined ? at : at + 1, end, shared);
    parts.set(key[depth]!, { characters: key.slice(depth, shared), next, with: own });
    at = end;
  }
  return parts;
}

/** `pattern_replace`: replaces every match; `$1` names a group. */
export function patternReplace(pattern: BoundedRegex, replacement: string): CharFilter {
  return (text, most) => {
    const edits: Edit[] = [];
    let length = 0;
    for (const match of text.matchAll(pattern.over([text]))) {
      const filled = fillReplacement(replacement, match);
      checkSize(text, (length += filled.length), most);
      edits.push({ start: match.index, end: match.index + match[0].length, with: filled });
    }
    return splice(text, edits, most);
  };
}
