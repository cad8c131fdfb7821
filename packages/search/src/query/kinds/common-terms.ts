// Words of a text in two groups: the rare ones decide which documents match, and the common ones only how well (Lucene's CommonTermsQuery).
import { documentCount, isCommon } from '../blended.ts';
import { neverSent } from '../cluster/on-cluster.ts';
import { scored } from '../lucene/lucene-query.ts';
import { minimumShouldMatch } from '../minimum-should-match.ts';
import type { Query, QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import type { Statistics } from '../statistics.ts';

/** Words of a field of which those in many documents count for the score only. */
export interface CommonTermsQuery extends QueryNode {
  readonly kind: 'common_terms';
  readonly field: string;
  readonly terms: readonly string[];
  /** Words of more documents are common: a number from 1 on, below it a share of all documents. */
  readonly cutoff: number;
  /** How the words of each group are joined. */
  readonly rare: CommonGroup;
  readonly common: CommonGroup;
}

/** How words are joined. */
export interface CommonGroup {
  readonly operator: 'and' | 'or';
  readonly minimumShouldMatch?: unknown;
}

export const commonTerms: QueryKind<CommonTermsQuery> = {
  ...LEAF,
  clauses: (query) => query.terms.length,
  mark: (query, visitor) => visitor.terms(query.field, query.terms),
  caching: () => 'none',
  expand: expandCommonTerms,
  compile: (query, at) => at.build(expandCommonTerms(query, at.statistics)),
  lucene: (source) => scored(source, source.terms.map((each) => `${source.field}:${each}`).join(', '), ''),
  cluster: neverSent('it chooses words by their frequency in all documents; ask with match', {
    kind: 'common_terms',
    field: 'text',
    terms: ['red', 'fox'],
    cutoff: 1,
    rare: { operator: 'or' },
    common: { operator: 'or' },
  }),
};

/** Expands to the words, by the numbers of the documents that the caller can see. */
function expandCommonTerms(query: CommonTermsQuery, statistics: Statistics): Query {
  const { common, cutoff, field, rare, terms } = query;
  const queries = terms.map((term): Query => ({ kind: 'term', field, term }));
  if (queries.length === 0) return { kind: 'match_none', reason: 'CommonTermsQuery with no terms' };
  if (queries.length === 1) return queries[0]!;
  const documents = documentCount(statistics);
  const areCommon = terms.map((term) => isCommon(statistics.docFreq(field, term), cutoff, documents));
  const rareOnes = joined(
    queries.filter((_, at) => !areCommon[at]),
    rare,
  );
  const frequent = queries.filter((_, at) => areCommon[at]);
  // Where all are common, all of them must match unless it is said how many.
  const minimum = common.operator === 'or' ? minimumOf(frequent, common) : 0;
  const isStrict = rareOnes === undefined && minimum === 0;
  const commonOnes = joined(frequent, isStrict ? { operator: 'and' } : common);
  return {
    kind: 'boolean',
    ...(rareOnes === undefined ? {} : { must: [rareOnes] }),
    ...(commonOnes === undefined ? {} : { should: [commonOnes] }),
  };
}

function minimumOf(queries: readonly Query[], { minimumShouldMatch: given }: CommonGroup): number {
  return given === undefined ? 0 : minimumShouldMatch(given, queries.length);
}

function joined(queries: readonly Query[], group: CommonGroup): Query | undefined {
  if (queries.length === 0) return undefined;
  if (group.operator === 'and') return { kind: 'boolean', must: queries };
  const minimum = minimumOf(queries, group);
  if (minimum > queries.length) return { kind: 'match_none' };
  return { kind: 'boolean', should: queries, ...(minimum > 0 ? { minimumShouldMatch: minimum } : {}) };
}
