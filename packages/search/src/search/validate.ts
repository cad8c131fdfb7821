// Reads a query without running it: what it is for each index.
import { printLucene } from '../query/lucene/lucene-query.ts';
import { toLuceneSearch } from '../explain/to-lucene.ts';
import { type RequestLimits, withBudget } from '../tasks/request-budget.ts';
import { explainedQuery, type SearchTarget } from '../fetch/target.ts';

/** How a query is read. */
export interface ValidateOptions {
  readonly limits: RequestLimits;
  /** Whether it is printed as it becomes before it is searched. */
  readonly rewrite: boolean;
}

/**
 * Reads a query.
 *
 * @returns what it is for each target, as JSON
 * @throws RequestError when it cannot be read
 */
export function runValidate(
  query: unknown,
  targets: readonly SearchTarget[],
  { limits, rewrite }: ValidateOptions,
): string[] {
  return withBudget(limits, () =>
    targets.map((each) => {
      const { searcher, target } = each;
      const read = explainedQuery(each, query);
      return rewrite ? searcher.rewriteAs(target.mapping, read) : printLucene(toLuceneSearch(read, target.mapping));
    }),
  );
}
