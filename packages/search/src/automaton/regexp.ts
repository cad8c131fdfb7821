// Parses Lucene's regular expressions into automata: concatenation, |, *, +, ?, {n,m}, classes, ., groups, quotes, @ (any text),
// <n-m> (numeric interval), ~ (complement) and & (intersection). The grammar is RegExp.java's.
import { searchError } from '../errors/search-errors.ts';
import { addCharacter, Automaton, type PatternMatcher } from './automaton.ts';
import { complementOf, embed, intersectionOf } from './automaton-algebra.ts';
import { codePointAt } from '../text/code-points.ts';

const MAX_POINT = 0x10ffff;
const ZERO = 48;
/** Maximum depth of groups, for the stack. */
const MAX_NESTING = 250;

/** Part of an automaton with one start state and one end state. */
interface Piece {
  readonly start: number;
  readonly end: number;
}

/** Which optional operators are on. */
interface Flags {
  readonly complement: boolean;
  readonly empty: boolean;
  readonly intersection: boolean;
  readonly interval: boolean;
  readonly anyString: boolean;
}

/**
 * Compiles a regular expression, anchored at both ends.
 *
 * @param flags names joined by `|` of ALL, ANYSTRING, COMPLEMENT, EMPTY, INTERSECTION, INTERVAL, NONE
 * @throws ProductError `SEARCH_PATTERN_SYNTAX`, `SEARCH_PATTERN_TOO_COMPLEX`
 */
export function regexpMatcher(pattern: string, flags: string, caseInsensitive: boolean, limit: number): PatternMatcher {
  return parseRegexp(pattern, flags, caseInsensitive, limit).matcher();
}

/** Parses a regular expression without counting its states. @throws as `regexpMatcher` */
export function parseRegexp(pattern: string, flags: string, caseInsensitive: boolean, limit: number): Automaton {
  const names = new Set(flags.split('|').map((name) => name.trim().toUpperCase()));
  const on = (name: string): boolean => names.has('ALL') || names.has(name);
  return new RegexpParser(
    pattern,
    {
      complement: on('COMPLEMENT'),
      empty: on('EMPTY'),
      intersection: on('INTERSECTION'),
      interval: on('INTERVAL'),
      anyString: on('ANYSTRING'),
    },
    caseInsensitive,
    limit,
  ).parse();
}

class RegexpParser {
  private readonly points: readonly string[];
  private at = 0;
  private depth = 0;
  private readonly automaton: Automaton;
  private readonly pattern: string;
  private readonly flags: Flags;
  private readonly caseInsensitive: boolean;

  constructor(pattern: string, flags: Flags, caseInsensitive: boolean, limit: number) {
    this.pattern = pattern;
    this.points = Array.from(pattern);
    this.flags = flags;
    this.caseInsensitive = caseInsensitive;
    this.automaton = new Automaton(pattern, limit);
  }

  parse(): Automaton {
    const start = this.automaton.state();
    const whole = this.points.length === 0 ? this.epsilon() : this.union();
    if (this.at < this.points.length) this.fail(`end-of-string expected at position ${this.at}`);
    this.automaton.jump(start, whole.start);
    this.automaton.accept = whole.end;
    return this.automaton;
  }

  private fail(reason: string): never {
    throw searchError('SEARCH_PATTERN_SYNTAX', { pattern: this.pattern, at: this.at, reason });
  }

  private peek(characters: string): boolean {
    return this.at < this.points.length && characters.includes(this.points[this.at]!);
  }

