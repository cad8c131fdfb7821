// What a query is read against: the mapping of one index and the moment of the request.
import { searchError } from '../errors.ts';
import type { Mapping } from '../mapping/mapping.ts';

/** The surroundings of a query. */
export interface QueryContext {
  readonly index: string;
  readonly mapping: Mapping;
  /** Milliseconds since 1970: what `now` means. */
  readonly now: number;
  /** Whether `index.query.default_field` names fields; `*` by default. */
  readonly defaultField: readonly string[];
  /** The indices that an alias or wildcard in `_index` queries may name besides the index itself. */
  readonly aliases: readonly string[];
  /** Leaves of one query at most (`indices.query.bool.max_clause_count`); 1,024 by default. */
  readonly maxClauses?: number | undefined;
  /** The leaves read so far, for the query that is being read. */
  readonly clauses?: { count: number } | undefined;
  /** Looks a document up for a terms lookup; absent where lookups are not possible. */
  readonly lookup?: ((index: string, id: string) => unknown) | undefined;
}

/**
 * Counts leaves while a query is read: what is far too large ends before it is built. The exact count is the compiler's.
 *
 * @throws ProductError `SEARCH_TOO_MANY_CLAUSES`
 */
export function countClauses(context: QueryContext, count: number): void {
  const { clauses, maxClauses = 1024 } = context;
  if (clauses === undefined) return;
  clauses.count += count;
  if (clauses.count > maxClauses) throw searchError('SEARCH_TOO_MANY_CLAUSES', { limit: maxClauses });
}
