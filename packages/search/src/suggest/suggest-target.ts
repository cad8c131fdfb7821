// Where suggestions come from.
import type { Target } from '../api/target.ts';
import type { Searcher } from '../index/search-request.ts';

/** A target with the state it is searched in. */
export interface SuggestTarget {
  readonly target: Target;
  readonly searcher: Searcher;
}