  private take(character: string): boolean {
    if (this.points[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private piece(): Piece {
    return { start: this.automaton.state(), end: this.automaton.state() };
  }

  private epsilon(): Piece {
    const piece = this.piece();
    this.automaton.jump(piece.start, piece.end);
    return piece;
  }

  private union(): Piece {
    if (++this.depth > MAX_NESTING) this.fail(`groups are nested deeper than ${MAX_NESTING}`);
    let left = this.intersection();
    while (this.take('|')) {
      const right = this.intersection();
      const both = this.piece();
      for (const piece of [left, right]) {
        this.automaton.jump(both.start, piece.start);
        this.automaton.jump(piece.end, both.end);
      }
      left = both;
    }
    this.depth--;
    return left;
  }

  private intersection(): Piece {
    const left = this.concatenation();
    if (!this.flags.intersection || !this.take('&')) return left;
    const right = this.intersection();
    return embed(this.automaton, intersectionOf(this.automaton, left, right));
  }

  private concatenation(): Piece {
    let left = this.repetition();
    const stops = this.flags.intersection ? ')|&' : ')|';
    while (this.at < this.points.length && !this.peek(stops)) {
      const right = this.repetition();
      this.automaton.jump(left.end, right.start);
      left = { start: left.start, end: right.end };
    }
    return left;
  }

  private repetition(): Piece {
    const from = this.at;
    let piece = this.complement();
    while (this.peek('?*+{')) {
      const operator = this.points[this.at++]!;
      if (operator === '{') {
        piece = this.bounded(from, piece);
        continue;
      }
      const outer = this.piece();
      this.automaton.jump(outer.start, piece.start);
      this.automaton.jump(piece.end, outer.end);
      if (operator !== '+') this.automaton.jump(outer.start, outer.end);
      if (operator !== '?') this.automaton.jump(piece.end, piece.start);
      piece = outer;
    }
    return piece;
  }

  /** `{n}`, `{n,}`, `{n,m}`: the operand is parsed again for each copy. */
  private bounded(from: number, first: Piece): Piece {
    const min = this.number();
    let max: number | undefined = min;
    if (this.take(',')) max = this.peek('}') ? undefined : this.number();
    if (!this.take('}')) this.fail(`expected '}' at position ${this.at}`);
    // A minimum above the maximum matches nothing.
    if (max !== undefined && max < min) return this.piece();
    const after = this.at;
    const copy = (): Piece => {
      this.at = from;
      const again = this.complement();
      return again;
    };
    const outer = this.piece();
    let end = outer.start;
    let used = false;
    const next = (): Piece => {
      if (!used) {
        used = true;
        return first;
      }
      return copy();
    };
    for (let i = 0; i < min; i++) {
      const part = next();
      this.automaton.jump(end, part.start);
      end = part.end;
    }
    if (max === undefined) {
      const part = next();
      this.automaton.jump(end, part.start);
      this.automaton.jump(part.end, part.start);
      this.automaton.jump(part.end, outer.end);
    } else {
      for (let i = min; i < max; i++) {
        this.automaton.jump(end, outer.end);
        const part = next();
        this.automaton.jump(end, part.start);
        end = part.end;
      }
    }
    this.automaton.jump(end, outer.end);
    this.at = after;
    return outer;
  }

  private number(): number {
    let text = '';
    while (this.at < this.points.length && this.peek('0123456789')) text += this.points[this.at++]!;
    if (text === '') this.fail(`integer expected at position ${this.at}`);
    const value = Number(text);
    if (value > 1000) this.automaton.tooComplex();
    return value;
  }

  private complement(): Piece {
    if (!this.flags.complement || !this.peek('~')) return this.characterClass();
    this.at++;
    if (++this.depth > MAX_NESTING) this.fail(`complements are nested deeper than ${MAX_NESTING}`);
    const inner = this.complement();
    this.depth--;
    return embed(this.automaton, complementOf(this.automaton, inner));
  }

  private characterClass(): Piece {
    if (!this.take('[')) return this.simple();
    const negated = this.take('^');
    const ranges: [number, number][] = [];
    do {
      const from = this.character();
      let to = from;
      if (this.take('-')) to = this.character();
      if (to < from) this.fail(`invalid range: from (${from}) cannot be > to (${to})`);
      ranges.push([from, to]);
    } while (this.at < this.points.length && !this.peek(']'));
    if (!this.take(']')) this.fail(`expected ']' at position ${this.at}`);
    const piece = this.piece();
    if (this.caseInsensitive) {
      for (const [from, to] of ranges.slice()) {
        for (let point = Math.max(from, 65); point <= Math.min(to, 122); point++) {
          if (point <= 90) ranges.push([point + 32, point + 32]);
          else if (point >= 97) ranges.push([point - 32, point - 32]);
        }
      }
    }
    if (negated) {
      let next = 0;
      for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
        if (from > next) this.automaton.edge(piece.start, next, from - 1, piece.end);
        next = Math.max(next, to + 1);
      }
      if (next <= MAX_POINT) this.automaton.edge(piece.start, next, MAX_POINT, piece.end);
    } else {
      for (const [from, to] of ranges) this.automaton.edge(piece.start, from, to, piece.end);
    }
    return piece;
  }

  private simple(): Piece {
    const piece = this.piece();
    if (this.take('.')) {
      this.automaton.edge(piece.start, 0, MAX_POINT, piece.end);
    } else if (this.flags.empty && this.take('#')) {
      // The empty language.
    } else if (this.flags.anyString && this.take('@')) {
      this.automaton.jump(piece.start, piece.end);
      this.automaton.edge(piece.end, 0, MAX_POINT, piece.end);
    } else if (this.take('"')) {
      let state = piece.start;
      while (this.at < this.points.length && !this.peek('"')) {
        const next = this.automaton.state();
        addCharacter(this.automaton, state, this.points[this.at++]!, next, this.caseInsensitive);
        state = next;
      }
      if (!this.take('"')) this.fail(`expected '"' at position ${this.at}`);
      this.automaton.jump(state, piece.end);
    } else if (this.take('(')) {
      if (this.take(')')) {
        this.automaton.jump(piece.start, piece.end);
        return piece;
      }
      const inner = this.union();
      if (!this.take(')')) this.fail(`expected ')' at position ${this.at}`);
      return inner;
    } else if (this.flags.interval && this.take('<')) {
      this.interval(piece);
    } else {
      const character = String.fromCodePoint(this.character());
      addCharacter(this.automaton, piece.start, character, piece.end, this.caseInsensitive);
    }
    return piece;
  }

  /** `<n-m>`: a decimal number of the interval, zero-padded to the width of both bounds, or with any zeros if the widths differ. */
  private interval(piece: Piece): void {
    let text = '';
    while (this.at < this.points.length && !this.peek('>')) text += this.points[this.at++]!;
    if (!this.take('>')) this.fail(`expected '>' at position ${this.at}`);
    const found = /^(\d+)-(\d+)$/.exec(text);
    if (found === null) this.fail(`"<${text}>" is no numeric interval; named automata are not supported`);
    const low = Number(found[1]);
    const high = Number(found[2]);
    const digits = found[1]!.length === found[2]!.length ? found[1]!.length : 0;
    const from = Math.min(low, high);
    const to = Math.max(low, high);
    if (to - from > 10_000) this.automaton.tooComplex();
    // Without a fixed width any number of leading zeros is allowed.
    if (digits === 0) this.automaton.edge(piece.start, ZERO, ZERO, piece.start);
    for (let value = from; value <= to; value++) {
      let state = piece.start;
      for (const digit of String(value).padStart(digits, '0')) {
        const next = this.automaton.state();
        addCharacter(this.automaton, state, digit, next, false);
        state = next;
      }
      this.automaton.jump(state, piece.end);
    }
  }

  private character(): number {
    this.take('\\');
    const character = this.points[this.at++];
    if (character === undefined) this.fail('unexpected end-of-string');
    return codePointAt(character);
  }
}
