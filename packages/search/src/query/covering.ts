// Lucene's CoveringQuery (`terms_set`): as many of its queries must match as a number of the document says. The score is the sum of
// the matching ones.
import { hasBit } from '../index/bits.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { type Computation, ComputingWeight } from './computing-weight.ts';
import { DisjunctionScorer } from './disjunction-scorer.ts';
import { scorerAt, scorersOf, type Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';

const { fround } = Math;

export class CoveringWeight extends ComputingWeight {
  private readonly clauses: readonly Weight[];
  private readonly field: string;

  /** @param field the number column that says how many must match; documents without a number do not match */
  constructor(statistics: Statistics, clauses: readonly Weight[], field: string) {
    super(statistics);
    this.clauses = clauses;
    this.field = field;
  }

  override get parts(): readonly Weight[] {
    return this.clauses;
  }

  protected open(segment: SegmentView): Computation | undefined {
    const column = segment.number(this.field);
    if (column === undefined) return undefined;
    const scorers = scorersOf(this.clauses, segment);
    if (scorers.length === 0) return undefined;
    const { values, starts, exists } = column;
    // Of several numbers the smallest decides, the first one of the column.
    const needed = (doc: number): number => {
      if (starts === undefined)
        return exists === undefined || hasBit(exists, doc) ? Math.trunc(values[doc]!) : Infinity;
      return starts[doc] === starts[doc + 1] ? Infinity : Math.trunc(values[starts[doc]!]!);
    };
    const candidates = new DisjunctionScorer(scorers, 1, undefined);
    return {
      candidates,
      readsCandidates: true,
      // At least one: a document in which nothing matches is no candidate.
      matches: (doc) => candidates.matches >= needed(doc),
      score: () => candidates.score(),
    };
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc);
    if (scorer === undefined) return undefined;
    const details = this.clauses.flatMap((clause) => clause.explain(segment, doc) ?? []);
    return { value: fround(scorer.score()), description: 'sum of:', details };
  }
}
