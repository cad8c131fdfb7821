// What a search tells of its own running (`profile`): of the query its tree and the whole time, of each aggregation what it did.
import type { Aggregator } from '../aggs/aggregator.ts';
import type { Searcher } from '../collect/search-request.ts';
import type { Json } from '../json/json.ts';
import type { Query } from '../query/query.ts';
import type { Target } from '../fetch/target.ts';

/** Prints the profile, an entry an index. @param aggregators after their answers were printed */
export function printProfile(
  indices: readonly { readonly target: Target; readonly searcher: Searcher; readonly query: Query }[],
  aggregators: readonly Aggregator[],
  milliseconds: number,
): Json {
  return {
    shards: indices.map(({ target, searcher, query }) => ({
      id: `[lockstitch][${target.index.name}][0]`,
      searches: [
        {
          query: [
            {
              type: query.kind,
              description: JSON.stringify(query),
              time_in_nanos: Math.round(milliseconds * 1e6),
              breakdown: {},
            },
          ],
          rewrite_time: 0,
          collector: [],
        },
      ],
      aggregations: aggregators.flatMap(
        (each) => each.profile?.({ searcher, mapping: target.mapping, of: indices.length }) ?? [],
      ),
    })),
  };
}
