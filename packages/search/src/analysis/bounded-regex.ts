// Regular expressions that users write into an index's settings, bounded so that no text can hold the process: JavaScript's
// engine backtracks, and `(a+)+$` takes years over forty characters. An expression is refused when it is defined if it could
// try too many ways over even a short text; otherwise each text's worst case is estimated before it is matched. Not here:
// query patterns, which run on automata (`automaton/regexp.ts`).
import { illegalArgument, RequestError } from '../errors/request-error.ts';
import { type JavaFlag, translateJava } from './java-regex.ts';
import { characterAt } from '../text/code-points.ts';

/** A compiled expression; `over` hands it out for texts it is safe to run over. */
export interface BoundedRegex {
  /** How many groups capture. */
  readonly groups: number;
  /**
   * The expression, global, to be run over each of the texts once.
   *
   * @throws RequestError illegal_argument_exception when that could take too long
   */
  over(texts: readonly string[]): RegExp;
}

const MAX_SOURCE_LENGTH = 1000;
/** As `MAX_NESTING` of query patterns. */
const MAX_NESTING = 100;
/** The engine unrolls counted repetitions. */
const MAX_COUNT = 1000;
/** What an expression must manage within the allowance: a word or a line. */
const SHORT_TEXT = 64;
/** Steps of the engine, about a nanosecond each: a millisecond a text, and less than a microsecond a character in long ones. */
const STEPS_PER_TEXT = 1_000_000;
const STEPS_PER_CHARACTER = 200;
/** The engine keeps places to go back to on a stack of its own, which much longer repetitions would overflow. */
const MAX_TEXT_LENGTH = 2_000_000;

/** How much an expression can cost: `work` to try all its ways once, and in how many `paths` it can be left. */
interface Cost {
  readonly work: number;
  readonly paths: number;
}

/** The longest run of an atom in the text; the whole length where it cannot be told. */
type LongestRun = (atom: string | undefined) => number;

type Node = (run: LongestRun) => Cost;

/** What comes after a piece: nothing more, a certain character, or anything. */
type Next = { readonly kind: 'end' } | { readonly kind: 'atom'; readonly source: string } | { readonly kind: 'open' };

/**
 * Compiles an expression of Java.
 *
 * @throws RequestError pattern_syntax_exception, and illegal_argument_exception when it is one that cannot be bounded
 */
export function boundRegex(given: string, javaFlags: ReadonlySet<JavaFlag> = new Set()): BoundedRegex {
  if (given.length > MAX_SOURCE_LENGTH)
    throw illegalArgument(`pattern of [${given.length}] characters is longer than the limit of [${MAX_SOURCE_LENGTH}]`);
  const { source, flags: more } = translateJava(given, javaFlags);
  const flags = `g${more}`;
  let regex: RegExp;
  try {
    regex = new RegExp(source, flags);
  } catch (error) {
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'pattern_syntax_exception',
      `pattern [${given}] cannot be read: ${error instanceof Error ? error.message : ''}`,
    );
  }
  const { anchored, node } = new CostParser(source, flags, given).parse();
  const steps = (length: number, run: LongestRun): number => (anchored ? 1 : length + 1) * node(run).work;
  const worst = (length: number): number => steps(length, () => length);
  if (worst(SHORT_TEXT) > STEPS_PER_TEXT)
    throw refuse(
      given,
      'it has so many repetitions and alternatives one after the other that even short texts could take very long',
    );
  return {
    groups: countGroups(source, flags),
    over(texts) {
      let length = 0;
      let cost = 0;
      for (const text of texts) {
        length += text.length;
        cost += worst(text.length);
      }
      const allowed = STEPS_PER_TEXT + STEPS_PER_CHARACTER * length;
      if (length > MAX_TEXT_LENGTH || cost > allowed) {
        // Only now, and rarely: real texts do not consist of one long run of what is repeated.
        cost = 0;
        for (const text of texts) cost += steps(text.length, longestRunIn(text, flags));
        if (length > MAX_TEXT_LENGTH || cost > allowed)
          throw illegalArgument(
            `a text of [${length}] characters could take too long to match with the pattern [${given}]; shorten the text or simplify the pattern`,
          );
      }
      return regex;
    },
  };
}

function longestRunIn(text: string, flags: string): LongestRun {
  const known = new Map<string, number>();
  return (atom) => {
    if (atom === undefined) return text.length;
    let longest = known.get(atom);
    if (longest === undefined) {
      longest = 0;
      // A single repeated atom with nothing after it never backtracks.
      for (const [found] of text.matchAll(new RegExp(`(?:${atom})+`, flags))) longest = Math.max(longest, found.length);
      known.set(atom, longest);
    }
    return longest;
  };
}

