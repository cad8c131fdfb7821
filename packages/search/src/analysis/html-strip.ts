// The char filter `html_strip`: which runs of a text are tags, comments, scripts, styles and named or numbered characters of HTML, and
// what stands for them: nothing for elements within a line, a line break for all others. It reads what is broken as Lucene does: a tag
// without its end is text. Where it ends is in `html-tag.ts`, names of characters are in `html-entities.ts`.
import { type CharFilter, type Edit, splice } from './char-filter.ts';
import { namedCharacter } from './html-entities.ts';
import { SPACE, TagReader } from './html-tag.ts';

/** Elements within a line: their tags part no words. */
const INLINE = new Set(
  (
    'a abbr acronym b basefont bdo big cite code dfn em font i img input kbd label q s samp select small span strike strong ' +
    'sub sup textarea tt u var'
  ).split(' '),
);

const name = /[:_\p{ID_Start}][-.:_\p{ID_Continue}]*/uy;
const spaces = new RegExp(`[${SPACE}]*`, 'y');
const endOfTag = new RegExp(`[${SPACE}]*>`, 'y');
const named = /&([A-Za-z][A-Za-z0-9]*)(?:;|$)/y;
const numbered = /&#(?:[xX]([0-9A-Fa-f]{1,5})|([0-9]{1,7}))(?:;|$)/y;
/** A pair of surrogates by their numbers. */
const pair =
  /&#(?:[xX]([dD][89aAbB][0-9a-fA-F]{2})|(5[56][0-9]{3}));&#(?:[xX]([dD][c-fC-F][0-9a-fA-F]{2})|(5[67][0-9]{3}));/y;

/** What a sticky pattern finds at a place. */
function at(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place;
  return pattern.exec(text);
}

/** The name of a tag behind white space, and the place behind both; without a name the place behind the white space. */
function nameAt(text: string, place: number): { readonly tag: string | undefined; readonly behind: number } {
  at(spaces, text, place);
  const from = spaces.lastIndex;
  const word = at(name, text, from)?.[0];
  return { tag: word?.toLowerCase(), behind: from + (word?.length ?? 0) };
}

/** The end of what a global pattern finds from a place on, and what it found; the end of the text without. */
function next(pattern: RegExp, text: string, from: number): { readonly found: string; readonly end: number } {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? { found: '', end: text.length } : { found: match[0], end: pattern.lastIndex };
}

