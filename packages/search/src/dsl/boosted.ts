// Boosts of queries.
import type { Query } from '../query/query.ts';

/** Multiplies the score of a query. */
export function boosted(query: Query, boost: number): Query {
  return boost === 1 ? query : { ...query, boost: (query.boost ?? 1) * boost };
}
