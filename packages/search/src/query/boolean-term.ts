// The score of `true` and `false`. Elasticsearch indexes them as the terms `T` and `F` of a field without norms, scored by BM25. All
// documents with one of them score the same, so the column is enough. Under a view only visible documents are counted.
import { hasBit } from '../index/bits.ts';
import type { Explanation } from './explanation.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { tick } from '../tasks/request-budget.ts';
import {
  bm25,
  explainBm25,
  explainIdf,
  type FieldStatistics,
  inverseDocumentFrequency,
  inverseNorms,
  termWeight,
} from './bm25.ts';
import type { Statistics } from './statistics.ts';

/** Document frequencies of the two terms of a field. */
export interface BooleanCounts {
  /** Documents with a value. */
  readonly docCount: number;
  /** Documents with `F`, and with `T`. */
  readonly docFreqs: readonly [number, number];
}

/** The norm of fields without norms. */
const LENGTH = 1;

/** The score of a document with the term. */
export function booleanScore(statistics: Statistics, field: string, value: number, boost: number): number {
  const { docFreq, fieldStatistics } = countsOf(statistics, field, value);
  const idf = inverseDocumentFrequency(docFreq, Math.max(fieldStatistics.docCount, docFreq));
  const inverse = inverseNorms(statistics.similarity, fieldStatistics)[LENGTH]!;
  return bm25(termWeight(statistics.similarity, boost, idf), 1, inverse);
}

/** Explains that score. */
export function explainBoolean(
  statistics: Statistics,
  field: string,
  value: number,
  boost: number,
  doc: number,
): Explanation {
  const { docFreq, fieldStatistics } = countsOf(statistics, field, value);
  const idf = explainIdf(docFreq, Math.max(fieldStatistics.docCount, docFreq));
  const inner = explainBm25('term', statistics.similarity, boost, idf, 1, LENGTH, fieldStatistics);
  return {
    value: inner.value,
    description: `weight(${field}:${value === 0 ? 'F' : 'T'}${statistics.placeOf(doc)}) [PerFieldSimilarity], result of:`,
    details: [inner],
  };
}

function countsOf(
  statistics: Statistics,
  field: string,
  value: number,
): { readonly docFreq: number; readonly fieldStatistics: FieldStatistics } {
  const { docCount, docFreqs } = statistics.booleans(field);
  return {
    docFreq: docFreqs[value === 0 ? 0 : 1],
    fieldStatistics: { docCount, sumTotalTermFreq: docFreqs[0] + docFreqs[1] },
  };
}

/** Counts the terms of a segment. @param within the documents that count; undefined: all */
export function countBooleans(segment: SegmentView, field: string, within: Int32Array | undefined): BooleanCounts {
  const column = segment.number(field);
  if (column === undefined) return { docCount: 0, docFreqs: [0, 0] };
  const { exists, starts, values } = column;
  tick(segment.docCount * 2);
  let docCount = 0;
  const docFreqs: [number, number] = [0, 0];
  for (let doc = 0; doc < segment.docCount; doc++) {
    if (within !== undefined && !hasBit(within, doc)) continue;
    if (starts === undefined) {
      if (exists !== undefined && !hasBit(exists, doc)) continue;
      docCount++;
      docFreqs[values[doc] === 0 ? 0 : 1]++;
      continue;
    }
    let has = 0;
    for (let at = starts[doc]!; at < starts[doc + 1]!; at++) has |= values[at] === 0 ? 1 : 2;
    if (has > 0) docCount++;
    docFreqs[0] += has & 1;
    docFreqs[1] += has >>> 1;
  }
  return { docCount, docFreqs };
}
