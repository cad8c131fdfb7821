// Lucene's span queries: the stretches of a text that a source matches. Scored by BM25 with the summed idf of all terms of the query,
// whichever of them a document has, and a frequency that grows with the number and tightness of the matches.
import { printSpans } from './lucene/print-spans.ts';
import { printPattern } from './lucene/print-words.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { tick } from '../tasks/request-budget.ts';
import { RequestError, shardArgument } from '../errors/request-error.ts';
import { bm25, explainBm25, explainIdf, explainSummedIdf, termWeight } from './bm25.ts';
import { nearestTerms } from './fuzzy.ts';
import { expandPattern } from './multi-term.ts';
import { allNode, anyNode, type PlaceNode, withoutNode, wordNode } from './place-nodes.ts';
import type { SpanQuery, SpanSource, SpanTerm, SpanTree } from './kinds/span.ts';
import { Scorer, scorerAt, Weight } from './scorer.ts';
import {
  anySpan,
  type Clause,
  endingBy,
  heldBy,
  holding,
  nearInAnyOrder,
  nearInOrder,
  notNear,
  type Span,
} from './span-lists.ts';
import type { Statistics } from './statistics.ts';

const { fround } = Math;

/** A source whose patterns are replaced by terms. */
type Resolved = SpanTree<SpanTerm>;

export class SpanWeight extends Weight {
  private readonly statistics: Statistics;
  private readonly source: Resolved;
  private readonly field: string;
  /** The norm in segments that lack the field, equal to that of documents without it in other segments. */
  private readonly lacking: number;
  private readonly boost: number;
  private readonly idf: Explanation;
  private readonly weight: number;

  constructor(statistics: Statistics, query: SpanQuery, boost: number) {
    super();
    this.statistics = statistics;
    this.field = query.field;
    this.lacking = query.norms ? 0 : 1;
    this.boost = boost;
    this.source = resolveSpans(query.source, statistics);
    // Words that no document has are left out (SpanWeight.buildSimWeight).
    const docFreqs = termsOf(this.source)
      .map(([field, term]) => statistics.docFreq(field, term))
      .filter((docFreq) => docFreq > 0);
    const { docCount } = statistics.field(query.field);
    const [only] = docFreqs;
    this.idf =
      docFreqs.length === 1 && only !== undefined
        ? explainIdf(only, Math.max(docCount, only))
        : explainSummedIdf(docFreqs, docCount);
    this.weight = termWeight(statistics.similarity, boost, this.idf.value);
  }

  scorer(segment: SegmentView): SpanScorer | undefined {
    const node = build(this.source, segment, this.statistics);
    if (node === undefined) return undefined;
    const inverse = this.statistics.inverseNorms(this.field);
    return new SpanScorer(node, this.weight, inverse, (doc) => this.normOf(segment, doc));
  }

  /**
   * The terms may belong to another field (`field_masking_span`). Whether the segment has this one must change nothing: it may occur in
   * hidden documents only.
   */
  private normOf(segment: SegmentView, doc: number): number {
    return segment.core.terms(this.field)?.norms[doc] ?? this.lacking;
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc) as SpanScorer | undefined;
    if (scorer === undefined) return undefined;
    // A single term that counts as another field's is not printed as masked.
    const source = this.source.kind === 'term' ? `${this.source.field}:${this.source.term}` : printSpans(this.source);
    const inner = explainBm25(
      'phrase',
      this.statistics.similarity,
      this.boost,
      this.idf,
      scorer.frequency,
      this.normOf(segment, doc),
      this.statistics.field(this.field),
    );
    return {
      value: inner.value,
      description: `weight(${source}${this.statistics.placeOf(doc)}) [PerFieldSimilarity], result of:`,
      details: [inner],
    };
  }
}

function withoutPositions({ field, term }: SpanTerm): RequestError {
  const reason = `field "${field}" was indexed without position data; cannot run SpanTermQuery (term=${term})`;
  return new RequestError('SEARCH_SHARD_FAILURE', 'illegal_state_exception', reason, { phase: true });
}

/** Replaces patterns by the terms that they match. @throws RequestError for a word of a field without positions */
export function resolveSpans(source: SpanSource, statistics: Statistics): Resolved {
  const { shownAs } = source;
  const found = resolveOwn(source, statistics);
  return shownAs === undefined || found.shownAs === shownAs ? found : { ...found, shownAs };
}

