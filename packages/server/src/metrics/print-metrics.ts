// Prints measurements in Prometheus' text format (exposition format 0.0.4).

/** One measurement of a family. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A measurement with all its labels. */
export interface Family {
  /** With full unit names: `http_request_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly Sample[];
}

/** Number of values up to each bound. */
export interface Distribution {
  readonly labels: Readonly<Record<string, string>>;
  /** One more than bounds: the last counts values above all of them. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** A family of histograms. */
export interface HistogramFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'histogram';
  readonly bounds: readonly number[];
  readonly distributions: readonly Distribution[];
}

/** A gauge with one value. */
export function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [{ value }] };
}

export function counter(name: string, help: string, value: number): Family {
  return { name, help, type: 'counter', samples: [{ value }] };
}

/** Media type of the output. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function printMetrics(families: readonly (Family | HistogramFamily)[]): string {
  const lines: string[] = [];
  for (const family of families) {
    const { name, help, type } = family;
    lines.push(`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`);
    if (family.type === 'histogram') {
      for (const distribution of family.distributions) lines.push(...printDistribution(family, distribution));
    } else {
      for (const { labels, value } of family.samples) lines.push(`${name}${printLabels(labels)} ${printNumber(value)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function printDistribution({ name, bounds }: HistogramFamily, { labels, counts, sum }: Distribution): string[] {
  let total = 0;
  const lines = counts.map((count, place) => {
    total += count;
    const le = place < bounds.length ? printNumber(bounds[place]!) : '+Inf';
    return `${name}_bucket${printLabels({ ...labels, le })} ${total}`;
  });
  return [
    ...lines,
    `${name}_sum${printLabels(labels)} ${printNumber(sum)}`,
    `${name}_count${printLabels(labels)} ${total}`,
  ];
}

function printLabels(labels: Sample['labels']): string {
  const entries = Object.entries(labels ?? {});
  if (entries.length === 0) return '';
  const escaped = (value: string): string =>
    value
      .replaceAll('\\', '\\\\')
      .replaceAll('"', String.raw`\"`)
      .replaceAll('\n', '\\n');
  return `{${entries.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`;
}

function printNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}
