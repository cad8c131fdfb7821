// Scorers over other scorers: conjunction, required with optional, exclusion. Disjunctions: disjunction-scorer.ts.
import { tick } from '../tasks/request-budget.ts';
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
      tick(16);
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

  override check(scored: boolean): void {
    for (const scorer of this.ordered) scorer.check(scored && this.scoring.includes(scorer));
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
    if (optional.doc !== doc) return score;
    optional.check(this.scoresOptional);
    return this.together(score, optional);
  }

  override check(scored: boolean): void {
    this.required.check(scored);
  }

  /** Whether `together` asks for the score of the optional scorer. */
  protected get scoresOptional(): boolean {
    return true;
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

  /** Reads the optional scorer's windows up to the same document; they may start before the required one's. */
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
        const count = optional.window(
          Math.min(end, optional.doc + WINDOW),
          accept,
          others,
          this.scoresOptional ? own : undefined,
        );
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

/** If the optional scorer has so many times the documents of the required one, it is advanced document by document. */
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

  override check(scored: boolean): void {
    this.required.check(scored);
  }
}

/** The matches of a scorer with score 0, for clauses that only filter. */
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

  override check(): void {
    this.inner.check(false);
  }
}
