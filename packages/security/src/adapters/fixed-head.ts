// Header lines that are the same on every response: put together, checked and written out once, not for each response.
// Lists of lines that vary are not here; they go node:http's ordinary way.
import { nodeHttp } from '../node-http.ts';

/** Names and values in turn. */
export type Lines = readonly string[];

/** What node:http itself reads in a head, and so has to see as headers. */
const READ_BY_NODE: ReadonlySet<string> = new Set([
  'connection',
  'content-disposition',
  'content-length',
  'date',
  'expect',
  'keep-alive',
  'trailer',
  'transfer-encoding',
]);

/** Names remembered by one head: what applications write are constants, but they need not be. */
const MAX_NAMES = 100;

/** Immutable lines. What is made from them is remembered, so that equal ways lead to the same object. */
export class FixedHead {
  readonly lines: Lines;
  /** The lines as they stand in a head; undefined when node:http has to read or refuse one of them. */
  readonly text: string | undefined;
  readonly #without = new Map<string, FixedHead>();
  // Weak: whoever makes a new list for each response has it forgotten with the response.
  readonly #joined = new WeakMap<Lines, FixedHead>();
  /** The list that was added last, which is nearly always the one that is added next, and what came of it. */
  #lastAdded: Lines | undefined = undefined;
  #lastJoined: FixedHead = this;

  constructor(lines: Lines) {
    this.lines = lines;
    this.text = textOf(lines);
  }

  /** These lines and those of a list, which replace the ones of the same name; undefined when the list may change. */
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

  /** The lines of other names; this very object when there are none of that name. */
  without(name: string): FixedHead {
    const known = this.#without.get(name);
    if (known !== undefined) return known;
    const kept = without(this.lines, name);
    const rest = kept === this.lines ? this : new FixedHead(kept);
    if (this.#without.size < MAX_NAMES) this.#without.set(name, rest);
    return rest;
  }
}

/** No lines. */
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

/** Whether node:http would send it: no line end in it, above all. */
function isSound(name: string, value: string): boolean {
  try {
    nodeHttp.validateHeaderName(name);
    nodeHttp.validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** The lines of other names; the very list when there are none of that name. */
export function without(lines: Lines, name: string): Lines {
  for (let index = 0; index < lines.length; index += 2) {
    if (isSame(lines[index]!, name)) return without([...lines.slice(0, index), ...lines.slice(index + 2)], name);
  }
  return lines;
}

/** Header names compare without case (RFC 9110 §5.1). */
export function isSame(a: string, b: string): boolean {
  return a.length === b.length && (a === b || a.toLowerCase() === b.toLowerCase());
}
