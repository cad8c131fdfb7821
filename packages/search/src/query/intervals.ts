// Lucene's interval queries: the stretches of a text that a source matches. Sources nest; each returns the minimal intervals of a
// document in order. The score saturates with their number and tightness.
import { printIntervals } from './lucene/print-spans.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { tick } from '../tasks/request-budget.ts';

import { shardArgument } from '../errors/request-error.ts';
import {
  after,
  before,
  consecutive,
  type Interval,
  inOrder,
  inAnyOrder,
  keepWhere,
  minimal,
  repeated,
} from './interval-lists.ts';
import { expandPattern } from './multi-term.ts';
import { allNode, anyNode, type PlaceNode, withoutNode, wordNode } from './place-nodes.ts';
import type { IntervalFilter, IntervalSource, IntervalsQuery } from './kinds/intervals.ts';
import type { FuzzyQuery } from './kinds/patterns.ts';
import { Scorer, scorerAt, Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';
import { distancesOf } from './fuzzy.ts';

const { fround } = Math;

/** Lucene's Intervals.DEFAULT_MAX_EXPANSIONS. */
const MAX_EXPANSIONS = 128;

/** A source whose patterns are replaced by terms. */
type Resolved =
  | { readonly kind: 'terms'; readonly field: string; readonly terms: readonly string[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'any' | 'ordered' | 'unordered' | 'block'; readonly sources: readonly Resolved[] }
  | { readonly kind: 'repeat'; readonly source: Resolved; readonly count: number }
  | { readonly kind: 'max_gaps'; readonly source: Resolved; readonly gaps: number }
  | { readonly kind: 'extend'; readonly source: Resolved; readonly before: number }
  | { readonly kind: 'filter'; readonly how: IntervalFilter; readonly source: Resolved; readonly reference: Resolved };

export class IntervalsWeight extends Weight {
  private readonly statistics: Statistics;
  private readonly source: Resolved;
  private readonly minExtent: number;
  private readonly boost: number;
  private readonly query: IntervalsQuery;

  constructor(statistics: Statistics, query: IntervalsQuery, boost: number) {
    super();
    this.statistics = statistics;
    this.query = query;
    const resolved = resolve(query.source, statistics);
    this.source = joinAny(alternatives(resolved));
    this.minExtent = minExtent(this.source);
    this.boost = boost;
  }

  scorer(segment: SegmentView): IntervalsScorer | undefined {
    const node = build(this.source, segment, this.statistics);
    return node === undefined ? undefined : new IntervalsScorer(node, this.minExtent, this.boost);
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc) as IntervalsScorer | undefined;
    if (scorer === undefined) return undefined;
    const value = scorer.score();
    const leaf = (number: number, description: string): Explanation => ({ value: number, description, details: [] });
    return {
      value,
      description: 'Saturation function on interval frequency, computed as w * S / (S + k) from:',
      details: [
        leaf(this.boost, 'w, weight of this function'),
        leaf(1, 'k, pivot feature value that would give a score contribution equal to w/2'),
        leaf(
          scorer.frequency(),
          `S, the sloppy frequency of the interval query ${this.query.field}:${printIntervals(this.query.source)}`,
        ),
      ],
    };
  }
}

function resolve(source: IntervalSource, statistics: Statistics): Resolved {
  switch (source.kind) {
    case 'pattern': {
      const { query } = source;
      const terms =
        query.kind === 'fuzzy' ? nearTerms(query, statistics) : expandPattern(statistics, query, MAX_EXPANSIONS + 1);
      if (terms.length > MAX_EXPANSIONS) {
        const text = query.kind === 'fuzzy' ? query.term : query.kind === 'prefix' ? `${query.prefix}*` : query.pattern;
        throw shardArgument(`Automaton [${text}] expanded to too many terms (limit ${MAX_EXPANSIONS})`);
      }
      // Also without any term: its least extent is 1 (MultiTermIntervalsSource.minExtent).
      return { kind: 'terms', field: query.field, terms };
    }
    case 'terms':
    case 'none':
      return source;
    case 'any':
    case 'block':
      return { kind: source.kind, sources: source.sources.map((each) => resolve(each, statistics)) };
    case 'ordered':
    case 'unordered':
      return combined(
        source.kind,
        source.sources.map((each) => resolve(each, statistics)),
      );
    case 'max_gaps':
    case 'extend':
      return { ...source, source: resolve(source.source, statistics) };
    case 'filter':
      return {
        ...source,
        source: resolve(source.source, statistics),
        reference: resolve(source.reference, statistics),
      };
  }
}

/** Visible terms near a text. */
function nearTerms(query: FuzzyQuery, statistics: Statistics): string[] {
  const wanted = {
    term: query.term,
    maxEdits: query.maxEdits,
    prefixLength: query.prefixLength ?? 0,
    transpositions: query.transpositions ?? true,
  };
  return [...distancesOf(query.field, wanted, statistics).keys()].filter(
    (term) => statistics.docFreq(query.field, term) > 0,
  );
}

/** Joins nested sources of the same kind; equal sources (in order: adjacent ones) become a repetition. */
function combined(kind: 'ordered' | 'unordered', sources: readonly Resolved[]): Resolved {
  const flat = sources.flatMap((source) => (source.kind === kind ? source.sources : [source]));
  const runs: { readonly key: string; readonly source: Resolved; count: number }[] = [];
  for (const source of flat) {
    const key = JSON.stringify(source);
    const known = kind === 'ordered' ? runs.at(-1) : runs.find((run) => run.key === key);
    if (known?.key === key) known.count++;
    else runs.push({ key, source, count: 1 });
  }
  const parts = runs.map(({ source, count }): Resolved => (count === 1 ? source : { kind: 'repeat', source, count }));
  return parts.length === 1 ? parts[0]! : { kind, sources: parts };
}

/**
 * Lucene's Disjunctions.pullUp: the alternatives of a source, none of which contains alternatives that hide each other. A short interval
 * inside a longer one is minimal, and a limit on gaps or a neighbour would never see the longer one.
 */
function alternatives(source: Resolved): readonly Resolved[] {
  switch (source.kind) {
    case 'any':
      return source.sources.flatMap(alternatives);
    case 'block':
      return product(source.sources).map((sources) => ({ kind: 'block', sources }));
    case 'ordered':
    case 'unordered': {
      const { kind } = source;
      // These see minimal intervals only, unless a source around them pulls the alternatives up.
      return [{ kind, sources: source.sources.map((each) => joinAny(alternatives(each))) }];
    }
    case 'max_gaps':
    case 'extend':
      return pulledUp(source.source).map((each) => ({ ...source, source: each }));
    case 'filter': {
      const reference = joinAny(alternatives(source.reference));
      return pulledUp(source.source).map((each) => ({ ...source, source: each, reference }));
    }
    case 'repeat':
      return [{ ...source, source: joinAny(alternatives(source.source)) }];
    case 'terms':
    case 'none':
      return [source];
  }
}

function pulledUp(source: Resolved): readonly Resolved[] {
  if (source.kind !== 'ordered' && source.kind !== 'unordered') return alternatives(source);
  const { kind } = source;
  return product(source.sources).map((sources) => ({ kind, sources }));
}

/** Maximum alternatives of a query, which multiply; Elasticsearch has no limit. */
const MAX_ALTERNATIVES = 1024;

function product(sources: readonly Resolved[]): readonly (readonly Resolved[])[] {
  let rows: (readonly Resolved[])[] = [[]];
  for (const source of sources) {
    const each = pulledUp(source);
    if (rows.length * each.length > MAX_ALTERNATIVES)
      throw shardArgument(
        `[intervals] query has more than ${MAX_ALTERNATIVES} combinations of its [any_of] alternatives`,
      );
    rows = rows.flatMap((row) => each.map((one) => [...row, one]));
  }
  return rows;
}

function joinAny(sources: readonly Resolved[]): Resolved {
  return sources.length === 1 ? sources[0]! : { kind: 'any', sources };
}

/** The length of the shortest interval of a source (IntervalsSource.minExtent). */
function minExtent(source: Resolved): number {
  switch (source.kind) {
    case 'terms':
      return 1;
    case 'none':
      return 0;
    case 'any':
      return source.sources.reduce((least, each) => Math.min(least, minExtent(each)), Infinity);
    case 'ordered':
    case 'unordered':
    case 'block':
      return source.sources.reduce((sum, each) => sum + minExtent(each), 0);
    case 'repeat':
      return source.count * minExtent(source.source);
    case 'extend':
      return source.before + minExtent(source.source);
    case 'max_gaps':
    case 'filter':
      return minExtent(source.source);
  }
}

type Node = PlaceNode<Interval>;

function build(source: Resolved, segment: SegmentView, statistics: Statistics): Node | undefined {
  const inner = (each: Resolved): Node | undefined => build(each, segment, statistics);
  switch (source.kind) {
    case 'none':
      return undefined;
    case 'terms':
      return termNode(source.field, source.terms, segment, statistics);
    case 'any': {
      const words = wordsOf(source.sources);
      // Several words of one field are read as one word with alternatives, without a list for each.
      if (words !== undefined) return termNode(words.field, words.terms, segment, statistics);
      const nodes = source.sources.map(inner).filter((node) => node !== undefined);
      return nodes.length === 0 ? undefined : anyNode(nodes, (lists) => minimal(lists.flat()));
    }
    case 'ordered':
    case 'unordered':
    case 'block': {
      const nodes = source.sources.map(inner);
      if (!nodes.every((node) => node !== undefined)) return undefined;
      const join = { ordered: inOrder, unordered: inAnyOrder, block: consecutive }[source.kind];
      return allNode(nodes, () => join(nodes.map((node) => node.places())));
    }
    case 'repeat':
      return mapped(inner(source.source), (intervals) => repeated(intervals, source.count));
    case 'max_gaps':
      return mapped(inner(source.source), (intervals) =>
        intervals.filter(({ start, end, covered }) => end - start + 1 - covered <= source.gaps),
      );
    case 'extend':
      return mapped(inner(source.source), (intervals) =>
        intervals.map(({ start, end }) => {
          const from = Math.max(0, start - source.before);
          return { start: from, end, covered: end - from + 1 };
        }),
      );
    case 'filter': {
      const big = inner(source.source);
      if (big === undefined) return undefined;
      const reference = inner(source.reference);
      if (source.how.startsWith('not_'))
        return reference === undefined
          ? big
          : withoutNode(big, reference, (places, others) => filtered(source.how, places, others));
      if (reference === undefined) return undefined;
      return allNode([big, reference], () => filtered(source.how, big.places(), reference.places()));
    }
  }
}

/** The words and the field of sources that are words of one field; undefined for others. */
function wordsOf(
  sources: readonly Resolved[],
): { readonly field: string; readonly terms: readonly string[] } | undefined {
  const [first] = sources;
  if (first?.kind !== 'terms') return undefined;
  const terms = new Set<string>();
  for (const each of sources) {
    if (each.kind !== 'terms' || each.field !== first.field) return undefined;
    for (const term of each.terms) terms.add(term);
  }
  return { field: first.field, terms: [...terms] };
}

function filtered(
  how: IntervalFilter,
  source: readonly Interval[],
  reference: readonly Interval[],
): readonly Interval[] {
  switch (how) {
    case 'containing':
    case 'contained_by':
    case 'overlapping':
      return keepWhere(source, reference, how, true);
    case 'not_containing':
      return keepWhere(source, reference, 'containing', false);
    case 'not_contained_by':
      return keepWhere(source, reference, 'contained_by', false);
    case 'not_overlapping':
      return keepWhere(source, reference, 'overlapping', false);
    case 'before':
      return before(source, reference);
    case 'after':
      return after(source, reference);
  }
}

function termNode(
  field: string,
  terms: readonly string[],
  segment: SegmentView,
  statistics: Statistics,
): Node | undefined {
  return wordNode(field, terms, segment, statistics, (positions, start, end) => {
    const found: Interval[] = [];
    for (let at = start; at < end; at++) {
      const position = positions[at]!;
      if (found.at(-1)?.start !== position) found.push({ start: position, end: position, covered: 1 });
    }
    return found;
  });
}

function mapped(
  node: Node | undefined,
  change: (intervals: readonly Interval[]) => readonly Interval[],
): Node | undefined {
  if (node === undefined) return undefined;
  return { cost: node.cost, advance: (target) => node.advance(target), places: () => change(node.places()) };
}

class IntervalsScorer extends Scorer {
  readonly cost: number;
  private readonly node: Node;
  private readonly minExtent: number;
  private readonly boost: number;
  private found: readonly Interval[] = [];

  constructor(node: Node, extent: number, boost: number) {
    super();
    this.node = node;
    this.cost = node.cost;
    this.minExtent = extent;
    this.boost = boost;
  }

  next(): number {
    return this.advance(this.doc + 1);
  }

  advance(target: number): number {
    for (let from = target; ; from = this.doc + 1) {
      this.doc = this.node.advance(from);
      if (this.doc === NO_MORE_DOCS) return this.doc;
      tick(2048);
      this.found = this.node.places();
      if (this.found.length > 0) return this.doc;
    }
  }

  /** Sum over intervals of 1 / (1 + excess over the shortest possible length) (IntervalScorer.freq). */
  frequency(): number {
    let sum = 0;
    for (const { start, end } of this.found) sum = fround(sum + 1 / Math.max(end - start + 1 - this.minExtent + 1, 1));
    return sum;
  }

  score(): number {
    // IntervalScoreFunction.saturationFunction(1)
    return fround(this.boost * fround(1 - fround(1 / fround(1 + this.frequency()))));
  }
}
