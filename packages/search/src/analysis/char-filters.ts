// Changes a text before it is tokenized, keeping track of where each character came from so that highlights still point
// into the original. Not here: anything that works on whole words.
import { illegalArgument } from '../request-error.ts';
import type { BoundedRegex } from './bounded-regex.ts';

/** A changed text; `offset(i)` is the place in the original that character i of `text` stands for. */
export interface FilteredText {
  readonly text: string;
  offset(at: number): number;
}

/** Changes a text. */
export type CharFilter = (text: string) => FilteredText;

const identity = (at: number): number => at;

/** Replacements may lengthen a text tenfold and small ones at will; beyond, a few words would fill the memory. */
function checkSize(text: string, length: number): void {
  if (length <= Math.max(10 * text.length, 1_000_000)) return;
  throw illegalArgument(
    `a char_filter makes [${length}] characters of a text of [${text.length}]; its replacements are too long`,
  );
}

/** Builds a filtered text from replacements `[start, end) → text` in ascending order. */
function splice(text: string, edits: readonly { start: number; end: number; with: string }[]): FilteredText {
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
    checkSize(text, length);
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

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  euro: '€',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  ccedil: 'ç',
  ntilde: 'ñ',
};

const BLOCK_TAGS =
  /^\/?(?:address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tbody|td|tfoot|th|thead|tr|ul|title|body|head|html)$/i;

/** `html_strip`: drops tags, comments, scripts and styles; decodes entities; block tags become line breaks. */
export function htmlStrip(escapedTags: readonly string[] = []): CharFilter {
  const escaped = new Set(escapedTags.map((tag) => tag.toLowerCase()));
  const pattern =
    /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?<\/\1\s*>|<[!?][^>]*>|<(\/?[A-Za-z][A-Za-z0-9:_-]*)(?:[^<>"']|"[^"]*"|'[^']*')*>|&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]+));?/g;
  return (text) => {
    const edits: { start: number; end: number; with: string }[] = [];
    for (const match of text.matchAll(pattern)) {
      const [whole, , tag, decimal, hex, entity] = match;
      let replacement: string | undefined;
      if (decimal !== undefined || hex !== undefined) {
        const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
        replacement = code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
      } else if (entity !== undefined) {
        replacement = Object.hasOwn(ENTITIES, entity) ? ENTITIES[entity] : undefined;
      } else if (tag === undefined) {
        replacement = /^<(?:script|style)/i.test(whole) ? '\n' : '';
      } else if (!escaped.has(tag.replace('/', '').toLowerCase())) {
        replacement = BLOCK_TAGS.test(tag) ? '\n' : '';
      }
      if (replacement !== undefined) {
        edits.push({ start: match.index, end: match.index + whole.length, with: replacement });
      }
    }
    return splice(text, edits);
  };
}

/** `mapping`: replaces the longest key found at each place. */
export function mappingFilter(rules: ReadonlyMap<string, string>): CharFilter {
  const longest = Math.max(0, ...[...rules.keys()].map((key) => key.length));
  return (text) => {
    const edits: { start: number; end: number; with: string }[] = [];
    for (let at = 0; at < text.length;) {
      let size = Math.min(longest, text.length - at);
      while (size > 0 && !rules.has(text.slice(at, at + size))) size--;
      if (size > 0) edits.push({ start: at, end: at + size, with: rules.get(text.slice(at, at + size))! });
      at += Math.max(1, size);
    }
    return splice(text, edits);
  };
}

/** `pattern_replace`: replaces every match; `$1` names a group. */
export function patternReplace(pattern: BoundedRegex, replacement: string): CharFilter {
  return (text) => {
    const edits: { start: number; end: number; with: string }[] = [];
    for (const match of text.matchAll(pattern.over([text]))) {
      const filled = replacement.replace(/\\(.)|\$(\d)/g, (_, escaped: string | undefined, group: string | undefined) =>
        escaped === undefined ? (match[Number(group)] ?? '') : escaped,
      );
      edits.push({ start: match.index, end: match.index + match[0].length, with: filled });
    }
    return splice(text, edits);
  };
}
