// Lucene's TermQuery and SynonymQuery: one term, or terms scored as one.
import { emptyBits, setBit } from '../index/bits.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { shownPath } from '../mapping/completion.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { isSampling, type SamplingCollector } from './collector.ts';
import type { CollectorContext } from './collector-context.ts';
import type { TopScoreCollector } from './top-score-collector.ts';
import { bm25, explainBm25, explainIdf, inverseDocumentFrequency, termWeight } from './bm25.ts';
import type { ScoringCursor } from './scoring-cursor.ts';
import { Scorer, scorerAt, Weight } from './scorer.ts';
import type { SearchedTerm, Statistics } from './statistics.ts';

const { fround } = Math;

export class TermWeight extends Weight {
  readonly field: string;
  readonly term: string;
  /** Document frequency by the statistics of the search. */
  readonly docFreq: number;
  readonly weight: number;
  private readonly inverse: Float32Array;
  private readonly statistics: Statistics;
  private readonly boost: number;
  private readonly found: SearchedTerm;

  /** @param docFreq replaces the term's own in the score (synonyms over fields) */
  constructor(statistics: Statistics, field: string, term: string, boost: number, docFreq?: number) {
    super();
    this.statistics = statistics;
    this.field = field;
    this.term = term;
    this.boost = boost;
    this.found = statistics.term(field, term);
    this.docFreq = docFreq ?? this.found.docFreq;
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
    return this.statistics.open(this.found, segment, this.field, this.weight, this.inverse);
  }

  scorer(segment: SegmentView): Scorer | undefined {
    const cursor = this.open(segment);
    return cursor === undefined ? undefined : new TermScorer(cursor);
  }

  /** How many visible documents have the term. */
  get viewedCount(): number {
    return this.found.docFreq;
  }

  override shortcutCount(segments: readonly SegmentView[]): number {
    let count = 0;
    for (const segment of segments) {
      const ordinal = this.found.ordinals[this.statistics.segments.indexOf(segment)]!;
      if (ordinal >= 0) count += segment.core.terms(this.field)?.postings.docFreqs[ordinal] ?? 0;
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

  override bulkScore(segment: SegmentView, accept: Int32Array | undefined, run: CollectorContext): boolean {
    const cursor = this.open(segment);
    if (cursor === undefined) return true;
    const { top } = run;
    const collects = run.sinks.length > 0;
    const [sink] = run.sinks;
    if (top === undefined && sink !== undefined && isSampling(sink) && run.sinks.length === 1 && !run.sinksNeedScores) {
      this.select(cursor, accept, run, sink);
      return true;
    }
    const narrowing = collects && accept !== undefined ? run.narrowingSinks : undefined;
    const ranking =
      top === undefined
        ? undefined
        : new TermRanking(cursor, segment.base, accept, top, accept !== undefined && this.isSparse(segment, cursor));
    for (let block = cursor.first; block < cursor.end; block++) {
      const skip = top === undefined || (top.count === top.size && isSkipped(cursor, block, top));
      if (collects && run.sinksNeedScores) {
        cursor.load(block);
        collectScored(cursor, segment.base, accept, run);
        continue;
      }
      if (skip && !collects && run.hits >= run.countUpTo) continue;
      cursor.load(block);
      if (narrowing !== undefined && accept !== undefined) run.handWithin(narrowing, cursor.docs, cursor.count, accept);
      if (collects && narrowing === undefined) run.hits += handAccepted(cursor.docs, cursor.count, accept, run);
      else if (accept === undefined) run.hits += cursor.count;
      else if (run.hits < run.countUpTo) run.hits += countAccepted(cursor.docs, cursor.count, accept);
      if (!skip) ranking?.block();
    }
    return true;
  }

  /** For a collector that samples: it gets the expected count first, and the documents again if it kept too few. */
  private select(
    cursor: ScoringCursor,
    accept: Int32Array | undefined,
    run: CollectorContext,
    sink: SamplingCollector,
  ): void {
    const { found, statistics } = this;
    const shown = statistics.restricted ? found.docFreq / this.shortcutCount(statistics.segments) : 1;
    const narrowing = run.narrowingSinks;
    const { hits } = run;
    sink.expect(cursor.docFreq * shown);
    do {
      run.hits = hits;
      for (let block = cursor.first; block < cursor.end; block++) {
        cursor.load(block);
        if (accept !== undefined && narrowing !== undefined) {
          run.handWithin(narrowing, cursor.docs, cursor.count, accept);
          if (run.hits < run.countUpTo) run.hits += countAccepted(cursor.docs, cursor.count, accept);
        } else {
          run.hits += handAccepted(cursor.docs, cursor.count, accept, run);
        }
      }
    } while (sink.isLacking());
  }

  /** Whether most documents of a cursor are hidden from the caller. */
  private isSparse(segment: SegmentView, { postings }: ScoringCursor): boolean {
    const { found, statistics } = this;
    return (
      found.docFreq * 2 < this.shortcutCount(statistics.segments) &&
      postings === segment.core.terms(this.field)?.postings
    );
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
      description: `weight(${shownPath(this.field)}:${this.term}${this.statistics.placeOf(doc)}) [PerFieldSimilarity], result of:`,
      details: [inner],
    };
  }
}

/** Whether no document of a block is competitive; the top is full. */
function isSkipped(cursor: ScoringCursor, block: number, top: TopScoreCollector): boolean {
  const bound = cursor.blockBound(block);
  if (bound <= top.min) return true;
  if (top.ties === undefined) return false;
  const { lastDocs } = cursor.postings;
  return !top.admits(bound, block === cursor.first ? 0 : lastDocs[block - 1]! + 1, lastDocs[block]!);
}

/** Offers the documents of a cursor's blocks to the top. */
class TermRanking {
  private readonly cursor: ScoringCursor;
  private readonly base: number;
  private readonly accept: Int32Array | undefined;
  private readonly top: TopScoreCollector;
  /** Whether few documents are accepted: these are tested first; else only competitive documents are. */
  private readonly sparse: boolean;
  /** The greatest known non-competitive frequency times inverse length; saves the division. Never shrinks, as the minimum only grows. */
  private nonCompetitive = 0;

