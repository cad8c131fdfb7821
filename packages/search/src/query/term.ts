// One term, scored by BM25; and terms that stand for each other (synonyms), scored as one.
import { emptyBits, setBit } from '../index/bits.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { Explanation } from '../index/search-request.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { Run } from '../collect/run.ts';
import { bm25, explainBm25, explainIdf, inverseDocumentFrequency, termWeight } from './bm25.ts';
import type { ScoringCursor } from './scoring-cursor.ts';
import { Scorer, scorerAt, Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';

const { fround } = Math;

export class TermWeight extends Weight {
  readonly field: string;
  readonly term: string;
  /** The documents with the term, by the statistics of the search. */
  readonly docFreq: number;
  readonly weight: number;
  private readonly inverse: Float32Array;
  private readonly statistics: Statistics;
  private readonly boost: number;
  /** The term's ordinal in each segment of the search, -1 where it is absent; looked up once. */
  private readonly ordinals: readonly number[];

  /** @param docFreq replaces the term's own in the score (synonyms over fields) */
  constructor(statistics: Statistics, field: string, term: string, boost: number, docFreq?: number) {
    super();
    this.statistics = statistics;
    this.field = field;
    this.term = term;
    this.boost = boost;
    this.ordinals = statistics.ordinals(field, term);
    this.docFreq = docFreq ?? statistics.docFreqOf(field, term, this.ordinals);
    const { docCount } = statistics.field(field);
    this.inverse = statistics.inverseNorms(field);
    this.weight = termWeight(
      statistics.similarity,
      boost,
      inverseDocumentFrequency(this.docFreq, Math.max(docCount, this.docFreq)),
    );
  }

  /** A cursor before the first document of the term; undefined where the segment lacks it. */
  open(segment: SegmentView): ScoringCursor | undefined {
    const field = segment.core.terms(this.field);
    if (field === undefined) return undefined;
    const ordinal = this.ordinals[this.statistics.segments.indexOf(segment)]!;
    if (ordinal < 0) return undefined;
    return this.statistics.cursor().openTerm(field.postings, ordinal, field.norms, this.weight, this.inverse);
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const cursor = this.open(segment);
    return cursor === undefined ? undefined : new TermScorer(cursor);
  }

  override shortcutCount(segments: readonly SegmentView[]): number {
    let count = 0;
    for (const segment of segments) {
      const ordinal = this.ordinals[this.statistics.segments.indexOf(segment)]!;
      if (ordinal >= 0) count += segment.core.terms(this.field)!.postings.docFreqs[ordinal]!;
    }
    return count;
  }

  override bits(segment: SegmentView): Int32Array {
    const bits = emptyBits(segment.docCount);
    const cursor = this.open(segment);
    if (cursor === undefined) return bits;
    const { docs } = cursor;
    for (let block = cursor.first; block < cursor.end; block++) {
      cursor.load(block);
      for (let i = 0; i < cursor.count; i++) setBit(bits, docs[i]!);
    }
    return bits;
  }

  override run(segment: SegmentView, accept: Int32Array | undefined, run: Run): boolean {
    const cursor = this.open(segment);
    if (cursor === undefined) return true;
    const { top } = run;
    const { docs, frequencies, norms, weight, inverse } = cursor;
    const { base } = segment;
    const collects = run.sinks.length > 0;
    const scoresAll = collects && run.sinksNeedScores;
    for (let block = cursor.first; block < cursor.end; block++) {
      const skip = top !== undefined && top.count === top.size && cursor.blockBound(block) <= top.min;
      if (skip && !collects && run.hits >= run.countUpTo) continue;
      cursor.load(block);
      const { count } = cursor;
      if (skip && !scoresAll) {
        // Only counted and collected: no score of the block can matter.
        let kept = count;
        if (collects) {
          kept = 0;
          for (let i = 0; i < count; i++) {
            const doc = docs[i]!;
            if (accept === undefined || (accept[doc >>> 5]! >>> (doc & 31)) & 1) run.batchDocs[kept++] = doc;
          }
          run.flush(kept);
        } else if (accept !== undefined) {
          kept = 0;
          for (let i = 0; i < count; i++) kept += (accept[docs[i]! >>> 5]! >>> (docs[i]! & 31)) & 1;
        }
        run.hits += kept;
        continue;
      }
      if (top === undefined && !scoresAll) {
        let kept = 0;
        for (let i = 0; i < count; i++) {
          const doc = docs[i]!;
          if (accept === undefined || (accept[doc >>> 5]! >>> (doc & 31)) & 1) run.batchDocs[kept++] = doc;
        }
        run.hits += kept;
        run.flush(kept);
        continue;
      }
      cursor.loadFrequencies();
      let min = top === undefined ? Infinity : top.min;
      if (!collects && accept === undefined) {
        run.hits += count;
        for (let i = 0; i < count; i++) {
          const doc = docs[i]!;
          const score = fround(weight - fround(weight / fround(1 + fround(frequencies[i]! * inverse[norms[doc]!]!))));
          if (score > min) {
            top!.offer(score, base + doc);
            min = top!.min;
          }
        }
        continue;
      }
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const doc = docs[i]!;
        if (accept !== undefined && ((accept[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
        const score = fround(weight - fround(weight / fround(1 + fround(frequencies[i]! * inverse[norms[doc]!]!))));
        run.batchDocs[kept] = doc;
        run.batchScores[kept++] = score;
        if (score > min) {
          top!.offer(score, base + doc);
          min = top!.min;
        }
      }
      run.hits += kept;
      if (collects) run.flush(kept);
    }
    return true;
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const cursor = this.open(segment);
    if (cursor === undefined || cursor.advance(doc) !== doc) return undefined;
    const { docCount } = this.statistics.field(this.field);
    const inner = explainBm25(
      'term',
      this.statistics.similarity,
      this.boost,
      explainIdf(this.docFreq, Math.max(docCount, this.docFreq)),
      cursor.frequency(),
      cursor.norms[doc]!,
      this.statistics.field(this.field),
    );
    return {
      value: inner.value,
      description: `weight(${this.field}:${this.term}${this.statistics.placeOf(doc)}) [PerFieldSimilarity], result of:`,
      details: [inner],
    };
  }
}

class TermScorer extends Scorer {
  readonly cursor: ScoringCursor;
  readonly cost: number;

  constructor(cursor: ScoringCursor) {
    super();
    this.cursor = cursor;
    this.cost = cursor.docFreq;
  }

  next(): number {
    return (this.doc = this.cursor.next());
  }

  advance(target: number): number {
    return (this.doc = this.cursor.advance(target));
  }

  score(): number {
    return this.cursor.scoreHere();
  }
}

/** Lucene's SynonymQuery: frequencies add up, the document frequency is the highest of the terms'. */
export class SynonymWeight extends Weight {
  private readonly statistics: Statistics;
  private readonly field: string;
  private readonly terms: readonly string[];
  private readonly boost: number;
  private readonly docFreq: number;
  private readonly weight: number;

  constructor(statistics: Statistics, field: string, terms: readonly string[], boost: number) {
    super();
    this.statistics = statistics;
    this.field = field;
    this.terms = terms;
    this.boost = boost;
    this.docFreq = Math.max(0, ...terms.map((term) => statistics.docFreq(field, term)));
    const { docCount } = statistics.field(field);
    this.weight = termWeight(
      statistics.similarity,
      boost,
      inverseDocumentFrequency(this.docFreq, Math.max(docCount, this.docFreq)),
    );
  }

  scorer(segment: SegmentView): SynonymScorer | undefined {
    const field = segment.core.terms(this.field);
    if (field === undefined) return undefined;
    const inverse = this.statistics.inverseNorms(this.field);
    const cursors: ScoringCursor[] = [];
    for (const term of this.terms) {
      const ordinal = field.postings.lookup(term);
      if (ordinal < 0) continue;
      cursors.push(this.statistics.cursor().openTerm(field.postings, ordinal, field.norms, this.weight, inverse));
    }
    return cursors.length === 0 ? undefined : new SynonymScorer(cursors);
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = scorerAt(this, segment, doc) as SynonymScorer | undefined;
    if (scorer === undefined) return undefined;
    const field = this.statistics.field(this.field);
    const inner = explainBm25(
      'term',
      this.statistics.similarity,
      this.boost,
      explainIdf(this.docFreq, Math.max(field.docCount, this.docFreq)),
      scorer.frequency(),
      segment.core.terms(this.field)!.norms[doc]!,
      field,
    );
    const names = this.terms.map((term) => `${this.field}:${term}`).join(' ');
    return {
      value: inner.value,
      description: `weight(Synonym(${names})${this.statistics.placeOf(doc)}) [PerFieldSimilarity], result of:`,
      details: [inner],
    };
  }
}

class SynonymScorer extends Scorer {
  readonly cost: number;
  private readonly cursors: readonly ScoringCursor[];

  constructor(cursors: readonly ScoringCursor[]) {
    super();
    this.cursors = cursors;
    this.cost = cursors.reduce((sum, cursor) => sum + cursor.docFreq, 0);
  }

  next(): number {
    return this.advance(this.doc + 1);
  }

  advance(target: number): number {
    let least = NO_MORE_DOCS;
    for (const cursor of this.cursors) {
      const doc = cursor.advance(target);
      if (doc < least) least = doc;
    }
    return (this.doc = least);
  }

  frequency(): number {
    let sum = 0;
    for (const cursor of this.cursors) if (cursor.doc === this.doc) sum += cursor.frequency();
    return sum;
  }

  score(): number {
    const { weight, inverse, norms } = this.cursors[0]!;
    return bm25(weight, this.frequency(), inverse[norms[this.doc]!]!);
  }
}
