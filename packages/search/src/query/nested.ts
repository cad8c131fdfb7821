// Elements of nested arrays: runs a query over the hidden documents and answers the documents that enclose the matches.
import { hasBit } from '../index/bits.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { type Computation, ComputingWeight } from './computing-weight.ts';
import { type Failure, type Scorer, Scorer as ScorerBase, scorerAt, Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';

export type NestedScoreMode = 'avg' | 'max' | 'min' | 'sum' | 'none';

export class NestedWeight extends Weight {
  private readonly inner: Weight;
  private readonly path: string;
  /** The enclosing path; undefined: roots. */
  private readonly outer: string | undefined;
  private readonly mode: NestedScoreMode;

  constructor(inner: Weight, path: string, outer: string | undefined, mode: NestedScoreMode) {
    super();
    this.inner = inner;
    this.path = path;
    this.outer = outer;
    this.mode = mode;
  }

  override get parts(): readonly Weight[] {
    return [this.inner];
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const elements = segment.core.documentsOfPath(this.path);
    const parents = this.outer === undefined ? segment.roots : segment.core.documentsOfPath(this.outer);
    if (elements === undefined || parents === undefined) return undefined;
    const inner = this.inner.scorer(segment);
    return inner === undefined ? undefined : new NestedScorer(inner, elements, parents, this.mode);
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc);
    if (scorer === undefined) return undefined;
    return {
      value: scorer.score(),
      description: `Score based on matching elements of ${this.path}, score mode ${this.mode}`,
      details: [],
    };
  }
}

/** Elements of a path that does not lie inside of the enclosing one: the first visible match is an error (ToParentBlockJoinQuery). */
export class StrayNestedWeight extends ComputingWeight {
  private readonly inner: Weight;
  private readonly path: string;
  private readonly outer: string;

  constructor(statistics: Statistics, inner: Weight, path: string, outer: string) {
    super(statistics);
    this.inner = inner;
    this.path = path;
    this.outer = outer;
  }

  override get mayFail(): boolean {
    return true;
  }

  protected open(segment: SegmentView): Computation | undefined {
    const elements = segment.core.documentsOfPath(this.path);
    const candidates = this.inner.scorer(segment);
    if (elements === undefined || candidates === undefined) return undefined;
    const failure: Failure = { code: 'SEARCH_NESTED_PATH', values: { path: this.path, outer: this.outer } };
    return {
      candidates,
      readsCandidates: true,
      matches: (doc) => (hasBit(elements, doc) ? failure : false),
      score: () => failure,
    };
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    scorerAt(this, segment, doc)?.check(true);
    return undefined;
  }
}

class NestedScorer extends ScorerBase {
  readonly cost: number;
  private readonly inner: Scorer;
  private readonly elements: Int32Array;
  private readonly parents: Int32Array;
  private readonly mode: NestedScoreMode;

  constructor(inner: Scorer, elements: Int32Array, parents: Int32Array, mode: NestedScoreMode) {
    super();
    this.inner = inner;
    this.elements = elements;
    this.parents = parents;
    this.mode = mode;
    this.cost = inner.cost;
  }

  next(): number {
    return this.advance(this.doc + 1);
  }

  advance(target: number): number {
    const { inner, elements, parents } = this;
    // The elements of a parent come after the parent before it: start there.
    let from = target - 1;
    while (from >= 0 && !hasBit(parents, from)) from--;
    let doc = inner.doc > from ? inner.doc : inner.advance(from + 1);
    while (doc !== NO_MORE_DOCS && !hasBit(elements, doc)) doc = inner.next();
    if (doc === NO_MORE_DOCS) return (this.doc = NO_MORE_DOCS);
    let parent = doc + 1;
    while (!hasBit(parents, parent)) parent++;
    return (this.doc = parent);
  }

  /** Scores all matching elements of the parent; leaves the inner scorer after them. Only where it is asked: elements may be computed. */
  score(): number {
    const { inner, elements, mode, doc } = this;
    let count = 0;
    let sum = 0;
    let least = Infinity;
    let most = 0;
    if (mode === 'none') return 0;
    for (; inner.doc < doc; inner.next()) {
      if (!hasBit(elements, inner.doc)) continue;
      count++;
      inner.check(true);
      const score = inner.score();
      sum += score;
      if (score < least) least = score;
      if (score > most) most = score;
    }
    return Math.fround(mode === 'avg' ? sum / count : mode === 'sum' ? sum : mode === 'max' ? most : least);
  }

  override check(scored: boolean): void {
    const { inner, elements, doc } = this;
    if (scored && this.mode !== 'none') return;
    for (; inner.doc < doc; inner.next()) if (hasBit(elements, inner.doc)) inner.check(false);
  }
}
