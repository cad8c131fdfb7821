// Lucene's PhraseQuery and MultiPhraseQuery: exact phrases by intersecting positions, sloppy ones like SloppyPhraseMatcher. Scored by BM25
// with the phrase frequency and the summed idf of the terms.
import { tick } from '../tasks/request-budget.ts';
import { searchError } from '../errors/search-errors.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import type { CollectorContext } from './collector-context.ts';
import { printPhrase } from './lucene/print-words.ts';
import { bm25, explainBm25, explainSummedIdf, termWeight } from './bm25.ts';
import { type PhraseTerm, runExactPhrase } from './run-phrase.ts';
import { PhrasePosition, sloppyFrequency } from './sloppy-phrase.ts';
import { CursorHeap } from './cursor-heap.ts';
import type { ScoringCursor } from './scoring-cursor.ts';
import { Scorer, Weight } from './scorer.ts';
import type { Statistics } from './statistics.ts';

/** The alternatives at one position of the phrase. */
export interface PhraseSlot {
  readonly position: number;
  readonly terms: readonly string[];
}

export class PhraseWeight extends Weight {
  private readonly statistics: Statistics;
  private readonly field: string;
  private readonly slots: readonly PhraseSlot[];
  private readonly slop: number;
  private readonly boost: number;
  private readonly idf: Explanation;
  private readonly weight: number;

  constructor(statistics: Statistics, field: string, slots: readonly PhraseSlot[], slop: number, boost: number) {
    super();
    this.statistics = statistics;
    this.field = field;
    this.slots = slots;
    this.slop = slop;
    this.boost = boost;
    const docFreqs = slots.flatMap((slot) => slot.terms.map((term) => statistics.docFreq(field, term)));
    this.idf = explainSummedIdf(docFreqs, statistics.field(field).docCount);
    this.weight = termWeight(statistics.similarity, boost, this.idf.value);
  }

  scorer(segment: SegmentView): PhraseScorer | undefined {
    const field = segment.core.terms(this.field);
    if (field === undefined) return undefined;
    if (!field.postings.hasPositions) throw searchError('SEARCH_NO_POSITIONS', { field: this.field });
    const inverse = this.statistics.inverseNorms(this.field);
    const sources: PositionSource[] = [];
    for (const slot of this.slots) {
      const cursors: ScoringCursor[] = [];
      for (const term of slot.terms) {
        const cursor = this.statistics.openTerm(this.field, term, segment, this.weight, inverse);
        if (cursor !== undefined) cursors.push(cursor);
      }
      if (cursors.length === 0) return undefined;
      sources.push(new PositionSource(cursors, slot.position, slot.terms.join('\0')));
    }
    return new PhraseScorer(sources, this.slop, this.weight, inverse, field.norms);
  }

  override bulkScore(segment: SegmentView, accept: Int32Array | undefined, run: CollectorContext): boolean {
    const { top } = run;
    if (top === undefined || run.sinks.length > 0) return false;
    const scorer = this.scorer(segment);
    if (scorer === undefined) return true;
    const exact = scorer.exactTerms();
    if (exact !== undefined) {
      runExactPhrase(exact, segment, accept, run, top);
      return true;
    }
    const { base } = segment;
    for (let doc = scorer.nextCandidate(0); doc !== NO_MORE_DOCS; doc = scorer.nextCandidate(doc + 1)) {
      if (accept !== undefined && ((accept[doc >>> 5]! >>> (doc & 31)) & 1) === 0) continue;
      // Comparing positions is the costly part; skipped where the highest possible frequency is not competitive.
      if (run.pruning !== undefined && scorer.bestPossible() <= top.min) continue;
      if (!scorer.matches()) continue;
      run.hits++;
      const score = scorer.score();
      if (score > top.min) top.offer(score, base + doc);
    }
    return true;
  }

  override explainMiss(segment: SegmentView, doc: number): string | undefined {
    return this.scorer(segment)?.nextCandidate(doc) === doc ? 'no matching phrase' : undefined;
  }

