// The statistics behind scores, and which documents exist for the caller. Without a view they are the index's, deleted documents
// included until a merge drops them, as in Lucene. With a view only visible documents are counted, so that scores reveal nothing
// about others.
import { LOOKUP_TICKS, tick } from '../tasks/request-budget.ts';
import { searchError } from '../errors/search-errors.ts';
import { bothBits, countBits, emptyBits, hasBit, nextBit, setBit } from '../index/bits.ts';
import { Cursor } from '../index/postings.ts';
import { countWithin, type SegmentView } from '../index/segment-view.ts';
import { type BooleanCounts, countBooleans } from './boolean-term.ts';
import { type FieldStatistics, inverseNorms, type Similarity } from './bm25.ts';
import type { Failure } from './scorer.ts';
import { ScoringCursor } from './scoring-cursor.ts';
import { droppedLists, type ViewStatistics, viewStatisticsOf, type VisibleList } from './view-statistics.ts';

/** Limits on single queries, as Elasticsearch has them. */
export interface QueryLimits {
  /** `indices.query.bool.max_clause_count` */
  readonly maxClauses: number;
  /** `index.max_terms_count` */
  readonly maxTerms: number;
  /** Maximum depth of nested queries. */
  readonly maxDepth: number;
}

/** Computes the bitmap of the documents that a view shows, from the roots it matches. */
export type ViewBits = (segment: SegmentView) => Int32Array;

/** The view of a search, with the key of its statistics. */
export interface SearchedView {
  readonly key: string;
  readonly bits: ViewBits;
}

/** One term of a search. */
export interface SearchedTerm {
  /** Its ordinal by segment; -1 if absent. */
  readonly ordinals: readonly number[];
  /** The documents with the term that count for scores. */
  readonly docFreq: number;
  /** By segment, the visible documents of the term, which are read instead of its postings; under a view, from the second search on. */
  readonly lists?: readonly (VisibleList | undefined)[] | undefined;
}

/** Cached statistics of a term under a view. */
interface ViewedTerm extends SearchedTerm {
  /** The first search for the term. */
  readonly askedBy: number;
  /** The count of evicted lists when these were found. */
  dropped: number;
  lists: readonly (VisibleList | undefined)[] | undefined;
}

let searches = 0;

/** Maximum cached terms; a few hundred bytes each. */
const TERMS = 4096;

/** Longer terms are not cached: a request may contain ten megabytes of one. */
const LONGEST = 256;

/** Cache by field and term; a joined key would have to be built at each request. */
class RememberedTerms<T> {
  private readonly fields = new Map<string, Map<string, T>>();
  private count = 0;

  get(field: string, term: string): T | undefined {
    return this.fields.get(field)?.get(term);
  }

  /** Adds a term that is not cached. */
  add(field: string, term: string, found: T): void {
    if (term.length > LONGEST) return;
    if (this.count >= TERMS) {
      this.fields.clear();
      this.count = 0;
    }
    const known = this.fields.get(field) ?? new Map<string, T>();
    this.fields.set(field, known.set(term, found));
    this.count++;
  }
}

/** Statistics shared by searches of the same segments under the same view. */
export class SharedStatistics {
  readonly fields = new Map<string, FieldStatistics>();
  readonly norms = new Map<string, Float32Array>();
  readonly booleans = new Map<string, BooleanCounts>();
  readonly visible = new Map<SegmentView, ViewStatistics>();
  /** Terms without a view: a look-up in six dictionaries takes as long as reading a thousand documents. */
  readonly found = new RememberedTerms<SearchedTerm>();
  readonly viewed = new RememberedTerms<ViewedTerm>();
}

/** The statistics and cursors of one search. */
export class Statistics {
  readonly segments: readonly SegmentView[];
  readonly similarity: Similarity;
  readonly limits: QueryLimits;
  private readonly view: SearchedView | undefined;
  private readonly shared: SharedStatistics;
  private readonly search = ++searches;
  private readonly cursors: ScoringCursor[] = [];
  private scratch: Cursor | undefined;
  private only: { readonly segment: SegmentView; readonly bits: Int32Array } | undefined;
  private failure: { readonly failure: Failure; readonly key: string } | undefined;

  constructor(
    segments: readonly SegmentView[],
    similarity: Similarity,
    limits: QueryLimits,
    view?: SearchedView,
    shared: SharedStatistics = new SharedStatistics(),
  ) {
    this.shared = shared;
    this.segments = segments;
    this.similarity = similarity;
    this.limits = limits;
    this.view = view;
  }

  /** Whether a view restricts what exists. */
  get restricted(): boolean {
    return this.view !== undefined;
  }

  /** Lucene's ` in 5` for explanations; empty under a view, where the number would reveal hidden documents. */
  placeOf(doc: number): string {
    return this.restricted ? '' : ` in ${doc}`;
  }

  private viewStatistics(segment: SegmentView): ViewStatistics | undefined {
    // A view shows nothing of a segment without documents.
    return segment.docCount === 0 ? undefined : this.view && this.statisticsOf(this.view, segment);
  }

