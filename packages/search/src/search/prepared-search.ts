// A search as one index reads it, before and after it ran.
import type { Searcher, SearchRequest, SearchResult } from '../collect/search-request.ts';
import type { SearchTarget, Target } from '../fetch/target.ts';
import type { Query } from '../query/query.ts';
import type { ResolvedSort } from '../sort/resolved-sort.ts';

/** What one index reads first of a search. */
export interface Queried {
  readonly asked: SearchTarget;
  readonly query: Query;
  readonly postFilter: Query | undefined;
  /** As the request has it: without the keys by which a scroll breaks ties. */
  readonly ownSort: readonly ResolvedSort[];
}

/** A search as one index reads it. */
export interface Planned extends Queried {
  readonly target: Target;
  readonly searcher: Searcher;
  readonly sort: readonly ResolvedSort[];
  readonly request: SearchRequest;
}

export interface Prepared extends Planned {
  readonly result: SearchResult;
}
