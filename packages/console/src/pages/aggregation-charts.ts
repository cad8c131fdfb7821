// Shows aggregations: buckets as bar charts, single numbers as figures.
import { type Bar, barChart } from '../ui/bar-chart.ts';
import { h } from '../ui/element.ts';

interface Bucket {
  readonly key?: string | number;
  readonly key_as_string?: string;
  readonly doc_count?: number;
}

interface Aggregation {
  readonly buckets?: readonly Bucket[] | Readonly<Record<string, Bucket>>;
  readonly sum_other_doc_count?: number;
  readonly value?: number | null;
}

/** The member `aggregations` of an answer. */
export type Aggregations = Readonly<Record<string, Aggregation>>;

const MOST_BARS = 24;

/** Draws the aggregations that have buckets or a value. */
export function aggregationCharts(aggregations: Aggregations): readonly HTMLElement[] {
  const charts: HTMLElement[] = [];
  const figures: HTMLElement[] = [];
  for (const [name, aggregation] of Object.entries(aggregations)) {
    if (aggregation.buckets !== undefined) charts.push(drawBuckets(name, aggregation));
    else if (aggregation.value !== undefined) figures.push(figure(name, aggregation.value));
  }
  return [
    ...(figures.length === 0 ? [] : [h('dl', { class: 'figures' }, ...figures)]),
    ...(charts.length === 0 ? [] : [h('div', { class: 'charts' }, ...charts)]),
  ];
}

function drawBuckets(name: string, { buckets = [], sum_other_doc_count: others = 0 }: Aggregation): HTMLElement {
  const bars: Bar[] = Array.isArray(buckets)
    ? (buckets as readonly Bucket[]).map((bucket) => ({
        label: bucket.key_as_string ?? String(bucket.key ?? ''),
        count: bucket.doc_count ?? 0,
      }))
    : Object.entries(buckets as Readonly<Record<string, Bucket>>).map(([label, bucket]) => ({
        label,
        count: bucket.doc_count ?? 0,
      }));
  const cut = bars.slice(MOST_BARS).reduce((sum, { count }) => sum + count, 0);
  const rest = others + cut;
  return barChart(
    name,
    bars.slice(0, MOST_BARS),
    rest === 0 ? undefined : `${rest.toLocaleString('en')} in other values`,
  );
}

function figure(name: string, value: number | null): HTMLElement {
  return h(
    'div',
    { class: 'panel figure' },
    h('dt', {}, name),
    h('dd', {}, value === null ? '–' : value.toLocaleString('en', { maximumFractionDigits: 2 })),
  );
}
