// Templates in the language Mustache, as Elasticsearch fills them in: values are escaped for strings of JSON, and `toJson`, `join` and `url`
// are sections of their own.
import { show } from './java-values.ts';
import { isObject, type Json } from './json.ts';

/** Fills in values. @throws what `refuse` makes for a template that reads or makes too much */
export type Template = (values: Json) => string;

/** The way to a value. */
interface Path {
  readonly text: string;
  /** Empty for the innermost scope itself, `.`. */
  readonly names: readonly string[];
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: Path; readonly isEscaped: boolean }
  | { readonly kind: 'json'; readonly path: Path }
  | { readonly kind: 'join'; readonly path: Path; readonly delimiter: string }
  | { readonly kind: 'url'; readonly inner: readonly Part[] }
  | { readonly kind: 'section' | 'inverted'; readonly path: Path; readonly inner: readonly Part[] };

/** Makes the error for a template that cannot be read. */
type Refuse = (reason: string) => Error;

/** Limits of a template: its parts and names together, the characters of a path, and the depth of sections, which are read recursively. */
const MOST_PARTS = 200_000;
const LONGEST_PATH = 10_000;
const DEEPEST = 100;
/**
 * Limits of one run, whether it prints anything or not: parts and elements of lists, and characters. Characters of paths count each time
 * they are followed, as do scopes that are searched: loops inside of loops multiply them.
 */
const MOST_STEPS = 200_000;
const MOST_CHARACTERS = 10_000_000;

/** A section that is open. */
interface Open {
  readonly kind: 'section' | 'inverted';
  readonly path: string;
  /** Where its content begins. */
  readonly start: number;
  /** The parts before it. */
  readonly outer: Part[];
}

/** Reads a template. */
export function compileTemplate(text: string, refuse: Refuse): Template {
  const parts = new Reader(text, refuse).read();
  return (values) => {
    const printer = new Printer(refuse, values);
    printer.print(parts);
    return printer.text;
  };
}

class Reader {
  readonly #text: string;
  readonly #refuse: Refuse;
  readonly #open: Open[] = [];
  #parts: Part[] = [];
  #count = 0;
  #begin = '{{';
  #end = '}}';

  constructor(text: string, refuse: Refuse) {
    this.#text = text;
    this.#refuse = refuse;
  }

  read(): readonly Part[] {
    const text = this.#text;
    let at = 0;
    for (;;) {
      const tag = text.indexOf(this.#begin, at);
      if (tag < 0) break;
      this.#addCount(2);
      if (tag > at) this.#parts.push({ kind: 'text', text: text.slice(at, tag) });
      at = this.#tag(tag);
    }
    if (at < text.length) this.#parts.push({ kind: 'text', text: text.slice(at) });
    const open = this.#open.at(-1);
    if (open !== undefined) throw this.#refuse(`Failed to close '${open.path}' tag ${this.#place(open.start)}`);
    return this.#parts;
  }

  #addCount(count: number): void {
    this.#count += count;
    if (this.#count > MOST_PARTS) throw this.#refuse(`The template has more than [${MOST_PARTS}] parts`);
  }

  #path(text: string): Path {
    if (text.length > LONGEST_PATH)
      throw this.#refuse(`A name in the template has more than [${LONGEST_PATH}] characters`);
    const names = text === '.' ? [] : text.split('.');
    this.#addCount(names.length);
    return { text, names };
  }

  /** Reads a tag. @returns where the text goes on */
  #tag(tag: number): number {
    const from = tag + this.#begin.length;
    const sign = this.#text[from] ?? '';
    const isRaw = sign === '{' && this.#begin === '{{';
    const closing = isRaw ? '}}}' : sign === '=' ? `=${this.#end}` : this.#end;
    const to = this.#text.indexOf(closing, from + 1);
    if (to < 0) throw this.#refuse(`Improperly closed variable ${this.#place(tag)}`);
    const after = to + closing.length;
    const hasSign = isRaw || '#^/&!>='.includes(sign);
    this.#read(sign, this.#text.slice(hasSign ? from + 1 : from, to).trim(), tag, after);
    return after;
  }

  #read(sign: string, name: string, tag: number, after: number): void {
    switch (sign) {
      case '!':
        return;
      case '=': {
        const [begin = '{{', end = '}}'] = name.split(/\s+/);
        this.#begin = begin;
        this.#end = end;
        return;
      }
      case '>':
        throw this.#refuse(`Template ${name} not found`);
      case '#':
      case '^':
        if (this.#open.length >= DEEPEST)
          throw this.#refuse(`Sections of the template are nested deeper than [${DEEPEST}] levels`);
        this.#open.push({ kind: sign === '#' ? 'section' : 'inverted', path: name, start: after, outer: this.#parts });
        this.#parts = [];
        return;
      case '/':
        this.#close(name, tag);
        return;
      default:
        this.#parts.push({ kind: 'value', path: this.#path(name), isEscaped: sign !== '{' && sign !== '&' });
    }
  }

  #close(name: string, tag: number): void {
    const open = this.#open.pop();
    if (open === undefined || open.path !== name)
      throw this.#refuse(
        `Mismatched start/end tags: ${open?.path ?? 'null'} != ${name} in query-template:${this.#line(tag)} ${this.#place(tag)}`,
      );
    const inner = this.#parts;
    this.#parts = open.outer;
    this.#parts.push(this.#section(open, inner, this.#text.slice(open.start, tag)));
  }

  #section({ kind, path }: Open, inner: readonly Part[], raw: string): Part {
    if (kind === 'section') {
      if (path === 'toJson') return { kind: 'json', path: this.#identifier(path, raw) };
      const [, delimiter] = /^join\s+delimiter='(.*)'$/s.exec(path) ?? [];
      if (path === 'join' || delimiter !== undefined)
        return { kind: 'join', path: this.#identifier('join', raw), delimiter: delimiter ?? ',' };
      if (path === 'url') return { kind: 'url', inner };
    }
    return { kind, path: this.#path(path), inner };
  }

  /** The name in a function. */
  #identifier(name: string, raw: string): Path {
    if (raw === '' || raw.includes(this.#begin))
      throw this.#refuse(`Mustache function [${name}] must contain one and only one identifier`);
    return this.#path(raw);
  }

  #line(at: number): number {
    return this.#text.slice(0, at).split('\n').length;
  }

  #place(at: number): string {
    return `@[query-template:${this.#line(at)}]`;
  }
}

