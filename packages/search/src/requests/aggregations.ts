// Every aggregation that the API knows, and random ones of them.
import { BUCKET_AGGREGATIONS } from './bucket-aggregations.ts';
import { METRIC_AGGREGATIONS, PIPELINE_AGGREGATIONS } from './metric-aggregations.ts';
import type { Kinds, Words } from './words.ts';

/** By the word for it; each is made whole, with what it needs around it. */
export const AGGREGATIONS: Kinds = { ...BUCKET_AGGREGATIONS, ...METRIC_AGGREGATIONS, ...PIPELINE_AGGREGATIONS };

/** Makes an aggregation. @param depth how deep others stand in it at most */
export function randomAggregation(words: Words, depth: number): object {
  return aggregationOf(words, words.kind(AGGREGATIONS), depth);
}

/** Makes one of a kind. */
export function aggregationOf(words: Words, kind: string, depth: number): object {
  const plain = depth > 0 ? AGGREGATIONS : METRIC_AGGREGATIONS;
  return words.make(AGGREGATIONS[kind]!, () => aggregationOf(words, words.kind(plain), depth - 1)) as object;
}
