// Lucene 8's BooleanQuery: must, filter, should, must_not. Chooses the loop: a fast one if the scoring part is a disjunction or
// conjunction of terms (filters become a bitmap), else the generic scorers.
import { intersectBits, subtractBits } from '../index/bits.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { CollectorContext } from './collector-context.ts';
import { runScorer } from './run-scorer.ts';
import { ConjunctionScorer, ExclusionScorer, OptionalScorer, ZeroScorer } from './combined-scorers.ts';
import { DisjunctionScorer } from './disjunction-scorer.ts';
import { runConjunction } from './run-conjunction.ts';
import { runDisjunction } from './run-disjunction.ts';
import { type Scorer, scorerAt, scorersOf, Weight } from './scorer.ts';
import type { ScoringCursor } from './scoring-cursor.ts';
import { TermWeight } from './term.ts';

const { fround } = Math;

export interface BooleanParts {
  readonly must: readonly Weight[];
  readonly filter: readonly Weight[];
  readonly should: readonly Weight[];
  readonly mustNot: readonly Weight[];
  readonly minimumShouldMatch: number;
}

export class BooleanWeight extends Weight {
  private readonly must: readonly Weight[];
  private readonly filter: readonly Weight[];
  private readonly should: readonly Weight[];
  private readonly mustNot: readonly Weight[];
  /** How many of `should` must match; 0 if they are optional. */
  private readonly minimum: number;
  /** The terms, if the scoring part consists of terms that are all required or all optional. */
  private readonly terms: readonly TermWeight[] | undefined;

  constructor(parts: BooleanParts) {
    super();
    // BooleanQuery.rewrite: optional clauses that must all match are required clauses.
    const allRequired = parts.should.length > 0 && parts.minimumShouldMatch === parts.should.length;
    this.must = allRequired ? [...parts.must, ...parts.should] : parts.must;
    this.should = allRequired ? [] : parts.should;
    this.filter = parts.filter;
    this.mustNot = parts.mustNot;
    this.minimum = allRequired ? 0 : parts.minimumShouldMatch;
    const scoring = this.must.length > 0 ? this.must : this.should;
    const pure = this.must.length === 0 ? this.minimum === 1 : this.should.length === 0;
    this.terms =
      pure &&
      scoring.length > 0 &&
      scoring.every((weight) => weight instanceof TermWeight) &&
      // A sum of 0 means no match where optional terms are added up.
      (this.must.length > 0 || scoring.every(({ weight }) => weight > 0))
        ? scoring
        : undefined;
  }

  override get parts(): readonly Weight[] {
    return [...this.must, ...this.filter, ...this.should, ...this.mustNot];
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const required = this.requiredScorer(segment);
    if (required === undefined) return undefined;
    const excluded = scorersOf(this.mustNot, segment);
    if (excluded.length === 0) return required;
    return new ExclusionScorer(
      required,
      excluded.length === 1 ? excluded[0]! : new DisjunctionScorer(excluded, 1, undefined),
    );
  }

  private requiredScorer(segment: SegmentView): Scorer | undefined {
    const required: Scorer[] = [];
    const scoring: Scorer[] = [];
    for (const weight of this.must) {
      const scorer = weight.scorer(segment);
      if (scorer === undefined) return undefined;
      required.push(scorer);
      scoring.push(scorer);
    }
    for (const weight of this.filter) {
      const scorer = weight.scorer(segment);
      if (scorer === undefined) return undefined;
      required.push(scorer);
    }
    const optional = scorersOf(this.should, segment);
    if (optional.length < this.minimum) return undefined;
    const any =
      optional.length === 0
        ? undefined
        : optional.length === 1
          ? optional[0]!
          : new DisjunctionScorer(optional, Math.max(1, this.minimum), undefined);
    if (required.length === 0) return any;
    const all =
      required.length === 1
        ? scoring.length === 1
          ? required[0]!
          : new ZeroScorer(required[0]!)
        : new ConjunctionScorer(required, scoring);
    if (any === undefined) return all;
    return this.minimum > 0 ? new ConjunctionScorer([all, any], [all, any]) : new OptionalScorer(all, any);
  }

