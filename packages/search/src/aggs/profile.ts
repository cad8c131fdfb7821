// What each aggregation of a request did and how long it took: the `aggregations` of a profile. Counts are of documents that exist for the
// caller. All segments are reported as one, since their number would reveal hidden documents. Profiling changes no result.
import type { Searcher } from '../collect/search-request.ts';
import type { Json } from '../json/json.ts';
import type { Aggregator, Collect, ProfiledIndex } from './aggregator.ts';
import type { ProfileDetails } from './profile-details.ts';

/** Nanoseconds, and number of calls. */
class Timing {
  nanos = 0;
  count = 0;

  add(since: number): void {
    this.nanos += (performance.now() - since) * 1e6;
    this.count++;
  }
}

/** How an aggregation was created. */
export interface Origin {
  readonly type: string;
  readonly body: Json;
  /** Whether no other aggregation contains it. */
  readonly isTop: boolean;
  readonly details: ProfileDetails;
  readonly children: readonly Aggregator[];
  /** Start of its parsing, by `performance.now()`. */
  readonly since: number;
}

/** Wraps an aggregation and times it. It collects documents one by one, never in batches. */
export function profiled(made: Aggregator, { type, body, isTop, details, children, since }: Origin): Aggregator {
  const initialize = new Timing();
  initialize.add(since);
  const build = new Timing();
  const leaves = new Map<Searcher, Timing>();
  const collects = new Map<Searcher, Timing>();
  const timingOf = (of: Map<Searcher, Timing>, searcher: Searcher): Timing => {
    let timing = of.get(searcher);
    if (timing === undefined) of.set(searcher, (timing = new Timing()));
    return timing;
  };
  const open: Aggregator['open'] = (scope) => {
    const begun = performance.now();
    const leaf = made.open(scope);
    timingOf(leaves, scope.searcher).add(begun);
    const timing = timingOf(collects, scope.searcher);
    // Counted also where there is nothing to do: the count must not reveal whether any document has a value.
    const collect: Collect = (doc, bucket) => {
      const shown = performance.now();
      leaf?.(doc, bucket);
      timing.add(shown);
    };
    return collect;
  };
  const result: Aggregator['result'] = (bucket) => {
    const begun = performance.now();
    const found = made.result(bucket);
    build.add(begun);
    return found;
  };
  const profile = (index: ProfiledIndex): Json => {
    const { searcher, of } = index;
    const parts: Readonly<Record<string, readonly [number, number]>> = {
      initialize: [initialize.nanos / of, 1],
      build_leaf_collector: [leaves.get(searcher)?.nanos ?? 0, 1],
      collect: [collects.get(searcher)?.nanos ?? 0, collects.get(searcher)?.count ?? 0],
      build_aggregation: [build.nanos / of, Math.min(1, build.count)],
      reduce: [0, 0],
    };
    const field = typeof body['field'] === 'string' ? index.mapping.field(body['field']) : undefined;
    const { className, debug } = details({ type, body, isTop, field }, made.buckets?.used(searcher) ?? 0);
    const inner = children.flatMap((child) => child.profile?.(index) ?? []);
    return {
      type: className,
      description: made.name,
      time_in_nanos: Math.round(Object.values(parts).reduce((sum, [nanos]) => sum + nanos, 0)),
      breakdown: Object.fromEntries(
        Object.entries(parts).flatMap(([name, [nanos, count]]) => [
          [name, Math.round(nanos)],
          [`${name}_count`, count],
        ]),
      ),
      ...(debug === undefined ? {} : { debug }),
      ...(inner.length === 0 ? {} : { children: inner }),
    };
  };
  return Object.create(made, {
    open: { value: open },
    openAll: { value: undefined },
    result: { value: result },
    profile: { value: profile },
  });
}