  constructor(
    cursor: ScoringCursor,
    base: number,
    accept: Int32Array | undefined,
    top: TopScoreCollector,
    sparse: boolean,
  ) {
    this.sparse = sparse;
    this.cursor = cursor;
    this.base = base;
    this.accept = accept;
    this.top = top;
  }

  /** Offers the current block. */
  block(): void {
    const { cursor, base, accept, top } = this;
    const first = this.sparse ? accept : undefined;
    cursor.loadFrequencies();
    const { docs, frequencies, norms, weight, inverse, count } = cursor;
    let { nonCompetitive } = this;
    const least = nonCompetitive > 0 ? this.leastFrequency() : 0;
    for (let i = 0; i < count; i++) {
      const frequency = frequencies[i]!;
      if (frequency < least) continue;
      const doc = docs[i]!;
      if (first !== undefined && ((first[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
      const reached = fround(frequency * inverse[norms[doc]!]!);
      if (reached <= nonCompetitive) continue;
      if (accept !== undefined && ((accept[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
      const score = fround(weight - fround(weight / fround(1 + reached)));
      if (score > top.min) top.offer(score, base + doc);
      else nonCompetitive = reached;
    }
    this.nonCompetitive = nonCompetitive;
  }

  /**
   * The frequency below which all documents of the current block are non-competitive, however short. Most are skipped without reading
   * their norms, which are scattered in memory.
   */
  private leastFrequency(): number {
    const { cursor, nonCompetitive } = this;
    const { impacts, impactOffsets } = cursor.postings;
    if (impacts === undefined || impactOffsets === undefined) return 0;
    // The first pair of a block belongs to its shortest documents.
    const shortest = cursor.inverse[impacts[impactOffsets[cursor.decoded]! + 1]!]!;
    // Slightly less than the quotient, whose rounding is unknown; the product decides later.
    const least = Math.ceil((nonCompetitive / shortest) * (1 - 1e-6));
    return fround(least * shortest) <= nonCompetitive ? least + 1 : least;
  }
}

/** Collects the accepted documents of a cursor's block with their scores. */
function collectScored(
  cursor: ScoringCursor,
  base: number,
  accept: Int32Array | undefined,
  run: CollectorContext,
): void {
  cursor.loadFrequencies();
  const { docs, frequencies, norms, weight, inverse, count } = cursor;
  const { top, batchDocs, batchScores } = run;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = docs[i]!;
    if (accept !== undefined && ((accept[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
    const score = fround(weight - fround(weight / fround(1 + fround(frequencies[i]! * inverse[norms[doc]!]!))));
    batchDocs[kept] = doc;
    batchScores[kept++] = score;
    if (top !== undefined && score > top.min) top.offer(score, base + doc);
  }
  run.hits += kept;
  run.flush(kept);
}

function countAccepted(docs: Int32Array, count: number, accept: Int32Array): number {
  let kept = 0;
  for (let i = 0; i < count; i++) kept += (accept[docs[i]! >>> 5]! >>> (docs[i]! & 31)) & 1;
  return kept;
}

/** Collects the accepted of some documents. @returns their number */
function handAccepted(docs: Int32Array, count: number, accept: Int32Array | undefined, run: CollectorContext): number {
  if (accept === undefined) {
    run.hand(docs, count);
    return count;
  }
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const doc = docs[i]!;
    run.batchDocs[kept] = doc;
    kept += (accept[doc >>> 5]! >>> (doc & 31)) & 1;
  }
  run.flush(kept);
  return kept;
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

  override window(
    end: number,
    accept: Int32Array | undefined,
    docs: Int32Array,
    scores: Float32Array | undefined,
  ): number {
    const { cursor } = this;
    const { docs: own, frequencies, norms, inverse, weight } = cursor;
    let found = 0;
    while (cursor.doc < end) {
      if (scores !== undefined) cursor.loadFrequencies();
      const { count } = cursor;
      let { index } = cursor;
      for (; index < count; index++) {
        const doc = own[index]!;
        if (doc >= end) break;
        if (accept !== undefined && ((accept[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
        docs[found] = doc;
        if (scores !== undefined) {
          const share = fround(1 + fround(frequencies[index]! * inverse[norms[doc]!]!));
          scores[found] = fround(weight - fround(weight / share));
        }
        found++;
      }
      // At the end of a block, a document after all others.
      cursor.index = index;
      cursor.doc = own[index]!;
      if (index === count) cursor.next();
    }
    this.doc = cursor.doc;
    return found;
  }
}

/** Lucene's SynonymQuery: frequencies are summed, the document frequency is the highest of the terms. */
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
    const inverse = this.statistics.inverseNorms(this.field);
    const cursors: ScoringCursor[] = [];
    for (const term of this.terms) {
      const cursor = this.statistics.openTerm(this.field, term, segment, this.weight, inverse);
      if (cursor !== undefined) cursors.push(cursor);
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
      scorer.norm(),
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

  /** The length byte of the current document. */
  norm(): number {
    return this.cursors[0]!.norms[this.doc]!;
  }

  score(): number {
    const { weight, inverse } = this.cursors[0]!;
    return bm25(weight, this.frequency(), inverse[this.norm()]!);
  }
}
