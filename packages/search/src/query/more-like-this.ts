// Elasticsearch's variant of Lucene's MoreLikeThis: selects the most characteristic words of texts, by document frequencies over visible
// documents, and builds the query for them.
import { minimumShouldMatch } from './minimum-should-match.ts';
import { entriesInHashOrder } from '../text/java-order.ts';
import { documentCount } from './blended.ts';
import { EMPTY } from './multi-term.ts';
import type { MoreLikeThisQuery } from './kinds/more-like-this.ts';
import type { Query } from './query.ts';
import type { Statistics } from './statistics.ts';

const { fround } = Math;

/** A word with the field in which it is searched. */
interface Chosen {
  readonly field: string;
  readonly term: string;
  readonly score: number;
}

/** Expands to optional clauses for the best words, with a minimum of matches. */
export function expandMoreLikeThis(query: MoreLikeThisQuery, statistics: Statistics): Query {
  const documents = documentCount(statistics);
  const choose = (words: Counted, fields: readonly string[]): readonly Query[] =>
    clauses(query, chooseWords(query, statistics, documents, words, fields));
  // Words of documents are selected per field, words of texts over all fields.
  const ofField = new Map(query.documents.map(({ field, terms }) => [field, terms]));
  const ofDocuments = entriesInHashOrder(ofField).flatMap(([field, counts]) => choose(counts, [field]));
  const ofTexts = choose(query.texts, query.fields);
  const groups = [
    ...(ofField.size > 0 ? [enough(query, ofDocuments)] : []),
    ...(query.like.length > 0 ? [enough(query, ofTexts)] : []),
  ];
  return groups.length === 0 ? { kind: 'match_none', reason: EMPTY } : { kind: 'boolean', should: groups };
}

/** Words with their counts in the texts. */
type Counted = readonly (readonly [string, number])[];

/** Selects words in the order of Lucene's queue: lowest score first. */
function chooseWords(
  query: MoreLikeThisQuery,
  statistics: Statistics,
  documents: number,
  words: Counted,
  fields: readonly string[],
): readonly Chosen[] {
  const limit = Math.min(query.maxQueryTerms, words.length);
  const queue = new WordQueue();
  const counts = new Map(words);
  for (const [term, count] of entriesInHashOrder(counts)) {
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
    const score = fround(count * fround(Math.log((documents + 1) / (docFreq + 1)) + 1));
    if (queue.size < limit) queue.add({ field, term, score });
    else queue.replaceLeast({ field, term, score });
  }
  return queue.drain();
}

/** Lucene's PriorityQueue, whose heap decides the order of words with equal scores. */
class WordQueue {
  /** Starts at index 1. */
  private readonly heap: Chosen[] = [];

  get size(): number {
    return Math.max(0, this.heap.length - 1);
  }

  add(word: Chosen): void {
    const { heap } = this;
    if (heap.length === 0) heap.push(word);
    heap.push(word);
    let at = heap.length - 1;
    for (let parent = at >>> 1; parent > 0 && word.score < heap[parent]!.score; parent = at >>> 1) {
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = word;
  }

  /** Replaces the word with the lowest score if the new one has a higher score. */
  replaceLeast(word: Chosen): void {
    if (this.size > 0 && this.heap[1]!.score < word.score) this.sink(word);
  }

  /** Removes all, lowest score first. */
  drain(): readonly Chosen[] {
    const taken: Chosen[] = [];
    while (this.size > 0) {
      taken.push(this.heap[1]!);
      const last = this.heap.pop()!;
      if (this.size > 0) this.sink(last);
    }
    return taken;
  }

  private sink(word: Chosen): void {
    const { heap, size } = this;
    let at = 1;
    for (;;) {
      let child = at * 2;
      if (child > size) break;
      if (child < size && heap[child + 1]!.score < heap[child]!.score) child++;
      if (heap[child]!.score >= word.score) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = word;
  }
}

function clauses({ boostTerms }: MoreLikeThisQuery, chosen: readonly Chosen[]): readonly Query[] {
  const least = chosen[0]?.score ?? 1;
  return chosen.map(({ field, term, score }) => ({
    kind: 'term',
    field,
    term,
    ...(boostTerms === 0 ? {} : { boost: fround(fround(fround(boostTerms) * score) / least) }),
  }));
}

function enough({ minimumShouldMatch: specification }: MoreLikeThisQuery, should: readonly Query[]): Query {
  if (should.length === 0) return { kind: 'match_none', reason: EMPTY };
  const needed = minimumShouldMatch(specification, should.length);
  return { kind: 'boolean', should, ...(needed > 0 ? { minimumShouldMatch: needed } : {}) };
}
