// Statistics of terms and fields over the documents that exist for the caller: for `_termvectors`, and for the scores of phrase suggestions.
import { countBits, fullBits, hasBit, nextBit } from '../index/bits.ts';
import type { TermsField } from '../index/core-reader.ts';
import { Cursor } from '../index/postings.ts';
import type { Searcher } from './search-request.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { SegmentView } from '../index/segment-view.ts';
import { LOOKUP_TICKS, tick } from '../tasks/request-budget.ts';

/** Statistics of a term: documents with it, and its total frequency. */
interface OfTerm {
  readonly docFreq: number;
  readonly total: number;
}

/** Statistics of a field: documents with it, total term frequency, and sum of document frequencies. */
interface OfField {
  readonly docCount: number;
  readonly sumTotalTermFreq: number;
  readonly sumDocFreq: number;
}

/** Estimated nanoseconds per document of a term. */
const DOCUMENT_STEPS = 6;

/** Cache of field statistics: under a view, they take a pass over all terms. */
const known = {
  found: new WeakMap<Searcher, Map<string, OfField>>(),
  all: new WeakMap<Searcher, Map<string, OfField>>(),
};

/** Counts in one state of an index, each term and field once. */
export class TermTotals {
  readonly #segments: readonly { readonly segment: SegmentView; readonly documents: Int32Array }[];
  readonly #terms = new Map<string, OfTerm>();
  readonly #fields: Map<string, OfField>;

  /** @param of root documents, or also elements of nested fields */
  constructor(searcher: Searcher, of: 'found' | 'all' = 'found') {
    let counted = known[of].get(searcher);
    if (counted === undefined) known[of].set(searcher, (counted = new Map()));
    this.#fields = counted;
    this.#segments = searcher.segments.flatMap((segment) => {
      if (!(segment instanceof SegmentView)) return [];
      const documents =
        of === 'found'
          ? searcher.matches({ kind: 'match_all' }, segment)
          : (searcher.visible(segment) ?? fullBits(segment.docCount));
      return [{ segment, documents }];
    });
  }

  /** The counted documents. */
  get documents(): number {
    return this.#segments.reduce((sum, { documents }) => sum + countBits(documents), 0);
  }

  ofTerm(field: string, term: string): OfTerm {
    const key = `${field}\n${term}`;
    let found = this.#terms.get(key);
    if (found === undefined) this.#terms.set(key, (found = this.#countTerm(field, term)));
    return found;
  }

  ofField(field: string): OfField {
    let found = this.#fields.get(field);
    if (found === undefined) this.#fields.set(field, (found = this.#countField(field)));
    return found;
  }

  #countTerm(field: string, term: string): OfTerm {
    let docFreq = 0;
    let total = 0;
    for (const { segment, documents } of this.#segments) {
      tick(LOOKUP_TICKS);
      const postings = segment.core.terms(field)?.postings;
      const ordinal = postings?.lookup(term) ?? -1;
      if (postings === undefined || ordinal < 0) continue;
      tick(postings.docFreq(ordinal) * DOCUMENT_STEPS);
      const cursor = new Cursor().open(postings, ordinal);
      for (let doc = cursor.next(); doc !== NO_MORE_DOCS; doc = cursor.next()) {
        if (!hasBit(documents, doc)) continue;
        docFreq++;
        total += cursor.frequency();
      }
    }
    return { docFreq, total };
  }

  #countField(field: string): OfField {
    let docCount = 0;
    let sumTotalTermFreq = 0;
    let sumDocFreq = 0;
    for (const { segment, documents } of this.#segments) {
      const terms = segment.core.terms(field);
      if (terms === undefined) continue;
      const exists = segment.core.documentsWith(field);
      const counts = countBits(documents) === segment.docCount ? segment.core.counts(field) : undefined;
      docCount += counts?.docs ?? countWithTerms(terms, exists, documents);
      if (counts !== undefined) {
        sumTotalTermFreq += counts.sumTotalTermFreq;
        sumDocFreq += counts.sumDocFreq;
        continue;
      }
      for (let ordinal = 0; ordinal < terms.postings.size; ordinal++) {
        tick(terms.postings.docFreq(ordinal) * DOCUMENT_STEPS);
        const cursor = new Cursor().open(terms.postings, ordinal);
        for (let doc = cursor.next(); doc !== NO_MORE_DOCS; doc = cursor.next()) {
          if (!hasBit(documents, doc)) continue;
          sumDocFreq++;
          sumTotalTermFreq += cursor.frequency();
        }
      }
    }
    return { docCount, sumTotalTermFreq, sumDocFreq };
  }
}

/** Documents with a term of the field: an empty text is a value and has none. */
function countWithTerms({ lengths }: TermsField, exists: Int32Array | undefined, documents: Int32Array): number {
  if (exists === undefined) return 0;
  const held = exists.map((word, at) => word & documents[at]!);
  if (lengths === undefined) return countBits(held);
  let count = 0;
  for (let doc = nextBit(held, 0); doc >= 0; doc = nextBit(held, doc + 1)) if (lengths[doc]! > 0) count++;
  return count;
}
