// Every aggregation that the API knows, and random ones of them.
import { BUCKET_AGGREGATIONS } from './bucket-aggregations.ts';
import { METRIC_AGGREGATIONS } from './metric-aggregations.ts';
import { PIPELINE_AGGREGATIONS, PIPELINES_THAT_COMPUTE } from './pipeline-aggregations.ts';
import type { Kinds, Make, Words } from './words.ts';

/** By the word for it; each is made whole, with what it needs around it. */
export const AGGREGATIONS: Kinds = {
  ...BUCKET_AGGREGATIONS,
  ...METRIC_AGGREGATIONS,
  ...PIPELINE_AGGREGATIONS,
};

/** Makes an aggregation. @param depth how deep others stand in it at most */
export function randomAggregation(words: Words, depth: number): object {
  return aggregationOf(words, words.kind(AGGREGATIONS), depth);
}

const OTHER_PIPELINES: readonly Make[] = [1, 2].map(
  () => (w, inner) =>
    w.random.pick(
      Object.entries(PIPELINE_AGGREGATIONS).flatMap(([kind, { risky = [] }]) =>
        PIPELINES_THAT_COMPUTE.includes(kind) ? [] : risky,
      ),
    )(w, inner),
);

const RISKY: readonly Make[] = [
  ...Object.values({ ...BUCKET_AGGREGATIONS, ...METRIC_AGGREGATIONS }).flatMap(({ risky = [] }) => risky),
  // What all other pipelines get wrong is the same.
  ...OTHER_PIPELINES,
  ...PIPELINES_THAT_COMPUTE.flatMap((kind) => AGGREGATIONS[kind]?.risky ?? []),
];

/** Makes one that fails on what documents hold. */
export function riskyAggregation(words: Words): object {
  return words.random.pick(RISKY)(words, () => randomAggregation(words.careful(), 0)) as object;
}

/** Makes one of a kind. */
export function aggregationOf(words: Words, kind: string, depth: number): object {
  const plain = depth > 0 ? AGGREGATIONS : METRIC_AGGREGATIONS;
  return words.make(AGGREGATIONS[kind]!, () => aggregationOf(words, words.kind(plain), depth - 1)) as object;
}
