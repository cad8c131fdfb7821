// Base of queries that compute something per document: function scores, distances, features, how many clauses must match. A
// computation may fail, and its time depends on values, so it runs only on documents that the caller sees. A subclass names
// candidates; the scorer of this file restricts them before it computes.
import { hasBit, nextBit } from '../index/bits.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { checkTurn } from '../tasks/request-budget.ts';
import { type Failure, Scorer, Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';

/** A value, or the reason why there is none. */
export type Computed = number | Failure;

/** The computation in one segment. */
export interface Computation {
  /** Candidates, deleted and hidden documents included, found by postings and sets, never by values. */
  readonly candidates: Scorer;
  /** Whether `matches` or `score` reads the candidates, which then stand on the document. */
  readonly readsCandidates: boolean;
  /** Whether a candidate matches; a failure is reported if the document is collected. undefined: all match. */
  readonly matches?: ((doc: number) => boolean | Failure) | undefined;
  /** The score of a match. Called only for collected documents. */
  readonly score: (doc: number) => Computed;
}

export abstract class ComputingWeight extends Weight {
  protected readonly statistics: Statistics;

  constructor(statistics: Statistics) {
    super();
    this.statistics = statistics;
  }

  /** Opens a segment without computing; undefined if nothing matches there. */
  protected abstract open(segment: SegmentView): Computation | undefined;

  /** Excludes documents that the caller does not see. Do not override it. */
  scorer(segment: SegmentView): Scorer | undefined {
    const { statistics } = this;
    const computation = this.open(segment);
    if (computation === undefined) return undefined;
    const failures = this.mayFail
      ? { statistics, inMatches: computation.matches !== undefined || this.parts.some((part) => part.mayFail) }
      : undefined;
    return new ComputingScorer(computation, statistics.computed(segment), failures);
  }

  /** No WalkedScorer: the windows of this scorer compute nothing that may fail. */
  override collecting(segment: SegmentView): Scorer | undefined {
    return this.scorer(segment);
  }
}

/** Where failures are reported, and whether one can leave unknown if a document matches. */
interface Failures {
  readonly statistics: Statistics;
  readonly inMatches: boolean;
}

class ComputingScorer extends Scorer {
  readonly cost: number;
  private readonly computation: Computation;
  private readonly shown: Int32Array | undefined;
  /** undefined: nothing fails. */
  private readonly failures: Failures | undefined;
  /** The failure that leaves unknown whether the current document matches. */
  private failure: Failure | undefined;
  /** Whether the candidates can be read in windows: nothing fails, and only their doc ids are read. */
  private readonly inWindows: boolean;

  constructor(computation: Computation, shown: Int32Array | undefined, failures: Failures | undefined) {
    super();
    this.computation = computation;
    this.shown = shown;
    this.failures = failures;
    this.inWindows = failures === undefined && !computation.readsCandidates;
    this.cost = computation.candidates.cost;
  }

  next(): number {
    return this.settle(this.computation.candidates.next());
  }

  advance(target: number): number {
    return this.settle(this.computation.candidates.advance(target));
  }

  private settle(from: number): number {
    const { shown, failures } = this;
    const { candidates, matches } = this.computation;
    let doc = from;
    while (doc !== NO_MORE_DOCS) {
      if (shown !== undefined && !hasBit(shown, doc)) {
        const visible = nextBit(shown, doc + 1);
        if (visible < 0) return (this.doc = NO_MORE_DOCS);
        doc = candidates.advance(visible);
        continue;
      }
      if (matches === undefined) break;
      if (failures === undefined ? matches(doc) === true : this.test(failures, matches, doc)) break;
      doc = candidates.next();
    }
    return (this.doc = doc);
  }

  override begin(): number {
    return this.inWindows ? (this.doc = this.computation.candidates.begin()) : this.next();
  }

  override window(
    end: number,
    accept: Int32Array | undefined,
    docs: Int32Array,
    scores: Float32Array | undefined,
  ): number {
    if (!this.inWindows) return this.walk(end, accept, docs, scores);
    const { shown } = this;
    const { candidates, matches, score } = this.computation;
    const found = candidates.window(end, accept ?? shown, docs, undefined);
    this.doc = candidates.doc;
    let kept = 0;
    for (let i = 0; i < found; i++) {
      const doc = docs[i]!;
      if ((shown !== undefined && !hasBit(shown, doc)) || matches?.(doc) === false) continue;
      docs[kept] = doc;
      if (scores !== undefined) scores[kept] = score(doc) as number;
      kept++;
    }
    return kept;
  }

  /** One document at a time: a window of the candidates would compute documents that `accept` excludes. */
  private walk(
    end: number,
    accept: Int32Array | undefined,
    docs: Int32Array,
    scores: Float32Array | undefined,
  ): number {
    const { failures } = this;
    const { candidates } = this.computation;
    const checks = failures?.inMatches === true;
    const scored = scores !== undefined;
    let count = 0;
    let walked = 0;
    let { doc } = this;
    while (doc < end) {
      if ((++walked & 127) === 0) checkTurn();
      if (accept === undefined || hasBit(accept, doc)) {
        docs[count] = doc;
        if (checks) this.check(scored);
        if (scored) scores[count] = this.score();
        count++;
      }
      doc = this.settle(candidates.next());
    }
    return count;
  }

  private test({ statistics }: Failures, matches: NonNullable<Computation['matches']>, doc: number): boolean {
    // A failure of the candidates counts only if this document is collected.
    const before = statistics.suspend();
    const outcome = matches(doc);
    this.failure = statistics.resume(before) ?? (typeof outcome === 'object' ? outcome : undefined);
    return outcome !== false || this.failure !== undefined;
  }

  score(): number {
    const score = this.failure ?? this.computation.score(this.doc);
    if (typeof score === 'number') return score;
    this.failures?.statistics.fail(score);
    return 0;
  }

  override check(scored: boolean): void {
    if (this.failure !== undefined) this.failures?.statistics.fail(this.failure);
    const { candidates, readsCandidates } = this.computation;
    candidates.check(scored && readsCandidates);
  }
}