function refuse(source: string, reason: string): Error {
  return illegalArgument(`pattern [${source}] is refused: ${reason}`);
}

/** Reads an expression that the engine has accepted already, so syntax errors cannot occur. */
class CostParser {
  readonly #source: string;
  readonly #flags: string;
  readonly #given: string;
  #at = 0;
  #depth = 0;

  constructor(source: string, flags: string, given: string) {
    this.#source = source;
    this.#flags = flags;
    this.#given = given;
  }

  /** `anchored`: each way begins with `^`, so all places but the first fail at once. */
  parse(): { readonly anchored: boolean; readonly node: Node } {
    const { branches } = this.#alternatives();
    const anchored = branches.every(([first]) => first?.kind === 'assertion' && first.source === '^');
    const node = costOfBranches(branches, { kind: 'end' }, this.#flags);
    return { anchored, node };
  }

  #refuse(reason: string): never {
    throw refuse(this.#given, reason);
  }

  #alternatives(): { readonly branches: readonly (readonly Piece[])[] } {
    if (++this.#depth > MAX_NESTING) this.#refuse(`its groups are nested deeper than [${MAX_NESTING}]`);
    let branch: Piece[] = [];
    const branches = [branch];
    while (this.#at < this.#source.length && this.#source[this.#at] !== ')') {
      if (this.#source[this.#at] === '|') {
        this.#at++;
        branches.push((branch = []));
      } else branch.push(this.#piece());
    }
    this.#depth--;
    return { branches };
  }

  #piece(): Piece {
    const atom = this.#atom();
    const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at));
    if (quantifier === null || atom.kind === 'assertion') return atom;
    this.#at += quantifier[0].length;
    const [least, most] = boundsOf(quantifier);
    if (least > MAX_COUNT || (most !== Infinity && most > MAX_COUNT))
      this.#refuse(`a count is larger than [${MAX_COUNT}]`);
    if (atom.kind === 'group' && most > 1) this.#checkBody(atom.branches);
    return { kind: 'repetition', body: atom, least, most };
  }

  /** The body of a repetition must match in one way only: its ways multiply with each round. */
  #checkBody(branches: readonly (readonly Piece[])[]): void {
    for (const branch of branches) {
      if (branch.length === 0) this.#refuse('a group that can match nothing is repeated');
      for (const piece of branch) {
        if (piece.kind === 'repetition') this.#refuse('a repetition is repeated, which can backtrack exponentially');
        if (piece.kind !== 'atom') this.#refuse('a group that holds groups or assertions is repeated');
      }
    }
    const firsts = branches.map(([first]) => (first?.kind === 'atom' ? first.source : ''));
    firsts.forEach((left, at) => {
      for (const right of firsts.slice(at + 1)) {
        const literal = literalsOf(left) !== undefined && literalsOf(right) !== undefined;
        if (!literal || !areDisjoint(left, right, this.#flags))
          this.#refuse('the alternatives of a repeated group do not begin with different characters');
      }
    });
  }

  #atom(): Piece {
    const from = this.#at;
    const character = characterAt(this.#source, this.#at);
    this.#at += character.length;
    switch (character) {
      case '(':
        return this.#group();
      case '^':
      case '$':
        return { kind: 'assertion', source: character };
      case '[':
        this.#at = this.#classEnd();
        break;
      case '\\': {
        const rest = this.#source.slice(this.#at);
        if (/^[1-9k]/.test(rest)) this.#refuse('back-references are not supported');
        if (/^[bB]/.test(rest)) {
          this.#at++;
          return { kind: 'assertion', source: `\\${rest[0]}` };
        }
        this.#at += ESCAPE.exec(rest)?.[0].length ?? 0;
        break;
      }
      default:
    }
    return { kind: 'atom', source: this.#source.slice(from, this.#at) };
  }

  /** Behind the bracket of a class, which may hold others. */
  #classEnd(): number {
    let at = this.#at;
    for (let depth = 1; depth > 0; at++) {
      const character = this.#source[at];
      if (character === '\\') at++;
      else if (character === '[') depth++;
      else if (character === ']') depth--;
    }
    return at;
  }

  #group(): Piece {
    const opening = /^\?(?:[:=!]|<[=!]|<[^>]*>)/.exec(this.#source.slice(this.#at))?.[0] ?? '';
    this.#at += opening.length;
    const { branches } = this.#alternatives();
    this.#at++;
    if (!/^\?<?[=!]$/.test(opening)) {
      // Of one place all ways are tried, and one of them holds: `\b`.
      const isAssertion =
        opening === '?:' &&
        branches.every((branch) => branch.length > 0 && branch.every((each) => each.kind === 'assertion'));
      return isAssertion ? { kind: 'assertion', source: '(' } : { kind: 'group', branches };
    }
    const plain = branches.every((branch) => branch.every(({ kind }) => kind === 'atom' || kind === 'assertion'));
    if (!plain) this.#refuse('look-around that holds repetitions or groups is not supported');
    return { kind: 'assertion', source: '(' };
  }
}

