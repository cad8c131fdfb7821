// Which documents a query finds, as sets of bits: for requests that do something with every one of them, in any order and without scores.
import type { Json } from '../json.ts';
import { type Allowance, checkTime, withBudget } from '../request-budget.ts';
import { type SearchTarget, targetQuery } from './target.ts';

/** By target and by segment the documents found, in the order of the segments. Not to be changed: they may be remembered elsewhere. */
export type Matches = readonly (readonly Int32Array[])[];

/** Finds them. @param query as a request gives it; all documents when it is undefined */
export function runMatches(query: Json | undefined, targets: readonly SearchTarget[], allowance: Allowance): Matches {
  return withBudget(allowance, () =>
    targets.map(({ target, searcher }) => {
      const parsed = targetQuery(target, query);
      return searcher.segments.map((segment) => {
        checkTime();
        return searcher.matches(parsed, segment);
      });
    }),
  );
}
