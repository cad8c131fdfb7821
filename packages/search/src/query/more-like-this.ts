// Which words of some texts tell most about them, and the query that looks for others with these words: Lucene's MoreLikeThis as
// Elasticsearch has it, by the frequencies of what the caller sees.
import { minimumShouldMatch } from './minimum-should-match.ts';
import { documentCount } from './blended.ts';
import type { MoreLikeThisQuery, Query } from './query.ts';
import type { Statistics } from './statistics.ts';

const { fround } = Math;

/** A word with the field that it is looked for in. */
interface Chosen {
  readonly field: string;
  readonly term: string;
  readonly score: number;
}

/** The query for the words that tell most: optional clauses, so many of which must match; `match_none` when no word tells anything. */
export function expandMoreLikeThis(query: MoreLikeThisQuery, statistics: Statistics): Query {
  const documents = documentCount(statistics);
  const choose = (words: readonly Word[]): Chosen[] => chooseWords(query, statistics, documents, words);
  // The words of documents are chosen field by field; those of texts stand for all fields at once.
  const ofDocuments = query.documents.flatMap(({ field, terms }) =>
    choose(terms.map(([term, count]) => ({ fields: [field], term, count }))),
  );
  const ofTexts = choose(query.texts.map(([term, count]) => ({ fields: query.fields, term, count })));
  const groups = [ofDocuments, ofTexts].filter((chosen) => chosen.length > 0).map((chosen) => clauses(query, chosen));
  if (groups.length === 0) return { kind: 'match_none' };
  const found: Query = groups.length === 1 ? groups[0]! : { kind: 'boolean', should: groups };
  if (query.excluded.length === 0) return found;
  return { kind: 'boolean', must: [found], mustNot: [{ kind: 'ids', ids: query.excluded }] };
}

interface Word {
  readonly fields: readonly string[];
  readonly term: string;
  /** How often it is in the texts. */
  readonly count: number;
}

function chooseWords(
  query: MoreLikeThisQuery,
  statistics: Statistics,
  documents: number,
  words: readonly Word[],
): Chosen[] {
  const found: Chosen[] = [];
  for (const { fields, term, count } of words) {
    if (count < query.minTermFreq) continue;
    let [field] = fields;
    let docFreq = 0;
    for (const each of fields) {
      const frequency = statistics.docFreq(each, term);
      if (frequency <= docFreq) continue;
      field = each;
      docFreq = frequency;
    }
    if (field === undefined || docFreq === 0 || docFreq < query.minDocFreq || docFreq > query.maxDocFreq) continue;
    // ClassicSimilarity.idf
    found.push({ field, term, score: fround(count * fround(Math.log((documents + 1) / (docFreq + 1)) + 1)) });
  }
  // Sorting keeps the order of equal ones.
  return found.sort((a, b) => b.score - a.score).slice(0, query.maxQueryTerms);
}

function clauses(query: MoreLikeThisQuery, chosen: readonly Chosen[]): Query {
  const least = Math.min(...chosen.map(({ score }) => score));
  const should = chosen.map(({ field, term, score }): Query => ({
    kind: 'term',
    field,
    term,
    ...(query.boostTerms === 0 ? {} : { boost: fround((query.boostTerms * score) / least) }),
  }));
  const needed = minimumShouldMatch(query.minimumShouldMatch, should.length);
  if (needed > should.length) return { kind: 'match_none' };
  return { kind: 'boolean', should, ...(needed > 0 ? { minimumShouldMatch: needed } : {}) };
}
