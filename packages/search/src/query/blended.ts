// The document frequencies that terms of several fields share in `cross_fields`: Elasticsearch's BlendedTermQuery.
import { countBits } from '../index/bits.ts';
import type { Statistics } from './statistics.ts';

/** How many documents have each of the words, for the score: about as many as have the most frequent one. */
export function blendedDocFreqs(
  words: readonly { readonly field: string; readonly term: string }[],
  statistics: Statistics,
): readonly number[] {
  const docFreqs = words.map(({ field, term }) => statistics.docFreq(field, term));
  const most = Math.max(0, ...docFreqs);
  if (words.length < 2 || most === 0) return docFreqs;
  let documents = documentCount(statistics);
  words.forEach(({ field }, at) => {
    if (docFreqs[at]! > 0) documents = Math.min(documents, statistics.field(field).sumTotalTermFreq);
  });
  // The more frequent a word is in its field, the lower its frequency is taken: a small bias towards the usual field.
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

/** The documents that there are for the caller. */
export function documentCount(statistics: Statistics): number {
  return statistics.segments.reduce((sum, segment) => {
    const visible = statistics.visible(segment);
    return sum + (visible === undefined ? segment.docCount : countBits(visible));
  }, 0);
}
