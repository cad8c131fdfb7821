// Matches a whole text against a regular expression in time linear in the text. Patterns come from the configuration
// but paths come from attackers, and a backtracking engine can be blocked for minutes by `(a+)+$`. Simulates Thompson's
// NFA. Supports what path patterns use; look-around and back-references are not regular and are reported as unsupported
// (the caller then falls back, with a length limit).

type Node =
  | { readonly kind: 'set'; readonly accepts: (unit: number) => boolean; next: number }
  | { readonly kind: 'split'; next: number; other: number }
  | { readonly kind: 'jump'; next: number }
  | { readonly kind: 'start'; next: number }
  | { readonly kind: 'end'; next: number }
  | { readonly kind: 'accept' };

/** A compiled expression; `test` is true if the whole text matches. */
export interface LinearRegex {
  test(text: string): boolean;
}

/** Larger automata are rejected: `(a{1000}){1000}`. */
const MAX_STATES = 5000;

class Unsupported extends Error {}

/**
 * Compiles an expression in JavaScript's syntax (flag `s`, and `i` if not case-sensitive).
 *
 * @returns undefined if it uses features that a linear engine cannot implement
 */
export function compileLinear(source: string, caseSensitive: boolean): LinearRegex | undefined {
  try {
    const nodes = new Compiler(source, caseSensitive).compile();
    return { test: (text) => simulate(nodes, text) };
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

function simulate(nodes: readonly Node[], text: string): boolean {
  const seen = new Int32Array(nodes.length).fill(-1);
  let current: number[] = [];
  let next: number[] = [];
  const stack: number[] = [];
  const add = (list: number[], state: number, at: number): void => {
    stack.push(state);
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      if (seen[index] === at) continue;
      seen[index] = at;
      const node = nodes[index]!;
      switch (node.kind) {
        case 'split':
          stack.push(node.other, node.next);
          break;
        case 'jump':
          stack.push(node.next);
          break;
        case 'start':
          if (at === 0) stack.push(node.next);
          break;
        case 'end':
          if (at === text.length) stack.push(node.next);
          break;
        case 'set':
        case 'accept':
          list.push(index);
          break;
      }
    }
  };
  add(current, 0, 0);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    for (const index of current) {
      const node = nodes[index]!;
      if (node.kind === 'set' && node.accepts(unit)) add(next, node.next, at + 1);
    }
    if (next.length === 0) return false;
    [current, next] = [next, current];
    next.length = 0;
  }
  return current.some((index) => nodes[index]!.kind === 'accept');
}

/** A fragment under construction: its start, and the open exits that must be connected. */
interface Fragment {
  readonly start: number;
  readonly exits: readonly ((target: number) => void)[];
}

class Compiler {
  readonly #source: string;
  readonly #caseSensitive: boolean;
  readonly #nodes: Node[] = [];
  #at = 0;

  constructor(source: string, caseSensitive: boolean) {
    this.#source = source;
    this.#caseSensitive = caseSensitive;
  }

  compile(): readonly Node[] {
    // State 0 is the entry; it is connected once the expression is built.
    const entry = { kind: 'jump' as const, next: 0 };
    this.#add(entry);
    const whole = this.#alternatives();
    if (this.#at < this.#source.length) throw new Unsupported('unbalanced )');
    entry.next = whole.start;
    const accept = this.#add({ kind: 'accept' });
    for (const exit of whole.exits) exit(accept);
    return this.#nodes;
  }

  #alternatives(): Fragment {
    let result = this.#sequence();
    while (this.#take('|')) {
      const other = this.#sequence();
      const split = this.#add({ kind: 'split', next: result.start, other: other.start });
      result = { start: split, exits: [...result.exits, ...other.exits] };
    }
    return result;
  }

  #sequence(): Fragment {
    let result = this.#empty();
    while (this.#at < this.#source.length && this.#peek() !== '|' && this.#peek() !== ')')
      result = this.#join(result, this.#quantified());
    return result;
  }

