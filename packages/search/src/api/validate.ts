// Reads a query without running it: what it is for each index, and what is wrong with it even where there is no index to ask.
import { standardAnalysis } from '../analysis/analysis-registry.ts';
import { parseQuery } from '../dsl/parse-query.ts';
import { printLucene } from '../explain/lucene-query.ts';
import { toLuceneSearch } from '../explain/to-lucene.ts';
import { Mapping } from '../mapping/mapping.ts';
import { type Allowance, withBudget } from '../request-budget.ts';
import { type SearchTarget, targetQuery } from './target.ts';

/**
 * Reads a query.
 *
 * @returns what it is for each target, as JSON
 * @throws RequestError when it cannot be read; without targets, for an index that has no fields
 */
export function runValidate(
  query: unknown,
  targets: readonly SearchTarget[],
  now: number,
  allowance: Allowance,
): string[] {
  return withBudget(allowance, () => {
    if (targets.length > 0)
      return targets.map(({ target }) => printLucene(toLuceneSearch(targetQuery(target, query), target.mapping)));
    const mapping = new Mapping(undefined, standardAnalysis);
    parseQuery(query, { index: '_na_', mapping, now, defaultField: ['*'], aliases: [] });
    return [];
  });
}
