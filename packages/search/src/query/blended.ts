// Elasticsearch's BlendedTermQuery: terms of several fields share their document frequency (`cross_fields`).
import { countBits } from '../index/bits.ts';
import type { FieldStatistics } from './bm25.ts';
import type { BlendedQuery } from './kinds/term.ts';
import type { Query } from './query.ts';
import type { Statistics } from './statistics.ts';

const { fround } = Math;

/** The numbers of the documents that a caller sees, of which scores are made. */
export interface Frequencies {
  docFreq(field: string, term: string): number;
  field(field: string): FieldStatistics;
  /** How many documents the caller can see. */
  documents(): number;
}

/** Expands to a disjunction of which the best clause counts. */
export function expandBlended(query: BlendedQuery, statistics: Statistics): Query {
  return expandBlendedBy(query, {
    docFreq: (field, term) => statistics.docFreq(field, term),
    field: (field) => statistics.field(field),
    documents: () => documentCount(statistics),
  });
}

/** As `expandBlended`, by counts from elsewhere. */
export function expandBlendedBy({ cutoff, tieBreaker = 0, words }: BlendedQuery, statistics: Frequencies): Query {
  const docFreqs = blendedDocFreqs(words, statistics);
  const queries = words.map(({ boost = 1, field, term }, at): Query => ({
    kind: 'term',
    field,
    term,
    docFreq: docFreqs[at]!,
    ...(boost === 1 ? {} : { boost: fround(boost) }),
  }));
  if (cutoff !== undefined) {
    const documents = statistics.documents();
    const isFrequent = words.map(({ field, term }) => isCommon(statistics.docFreq(field, term), cutoff, documents));
    return byFrequency(queries, isFrequent);
  }
  return queries.length === 1 ? queries[0]! : { kind: 'dis_max', queries, tieBreaker };
}

/** Words of which the common ones only weigh, unless all are common (BlendedTermQuery.commonTermsBlendedQuery). */
function byFrequency(queries: readonly Query[], isFrequent: readonly boolean[]): Query {
  const rare: Query = { kind: 'boolean', should: queries.filter((_, at) => !isFrequent[at]) };
  const common = queries.filter((_, at) => isFrequent[at]);
  if (common.length === 0) return rare;
  if (common.length === queries.length) return { kind: 'boolean', must: common };
  return { kind: 'boolean', must: [rare], should: [{ kind: 'boolean', should: common }] };
}

/** Whether a word of so many documents is common. @param cutoff a number from 1 on, below it a share of the documents */
export function isCommon(docFreq: number, cutoff: number, documents: number): boolean {
  return docFreq > (cutoff >= 1 ? cutoff : Math.ceil(fround(fround(cutoff) * documents)));
}

/** The document frequency of each word for its score: about that of the most frequent one. */
function blendedDocFreqs(
  words: readonly { readonly field: string; readonly term: string }[],
  statistics: Frequencies,
): readonly number[] {
  const docFreqs = words.map(({ field, term }) => statistics.docFreq(field, term));
  const most = Math.max(0, ...docFreqs);
  if (words.length < 2 || most === 0) return docFreqs;
  let documents = statistics.documents();
  words.forEach(({ field }, at) => {
    if (docFreqs[at]! > 0) documents = Math.min(documents, statistics.field(field).sumTotalTermFreq);
  });
  // A word that is more frequent in its field gets a lower frequency: a small bias towards the usual field.
  const byFrequency = docFreqs.map((_, at) => at).sort((a, b) => docFreqs[b]! - docFreqs[a]!);
  const blended = [...docFreqs];
  let before = docFreqs[byFrequency[0]!]!;
  let shared = Math.min(documents, most);
  for (const at of byFrequency) {
    const own = docFreqs[at]!;
    if (own === 0) break;
    if (before > own) shared++;
    blended[at] = Math.min(documents, shared);
    before = own;
  }
  return blended;
}

/** How many documents the caller can see. */
export function documentCount(statistics: Statistics): number {
  return statistics.segments.reduce((sum, segment) => {
    const visible = statistics.visible(segment);
    return sum + (visible === undefined ? segment.docCount : countBits(visible));
  }, 0);
}
