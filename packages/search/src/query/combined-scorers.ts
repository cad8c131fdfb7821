// Scorers over other scorers: all of them, any of them (summed or best of), one with an option, one without another.
import { spend } from '../request-budget.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { Scorer } from './scorer.ts';

const { fround } = Math;

/** All must stand on the document. The score is the sum over `scoring`, rounded once (ConjunctionScorer). */
export class ConjunctionScorer extends Scorer {
  readonly cost: number;
  private readonly ordered: readonly Scorer[];
  private readonly scoring: readonly Scorer[];

  constructor(required: readonly Scorer[], scoring: readonly Scorer[]) {
    super();
    this.ordered = required.toSorted((a, b) => a.cost - b.cost);
    this.scoring = scoring;
    this.cost = this.ordered[0]!.cost;
  }

  next(): number {
    return this.align(this.ordered[0]!.next());
  }

  advance(target: number): number {
    return this.align(this.ordered[0]!.advance(target));
  }

  private align(from: number): number {
    const { ordered } = this;
    let doc = from;
    next: while (doc !== NO_MORE_DOCS) {
      spend(16);
      for (let i = 1; i < ordered.length; i++) {
        const scorer = ordered[i]!;
        if (scorer.doc >= doc && scorer.doc === doc) continue;
        const found = scorer.doc < doc ? scorer.advance(doc) : scorer.doc;
        if (found !== doc) {
          doc = found === NO_MORE_DOCS ? found : ordered[0]!.advance(found);
          continue next;
        }
      }
      break;
    }
    return (this.doc = doc);
  }

  score(): number {
    let sum = 0;
    for (const scorer of this.scoring) sum += scorer.score();
    return fround(sum);
  }
}

/** At least `minimum` of the scorers must stand on the document. */
export class DisjunctionScorer extends Scorer {
  readonly cost: number;
  private readonly scorers: readonly Scorer[];
  private readonly minimum: number;
  /** undefined: scores are summed; else the best plus so much of the others (DisjunctionMaxScorer). */
  private readonly tieBreaker: number | undefined;
  /** Indexes of scorers, a heap by their documents. */
  private readonly heap: Int32Array;
  private readonly matching: number[] = [];
  private live: number;

  constructor(scorers: readonly Scorer[], minimum: number, tieBreaker: number | undefined) {
    super();
    this.scorers = scorers;
    this.minimum = minimum;
    this.tieBreaker = tieBreaker;
    this.cost = scorers.reduce((sum, scorer) => sum + scorer.cost, 0);
    this.heap = Int32Array.from({ length: scorers.length }, (_, i) => i);
    this.live = scorers.length;
  }

  /** How many of them stand on the document. */
  get matches(): number {
    return this.matching.length;
  }

  next(): number {
    return this.advance(this.doc + 1);
  }

  advance(target: number): number {
    const { scorers, heap } = this;
    let wanted = target;
    for (;;) {
      spend(256);
      // Bring every scorer that lags to the target; the heap's root is the least.
      while (this.live > 0) {
        const scorer = scorers[heap[0]!]!;
        if (scorer.doc >= wanted) break;
        if (scorer.advance(wanted) === NO_MORE_DOCS) heap[0] = heap[--this.live]!;
        this.sink(0);
      }
      if (this.live < this.minimum || this.live === 0) return (this.doc = NO_MORE_DOCS);
      const doc = scorers[heap[0]!]!.doc;
      this.gather(doc);
      if (this.matching.length >= this.minimum) return (this.doc = doc);
      wanted = doc + 1;
    }
  }

  /** The scorers on the document: the top of the heap, without taking it apart. */
  private gather(doc: number): void {
    const { matching, heap, scorers } = this;
    matching.length = 0;
    const visit = (at: number): void => {
      if (at >= this.live || scorers[heap[at]!]!.doc !== doc) return;
      matching.push(heap[at]!);
      visit(2 * at + 1);
      visit(2 * at + 2);
    };
    visit(0);
  }

  private sink(from: number): void {
    const { heap, scorers, live } = this;
    if (from >= live) return;
    const moving = heap[from]!;
    const { doc } = scorers[moving]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= live) break;
      if (child + 1 < live && scorers[heap[child + 1]!]!.doc < scorers[heap[child]!]!.doc) child++;
      if (scorers[heap[child]!]!.doc >= doc) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = moving;
  }

  score(): number {
    // In the order of the clauses, as sums of floats in double depend on it in the last bit only.
    const { scorers, tieBreaker } = this;
    const matching = this.matching.length > 1 ? this.matching.sort((a, b) => a - b) : this.matching;
    if (tieBreaker === undefined) {
      let sum = 0;
      for (const index of matching) sum += scorers[index]!.score();
      return fround(sum);
    }
    let best = 0;
    let others = 0;
    for (const index of matching) {
      const score = scorers[index]!.score();
      if (score >= best) {
        others += best;
        best = score;
      } else {
        others += score;
      }
    }
    return fround(best + others * fround(tieBreaker));
  }
}

/** The matches of one scorer, with the score of another added where it matches too (ReqOptSumScorer). */
export class OptionalScorer extends Scorer {
  readonly cost: number;
  private readonly required: Scorer;
  private readonly optional: Scorer;

  constructor(required: Scorer, optional: Scorer) {
    super();
    this.required = required;
    this.optional = optional;
    this.cost = required.cost;
  }

  next(): number {
    return (this.doc = this.required.next());
  }

  advance(target: number): number {
    return (this.doc = this.required.advance(target));
  }

  score(): number {
    const { optional, doc } = this;
    const score = this.required.score();
    if (optional.doc < doc) optional.advance(doc);
    return optional.doc === doc ? fround(score + optional.score()) : score;
  }
}

/** The matches of one scorer that are not matches of the other. */
export class ExclusionScorer extends Scorer {
  readonly cost: number;
  private readonly required: Scorer;
  private readonly excluded: Scorer;

  constructor(required: Scorer, excluded: Scorer) {
    super();
    this.required = required;
    this.excluded = excluded;
    this.cost = required.cost;
  }

  next(): number {
    return this.skip(this.required.next());
  }

  advance(target: number): number {
    return this.skip(this.required.advance(target));
  }

  private skip(from: number): number {
    const { excluded } = this;
    let doc = from;
    while (doc !== NO_MORE_DOCS) {
      if (excluded.doc < doc) excluded.advance(doc);
      if (excluded.doc !== doc) break;
      doc = this.required.next();
    }
    return (this.doc = doc);
  }

  score(): number {
    return this.required.score();
  }
}

/** One scorer's matches with every score replaced; for clauses that only filter. */
export class ZeroScorer extends Scorer {
  readonly cost: number;
  private readonly inner: Scorer;

  constructor(inner: Scorer) {
    super();
    this.inner = inner;
    this.cost = inner.cost;
  }

  next(): number {
    return (this.doc = this.inner.next());
  }

  advance(target: number): number {
    return (this.doc = this.inner.advance(target));
  }

  score(): number {
    return 0;
  }
}
