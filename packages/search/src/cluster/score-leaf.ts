// How one scoring leaf is said to a cluster so that its score depends on the visible documents alone. The similarity of the fields returns
// frequencies (exact) or frequencies against the length (fast); idf, average length and boost come with the request, as parameters of one
// script that is compiled once for all requests, or as the boost.
import type { Json } from '../json/json.ts';
import {
  bm25,
  type FieldStatistics,
  inverseDocumentFrequency,
  inverseNorms,
  type Similarity,
  termWeight,
} from '../query/bm25.ts';
import type { ScoreMode } from './cluster-index.ts';

/**
 * BM25 step by step as bm25.ts and small-float.ts round it. `_score` is the frequency, as often as the leaf has terms.
 * A text of several values has a length each.
 */
const SCRIPT = `
long length = 1;
if (params.length != null) { length = 0; for (long part : doc[params.length]) { length += part; } }
if (length >= 24) { long more = length - 24; int shift = 60 - Long.numberOfLeadingZeros(more);
  if (shift > 0) { length = 24 + ((more >>> shift) << shift); } }
float k1 = (float) params.k1; float b = (float) params.b; float weight = (float) params.weight;
float inverse = 1f / (k1 * ((1f - b) + b * (float) length / (float) params.average));
return weight - weight / (1f + (float) (_score / params.terms) * inverse);`.trim();

/** What a leaf is scored by. */
export interface LeafScore {
  readonly mode: ScoreMode;
  readonly similarity: Similarity;
  /** The product of the boosts from the root on. */
  readonly boost: number;
  /** The sum of the idf of its terms. */
  readonly idf: number;
  readonly field: FieldStatistics;
  /** The field of the length; undefined: lengths do not count. */
  readonly length: string | undefined;
  /** The similarity is called for each term of a phrase, and the results are added. */
  readonly terms: number;
}

/** A leaf whose documents have frequencies. @param leaf makes the query with a boost */
export function scoredLeaf(leaf: (boost: number) => Json, score: LeafScore): Json {
  const weight = termWeight(score.similarity, score.boost, score.idf);
  if (score.mode === 'fast') return leaf(Math.fround(weight / score.terms));
  const { k1, b } = score.similarity;
  const average = score.field.docCount === 0 ? 1 : Math.fround(score.field.sumTotalTermFreq / score.field.docCount);
  const { length = null, terms } = score;
  const params = { length, k1, b, weight, average, terms };
  return { script_score: { query: leaf(1), script: { source: SCRIPT, params } } };
}

/** The score of all documents with a term of a field that has neither frequencies nor lengths. */
export function constantOf(similarity: Similarity, boost: number, idf: number, field: FieldStatistics): number {
  return bm25(termWeight(similarity, boost, idf), 1, inverseNorms(similarity, field)[1]!);
}

export function idfOf(docFreq: number, field: FieldStatistics): number {
  return inverseDocumentFrequency(docFreq, Math.max(field.docCount, docFreq));
}
