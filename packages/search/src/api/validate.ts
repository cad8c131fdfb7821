// Reads a query without running it: what it is for each index.
import { printLucene } from '../explain/lucene-query.ts';
import { toLuceneSearch } from '../explain/to-lucene.ts';
import { type Allowance, withBudget } from '../request-budget.ts';
import { type SearchTarget, targetQuery } from './target.ts';

/**
 * Reads a query.
 *
 * @returns what it is for each target, as JSON
 * @throws RequestError when it cannot be read
 */
export function runValidate(query: unknown, targets: readonly SearchTarget[], allowance: Allowance): string[] {
  return withBudget(allowance, () =>
    targets.map(({ target }) => printLucene(toLuceneSearch(targetQuery(target, query), target.mapping))),
  );
}
