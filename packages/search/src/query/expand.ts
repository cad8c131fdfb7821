// What queries that stand for words of the index become: the words, with the statistics of the search.
import { expandBlended } from './blended.ts';
import { expandFuzzy } from './fuzzy.ts';
import { expandMoreLikeThis } from './more-like-this.ts';
import { expandTerms } from './multi-term.ts';
import type { Query } from './query.ts';
import type { Statistics } from './statistics.ts';

/** The query without patterns that score, words of several fields and texts to be like; undefined where it is none of them. */
export function expand(query: Query, statistics: Statistics): Query | undefined {
  switch (query.kind) {
    case 'fuzzy':
      return expandFuzzy(statistics, query);
    case 'prefix':
    case 'wildcard':
    case 'regexp': {
      const { rewrite = 'constant_score' } = query;
      return rewrite === 'constant_score' ? undefined : expandTerms(statistics, query, rewrite);
    }
    case 'blended':
      return expandBlended(query, statistics);
    case 'more_like_this':
      return expandMoreLikeThis(query, statistics);
    default:
      return undefined;
  }
}