  #quantified(): Fragment {
    const from = this.#at;
    const atom = this.#atom();
    const [least, most] = this.#quantifier();
    if (least === 1 && most === 1) return atom;
    const to = this.#at;
    // Repetition builds the atom again from its text: fragments cannot be shared.
    let result = this.#empty();
    const again = (): Fragment => {
      this.#at = from;
      return this.#atom();
    };
    for (let count = 0; count < least; count++) result = this.#join(result, count === 0 ? atom : again());
    if (most === Infinity) result = this.#join(result, this.#star(least === 0 ? atom : again()));
    else {
      for (let count = least; count < most; count++)
        result = this.#join(result, this.#optional(count === 0 ? atom : again()));
    }
    this.#at = to;
    return result;
  }

  #quantifier(): readonly [number, number] {
    let bounds: readonly [number, number] = [1, 1];
    if (this.#take('*')) bounds = [0, Infinity];
    else if (this.#take('+')) bounds = [1, Infinity];
    else if (this.#take('?')) bounds = [0, 1];
    else {
      const match = /^\{(\d+)(,?)(\d*)\}/.exec(this.#source.slice(this.#at));
      if (match === null) return bounds;
      this.#at += match[0].length;
      const least = Number(match[1]);
      bounds = [least, match[2] === '' ? least : match[3] === '' ? Infinity : Number(match[3])];
    }
    // Lazy or greedy does not change whether the whole text matches.
    this.#take('?');
    return bounds;
  }

  #atom(): Fragment {
    const character = this.#source[this.#at++]!;
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return this.#set(this.#class());
      case '.':
        return this.#set(() => true);
      case '^':
        return this.#open({ kind: 'start', next: -1 });
      case '$':
        return this.#open({ kind: 'end', next: -1 });
      case '\\':
        return this.#set(this.#escape());
      case '*':
      case '+':
      case '?':
        throw new Unsupported('nothing to repeat');
      default:
        return this.#set(this.#exactly(character.charCodeAt(0)));
    }
  }

  #group(): Fragment {
    if (this.#take('?') && !this.#take(':')) {
      const named = /^<[A-Za-z_$][\w$]*>/.exec(this.#source.slice(this.#at));
      if (named === null) throw new Unsupported('look-around');
      this.#at += named[0].length;
    }
    const inner = this.#alternatives();
    if (!this.#take(')')) throw new Unsupported('unbalanced (');
    return inner;
  }

  #class(): (unit: number) => boolean {
    const negated = this.#take('^');
    const parts: ((unit: number) => boolean)[] = [];
    while (this.#peek() !== ']') {
      if (this.#at >= this.#source.length) throw new Unsupported('unclosed class');
      const low = this.#classUnit();
      if (typeof low === 'function') {
        parts.push(low);
        continue;
      }
      if (this.#peek() === '-' && this.#source[this.#at + 1] !== ']' && this.#at + 1 < this.#source.length) {
        this.#at += 1;
        const high = this.#classUnit();
        if (typeof high === 'function') throw new Unsupported('a class as the end of a range');
        parts.push(this.#range(low, high));
      } else parts.push(this.#exactly(low));
    }
    this.#at += 1;
    return (unit) => parts.some((part) => part(unit)) !== negated;
  }

  #classUnit(): number | ((unit: number) => boolean) {
    const character = this.#source[this.#at++]!;
    if (character !== '\\') return character.charCodeAt(0);
    if (this.#peek() === 'b') throw new Unsupported('\\b');
    const from = this.#at;
    const set = this.#escape();
    const escaped = this.#source[from]!;
    if (/[dDwWsS]/.test(escaped)) return set;
    for (let unit = 0; unit < 0x10000; unit++) if (set(unit)) return unit;
    throw new Unsupported('an empty escape');
  }

  #escape(): (unit: number) => boolean {
    const character = this.#source[this.#at++];
    switch (character) {
      case 'd':
        return isDigit;
      case 'D':
        return (unit) => !isDigit(unit);
      case 'w':
        return isWord;
      case 'W':
        return (unit) => !isWord(unit);
      case 's':
        return isSpace;
      case 'S':
        return (unit) => !isSpace(unit);
      case 't':
        return this.#exactly(9);
      case 'n':
        return this.#exactly(10);
      case 'r':
        return this.#exactly(13);
      case 'f':
        return this.#exactly(12);
      case 'v':
        return this.#exactly(11);
      default:
        // \b, \1, \k<…>, \p{…}, \u…, \x… and other letters or digits: left to the fallback.
        if (character === undefined || /[A-Za-z0-9]/.test(character)) throw new Unsupported(`\\${character ?? ''}`);
        return this.#exactly(character.charCodeAt(0));
    }
  }

  #exactly(wanted: number): (unit: number) => boolean {
    if (this.#caseSensitive) return (unit) => unit === wanted;
    const lower = fold(wanted);
    return (unit) => unit === wanted || fold(unit) === lower;
  }

  #range(low: number, high: number): (unit: number) => boolean {
    const inside = (unit: number): boolean => unit >= low && unit <= high;
    if (this.#caseSensitive) return inside;
    return (unit) => inside(unit) || inside(fold(unit)) || inside(unfold(unit));
  }

  #set(accepts: (unit: number) => boolean): Fragment {
    return this.#open({ kind: 'set', accepts, next: -1 });
  }

  #open(node: Node & { next: number }): Fragment {
    const start = this.#add(node);
    return { start, exits: [(target) => void (node.next = target)] };
  }

  #empty(): Fragment {
    return this.#open({ kind: 'jump', next: -1 });
  }

  #join(first: Fragment, second: Fragment): Fragment {
    for (const exit of first.exits) exit(second.start);
    return { start: first.start, exits: second.exits };
  }

  #star(body: Fragment): Fragment {
    const node = { kind: 'split' as const, next: body.start, other: -1 };
    const start = this.#add(node);
    for (const exit of body.exits) exit(start);
    return { start, exits: [(target) => void (node.other = target)] };
  }

  #optional(body: Fragment): Fragment {
    const node = { kind: 'split' as const, next: body.start, other: -1 };
    const start = this.#add(node);
    return { start, exits: [...body.exits, (target) => void (node.other = target)] };
  }

  #add(node: Node): number {
    if (this.#nodes.length >= MAX_STATES) throw new Unsupported('too many states');
    this.#nodes.push(node);
    return this.#nodes.length - 1;
  }

  #peek(): string | undefined {
    return this.#source[this.#at];
  }

  #take(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function isWord(unit: number): boolean {
  return isDigit(unit) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit === 95;
}

function isSpace(unit: number): boolean {
  return /\s/.test(String.fromCharCode(unit));
}

function fold(unit: number): number {
  return unit >= 65 && unit <= 90 ? unit + 32 : unit;
}

function unfold(unit: number): number {
  return unit >= 97 && unit <= 122 ? unit - 32 : unit;
}