  override bulkScore(segment: SegmentView, accept: Int32Array | undefined, run: CollectorContext): boolean {
    const { terms } = this;
    // Clauses that may fail are computed only for documents that match all others.
    if ([...this.filter, ...this.mustNot].some((weight) => weight.mayFail)) return false;
    // A single scoring clause runs its own loop over the filtered documents.
    const single =
      this.must.length === 1 && this.should.length === 0
        ? this.must[0]
        : this.must.length === 0 && this.should.length === 1 && this.minimum === 1
          ? this.should[0]
          : undefined;
    if (terms === undefined && single === undefined) return false;
    let restricted = accept;
    if (this.filter.length > 0 || this.mustNot.length > 0) {
      const lead = terms ?? [];
      const visits =
        terms === undefined
          ? segment.docCount
          : this.must.length > 0
            ? Math.min(...lead.map((term) => term.shortcutCount([segment])))
            : lead.reduce((sum, term) => sum + term.shortcutCount([segment]), 0);
      // The bitmap of the filters costs all their matches; with few documents, leapfrogging is cheaper.
      if (visits * 8 < segment.docCount) return false;
      restricted = this.restriction(segment, accept);
    }
    if (single !== undefined) {
      if (single.bulkScore(segment, restricted, run)) return true;
      const scorer = single.collecting(segment);
      if (scorer !== undefined) runScorer(scorer, segment, restricted, run);
      return true;
    }
    const cursors: ScoringCursor[] = [];
    for (const term of terms!) {
      const cursor = term.open(segment);
      if (cursor !== undefined) cursors.push(cursor);
      else if (this.must.length > 0) return true;
    }
    if (cursors.length === 0) return true;
    if (this.must.length > 0) runConjunction(cursors, segment, restricted, run);
    else runDisjunction(cursors, segment, restricted, run);
    return true;
  }

  /** The accepted documents that pass filter and must_not. */
  private restriction(segment: SegmentView, accept: Int32Array | undefined): Int32Array {
    const bits = (accept ?? segment.core.all()).slice();
    for (const weight of this.filter) intersectBits(bits, weight.bits(segment));
    for (const weight of this.mustNot) subtractBits(bits, weight.bits(segment));
    return bits;
  }

  override bits(segment: SegmentView): Int32Array {
    if (!this.mayFail && this.must.length + this.filter.length > 0 && this.minimum === 0) {
      const bits = segment.core.all().slice();
      for (const weight of this.must) intersectBits(bits, weight.bits(segment));
      for (const weight of this.filter) intersectBits(bits, weight.bits(segment));
      for (const weight of this.mustNot) subtractBits(bits, weight.bits(segment));
      return bits;
    }
    return super.bits(segment);
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc);
    if (scorer === undefined) return undefined;
    const details: Explanation[] = [];
    for (const weight of [...this.must, ...this.should]) {
      const part = weight.explain(segment, doc);
      if (part !== undefined) details.push(part);
    }
    for (const weight of this.filter) {
      const part = weight.explain(segment, doc);
      if (part !== undefined)
        details.push({
          value: 0,
          description: 'match on required clause, product of:',
          details: [{ value: 0, description: '# clause', details: [] }, part],
        });
    }
    const value = scorer.score();
    const [first] = details;
    if (details.length === 1 && first !== undefined && first.value === value) return first;
    return { value, description: 'sum of:', details };
  }
}

/** The best of several queries plus a share of the others (Lucene's DisjunctionMaxQuery). */
export class DisMaxWeight extends Weight {
  private readonly weights: readonly Weight[];
  private readonly tieBreaker: number;

  constructor(weights: readonly Weight[], tieBreaker: number) {
    super();
    this.weights = weights;
    this.tieBreaker = tieBreaker;
  }

  override get parts(): readonly Weight[] {
    return this.weights;
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const scorers = scorersOf(this.weights, segment);
    if (scorers.length <= 1) return scorers[0];
    return new DisjunctionScorer(scorers, 1, this.tieBreaker);
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc);
    if (scorer === undefined) return undefined;
    const details: Explanation[] = [];
    for (const weight of this.weights) {
      const part = weight.explain(segment, doc);
      if (part !== undefined) details.push(part);
    }
    const [first] = details;
    if (details.length === 1 && first !== undefined) return first;
    const description = this.tieBreaker === 0 ? 'max of:' : `max plus ${this.tieBreaker} times others of:`;
    return { value: scorer.score(), description, details };
  }
}

/** `positive`, demoted where `negative` matches. */
export class BoostingWeight extends Weight {
  private readonly positive: Weight;
  private readonly negative: Weight;
  private readonly factor: number;

  constructor(positive: Weight, negative: Weight, factor: number) {
    super();
    this.positive = positive;
    this.negative = negative;
    this.factor = factor;
  }

  override get parts(): readonly Weight[] {
    return [this.positive, this.negative];
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const positive = this.positive.scorer(segment);
    const negative = this.negative.scorer(segment);
    if (positive === undefined || negative === undefined) return positive;
    return new WeakenedScorer(positive, negative, fround(this.factor));
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const positive = this.positive.explain(segment, doc);
    const scorer = scorerAt(this, segment, doc);
    if (positive === undefined || scorer === undefined) return undefined;
    return {
      value: scorer.score(),
      description: 'positive query, times negative_boost where the negative query matches, of:',
      details: [positive],
    };
  }
}

class WeakenedScorer extends OptionalScorer {
  private readonly factor: number;

  constructor(positive: Scorer, negative: Scorer, factor: number) {
    super(positive, negative);
    this.factor = factor;
  }

  protected override get scoresOptional(): boolean {
    return false;
  }

  protected override together(score: number): number {
    return fround(score * this.factor);
  }
}