function resolveOwn(source: SpanSource, statistics: Statistics): Resolved {
  const inner = (each: SpanSource): Resolved => resolveSpans(each, statistics);
  switch (source.kind) {
    case 'term':
      if (source.hasNoPositions !== true) return source;
      if (statistics.docFreq(source.field, source.term) > 0) throw withoutPositions(source);
      return { kind: 'or', clauses: [] };
    case 'gap':
      return source;
    case 'pattern': {
      const { maxTerms, query } = source;
      const { maxClauses } = statistics.limits;
      if (query.kind !== 'fuzzy' && maxTerms !== undefined) {
        const clauses = expandPattern(statistics, query, maxTerms).map(
          (term) => ({ kind: 'term', field: query.field, term }) as const,
        );
        return { kind: 'or', clauses };
      }
      if (query.kind === 'fuzzy') {
        const { field } = query;
        return {
          kind: 'or',
          clauses: nearestTerms(query, statistics).map(({ term }) => ({ kind: 'term', field, term })),
        };
      }
      const terms = expandPattern(statistics, query, maxClauses + 1);
      if (terms.length > maxClauses)
        throw shardArgument(
          `[span_multi] stands for more than [${maxClauses}] terms; ask for fewer with a longer text`,
        );
      const clauses = terms.map((term) => ({ kind: 'term' as const, field: query.field, term }));
      const [only] = clauses;
      if (clauses.length === 0) return { kind: 'or', clauses, none: `no expansion found for ${printPattern(query)}` };
      return clauses.length === 1 && only !== undefined ? only : { kind: 'or', clauses };
    }
    case 'or':
    case 'near':
      return { ...source, clauses: source.clauses.map(inner) };
    case 'not':
      return { ...source, include: inner(source.include), exclude: inner(source.exclude) };
    case 'first':
      return { ...source, match: inner(source.match) };
    case 'containing':
    case 'within':
      return { ...source, big: inner(source.big), little: inner(source.little) };
  }
}

/** The distinct terms in order. */
function termsOf(source: Resolved): readonly (readonly [string, string])[] {
  const found = new Map<string, readonly [string, string]>();
  const walk = (each: Resolved): void => {
    if (each.kind === 'term') found.set(`${each.field}\0${each.term}`, [each.field, each.term]);
    else if ('clauses' in each) each.clauses.forEach(walk);
    // Excluded terms do not count (SpanNotQuery.createWeight).
    else if (each.kind === 'not') walk(each.include);
    else if (each.kind === 'first') walk(each.match);
    else if (each.kind !== 'gap') [each.big, each.little].forEach(walk);
  };
  walk(source);
  // Lucene's order; the double sum of a few floats does not depend on it.
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, term]) => term);
}

type Node = PlaceNode<Span>;

function build(source: Resolved, segment: SegmentView, statistics: Statistics): Node | undefined {
  const inner = (each: Resolved): Node | undefined => build(each, segment, statistics);
  switch (source.kind) {
    case 'gap':
      return undefined;
    case 'term':
      return wordNode(source.field, [source.term], segment, statistics, (positions, start, end) =>
        Array.from({ length: end - start }, (_, at) => {
          const position = positions[start + at]!;
          return { start: position, end: position + 1, width: 0 };
        }),
      );
    case 'or': {
      const nodes = source.clauses.map(inner).filter((node) => node !== undefined);
      if (nodes.length === 0) return undefined;
      return anyNode(nodes, anySpan);
    }
    case 'near': {
      const { slop, inOrder } = source;
      const nodes = source.clauses.map((clause) => (clause.kind === 'gap' ? clause : inner(clause)));
      if (!nodes.every((node) => node !== undefined)) return undefined;
      const real = nodes.filter((node) => 'advance' in node);
      const clauses = (): Clause[] =>
        nodes.map((node) => ('advance' in node ? { kind: 'spans', spans: node.places() } : node));
      return allNode(real, () =>
        inOrder
          ? nearInOrder(clauses(), slop)
          : nearInAnyOrder(
              real.map((node) => node.places()),
              slop,
            ),
      );
    }
    case 'not': {
      const include = inner(source.include);
      const exclude = inner(source.exclude);
      if (include === undefined || exclude === undefined) return include;
      return withoutNode(include, exclude, (spans, others) => notNear(spans, others, source.pre, source.post));
    }
    case 'first': {
      const match = inner(source.match);
      return match && allNode([match], () => endingBy(match.places(), source.end));
    }
    case 'containing':
    case 'within': {
      const big = inner(source.big);
      const little = inner(source.little);
      if (big === undefined || little === undefined) return undefined;
      return allNode([big, little], () =>
        source.kind === 'containing' ? holding(big.places(), little.places()) : heldBy(little.places(), big.places()),
      );
    }
  }
}

class SpanScorer extends Scorer {
  readonly cost: number;
  /** Sum over spans of 1 / (1 + width) (SpanScorer.setFreqCurrentDoc). */
  frequency = 0;
  private readonly node: Node;
  private readonly weight: number;
  private readonly inverse: Float32Array;
  private readonly normOf: (doc: number) => number;

  constructor(node: Node, weight: number, inverse: Float32Array, normOf: (doc: number) => number) {
    super();
    this.node = node;
    this.cost = node.cost;
    this.weight = weight;
    this.inverse = inverse;
    this.normOf = normOf;
  }

  next(): number {
    return this.advance(this.doc + 1);
  }

  advance(target: number): number {
    for (let from = target; ; from = this.doc + 1) {
      this.doc = this.node.advance(from);
      if (this.doc === NO_MORE_DOCS) return this.doc;
      tick(1024);
      const spans = this.node.places();
      if (spans.length === 0) continue;
      let frequency = 0;
      // Rounds to float32 after each addition, like Lucene.
      for (const { width } of spans) frequency = fround(frequency + 1 / (1 + width));
      this.frequency = frequency;
      return this.doc;
    }
  }

  score(): number {
    return bm25(this.weight, this.frequency, this.inverse[this.normOf(this.doc)]!);
  }
}
