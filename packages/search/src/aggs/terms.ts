// `terms` and `rare_terms`: one bucket a distinct value of a field. Exact: every value is counted, so
// `doc_count_error_upper_bound` is always 0.
import { spend } from '../request-budget.ts';
import type { Json } from '../json.ts';
import {
  isNumeric,
  isWhole,
  type MappedField,
  printNumber,
  printTerm,
  toNumber,
  toTerm,
} from '../mapping/field-type.ts';
import {
  type Aggregator,
  type BucketBudget,
  Buckets,
  type Collect,
  type CollectAll,
  printAll,
  type SegmentScope,
} from './aggregator.ts';
import type { Searcher } from '../index/search-request.ts';
import type { SegmentReader } from '../index/segment.ts';
import { FirstOf } from '../collect/first-of.ts';
import { chooseOrdinals, countEntries } from './count-ordinals.ts';
import { bucketComparison, type OrderedBucket, type OrderPart } from './bucket-order.ts';
import { columnField, numbers, terms, type TermSource } from './values.ts';
import { joinCounts, joinedTerms } from './joined-terms.ts';
import { isNumberList, type TermFilter } from './term-filter.ts';
import { shardArgument } from '../request-error.ts';

/** What `terms` can be told. */
export interface TermsOptions {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly field: string;
  readonly size: number;
  readonly minDocCount: number;
  readonly order: readonly OrderPart[];
  readonly filter: TermFilter | undefined;
  readonly missing: unknown;
  readonly print: ((value: number) => string) | undefined;
  readonly showErrors: boolean;
  /** `rare_terms`: keep the values of at most so many documents. */
  readonly maxDocCount?: number;
  readonly valueType?: string | undefined;
  readonly typedKeys: boolean;
}