/** One escape in `u` mode; a surrogate pair written as two escapes is one character. */
const ESCAPE =
  /^(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[\s\S])/u;

type Piece =
  | { readonly kind: 'atom'; readonly source: string }
  | { readonly kind: 'assertion'; readonly source: string }
  | { readonly kind: 'group'; readonly branches: readonly (readonly Piece[])[] }
  | { readonly kind: 'repetition'; readonly body: Piece; readonly least: number; readonly most: number };

function boundsOf(quantifier: RegExpExecArray): readonly [number, number] {
  switch (quantifier[0][0]) {
    case '*':
      return [0, Infinity];
    case '+':
      return [1, Infinity];
    case '?':
      return [0, 1];
    default: {
      const least = Number(quantifier[1]);
      return [least, quantifier[2] === '' ? least : quantifier[3] === '' ? Infinity : Number(quantifier[3])];
    }
  }
}

function costOfBranches(branches: readonly (readonly Piece[])[], next: Next, flags: string): Node {
  const nodes = branches.map((branch) => costOfSequence(branch, next, flags));
  return (run) => {
    let work = 0;
    let paths = 0;
    for (const node of nodes) {
      const cost = node(run);
      work += cost.work;
      paths += cost.paths;
    }
    return { work, paths };
  };
}

function costOfSequence(pieces: readonly Piece[], next: Next, flags: string): Node {
  const nodes = pieces.map((piece, at) => costOfPiece(piece, nextOf(pieces[at + 1], next), flags));
  return (run) => {
    let work = 1;
    let paths = 1;
    for (const node of nodes) {
      const cost = node(run);
      work += paths * cost.work;
      paths *= cost.paths;
    }
    return { work, paths };
  };
}

function nextOf(following: Piece | undefined, next: Next): Next {
  if (following === undefined) return next;
  if (following.kind === 'atom') return following;
  if (following.kind === 'repetition' && following.least > 0 && following.body.kind === 'atom') return following.body;
  return { kind: 'open' };
}

function costOfPiece(piece: Piece, next: Next, flags: string): Node {
  switch (piece.kind) {
    case 'atom':
      return () => ({ work: 1, paths: 1 });
    case 'assertion':
      return () => ({ work: MAX_SOURCE_LENGTH / 100, paths: 1 });
    case 'group':
      return costOfBranches(piece.branches, next, flags);
    case 'repetition':
      return costOfRepetition(piece.body, piece.least, piece.most, next, flags);
  }
}

function costOfRepetition(body: Piece, least: number, most: number, next: Next, flags: string): Node {
  if (body.kind === 'group' && most <= 1) {
    const inner = costOfBranches(body.branches, next, flags);
    return (run) => {
      const { work, paths } = inner(run);
      return { work: work + 1, paths: paths + 1 };
    };
  }
  // Nothing follows that could fail, so nothing is given back: what was read belongs to the match and is not read again.
  if (next.kind === 'end') return () => ({ work: Math.max(1, least), paths: 1 });
  const atom = body.kind === 'atom' ? body.source : undefined;
  // `\d+-`: giving back digits cannot make a hyphen follow.
  const isSure = atom !== undefined && next.kind === 'atom' && areDisjoint(atom, next.source, flags);
  return (run) => {
    const rounds = Math.min(most, run(atom)) + 1;
    return { work: Math.max(rounds, Math.min(least, run(undefined))), paths: isSure ? 1 : Math.max(1, rounds - least) };
  };
}

/** Whether no character matches both; only told when one of them is a single character. */
function areDisjoint(left: string, right: string, flags: string): boolean {
  const literals = literalsOf(left) ?? literalsOf(right);
  if (literals === undefined) return false;
  const other = new RegExp(`^(?:${literalsOf(left) === undefined ? left : right})$`, flags.replace('g', ''));
  return !literals.some((each) => other.test(each));
}

/** The only character that an atom matches, with its other case; undefined if there are several. */
function literalsOf(atom: string): readonly string[] | undefined {
  if (atom.startsWith('\\')) return /^\\[^A-Za-z0-9]$/.test(atom) ? [atom.slice(1)] : undefined;
  const [, cases] = /^\[([a-zA-Z]{2})\]$/.exec(atom) ?? [];
  if (cases !== undefined) return cases.split('');
  return atom === '.' || atom.startsWith('[') ? undefined : [atom];
}

/** The number of groups of a pattern: an alternative of nothing always matches, with all groups. */
const countGroups = (source: string, flags: string): number =>
  (new RegExp(`${source}|`, flags).exec('')?.length ?? 1) - 1;
