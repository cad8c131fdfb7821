// Operations on whole automata: counting the states of the deterministic form, complement (`~`) and intersection (`&`). The last two
// need deterministic automata; their result is added to the states of the expression.
import type { Automaton } from './automaton.ts';

const MAX_POINT = 0x10ffff;

/** Part of an automaton with one start state and one end state. */
interface Piece {
  readonly start: number;
  readonly end: number;
}

/** A range of code points and the state to which it leads. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly target: number;
}

/** A deterministic automaton; its first state is the start. A code point without a step is rejected. */
interface Deterministic {
  readonly steps: readonly (readonly Step[])[];
  readonly accepts: readonly boolean[];
}

/**
 * Rejects an automaton whose deterministic form has too many states. States are counted before any term is read: counted during
 * reading, they would reveal which terms the dictionary holds, including those of hidden documents.
 *
 * @throws ProductError `SEARCH_PATTERN_TOO_COMPLEX`
 */
export function checkStates(automaton: Automaton): void {
  // A single path, as for a plain word, is already deterministic: Lucene does not count it.
  if (automaton.edges.every(({ length }) => length <= 1)) return;
  determinize(automaton, { start: 0, end: automaton.accept });
}

/** Maximum elements of the sets of states, Lucene's limit since version 9: a few hundred milliseconds. */
const MOST_ELEMENTS = 1_000_000;

/** Makes a piece deterministic. @throws ProductError `SEARCH_PATTERN_TOO_COMPLEX` */
function determinize(automaton: Automaton, { start, end }: Piece): Deterministic {
  const numbers = new Map<string, number>();
  const sets: (readonly number[])[] = [];
  let elements = 0;
  const intern = (states: readonly number[]): number => {
    const set = closure(automaton, states);
    automaton.visit(states.length + set.length);
    const key = set.join(',');
    let number = numbers.get(key);
    if (number === undefined) {
      elements += set.length;
      if (sets.length >= automaton.limit || elements > MOST_ELEMENTS) automaton.tooComplex();
      numbers.set(key, (number = sets.push(set) - 1));
    }
    return number;
  };
  const readingOf: (readonly Step[])[] = [];
  intern([start]);
  const steps: Step[][] = [];
  for (let at = 0; at < sets.length; at++) {
    const edges = sets[at]!.flatMap((state) => (readingOf[state] ??= readingEdges(automaton, state)));
    automaton.visit(edges.length);
    const bounds = [...new Set(edges.flatMap(({ from, to }) => [from, to + 1]))].sort((a, b) => a - b);
    const places = new Map(bounds.map((bound, index) => [bound, index]));
    const targets = bounds.map((): number[] => []);
    for (const { from, target, to } of edges) {
      const first = places.get(from) ?? 0;
      const behind = places.get(to + 1) ?? first;
      automaton.visit(behind - first);
      for (let index = first; index < behind; index++) targets[index]!.push(target);
    }
    // Most code points lead to the same states.
    const known = new Map<string, number>();
    const own: Step[] = [];
    for (const [index, list] of targets.entries()) {
      if (list.length === 0) continue;
      const key = list.join(',');
      let target = known.get(key);
      if (target === undefined) known.set(key, (target = intern(list)));
      own.push({ from: bounds[index]!, to: bounds[index + 1]! - 1, target });
    }
    steps.push(own);
  }
  return { steps, accepts: sets.map((set) => set.includes(end)) };
}

/** The edges of a state that read a code point; neighbours with the same target are one. */
function readingEdges(automaton: Automaton, state: number): readonly Step[] {
  const sorted = automaton.edges[state]!.filter(({ from }) => from >= 0).sort(
    (a, b) => a.target - b.target || a.from - b.from,
  );
  const joined: Step[] = [];
  for (const { from, target, to } of sorted) {
    const last = joined.at(-1);
    if (last?.target === target && from <= last.to + 1)
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, to), target };
    else joined.push({ from, to, target });
  }
  return joined;
}

function closure(automaton: Automaton, states: readonly number[]): readonly number[] {
  const seen = new Set(states);
  const work = [...seen];
  for (let state = work.pop(); state !== undefined; state = work.pop()) {
    for (const { from, target } of automaton.edges[state]!) {
      if (from >= 0 || seen.has(target)) continue;
      seen.add(target);
      work.push(target);
    }
  }
  return [...seen].sort((a, b) => a - b);
}

/** Accepts the texts that a part of an automaton rejects. @throws ProductError `SEARCH_PATTERN_TOO_COMPLEX` */
export function complementOf(automaton: Automaton, piece: Piece): Deterministic {
  const { accepts, steps } = determinize(automaton, piece);
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

/** Accepts the texts that both parts of an automaton accept. @throws ProductError `SEARCH_PATTERN_TOO_COMPLEX` */
export function intersectionOf(automaton: Automaton, one: Piece, other: Piece): Deterministic {
  const left = determinize(automaton, one);
  const right = determinize(automaton, other);
  const numbers = new Map<string, number>();
  const pairs: (readonly [number, number])[] = [];
  const intern = (a: number, b: number): number => {
    const key = `${a},${b}`;
    let number = numbers.get(key);
    if (number === undefined) {
      if (pairs.length >= MOST_PAIRS) automaton.tooComplex();
      numbers.set(key, (number = pairs.push([a, b]) - 1));
    }
    return number;
  };
  intern(0, 0);
  const steps: Step[][] = [];
  for (let at = 0; at < pairs.length; at++) {
    const [a, b] = pairs[at]!;
    const own: Step[] = [];
    const [first, second] = [left.steps[a]!, right.steps[b]!];
    automaton.visit(first.length + second.length);
    // Both are sorted and do not overlap.
    for (let i = 0, j = 0; i < first.length && j < second.length;) {
      const [mine, yours] = [first[i]!, second[j]!];
      const from = Math.max(mine.from, yours.from);
      const to = Math.min(mine.to, yours.to);
      if (from <= to) own.push({ from, to, target: intern(mine.target, yours.target) });
      if (mine.to <= to) i++;
      else j++;
    }
    steps.push(own);
  }
  return { steps, accepts: pairs.map(([a, b]) => left.accepts[a]! && right.accepts[b]!) };
}

/** Maximum pairs of states. */
const MOST_PAIRS = 20_000;

/** Adds the states of an automaton to another. */
export function embed(automaton: Automaton, { accepts, steps }: Deterministic): Piece {
  const states = steps.map(() => automaton.state());
  const end = automaton.state();
  steps.forEach((own, at) => {
    for (const { from, target, to } of own) automaton.edge(states[at]!, from, to, states[target]!);
    if (accepts[at] === true) automaton.jump(states[at]!, end);
  });
  return { start: states[0]!, end };
}