/** Makes a `terms` or `rare_terms` aggregation. */
export function termsAggregator(
  options: TermsOptions,
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  // Per bucket above: value → bucket here.
  const owners: (Map<string | number, number> | undefined)[] = [];
  let field: MappedField | undefined;
  let everNumeric = false;
  let everTerms = false;
  /** What was counted by ordinal, segment by segment. */
  const counted: CountedSegment[] = [];
  /** Values that visible documents have, for `min_doc_count: 0`. */
  const known = new Set<string | number>();

  const bucketOf = (owner: number, key: string | number): number => {
    const map = (owners[owner] ??= new Map());
    let bucket = map.get(key);
    if (bucket === undefined) map.set(key, (bucket = buckets.add()));
    return bucket;
  };

  const openTerms = (scope: SegmentScope, mapped: MappedField): Collect | undefined => {
    const source = terms(scope, mapped, options.missing);
    if (source === undefined) return buckets.skip(scope);
    const inner = buckets.open(scope);
    const accepted = acceptedOf(source, mapped);
    if (options.minDocCount === 0) {
      const seen = new Uint8Array(source.size);
      eachVisible(scope, (doc) =>
        source.each(doc, (ordinal) => {
          if (seen[ordinal] === 1) return;
          seen[ordinal] = 1;
          spend(512);
          if (accepted === undefined || accepted(ordinal)) known.add(source.term(ordinal));
        }),
      );
    }
    // Ordinals are dense: for the first bucket above, an array finds the bucket here without hashing.
    const dense = new Int32Array(source.size).fill(-1);
    const take = (doc: number, owner: number, ordinal: number): void => {
      if (accepted !== undefined && !accepted(ordinal)) return;
      let bucket = owner === 0 ? dense[ordinal]! : -1;
      if (bucket < 0) {
        bucket = bucketOf(owner, source.term(ordinal));
        if (owner === 0) dense[ordinal] = bucket;
      }
      inner(doc, bucket);
    };
    const { column } = source;
    if (column !== undefined && column.starts === undefined && options.missing === undefined) {
      const { ordinals } = column;
      return (doc, owner) => {
        const entry = ordinals[doc]!;
        if (entry > 0) take(doc, owner, entry - 1);
      };
    }
    return (doc, owner) => source.each(doc, (ordinal) => take(doc, owner, ordinal));
  };

  const acceptedOf = (source: TermSource, mapped: MappedField): CountedSegment['accepts'] => {
    const { filter } = options;
    if (filter === undefined) return undefined;
    if (filter.pattern && mapped.family === 'ip') {
      throw shardArgument(
        `Aggregation [${options.name}] cannot support regular expression style include/exclude settings as they can only be applied to string fields. Use an array of values for include/exclude clauses`,
      );
    }
    return memo(source.size, (ordinal) => filter.accepts(printTerm(mapped, source.term(ordinal))));
  };

  /** Counts without buckets, which are made of the counts when several segments have to be put together. */
  const openCounts = (scope: SegmentScope): CollectAll | undefined => {
    if (children.length > 0 || options.minDocCount === 0 || options.maxDocCount !== undefined) return undefined;
    if (options.missing !== undefined) return undefined;
    const mapped = columnField(options.field, scope.mapping);
    if (mapped === undefined || mapped.family === 'geo' || isNumeric(mapped)) return undefined;
    const source = terms(scope, mapped, undefined);
    if (source?.column === undefined) return undefined;
    field = mapped;
    everTerms = true;
    const { column } = source;
    const counts = new Int32Array(column.terms.size + 1);
    counted.push({
      searcher: scope.searcher,
      segment: scope.segment,
      source,
      counts,
      accepts: acceptedOf(source, mapped),
    });
    return (docs, count, within) => countEntries(column, docs, count, counts, within);
  };

  const bucketCounts = (): void => {
    for (const { source, counts, accepts } of counted.splice(0)) {
      for (let entry = 1; entry < counts.length; entry++) {
        spend(32);
        if (counts[entry] === 0 || (accepts !== undefined && !accepts(entry - 1))) continue;
        spend(512);
        const bucket = bucketOf(0, source.term(entry - 1));
        buckets.counts[bucket]! += counts[entry]!;
      }
    }
  };

  /** The counts as those of one dictionary; undefined when the segments have to be put together by the texts of their terms. */
  const countedTerms = (): CountedTerms | undefined => {
    const [first] = counted;
    if (first === undefined || field === undefined) return undefined;
    if (counted.length === 1) {
      const { source, counts, accepts } = first;
      return { term: (ordinal) => source.term(ordinal), counts, accepts };
    }
    if (counted.some(({ searcher }) => searcher !== first.searcher)) return undefined;
    const joined = joinedTerms(first.searcher, field.path);
    if (joined === undefined || counted.some(({ segment }) => !joined.numbers.has(segment))) return undefined;
    const { terms } = joined;
    const { filter } = options;
    const mapped = field;
    const accepts =
      filter === undefined ? undefined : (ordinal: number) => filter.accepts(printTerm(mapped, terms[ordinal]!));
    return { term: (ordinal) => terms[ordinal]!, counts: joinCounts(joined, counted), accepts };
  };

  /** The answer from counts alone; undefined when it takes more than them. */
  const countedResult = (): Json | undefined => {
    if (owners.length > 0 || everNumeric) return undefined;
    const found = countedTerms();
    if (found === undefined) return undefined;
    const { term, counts, accepts } = found;
    const chosen = chooseOrdinals(counts, { ...options, accepts });
    if (chosen === undefined) return undefined;
    let shown = 0;
    const printed = chosen.ordinals.map((ordinal) => {
      const count = counts[ordinal + 1]!;
      shown += count;
      return {
        ...printKey(term(ordinal), field, options.print),
        ...withError(options.showErrors, { ...buckets.print(undefined), doc_count: count }),
      };
    });
    return { doc_count_error_upper_bound: 0, sum_other_doc_count: chosen.eligible - shown, buckets: printed };
  };

  const openNumbers = (scope: SegmentScope, mapped: MappedField): Collect | undefined => {
    const keep = options.filter;
    if (keep !== undefined && !isNumberList(keep)) {
      throw shardArgument(
        `Aggregation [${options.name}] cannot support regular expression style include/exclude settings as they can only be applied to string fields. Use an array of numeric values for include/exclude clauses used to filter numeric fields`,
      );
    }
    const each = numbers(scope, mapped, options.missing);
    if (each === undefined) return buckets.skip(scope);
    const inner = buckets.open(scope);
    const accepts =
      keep === undefined
        ? undefined
        : (value: number): boolean => keep.acceptsNumber(value, (text) => toNumber(mapped, text));
    if (options.minDocCount === 0) {
      eachVisible(scope, (doc) =>
        each(doc, (value) => {
          if (accepts === undefined || accepts(value)) known.add(value);
        }),
      );
    }
    return (doc, owner) => {
      let last = Number.NaN;
      each(doc, (value) => {
        if (value === last) return;
        last = value;
        if (accepts === undefined || accepts(value)) inner(doc, bucketOf(owner, value));
      });
    };
  };

  return {
    name: options.name,
    get typeName() {
      if (options.maxDocCount !== undefined)
        return field === undefined ? 'umrare' : everTerms ? 'srareterms' : 'lrareterms';
      // UnmappedTerms calls itself what strings are called.
      if (field === undefined) return 'sterms';
      return everTerms ? 'sterms' : field.family === 'number' && !isWhole(field) ? 'dterms' : 'lterms';
    },
    meta: options.meta,
    buckets,
    needsScores: children.some((child) => child.needsScores),
    open(scope) {
      const mapped = columnField(options.field, scope.mapping);
      if (mapped === undefined) {
        if (options.missing === undefined) return undefined;
        const inner = buckets.open(scope);
        everTerms ||= typeof options.missing === 'string';
        return (doc, owner) => inner(doc, bucketOf(owner, options.missing as string | number));
      }
      if (mapped.family === 'geo') {
        throw shardArgument(`Field [${options.field}] of type [geo_point] is not supported for aggregation [terms]`);
      }
      field = mapped;
      if (isNumeric(mapped)) {
        everNumeric = true;
        return openNumbers(scope, mapped);
      }
      everTerms = true;
      if (options.missing !== undefined) toTerm(mapped, options.missing);
      return openTerms(scope, mapped);
    },
    openAll: openCounts,
    result(owner) {
      if (everNumeric && everTerms) {
        throw shardArgument(
          `Merging/Reducing the aggregations failed when computing the aggregation [${options.name}] because the field you gave in the aggregation query existed as two different types in two different indices`,
        );
      }
      const quick = owner === 0 ? countedResult() : undefined;
      if (quick !== undefined) return quick;
      bucketCounts();
      const map = owners[owner];
      const entries: OrderedBucket[] = [...(map ?? [])].map(([key, bucket]) => ({
        key,
        bucket,
        count: buckets.counts[bucket]!,
      }));
      if (options.minDocCount === 0) {
        for (const key of known) {
          spend(128);
          if (map?.has(key) !== true) entries.push({ key, bucket: undefined, count: 0 });
        }
      }
      const eligible = entries.filter(
        (entry) =>
          entry.count >= options.minDocCount &&
          (options.maxDocCount === undefined || entry.count <= options.maxDocCount),
      );
      const first = new FirstOf(
        options.size,
        bucketComparison(options.order, (bucket) => printAll(children, bucket ?? -1, false)),
      );
      for (const entry of eligible) {
        spend(64);
        first.offer(entry);
      }
      const shown = first.sorted();
      const printed = shown.map((entry) => ({
        ...printKey(entry.key, field, options.print),
        ...withError(options.showErrors, buckets.print(entry.bucket)),
      }));
      if (options.maxDocCount !== undefined) return { buckets: printed };
      const sum = (list: readonly OrderedBucket[]): number => list.reduce((total, entry) => total + entry.count, 0);
      return {
        doc_count_error_upper_bound: 0,
        // Values below min_doc_count are not "other": Elasticsearch drops them silently.
        sum_other_doc_count: sum(eligible) - sum(shown),
        buckets: printed,
      };
    },
  };
}

