// Which aggregations there are: one definition each.
import { isKeyOf } from '@lockstitch/kernel';
import { refused as refusedOnCluster, type Verdict } from '../query/cluster/verdict.ts';
import { topMetrics } from './top-metrics.ts';
import type { Json } from '../json/json.ts';
import type { Family } from '../mapping/field-parameters.ts';
import type { AggregationDefinition, BucketCount } from './definition.ts';
import { JOINING_PIPELINES } from './joining-pipelines.ts';
import { PARENT_PIPELINES } from './parent-pipelines.ts';
import { rate } from './rate.ts';
import { COMPARISONS } from './read-comparisons.ts';
import { COMPOSITE } from './read-composite.ts';
import { DEFERRED } from './read-deferred.ts';
import { FILTERS } from './read-filters.ts';
import { GEO_GRIDS } from './read-geo-grid.ts';
import { HISTOGRAMS } from './read-histograms.ts';
import { METRICS } from './read-metrics.ts';
import { RANGES } from './read-ranges.ts';
import { TERMS_AGGREGATIONS } from './read-terms.ts';
import { SCRIPT_PIPELINES } from './script-pipelines.ts';
import { SIBLING_PIPELINES } from './sibling-pipelines.ts';

const refused = { kind: 'refused' } as const;

/** By the word for it in requests. */
const AGGREGATIONS = {
  ...METRICS,
  ...COMPARISONS,
  rate,
  top_metrics: topMetrics,
  top_hits: {
    kind: 'metric',
    cluster: refusedOnCluster(
      'its hits would have to be masked and told apart in each bucket; ask for the hits of a bucket',
    ),
    isReadByHand: true,
    read: ({ name, meta, body, setup }) => setup.topHits(name, meta, body),
  },
  ...TERMS_AGGREGATIONS,
  ...HISTOGRAMS,
  ...RANGES,
  ...GEO_GRIDS,
  ...COMPOSITE,
  ...DEFERRED,
  ...FILTERS,
  ...SIBLING_PIPELINES,
  ...PARENT_PIPELINES,
  ...SCRIPT_PIPELINES,
  ...JOINING_PIPELINES,
  scripted_metric: refused,
  children: refused,
  parent: refused,
  inference: refused,
} as const satisfies Readonly<Record<string, AggregationDefinition>>;

type Name = keyof typeof AGGREGATIONS;

/** The names of the aggregations of some kinds; by default of all that are there. */
export type AggregationType<Kind extends AggregationDefinition['kind'] = 'metric' | 'bucket' | 'sibling' | 'parent'> = {
  [Each in Name]: (typeof AGGREGATIONS)[Each]['kind'] extends Kind ? Each : never;
}[Name];

/** The definition of an aggregation; undefined: Elasticsearch has none of this name. */
export function definitionOf(type: string): AggregationDefinition | undefined {
  return isKeyOf(AGGREGATIONS, type) ? AGGREGATIONS[type] : undefined;
}

/** How many buckets an aggregation makes in each bucket above; undefined: none. */
export function bucketCountOf(type: string): BucketCount | undefined {
  const definition = definitionOf(type);
  return definition?.kind === 'bucket' ? definition.makes : undefined;
}

/** The families of fields that an aggregation takes, by its name, where it needs nothing but a field. */
export function fieldAggregations(): readonly (readonly [string, readonly Family[]])[] {
  return Object.keys(AGGREGATIONS).flatMap((type) => {
    const definition = definitionOf(type);
    const values = definition !== undefined && 'values' in definition ? definition.values : undefined;
    return values === undefined ? [] : [[type, values] as const];
  });
}

/** The queries that stand in the body of an aggregation. */
export function queriesIn(type: string, body: Json): readonly unknown[] {
  const definition = definitionOf(type);
  return definition === undefined || !('queries' in definition) ? [] : (definition.queries?.(body) ?? []);
}

/** The names of those that are there, and of those that Elasticsearch has besides. */
export function aggregationTypes(): { readonly supported: readonly string[]; readonly refused: readonly string[] } {
  const names = Object.keys(AGGREGATIONS).sort();
  const isRefused = (name: string): boolean => definitionOf(name)?.kind === 'refused';
  return { supported: names.filter((name) => !isRefused(name)), refused: names.filter(isRefused) };
}

/** What a search cluster may be asked of those that are there. */
export function clusterVerdicts(): Readonly<Record<string, Verdict>> {
  return Object.fromEntries(
    Object.entries<AggregationDefinition>(AGGREGATIONS).flatMap(([name, definition]) =>
      definition.kind === 'refused' ? [] : [[name, definition.cluster]],
    ),
  );
}
