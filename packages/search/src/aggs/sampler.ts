// `sampler` and `diversified_sampler`: show the aggregations inside of them only the documents that score best, so many of each index, and
// of those with one value of a field only some.
import { byId } from './by-id.ts';
import type { Json } from '../json/json.ts';
import { isNumeric } from '../mapping/field-type.ts';
import { tick } from '../tasks/request-budget.ts';
import { aggregationError, shardArgument } from '../errors/request-error.ts';
import { type Aggregator, type BucketBudget, Buckets, type Collect, type SegmentScope } from './aggregator.ts';
import { columnField, numbers, terms, unsuitable } from '../columns/values.ts';

interface Sampled {
  readonly scope: SegmentScope;
  readonly show: Collect;
  readonly doc: number;
  readonly score: number;
  /** What it must not share with too many; undefined: nothing. */
  readonly value: string | number | undefined;
}

/** Of which field documents may share a value, and how many at most. */
export interface Diversity {
  readonly field: string;
  readonly missing: unknown;
  readonly most: number;
}

/** Makes a sampler. @param options.size documents of each index in one bucket above */
export function samplerAggregator(
  options: {
    readonly name: string;
    readonly meta: Json | undefined;
    readonly size: number;
    readonly diversity?: Diversity;
    readonly typedKeys: boolean;
  },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  /** By bucket above and searcher; unordered, at most twice as many as are wanted. */
  const kept: Map<unknown, Sampled[]>[] = [];
  const owners: (number | undefined)[] = [];
  const { most = Infinity } = options.diversity ?? {};
  let isShown = false;
  /** Whether there is an index that has the field by which documents differ. */
  let isMapped = options.diversity === undefined;
  /** At the first result, all documents are known. */
  const showAll = (): void => {
    if (isShown) return;
    isShown = true;
    kept.forEach((bySearcher, owner) => {
      const bucket = (owners[owner] ??= buckets.add());
      for (const sampled of bySearcher.values()) {
        const best = bestOf(sampled, options.size, most);
        // Aggregations expect the documents of a segment in their order.
        for (const { scope, show, doc, score } of best.sort((a, b) => placeOf(a) - placeOf(b))) {
          tick(256);
          scope.score = score;
          show(doc, bucket);
        }
      }
    });
  };
  return {
    name: options.name,
    get typeName() {
      return isMapped ? 'sampler' : 'unmapped_sampler';
    },
    meta: options.meta,
    needsScores: true,
    open(scope) {
      if (options.diversity !== undefined && scope.mapping.field(options.diversity.field) === undefined)
        return undefined;
      isMapped = true;
      const valueOf = options.diversity === undefined ? undefined : valueReader(options.diversity, scope);
      if (buckets.children.length === 0)
        throw aggregationError('Sampler aggregation must be used with child aggregations.');
      const show = buckets.open(scope);
      return (doc, owner) => {
        const bySearcher = (kept[owner] ??= new Map());
        let sampled = bySearcher.get(scope.searcher);
        if (sampled === undefined) bySearcher.set(scope.searcher, (sampled = []));
        sampled.push({ scope, show, doc, score: scope.score, value: valueOf?.(doc) });
        tick(64);
        if (sampled.length > options.size * 2) bySearcher.set(scope.searcher, bestOf(sampled, options.size, most));
      };
    },
    result(owner) {
      if (!isMapped) return { doc_count: 0 };
      showAll();
      return buckets.print(owners[owner], owner);
    },
  };
}

/** Of equal ones those that come first in the index, where that may be told. @param most documents that share a value */
function bestOf(sampled: readonly Sampled[], size: number, most: number): Sampled[] {
  if (sampled.length <= size && most === Infinity) return [...sampled];
  const ordered = sampled.toSorted((a, b) => b.score - a.score || byId(a, b) || placeOf(a) - placeOf(b));
  if (most === Infinity) return ordered.slice(0, size);
  const counts = new Map<Sampled['value'], number>();
  const best: Sampled[] = [];
  for (const each of ordered) {
    const count = counts.get(each.value) ?? 0;
    if (count === most) continue;
    counts.set(each.value, count + 1);
    if (best.push(each) === size) break;
  }
  return best;
}

/** Reads the one value of a document; undefined where it has none. @throws RequestError for a document that has several */
function valueReader({ field: path, missing }: Diversity, scope: SegmentScope): (doc: number) => Sampled['value'] {
  const field =
    scope.mapping.field(path)?.family === 'range' ? scope.mapping.field(path) : columnField(path, scope.mapping);
  if (field === undefined) return () => undefined;
  let found: Sampled['value'];
  const take = (value: string | number): void => {
    if (found !== undefined) throw shardArgument('Sample diversifying key must be a single valued-field');
    found = value;
  };
  if (field.family === 'geo' || field.family === 'range') throw unsuitable(field, path, 'diversified_sampler');
  const ofNumbers = isNumeric(field) ? numbers(scope, field, missing) : undefined;
  const ofTerms = isNumeric(field) ? undefined : terms(scope, field, missing);
  return (doc) => {
    found = undefined;
    ofNumbers?.(doc, take);
    ofTerms?.each(doc, (ordinal) => take(ofTerms.term(ordinal)));
    return found;
  };
}

function placeOf({ scope, doc }: Sampled): number {
  return scope.segment.base + doc;
}
