// The numbers behind scores, and which documents exist for the caller. Without a view the numbers are the index's, deleted
// documents included until a merge drops them, as in Lucene; with one, everything is counted on the visible documents
// alone, so that a score tells nothing about others.
import { searchError } from '../errors.ts';
import { bothBits, countBits, emptyBits, hasBit, nextBit, setBit } from '../index/bits.ts';
import { Cursor } from '../index/postings.ts';
import type { SegmentCore } from '../index/segment-core.ts';
import { countWithin, type SegmentView } from '../index/segment-view.ts';
import { type FieldStatistics, inverseNorms, type Similarity } from './bm25.ts';
import { ScoringCursor } from './scoring-cursor.ts';

/** Limits on single queries, as Elasticsearch has them. */
export interface QueryLimits {
  /** `indices.query.bool.max_clause_count` */
  readonly maxClauses: number;
  /** `index.max_terms_count` */
  readonly maxTerms: number;
  /** Nesting of queries. */
  readonly maxDepth: number;
}

/** What one view shows of one segment, with counts that were asked before. */
interface SegmentVisibility {
  readonly generation: number;
  readonly bits: Int32Array;
  readonly docFreqs: Map<string, number>;
  readonly fields: Map<string, FieldStatistics>;
}

/** Views remembered per segment; each costs a bit per document. */
const VIEWS_PER_SEGMENT = 32;
const visibilities = new WeakMap<SegmentCore, Map<string, SegmentVisibility>>();

/** Makes the bitmap of the documents that a view shows, from the roots it matches. */
export type ViewBits = (segment: SegmentView) => Int32Array;

/** What searches of the same segments under the same view have in common. */
export interface SharedStatistics {
  readonly fields: Map<string, FieldStatistics>;
  readonly norms: Map<string, Float32Array>;
}

/** The statistics of one search, asked field by field and term by term; and the cursors it uses. */
export class Statistics {
  readonly segments: readonly SegmentView[];
  readonly similarity: Similarity;
  readonly limits: QueryLimits;
  private readonly viewKey: string | undefined;
  private readonly viewBits: ViewBits | undefined;
  private readonly fields: Map<string, FieldStatistics>;
  private readonly norms: Map<string, Float32Array>;
  private readonly cursors: ScoringCursor[] = [];
  private scratch: Cursor | undefined;

  constructor(
    segments: readonly SegmentView[],
    similarity: Similarity,
    limits: QueryLimits,
    view?: { readonly key: string; readonly bits: ViewBits },
    shared: SharedStatistics = { fields: new Map(), norms: new Map() },
  ) {
    this.fields = shared.fields;
    this.norms = shared.norms;
    this.segments = segments;
    this.similarity = similarity;
    this.limits = limits;
    this.viewKey = view?.key;
    this.viewBits = view?.bits;
  }

  /** Whether a view restricts what exists. */
  get restricted(): boolean {
    return this.viewKey !== undefined;
  }

  /** Lucene's ` in 5` for explanations; nothing under a view, where the number would tell of documents that are not shown. */
  placeOf(doc: number): string {
    return this.restricted ? '' : ` in ${doc}`;
  }

  private visibility(segment: SegmentView): SegmentVisibility | undefined {
    if (this.viewKey === undefined || this.viewBits === undefined) return undefined;
    const { core } = segment;
    let views = visibilities.get(core);
    if (views === undefined) visibilities.set(core, (views = new Map()));
    const known = views.get(this.viewKey);
    if (known !== undefined && known.generation === segment.generation) {
      views.delete(this.viewKey);
      views.set(this.viewKey, known);
      return known;
    }
    const bits = withChildren(segment, this.viewBits(segment));
    const made = { generation: segment.generation, bits, docFreqs: new Map(), fields: new Map() };
    if (views.size >= VIEWS_PER_SEGMENT) views.delete(views.keys().next().value!);
    views.set(this.viewKey, made);
    return made;
  }

  /** The documents that exist for the caller, hidden nested ones included; undefined: all. Do not change it. */
  visible(segment: SegmentView): Int32Array | undefined {
    return this.visibility(segment)?.bits ?? segment.live;
  }