  explain(segment: SegmentView, doc: number): Explanation | undefined {
    const scorer = this.scorer(segment);
    if (scorer?.nextCandidate(doc) !== doc || !scorer.matches()) return undefined;
    const text = printPhrase({ field: this.field, terms: this.slots, slop: this.slop });
    const inner = explainBm25(
      'phrase',
      this.statistics.similarity,
      this.boost,
      this.idf,
      scorer.frequency,
      scorer.norms[doc]!,
      this.statistics.field(this.field),
    );
    return {
      value: inner.value,
      description: `weight(${text}${this.statistics.placeOf(doc)}) [PerFieldSimilarity], result of:`,
      details: [inner],
    };
  }
}

/** Documents and positions of one slot, whatever the order of its alternatives. */
export class PositionSource {
  doc = -1;
  readonly cost: number;
  readonly offset: number;
  /** Equal for slots of the same terms. */
  readonly key: string;
  /** The positions in the current document are `positions[start … start + count)`, after `loadPositions`. */
  positions: Int32Array | Uint16Array | Uint32Array = NONE;
  start = 0;
  count = 0;
  private joined: Int32Array = NONE;
  private readonly cursors: readonly ScoringCursor[];
  private readonly heap: CursorHeap<ScoringCursor> | undefined;

  constructor(cursors: readonly ScoringCursor[], offset: number, key: string) {
    this.cursors = cursors;
    this.offset = offset;
    this.key = key;
    this.cost = cursors.reduce((sum, cursor) => sum + cursor.docFreq, 0);
    this.heap = cursors.length > FEW ? new CursorHeap(cursors) : undefined;
  }

  /** The term of the slot; undefined if it has alternatives. */
  get only(): ScoringCursor | undefined {
    return this.cursors.length === 1 ? this.cursors[0] : undefined;
  }

  advance(target: number): number {
    if (this.cursors.length === 1) return (this.doc = this.cursors[0]!.advance(target));
    if (this.heap !== undefined) return (this.doc = this.heap.advance(target));
    let least = NO_MORE_DOCS;
    for (const cursor of this.cursors) {
      const doc = cursor.advance(target);
      if (doc < least) least = doc;
    }
    return (this.doc = least);
  }

  frequency(): number {
    if (this.cursors.length === 1) return this.cursors[0]!.frequency();
    let sum = 0;
    for (const cursor of this.heap?.here() ?? this.cursors) if (cursor.doc === this.doc) sum += cursor.frequency();
    return sum;
  }

  loadPositions(): void {
    const { cursors } = this;
    if (cursors.length === 1) {
      // Read in place: copying would cost as much as comparing.
      const cursor = cursors[0]!;
      this.start = cursor.positionsStart();
      this.positions = cursor.postings.positions;
      this.count = cursor.frequency();
      return;
    }
    let count = 0;
    for (const cursor of this.heap?.here() ?? cursors) {
      if (cursor.doc !== this.doc) continue;
      const stored = cursor.postings.positions;
      const start = cursor.positionsStart();
      const frequency = cursor.frequency();
      if (count + frequency > this.joined.length) {
        const grown = new Int32Array((count + frequency) * 2);
        grown.set(this.joined.subarray(0, count));
        this.joined = grown;
      }
      for (let i = 0; i < frequency; i++) this.joined[count++] = stored[start + i]!;
    }
    this.joined.subarray(0, count).sort();
    this.positions = this.joined;
    this.start = 0;
    this.count = count;
  }
}

const NONE = new Int32Array(0);
/** So many alternatives are advanced one by one; more are kept in a heap. */
const FEW = 4;

export class PhraseScorer extends Scorer {
  readonly cost: number;
  /** Phrase frequency in the current document; fractions for sloppy matches. */
  frequency = 0;
  private readonly sources: readonly PositionSource[];
  private readonly ordered: readonly PositionSource[];
  private readonly slop: number;
  private readonly weight: number;
  private readonly inverse: Float32Array;
  readonly norms: Uint8Array;

