// What Lucene makes of queries that stand for words of the index, before it searches: the words, as queries of their own.
import { kindOf } from '../query/kinds.ts';
import { expandPrefixes } from '../query/multi-term.ts';
import type { PhraseQuery } from '../query/kinds/phrase.ts';
import type { Query } from '../query/query.ts';
import { resolveSpans } from '../query/spans.ts';
import type { FieldTypes } from '../query/lucene/nested-scope.ts';
import type { Statistics } from '../query/statistics.ts';
import type { LuceneQuery } from '../query/lucene/lucene-query.ts';
import { printSpanQuery } from '../query/lucene/print-spans.ts';
import { toLucene } from './to-lucene.ts';

/** Expands one query, and not those in it. @returns the query itself where it stands for no words */
export type ExpandLucene = (query: LuceneQuery) => LuceneQuery;

/** Expands by the words that a search sees. */
export function createExpand(statistics: Statistics, types: FieldTypes): ExpandLucene {
  return (query) => {
    if (query.kind !== 'scored') return query;
    const { source } = query;
    if (source.kind === 'span') {
      const text = printSpanQuery(source, resolveSpans(source.source, statistics));
      return text === query.text ? query : { ...query, text };
    }
    const expanded =
      source.kind === 'phrase' && source.prefix !== undefined
        ? expandPhrase(source, source.prefix, statistics)
        : kindOf(source).expand(source, statistics);
    return expanded === undefined ? query : toLucene(expanded, types);
  };
}

/** MultiPhrasePrefixQuery.rewrite */
function expandPhrase(
  query: PhraseQuery,
  { maxExpansions = 50, position, texts }: NonNullable<PhraseQuery['prefix']>,
  statistics: Statistics,
): Query {
  const { prefix: _, ...phrase } = query;
  const terms = expandPrefixes(statistics, phrase.field, texts, maxExpansions);
  // One position is no phrase (MultiPhraseQuery.rewrite).
  if (terms.length > 0 && phrase.terms.length === 0)
    return { kind: 'boolean', should: terms.map((term) => ({ kind: 'term', field: phrase.field, term })) };
  if (terms.length > 0) return { ...phrase, terms: [...phrase.terms, { position, terms }] };
  const none: Query = {
    kind: 'match_none',
    reason: 'No terms supplied for org.elasticsearch.common.lucene.search.MultiPhrasePrefixQuery',
  };
  return phrase.terms.length === 0 ? none : { kind: 'boolean', must: [phrase, none] };
}
