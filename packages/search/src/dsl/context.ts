// What a query is read against: the mapping of one index and the moment of the request.
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
  /** Looks a document up for a terms lookup; absent where lookups are not possible. */
  readonly lookup?: ((index: string, id: string) => unknown) | undefined;
}
