// What is computed of whole automata: whether one has too many states when it is made deterministic, everything but what one accepts (`~`),
// and what two accept (`&`). The latter need deterministic automata; the result is put back among the states of the expression.
import { spend } from '../request-budget.ts';
import type { Automaton } from './automaton.ts';

const MAX_POINT = 0x10ffff;

/** A piece of automaton with one way in and one way out. */
interface Piece {
  readonly start: number;
  readonly end: number;
}

/** Code points from one to another lead to a state. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly target: number;
}

/** A deterministic automaton; its first state is the start. A code point without a step leads nowhere. */
interface Deterministic {
  readonly steps: readonly (readonly Step[])[];
  readonly accepts: readonly boolean[];
}

/**
 * Refuses an automaton that has too many states when it is made deterministic. It is asked before a term is read: counted while terms are
 * read, the states would tell which terms a dictionary holds, also those of documents that are hidden from the caller.
 *
 * @throws ProductError `SEARCH_PATTERN_TOO_COMPLEX`
 */
export function checkStates(automaton: Automaton): void {
  // With one way only, as of a plain word, it is deterministic as it is: Lucene counts nothing then.
  if (automaton.edges.every(({ length }) => length <= 1)) return;
  determinize(automaton, { start: 0, end: automaton.accept });
}

/** Elements of the sets of states at most, as Lucene limits them since 9: a few hundred milliseconds. */
const MOST_ELEMENTS = 1_000_000;
/** Putting one state into a set, in steps of a search's budget. */
const ELEMENT_STEPS = 300;

/** Makes a piece deterministic. @throws ProductError `SEARCH_PATTERN_TOO_COMPLEX` */
export function determinize(automaton: Automaton, { start, end }: Piece): Deterministic {
  const numbers = new Map<string, number>();
  const sets: (readonly number[])[] = [];
  let elements = 0;
  const intern = (states: readonly number[]): number => {
    const set = closure(automaton, states);
    spend(set.length * ELEMENT_STEPS);
    const key = set.join(',');
    let number = numbers.get(key);
    if (number === undefined) {
      elements += set.length;
      if (sets.length >= automaton.limit || elements > MOST_ELEMENTS) automaton.tooComplex();
      numbers.set(key, (number = sets.push(set) - 1));
    }
    return number;
  };
  intern([start]);
  const steps: Step[][] = [];
  for (let at = 0; at < sets.length; at++) {
    const edges = sets[at]!.flatMap((state) => automaton.edges[state]!.filter(({ from }) => from >= 0));
    const bounds = [...new Set(edges.flatMap(({ from, to }) => [from, to + 1]))].sort((a, b) => a - b);
    steps.push(
      bounds.slice(0, -1).flatMap((from, index): Step[] => {
        const targets = edges.filter((edge) => edge.from <= from && edge.to >= from).map(({ target }) => target);
        return targets.length === 0 ? [] : [{ from, to: bounds[index + 1]! - 1, target: intern(targets) }];
      }),
    );
  }
  return { steps, accepts: sets.map((set) => set.includes(end)) };
}

function closure(automaton: Automaton, states: readonly number[]): readonly number[] {
  const seen = new Set(states);
  const work = [...states];
  for (let state = work.pop(); state !== undefined; state = work.pop()) {
    for (const { from, target } of automaton.edges[state]!) {
      if (from >= 0 || seen.has(target)) continue;
      seen.add(target);
      work.push(target);
    }
  }
  return [...seen].sort((a, b) => a - b);
}

/** All texts that are not accepted. */
export function complementOf({ accepts, steps }: Deterministic): Deterministic {
  const nowhere = steps.length;
  const complete = [...steps, []].map((own): Step[] => {
    const all: Step[] = [];
    let next = 0;
    for (const step of own) {
      if (step.from > next) all.push({ from: next, to: step.from - 1, target: nowhere });
      all.push(step);
      next = step.to + 1;
    }
    if (next <= MAX_POINT) all.push({ from: next, to: MAX_POINT, target: nowhere });
    return all;
  });
  return { steps: complete, accepts: [...accepts.map((accept) => !accept), true] };
}

/** All texts that both accept. @param tooComplex called when there are too many states */
export function intersectionOf(left: Deterministic, right: Deterministic, tooComplex: () => never): Deterministic {
  const numbers = new Map<string, number>();
  const pairs: (readonly [number, number])[] = [];
  const intern = (a: number, b: number): number => {
    const key = `${a},${b}`;
    let number = numbers.get(key);
    if (number === undefined) {
      if (pairs.length >= MOST_PAIRS) tooComplex();
      numbers.set(key, (number = pairs.push([a, b]) - 1));
    }
    return number;
  };
  intern(0, 0);
  const steps: Step[][] = [];
  for (let at = 0; at < pairs.length; at++) {
    const [a, b] = pairs[at]!;
    const own: Step[] = [];
    for (const one of left.steps[a]!) {
      for (const other of right.steps[b]!) {
        const from = Math.max(one.from, other.from);
        const to = Math.min(one.to, other.to);
        if (from <= to) own.push({ from, to, target: intern(one.target, other.target) });
      }
    }
    steps.push(own);
  }
  return { steps, accepts: pairs.map(([a, b]) => left.accepts[a]! && right.accepts[b]!) };
}

/** Pairs of states at most. */
const MOST_PAIRS = 20_000;

/** Puts an automaton among the states of another one. */
export function embed(automaton: Automaton, { accepts, steps }: Deterministic): Piece {
  const states = steps.map(() => automaton.state());
  const end = automaton.state();
  steps.forEach((own, at) => {
    for (const { from, target, to } of own) automaton.edge(states[at]!, from, to, states[target]!);
    if (accepts[at] === true) automaton.jump(states[at]!, end);
  });
  return { start: states[0]!, end };
}
