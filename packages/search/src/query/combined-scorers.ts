// Scorers over other scorers: all of them, any of them (summed or best of), one with an option, one without another.
import { spend } from '../request-budget.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { Scorer, WINDOW, withWindowSpace } from './scorer.ts';

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

/** What a window adds up, by document. All zero between two windows. */
class Sums {
  /** The sum, or the best. */
  readonly scores = new Float64Array(WINDOW);
  /** The sum of all that are not the best. */
  readonly others = new Float64Array(WINDOW);
  readonly counts = new Uint16Array(WINDOW);
  readonly touched = new Int32Array(WINDOW / 32);

  clear(): void {
    this.scores.fill(0);
    this.others.fill(0);
    this.counts.fill(0);
    this.touched.fill(0);
  }
}

const pool: Sums[] = [];

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
  /** Places of the heap still to be looked at. */
  private readonly pending: number[] = [];
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
    const { matching, pending, heap, scorers, live } = this;
    matching.length = 0;
    pending.push(0);
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (at >= live || scorers[heap[at]!]!.doc !== doc) continue;
      matching.push(heap[at]!);
      pending.push(2 * at + 1, 2 * at + 2);
    }
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

  override begin(): number {
    for (const scorer of this.scorers) scorer.begin();
    return (this.doc = this.earliest());
  }

  private earliest(): number {
    let earliest = NO_MORE_DOCS;
    let live = 0;
    for (const { doc } of this.scorers) {
      if (doc !== NO_MORE_DOCS) live++;
      if (doc < earliest) earliest = doc;
    }
    return live < this.minimum ? NO_MORE_DOCS : earliest;
  }

  override window(
    end: number,
    accept: Int32Array | undefined,
    docs: Int32Array,
    scores: Float32Array | undefined,
  ): number {
    const sums = pool.pop() ?? new Sums();
    try {
      // In the order of the clauses, as in `score`.
      for (const scorer of this.scorers)
        if (scorer.doc < end) this.add(scorer, end, accept, sums, scores !== undefined);
      return this.take(sums, docs, scores);
    } catch (error) {
      sums.clear();
      throw error;
    } finally {
      pool.push(sums);
      this.doc = this.earliest();
    }
  }

  /** Adds up what one scorer has in the window. */
  private add(scorer: Scorer, end: number, accept: Int32Array | undefined, sums: Sums, scored: boolean): void {
    const start = this.doc;
    const { touched, counts, others } = sums;
    const isBest = this.tieBreaker !== undefined;
    const counted = this.minimum > 1;
    withWindowSpace((docs, own) => {
      const found = scorer.window(end, accept, docs, scored ? own : undefined);
      for (let i = 0; i < found; i++) {
        const at = docs[i]! - start;
        touched[at >> 5]! |= 1 << (at & 31);
        if (counted) counts[at]!++;
        if (!scored) continue;
        const score = own[i]!;
        if (!isBest) {
          sums.scores[at]! += score;
          continue;
        }
        const best = sums.scores[at]!;
        if (score >= best) {
          others[at]! += best;
          sums.scores[at] = score;
        } else others[at]! += score;
      }
    });
  }

  /** Writes what was added up, and leaves nothing behind. */
  private take(sums: Sums, docs: Int32Array, scores: Float32Array | undefined): number {
    const start = this.doc;
    const { minimum } = this;
    const { touched, counts, others } = sums;
    const share = fround(this.tieBreaker ?? 0);
    let found = 0;
    for (let word = 0; word < touched.length; word++) {
      let value = touched[word]!;
      if (value === 0) continue;
      touched[word] = 0;
      while (value !== 0) {
        const lowest = value & -value;
        value ^= lowest;
        const at = (word << 5) + 31 - Math.clz32(lowest);
        const score = sums.scores[at]! + others[at]! * share;
        sums.scores[at] = 0;
        others[at] = 0;
        if (minimum > 1) {
          const count = counts[at]!;
          counts[at] = 0;
          if (count < minimum) continue;
        }
        docs[found] = start + at;
        if (scores !== undefined) scores[found] = score;
        found++;
      }
    }
    return found;
  }
}

/** The matches of one scorer, with the score of another added where it matches too (ReqOptSumScorer). */
export class OptionalScorer extends Scorer {
  readonly cost: number;
  private inWindows = false;
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
    return optional.doc === doc ? this.together(score, optional) : score;
  }

  /** The score of a document that both match; the optional scorer stands on it. */
  protected together(score: number, optional: { score(): number }): number {
    return fround(score + optional.score());
  }

  override begin(): number {
    const { required, optional } = this;
    this.inWindows = optional.cost <= required.cost * DENSER;
    if (this.inWindows) optional.begin();
    return (this.doc = required.begin());
  }

  override window(
    end: number,
    accept: Int32Array | undefined,
    docs: Int32Array,
    scores: Float32Array | undefined,
  ): number {
    const { required, optional } = this;
    const found = required.window(end, accept, docs, scores);
    this.doc = required.doc;
    if (scores === undefined || found === 0) return found;
    if (this.inWindows) this.addWindow(end, accept, found, docs, scores);
    else {
      for (let i = 0; i < found; i++) {
        const doc = docs[i]!;
        if (optional.doc < doc) optional.advance(doc);
        if (optional.doc === doc) scores[i] = this.together(scores[i]!, optional);
      }
    }
    return found;
  }

  /** The optional scorer's windows up to the same document, which may begin further back. */
  private addWindow(
    end: number,
    accept: Int32Array | undefined,
    found: number,
    docs: Int32Array,
    scores: Float32Array,
  ): void {
    const { optional } = this;
    let at = 0;
    withWindowSpace((others, own) => {
      while (optional.doc < end) {
        const count = optional.window(Math.min(end, optional.doc + WINDOW), accept, others, own);
        for (let i = 0; i < count && at < found; i++) {
          while (at < found && docs[at]! < others[i]!) at++;
          if (at === found || docs[at] !== others[i]) continue;
          const score = own[i]!;
          scores[at] = this.together(scores[at]!, { score: () => score });
        }
      }
    });
  }
}

/** Times as many documents as the required scorer from which on it pays to go to those of the optional one that are needed. */
const DENSER = 4;

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

  override begin(): number {
    return (this.doc = this.required.begin());
  }

  override window(
    end: number,
    accept: Int32Array | undefined,
    docs: Int32Array,
    scores: Float32Array | undefined,
  ): number {
    const { required, excluded } = this;
    const found = required.window(end, accept, docs, scores);
    this.doc = required.doc;
    let kept = 0;
    for (let i = 0; i < found; i++) {
      const doc = docs[i]!;
      if (excluded.doc < doc) excluded.advance(doc);
      if (excluded.doc === doc) continue;
      docs[kept] = doc;
      if (scores !== undefined) scores[kept] = scores[i]!;
      kept++;
    }
    return kept;
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
