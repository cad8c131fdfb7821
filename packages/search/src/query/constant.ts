// Constant scores: the scorers over bitmaps, over all documents, and over another query's matches.
import { tick } from '../tasks/request-budget.ts';
import { bothBits, emptyBits, hasBit } from '../index/bits.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { CollectorContext } from './collector-context.ts';
import { runBits } from './run-scorer.ts';
import { Scorer, scorerAt, Weight } from './scorer.ts';

/** Walks a bitmap. */
class BitsScorer extends Scorer {
  readonly cost: number;
  private readonly bits: Int32Array;
  private readonly value: number;

  constructor(bits: Int32Array, value: number, cost: number) {
    super();
    this.bits = bits;
    this.value = value;
    this.cost = cost;
  }

  next(): number {
    return this.advance(this.doc + 1);
  }

  advance(target: number): number {
    const { bits } = this;
    let word = target >>> 5;
    if (word >= bits.length) return (this.doc = NO_MORE_DOCS);
    let value = bits[word]! & (-1 << (target & 31));
    while (value === 0) {
      if (++word >= bits.length) return (this.doc = NO_MORE_DOCS);
      value = bits[word]!;
    }
    return (this.doc = (word << 5) + 31 - Math.clz32(value & -value));
  }

  score(): number {
    return this.value;
  }
}

/** Walks all documents of a segment. */
export class AllScorer extends Scorer {
  readonly cost: number;
  private readonly count: number;
  private readonly value: number;

  constructor(count: number, value: number) {
    super();
    this.cost = count;
    this.count = count;
    this.value = value;
  }

  next(): number {
    return this.advance(this.doc + 1);
  }

  advance(target: number): number {
    return (this.doc = target < this.count ? target : NO_MORE_DOCS);
  }

  override window(
    end: number,
    accept: Int32Array | undefined,
    docs: Int32Array,
    scores: Float32Array | undefined,
  ): number {
    const last = Math.min(end, this.count);
    let found = 0;
    for (let { doc } = this; doc < last; doc++) if (accept === undefined || hasBit(accept, doc)) docs[found++] = doc;
    scores?.fill(this.value, 0, found);
    this.doc = end < this.count ? end : NO_MORE_DOCS;
    return found;
  }

  score(): number {
    return this.value;
  }
}

/** Walks the documents that a test accepts; for columns, where testing a document is cheap. */
export class PredicateScorer extends Scorer {
  readonly cost: number;
  private readonly count: number;
  private readonly value: number;
  private readonly test: (doc: number) => boolean;

  constructor(count: number, value: number, test: (doc: number) => boolean) {
    super();
    this.cost = count;
    this.count = count;
    this.value = value;
    this.test = test;
  }

  next(): number {
    return this.advance(this.doc + 1);
  }

  advance(target: number): number {
    for (let doc = target; doc < this.count; doc++) {
      if ((doc & 255) === 0) tick(4096);
      if (this.test(doc)) return (this.doc = doc);
    }
    return (this.doc = NO_MORE_DOCS);
  }

  score(): number {
    return this.value;
  }
}

/** A set of documents per segment, all with the same score. */
export class SetWeight extends Weight {
  private readonly description: string;
  private readonly value: number;
  private readonly find: (segment: SegmentView) => Int32Array | undefined;
  private readonly found = new Map<SegmentView, Int32Array | undefined>();

  /** @param find the documents of a segment; called once, its result is not changed. undefined: none */
  constructor(description: string, value: number, find: (segment: SegmentView) => Int32Array | undefined) {
    super();
    this.description = description;
    this.value = value;
    this.find = find;
  }

  private set(segment: SegmentView): Int32Array | undefined {
    if (this.found.has(segment)) return this.found.get(segment);
    const bits = this.find(segment);
    this.found.set(segment, bits);
    return bits;
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const bits = this.set(segment);
    return bits === undefined ? undefined : new BitsScorer(bits, this.value, segment.docCount);
  }

  override bits(segment: SegmentView): Int32Array {
    return this.set(segment)?.slice() ?? emptyBits(segment.docCount);
  }

  override bulkScore(segment: SegmentView, accept: Int32Array | undefined, run: CollectorContext): boolean {
    // All score the same: once the top is full, further segments are skipped.
    const top = run.pruning;
    if (top !== undefined && this.value <= top.min) return true;
    const bits = this.set(segment);
    if (bits !== undefined) runBits(bits, this.value, segment, accept, run);
    return true;
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    if (scorerAt(this, segment, doc) === undefined) return undefined;
    return { value: this.value, description: this.description, details: [] };
  }
}

/** All documents of the scope: roots, or the elements of a nested path. */
export class MatchAllWeight extends Weight {
  private readonly value: number;
  private readonly path: string | undefined;

  constructor(value: number, path: string | undefined) {
    super();
    this.value = value;
    this.path = path;
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const within = this.path === undefined ? segment.roots : segment.core.documentsOfPath(this.path);
    if (within !== undefined) return new BitsScorer(within, this.value, segment.docCount);
    return this.path === undefined ? new AllScorer(segment.docCount, this.value) : undefined;
  }

  override shortcutCount(segments: readonly SegmentView[]): number {
    if (this.path !== undefined || segments.some((segment) => segment.roots !== undefined)) return -1;
    return segments.reduce((sum, segment) => sum + segment.docCount, 0);
  }

  override bulkScore(segment: SegmentView, accept: Int32Array | undefined, run: CollectorContext): boolean {
    const all =
      this.path === undefined ? (segment.roots ?? segment.core.all()) : segment.core.documentsOfPath(this.path);
    if (all !== undefined) runBits(all, this.value, segment, accept, run);
    return true;
  }

  override bits(segment: SegmentView): Int32Array {
    if (this.path !== undefined) return segment.core.documentsOfPath(this.path)?.slice() ?? emptyBits(segment.docCount);
    return (bothBits(segment.core.all(), segment.roots) ?? segment.core.all()).slice();
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    if (scorerAt(this, segment, doc) === undefined) return undefined;
    return { value: this.value, description: '*:*', details: [] };
  }
}

export class MatchNoneWeight extends Weight {
  scorer(): undefined {
    return undefined;
  }

  override shortcutCount(): number {
    return 0;
  }

  explain(): undefined {
    return undefined;
  }
}

/** Another query's matches with a constant score. */
export class ConstantScoreWeight extends Weight {
  private readonly inner: Weight;
  private readonly value: number;
  private readonly description: string;

  constructor(inner: Weight, value: number, description = 'ConstantScore') {
    super();
    this.inner = inner;
    this.value = value;
    this.description = description;
  }

  override get parts(): readonly Weight[] {
    return [this.inner];
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const inner = this.inner.scorer(segment);
    return inner === undefined ? undefined : new ConstantScorer(inner, this.value);
  }

  override shortcutCount(segments: readonly SegmentView[]): number {
    return this.inner.shortcutCount(segments);
  }

  override bits(segment: SegmentView): Int32Array {
    return this.inner.bits(segment);
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    if (scorerAt(this.inner, segment, doc) === undefined) return undefined;
    return { value: this.value, description: this.description, details: [] };
  }
}

class ConstantScorer extends Scorer {
  readonly cost: number;
  private readonly inner: Scorer;
  private readonly value: number;

  constructor(inner: Scorer, value: number) {
    super();
    this.inner = inner;
    this.cost = inner.cost;
    this.value = value;
  }

  next(): number {
    return (this.doc = this.inner.next());
  }

  advance(target: number): number {
    return (this.doc = this.inner.advance(target));
  }

  score(): number {
    return this.value;
  }

  override check(): void {
    this.inner.check(false);
  }
}
