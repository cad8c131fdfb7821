// The words of an analysed text as a graph: where alternatives of several words take paths of their own, and which words all paths share.
// The rules are Lucene's GraphTokenStreamFiniteStrings, on a graph whose nodes are in order.
import type { Analyzer } from '../analysis/analyzer.ts';

/** A word of a text, or of one path through its graph. */
export interface Word {
  readonly term: string;
  /** Positions from the word before; 0 beside it. */
  readonly step: number;
  /** Positions that it spans. */
  readonly length: number;
}

/** The words of a text. */
export interface Words {
  readonly words: readonly Word[];
  /** Whether alternatives have different numbers of words. */
  readonly isGraph: boolean;
  /** Whether the last word ends where the text does. */
  readonly endsWithWord: boolean;
}

/** A stretch of the graph that all paths cross at its ends. */
export interface Stretch {
  /** Ways through it, where they differ in length; undefined: it has alternatives of one word only. */
  readonly paths: Iterable<readonly Word[]> | undefined;
  readonly words: readonly Word[];
  readonly isLast: boolean;
}

export function wordsOf(analyzer: Analyzer, text: string): Words {
  const { ends, isGraph = false, lengths, positions, terms } = analyzer.analyze(text);
  return {
    words: terms.map((term, at) => ({
      term,
      step: positions[at]! - (at === 0 ? -1 : positions[at - 1]!),
      length: lengths?.[at] ?? 1,
    })),
    isGraph: isGraph && terms.length > 1,
    endsWithWord: ends.at(-1) === text.length,
  };
}

/** A word between two nodes. */
interface Edge {
  readonly from: number;
  readonly to: number;
  readonly word: Word;
}

/** The stretches of a graph, first to last. */
export function stretchesOf(words: readonly Word[]): readonly Stretch[] {
  const { edges, last, leaving } = graphOf(words);
  const stretches: Stretch[] = [];
  let start = 0;
  let reach = 0;
  const close = (end: number): void => {
    const here = leaving.get(start) ?? [];
    stretches.push({
      words: here.map(({ word }) => word),
      paths: here.every(({ to }) => to === here[0]!.to) ? undefined : pathsBetween(leaving, start, end),
      isLast: end === last,
    });
    start = end;
  };
  for (const { from, to } of edges) {
    // A node that a word jumps over is no place where all paths meet.
    if (from > start && reach <= from) close(from);
    reach = Math.max(reach, to);
  }
  if (edges.length > 0) close(last);
  return stretches;
}

/** All ways through the whole graph. */
export function pathsOf(words: readonly Word[]): Iterable<readonly Word[]> {
  const { last, leaving } = graphOf(words);
  return pathsBetween(leaving, 0, last);
}

/** The words on ways from the first node to the last. */
function graphOf(words: readonly Word[]): {
  readonly edges: readonly Edge[];
  readonly leaving: ReadonlyMap<number, readonly Edge[]>;
  readonly last: number;
} {
  const all = edgesOf(words);
  const last = all.reduce((most, { to }) => Math.max(most, to), 0);
  const reached = new Set([0]);
  for (const { from, to } of all) if (reached.has(from)) reached.add(to);
  const useful = new Set([last]);
  for (const { from, to } of all.toReversed()) if (useful.has(to)) useful.add(from);
  const edges = all.filter(({ from, to }) => reached.has(from) && useful.has(to));
  const leaving = new Map<number, Edge[]>();
  for (const edge of edges) {
    const known = leaving.get(edge.from);
    if (known === undefined) leaving.set(edge.from, [edge]);
    else known.push(edge);
  }
  return { edges, leaving, last };
}

/** Holes are part of the word behind them, and of those beside it. */
function edgesOf(words: readonly Word[]): readonly Edge[] {
  let node = -1;
  let gap = 0;
  let step = 1;
  return words.map((word) => {
    if (word.step === 0) node -= gap;
    else {
      node++;
      gap = word.step - 1;
      step = word.step;
    }
    const edge = { from: node, to: node + word.length + gap, word: { ...word, step, length: 1 } };
    node += gap;
    return edge;
  });
}

function* pathsBetween(
  leaving: ReadonlyMap<number, readonly Edge[]>,
  from: number,
  to: number,
): Generator<readonly Word[], void> {
  if (from === to) {
    yield [];
    return;
  }
  for (const edge of leaving.get(from) ?? [])
    for (const rest of pathsBetween(leaving, edge.to, to)) yield [edge.word, ...rest];
}
