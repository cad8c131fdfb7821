// `variable_width_histogram`: at most as many buckets as requested, each of near numbers. All numbers are kept until the end; then neighbours
// are merged, the nearest first (InternalVariableWidthHistogram.reduce).
import type { Json } from '../json/json.ts';
import type { Print } from './definition.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { checkTime, tick } from '../tasks/request-budget.ts';
import { type Aggregator, type BucketBudget, Buckets, type Collect, type SegmentScope } from './aggregator.ts';
import { columnField, numbers, unsuitable } from '../columns/values.ts';

/** Options. */
export interface VariableWidthOptions {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly field: string;
  readonly missing: unknown;
  readonly buckets: number;
  /** Clusters that the joining begins with at most. */
  readonly clusters: number;
  readonly print: Print | undefined;
  readonly typedKeys: boolean;
}

interface Numbered {
  readonly scope: SegmentScope;
  readonly score: number;
  readonly show: Collect;
  readonly doc: number;
  readonly value: number;
}

/** Numbers that lie together. */
interface Cluster {
  centroid: number;
  count: number;
  min: number;
  max: number;
}

/** Makes the histogram. */
export function variableWidthAggregator(
  options: VariableWidthOptions,
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const kept: (Numbered[] | undefined)[] = [];
  let of: MappedField | undefined;
  const shown = (key: string, value: number): Json => ({
    [key]: value,
    ...(options.print === undefined ? {} : { [`${key}_as_string`]: options.print(value, of) }),
  });
  return {
    name: options.name,
    typeName: 'variable_width_histogram',
    meta: options.meta,
    buckets,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const field = columnField(options.field, scope.mapping);
      if (field === undefined) return undefined;
      if (!isPlainNumber(field)) throw unsuitable(field, options.field, 'variable_width_histogram');
      of = field;
      const each = numbers(scope, field, options.missing);
      if (each === undefined) return buckets.skip(scope);
      const show = buckets.open(scope);
      return (doc, owner) => {
        const found = (kept[owner] ??= []);
        let last = Number.NaN;
        each(doc, (value) => {
          if (value !== last) found.push({ scope, score: scope.score, show, doc, value });
          last = value;
        });
        tick(128);
      };
    },
    result(owner) {
      const found = kept[owner];
      if (found === undefined) return { buckets: [] };
      checkTime();
      const values = Float64Array.from(found, ({ value }) => value).sort();
      const clusters = joined(clustersOf(values, options.clusters), options.buckets);
      const made = clusters.map(() => buckets.add());
      for (const { scope, score, show, doc, value } of found) {
        tick(256);
        // Of the last document otherwise, which depends on the order of the index.
        scope.score = score;
        show(doc, made[clusterOf(clusters, value)]!);
      }
      return {
        buckets: clusters.map(({ min, centroid, max }, at) => ({
          ...shown('min', min),
          ...shown('key', centroid),
          ...shown('max', max),
          ...buckets.print(made[at]),
        })),
      };
    },
  };
}

/** Equal numbers together; and, where there are more of them than allowed, as many numbers in each cluster. */
function clustersOf(values: Float64Array, most: number): Cluster[] {
  const clusters: Cluster[] = [];
  for (const value of values) {
    const last = clusters.at(-1);
    if (last?.max === value) last.count++;
    else clusters.push({ centroid: value, count: 1, min: value, max: value });
    tick(32);
  }
  if (clusters.length <= most) return clusters;
  const size = Math.ceil(values.length / most);
  const larger: Cluster[] = [];
  for (const each of clusters) {
    const last = larger.at(-1);
    if (last !== undefined && last.count < size) join(last, each);
    else larger.push({ ...each });
  }
  return larger;
}

function join(cluster: Cluster, next: Cluster): void {
  const count = cluster.count + next.count;
  cluster.centroid = (cluster.centroid * cluster.count + next.centroid * next.count) / count;
  cluster.count = count;
  cluster.max = next.max;
}

/** Joins the two nearest neighbours, the first of several, until so many are left. */
function joined(clusters: readonly Cluster[], most: number): readonly Cluster[] {
  const left = [...clusters];
  while (left.length > most) {
    tick(8 * left.length);
    let nearest = 0;
    let least = Infinity;
    for (let at = 0; at < left.length - 1; at++) {
      const distance = left[at + 1]!.centroid - left[at]!.centroid;
      if (distance < least) {
        least = distance;
        nearest = at;
      }
    }
    join(left[nearest]!, left[nearest + 1]!);
    left.splice(nearest + 1, 1);
  }
  return left;
}

/** The cluster that a number lies in: the last that begins at or before it. */
function clusterOf(clusters: readonly Cluster[], value: number): number {
  let low = 0;
  let high = clusters.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (clusters[middle]!.min <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

const isPlainNumber = (field: MappedField): boolean => field.family === 'number';
