// BM25 as Lucene 8 computes it, bit for bit: each step rounds to float32 where BM25Similarity does. Statistics: statistics.ts.
import { javaFloat } from '../json/java-values.ts';
import { decodedLength } from '../index/small-float.ts';
import type { Explanation } from './explanation.ts';

const { fround } = Math;

/** The parameters of the formula. */
export interface Similarity {
  readonly k1: number;
  readonly b: number;
  /** Multiplies by k1 + 1, as Elasticsearch 7's LegacyBM25Similarity does. */
  readonly scaleByK1: boolean;
}

/** Statistics of one field over the documents that count. */
export interface FieldStatistics {
  /** Documents with at least one term. */
  readonly docCount: number;
  readonly sumTotalTermFreq: number;
}

/** BM25Similarity.idf */
export function inverseDocumentFrequency(docFreq: number, docCount: number): number {
  return fround(Math.log(1 + (docCount - docFreq + 0.5) / (docFreq + 0.5)));
}

/** The average length of the field, as float. */
function averageLength(field: FieldStatistics): number {
  return field.docCount === 0 ? 1 : fround(field.sumTotalTermFreq / field.docCount);
}

/** By length byte: 1 / (k1 * (1 - b + b * length / average)). BM25Similarity.scorer's cache. */
export function inverseNorms(similarity: Similarity, field: FieldStatistics): Float32Array {
  const k1 = fround(similarity.k1);
  const b = fround(similarity.b);
  const average = averageLength(field);
  const cache = new Float32Array(256);
  for (let byte = 0; byte < 256; byte++)
    cache[byte] = fround(
      1 / fround(k1 * fround(fround(1 - b) + fround(fround(b * fround(decodedLength[byte]!)) / average))),
    );
  return cache;
}

/** The upper bound of a term's score: boost (times k1 + 1) times idf. */
export function termWeight(similarity: Similarity, boost: number, idf: number): number {
  return fround(scaledBoost(similarity, boost) * idf);
}

function scaledBoost(similarity: Similarity, boost: number): number {
  return similarity.scaleByK1 ? fround(fround(boost) * fround(1 + fround(similarity.k1))) : fround(boost);
}

/** The score of one term in one document. BM25Scorer.score; scorers repeat it inline where calls would cost. */
export function bm25(weight: number, frequency: number, inverseNorm: number): number {
  return fround(weight - fround(weight / fround(1 + fround(frequency * inverseNorm))));
}

/** The explanation of `bm25`, worded as Lucene's. */
export function explainBm25(
  what: string,
  similarity: Similarity,
  boost: number,
  idf: Explanation,
  frequency: number,
  normByte: number,
  field: FieldStatistics,
): Explanation {
  const weight = termWeight(similarity, boost, idf.value);
  const inverse = inverseNorms(similarity, field)[normByte]!;
  const boostValue = scaledBoost(similarity, boost);
  const leaf = (value: number, description: string): Explanation => ({ value, description, details: [] });
  const tf = fround(1 - fround(1 / fround(1 + fround(frequency * inverse))));
  return {
    value: bm25(weight, frequency, inverse),
    description: `score(freq=${javaFloat(frequency)}), computed as boost * idf * tf from:`,
    details: [
      ...(boostValue === 1 ? [] : [leaf(boostValue, 'boost')]),
      idf,
      {
        value: tf,
        description: 'tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:',
        details: [
          leaf(
            frequency,
            what === 'phrase' ? 'phraseFreq=' + javaFloat(frequency) : 'freq, occurrences of term within document',
          ),
          leaf(fround(similarity.k1), 'k1, term saturation parameter'),
          leaf(fround(similarity.b), 'b, length normalization parameter'),
          leaf(decodedLength[normByte]!, `dl, length of field${normByte < 40 ? '' : ' (approximate)'}`),
          leaf(averageLength(field), 'avgdl, average length of field'),
        ],
      },
    ],
  };
}

/** The explanation of an idf. */
export function explainIdf(docFreq: number, docCount: number): Explanation {
  return {
    value: inverseDocumentFrequency(docFreq, docCount),
    description: 'idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:',
    details: [
      { value: docFreq, description: 'n, number of documents containing term', details: [] },
      { value: docCount, description: 'N, total number of documents with field', details: [] },
    ],
  };
}

/** Explains the summed idf of a phrase; terms without documents are left out. */
export function explainSummedIdf(docFreqs: readonly number[], docCount: number): Explanation {
  const details: Explanation[] = [];
  let sum = 0;
  for (const docFreq of docFreqs) {
    if (docFreq === 0) continue;
    const idf = explainIdf(docFreq, Math.max(docCount, docFreq));
    sum += idf.value;
    details.push(idf);
  }
  return { value: fround(sum), description: 'idf, sum of:', details };
}
