// Documents with the words that tell most about some texts.
import { scored } from '../lucene/lucene-query.ts';
import { expandMoreLikeThis } from '../more-like-this.ts';
import type { QueryNode } from '../query.ts';
import { LEAF, type QueryKind } from '../query-kind.ts';
import { neverSent } from '../cluster/on-cluster.ts';

/** Documents with the words that tell most about some texts. Which these are is decided by the statistics of the search. */
export interface MoreLikeThisQuery extends QueryNode {
  readonly kind: 'more_like_this';
  /** The fields that words of texts are looked for in. */
  readonly fields: readonly string[];
  /** The texts. */
  readonly like: readonly string[];
  /** The words of texts, with how often they come. */
  readonly texts: readonly (readonly [string, number])[];
  /** The words of documents, by field. */
  readonly documents: readonly { readonly field: string; readonly terms: readonly (readonly [string, number])[] }[];
  readonly maxQueryTerms: number;
  readonly minTermFreq: number;
  readonly minDocFreq: number;
  readonly maxDocFreq: number;
  readonly minimumShouldMatch: string;
  /** 0: words are not weighed. */
  readonly boostTerms: number;
}

export const moreLikeThis: QueryKind<MoreLikeThisQuery> = {
  ...LEAF,
  clauses: (query) =>
    query.documents.reduce(
      (total, { terms }) => total + Math.min(terms.length, query.maxQueryTerms),
      Math.min(query.texts.length, query.maxQueryTerms),
    ),
  mark: () => undefined,
  caching: () => 'none',
  expand: expandMoreLikeThis,
  compile: (query, at) => at.build(expandMoreLikeThis(query, at.statistics)),
  lucene: (source) => scored(source, `like:${source.like.length === 0 ? 'null' : `[${source.like.join(', ')}]`}`, ''),
  cluster: neverSent('it chooses words by their frequency in all documents; name the words', {
    kind: 'more_like_this',
    fields: ['text'],
    like: ['red'],
    texts: [],
    documents: [],
    maxQueryTerms: 1,
    minTermFreq: 1,
    minDocFreq: 1,
    maxDocFreq: 9,
    minimumShouldMatch: '1',
    boostTerms: 0,
  }),
};
