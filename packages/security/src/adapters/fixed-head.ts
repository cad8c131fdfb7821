// Header lines that are equal on every response: joined, validated and printed once. Lines that vary take node:http's
// normal path.
import { wordsOf } from '@lockstitch/kernel';
import { nodeHttp } from '../node-http.ts';

/** Alternating names and values. */
export type Lines = readonly string[];

/** Headers that node:http itself interprets, so it must see them as headers. */
const READ_BY_NODE: ReadonlySet<string> = new Set(
  wordsOf(`
  connection content-disposition content-length date expect keep-alive trailer transfer-encoding`),
);

/** Names cached by one head. Applications usually write constant names, but they need not. */
const MAX_NAMES = 100;

/** Immutable lines. Derived heads are cached, so that equal derivations return the same object. */
export class FixedHead {
  readonly lines: Lines;
  /** The lines as text; undefined if node:http has to interpret or reject one of them. */
  readonly text: string | undefined;
  readonly #without = new Map<string, FixedHead>();
  // Weak: a list created for one response is collected with it.
  readonly #joined = new WeakMap<Lines, FixedHead>();
  /** The list added last, which is nearly always the next one too, and its result. */
  #lastAdded: Lines | undefined = undefined;
  #lastJoined: FixedHead = this;

  constructor(lines: Lines) {
    this.lines = lines;
    this.text = textOf(lines);
  }

  /** These lines plus those of a list, which replace lines of the same name; undefined if the list may change. */
  with(added: Lines): FixedHead | undefined {
    if (added === this.#lastAdded) return this.#lastJoined;
    if (!Object.isFrozen(added)) return undefined;
    let joined = this.#joined.get(added);
    if (joined === undefined) {
      let lines = this.lines;
      for (let index = 0; index < added.length; index += 2)
        lines = [...without(lines, added[index]!), added[index]!, added[index + 1]!];
      this.#joined.set(added, (joined = new FixedHead(lines)));
    }
    this.#lastAdded = added;
    this.#lastJoined = joined;
    return joined;
  }

  /** The lines of other names; this object itself if there are none of that name. */
  without(name: string): FixedHead {
    const known = this.#without.get(name);
    if (known !== undefined) return known;
    const kept = without(this.lines, name);
    const rest = kept === this.lines ? this : new FixedHead(kept);
    if (this.#without.size < MAX_NAMES) this.#without.set(name, rest);
    return rest;
  }
}

export const NO_LINES = new FixedHead([]);

function textOf(lines: Lines): string | undefined {
  let text = '';
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index]!;
    const value = lines[index + 1]!;
    if (READ_BY_NODE.has(name.toLowerCase()) || !isSound(name, value)) return undefined;
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

/** Returns whether node:http would send it: above all, without line breaks. */
function isSound(name: string, value: string): boolean {
  try {
    nodeHttp.validateHeaderName(name);
    nodeHttp.validateHeaderValue(name, value);
    return true;
  } catch {
    // node:http rejects a header by throwing.
    return false;
  }
}

/** The lines of other names; the same list if there are none of that name. */
export function without(lines: Lines, name: string): Lines {
  for (let index = 0; index < lines.length; index += 2) {
    if (isSame(lines[index]!, name)) return without([...lines.slice(0, index), ...lines.slice(index + 2)], name);
  }
  return lines;
}

/** Header names are case-insensitive (RFC 9110 §5.1). */
export function isSame(a: string, b: string): boolean {
  return a.length === b.length && (a === b || a.toLowerCase() === b.toLowerCase());
}
