// `sampler`: shows the aggregations inside of it only the documents that score best, so many of each index.
import type { Json } from '../json.ts';
import { spend } from '../request-budget.ts';
import { type Aggregator, type BucketBudget, Buckets, type Collect, type SegmentScope } from './aggregator.ts';

interface Sampled {
  readonly scope: SegmentScope;
  readonly show: Collect;
  readonly doc: number;
  readonly score: number;
}

/** Makes a sampler. @param options.size documents of each index in one bucket above */
export function samplerAggregator(
  options: {
    readonly name: string;
    readonly meta: Json | undefined;
    readonly size: number;
    readonly typedKeys: boolean;
  },
  children: readonly Aggregator[],
  budget: BucketBudget,
): Aggregator {
  const buckets = new Buckets(children, budget, options.typedKeys);
  /** By bucket above and searcher; unordered, at most twice as many as are wanted. */
  const kept: Map<unknown, Sampled[]>[] = [];
  const owners: (number | undefined)[] = [];
  let isShown = false;
  /** All documents are known once the first answer is asked for. */
  const showAll = (): void => {
    if (isShown) return;
    isShown = true;
    kept.forEach((bySearcher, owner) => {
      const bucket = (owners[owner] ??= buckets.add());
      for (const sampled of bySearcher.values()) {
        const best = bestOf(sampled, options.size);
        // Aggregations expect the documents of a segment in their order.
        for (const { scope, show, doc, score } of best.sort((a, b) => placeOf(a) - placeOf(b))) {
          spend(256);
          scope.score = score;
          show(doc, bucket);
        }
      }
    });
  };
  return {
    name: options.name,
    typeName: 'sampler',
    meta: options.meta,
    needsScores: true,
    open(scope) {
      const show = buckets.open(scope);
      return (doc, owner) => {
        const bySearcher = (kept[owner] ??= new Map());
        let sampled = bySearcher.get(scope.searcher);
        if (sampled === undefined) bySearcher.set(scope.searcher, (sampled = []));
        sampled.push({ scope, show, doc, score: scope.score });
        if (sampled.length > options.size * 2) bySearcher.set(scope.searcher, bestOf(sampled, options.size));
      };
    },
    result(owner) {
      showAll();
      return buckets.print(owners[owner]);
    },
  };
}

/** Of equal ones those that come first in the index, where that may be told. */
function bestOf(sampled: readonly Sampled[], size: number): Sampled[] {
  if (sampled.length <= size) return [...sampled];
  return sampled.toSorted((a, b) => b.score - a.score || placeOf(a) - placeOf(b)).slice(0, size);
}

function placeOf({ scope, doc }: Sampled): number {
  return scope.segment.base + doc;
}
