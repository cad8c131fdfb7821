// The stored JSON of a document without the parts a view withholds: hidden members are not there, guarded ones are null. The rest
// is copied as it stands, so that numbers keep their digits. Not here: which parts those are.
import { isWithin } from './index-view.ts';

/** Makes the bytes that are shown of a document's source. */
export type SourceMask = (source: Uint8Array, doc: number) => Uint8Array;

/** What is withheld of every document, and of some. */
export interface SourceRules {
  readonly hidden: readonly string[];
  /** Whether the value at a path is withheld in a document. */
  readonly withheld: readonly { readonly path: string; has(doc: number): boolean }[];
}

const decoder = new TextDecoder();

/** Makes the mask of a segment. */
export function maskSource({ hidden, withheld }: SourceRules): SourceMask {
  const names = new Names([...hidden, ...withheld.map(({ path }) => path)]);
  const copy = new Copy(hidden, names);
  if (withheld.length === 0) return (source) => copy.make(source, NONE);
  return (source, doc) => {
    const nulls: string[] = [];
    for (const each of withheld) if (each.has(doc)) nulls.push(each.path);
    return copy.make(source, nulls);
  };
}

const NONE: readonly string[] = [];
const NULL = Buffer.from('null');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const DOT = 0x2e;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;
/** Bytes of a string that are looked at one by one before the rest is searched at once. */
const SHORT = 24;

/** By object, the bytes that names of members start with which have to be looked at: most names then need not become texts. */
class Names {
  readonly #paths: readonly string[];
  readonly #below = new Map<string, readonly Buffer[]>();

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** What the names of the members below a path may be, up to a dot. */
  below(path: string): readonly Buffer[] {
    let found = this.#below.get(path);
    if (found === undefined) {
      const rests = this.#paths.flatMap((each) =>
        path === '' ? [each] : each.startsWith(`${path}.`) ? [each.slice(path.length + 1)] : [],
      );
      found = [...new Set(rests.map((rest) => rest.split('.')[0]!))].map((name) => Buffer.from(name));
      // A document may hold any names: what has nothing below it is not remembered.
      if (found.length > 0) this.#below.set(path, found);
    }
    return found;
  }
}

/** One pass over the bytes of a valid JSON text. */
class Copy {
  readonly #hidden: readonly string[];
  readonly #names: Names;
  #nulls = NONE;
  #bytes: Buffer = NULL;
  /** Where reading stands. */
  #at = 0;
  /** Up to where the text is copied or left out. */
  #done = 0;
  /** What is copied so far. */
  #parts: Uint8Array[] = [];

  constructor(hidden: readonly string[], names: Names) {
    this.#hidden = hidden;
    this.#names = names;
  }

  make(source: Uint8Array, nulls: readonly string[]): Uint8Array {
    if (source.length === 0) return source;
    this.#nulls = nulls;
    this.#bytes = Buffer.from(source.buffer, source.byteOffset, source.length);
    this.#at = 0;
    this.#done = 0;
    this.#parts = [];
    this.#value('');
    const parts = this.#parts;
    if (this.#done === 0) return source;
    if (this.#done < source.length) parts.push(this.#bytes.subarray(this.#done));
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  #value(path: string): void {
    const first = this.#next();
    if (first === OPEN_OBJECT) {
      const names = this.#names.below(path);
      if (names.length > 0) return this.#object(path, names);
    } else if (first === OPEN_LIST && this.#names.below(path).length > 0) return this.#list(path);
    this.#skip();
  }

  #list(path: string): void {
    this.#at++;
    while (this.#next() !== CLOSE_LIST) {
      this.#value(path);
      if (this.#next() === COMMA) this.#at++;
    }
    this.#at++;
  }

  #object(path: string, names: readonly Buffer[]): void {
    this.#at++;
    /** Behind the brace, or the last member that is shown. */
    let end = this.#at;
    let shown = false;
    while (this.#next() !== CLOSE_OBJECT) {
      const name = this.#name(names);
      const at = name === undefined || path === '' ? name : `${path}.${name}`;
      this.#next();
      this.#at++;
      this.#next();
      if (at !== undefined && this.#hidden.some((each) => isWithin(at, each))) {
        this.#skip();
        const last = this.#next() !== COMMA;
        // With the comma that separates it from what is shown: the one before, or where nothing is before, the one behind.
        this.#leaveOut(end, shown || last ? this.#at : this.#at + 1);
      } else {
        if (at === undefined) this.#skip();
        else if (this.#nulls.some((each) => isWithin(at, each))) {
          const from = this.#at;
          this.#skip();
          this.#leaveOut(from, this.#at);
          this.#parts.push(NULL);
        } else this.#value(at);
        shown = true;
        end = this.#at;
        this.#next();
      }
      if (this.#bytes[this.#at] === COMMA) this.#at++;
      if (!shown) end = this.#at;
    }
    this.#at++;
  }

  /** Goes behind the name that begins here; undefined when it is none of those that matter. */
  #name(names: readonly Buffer[]): string | undefined {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    let end = start;
    let escaped = false;
    for (let byte = bytes[end]!; byte !== QUOTE; byte = bytes[++end]!) {
      if (byte !== BACKSLASH) continue;
      escaped = true;
      end++;
    }
    this.#at = end + 1;
    if (escaped) return JSON.parse(decoder.decode(bytes.subarray(start - 1, end + 1))) as string;
    const matters = names.some((name) => {
      const { length } = name;
      if (length > end - start || (length < end - start && bytes[start + length] !== DOT)) return false;
      for (let i = 0; i < length; i++) if (bytes[start + i] !== name[i]) return false;
      return true;
    });
    return matters ? bytes.toString('utf8', start, end) : undefined;
  }

  #leaveOut(from: number, to: number): void {
    if (from > this.#done) this.#parts.push(this.#bytes.subarray(this.#done, from));
    this.#done = to;
  }

  /** Goes to the next character that is no space, and answers it. */
  #next(): number {
    for (;;) {
      const code = this.#bytes[this.#at]!;
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#at++;
    }
  }

  /** Goes behind the value that begins here. */
  #skip(): void {
    const bytes = this.#bytes;
    const { length } = bytes;
    let depth = 0;
    let at = this.#at;
    for (; at < length; at++) {
      const code = bytes[at]!;
      if (code === QUOTE) {
        at = endOfString(bytes, at + 1);
        if (depth === 0) break;
      } else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
      else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
        if (depth === 0) {
          at--;
          break;
        }
        if (--depth === 0) break;
      } else if (code === COMMA && depth === 0) {
        at--;
        break;
      }
    }
    this.#at = at + 1;
  }
}

/** The place of the quote that ends a string. */
function endOfString(bytes: Buffer, from: number): number {
  let at = from;
  for (const near = from + SHORT; at < near; at++) {
    const code = bytes[at]!;
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  // A backslash may have led past the last of those bytes, so what begins here is not escaped.
  const start = at;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    let before = quote;
    while (before > start && bytes[before - 1] === BACKSLASH) before--;
    if (((quote - before) & 1) === 0) return quote;
    at = quote + 1;
  }
}
