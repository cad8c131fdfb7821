// `matrix_stats`: how several fields of numbers are spread, each alone and with each other. The recurrences are Elasticsearch's
// (RunningStats), to the last bit. Of a filtered index the rows go through them in the order of their values, so that an answer tells
// nothing of the order of the index.
import { hasColumn, isNumeric, toNumber } from '../mapping/field-type.ts';
import type { Json } from '../json/json.ts';
import { inHashOrder } from '../text/java-order.ts';
import { tick } from '../tasks/request-budget.ts';
import { aggregationError } from '../errors/request-error.ts';
import { joinValues } from '../collect/sort-values.ts';
import type { Aggregator, SegmentScope } from './aggregator.ts';
import { onShard } from './value-type.ts';
import { columnField, numbers } from '../columns/values.ts';

/** Which of several values of a document counts. */
export type Mode = 'avg' | 'min' | 'max' | 'sum' | 'median';

/** Options. */
export interface MatrixOptions {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly fields: readonly string[];
  readonly mode: Mode;
  /** Stand-ins for documents without a value, by field. */
  readonly missing: Json;
}

type ReadOne = (doc: number) => number | undefined;

/** Creates the aggregation. Documents that lack one of the fields are skipped. */
export function matrixStatsAggregator({ name, meta, fields: given, mode, missing }: MatrixOptions): Aggregator {
  let fields: readonly string[] = [];
  const rows: (Float64Array[] | undefined)[] = [];
  let isFiltered = false;
  return {
    name,
    typeName: 'matrix_stats',
    meta,
    needsScores: false,
    open(scope) {
      // Fields that no mapping lists are left out, unless documents are to have values there: those are texts.
      const known = inHashOrder([...new Set(given)]).filter(
        (field) => missing[field] !== undefined || scope.mapping.field(field) !== undefined,
      );
      // Also where there is nothing to read, in the order in which a map as large as the fields gives them.
      fields = inHashOrder(known, 2 ** Math.ceil(Math.log2(Math.max(1, known.length))));
      const readers = fields.map((field) => reader(field, mode, missing[field], scope));
      const opened = readers.filter((each) => each !== undefined);
      if (fields.length === 0 || opened.length < readers.length) return undefined;
      isFiltered ||= scope.searcher.tiesById === true;
      return (doc, bucket) => {
        const row = new Float64Array(fields.length);
        for (const [at, read] of opened.entries()) {
          const value = read(doc);
          if (value === undefined) return;
          row[at] = value;
        }
        tick(256);
        (rows[bucket] ??= []).push(row);
      };
    },
    result(bucket) {
      const found = rows[bucket];
      return found === undefined ? { doc_count: 0 } : printMatrix(fields, isFiltered ? found.toSorted(inOrder) : found);
    },
  };
}

function reader(name: string, mode: Mode, missing: unknown, scope: SegmentScope): ReadOne | undefined {
  const isRange = scope.mapping.field(name)?.family === 'range';
  const field = isRange ? undefined : columnField(name, scope.mapping);
  if (field === undefined || !isNumeric(field) || !hasColumn(field))
    throw aggregationError(`The values of [${name}] are no numbers, which matrix_stats is not supported for`);
  const fallback = missing === undefined ? undefined : onShard(() => toNumber(field, missing));
  const each = numbers(scope, field, fallback);
  if (each === undefined) {
    const constant = fallback;
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
  for (const row of rows) {
    tick(64 * width * width);
    count++;
    for (let at = 0; at < width; at++) {
      const value = row[at]!;
      sums[at]! += value;
      const d = value - means[at]!;
      const dn = d / count;
      const t = d * dn * (count - 1);
      const dn2 = dn * dn;
      m4[at]! += t * dn2 * (count * count - 3 * count + 3) + 6 * dn2 * m2[at]! - 4 * dn * m3[at]!;
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
  const correlation = (a: number, b: number): number => {
    const [x, y] = [variance(a), variance(b)];
    return x === 0 || y === 0 ? Number.NaN : covariance(a, b) / (Math.sqrt(x) * Math.sqrt(y));
  };
  const byField = (of: (other: number) => number): Json =>
    Object.fromEntries(order.map((other) => [fields[other]!, shown(of(other))]));
  const order = inHashOrder(fields).map((name) => fields.indexOf(name));
  return {
    doc_count: count,
    fields: order.map((at) => ({
      name: fields[at]!,
      count,
      mean: means[at]!,
      variance: shown(variance(at)),
      skewness: shown((Math.sqrt(count) * m3[at]!) / m2[at]! ** 1.5),
      kurtosis: shown((count * m4[at]!) / (m2[at]! * m2[at]!)),
      covariance: byField((other) => covariance(at, other)),
      correlation: byField((other) => (at === other ? 1 : correlation(at, other))),
    })),
  };
}

/** As Elasticsearch prints what is no number: by its name. */
function shown(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