class Printer {
  text = '';
  #steps = 0;
  #characters = 0;
  readonly #refuse: Refuse;
  /** The innermost last. */
  readonly #scopes: unknown[];

  constructor(refuse: Refuse, values: Json) {
    this.#refuse = refuse;
    this.#scopes = [values];
  }

  print(parts: readonly Part[]): void {
    for (const part of parts) {
      this.#spend(1, 0);
      this.#part(part);
    }
  }

  #spend(steps: number, characters: number): void {
    this.#steps += steps;
    this.#characters += characters;
    if (this.#steps > MOST_STEPS || this.#characters > MOST_CHARACTERS)
      throw this.#refuse(`The template makes more than [${MOST_STEPS}] parts or [${MOST_CHARACTERS}] characters`);
  }

  #write(text: string): void {
    this.#spend(0, text.length);
    this.text += text;
  }

  #part(part: Part): void {
    switch (part.kind) {
      case 'text':
        this.#write(part.text);
        break;
      case 'value': {
        const text = this.#textOf(this.#lookUp(part.path));
        this.#write(part.isEscaped ? JSON.stringify(text).slice(1, -1) : text);
        break;
      }
      case 'json': {
        const value = this.#lookUp(part.path);
        this.#countIn(value);
        this.#write(typeof value === 'object' && value !== null ? JSON.stringify(value) : this.#textOf(value));
        break;
      }
      case 'join':
        this.#join(this.#lookUp(part.path), part);
        break;
      case 'url': {
        const before = this.text;
        this.text = '';
        this.print(part.inner);
        // Encoding reads the text several times.
        this.#spend(0, 2 * this.text.length);
        const encoded = encodeForm(this.text);
        this.text = before;
        this.#write(encoded);
        break;
      }
      default:
        this.#section(part);
    }
  }

  #join(value: unknown, { delimiter, path }: Part & { readonly kind: 'join' }): void {
    // What is no list is its own name.
    if (!Array.isArray(value)) return this.#write(path.text);
    for (const [at, element] of (value as readonly unknown[]).entries()) {
      this.#spend(1, 0);
      if (at > 0) this.#write(delimiter);
      this.#write(this.#textOf(element));
    }
  }

  #section({ inner, kind, path }: Part & { readonly kind: 'section' | 'inverted' }): void {
    const value = this.#lookUp(path);
    const isList = Array.isArray(value);
    const isOn = isList ? value.length > 0 : value !== undefined && value !== null && value !== false && value !== '';
    if (kind === 'inverted') {
      if (!isOn) this.print(inner);
      return;
    }
    if (!isOn) return;
    for (const element of isList ? (value as readonly unknown[]) : [value]) {
      this.#spend(1, 0);
      this.#scopes.push(element);
      this.print(inner);
      this.#scopes.pop();
    }
  }

  #lookUp({ names: [first, ...rest], text }: Path): unknown {
    if (first === undefined) return this.#scopes.at(-1);
    const at = this.#scopes.findLastIndex((each) => isObject(each) && Object.hasOwn(each, first));
    this.#spend(0, text.length + this.#scopes.length - Math.max(at, 0));
    return rest.reduce(memberOf, memberOf(this.#scopes[at], first));
  }

  /** A value as Java prints it; a list prints as a map of its places. */
  #textOf(value: unknown): string {
    if (value === undefined || value === null) return '';
    this.#countIn(value);
    return Array.isArray(value) ? show(Object.fromEntries(value.entries())) : show(value);
  }

  /** Counts the values inside of one before it is printed. */
  #countIn(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    this.#spend(inner.length, 0);
    for (const each of inner) this.#countIn(each);
  }
}

function memberOf(from: unknown, name: string): unknown {
  if (Array.isArray(from)) return name === 'size' ? from.length : (from as readonly unknown[])[Number(name)];
  return isObject(from) && Object.hasOwn(from, name) ? from[name] : undefined;
}

/** A text in a form. A half of a surrogate pair is a question mark, as for Java's `URLEncoder`. */
function encodeForm(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'))
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
