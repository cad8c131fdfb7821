// Sibling pipelines: compute one result from a metric of the buckets of another aggregation, such as `avg_bucket`.
import { asBoolean, asNumber, type Json, toList, tokenOf } from '../json/json.ts';
import { illegalArgument, jsonParsing } from '../errors/request-error.ts';
import { javaDouble } from '../json/java-values.ts';
import type { BucketNumber, SiblingDefinition } from './pipeline.ts';
import { printStats, Stats } from './stats.ts';
import { OF_BUCKETS } from './on-cluster.ts';

const OPTIONS = ['buckets_path', 'gap_policy', 'format'] as const;
const simple = { kind: 'sibling', cluster: OF_BUCKETS, options: OPTIONS, typeName: 'simple_value' } as const;

const total = (found: readonly BucketNumber[]): number => found.reduce((sum, { value }) => sum + value, 0);

/** `min_bucket` and `max_bucket`: the least or greatest value, and the keys of its buckets. */
function extreme(better: (a: number, b: number) => number, none: number): SiblingDefinition {
  return {
    ...simple,
    typeName: 'bucket_metric_value',
    read:
      ({ format }) =>
      (found) => {
        const best = found.reduce((so, { value }) => better(so, value), none);
        return { ...format(best), keys: found.filter(({ value }) => value === best).map(({ key }) => key) };
      },
  };
}

function statsOf(found: readonly BucketNumber[]): Stats {
  const stats = new Stats(true);
  for (const { value } of found) stats.add(value);
  return stats;
}

const readPercentiles: SiblingDefinition['read'] = ({ body, print }) => {
  const percents = (body['percents'] === undefined ? [1, 5, 25, 50, 75, 95, 99] : toList(body['percents'])).map(
    (each) => {
      if (each === null || typeof each === 'object')
        throw jsonParsing(`Current token (${tokenOf(each)}) not numeric, can not use numeric value accessors`);
      return asNumber(each, 'percents');
    },
  );
  if (percents.some((each) => each < 0 || each > 100))
    throw illegalArgument(`percents must only contain non-null doubles from 0.0-100.0 inclusive`);
  const keyed = body['keyed'] === undefined || asBoolean(body['keyed'], 'keyed');
  return (found) => {
    const sorted = found.map(({ value }) => value).sort((a, b) => a - b);
    // The nearest value, without interpolation (PercentilesBucketPipelineAggregator).
    const at = (percent: number): number | null => sorted[Math.round((percent / 100) * (sorted.length - 1))] ?? null;
    const text = (percent: number, key: string): Json => {
      const value = at(percent);
      return print === undefined || value === null ? {} : { [key]: print(value) };
    };
    if (!keyed)
      return {
        values: percents.map((key) => ({ key, value: at(key), ...text(key, `${javaDouble(key)}_as_string`) })),
      };
    const entries = percents.map((percent) => {
      const label = javaDouble(percent);
      return { [label]: at(percent), ...text(percent, `${label}_as_string`) };
    });
    return { values: Object.assign({}, ...entries) };
  };
};

export const SIBLING_PIPELINES = {
  avg_bucket: {
    ...simple,
    read:
      ({ format }) =>
      (found) =>
        format(total(found) / found.length),
  },
  sum_bucket: {
    ...simple,
    read:
      ({ format }) =>
      (found) =>
        format(total(found)),
  },
  min_bucket: extreme(Math.min, Infinity),
  max_bucket: extreme(Math.max, -Infinity),
  stats_bucket: {
    ...simple,
    typeName: 'stats_bucket',
    read:
      ({ print }) =>
      (found) =>
        printStats(statsOf(found), undefined, print),
  },
  extended_stats_bucket: {
    kind: 'sibling',
    cluster: OF_BUCKETS,
    options: [...OPTIONS, 'sigma'],
    typeName: 'extended_stats_bucket',
    read({ body, print }) {
      const sigma = body['sigma'] === undefined ? 2 : asNumber(body['sigma'], 'sigma');
      if (sigma < 0) throw illegalArgument('sigma must be a non-negative double');
      return (found) => printStats(statsOf(found), sigma, print);
    },
  },
  percentiles_bucket: {
    kind: 'sibling',
    cluster: OF_BUCKETS,
    options: [...OPTIONS, 'percents', 'keyed'],
    typeName: 'percentiles_bucket',
    read: readPercentiles,
  },
} as const satisfies Readonly<Record<string, SiblingDefinition>>;
