// `top_metrics`: some values of the first documents of each bucket in one order, without the documents themselves.
import type { Aggregator, SegmentScope } from './aggregator.ts';
import { type MetricAggregation, integer, type Reader } from './definition.ts';
import { columnField } from '../columns/values.ts';
import { FirstOf } from '../collect/first-of.ts';
import { hasBit } from '../index/bits.ts';
import type { SortValue } from '../collect/search-request.ts';
import { asObject, asString, checkKeys, toList } from '../json/json.ts';
import { isNumeric, type MappedField, printNumber, printTerm, toNumber, toTerm } from '../mapping/field-type.ts';
import { tick } from '../tasks/request-budget.ts';
import { illegalArgument, shardArgument } from '../errors/request-error.ts';
import { ownSortReader } from '../sort/own-sort-reader.ts';
import { compareSort, type ResolvedSort } from '../sort/resolved-sort.ts';
import { readSortKeys } from '../sort/sort.ts';
import { byId } from './by-id.ts';
import { NOT_OPEN } from './on-cluster.ts';

/** Documents of one bucket at most: Elasticsearch's `index.top_metrics_max_size`. */
const MOST = 10;

/** Metrics of one aggregation at most: each is read for every document that is shown. */
const MOST_METRICS = 100;

interface Metric {
  readonly field: string;
  readonly missing: unknown;
}

interface Entry {
  readonly scope: SegmentScope;
  readonly doc: number;
  readonly sort: ResolvedSort;
  readonly value: SortValue;
}

const read: Reader = ({ name, meta, body }): Aggregator => {
  for (const key of ['metrics', 'sort'])
    if (body[key] === undefined || body[key] === null)
      throw illegalArgument(`Required [${key}] in the top_metrics aggregation [${name}]`);
  const metrics = toList(body['metrics']).map(readMetric);
  if (metrics.length > MOST_METRICS)
    throw illegalArgument(
      `[metrics] of [${name}] has [${metrics.length}] entries, which is more than the limit of [${MOST_METRICS}]`,
    );
  if (toList(body['sort']).length !== 1) throw illegalArgument('[sort] must contain exactly one sort');
  const size = integer(body, 'size', 1);
  if (size < 1) throw illegalArgument(`[size] must be more than 0 but was [${size}]`);
  if (size > MOST) throw shardArgument(`[top_metrics.size] must not be more than [${MOST}] but was [${size}]`);
  const kept: (FirstOf<Entry> | undefined)[] = [];
  return {
    name,
    typeName: 'top_metrics',
    meta,
    needsScores: toList(body['sort']).some((each) => JSON.stringify(each).includes('_score')),
    open(scope) {
      const [sort] = readSortKeys(body['sort'], scope.context);
      if (sort === undefined) throw illegalArgument(`[top_metrics] of [${name}] needs a sort key`);
      checkSort(sort, name, scope);
      for (const { field } of metrics) metricField(field, scope);
      const read = ownSortReader(sort, scope);
      return (doc, bucket) => {
        const value = read(doc, scope.score);
        tick(256);
        (kept[bucket] ??= new FirstOf(size, compareEntries)).offer({ scope, doc, sort, value });
      };
    },
    result: (bucket) => ({
      top: (kept[bucket]?.sorted() ?? []).map(({ scope, doc, sort, value }) => ({
        sort: [shownSort(sort, value, scope)],
        metrics: Object.fromEntries(metrics.map((each) => [each.field, metricValue(each, scope, doc)])),
      })),
    }),
  };
};

function readMetric(json: unknown): Metric {
  const body = asObject(json, 'metrics');
  checkKeys(body, 'metrics', ['field', 'missing']);
  return { field: asString(body['field'], 'metrics.field'), missing: body['missing'] };
}

function compareEntries(a: Entry, b: Entry): number {
  const { key } = a.sort;
  const compared = compareSort(
    a.sort.across === undefined ? a.value : a.sort.across(a.value),
    b.sort.across === undefined ? b.value : b.sort.across(b.value),
    key.kind === 'field' ? key.missing : undefined,
    key.kind === 'score' ? key.order !== 'asc' : key.order === 'desc',
  );
  return compared === 0 ? byId(a, b) : compared;
}

/** @throws RequestError for an order by texts */
function checkSort({ key }: ResolvedSort, name: string, { context }: SegmentScope): void {
  const isText = key.kind === 'id' || key.kind === 'key' || (key.kind === 'field' && key.type === 'keyword');
  if (isText || key.kind === 'doc')
    throw shardArgument(
      `The top_metrics aggregation [${name}] of index [${context.index}] cannot be sorted by [${key.kind === 'field' ? key.field : `_${key.kind}`}]: only numbers, dates, distances and scores are supported`,
    );
}

function shownSort(sort: ResolvedSort, value: SortValue, { mapping }: SegmentScope): unknown {
  const { key } = sort;
  const field = key.kind === 'field' ? mapping.field(key.field) : undefined;
  // Dates are printed in the format of their field, unlike sort values of hits, which are milliseconds.
  if (typeof value === 'number' && field?.family === 'date') return printNumber(field, value);
  return sort.show(value);
}

function metricField(path: string, scope: SegmentScope): MappedField | undefined {
  const field = columnField(path, scope.mapping);
  if (field !== undefined && (field.family === 'geo' || field.family === 'range'))
    throw shardArgument(`Field [${path}] of type [${field.type}] is not supported for aggregation [top_metrics]`);
  return field;
}

/** The value of a document, the lowest of several. */
function metricValue({ field: path, missing }: Metric, scope: SegmentScope, doc: number): unknown {
  const field = metricField(path, scope);
  if (field === undefined) return missing ?? null;
  if (isNumeric(field)) {
    const column = scope.segment.number(field.path);
    const value = column === undefined ? undefined : first(column, column.values, doc);
    if (value !== undefined) return shownNumber(field, value);
    return missing === undefined ? null : shownNumber(field, toNumber(field, missing));
  }
  const column = scope.segment.keyword(field.path);
  const entry = column && first(column, column.ordinals, doc);
  if (column !== undefined && entry !== undefined && entry > 0) return printTerm(field, column.terms.term(entry - 1));
  return missing === undefined ? null : printTerm(field, toTerm(field, missing));
}

function shownNumber(field: MappedField, value: number): unknown {
  if (field.family === 'boolean') return value === 1;
  return field.family === 'date' ? printNumber(field, value) : value;
}

function first(
  { starts, exists }: { readonly starts?: Uint32Array | undefined; readonly exists?: Int32Array | undefined },
  values: ArrayLike<number>,
  doc: number,
): number | undefined {
  if (starts !== undefined) return starts[doc] === starts[doc + 1] ? undefined : values[starts[doc]!];
  if (exists !== undefined && !hasBit(exists, doc)) return undefined;
  return values[doc];
}

export const topMetrics: MetricAggregation = {
  kind: 'metric',
  cluster: NOT_OPEN,
  numbers: () => true,
  options: ['metrics', 'sort', 'size'],
  read,
};