  constructor(
    sources: readonly PositionSource[],
    slop: number,
    weight: number,
    inverse: Float32Array,
    norms: Uint8Array,
  ) {
    super();
    this.sources = sources;
    this.ordered = sources.toSorted((a, b) => a.cost - b.cost);
    this.slop = slop;
    this.weight = weight;
    this.inverse = inverse;
    this.norms = norms;
    this.cost = this.ordered[0]!.cost;
  }

  /** The terms of an exact phrase without alternatives; else undefined. */
  exactTerms(): readonly PhraseTerm[] | undefined {
    if (this.slop > 0) return undefined;
    const terms: PhraseTerm[] = [];
    for (const source of this.sources) {
      const cursor = source.only;
      if (cursor === undefined) return undefined;
      terms.push({ cursor, offset: source.offset });
    }
    return terms;
  }

  /** The next document ≥ target with all terms, in any order. */
  nextCandidate(target: number): number {
    const { ordered } = this;
    const lead = ordered[0]!;
    let doc = lead.advance(target);
    next: while (doc !== NO_MORE_DOCS) {
      for (let i = 1; i < ordered.length; i++) {
        const found = ordered[i]!.advance(doc);
        if (found !== doc) {
          if (found === NO_MORE_DOCS) {
            doc = found;
            break;
          }
          doc = lead.advance(found);
          continue next;
        }
      }
      break;
    }
    return (this.doc = doc);
  }

  /** The score if every occurrence of the rarest term belonged to the phrase. */
  bestPossible(): number {
    let least = NO_MORE_DOCS;
    for (const source of this.sources) {
      const frequency = source.frequency();
      if (frequency < least) least = frequency;
    }
    // Sloppy matches may share positions, but each advances at least one term: the sum is a bound.
    if (this.slop > 0) least = this.sources.reduce((sum, source) => sum + source.frequency(), 0);
    return bm25(this.weight, least, this.inverse[this.norms[this.doc]!]!);
  }

  /** Whether the current candidate contains the phrase; sets `frequency`. */
  matches(): boolean {
    tick(this.slop > 0 ? 2048 : 128);
    for (const source of this.sources) source.loadPositions();
    this.frequency =
      this.slop > 0
        ? sloppyFrequency(
            this.sources.map((source) => new PhrasePosition(source)),
            this.slop,
          )
        : exactFrequency(this.sources);
    return this.frequency > 0;
  }

  next(): number {
    return this.advance(this.doc + 1);
  }

  advance(target: number): number {
    let doc = this.nextCandidate(target);
    while (doc !== NO_MORE_DOCS && !this.matches()) doc = this.nextCandidate(doc + 1);
    return doc;
  }

  score(): number {
    return bm25(this.weight, this.frequency, this.inverse[this.norms[this.doc]!]!);
  }
}

function exactFrequency(sources: readonly PositionSource[]): number {
  const first = sources[0]!;
  let frequency = 0;
  if (sources.length === 2) {
    const second = sources[1]!;
    const gap = second.offset - first.offset;
    const a = first.positions;
    const b = second.positions;
    const aEnd = first.start + first.count;
    const bEnd = second.start + second.count;
    let i = first.start;
    let j = second.start;
    let wanted = a[i]! + gap;
    let found = b[j]!;
    for (;;) {
      if (found < wanted) {
        if (++j >= bEnd) return frequency;
        found = b[j]!;
      } else {
        if (found === wanted) frequency++;
        if (++i >= aEnd) return frequency;
        wanted = a[i]! + gap;
      }
    }
  }
  const at = new Int32Array(sources.length);
  next: for (let i = 0; i < first.count; i++) {
    const start = first.positions[first.start + i]! - first.offset;
    for (let s = 1; s < sources.length; s++) {
      const source = sources[s]!;
      const wanted = start + source.offset;
      while (at[s]! < source.count && source.positions[source.start + at[s]!]! < wanted) at[s]!++;
      if (at[s] === source.count) return frequency;
      if (source.positions[source.start + at[s]!] !== wanted) continue next;
    }
    frequency++;
  }
  return frequency;
}
