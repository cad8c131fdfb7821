// `matrix_stats`: how several fields of numbers are spread, each alone and with each other. The recurrences are Elasticsearch's
// (RunningStats); the rows go through them in the order of their values, so that an answer tells nothing of the order of the index.
import { hasColumn, isNumeric, toNumber } from '../mapping/field-type.ts';
import type { Json } from '../json.ts';
import { spend } from '../request-budget.ts';
import { joinValues } from '../collect/sort-values.ts';
import type { Aggregator, SegmentScope } from './aggregator.ts';
import { columnField, numbers, unsuitable } from './values.ts';

/** Which of several values of a document counts. */
export type Mode = 'avg' | 'min' | 'max' | 'sum' | 'median';

/** What it is asked for. */
export interface MatrixOptions {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly fields: readonly string[];
  readonly mode: Mode;
  /** Stand-ins for documents without a value, by field. */
  readonly missing: Json;
}

type ReadOne = (doc: number) => number | undefined;

/** Makes the aggregation. A document without a value in one of the fields is left out. */
export function matrixStatsAggregator({ name, meta, fields, mode, missing }: MatrixOptions): Aggregator {
  const rows: (Float64Array[] | undefined)[] = [];
  return {
    name,
    typeName: 'matrix_stats',
    meta,
    needsScores: false,
    open(scope) {
      const readers = fields.map((field) => reader(field, mode, missing[field], scope));
      if (readers.some((each) => each === undefined)) return undefined;
      return (doc, bucket) => {
        const row = new Float64Array(fields.length);
        for (const [at, read] of readers.entries()) {
          const value = read!(doc);
          if (value === undefined) return;
          row[at] = value;
        }
        spend(256);
        (rows[bucket] ??= []).push(row);
      };
    },
    result(bucket) {
      const found = rows[bucket];
      return found === undefined ? { doc_count: 0 } : printMatrix(fields, found);
    },
  };
}

function reader(name: string, mode: Mode, missing: unknown, scope: SegmentScope): ReadOne | undefined {
  const field = columnField(name, scope.mapping);
  if (field === undefined) {
    if (missing === undefined) return undefined;
    const constant = Number(missing);
    return () => constant;
  }
  if (!isNumeric(field) || !hasColumn(field)) throw unsuitable(field, name, 'matrix_stats');
  const each = numbers(scope, field, missing);
  if (each === undefined) {
    const constant = missing === undefined ? undefined : toNumber(field, missing);
    return constant === undefined ? undefined : () => constant;
  }
  const values: number[] = [];
  return (doc) => {
    values.length = 0;
    each(doc, (value) => values.push(value));
    return values.length === 0 ? undefined : joinValues(values, mode);
  };
}

function inOrder(a: Float64Array, b: Float64Array): number {
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!;
  return 0;
}

function printMatrix(fields: readonly string[], rows: readonly Float64Array[]): Json {
  const width = fields.length;
  const zeros = (): Float64Array => new Float64Array(width);
  const [sums, means, m2, m3, m4] = [zeros(), zeros(), zeros(), zeros(), zeros()];
  const joint = fields.map(zeros);
  let count = 0;
  for (const row of rows.toSorted(inOrder)) {
    spend(64 * width * width);
    count++;
    for (let at = 0; at < width; at++) {
      const value = row[at]!;
      sums[at]! += value;
      const d = value - means[at]!;
      const dn = d / count;
      const t = d * dn * (count - 1);
      m4[at]! += t * dn * dn * (count * count - 3 * count + 3) + 6 * dn * dn * m2[at]! - 4 * dn * m3[at]!;
      m3[at]! += t * dn * (count - 2) - 3 * dn * m2[at]!;
      m2[at]! += t;
      means[at]! += dn;
    }
    if (count === 1) continue;
    const factor = 1 / (count * (count - 1));
    for (let a = 0; a < width; a++) {
      const delta = row[a]! * count - sums[a]!;
      for (let b = a + 1; b < width; b++) joint[a]![b]! += factor * delta * (row[b]! * count - sums[b]!);
    }
  }
  const variance = (at: number): number => m2[at]! / (count - 1);
  const covariance = (a: number, b: number): number =>
    a === b ? variance(a) : joint[Math.min(a, b)]![Math.max(a, b)]! / (count - 1);
  const byField = (of: (other: number) => number): Json =>
    Object.fromEntries(fields.map((field, other) => [field, shown(of(other))]));
  return {
    doc_count: count,
    fields: fields.map((name, at) => ({
      name,
      count,
      mean: means[at]!,
      variance: shown(variance(at)),
      skewness: shown((Math.sqrt(count) * m3[at]!) / m2[at]! ** 1.5),
      kurtosis: shown((count * m4[at]!) / (m2[at]! * m2[at]!)),
      covariance: byField((other) => covariance(at, other)),
      correlation: byField((other) =>
        at === other ? 1 : covariance(at, other) / (Math.sqrt(variance(at)) * Math.sqrt(variance(other))),
      ),
    })),
  };
}

/** As Elasticsearch prints what is no number: by its name. */
function shown(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
