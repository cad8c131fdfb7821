// How often a term is in an index, and how many words and documents a field has there, counted over the documents that exist for the
// caller: what `_termvectors` shows beside the words of one document.
import { countBits, hasBit } from '../index/bits.ts';
import { Cursor } from '../index/postings.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import { SegmentView } from '../index/segment-view.ts';
import type { SegmentReader } from '../index/segment.ts';
import { visitTerms } from '../request-budget.ts';

/** A segment with the documents of it that exist. */
export interface Shown {
  readonly segment: SegmentReader;
  readonly documents: Int32Array;
}

/** Documents with a term, and how often it is in them. */
export function termTotals(shown: readonly Shown[], field: string, term: string): { docFreq: number; total: number } {
  let docFreq = 0;
  let total = 0;
  for (const { segment, documents } of shown) {
    if (!(segment instanceof SegmentView)) continue;
    const ordinal = segment.core.terms(field)?.postings.lookup(term) ?? -1;
    if (ordinal < 0) continue;
    const cursor = new Cursor().open(segment.core.terms(field)!.postings, ordinal);
    for (let doc = cursor.next(); doc !== NO_MORE_DOCS; doc = cursor.next()) {
      if (!hasBit(documents, doc)) continue;
      docFreq++;
      total += cursor.frequency();
    }
  }
  return { docFreq, total };
}

/** Documents with the field; its words; and its words, counted once a document. */
export function fieldTotals(
  shown: readonly Shown[],
  field: string,
): { docCount: number; sumTotalTermFreq: number; sumDocFreq: number } {
  let docCount = 0;
  let sumTotalTermFreq = 0;
  let sumDocFreq = 0;
  for (const { segment, documents } of shown) {
    if (!(segment instanceof SegmentView)) continue;
    const terms = segment.core.terms(field);
    if (terms === undefined) continue;
    const exists = segment.core.documentsWith(field);
    const whole = countBits(documents) === segment.docCount;
    docCount += exists === undefined ? 0 : countBits(exists.map((word, at) => word & documents[at]!));
    if (whole) {
      sumTotalTermFreq += terms.meta.sumTotalTermFreq;
      sumDocFreq += terms.meta.sumDocFreq;
      continue;
    }
    for (let ordinal = 0; ordinal < terms.postings.size; ordinal++) {
      visitTerms(1);
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