  private statisticsOf({ key, bits }: SearchedView, segment: SegmentView): ViewStatistics {
    const { visible } = this.shared;
    let found = visible.get(segment);
    if (found === undefined) visible.set(segment, (found = viewStatisticsOf(segment, key, () => bits(segment))));
    return found;
  }

  /** The documents that exist for the caller, hidden nested ones included; undefined: all. Do not change it. */
  visible(segment: SegmentView): Int32Array | undefined {
    return this.viewStatistics(segment)?.bits ?? segment.live;
  }

  /** The documents that may be computed; undefined: all. Do not change it. */
  computed(segment: SegmentView): Int32Array | undefined {
    const { only } = this;
    if (only === undefined) return this.visible(segment);
    return only.segment === segment ? only.bits : emptyBits(segment.docCount);
  }

  /** Restricts computation to one document and its nested ones. */
  narrowTo(segment: SegmentView, root: number): void {
    const bits = emptyBits(segment.docCount);
    setBit(bits, root);
    const { roots } = segment;
    if (roots !== undefined) for (let doc = root - 1; doc >= 0 && !hasBit(roots, doc); doc--) setBit(bits, doc);
    this.only = { segment, bits: bothBits(bits, this.visible(segment)) };
  }

  /**
   * Records why a collected document could not be computed. The search goes on to its end and then reports one failure, the first by code
   * and words: the order of documents could reveal hidden ones.
   */
  fail(failure: Failure): void {
    if (this.failure?.failure === failure) return;
    const key = JSON.stringify([failure.code, failure.values]);
    if (this.failure === undefined || key < this.failure.key) this.failure = { failure, key };
  }

  /** Whether something failed. */
  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Begins to record failures of a document separately, as it may not be collected. @returns the argument of `resume` */
  suspend(): Statistics['failure'] {
    const { failure } = this;
    this.failure = undefined;
    return failure;
  }

  /** @returns the failure since `suspend` */
  resume(before: Statistics['failure']): Failure | undefined {
    const found = this.failure?.failure;
    this.failure = before;
    return found;
  }

  /** @throws ProductError when something failed */
  raise(): void {
    if (this.failure === undefined) return;
    const { code, values } = this.failure.failure;
    throw searchError(code, values);
  }

  /** How many documents a view shows, hidden nested ones included. */
  viewedCount(): number {
    return this.segments.reduce((sum, segment) => sum + (this.viewStatistics(segment)?.size ?? 0), 0);
  }

  /** Looks a term up in every segment. */
  term(field: string, term: string): SearchedTerm {
    if (this.view !== undefined) return this.viewedTerm(this.view, field, term);
    const known = this.shared.found.get(field, term);
    if (known !== undefined) return known;
    tick(LOOKUP_TICKS * this.segments.length);
    const ordinals: number[] = [];
    let docFreq = 0;
    for (const { core } of this.segments) {
      const postings = core.terms(field)?.postings;
      const ordinal = postings?.lookup(term) ?? -1;
      ordinals.push(ordinal);
      if (postings !== undefined && ordinal >= 0) docFreq += postings.docFreqs[ordinal]!;
    }
    const found = { ordinals, docFreq };
    this.shared.found.add(field, term, found);
    return found;
  }

  private viewedTerm(view: SearchedView, field: string, term: string): SearchedTerm {
    const known = this.shared.viewed.get(field, term);
    if (known !== undefined) {
      const dropped = droppedLists(this.segments);
      if (known.askedBy !== this.search && (known.lists === undefined || known.dropped !== dropped)) {
        known.lists = this.listsOf(view, termKey(field, term), field, known);
        known.dropped = dropped;
      }
      return known;
    }
    tick(LOOKUP_TICKS * this.segments.length);
    const key = termKey(field, term);
    const ordinals: number[] = [];
    let docFreq = 0;
    for (const segment of this.segments) {
      const postings = segment.core.terms(field)?.postings;
      const ordinal = postings?.lookup(term) ?? -1;
      ordinals.push(ordinal);
      if (postings !== undefined && ordinal >= 0)
        docFreq += this.statisticsOf(view, segment).count(key, postings, ordinal, this.scratchCursor());
    }
    const made = { ordinals, docFreq, lists: undefined, askedBy: this.search, dropped: 0 };
    this.shared.viewed.add(field, term, made);
    return made;
  }

  private listsOf(
    view: SearchedView,
    key: string,
    field: string,
    { ordinals }: SearchedTerm,
  ): (VisibleList | undefined)[] {
    return this.segments.map((segment, i) => {
      const ordinal = ordinals[i]!;
      const terms = ordinal < 0 ? undefined : segment.core.terms(field);
      return terms && this.statisticsOf(view, segment).list(key, terms, ordinal, this.scratchCursor());
    });
  }

  /** The documents with the term that count for scores. */
  docFreq(field: string, term: string): number {
    return this.term(field, term).docFreq;
  }

