// Reads a query without running it: what it is for each index.
import { printLucene } from '../explain/lucene-query.ts';
import { toLuceneSearch } from '../explain/to-lucene.ts';
import { type Allowance, withBudget } from '../request-budget.ts';
import { type SearchTarget, targetQuery } from './target.ts';

/** How a query is read. */
export interface ValidateOptions {
  readonly allowance: Allowance;
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
  { allowance, rewrite }: ValidateOptions,
): string[] {
  return withBudget(allowance, () =>
    targets.map(({ target, searcher }) => {
      const read = targetQuery(target, query);
      return rewrite ? searcher.rewriteAs(target.mapping, read) : printLucene(toLuceneSearch(read, target.mapping));
    }),
  );
}