const endOfQuoted = (quote: string): RegExp => (quote === '"' ? /\\[^]|"/g : /\\[^]|'/g);

/** The end of a quoted text whose quote ends at `from`. */
function quotedEnd(text: string, from: number, quote: string): number {
  const pattern = endOfQuoted(quote);
  for (let place = from; ;) {
    const { found, end } = next(pattern, text, place);
    if (found === quote || end === text.length) return end;
    place = end;
  }
}

const inInclude = /-->|['"]/g;

/** The end of a server-side include whose `<!--#` ends at `from`. */
function includeEnd(text: string, from: number): number {
  for (let place = from; ;) {
    const { found, end } = next(inInclude, text, place);
    if (found === '-->' || found === '') return end;
    place = quotedEnd(text, end, found);
  }
}

/** The end of a comment whose `--` ends at `from`; in scripts and styles it may hold quotes. */
function commentEnd(text: string, from: number, quotes: boolean): number {
  const pattern = quotes ? /<!--#|-->|['"]/g : /<!--#|-->/g;
  for (let place = from; ;) {
    const { found, end } = next(pattern, text, place);
    if (found === '-->' || found === '') return end;
    place = found === '<!--#' ? includeEnd(text, end) : quotedEnd(text, end, found);
  }
}

const raw = {
  script: new RegExp(`<!--|</[${SPACE}]*script[${SPACE}]*>`, 'gi'),
  style: new RegExp(`<!--|</[${SPACE}]*style[${SPACE}]*>`, 'gi'),
} as const;

/** Where the end tag of a script or style that begins at `from` begins and ends; undefined without one. */
function rawEnd(text: string, from: number, tag: 'script' | 'style'): { start: number; end: number } | undefined {
  for (let place = from; ;) {
    const { found, end } = next(raw[tag], text, place);
    if (found === '') return undefined;
    if (found !== '<!--') return { start: end - found.length, end };
    place = commentEnd(text, end, true);
  }
}

const numberOf = (hexadecimal: string | undefined, decimal: string | undefined): number =>
  hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);

/** Decodes the character reference `&…` at an offset, with its end. */
function character(text: string, place: number): { readonly is: string; readonly end: number } | undefined {
  let match = at(pair, text, place);
  if (match !== null) {
    const [high, low] = [numberOf(match[1], match[2]), numberOf(match[3], match[4])];
    if (high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff)
      return { is: String.fromCharCode(high, low), end: pair.lastIndex };
  }
  match = at(numbered, text, place);
  if (match !== null) {
    const code = numberOf(match[1], match[2]);
    if (code > 0x10ffff) return undefined;
    const is = code >= 0xd800 && code <= 0xdfff ? '\uFFFD' : String.fromCodePoint(code);
    return { is, end: numbered.lastIndex };
  }
  match = at(named, text, place);
  const is = match === null ? undefined : namedCharacter(match[1]!);
  return is === undefined ? undefined : { is, end: named.lastIndex };
}

/**
 * Makes `html_strip`.
 *
 * @param escapedTags names of elements whose tags stay, whatever their case
 */
export function htmlStrip(escapedTags: readonly string[] = []): CharFilter {
  const escaped = new Set(escapedTags.map((tag) => tag.toLowerCase()));
  return (text, most) => {
    const edits: Edit[] = [];
    const tags = new TagReader(text);
    const replace = (start: number, end: number, by: string): number => {
      edits.push({ start, end, with: by });
      return end;
    };
    const markup = /[&<]/g;
    for (let place = 0; ;) {
      const { found, end } = next(markup, text, place);
      if (found === '') break;
      place = found === '&' ? readCharacter(end - 1) : readTag(end - 1);
    }
    return splice(text, edits, most);

    function readCharacter(start: number): number {
      const found = character(text, start);
      return found === undefined ? start + 1 : replace(start, found.end, found.is);
    }

    /** Reads what begins with `<` at `start` and tells where to go on. */
    function readTag(start: number): number {
      const after = text[start + 1];
      if (after === '!') return readDeclaration(start);
      if (after === '/') return readEndTag(start);
      if (after === '?') {
        // A processing instruction ends with `?>` or `/>`, which is the first `>`.
        const end = tags.greaterThan(start + 2);
        return end > start + 2 && (text[end - 1] === '?' || text[end - 1] === '/')
          ? replace(start, end + 1, '')
          : start + 1;
      }
      const { tag, behind } = nameAt(text, start + 1);
      if (tag === undefined) return behind;
      if (tag === 'script' || tag === 'style') {
        const end = tags.end(behind, false);
        if (end >= 0) return readRaw(start, end, tag);
      }
      if (behind === text.length) return escaped.has(tag) && !special(tag) ? behind : replace(start, behind, '');
      const end = tags.end(behind, true);
      if (end < 0) return behind;
      if (escaped.has(tag) && (tag === 'br' || !special(tag))) return end;
      return replace(start, end, INLINE.has(tag) ? '' : '\n');
    }

    /** Those whose start tags have rules of their own, so that being named keeps no other of their tags. */
    function special(tag: string): boolean {
      return tag === 'br' || tag === 'script' || tag === 'style';
    }

    function readEndTag(start: number): number {
      const { tag, behind } = nameAt(text, start + 2);
      if (tag === undefined) return behind;
      const closed = at(endOfTag, text, behind) !== null;
      const end = closed ? endOfTag.lastIndex : behind;
      if (escaped.has(tag) && (!special(tag) || (tag === 'br' && closed))) return end;
      if (closed) return replace(start, end, INLINE.has(tag) ? '' : '\n');
      return behind === text.length ? replace(start, end, '') : behind;
    }

    /** A script or style whose start tag ends at `inner`: what is within goes, also when its tags stay. */
    function readRaw(start: number, inner: number, tag: 'script' | 'style'): number {
      const closing = rawEnd(text, inner, tag);
      const from = escaped.has(tag) ? inner : start;
      if (closing === undefined) return replace(from, text.length, '');
      if (!escaped.has(tag)) return replace(from, closing.end, '\n');
      replace(from, closing.start, '');
      return closing.end;
    }

    /** A comment, a CDATA section, whose text stays, or another declaration, which ends at the first `>`. */
    function readDeclaration(start: number): number {
      if (text.startsWith('--', start + 2)) return replace(start, commentEnd(text, start + 4, false), '');
      if (text.startsWith('[CDATA[', start + 2)) {
        const inner = replace(start, start + 9, '');
        const close = text.indexOf(']]>', inner);
        return close < 0 ? text.length : replace(close, close + 3, '');
      }
      const end = tags.greaterThan(start + 2);
      return end < 0 ? text.length : replace(start, end + 1, '');
    }
  };
}
