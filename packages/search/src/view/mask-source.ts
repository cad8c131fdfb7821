// Masks the stored JSON of a document: hidden members are removed, guarded members become null. The rest
// is copied byte for byte, so that numbers keep their digits. Which members are hidden is decided by the view.
import { isWithin } from './index-view.ts';

/** The stored sources of a segment, as far as they are shown. */
export interface SourceTexts {
  text(doc: number): string;
  /** Without the bytes `from … to - 1`. */
  textWithout(doc: number, from: number, to: number): string;
  /** In bytes. */
  length(doc: number): number;
}

/** Makes the text that is shown of a document's source. */
export type SourceMask = (sources: SourceTexts, doc: number) => string;

/** What is withheld of every document, and of some. */
export interface SourceRules {
  readonly hidden: readonly string[];
  /** Whether the value at a path is withheld in a document. */
  readonly withheld: readonly { readonly path: string; has(doc: number): boolean }[];
}

/** Makes the mask of a segment. */
export function maskSource({ hidden, withheld }: SourceRules): SourceMask {
  const names = new Names([...hidden, ...withheld.map(({ path }) => path)]);
  const copy = new Copy(hidden, names);
  const owner = ++masks;
  return (sources, doc) => {
    let nulls = NONE;
    for (const each of withheld) if (each.has(doc)) nulls = [...nulls, each.path];
    if (nulls.length > 0) return copy.make(sources.text(doc), nulls);
    const place = placeOf(owner, doc);
    const slot = isAt(place, owner, doc) ? place : isAt(place ^ 4, owner, doc) ? place ^ 4 : -1;
    if (slot >= 0) {
      const from = spans[slot + 2]!;
      return from < 0 ? sources.text(doc) : sources.textWithout(doc, from, spans[slot + 3]!);
    }
    const source = sources.text(doc);
    const shown = copy.make(source, NONE);
    if (copy.pieces < 2)
      remember(place, owner, doc, source, shown, sources.length(doc), copy.pieces === 0 ? -1 : copy.left);
    return shown;
  };
}

/** What is withheld of one document: paths that are not there, and paths that are null. */
export interface DocumentRules {
  readonly hidden: readonly string[];
  readonly nulls: readonly string[];
}

/** The text that is shown of a source. */
export function maskedText(source: string, { hidden, nulls }: DocumentRules): string {
  return new Copy(hidden, new Names([...hidden, ...nulls])).make(source, nulls);
}

/**
 * What is left out of documents that were shown before, where it is one stretch, for finding it again takes ten times as long: the number
 * of the mask, the document, and the bytes where the stretch begins (-1: nothing is left out) and ends, so that they are not even made a
 * text of. One table of a quarter of a megabyte for the process, with two places for whatever comes to either: who comes takes the first,
 * and who was there the second. With one place, 1,200 documents shown in turns lost one in seven.
 */
const spans = new Int32Array(4 << 14);
/** No number comes twice, so that no mask meets what another left. */
let masks = 0;

/** Where in the table a document of a mask has the first of its places; the other differs in one bit. */
function placeOf(owner: number, doc: number): number {
  return (Math.imul(doc + Math.imul(owner, 0x5bd1e995), 0x9e3779b1) >>> 18) << 2;
}

function isAt(slot: number, owner: number, doc: number): boolean {
  return spans[slot] === owner && spans[slot + 1] === doc;
}

function remember(
  place: number,
  owner: number,
  doc: number,
  source: string,
  shown: string,
  bytes: number,
  left: number,
): void {
  let from = left;
  let to = left + source.length - shown.length;
  if (bytes !== source.length && left >= 0) {
    // What is no UTF-8 is shown as something longer: then places in the text are none in the bytes.
    if (Buffer.byteLength(source) !== bytes) return;
    to = Buffer.byteLength(source.slice(0, to));
    from = Buffer.byteLength(source.slice(0, from));
  }
  spans.copyWithin(place ^ 4, place, place + 4);
  spans[place] = owner;
  spans[place + 1] = doc;
  spans[place + 2] = from;
  spans[place + 3] = to;
}

const NONE: readonly string[] = [];
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const DOT = 0x2e;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;
/** Characters of a string that are looked at one by one before the rest is searched at once. */
const SHORT = 24;

/** The members of an object that have to be looked at. */
interface Members {
  /** What their names may be, up to a dot. */
  readonly names: readonly string[];
  /** By the last seven bits of the first character of a name as it is written: whether it may be one of them. */
  readonly firsts: Uint8Array;
}

/** By object, the names of members that have to be looked at: most others are told by their first character. */
class Names {
  readonly #paths: readonly string[];
  readonly #below = new Map<string, Members>();

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** The members below a path; undefined when none matters. */
  below(path: string): Members | undefined {
    let found = this.#below.get(path);
    if (found === undefined) {
      const rests = this.#paths.flatMap((each) =>
        path === '' ? [each] : each.startsWith(`${path}.`) ? [each.slice(path.length + 1)] : [],
      );
      // A document may hold any names: what has nothing below it is not remembered.
      if (rests.length === 0) return undefined;
      const names = [...new Set(rests.map((rest) => rest.split('.')[0]!))];
      const firsts = new Uint8Array(128);
      firsts[BACKSLASH] = 1;
      for (const name of names) firsts[name.charCodeAt(0) & 127] = 1;
      this.#below.set(path, (found = { names, firsts }));
    }
    return found;
  }
}