  /** The term's ordinal in each segment, -1 where it is absent. */
  ordinals(field: string, term: string): number[] {
    return this.segments.map((segment) => segment.core.terms(field)?.postings.lookup(term) ?? -1);
  }

  /** The documents with the term that count for scores. */
  docFreq(field: string, term: string): number {
    return this.docFreqOf(field, term, this.ordinals(field, term));
  }

  /** The same for a term whose ordinals are known. */
  docFreqOf(field: string, term: string, ordinals: readonly number[]): number {
    let total = 0;
    for (const [i, segment] of this.segments.entries()) {
      const ordinal = ordinals[i]!;
      if (ordinal < 0) continue;
      const { postings } = segment.core.terms(field)!;
      const visibility = this.visibility(segment);
      if (visibility === undefined) {
        total += postings.docFreqs[ordinal]!;
        continue;
      }
      const key = `${field}\0${term}`;
      let count = visibility.docFreqs.get(key);
      if (count === undefined) {
        count = countWithin(this.scratchCursor().open(postings, ordinal), visibility.bits);
        // Bounded: a view is a cache, not a second dictionary.
        if (visibility.docFreqs.size > 10_000) visibility.docFreqs.clear();
        visibility.docFreqs.set(key, count);
      }
      total += count;
    }
    return total;
  }

  field(field: string): FieldStatistics {
    const known = this.fields.get(field);
    if (known !== undefined) return known;
    let docCount = 0;
    let sumTotalTermFreq = 0;
    for (const segment of this.segments) {
      const visibility = this.visibility(segment);
      let part: FieldStatistics | undefined;
      if (visibility === undefined) {
        const meta = segment.core.meta(field);
        if (meta !== undefined) part = { docCount: meta.docs, sumTotalTermFreq: meta.sumTotalTermFreq };
      } else {
        part = visibility.fields.get(field);
        if (part === undefined) {
          part = countField(segment, field, visibility.bits);
          visibility.fields.set(field, part);
        }
      }
      docCount += part?.docCount ?? 0;
      sumTotalTermFreq += part?.sumTotalTermFreq ?? 0;
    }
    const statistics = { docCount, sumTotalTermFreq };
    this.fields.set(field, statistics);
    return statistics;
  }

  inverseNorms(field: string): Float32Array {
    let found = this.norms.get(field);
    if (found === undefined) this.norms.set(field, (found = inverseNorms(this.similarity, this.field(field))));
    return found;
  }

  /** A cursor for this search; it goes back with `release`. */
  cursor(): ScoringCursor {
    const cursor = ScoringCursor.take();
    this.cursors.push(cursor);
    return cursor;
  }

  /** A cursor for one pass over a term, done before the next is asked for. */
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
    if (count > this.limits.maxClauses) {
      throw searchError('SEARCH_TOO_MANY_CLAUSES', { limit: this.limits.maxClauses });
    }
  }
}

/** Restricts to live roots and adds the hidden documents of each. */
function withChildren(segment: SegmentView, matching: Int32Array): Int32Array {
  const roots = bothBits(bothBits(matching, segment.live), segment.roots)!;
  if (segment.roots === undefined) return roots === matching ? matching.slice() : roots;
  const bits = emptyBits(segment.docCount);
  let from = 0;
  for (let root = nextBit(segment.roots, 0); root >= 0; root = nextBit(segment.roots, root + 1)) {
    if (hasBit(roots, root)) for (let doc = from; doc <= root; doc++) setBit(bits, doc);
    from = root + 1;
  }
  return bits;
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
  const present = bothBits(within, exists)!;
  docCount = countBits(present);
  if (column !== undefined) {
    const { starts } = column;
    if (starts === undefined) return { docCount, sumTotalTermFreq: docCount };
    for (let doc = nextBit(present, 0); doc >= 0; doc = nextBit(present, doc + 1)) {
      sumTotalTermFreq += starts[doc + 1]! - starts[doc]!;
    }
    return { docCount, sumTotalTermFreq };
  }
  const cursor = new Cursor();
  for (let ordinal = 0; ordinal < terms.postings.size; ordinal++) {
    sumTotalTermFreq += countWithin(cursor.open(terms.postings, ordinal), within);
  }
  return { docCount, sumTotalTermFreq };
}
