// Every aggregation that the API knows, and random ones of them.
import type { AggregationDefinition } from '../aggs/definition.ts';
import { aggregationTypes, definitionOf, fieldAggregations } from '../aggs/definitions.ts';
import type { Family as MappedFamily } from '../mapping/field-parameters.ts';
import { BUCKET_AGGREGATIONS } from './bucket-aggregations.ts';
import { METRIC_AGGREGATIONS } from './metric-aggregations.ts';
import { besideBuckets, ofHistogram, PIPELINE_AGGREGATIONS, PIPELINES_THAT_COMPUTE } from './pipeline-aggregations.ts';
import { renamed } from './queries.ts';
import type { Family } from './surface.ts';
import type { Kind, Kinds, Make, Words } from './words.ts';

/** What a family of fields is called here. */
const FAMILIES: Readonly<Partial<Record<MappedFamily, Family>>> = { geo: 'geo_point' };
const ALL = ['text', 'keyword', 'number', 'date', 'boolean', 'ip', 'range', 'geo'] as const satisfies MappedFamily[];

/** One that takes a field of some families and needs nothing more. */
function ofField(type: string, values: readonly MappedFamily[]): Kind {
  const fieldOf = (w: Words, families: readonly MappedFamily[]): string => {
    const family = w.random.pick(families);
    return family === 'keyword'
      ? w.keyword()
      : family === 'number'
        ? w.number()
        : w.of(FAMILIES[family] ?? (family as Family));
  };
  const others = ALL.filter((family) => !values.includes(family));
  return {
    right: [(w) => ({ [type]: { field: fieldOf(w, values) } })],
    wrong: [
      (w) => ({ [type]: { field: fieldOf(w, others) } }),
      (w) => ({ [type]: { field: fieldOf(w, values), missing: w.word() } }),
      (w) => ({ [type]: { script: `doc['${fieldOf(w, values)}'].value` } }),
    ],
  };
}

/** One without requests of its own: its sample, or nothing but a field or a path. */
export function ofDefinition(type: string, definition: AggregationDefinition): Kind {
  switch (definition.kind) {
    case 'sibling':
      return besideBuckets(type, definition.sample);
    case 'parent':
      return ofHistogram(type, definition.sample ?? {});
    default: {
      const sample = definition.kind === 'refused' ? {} : (definition.sample ?? {});
      return { right: [(w) => ({ [type]: renamed(sample, w) })], wrong: [() => ({ [type]: { absent: 1 } })] };
    }
  }
}

/** By the word for it; each is made whole, with what it needs around it. */
const OWN: Kinds = {
  ...Object.fromEntries(fieldAggregations().map(([type, values]) => [type, ofField(type, values)])),
  ...BUCKET_AGGREGATIONS,
  ...METRIC_AGGREGATIONS,
  ...PIPELINE_AGGREGATIONS,
};

/** Those without requests of their own come from their definitions. */
export const AGGREGATIONS: Kinds = {
  ...OWN,
  ...Object.fromEntries(
    aggregationTypes().supported.flatMap((type) => {
      const definition = definitionOf(type);
      return definition === undefined || Object.hasOwn(OWN, type) ? [] : [[type, ofDefinition(type, definition)]];
    }),
  ),
};

/** Those that nothing stands in. */
const METRICS: Kinds = Object.fromEntries(
  Object.entries(AGGREGATIONS).filter(([type]) => definitionOf(type)?.kind === 'metric'),
);

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
  const plain = depth > 0 ? AGGREGATIONS : METRICS;
  return words.make(AGGREGATIONS[kind]!, () => aggregationOf(words, words.kind(plain), depth - 1)) as object;
}
