// Compiles a query with its scores. Statistics that are not known yet are first asked of the cluster, over the documents of the view.
import type { Json } from '../json/json.ts';
import type { Query } from '../query/query.ts';
import { type ClusterPlace, compileQuery, countingOf } from './compile-query.ts';
import { type KnownStatistics, NeededStatistics } from './visible-statistics.ts';

/**
 * Compiles a query for a search with scores.
 *
 * @param rows the filter of the visible documents
 * @param ask sends a body to `_search` of the index
 */
export async function compileScored(
  query: Query,
  place: ClusterPlace,
  known: KnownStatistics,
  rows: Json,
  ask: (body: Json) => Promise<Json>,
): Promise<Json> {
  for (;;) {
    const needed = new NeededStatistics(known);
    const compiled = compileQuery(query, place, needed);
    if (needed.isComplete) return compiled;
    needed.learn(await ask(needed.request(countingOf(place, rows))));
  }
}