/** Counts by ordinal plus one, and the terms behind them. */
interface CountedTerms {
  readonly term: (ordinal: number) => string;
  readonly counts: Int32Array;
  readonly accepts: ((ordinal: number) => boolean) | undefined;
}

/** The counts of one segment. */
interface CountedSegment {
  readonly searcher: Searcher;
  readonly segment: SegmentReader;
  readonly source: TermSource;
  readonly counts: Int32Array;
  readonly accepts: ((ordinal: number) => boolean) | undefined;
}

function withError(show: boolean, bucket: Record<string, unknown>): Record<string, unknown> {
  if (!show) return bucket;
  const { doc_count, ...rest } = bucket;
  return { doc_count, doc_count_error_upper_bound: 0, ...rest };
}

/** `key`, and `key_as_string` where the field prints its numbers. */
function printKey(
  key: string | number,
  field: MappedField | undefined,
  print: ((value: number) => string) | undefined,
): Json {
  if (typeof key === 'string') return { key: field === undefined ? key : printTerm(field, key) };
  if (print !== undefined) return { key, key_as_string: print(key) };
  if (field?.family === 'date' || field?.family === 'boolean') return { key, key_as_string: printNumber(field, key) };
  return { key };
}

function memo(size: number, decide: (ordinal: number) => boolean): (ordinal: number) => boolean {
  const known = new Int8Array(size);
  return (ordinal) => {
    if (known[ordinal] === 0) {
      spend(512);
      known[ordinal] = decide(ordinal) ? 1 : -1;
    }
    return known[ordinal] === 1;
  };
}

function eachVisible(scope: SegmentScope, take: (doc: number) => void): void {
  const visible = scope.searcher.visible(scope.segment);
  for (let doc = 0; doc < scope.segment.docCount; doc++) {
    spend(64);
    if (visible === undefined || (visible[doc >>> 5]! & (1 << (doc & 31))) !== 0) take(doc);
  }
}
