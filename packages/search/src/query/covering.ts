// Documents in which as many of some queries match as a number of the document itself asks for: Lucene's CoveringQuery, which is
// behind `terms_set`. The score is the sum of those that match.
import { hasBit } from '../index/bits.ts';
import type { Explanation } from '../index/search-request.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { DisjunctionScorer } from './disjunction-scorer.ts';
import { Scorer, scorerAt, scorersOf, Weight } from './scorer.ts';

const { fround } = Math;

export class CoveringWeight extends Weight {
  private readonly clauses: readonly Weight[];
  private readonly field: string;

  /** @param field the number column that says how many must match; documents without a number do not match */
  constructor(clauses: readonly Weight[], field: string) {
    super();
    this.clauses = clauses;
    this.field = field;
  }

  override get parts(): readonly Weight[] {
    return this.clauses;
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const column = segment.number(this.field);
    if (column === undefined) return undefined;
    const scorers = scorersOf(this.clauses, segment);
    if (scorers.length === 0) return undefined;
    const { values, starts, exists } = column;
    // Of several numbers the least decides: the first one of the column.
    const needed = (doc: number): number => {
      if (starts === undefined) return exists === undefined || hasBit(exists, doc) ? values[doc]! : Infinity;
      return starts[doc] === starts[doc + 1] ? Infinity : values[starts[doc]!]!;
    };
    return new CoveringScorer(new DisjunctionScorer(scorers, 1, undefined), needed);
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc);
    if (scorer === undefined) return undefined;
    const details = this.clauses.flatMap((clause) => clause.explain(segment, doc) ?? []);
    return { value: fround(scorer.score()), description: 'sum of:', details };
  }
}

class CoveringScorer extends Scorer {
  readonly cost: number;
  private readonly inner: DisjunctionScorer;
  private readonly needed: (doc: number) => number;

  constructor(inner: DisjunctionScorer, needed: (doc: number) => number) {
    super();
    this.inner = inner;
    this.needed = needed;
    this.cost = inner.cost;
  }

  next(): number {
    return this.settle(this.inner.next());
  }

  advance(target: number): number {
    return this.settle(this.inner.advance(target));
  }

  private settle(from: number): number {
    let doc = from;
    // Fewer than one is one: a document in which nothing matches is never looked at.
    while (doc !== NO_MORE_DOCS && this.inner.matches < this.needed(doc)) doc = this.inner.next();
    return (this.doc = doc);
  }

  score(): number {
    return this.inner.score();
  }
}
