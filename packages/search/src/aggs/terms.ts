// `terms` and `rare_terms`: one bucket per distinct value of a field. Counts are exact, so `doc_count_error_upper_bound` is 0, or -1 where
// Elasticsearch has no bound.
import { FirstOf } from '../collect/first-of.ts';
import type { Json } from '../json/json.ts';
import type { Print } from './definition.ts';
import { isNumeric, isWhole, type MappedField, printNumber, printTerm, toTerm } from '../mapping/field-type.ts';
import { tick } from '../tasks/request-budget.ts';
import { shardArgument } from '../errors/request-error.ts';
import {
  type Aggregator,
  type BucketBudget,
  Buckets,
  type CollectAll,
  printAll,
  type SegmentScope,
  GAP,
  NO_DOCUMENT,
} from './aggregator.ts';
import { bucketComparison, type OrderedBucket } from './bucket-order.ts';
import { chooseOrdinals } from './count-ordinals.ts';
import { acceptedTerms, TermBuckets, type TermsOptions } from './term-buckets.ts';
import { TermCounts } from './term-counts.ts';
import { columnField, terms } from '../columns/values.ts';

/** Makes a `terms` or `rare_terms` aggregation. */
export function termsAggregator(
  options: TermsOptions,
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  const values = new TermBuckets(options, buckets);
  const counts = new TermCounts(options.filter);
  let field: MappedField | undefined;
  let everNumeric = false;
  let everTerms = false;

  /** Counts only; several segments are joined into buckets at the end. */
  const openCounts = (scope: SegmentScope): CollectAll | undefined => {
    if (children.length > 0 || options.minDocCount === 0 || options.maxDocCount !== undefined) return undefined;
    if (options.missing !== undefined || options.hint !== undefined) return undefined;
    const mapped = columnField(options.field, scope.mapping);
    if (mapped === undefined || mapped.family === 'geo' || isNumeric(mapped)) return undefined;
    const source = terms(scope, mapped, undefined);
    if (source?.column === undefined) return undefined;
    field = mapped;
    everTerms = true;
    return counts.open(scope, source, source.column, acceptedTerms(options, source, mapped));
  };

  return {
    name: options.name,
    get typeName() {
      if (options.maxDocCount !== undefined)
        return field === undefined ? 'umrare' : everTerms ? 'srareterms' : 'lrareterms';
      // Elasticsearch's UnmappedTerms has the name of string terms.
      if (field === undefined) return 'sterms';
      return everTerms ? 'sterms' : field.family === 'number' && !isWhole(field) ? 'dterms' : 'lterms';
    },
    meta: options.meta,
    buckets,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const mapped = columnField(options.field, scope.mapping);
      if (mapped === undefined) {
        const { missing } = options;
        if (missing === undefined) return undefined;
        const inner = buckets.open(scope);
        everTerms ||= typeof missing === 'string';
        return (doc, owner) => inner(doc, values.of(owner, missing as string | number));
      }
      if (mapped.family === 'geo')
        throw shardArgument(`Field [${options.field}] of type [geo_point] is not supported for aggregation [terms]`);
      field = mapped;
      if (isNumeric(mapped)) {
        everNumeric = true;
        return values.openNumbers(scope, mapped);
      }
      everTerms = true;
      if (options.missing !== undefined) toTerm(mapped, options.missing);
      return values.openTerms(scope, mapped);
    },
    openAll: openCounts,
    result(owner) {
      if (everNumeric && everTerms)
        throw shardArgument(
          `Merging/Reducing the aggregations failed when computing the aggregation [${options.name}] because the field you gave in the aggregation query existed as two different types in two different indices`,
        );
      // Between the buckets of a histogram not even terms of no document are shown.
      if (owner === GAP) return { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets: [] };
      if (owner === 0) {
        const isCounted = values.owners.length === 0 && !everNumeric && options.unsureFrom === undefined;
        const quick = isCounted && field !== undefined ? answerOfCounts(counts, field, options, buckets) : undefined;
        if (quick !== undefined) return quick;
      }
      counts.drain((term, count) => {
        const bucket = values.of(0, term);
        // Read afterwards: the array is replaced when it grows.
        buckets.counts[bucket]! += count;
      });
      return answerOfBuckets(values, owner, field, options, buckets);
    },
  };
}

/** Prints the result from counts alone; undefined if they are not enough. */
function answerOfCounts(
  counts: TermCounts,
  field: MappedField,
  options: TermsOptions,
  buckets: Buckets,
): Json | undefined {
  const found = counts.joined(field);
  if (found === undefined) return undefined;
  const { term, counts: byOrdinal, accepts } = found;
  const chosen = chooseOrdinals(byOrdinal, { ...options, accepts });
  if (chosen === undefined) return undefined;
  let shown = 0;
  const printed = chosen.ordinals.map((ordinal) => {
    const count = byOrdinal[ordinal + 1]!;
    shown += count;
    return {
      ...printKey(term(ordinal), field, options.print),
      ...withError(options.showErrors, { ...buckets.print(undefined), doc_count: count }),
    };
  });
  return { doc_count_error_upper_bound: 0, sum_other_doc_count: chosen.eligible - shown, buckets: printed };
}

/** Prints the buckets inside one parent bucket. */
function answerOfBuckets(
  values: TermBuckets,
  owner: number,
  field: MappedField | undefined,
  options: TermsOptions,
  buckets: Buckets,
): Json {
  const { maxDocCount = Infinity } = options;
  const map = values.owners[owner];
  const entries: OrderedBucket[] = [...(map ?? [])].map(([key, bucket]) => ({
    key,
    bucket,
    count: buckets.counts[bucket]!,
  }));
  if (options.minDocCount === 0) {
    for (const key of values.known) {
      tick(128);
      if (map?.has(key) !== true) entries.push({ key, bucket: undefined, count: 0 });
    }
  }
  const eligible = entries.filter(({ count }) => count >= options.minDocCount && count <= maxDocCount);
  const first = new FirstOf(
    options.size,
    bucketComparison(options.order, (bucket) => printAll(buckets.children, bucket ?? NO_DOCUMENT, false)),
  );
  for (const entry of eligible) {
    tick(64);
    first.offer(entry);
  }
  const shown = first.sorted();
  // -1 means unknown: with such an order, what a shard leaves out has no bound.
  const error = options.unsureFrom !== undefined && entries.length >= options.unsureFrom ? -1 : 0;
  const printed = shown.map((entry) => ({
    ...printKey(entry.key, field, options.print),
    ...withError(options.showErrors, buckets.print(entry.bucket), error),
  }));
  if (options.maxDocCount !== undefined) return { buckets: printed };
  const sum = (list: readonly OrderedBucket[]): number => list.reduce((total, entry) => total + entry.count, 0);
  return {
    doc_count_error_upper_bound: error,
    // Terms below min_doc_count do not count as "other".
    sum_other_doc_count: sum(eligible) - sum(shown),
    buckets: printed,
  };
}

function withError(show: boolean, bucket: Record<string, unknown>, error = 0): Record<string, unknown> {
  if (!show) return bucket;
  const { doc_count, ...rest } = bucket;
  return { doc_count, doc_count_error_upper_bound: error, ...rest };
}

/** Prints `key`, and `key_as_string` if the field formats its numbers. */
function printKey(key: string | number, field: MappedField | undefined, print: Print | undefined): Json {
  if (typeof key === 'string') return { key: field === undefined ? key : printTerm(field, key) };
  if (print !== undefined) return { key, key_as_string: print(key, field) };
  if (field?.family === 'date' || field?.family === 'boolean') return { key, key_as_string: printNumber(field, key) };
  return { key };
}