  /** A cursor before the first document of a term of `term`; undefined where the segment lacks it. */
  open(
    term: SearchedTerm,
    segment: SegmentView,
    field: string,
    weight: number,
    inverse: Float32Array,
  ): ScoringCursor | undefined {
    const at = this.segments.indexOf(segment);
    const ordinal = term.ordinals[at]!;
    const found = ordinal < 0 ? undefined : segment.core.terms(field);
    if (found === undefined) return undefined;
    const { postings, norms } = found;
    const list = term.lists?.[at]?.postings;
    return list === undefined
      ? this.cursor().openTerm(postings, ordinal, norms, weight, inverse)
      : this.cursor().openTerm(list, 0, norms, weight, inverse);
  }

  /** Like `open`, for a term that was not looked up. */
  openTerm(
    field: string,
    term: string,
    segment: SegmentView,
    weight: number,
    inverse: Float32Array,
  ): ScoringCursor | undefined {
    if (this.view !== undefined)
      return this.open(this.viewedTerm(this.view, field, term), segment, field, weight, inverse);
    const found = segment.core.terms(field);
    const ordinal = found?.postings.lookup(term) ?? -1;
    if (found === undefined || ordinal < 0) return undefined;
    return this.cursor().openTerm(found.postings, ordinal, found.norms, weight, inverse);
  }

  field(field: string): FieldStatistics {
    const known = this.shared.fields.get(field);
    if (known !== undefined) return known;
    let docCount = 0;
    let sumTotalTermFreq = 0;
    for (const segment of this.segments) {
      const viewStatistics = this.viewStatistics(segment);
      let part: FieldStatistics | undefined;
      if (viewStatistics === undefined) {
        const counts = segment.core.counts(field);
        if (counts !== undefined) part = { docCount: counts.docs, sumTotalTermFreq: counts.sumTotalTermFreq };
      } else {
        part = viewStatistics.field(field, (within) => countField(segment, field, within));
      }
      docCount += part?.docCount ?? 0;
      sumTotalTermFreq += part?.sumTotalTermFreq ?? 0;
    }
    const statistics = { docCount, sumTotalTermFreq };
    this.shared.fields.set(field, statistics);
    return statistics;
  }

  /** How often a field has `true` and `false`. */
  booleans(field: string): BooleanCounts {
    const known = this.shared.booleans.get(field);
    if (known !== undefined) return known;
    let docCount = 0;
    const docFreqs: [number, number] = [0, 0];
    for (const segment of this.segments) {
      const part = countBooleans(segment, field, this.viewStatistics(segment)?.bits);
      docCount += part.docCount;
      docFreqs[0] += part.docFreqs[0];
      docFreqs[1] += part.docFreqs[1];
    }
    const counts = { docCount, docFreqs };
    this.shared.booleans.set(field, counts);
    return counts;
  }

  inverseNorms(field: string): Float32Array {
    let found = this.shared.norms.get(field);
    if (found === undefined) this.shared.norms.set(field, (found = inverseNorms(this.similarity, this.field(field))));
    return found;
  }

  /** A cursor for this search; it goes back with `release`. */
  cursor(): ScoringCursor {
    const cursor = ScoringCursor.take();
    this.cursors.push(cursor);
    return cursor;
  }

  /** A cursor for one pass over a term; valid until the next call. */
  scratchCursor(): Cursor {
    return (this.scratch ??= this.cursor());
  }

  /** Gives the cursors back. Scorers of this search must not be used any more. */
  release(): void {
    for (const cursor of this.cursors) ScoringCursor.giveBack(cursor);
    this.cursors.length = 0;
  }

  /** @throws ProductError when one query has more clauses than allowed */
  checkClauses(count: number): void {
    if (count > this.limits.maxClauses) throw searchError('SEARCH_TOO_MANY_CLAUSES', { limit: this.limits.maxClauses });
  }
}

function termKey(field: string, term: string): string {
  return `${field}\0${term}`;
}

function countField(segment: SegmentView, field: string, within: Int32Array): FieldStatistics {
  const terms = segment.core.terms(field);
  if (terms === undefined) return { docCount: 0, sumTotalTermFreq: 0 };
  const { lengths, column, exists } = terms;
  let docCount = 0;
  let sumTotalTermFreq = 0;
  if (lengths !== undefined) {
    for (let doc = nextBit(within, 0); doc >= 0; doc = nextBit(within, doc + 1)) {
      const length = lengths[doc]!;
      if (length > 0) docCount++;
      sumTotalTermFreq += length;
    }
    return { docCount, sumTotalTermFreq };
  }
  const present = bothBits(within, exists);
  docCount = countBits(present);
  if (column !== undefined) {
    const { starts } = column;
    if (starts === undefined) return { docCount, sumTotalTermFreq: docCount };
    for (let doc = nextBit(present, 0); doc >= 0; doc = nextBit(present, doc + 1))
      sumTotalTermFreq += starts[doc + 1]! - starts[doc]!;
    return { docCount, sumTotalTermFreq };
  }
  const cursor = new Cursor();
  for (let ordinal = 0; ordinal < terms.postings.size; ordinal++)
    sumTotalTermFreq += countWithin(cursor.open(terms.postings, ordinal), within);
  return { docCount, sumTotalTermFreq };
}
