// How numbers are written in a JSON text: `JSON.parse` reads 5 and 5.0 alike, and loses digits of large whole numbers.
import { isObject } from './json.ts';

/** Whether a text may hold a whole number written with a fraction or an exponent, or one that no double holds. */
const MAY_MATTER = /\d[.eE]|\d{16}/;

/** The numbers of a document by dotted path, in the order of the document. */
export class NumberLiterals {
  readonly #text: () => string;
  #byPath: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #next = new Map<string, number>();

  /** @param text is called when a number is first asked for */
  constructor(text: () => string) {
    this.#text = text;
  }

  /** All numbers at a path. */
  at(path: string): readonly string[] {
    this.#byPath ??= read(this.#text());
    return this.#byPath.get(path) ?? [];
  }

  /** The next number at a path: each call returns the one after that of the call before. */
  next(path: string): string | undefined {
    const found = this.at(path);
    const at = this.#next.get(path) ?? 0;
    this.#next.set(path, at + 1);
    return found[at % found.length];
  }
}

function read(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  if (!MAY_MATTER.test(text)) return found;
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const element of value) walk(element, path);
    else if (value instanceof Literal) {
      const list = found.get(path);
      if (list === undefined) found.set(path, [value.text]);
      else list.push(value.text);
    } else if (isObject(value))
      for (const [name, member] of Object.entries(value)) walk(member, path === '' ? name : `${path}.${name}`);
  };
  walk(
    parseWith(text, (_, value, { source }) =>
      typeof value === 'number' && source !== undefined ? new Literal(source) : value,
    ),
    '',
  );
  return found;
}

class Literal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `JSON.parse` with the text of what is parsed (not in TypeScript's library yet). */
const { parse: parseWith } = JSON as unknown as {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown;
};
