// Matches terms against Lucene regular expressions and wildcards. A nondeterministic automaton is made deterministic lazily while
// terms are read, after its states were counted. Works on code points.
import { searchError } from '../errors/search-errors.ts';
import { tick } from '../tasks/request-budget.ts';
import { checkStates } from './automaton-algebra.ts';
import { codePointAt } from '../text/code-points.ts';

/** A transition of the nondeterministic automaton on code points from `from` to `to`; without reading if `from` is -1. */
interface Edge {
  readonly from: number;
  readonly to: number;
  readonly target: number;
}

const MAX_POINT = 0x10ffff;
/** Maximum states of a nondeterministic automaton. */
const MOST_STATES = 40_000;
/** Maximum edges and states visited to make one expression deterministic: one second. `([a-z]?){900}` has sets of thousands. */
const MOST_VISITS = 10_000_000;
/** Cost of one edge or state, in steps of the request's budget. */
const VISIT_STEPS = 50;

/** Builder of a nondeterministic automaton. State 0 is the start. */
export class Automaton {
  readonly edges: Edge[][] = [];
  accept = 0;
  readonly limit: number;
  private readonly pattern: string;
  private visits = 0;

  /** @param limit maximum states of the deterministic form */
  constructor(pattern: string, limit: number) {
    this.pattern = pattern;
    this.limit = limit;
  }

  state(): number {
    if (this.edges.length >= MOST_STATES) this.tooComplex();
    return this.edges.push([]) - 1;
  }

  edge(state: number, from: number, to: number, target: number): void {
    this.edges[state]!.push({ from, to, target });
  }

  jump(state: number, target: number): void {
    this.edges[state]!.push({ from: -1, to: -1, target });
  }

  /** Counts visited edges and states. @throws ProductError `SEARCH_PATTERN_TOO_COMPLEX` for too many */
  visit(count: number): void {
    tick(count * VISIT_STEPS);
    this.visits += count;
    if (this.visits > MOST_VISITS) this.tooComplex();
  }

  tooComplex(): never {
    throw searchError('SEARCH_PATTERN_TOO_COMPLEX', { pattern: this.pattern, limit: this.limit });
  }

  /** @throws ProductError `SEARCH_PATTERN_TOO_COMPLEX`, independently of the terms */
  matcher(): PatternMatcher {
    checkStates(this);
    return new PatternMatcher(this);
  }
}

/** Deterministic automaton: its states are sets of states, created when first reached. */
export class PatternMatcher {
  readonly start: number;
  private readonly automaton: Automaton;
  private readonly numbers = new Map<string, number>();
  private readonly sets: (readonly number[])[] = [];
  private readonly steps: Map<number, number>[] = [];
  private readonly accepting: boolean[] = [];

  constructor(automaton: Automaton) {
    this.automaton = automaton;
    this.start = this.intern(this.closure([0]));
  }

  private closure(states: readonly number[]): readonly number[] {
    const seen = new Set(states);
    const work = [...states];
    for (let state = work.pop(); state !== undefined; state = work.pop()) {
      for (const edge of this.automaton.edges[state]!) {
        if (edge.from < 0 && !seen.has(edge.target)) {
          seen.add(edge.target);
          work.push(edge.target);
        }
      }
    }
    return [...seen].sort((a, b) => a - b);
  }

  private intern(set: readonly number[]): number {
    const key = set.join(',');
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.sets.push(set) - 1;
    this.numbers.set(key, number);
    this.steps.push(new Map());
    this.accepting.push(set.includes(this.automaton.accept));
    return number;
  }

  /** The state after a code point; -1 if no continuation can match. */
  step(state: number, point: number): number {
    const known = this.steps[state]!.get(point);
    if (known !== undefined) return known;
    const targets: number[] = [];
    for (const inner of this.sets[state]!) {
      for (const edge of this.automaton.edges[inner]!) {
        if (edge.from >= 0 && point >= edge.from && point <= edge.to && !targets.includes(edge.target))
          targets.push(edge.target);
      }
    }
    const next = targets.length === 0 ? -1 : this.intern(this.closure(targets));
    this.steps[state]!.set(point, next);
    return next;
  }

  accepts(state: number): boolean {
    return this.accepting[state]!;
  }

  /** Whether the whole text matches. */
  matches(text: string): boolean {
    let state = this.start;
    for (const character of text) {
      state = this.step(state, codePointAt(character));
      if (state < 0) return false;
    }
    return this.accepting[state]!;
  }
}

/** A wildcard pattern: `*`, `?`, and `\` as escape. */
export function wildcardMatcher(pattern: string, caseInsensitive: boolean, limit: number): PatternMatcher {
  const automaton = new Automaton(pattern, limit);
  let state = automaton.state();
  const points = Array.from(pattern);
  for (let i = 0; i < points.length; i++) {
    let character = points[i]!;
    if (character === '*') {
      automaton.edge(state, 0, MAX_POINT, state);
      continue;
    }
    const next = automaton.state();
    if (character === '?') {
      automaton.edge(state, 0, MAX_POINT, next);
    } else {
      if (character === '\\' && i + 1 < points.length) character = points[++i]!;
      addCharacter(automaton, state, character, next, caseInsensitive);
    }
    state = next;
  }
  automaton.accept = state;
  return automaton.matcher();
}

/** Adds an edge for a character, for both cases if `anyCase` (ASCII only, like Lucene). */
export function addCharacter(
  automaton: Automaton,
  state: number,
  character: string,
  target: number,
  caseInsensitive: boolean,
): void {
  const point = codePointAt(character);
  automaton.edge(state, point, point, target);
  if (!caseInsensitive || point > 127) return;
  const lower = codePointAt(character.toLowerCase());
  const upper = codePointAt(character.toUpperCase());
  if (lower !== point) automaton.edge(state, lower, lower, target);
  if (upper !== point) automaton.edge(state, upper, upper, target);
}

/** The literal prefix of all matches, which narrows the terms to visit. */
export function literalPrefix(pattern: string, special: string): string {
  let prefix = '';
  for (const character of pattern) {
    if (special.includes(character)) return prefix;
    prefix += character;
  }
  return prefix;
}
