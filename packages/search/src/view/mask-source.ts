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

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Makes the mask of a segment. */
export function maskSource({ hidden, withheld }: SourceRules): SourceMask {
  return (source, doc) => {
    if (source.length === 0) return source;
    const nulls = withheld.filter((each) => each.has(doc)).map(({ path }) => path);
    return encoder.encode(new Copy(decoder.decode(source), hidden, nulls).make());
  };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;

/** One pass over a valid JSON text. */
class Copy {
  readonly #text: string;
  readonly #hidden: readonly string[];
  readonly #nulls: readonly string[];
  /** Where reading stands. */
  #at = 0;
  /** Up to where the text is copied or left out. */
  #done = 0;
  #out = '';

  constructor(text: string, hidden: readonly string[], nulls: readonly string[]) {
    this.#text = text;
    this.#hidden = hidden;
    this.#nulls = nulls;
  }

  make(): string {
    this.#value('');
    return this.#out + this.#text.slice(this.#done);
  }

  #value(path: string): void {
    const first = this.#next();
    const below = (each: string): boolean => path === '' || each.startsWith(`${path}.`);
    if (first === OPEN_OBJECT && (this.#hidden.some(below) || this.#nulls.some(below))) this.#object(path);
    else if (first === OPEN_LIST && (this.#hidden.some(below) || this.#nulls.some(below))) this.#list(path);
    else this.#skip();
  }

  #list(path: string): void {
    this.#at++;
    while (this.#next() !== CLOSE_LIST) {
      this.#value(path);
      if (this.#next() === COMMA) this.#at++;
    }
    this.#at++;
  }

  #object(path: string): void {
    this.#at++;
    /** Behind the brace, or the last member that is shown. */
    let end = this.#at;
    let shown = false;
    while (this.#next() !== CLOSE_OBJECT) {
      const start = this.#at;
      this.#skip();
      const raw = this.#text.slice(start, this.#at);
      const name = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
      const at = path === '' ? name : `${path}.${name}`;
      this.#next();
      this.#at++;
      this.#next();
      if (this.#hidden.some((each) => isWithin(at, each))) {
        this.#skip();
        const last = this.#next() !== COMMA;
        // With the comma that separates it from what is shown: the one before, or where nothing is before, the one behind.
        this.#leaveOut(end, shown || last ? this.#at : this.#at + 1);
      } else {
        if (this.#nulls.some((each) => isWithin(at, each))) {
          const from = this.#at;
          this.#skip();
          this.#leaveOut(from, this.#at);
          this.#out += 'null';
        } else this.#value(at);
        shown = true;
        end = this.#at;
        this.#next();
      }
      if (this.#text.charCodeAt(this.#at) === COMMA) this.#at++;
      if (!shown) end = this.#at;
    }
    this.#at++;
  }

  #leaveOut(from: number, to: number): void {
    if (from > this.#done) this.#out += this.#text.slice(this.#done, from);
    this.#done = to;
  }

  /** Goes to the next character that is no space, and answers it. */
  #next(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#at++;
    }
  }

  /** Goes behind the value that begins here. */
  #skip(): void {
    const text = this.#text;
    let depth = 0;
    for (; this.#at < text.length; this.#at++) {
      const code = text.charCodeAt(this.#at);
      if (code === QUOTE) {
        this.#at++;
        while (text.charCodeAt(this.#at) !== QUOTE) this.#at += text.charCodeAt(this.#at) === BACKSLASH ? 2 : 1;
        if (depth === 0) {
          this.#at++;
          return;
        }
      } else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
      else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
        if (depth === 0) return;
        depth--;
        if (depth === 0) {
          this.#at++;
          return;
        }
      } else if (code === COMMA && depth === 0) return;
    }
  }
}