/** One pass over a valid JSON text. What reads it is given a place and answers the place behind. */
class Copy {
  private readonly hidden: readonly string[];
  private readonly names: Names;
  private nulls = NONE;
  /** Up to where the text is copied or left out. */
  private done = 0;
  /** What is copied so far. */
  private shown = '';
  /** Of the last text: how many stretches were left out, and where the first began. */
  pieces = 0;
  left = 0;

  constructor(hidden: readonly string[], names: Names) {
    this.hidden = hidden;
    this.names = names;
  }

  make(source: string, nulls: readonly string[]): string {
    this.nulls = nulls;
    this.done = 0;
    this.shown = '';
    this.pieces = 0;
    if (source === '') return source;
    this.value(source, skipSpace(source, 0), '');
    return this.done === 0 ? source : this.shown + source.slice(this.done);
  }

  private value(text: string, at: number, path: string): number {
    const first = text.charCodeAt(at);
    if (first === OPEN_OBJECT) {
      const members = this.names.below(path);
      if (members !== undefined) return this.object(text, at + 1, path, members);
    } else if (first === OPEN_LIST && this.names.below(path) !== undefined) return this.list(text, at + 1, path);
    return skipValue(text, at);
  }

  private list(text: string, from: number, path: string): number {
    let at = skipSpace(text, from);
    while (text.charCodeAt(at) !== CLOSE_LIST) {
      at = skipSpace(text, this.value(text, at, path));
      if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
    }
    return at + 1;
  }

  private object(text: string, from: number, path: string, { names, firsts }: Members): number {
    let at = skipSpace(text, from);
    /** Behind the brace, or the last member that is shown. */
    let end = from;
    let shown = false;
    while (text.charCodeAt(at) === QUOTE) {
      const start = at + 1;
      at = endOfString(text, start);
      const name = firsts[text.charCodeAt(start) & 127] === 0 ? undefined : nameBetween(text, start, at, names);
      // Behind the colon.
      at = skipSpace(text, skipSpace(text, at + 1) + 1);
      if (name === undefined) {
        at = skipValue(text, at);
        shown = true;
        end = at;
      } else {
        const place = path === '' ? name : `${path}.${name}`;
        if (this.hidden.some((each) => isWithin(place, each))) {
          at = skipSpace(text, skipValue(text, at));
          const last = text.charCodeAt(at) !== COMMA;
          // With the comma that separates it from what is shown: the one before, or where nothing is before, the one behind.
          this.leaveOut(text, end, shown || last ? at : at + 1);
        } else {
          if (this.nulls.some((each) => isWithin(place, each))) {
            const behind = skipValue(text, at);
            this.leaveOut(text, at, behind);
            this.shown += 'null';
            at = behind;
          } else at = this.value(text, at, place);
          shown = true;
          end = at;
        }
      }
      at = skipSpace(text, at);
      if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
      if (!shown) end = at;
    }
    return at + 1;
  }

  private leaveOut(text: string, from: number, to: number): void {
    if (from > this.done) this.shown += text.slice(this.done, from);
    if (this.pieces++ === 0) this.left = from;
    this.done = to;
  }
}

/** A name of a member, if it is one of those that matter. */
function nameBetween(text: string, start: number, end: number, names: readonly string[]): string | undefined {
  for (let at = start; at < end; at++) {
    if (text.charCodeAt(at) === BACKSLASH) return JSON.parse(text.slice(start - 1, end + 1)) as string;
  }
  for (const name of names) {
    const behind = start + name.length;
    if (behind > end || (behind < end && text.charCodeAt(behind) !== DOT)) continue;
    if (text.startsWith(name, start)) return text.slice(start, end);
  }
  return undefined;
}

/** The next character that is no space. */
function skipSpace(text: string, from: number): number {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
  }
}

/** The place behind a value. */
function skipValue(text: string, from: number): number {
  if (text.charCodeAt(from) === QUOTE) return endOfString(text, from + 1) + 1;
  const { length } = text;
  let depth = 0;
  for (let at = from; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (code === COMMA && depth === 0) return at;
  }
  return length;
}

/** The place of the quote that ends a string. */
function endOfString(text: string, from: number): number {
  let at = from;
  for (const near = from + SHORT; at < near; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  // A backslash may have led past the last of those characters, so what begins here is not escaped.
  const start = at;
  for (;;) {
    const quote = text.indexOf('"', at);
    let before = quote;
    while (before > start && text.charCodeAt(before - 1) === BACKSLASH) before--;
    if (((quote - before) & 1) === 0) return quote;
    at = quote + 1;
  }
}
