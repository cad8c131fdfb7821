// Disjunction of scorers, with a minimum of matches; scores are summed, or the best counts. Walks documents by a heap, or reads windows to
// which each scorer adds its scores in turn.
import { tick } from '../tasks/request-budget.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { Scorer, WINDOW, withWindowSpace } from './scorer.ts';

const { fround } = Math;

/** Accumulators of a window, by document; all zero between windows. */
class Sums {
  /** The sum, or the best score. */
  readonly scores = new Float64Array(WINDOW);
  /** The sum of the scores besides the best. */
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
  /** Factor of the scores besides the best (DisjunctionMaxScorer); undefined: scores are summed. */
  private readonly tieBreaker: number | undefined;
  /** Indexes of scorers, as a heap by document. */
  private readonly heap: Int32Array;
  private readonly matching: number[] = [];
  /** Heap places still to visit. */
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

  /** How many scorers stand on the document. */
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
      tick(256);
      // Advances the scorers behind the target; the root of the heap is the lowest.
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

  /** Visits the scorers on the document: the top of the heap, which stays intact. */
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
    // In clause order: the last bit of the double sum depends on it.
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

  override check(scored: boolean): void {
    for (const index of this.matching) this.scorers[index]!.check(scored);
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
      // In clause order, as in `score`.
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

  /** Adds the scores of one scorer in the window. */
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

  /** Writes the accumulated scores and clears them. */
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
